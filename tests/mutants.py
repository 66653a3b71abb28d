#!/usr/bin/env python3
"""mutants.py: proof that the suites can fail. Each case leaves one thing out of a header and requires that the test
named for it fails (a crash or a hang does, too), and that it passes with the headers as they are.

A snippet has to occur exactly once, in either header: who rewrites that line looks after its mutant, too."""
import glob, os, shutil, subprocess, tempfile, threading, time
import tap
from tap import ROOT, Failed, sh

ORDER_INPUT = '            r = sfi_order_wait(t->stream, &sfi_message_at(edge, edge->ordered)->order);'
TRIES = 4
RECORD = 'if (s && !turn->op->outputs[turn->staged[i].output].quiet) { r = sfi_record_once(turn, s); }'
STOP_APART = (
    'sfi_resident_set_bits(&r->mail->submit[s].value, bits, true);',
    'sfi_resident_set_bits(&r->mail->line[0], bits, true);',
    'sfi_resident_set_bits(&r->mail->submit[s].value, SFI_RESIDENT_DRAIN | SFI_RESIDENT_ABORT, false);',
    'sfi_resident_set_bits(&r->mail->line[0], SFI_RESIDENT_DRAIN | SFI_RESIDENT_ABORT, false);')
# (what is left out, suite, test, then pairs: snippet, instead)
MUTANTS = [
    # flows
    ("the consumer's wait", 'test_flow_streams', 'any_graph_in_any_order', ORDER_INPUT, ''),
    ("the consumer's wait, on threads", 'test_flow_streams', 'any_graph_on_threads', ORDER_INPUT, ''),
    ("the producer's record", 'test_flow_streams', 'no_wait_for_the_producer_s_later_work', RECORD, '(void)s;'),
    ('what has been waited for', 'test_flow_streams', 'any_graph_in_any_order', 'seen->number = p->number;',
     'seen->number = p->number + 1;'),
    ('the memory of what has been waited for', 'test_flow_streams', 'what_a_message_costs',
     'seen->number = p->number;',
     'seen->number = 0;'),
    ("a forwarded message's order", 'test_flow_streams', 'forwarded_on_another_stream',
     'if (s) { r = sfi_order_wait(s, &turn->staged[i].message.order); }', '(void)s;'),
    ('one record per stream', 'test_flow_streams', 'what_a_message_costs',
     'if (i == turn->handed_count || turn->recorded[i]) { return SF_OK; }',
     'if (i == turn->handed_count) { return SF_OK; }'),
    ('sync to default', 'test_flow_streams', 'sync_to_default',
     'r = sfi_order_wait(sf_stream_legacy(t->stream->device), &p);', ''),
    ("set_stream's end with the compute", 'test_flow_streams', 'set_stream_is_for_one_port_and_one_compute',
     'op->outputs[p].stream = NULL;', ''),
    ('the stream condition', 'test_flow_streams', 'stream_condition',
     'case SF_CONDITION_STREAM: return sfi_stream_readiness(f, op, in);',
     'case SF_CONDITION_STREAM: return SF_READY;'),
    ('the receive before the stream', 'test_flow_streams', 'the_message_comes_before_its_stream',
     'if (!in->asked) {', 'if (false) {'),
    ('the drain at the end', 'test_flow_streams', 'any_graph_in_any_order', '    sfi_drain(f);\n', ''),
    ('the snapshot of an event', 'test_flow_streams', 'any_graph_in_any_order', 'e->number = s->queue.enqueued;',
     'e->number = 0;'),
    ('the last use of what was received', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '(void)sfi_each_received(turn, sfi_add_users, NULL);', ''),
    ('waiting for users at reuse', 'test_flow_memory', 'reuse_on_streams_that_were_there_before',
     'for (i = 0; i < t->user_count && r >= 0; i++) { r = sfi_order_all_after(turn, &t->users[i]); }', '(void)i;'),
    ('waiting for users on streams that come later', 'test_flow_memory', 'reuse_on_streams_that_come_later',
     'i < c->user_count && r >= 0; i++) { r = sfi_order_wait(s, &c->users[i]); }',
     'i < c->user_count; i++) { (void)s; }'),
    ('the deallocation stream', 'test_flow_memory', 'reuse_waits_for_other_readers_too',
     '/* all that the stream holds when the memory is reused */\n    return sfi_tensor_use(t, by);',
     '\n    return SF_OK;'),
    ('the late return of pinned blocks', 'test_flow_memory', 'the_cpu_may_write_at_once',
     'sfi_ring_push(now ? &pool->free : &pool->pending, t->index)', 'sfi_ring_push(&pool->free, t->index)'),
    ('memory at admission', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'if (!out->supply->pool || out->supply->reserved) { continue; }', 'if (out) { continue; }'),
    ('the late release of wrapped memory', 'test_flow_memory', 'released_when_the_gpu_is_done',
     '} else if (sfi_tensor_idle(t, NULL) == SF_OK) {\n        sfi_wrap_recycle(t);',
     '} else if (true) {\n        sfi_wrap_recycle(t);'),
    ('what a failed compute enqueued', 'test_flow_memory', 'memory_of_a_failed_compute',
     '    sfi_tell_buffers(t);                     /* it may have enqueued work before it failed */\n', ''),
    ("DLPack's consumer as a user", 'test_dlpack', 'reuse_waits_for_the_consumer', ' || sfi_tensor_use(t, by) < 0',
     ''),
    ("DLPack's consumer's wait", 'test_dlpack', 'exported_from_a_flow', 'if (sfi_order_wait(consumer, &t->order) < 0',
     'if (false'),
    ('the room an emission needs', 'test_flow_errors', 'computes_that_fail', 'if (left <= out->staged) {',
     'if (false) {'),
    ('room at admission', 'test_flow', 'capacity_and_batch',
     'e->full = out && e->overflow == SF_OVERFLOW_BLOCK && !out->custom_room ? e->most : 0;', 'e->full = 0;'),
    ('pop before push, and the room for its own message', 'test_flow', 'edge_to_itself',
     '    sfi_pop_received(f, op);                 /* first, so that an edge to itself has room */\n', '',
     '    sfi_commit_emissions(op->turn);\n', '    sfi_commit_emissions(op->turn);\n    sfi_pop_received(f, op);\n',
     'e->most = e->room = limit + (e->from == e->to);', 'e->most = e->room = limit;'),
    ('the patience of a stop with a launch', 'test_resident', 'a_logger_that_asks_and_stops',
     'while (!held && sf_now(NULL) - began < SF_MS(1));', 'while (!held && began);'),
    ('the same messages for what is tried again', 'test_workers', 'tried_again_as_more_comes',
     '    if (op->attempts) { return; }            /* what is tried again sees what it saw */\n', ''),
    ('a block that is taken before a wait', 'test_memory', 'two_ask_for_one_block',
     '    *best = b->next;                         /* first: where the stream is full, others come in meanwhile */\n'
     '    p->kept -= b->bytes;\n', '',
     '        sfi_host_keep_block(p, b);\n        return r;\n    }\n',
     '        return r;\n    }\n    *best = b->next;\n    p->kept -= b->bytes;\n'),
    ('a size that wraps', 'test_memory', 'more_than_there_is',
     'if (r >= 0 && bytes > device->memory_bytes) { r = SF_ERROR_OUT_OF_MEMORY; }', ''),
    ('strides that wrap', 'test_dlpack', 'what_cannot_be_imported',
     'if (steps && stride > (SIZE_MAX / 2 - bytes) / item / steps) { return 0; }', ''),
    ('the state of what came to nothing', 'test_lazy', 'constructors_refuse',
     'if (!l && desc && desc->drop_state) { desc->drop_state(desc->state); }', ''),
    ('what a node frees', 'test_graph', 'freed_by_a_graph_that_stays',
     '    node->memory = m;\n    (void)sfi_add(&m->references, 1);', '    node->memory = m;',
     'if (node->type == SF_NODE_MEM_FREE && node->memory) { sfi_memory_release(node->memory); }', ''),
    ('the end of what a fault has left, beside a capture', 'test_graph', 'reset_beside_a_capture',
     '(void)sfi_host_spoil_captures(device);\n    r = sfi_host_wait_for_all(device, SFI_NEVER);',
     'r = sfi_host_spoil_captures(device) ? SF_OK : sfi_host_wait_for_all(device, SFI_NEVER);'),
    ('the look at chains that have become slow', 'test_workers', 'who_becomes_slow_is_helped',
     'if (first->turns) { first->turns--; }\n        return;', 'if (first->turns) { first->turns--; }'),
    ('the bell of a push', 'test_flow', 'pushed_by_threads', 'sfi_bell_of(f, in->worker, in->source);', ''),
    ('the end of a run that waits for pushes', 'test_workers', 'pushed_while_runs_end',
     '    sfi_shut(f);                             /* what was accepted is in', '    /* what was accepted is in'),
    ('the wait for those who are at work', 'test_workers', 'pushed_while_runs_end',
     'while (sfi_load(&f->visitors) != SFI_SHUT) {', 'while (false) {'),
    ('the look of who comes whether it is shut', 'test_workers', 'pushed_while_runs_end',
     'if (!(sfi_add(&f->visitors, 1) & SFI_SHUT)) { return true; }',
     'if (sfi_add(&f->visitors, 1) != SFI_NONE) { return true; }'),
    ('the release of what no run will see', 'test_workers', 'pushed_before_it_is_built_on',
     '    sfi_empty_inlets(f);\n    for (i', '    for (i'),
    ('the flag of whose number a second bell replaces', 'test_flow', 'rung_between_steps',
     'sfi_flag(w->flow, before - SFI_ATTENTION_ONE);', ''),
    ('a carried compute that has left the short way', 'test_workers', 'chains_that_leave_the_short_way',
     'if (op->unmet) { sfi_take_down(w, op); } ', 'sfi_take_down(w, op);'),
    ('a source that has left the short way', 'test_workers', 'chains_that_go_on',
     'if (op->unmet && op->in && op->in->producer) {', 'if (op->unmet) {'),
    ('the last run of a source that goes on', 'test_workers', 'chains_that_go_on',
     'return !(SFI_GET(op->ends) && sfi_may_be_over(op)) && !sfi_load(&w->recalled)',
     'return !sfi_load(&w->recalled)'),
    ('a source that goes on through a stop', 'test_workers', 'a_chain_stops_at_once',
     '!sfi_load(&w->recalled) && !sfi_is_urged(w);', '!sfi_load(&w->recalled);'),
    ('a stop that another heard', 'test_workers', 'a_chain_stops_when_another_hears',
     '                sfi_store(&op->desk->recalled, 1);\n', ''),
    ('what was received in the turn before', 'test_workers', 'chains_that_go_on',
     'if (again) { sfi_settle_first(w, first); }', ''),
    ('what was received once only', 'test_workers', 'chains_that_go_on',
     'if (again) { sfi_settle_first(w, first); }', 'sfi_settle_first(w, first);'),
    ('what was received when a chain breaks off', 'test_workers', 'chains_that_go_on',
     'if (n && op && op != first) { sfi_settle_first(w, first); }', ''),
    ('what the first one leaves in its queue', 'test_workers', 'chains_that_go_on',
     'if (op->take) { op->come = op->in; }', ''),
    ('the time of what came over a bridge', 'test_workers', 'chains_that_go_on',
     'w->time = op->take ? -1 : op->in->head->time;', 'w->time = -1;'),
    ('whether there is one more', 'test_workers', 'chains_that_go_on',
     'last->unmet == 1 && first->unmet == 1 &&', 'last->unmet == 1 &&'),
    ('whether there is room for one more', 'test_workers', 'chains_that_go_on',
     'last->unmet == 1 && first->unmet == 1 &&', 'first->unmet == 1 &&'),
    ('how long a chain goes on', 'test_workers', 'chains_take_turns',
     'if (ns > SFI_HEAVY) {', 'if (false) {', 'if (all && ns < SFI_HEAVY / 2 &&', 'if (all &&'),
    ('what a chain has used of its time', 'test_workers', 'chains_take_turns',
     'uint32_t n = (uint32_t)1 << first->turns;', 'uint32_t n = 1;'),
    ('what is there for a carried compute', 'test_workers', 'chains_that_leave_the_short_way',
     '    e->there = 1;\n    if (e->full == 1 && w->flow', '    if (e->full == 1 && w->flow'),
    ('the number that comes while a bell replaces another', 'test_workers', 'pushed_to_one_operator',
     'while ((before = sfi_swap(&w->attention, SFI_ATTENTION_ALL)) >= SFI_ATTENTION_ONE) {',
     'before = sfi_swap(&w->attention, SFI_ATTENTION_ALL);\n'
     '    if (before >= SFI_ATTENTION_ONE && (sfi_flag(w->flow, before - SFI_ATTENTION_ONE),\n'
     '                                        sfi_swap(&w->attention, SFI_ATTENTION_ALL), false)) {'),
    ('who goes first in a chain', 'test_flow', 'from_hand_to_hand',
     'if (e->linear) { sfi_ready_first(op); } else { sfi_met(op); }', 'sfi_met(op);'),
    ('what a message from hand to hand leaves behind', 'test_flow', 'from_hand_to_hand',
     '    if (!e->messages) { SFI_SET(e->high, 1); }\n', ''),
    # several workers
    ('the turn of a whole region', 'test_region', 'a_turn_begins_when_all_can_run',
     'if (!sfi_op_active(op) || op->unmet != op->due) { break; }', 'if (!sfi_op_active(op)) { break; }'),
    ('the arguments in a script', 'test_region', 'turns_that_never_come_again',
     'for (i = 0; i < n && a[i] == b[i]; i++) {}', 'i = n, (void)a, (void)b;'),
    ('branches in a region', 'test_region', 'members_side_by_side',
     'return sf_stream_update_capture_dependencies(g->scribe, g->after, (int)count, SF_CAPTURE_SET_DEPENDENCIES);',
     'return SF_OK;'),
    ('who comes before in a region', 'test_region', 'members_side_by_side',
     'sfi_region_mark_before(f, g, member, member + 1);', ''),
    ('what a failed member takes back', 'test_region', 'computes_that_fail',
     '        sfi_region_take_back(f, op);\n', ''),
    ('a region ends as a whole', 'test_region', 'one_that_waits_is_stopped',
     'if (sfi_may_end(member)) { sfi_list_end(member, &list); }', '(void)member;'),
    ('operators between', 'test_region', 'what_is_refused',
     'if (op->more->leader != leader && to->more->leader == leader && !told) {', 'if (false) {'),
    ('the lock of a desk', 'test_workers', 'any_graph_of_values', 'while (sfi_swap(&w->lock, 1)) {', 'while (false) {'),
    ('the poke of who sleeps', 'test_workers', 'one_message_goes_round',
     'if (w != self) { rouse |= left & (0 - left); }', ''),
    ('all blocks or none', 'test_workers', 'two_outputs_of_one_pool', 'if (r != SF_OK) { sfi_unreserve(op); }', ''),
    ('what is lent', 'test_workers', 'queues_that_drop',
     'if (f->edges[e].room > f->edges[e].most) { f->edges[e].lent = f->edges[e].count; }', ''),
    ('the help for who computes', 'test_workers', 'one_free_worker_does_the_rest',
     'if (!op && f->worker_count > 1) { op = sfi_find_elsewhere(w); }', ''),
    ("a ring's place that somebody has not left yet", 'test_workers', 'no_block_is_lost',
     'if (ahead < 0) { sfi_yield(); }      /* somebody has taken from that place, but not said so yet */',
     'if (ahead < 0) { return; }', 'ring = 2 * sfi_power_of_two(n)', 'ring = sfi_power_of_two(n)'),
    ('who looks at a device without threads while another works', 'test_workers', 'a_device_in_order_used_by_two',
     '&& !sfi_host_others_run(device)', ''),
    ('routes of a compute that failed', 'test_upstream', 'a_route_ends_with_its_compute',
     '    if (t->routed) { sfi_unroute(f, op); }\n', ''),
    ('a retry without new signals', 'test_upstream', 'tried_again_with_what_it_had',
     '|| op->attempts) { return; }', ') { return; }'),
    # captures
    ('the refusal of unsafe calls beside a global capture', 'test_capture', 'who_forbids_what_to_whom',
     'return mine || (c->mode == SF_CAPTURE_GLOBAL && mode == SF_CAPTURE_GLOBAL);', 'return mine;'),
    ("the refusal of unsafe calls to a capture's own thread", 'test_capture', 'who_forbids_what_to_whom',
     'return mine || (c->mode == SF_CAPTURE_GLOBAL && mode == SF_CAPTURE_GLOBAL);',
     'return c->mode == SF_CAPTURE_GLOBAL && mode == SF_CAPTURE_GLOBAL;'),
    ("the thread's mode", 'test_capture', 'who_forbids_what_to_whom',
     'if (mode == SF_CAPTURE_RELAXED) { return false; }', ''),
    ('an allocation as an unsafe call', 'test_capture', 'who_forbids_what_to_whom',
     'if (device->host && memory != SF_MEMORY_HOST) { r = sfi_host_unsafe_call(device); }', ''),
    ("the library's own calls' mode", 'test_capture', 'own_work_on_the_same_thread',
     'sfi_this_thread.capture_mode = SF_CAPTURE_RELAXED;', ''),
    ('the look for work that is not joined', 'test_capture', 'end_with_work_not_joined',
     'if (other != s && other->capture == c && !sfi_host_is_joined(other))', 'if (false)'),
    ('the thread that may end a capture', 'test_capture', 'end: another thread, GLOBAL',
     'if (c->mode != SF_CAPTURE_RELAXED && !sfi_is_my_capture(c))', 'if (false)'),
    ('the isolation from what was before', 'test_capture', 'wait: recorded before, pending',
     's->capture->invalid = true;\n        return SF_ERROR_CAPTURE_ISOLATION;', 'return SF_OK;'),
    ('the refusal to merge captures', 'test_capture', 'wait_for_another_capture',
     'if (s->capture && s->capture != c) {', 'if (false) {'),
    ("the default stream's implicit order", 'test_capture', 'implicit: launch',
     'if (other->capture && !(other->flags & SF_STREAM_NON_BLOCKING)) {', 'if (false) {'),
    ('the refusal of what spoils a body', 'test_driver', 'a_body_s_broken_capture',
     'code = sfi_cuda_refuse(stream, SFI_CUDA_ADD);', 'code = 0;'),
    ('the join of all before a body ends', 'test_driver', 'a_body_s_broken_capture',
     'if (wrong) { sfi_cuda_join_all(c); }', '(void)sfi_cuda_join_all;'),
    ('whom a wait draws into a body', 'test_driver', 'bodies_as_on_the_host',
     'e->captured = status == SF_CAPTURE_ACTIVE ? id : 0;', 'e->captured = 0;'),
    ('the order within a captured stream', 'test_capture', 'any_shape_in_any_order',
     'return sfi_after_set(&s->device->heap, &s->after, &one, 1);', '(void)one;\n    return SF_OK;'),
    ('what a captured wait waits for', 'test_capture', 'any_shape_in_any_order',
     'for (i = 0; i < e->after.count; i++) {', 'for (i = 1; i < e->after.count; i++) {'),
    ("an event's end with its capture", 'test_capture', 'poisoned event: query',
     'if (!c || c->invalid) { return SF_ERROR_INVALID_VALUE; }', 'if (!c || c->invalid) { return SF_OK; }'),
    ('the stream that a waiting call goes on with', 'test_capture', 'capturing_while_a_call_waits',
     'if (s->capture && s->capture->pending) {', 'if (s->capture) {'),
    # graphs
    ('the last predecessor', 'test_graph', 'any_graph_in_any_order',
     'if (--after->missing == 0) {', 'if (after->missing-- == after->predecessors) {'),
    ('the end of a level', 'test_graph', 'nested', 'if (--level->left) { return; }', 'level->left--;'),
    ('the second look of a WHILE', 'test_graph', 'while_loops',
     'sfi_plan_ready(p, &p->nodes[level->owner]);', 'sfi_plan_look(p, &p->nodes[level->owner], true);'),
    ('the initial value at each launch', 'test_graph', 'initial_values', 'if (p->branches[i].reset) {',
     'if (false) {'),
    ('ELSE', 'test_graph', 'if_and_else', ': n->how == SF_CONDITIONAL_IF ? 1 : SFI_NONE;', ': SFI_NONE;'),
    ('one launch at a time', 'test_graph', 'one_launch_at_a_time', 'if (r >= 0 && exec->last) {', 'if (false) {'),
    ("a launch's own plan while it is changed", 'test_graph', 'one_launch_at_a_time',
     'if (old->references == 1) { return SF_OK; }', 'if (old->references) { return SF_OK; }'),
    ('the refusal of other shapes', 'test_graph', 'updates_keep_the_topology',
     'if (!sfi_plan_same_shape(exec->plan, p)) {', 'if (false) {'),
    ("a record node's end", 'test_graph', 'events_of_record_nodes',
     'e->number = s->queue.enqueued + 1;', 'e->number = 0;'),
    ("a wait node's wait", 'test_graph', 'events_of_wait_nodes',
     'if (sfi_host_reached(&c->u.wait.mark)) { sfi_plan_look(p, n, true); }',
     'if (true) { sfi_plan_look(p, n, true); }'),
    ("a record's own launch", 'test_graph', 'events_of_two_graphs',
     'sfi_load64(&m->event->reached) == m->stamp', 'sfi_load64(&m->event->reached) >= m->stamp'),
    ('the event behind a slot', 'test_graph', 'events_that_are_gone',
     'return e->slot.tag == SFI_TAG_EVENT && e->id == id;', 'return e->slot.tag == SFI_TAG_EVENT || id;'),
    ('the refusal of memory that is in use', 'test_graph', 'memory_beyond_a_launch',
     'if (!launched && m->live && !(exec->flags & SFI_AUTO_FREE)) {', 'if (false) {'),
    ('the look into bodies', 'test_graph', 'no_such_nodes_in_bodies',
     'const char *wrong = in_body ? sfi_body_wrong(graph->nodes[i]) : NULL;', 'const char *wrong = NULL;'),
    ('the refusal of cycles', 'test_graph', 'no_cycles', 'if (!left) { return NULL; }', 'if (true) { return NULL; }'),
    ('the dependencies of a clone', 'test_graph', 'clones_are_their_own', 'd.node = to->nodes[d.node->index];',
     'break;'),
    # memory in stream order
    ('reuse on the same stream', 'test_driver_page', 'reuse: on the same stream, pending',
     'if (b->free.stream == s) { return 4; }', ''),
    ('reuse behind an event', 'test_driver_page', 'reuse: follows events',
     'if (p->follow && sfi_host_knows(s, &b->free)) { return 3; }', ''),
    ('the event that reuse follows', 'test_driver_page', 'reuse: follows events, there is none',
     'if (p->follow && sfi_host_knows(s, &b->free)) { return 3; }', 'if (p->follow) { return 3; }'),
    ('the number of what is known', 'test_driver_page', 'reuse: follows events, of what was before',
     'if (k->stream == m->stream && k->number >= m->number) { return true; }',
     'if (k->stream == m->stream) { return true; }'),
    ('reuse of what is done', 'test_driver_page', 'reuse: opportunistic, done',
     'if (p->opportunistic && sfi_host_reached(&b->free)) { return 2; }', ''),
    ('the end of what is reused', 'test_driver_page', 'reuse: opportunistic, pending',
     'if (p->opportunistic && sfi_host_reached(&b->free)) { return 2; }', 'if (p->opportunistic) { return 2; }'),
    ('reuse that waits', 'test_driver_page', 'reuse: with a wait inside', 'return p->wait ? 1 : 0;', 'return 0;'),
    ('the wait of reuse', 'test_driver_page', 'reuse: with a wait inside',
     'if (best_score == 1) { r = sfi_host_enqueue_wait(s, b->free); }', ''),
    # the driver's page
    ('the difference of counters that wrap around', 'test_driver_page', 'words: waits of 32 bits',
     '(int32_t)((uint32_t)is - (uint32_t)want) >= 0', '(uint32_t)is >= (uint32_t)want'),
    ('the fault that callbacks are told', 'test_driver_page', 'fault: callbacks are told, host functions skipped',
     'c->u.callback.func(t->stream, sfi_host_fault(device), c->u.callback.user);',
     'c->u.callback.func(t->stream, SF_OK, c->u.callback.user);'),
    ('the skipping of host functions after a fault', 'test_driver_page',
     'fault: callbacks are told, host functions skipped',
     'if (sfi_load(&device->fault)) { return 0; }\n    switch (c->kind) {', 'switch (c->kind) {'),
    ('the copied priority', 'test_driver_page', 'attributes_hold_the_priority', 'dst->priority = src->priority;',
     '(void)src;'),
    # lazy operations
    ('the keeper', 'test_lazy', 'dropped_in_flight', 'f->result = r < 0 ? r : SF_OK;\n',
     'f->result = r < 0 ? r : SF_OK;\n        sfi_keeper_drop(&f->keeper, device, f->stream, true);\n'
     '        f->outputs.count = 0;\n'),
    ('the point behind a submission', 'test_lazy', 'par_is_joined',
     'r = device->backend->event_query(f->event);\n', 'r = SF_OK;\n'),
    ('a fork by hand: the wait', 'test_lazy', 'fork_and_join_by_hand',
     'if (r >= 0) { r = sfi_wait_event(s, s->fork_event, 0); }', ''),
    ('a join by hand: the record', 'test_lazy', 'fork_and_join_by_hand',
     'r = sfi_record(child->fork_event, child, 0);', 'r = SF_OK;'),
    ('the join of a par', 'test_lazy', 'par_is_joined', 'joined = sf_stream_join(stream, child[i]);',
     'joined = SF_OK;\n        sfi_fork_give(child[i]);'),
    ('the join of a par that fails', 'test_lazy', 'an_error_short_circuits', 'for (i = 1; i <= forks; i++) {',
     'for (i = 1; i <= forks && r >= 0; i++) {'),
    ("a share's memory", 'test_lazy', 'twice_unless_shared', 'if (!m->ran) {', 'if (true) {'),
    ("a share's event", 'test_lazy', 'share_across_streams',
     '? sf_stream_wait_event(stream, share->memo->event, 0)', '? SF_OK'),
    ('the once of on_ready', 'test_lazy', 'on_ready_exactly_once', 'w->func(f, f->result, w->user);',
     'w->func(f, f->result, w->user);\n        w->func(f, f->result, w->user);'),
    ('the watcher that comes late', 'test_lazy', 'on_ready_asks_again',
     'if (!done || sfi_future_is_watched(f)) { continue; }', 'if (!done) { continue; }'),
    ('the keeping of a dropped future', 'test_lazy', 'dropped_in_flight',
     'if (!sfi_cas(&future->state, SF_FUTURE_IDLE, SF_FUTURE_TAKEN) && !sfi_future_settle(future) &&',
     'if (false &&'),
    ('the once of take', 'test_lazy', 'take_is_once',
     'if (!sfi_cas(&future->state, state, SF_FUTURE_TAKEN)) {', 'if (false) {'),
    ('the next in turn', 'test_lazy', 'round_robin', 'best = sfi_add(&p->turn, 1) % p->count;', 'best = 0;'),
    ('the load that is given back', 'test_lazy', 'least_loaded_takes_the_idle_one',
     'if (f->load) { (void)sfi_add(f->load, (uint32_t)-1); }\n    f->load = NULL;', 'f->load = NULL;'),
    ('the value of a word', 'test_driver', 'words_of_futures',
     'f->flag_value = ++flags->values[i];', 'f->flag_value = flags->values[i] = 1;'),
    ('the early sleep of who spins for long', 'test_workers', 'a_long_spin',
     'w->early = !spun && sfi_sleeps_early(w, now);', 'w->early = false;'),
    # the resident loop: its words
    ('the payload before its count', 'test_resident', 'interleavings',
     '    sfi_resident_fill(resident, op, 0, sfi_resident_in_slot(resident, request), slot);\n',
     '    sfi_resident_fill(resident, op, 0, sfi_resident_in_slot(resident, request), slot);\n'
     '    (void)__atomic_fetch_add(&resident->mail->submit[ring->index].value, 1, __ATOMIC_ACQ_REL);\n'
     '    SFI_RESIDENT_STEP("submitted");\n',
     'if (!sfi_resident_ring_bell(resident, ring->index)) {', 'if (false) {'),
    ('the stop beside the count', 'test_resident', 'interleavings',
     '*stop &= word;', '*stop &= sfi_resident_load(&c->mail->line[0]);', *STOP_APART),
    ('the stop beside the count, on threads', 'test_resident', 'stopped_at_any_moment',
     '*stop &= word;', '*stop &= sfi_resident_load(&c->mail->line[0]);', *STOP_APART),
    ('the refusal after a stop', 'test_resident', 'interleavings', 'if (old & ~SFI_RESIDENT_COUNT) { return false; }',
     ''),
    ('the look at consumed', 'test_resident', 'a_slow_reader_holds_up_the_loop',
     'if (c->at.completed - c->room[t] >= c->slots) { return false; }', ''),
    ('the room in each ring', 'test_resident', 'sinks_are_read_apart',
     'for (t = 0; t < c->sinks; t++) {\n        if (c->at.completed',
     'for (t = 0; t < (c->sinks > 0); t++) {\n        if (c->at.completed'),
    ('the room for a request', 'test_resident', 'full_rings',
     'if (request - sfi_resident_used(resident, op) <= resident->desc.slots ||\n',
     'if (request - sfi_resident_used(resident, op) <= resident->desc.slots + 1 ||\n'),
    ('the silence after the stop', 'test_resident', 'with_every_setting', '    if (!c->at.live) { return; }\n', ''),
    ('what an abort drops', 'test_resident', 'stopped_with_work_queued', '        c->at.done += n;\n', ''),
    ('that it was dropped', 'test_resident', 'stopped_with_work_queued',
     'return end_done >= request || sfi_resident_has_passed(r, completed, request) ? SF_IGNORED : SF_NOT_READY;',
     'return SF_NOT_READY;'),
    ('what is passed over', 'test_resident', 'next_result_skips_the_dropped',
     'c->at.sequence = c->at.done + 1 + skip;', 'c->at.sequence = c->at.done + 1;'),
    ('the full ring of DROP_OLDEST', 'test_resident', 'full_rings',
     '(c->oldest && pending >= c->slots)', 'c->oldest'),
    ('the jump of LATEST', 'test_resident', 'next_result_skips_the_dropped', '(c->latest || (', '(('),
    ('the dropped of a snapshot', 'test_resident', 'the_oldest_are_dropped',
     'info->dropped = done - completed + dropped;', 'info->dropped = dropped;'),
    ('what the host dropped', 'test_resident', 'policies_under_load', 'info->submitted = submitted + dropped;',
     'info->submitted = submitted;'),
    ('the queued of a snapshot', 'test_resident', 'the_oldest_are_dropped', 'info->queued = submitted - done;',
     'info->queued = submitted - completed;'),
    ('the order of releases', 'test_resident', 'released_in_order',
     'if (!request || n > lent || earlier) {', 'if (!request || n > lent) {'),
    ('the refusal of a stale slot', 'test_resident', 'lent_slots',
     'if (!slot->sequence || slot->sequence != sfi_resident_load(&ring->acquired)) {', 'if (!slot->sequence) {'),
    ('the end of the stop at a launch', 'test_resident', 'relaunched_a_thousand_times',
     'sfi_resident_set_bits(&r->mail->submit[s].value, SFI_RESIDENT_DRAIN | SFI_RESIDENT_ABORT, false);', ''),
    ('the end of results at a launch', 'test_resident', 'results_stay_until_the_next_launch',
     'sfi_resident_store(&ring->lent, completed);', ''),
    ('all sources', 'test_resident', 'all_sources', 'if (c->any ? most : least) {', 'if (most) {'),
    ('what an idle source keeps', 'test_resident', 'any_source_one_by_one', 'c->at.content = pass;', '(void)pass;'),
    ('the count of marks', 'test_resident', 'triggered_from_the_gpu', 'c->marks_taken++;',
     'c->marks_taken = sfi_resident_load32(&c->marks);'),
    ('the first code', 'test_resident', 'the_first_code_stays',
     '(void)__atomic_compare_exchange_n(&c->raised, &none, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);',
     '(void)none;\n    __atomic_store_n(&c->raised, value, __ATOMIC_RELEASE);'),
    ('the stop of a code', 'test_resident', 'raised_by_a_kernel',
     'if (sfi_resident_load32(&sfi_resident_self(c)->raised)) { return SFI_RESIDENT_STOP; }', ''),
    ('the status of an iteration', 'test_resident', 'raised_by_a_kernel',
     'r.status = raised;', 'r.status = ((void)raised, 0);'),
    ('the missed deadlines', 'test_resident', 'it_tells',
     'p->missed + (deadline > 0 && now - p->submitted > deadline);', 'p->missed;'),
    ('the watch over the heartbeat', 'test_resident', 'stalled',
     'if (sfi_resident_is_on(r)) { sfi_resident_watch(r, now, call); }', ''),
    ('the stay on the device', 'test_resident', 'several_at_once', 'sf_result result = sf_device_stay(r->device);',
     'sf_result result = SF_OK;'),
    ('metadata across the bridge', 'test_resident', 'bridged',
     '(void)sf_set_metadata(ctx, (uint32_t)p->keys[i], value);', ''),
    ("a code's way across the bridge", 'test_resident', 'a_loop_that_failed_tells_its_feeder',
     'if (result == SF_ERROR_ILLEGAL_STATE && outcome < 0) { result = outcome; }', ''),
    ('a stop that another worker has heard of', 'test_workers', 'stopped_while_it_computes',
     '!(several && sfi_load(&op->asked_to_stop))) {', 'true) {'),
    ('the order of conditionals in a loop', 'test_driver', 'conditionals_in_order',
     'r = sfi_cuda_node_depend(node, &last, 1);', 'r = SF_OK;'),
    ('conditionals outside of loops left alone', 'test_driver', 'conditionals_in_order',
     'r = sfi_cuda_order_conditionals(graph, false);\n', 'r = sfi_cuda_order_conditionals(graph, true);\n'),
    ('what was raised before the first look', 'test_resident', 'raised_at_once',
     '    c->start = sfi_resident_clock();\n    c->at.published = 0;\n',
     '    c->raised = 0;\n    c->start = sfi_resident_clock();\n    c->at.published = 0;\n'),
    ('the look at a launch beside a reader', 'test_resident', 'launched_beside_a_reader',
     'if (!sfi_resident_swap(&op->sink.lent, lent, n > lent ? n : lent) ||\n'
     '        n <= sfi_resident_load(&op->sink.next)) {',
     'sfi_resident_store(&op->sink.lent, n > lent ? n : lent);\n    if (false) {'),
    ('sequences of any_source', 'test_resident', 'any_source_drops_the_newest',
     'return ring && ring->names && !r->image->any ?', 'return ring && ring->names ?'),
    ('what travels past a loop that skips', 'test_resident', 'bridged_with_drops',
     'return (skips ? (r->desc.slots < 64 ? r->desc.slots : 64) : 4) * (r->desc.slots + 4);',
     'return (void)skips, 4 * (r->desc.slots + 1);'),
    # the resident loop: its graph
    ('the join of parallel operators', 'test_resident_build', 'fan_in',
     'for (n = 0; n < c->tails[c->order->pairs[k].from].count; n++) {',
     'for (n = 0; n < c->tails[c->order->pairs[k].from].count && !before.count; n++) {'),
    ('the join at the end', 'test_resident_build', 'fan_out',
     'n < c->tails[item].count && !followed && result >= 0; n++) {',
     'n < c->tails[item].count && !followed && !exit->count && result >= 0; n++) {'),
    ('the order of an edge', 'test_resident_build', 'any_graph_in_any_order',
     'sfi_resident_pair(r, o, (int32_t)e->from->index, (int32_t)e->to->index);', '(void)e;'),
    ('the predicate before its branch', 'test_resident_build', 'any_graph_with_branches',
     'sfi_resident_pair(r, o, (int32_t)r->branches[i]->predicate->index, (int32_t)(r->op_count + i));', ''),
    ('the delay copy', 'test_resident_build', 'delay_edges',
     'result = sf_memcpy_async(s, e->late, e->output->memory[c->pass], bytes);', ''),
    ('the copies of longer delays', 'test_resident_build', 'delay_edges',
     'for (d = e->delay - 1; d > 0 && result >= 0; d--) {', 'for (d = e->delay - 1; false;) {'),
    ('the zeros at a launch', 'test_resident_build', 'delay_edges',
     'if (!e->delay) { continue; }\n        memset(&d, 0, sizeof d);', 'if (true) { continue; }\n'),
    ('clear_skipped', 'test_resident_build', 'branches', 'if (result >= 0 && b->is.clear_skipped) {', 'if (false) {'),
    ('the phase of EVERY', 'test_resident_build', 'branches',
     'a.phase = b->is.every ? b->is.phase % b->is.every : 0;', 'a.phase = 0;'),
    ('the other body of IF', 'test_resident_build', 'branches',
     'b->is.kind == SF_RESIDENT_IF && sfi_resident_has_else(r, branch) ? 2 : 1, i;', '1, i;'),
    ('a handler that is asked anew', 'test_resident_build', 'handlers',
     '    sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY);\n    c->at.live = 0;\n', '    c->at.live = 0;\n'),
    ('what comes before a handler', 'test_resident_build', 'handlers_of_several',
     'e->from->handler = more = true;', 'more = false;'),
    ('the refusal of cycles in a loop', 'test_resident_build', 'connections',
     'return o->count < all ? sfi_resident_cycle(r, o, waits) : SF_OK;', 'return SF_OK;'),
    ('the refusal of unequal sizes', 'test_resident_build', 'pairs_of_ports',
     'sfi_resident_differ(r, e);', ';'),
    ("a captured slot's own memory", 'test_resident_build', 'a_chain_of_100',
     '!e->delay ? e->output->memory[pass]', '!e->delay ? e->output->memory[0]'),
    ('what forbids unrolling', 'test_resident_build', 'auto_is_the_fastest_allowed',
     'if (!r->ops[i]->ports[side][k]->is.data) { continue; }', 'if (true) { continue; }'),
    ('the copy of what is passed on', 'test_resident_build', 'computes_see',
     ': sf_memcpy_async(t->stream, p->view.is.data, tensor->data, tensor->bytes);', ': SF_OK;'),
    ('one receive of each input', 'test_resident_build', 'computes_see', 'if (p->received || (', 'if (('),
]
HEADERS = ['streamflow.h', 'streamflow_gpu_resident.h']
temp = tempfile.TemporaryDirectory()
lock = threading.Lock()
plain = {}
passed = {}                                  # how long it took
COMPILER = os.environ.get('CC') or shutil.which('clang') or 'cc'     # clang takes half as long here


