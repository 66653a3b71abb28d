/*  mutants.h - what the library can leave out, and the test that has to fail then: X(name, suite, test). A site in a
    header is SFI_MUTANT(name): 0 in a normal build. Included before the implementation with -DTEST_MUTANTS; the name
    is chosen by TEST_MUTANT in the environment. See mutants.py. At most 60; each guards a promise to users. */
#ifndef MUTANTS_H
#define MUTANTS_H

#define TEST_MUTANTS_TABLE(X) \
    /* order of GPU work across operators */ \
    X(consumer_wait, test_flow_streams, "any_graph_in_any_order") \
    X(producer_record, test_flow_streams, "no_wait_for_the_producer_s_later_work") \
    X(forwarded_order, test_flow_streams, "forwarded_on_another_stream") \
    X(value_order, test_flow_streams, "values_carry_the_stream_of_the_work_before_them") \
    X(fast_path_wait, test_flow_streams, "values_carry_the_stream_of_the_work_before_them") \
    X(event_snapshot, test_flow_streams, "any_graph_in_any_order") \
    X(stream_condition, test_flow_streams, "stream_condition") \
    X(final_drain, test_flow_streams, "any_graph_in_any_order") \
    /* buffers are reused behind every use */ \
    X(last_use, test_flow_memory, "reuse_waits_for_every_reader") \
    X(reuse_wait, test_flow_memory, "reuse_on_streams_that_come_later") \
    X(deallocation_stream, test_flow_memory, "reuse_waits_for_other_readers_too") \
    X(block_reservation, test_flow_memory, "reuse_waits_for_every_reader") \
    X(wrapped_release, test_flow_memory, "released_when_the_gpu_is_done") \
    X(pinned_return, test_flow_memory, "the_cpu_may_write_at_once") \
    X(dlpack_consumer, test_dlpack, "reuse_waits_for_the_consumer") \
    X(async_reuse, test_driver_page, "reuse: follows events, there is none") \
    X(async_reuse_wait, test_driver_page, "reuse: with a wait inside") \
    X(graph_memory_end, test_graph, "freed_behind_its_use") \
    /* queues, workers, pushes: nothing is lost or overtaken */ \
    X(edge_room, test_flow, "capacity_and_batch") \
    X(push_wake, test_flow, "pushed_by_threads") \
    X(worker_lock, test_workers, "any_graph_of_values") \
    X(worker_wake, test_workers, "one_message_goes_round") \
    X(all_blocks_or_none, test_workers, "two_outputs_of_one_pool") \
    X(push_end, test_workers, "pushed_while_runs_end") \
    X(retry_messages, test_workers, "tried_again_as_more_comes") \
    X(region_whole, test_region, "a_turn_begins_when_all_can_run") \
    X(region_order, test_region, "members_side_by_side") \
    /* captures and graphs: dependencies and decisions */ \
    X(capture_isolation, test_capture, "wait: recorded before, pending") \
    X(captured_order, test_capture, "any_shape_in_any_order") \
    X(captured_wait, test_capture, "any_shape_in_any_order") \
    X(capture_unjoined, test_capture, "end_with_work_not_joined") \
    X(graph_predecessors, test_graph, "any_graph_in_any_order") \
    X(conditional_default, test_graph, "initial_values") \
    X(launch_order, test_graph, "one_launch_at_a_time") \
    X(wait_node, test_graph, "events_of_wait_nodes") \
    X(graph_cycle, test_graph, "no_cycles") \
    X(body_join, test_driver, "a_body_s_broken_capture") \
    X(conditional_order, test_driver, "conditionals_in_order") \
    X(fault_skips_host_functions, test_driver_page, "fault: callbacks are told, host functions skipped") \
    /* lazy operations: order, once, ownership */ \
    X(submission_event, test_lazy, "par_is_joined") \
    X(fork_wait, test_lazy, "fork_and_join_by_hand") \
    X(join_record, test_lazy, "fork_and_join_by_hand") \
    X(share_wait, test_lazy, "share_across_streams") \
    X(take_once, test_lazy, "take_is_once") \
    X(dropped_future, test_lazy, "dropped_in_flight") \
    /* the resident loop: its words, its ring, its graph */ \
    X(submit_order, test_resident, "interleavings") \
    X(stop_word, test_resident, "interleavings") \
    X(refused_after_stop, test_resident, "interleavings") \
    X(consumed, test_resident, "a_slow_reader_holds_up_the_loop") \
    X(ring_room, test_resident, "full_rings") \
    X(abort_counts, test_resident, "stopped_with_work_queued") \
    X(drops_counted, test_resident, "the_oldest_are_dropped") \
    X(release_order, test_resident, "released_in_order") \
    X(all_sources, test_resident, "all_sources") \
    X(raise_stops, test_resident, "raised_by_a_kernel") \
    X(stall_watch, test_resident, "stalled") \
    X(loop_edge_order, test_resident_build, "any_graph_in_any_order") \
    X(delay_copy, test_resident_build, "delay_edges") \
    X(slot_memory, test_resident_build, "a_chain_of_100")

enum {
    TEST_MUTANT_NONE,
#define TEST_MUTANT_ENUM(name, suite, test) TEST_MUTANT_##name,
    TEST_MUTANTS_TABLE(TEST_MUTANT_ENUM)
#undef TEST_MUTANT_ENUM
    TEST_MUTANT_COUNT
};
extern int test_mutant;                      /* set before threads run */
#define SFI_MUTANT(name) (test_mutant == TEST_MUTANT_##name)

#endif /* MUTANTS_H */
