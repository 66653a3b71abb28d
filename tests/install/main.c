/* A user's program; the implementation is in a file of its own. */
#include "streamflow.h"

static sf_result hello(sf_context *ctx)
{
    *(int *)ctx->user += 1;
    return SF_OK;
}

int main(void)
{
    int greetings = 0;
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST });
    sf_flow_add(flow, &(sf_op_desc){ .name = "hello", .compute = hello, .user = &greetings, .count = 3 });
    sf_flow_run(flow);
    return sf_flow_destroy(flow) < 0 || greetings != 3;
}
