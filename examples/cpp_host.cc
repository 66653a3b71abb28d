/* cpp_host.cc: the same API from C++11: descriptors are plain structs, hooks captureless lambdas, ownership unique_ptr.

   c++ -std=c++11 -O2 -pthread cpp_host.cc */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <cstdio>
#include <memory>

struct flow_deleter { void operator()(sf_flow *flow) const { sf_flow_destroy(flow); } };

struct average {                                                 // an operator with state
    double sum = 0;
    sf_result compute(sf_context *ctx)
    {
        sum += sf_receive_value(ctx, 0).f64;
        return std::printf("%g\n", sum / double(ctx->run + 1)) > 0 ? SF_OK : SF_ERROR_USER;
    }
};

int main()
{
    sf_flow_desc flow_desc = {};
    flow_desc.backend = SF_BACKEND_HOST;
    flow_desc.logger.func = sf_log_stderr;
    std::unique_ptr<sf_flow, flow_deleter> flow(sf_flow_create(flow_desc));

    sf_op_desc source = {};
    source.name = "source";
    source.count = 10;
    source.out[0].name = "x";
    source.compute = [](sf_context *ctx) {
        sf_value v = {};
        v.f64 = double(ctx->run);
        return sf_emit_value(ctx, 0, v);
    };
    average state;
    sf_op_desc sink = {};
    sink.name = "average";
    sink.user = &state;
    sink.in[0].name = "x";
    sink.compute = [](sf_context *ctx) { return static_cast<average *>(ctx->user)->compute(ctx); };

    sf_op a = sf_flow_add(flow.get(), source), b = sf_flow_add(flow.get(), sink);
    sf_flow_connect(flow.get(), a, "x", b, "x", nullptr);
    if (sf_flow_run(flow.get()) < 0) { return std::fprintf(stderr, "%s\n", sf_flow_failure(flow.get())->text), 1; }
    return 0;
}
