// A user's program in C++11 and later: descs by reference; the implementation is in a file of its own.
#include "streamflow.h"

int main()
{
    int greetings = 0;
    sf_flow_desc flow_desc = {};
    flow_desc.backend = SF_BACKEND_HOST;
    sf_flow *flow = sf_flow_create(flow_desc);
    sf_op_desc hello = {};
    hello.name = "hello";
    hello.user = &greetings;
    hello.count = 3;
    hello.out[0].name = "n";
    hello.compute = [](sf_context *ctx) {
        sf_value value = {};
        value.i64 = *static_cast<int *>(ctx->user) += 1;
        return sf_emit_value(ctx, 0, value);
    };
    sf_op_desc count = {};
    int64_t sum = 0;
    count.user = &sum;
    count.in[0].name = "n";
    count.compute = [](sf_context *ctx) {
        *static_cast<int64_t *>(ctx->user) += sf_receive_value(ctx, 0).i64;
        return SF_OK;
    };
    sf_edge_desc edge = {};
    edge.capacity = 2;
    sf_flow_connect(flow, sf_flow_add(flow, hello), "n", sf_flow_add(flow, count), "n", edge);
    sf_flow_run(flow);
    return sf_flow_destroy(flow) < 0 || greetings != 3 || sum != 6;
}
