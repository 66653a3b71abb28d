/* 8_trace.c: what ran when, for Perfetto (ui.perfetto.dev), and counts per operator.

   cc -O2 -pthread 8_trace.c -o 8_trace && ./8_trace           writes trace.json */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>

static sf_result count(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result pass(sf_context *ctx) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }
static sf_result drop(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }

int main(void)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){
        .name = "tutorial", .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr,
        .trace_events = 1000, .track = { .latency = true } });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "count", .compute = count, .out = {{ .name = "n" }}, .count = 10 });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "pass", .compute = pass, .in = {{ .name = "n" }}, .out = {{ .name = "n" }} });
    sf_op c = sf_flow_add(flow, &(sf_op_desc){ .name = "drop", .compute = drop, .in = {{ .name = "n" }} });
    sf_flow_connect(flow, a, "n", b, "n", NULL);
    sf_flow_connect(flow, b, "n", c, "n", NULL);
    sf_result r = sf_flow_run(flow);

    sf_op_info info;
    sf_latency latency;
    char path[100];
    sf_op_get_info(flow, b, &info);
    sf_flow_get_path(flow, 0, &latency, path, sizeof path);
    printf("pass ran %d times; %s: %d messages, median %.1f us\n", (int)info.runs, path, (int)latency.count,
           (double)latency.p50 / 1000);
    FILE *file = fopen("trace.json", "w");
    if (file) {
        r = r < 0 ? r : sf_flow_trace(flow, sf_text_file, file);
        fclose(file);
    }
    sf_flow_destroy(flow);
    return r < 0;
}
