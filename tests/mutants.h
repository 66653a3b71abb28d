/*  mutants.h - the mutants: each leaves out one thing that guards a promise to users, and its test must fail then.

    library.c and library_resident.c include this file with -DTEST_MUTANTS. SFI_MUTANT(name) in the headers is true if
    the environment variable TEST_MUTANT is that name. mutants.py reads the lines X(name, suite, test) and runs them.
    At most 60: replace one rather than add to them. */
#ifndef MUTANTS_H
#define MUTANTS_H

#define TEST_MUTANTS_TABLE(X) \
    /* Flows: a consumer's GPU work waits for its producer's, and for nothing enqueued later. */ \
    X(consumer_wait, test_flow_streams, "any_graph_in_any_order") \
    X(producer_record, test_flow_streams, "no_wait_for_the_producer_s_later_work") \
    X(push_order, test_flow_streams, "pushed_behind_the_work_of_its_compute") \
    X(stream_condition, test_flow_streams, "a_compute_gets_the_finished_ones") \
    /* Memory is reused after its last use; an operator runs if there is memory for its outputs. */ \
    X(last_use, test_flow_memory, "reuse_waits_for_every_reader") \
    X(later_use, test_flow_memory, "what_is_retained_is_used_until_it_is_released") \
    X(slot_reservation, test_flow_memory, "reuse_waits_for_every_reader") \
    X(capture_wait, test_flow_captures, "memory_waits_for_a_capture") \
    X(export_use, test_dlpack, "reuse_waits_for_the_consumer") \
    /* Flows end by their readers and by what is lacking; an operator that changes nothing waits for news. */ \
    X(last_reader, test_ending, "a_sink_ends_its_line") \
    X(news, test_ending, "who_leaves_messages_waits_for_a_change") \
    /* Queues have room; conditions hold; retries see the same messages; errors, stops and ends are final. */ \
    X(queue_room, test_flow, "capacity_and_batch") \
    X(message_guard, test_flow, "batches") \
    X(look_bit, test_flow, "values_travel") \
    X(same_messages, test_workers, "tried_again_as_more_comes") \
    X(period_begin, test_flow_conditions, "periods_of_slow_computes") \
    X(end_of_flow, test_flow_errors, "nobody_computes_behind_an_error") \
    X(end_of_route, test_upstream, "a_route_ends_with_its_compute") \
    /* Threads: a push wakes its operator; a worker's queue has one owner; a region runs as a whole, in order. */ \
    X(push_wake, test_flow, "pushed_by_threads") \
    X(push_end, test_workers, "pushed_while_runs_end") \
    X(worker_lock, test_workers, "any_graph_of_values") \
    X(wake_worker, test_workers, "one_message_goes_round") \
    X(region_ready, test_region, "a_turn_begins_when_all_can_run") \
    X(region_order, test_region, "members_side_by_side") \
    /* Streams: the default stream's order, deadlines, faults, reuse in stream order, refused frees. */ \
    X(default_stream, test_stream, "legacy_waits_for_blocking_streams") \
    X(own_command, test_order, "waits_within_a_kernel") \
    X(kernel_fault, test_kernel, "a_fault_poisons_the_device") \
    X(fault_told, test_driver_page, "fault: callbacks are told, host functions skipped") \
    X(reuse_wait, test_driver_page, "reuse: with a wait inside") \
    X(wrong_free, test_memory, "wrong_frees") \
    /* Captures: the order on the streams becomes the graph's; work outside of the capture is refused. */ \
    X(capture_order, test_capture, "any_shape_in_any_order") \
    X(captured_wait, test_capture, "any_shape_in_any_order") \
    X(capture_isolation, test_capture, "wait: recorded before, pending") \
    X(unjoined_work, test_capture, "end_with_work_not_joined") \
    /* Graphs: a node waits for all before it; conditionals decide; launches of one graph do not overlap. */ \
    X(graph_dependency, test_graph, "any_graph_in_any_order") \
    X(graph_cycle, test_graph, "no_cycles") \
    X(wait_node, test_graph, "events_of_wait_nodes") \
    X(decision, test_graph, "if_and_else") \
    X(one_launch, test_graph, "one_launch_at_a_time") \
    X(graph_free, test_graph, "freed_behind_its_use") \
    X(conditional_order, test_driver, "conditionals_in_order") \
    /* Lazy operations: forks and joins order streams; a future is ready when its work is; calls have deadlines. */ \
    X(fork_wait, test_lazy, "fork_and_join_by_hand") \
    X(join_record, test_lazy, "fork_and_join_by_hand") \
    X(future_done, test_lazy, "par_is_joined") \
    X(take_once, test_lazy, "take_is_once") \
    X(room_deadline, test_lazy, "a_full_stream_and_a_deadline") \
    /* The resident loop's words: payload, then count, or in words that each have the number; stop beside the count;
       payload and record, then completed. */ \
    X(half_a_line, test_resident, "interleavings") \
    X(submit_order, test_resident, "interleavings") \
    X(stop_word, test_resident, "interleavings") \
    X(submit_after_stop, test_resident, "interleavings") \
    X(done_order, test_resident, "with_naps_in_between") \
    X(consumed, test_resident, "a_slow_reader_holds_up_the_loop") \
    X(input_room, test_resident, "full_rings") \
    X(abort_drops, test_resident, "stopped_with_work_queued") \
    X(raised_stop, test_resident, "raised_by_a_kernel") \
    X(stall_timeout, test_resident, "stalled") \
    X(launch_lock, test_resident, "released_during_a_launch") \
    X(clock_end, test_resident_driver, "a_clock_that_comes_late") \
    /* The resident loop's graph: edges and predicates order its operators. */ \
    X(edge_order, test_resident_build, "any_graph_in_any_order") \
    X(predicate_order, test_resident_build, "any_graph_with_branches")

#define TEST_MUTANT_VALUE(name, suite, test) TEST_MUTANT_##name,
enum { TEST_MUTANT_none, TEST_MUTANTS_TABLE(TEST_MUTANT_VALUE) TEST_MUTANT_count };
#undef TEST_MUTANT_VALUE

extern int test_mutant;                      /* set before main() */
#define SFI_MUTANT(name) (test_mutant == TEST_MUTANT_##name)

#endif /* MUTANTS_H */