def build(suite, headers, name):
    """The suite beside headers of its own."""
    folder = f'{temp.name}/{name}'
    os.makedirs(f'{folder}/tests')
    for header, text in headers.items():
        with open(f'{folder}/{header}', 'w', encoding='utf-8') as file:
            file.write(text)
    for source in [f'{suite}.c'] + glob.glob('*.h', root_dir=f'{ROOT}/tests'):
        shutil.copy(f'{ROOT}/tests/{source}', f'{folder}/tests')
    sh(COMPILER, '-std=gnu11', '-w', f'{folder}/tests/{suite}.c', '-o', f'{folder}/suite',
       '-pthread', '-lcmocka', '-ldl', '-lm')
    return f'{folder}/suite'


def run(program, test, limit):
    """None if it passes, else how it failed."""
    environment = dict(os.environ, SF_TEST_SEEDS='100', CMOCKA_MESSAGE_OUTPUT='TAP')
    try:
        done = subprocess.run([program, '--backend', 'host', '--only', test], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors='replace',
                              timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return f'no end after {limit:.1f} s'
    if done.returncode == 0 and f'ok 1 - {test}' in done.stdout:
        return None
    if done.returncode == 0:
        raise Failed(f'there is no test {test}:\n{done.stdout}')
    return next((line for line in done.stdout.splitlines() if line.startswith('ERROR')),
                f'exit status {done.returncode}')


def case(number, suite, test, *changes):
    headers = {}
    for name in HEADERS:
        with open(f'{ROOT}/{name}', encoding='utf-8') as file:
            headers[name] = file.read()
    mutant = dict(headers)
    for snippet, instead in zip(changes[::2], changes[1::2]):
        times = sum(text.count(snippet) for text in headers.values())
        if times != 1:
            raise Failed(f'occurs {times} times in the headers, not once:\n{snippet}')
        mutant = {name: text.replace(snippet, instead) for name, text in mutant.items()}
    with lock:                               # once per suite
        if suite not in plain:
            plain[suite] = build(suite, headers, suite)
    if (suite, test) not in passed:
        start = time.monotonic()
        reason = run(plain[suite], test, 60)
        if reason:
            raise Failed(f'{suite}: {test} fails without the mutation: {reason}')
        passed[suite, test] = time.monotonic() - start
    program = build(suite, mutant, f'{suite}-{number}')
    for _ in range(TRIES):                   # threads decide what some of them meet
        reason = run(program, test, 3 + 10 * passed[suite, test])
        if reason:
            break
    else:
        raise Failed(f'{suite}: {test} passes {TRIES} times all the same')
    return f'{test}: {reason}'


if __name__ == '__main__':
    tap.run([(f'without {name}', lambda i=i, m=rest: case(i, *m)) for i, (name, *rest) in enumerate(MUTANTS)])
