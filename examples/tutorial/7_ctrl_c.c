/* 7_ctrl_c.c: a source that runs for ever, ended by Ctrl-C; nothing that was sent is lost.

   cc -O2 -pthread 7_ctrl_c.c -o 7_ctrl_c && ./7_ctrl_c        here the program presses Ctrl-C itself */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sf_flow *flow;
static uint64_t sent, received;

static void on_ctrl_c(int number)
{
    (void)number;
    sf_flow_finish(flow);                                /* sources end; what is under way is worked off */
}
static sf_result sensor(sf_context *ctx) { return sent++, sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result store(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    if (++received == 1000) { kill(getpid(), SIGINT); }
    return SF_OK;
}
int main(void)
{
    flow = sf_flow_create(&(sf_flow_desc){
        .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr, .workers = {{ .count = 2 }} });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "sensor", .compute = sensor, .out = {{ .name = "n" }} });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "store", .compute = store, .in = {{ .name = "n" }} });
    sf_flow_connect(flow, a, "n", b, "n", &(sf_edge_desc){ .capacity = 100 });
    signal(SIGINT, on_ctrl_c);
    sf_result r = sf_flow_run(flow);
    signal(SIGINT, SIG_DFL);
    printf("lost %d\n", (int)(sent - received));
    sf_flow_destroy(flow);
    return r < 0;
}
