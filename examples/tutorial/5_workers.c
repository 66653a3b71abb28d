/* 5_workers.c: one source, four operators that work side by side on two threads, one that collects.

   cc -O2 -pthread 5_workers.c -o 5_workers && ./5_workers */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>
enum { LANES = 4, MESSAGES = 20 };

static sf_result deal(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }   /* to all */
static sf_result work(sf_context *ctx)                   /* never runs twice at once: `user` needs no lock */
{
    uint64_t *sum = (uint64_t *)ctx->user;
    *sum += sf_receive_value(ctx, 0).u64;
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = *sum });
}
static sf_result collect(sf_context *ctx)                /* one message of each lane */
{
    uint64_t total = 0;
    for (int i = 0; i < LANES; i++) { total += sf_receive_value(ctx, i).u64; }
    if (ctx->run == MESSAGES - 1) { printf("%d\n", (int)total); }
    return SF_OK;
}
int main(void)
{
    static uint64_t sums[LANES];
    static const char *const names[LANES] = { "lane 1", "lane 2", "lane 3", "lane 4" };
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){
        .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr, .workers = {{ .count = 2 }} });
    sf_op_desc end = { .name = "collect", .compute = collect };
    for (int i = 0; i < LANES; i++) { end.in[i].name = names[i]; }
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "deal", .compute = deal, .out = {{ .name = "n" }}, .count = MESSAGES });
    sf_op z = sf_flow_add(flow, &end);
    for (int i = 0; i < LANES; i++) {
        sf_op b = sf_flow_add(flow, &(sf_op_desc){
            .name = names[i], .compute = work, .user = &sums[i], .in = {{ .name = "n" }}, .out = {{ .name = "sum" }} });
        sf_flow_connect(flow, a, "n", b, "n", &(sf_edge_desc){ .capacity = 4 });
        sf_flow_connect(flow, b, "sum", z, names[i], &(sf_edge_desc){ .capacity = 4 });
    }
    sf_result r = sf_flow_run(flow);
    sf_flow_destroy(flow);
    return r < 0;
}
