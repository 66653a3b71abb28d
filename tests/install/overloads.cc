// Compiled only: every call with a desc, by reference, braced, and with each null pointer. Each call has one meaning.
#include <streamflow.h>
#include <streamflow_gpu_resident.h>

void by_reference(sf_device *device, sf_flow *flow, sf_op op, sf_context *ctx, sf_graph *graph, const sf_kernel &kernel);
void by_reference(sf_device *device, sf_flow *flow, sf_op op, sf_context *ctx, sf_graph *graph, const sf_kernel &kernel)
{
    sf_stream *stream = nullptr;
    sf_graph_node *node = nullptr;
    sf_stream_pool *streams = nullptr;
    sf_mem_pool *pool = nullptr;
    sf_policy *policy = nullptr;
    sf_device_desc device_desc = {};
    sf_stream_desc stream_desc = {};
    sf_stream_pool_desc streams_desc = {};
    sf_mem_pool_desc pool_desc = {};
    sf_node_desc node_desc = {};
    sf_lazy_desc lazy_desc = {};
    sf_policy_desc policy_desc = {};
    sf_tensor_desc tensor_desc = {};
    sf_flow_desc flow_desc = {};
    sf_op_desc op_desc = {};
    sf_edge_desc edge_desc = {};
    sf_resident_desc resident_desc = {};
    sf_resident_branch_desc branch_desc = {};
    sf_grid grid = {};
    sf_port port = {};

    sf_device_open(device_desc, &device);
    sf_stream_create(device, stream_desc, &stream);
    sf_stream_pool_create(device, streams_desc, &streams);
    sf_mem_pool_create(device, pool_desc, &pool);
    sf_launch(stream, kernel, op);
    sf_launch_kernel(stream, nullptr, grid, nullptr);
    sf_graph_add_node(graph, nullptr, 0, node_desc, &node);
    sf_graph_exec_set_node(nullptr, node, node_desc);
    sf_lazy_drop(sf_lazy_then(sf_lazy_do(device, lazy_desc), lazy_desc));
    sf_lazy_drop(sf_lazy_kernel(device, kernel, op));
    sf_policy_create(device, policy_desc, &policy);
    sf_tensor_create(ctx, 0, tensor_desc);
    sf_tensor_wrap(flow, tensor_desc);
    sf_flow_create(flow_desc);
    (void)sf_flow_memory(flow_desc);
    sf_flow_add(flow, op_desc);
    sf_op_add_input(flow, op, port);
    sf_op_add_output(flow, op, port);
    sf_flow_connect(flow, op, "a", op, "b", edge_desc);
    sf_resident *resident = sf_resident_create(resident_desc);
    sf_resident_add(resident, op_desc);
    sf_resident_add_input(resident, op, port);
    sf_resident_add_output(resident, op, port);
    sf_resident_connect(resident, op, "a", op, "b", edge_desc);
    sf_resident_add_branch(resident, branch_desc);

    sf_flow_connect(flow, op, "a", op, "b", { SF_OVERFLOW_LATEST, 3, 0, false, false, 0 });  // braced
    sf_stream_create(device, { SF_STREAM_NON_BLOCKING, -1, "urgent", nullptr }, &stream);
    sf_launch_kernel(stream, nullptr, { { 1, 1, 1 }, { 32, 1, 1 }, 0, false }, nullptr);

    sf_flow_connect(flow, op, "a", op, "b", nullptr);                                     // null pointers
    sf_flow_connect(flow, op, "a", op, "b", NULL);
    sf_flow_connect(flow, op, "a", op, "b", 0);
    sf_flow_connect(flow, op, "a", op, "b", {});
    sf_flow_connect(flow, op, "a", op, "b", &edge_desc);
    sf_flow_create(nullptr);
    sf_flow_create(NULL);
    sf_flow_create({});
    sf_tensor_create(ctx, 0, nullptr);
    sf_tensor_create(ctx, 0, NULL);
    sf_tensor_create(ctx, 0, {});
    sf_resident_create(nullptr);
    sf_resident_connect(resident, op, "a", op, "b", NULL);

#if __cplusplus > 201703L                                                            // designated
    sf_flow_add(flow, { .name = "sum", .in = { { .name = "x" } }, .out = { { .name = "z", .bytes = 4 } },
                        .count = 10 });
    sf_op_add_input(flow, op, { .name = "y", .optional = true });
    sf_flow_connect(flow, op, "z", op, "x", { .overflow = SF_OVERFLOW_LATEST, .capacity = 3 });
    sf_mem_pool_create(device, { .memory = SF_MEMORY_PINNED, .block_bytes = 64, .blocks = 4 }, &pool);
    sf_tensor_create(ctx, 0, { .dtype = SF_F32, .shape = { 8 } });
    sf_resident_connect(resident, op, "z", op, "x", { .delay = 1 });
    sf_resident_add_branch(resident, { .kind = SF_RESIDENT_EVERY, .every = 3 });
#endif
}
