/*  insn.c - chains of eight operators on one thread, for instruction counts: insn KIND MESSAGES. tests/insn.py runs it
    under callgrind with two numbers of messages; the difference is what one message takes.

        value     a value through all of them
        stamp     the source sets a timestamp, which goes on
        count     the same, with a COUNT condition on each
        latest    edges that keep the newest value
        forward   a tensor of the source's pool, passed on
        pool      each makes a tensor of its own
        stream    the same, on a stream of the operator's
        region    a value, and an empty kernel of each, in one region

    It exits with 1 if messages are missing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"

enum { OPERATORS = 8 };
typedef enum kind { VALUE, STAMP, COUNTED, LATEST, REGION, FORWARD, POOL, STREAM, KINDS } kind;
static const char *const kinds[] = { "value", "stamp", "count", "latest", "region", "forward", "pool", "stream" };
typedef struct chain { kind kind; uint64_t messages, arrived, last; } chain;

static sf_result begin(sf_context *ctx)
{
    const chain *c = (const chain *)ctx->user;
    if (c->kind == STREAM) { (void)sf_compute_stream(ctx); }
    if (c->kind >= FORWARD) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
    if (c->kind == STAMP) { sf_set_timestamp(ctx, (int64_t)ctx->run); }
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run + 1 });
}
static sf_result pass_on(sf_context *ctx)
{
    const chain *c = (const chain *)ctx->user;
    sf_tensor *in;
    if (c->kind < FORWARD) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }
    in = sf_receive(ctx, 0);
    if (c->kind == FORWARD) { return sf_emit(ctx, 0, in); }
    if (c->kind == STREAM) { (void)sf_compute_stream(ctx); }
    return sf_emit(ctx, 0, sf_tensor_like(ctx, 0, in));
}
static sf_result end(sf_context *ctx)
{
    chain *c = (chain *)ctx->user;
    c->arrived++;
    if (c->kind < FORWARD) {
        c->last = sf_receive_value(ctx, 0).u64;
    } else if (sf_receive(ctx, 0) && c->kind == STREAM) {
        (void)sf_compute_stream(ctx);
    }
    return SF_OK;
}

static int work(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 0; }
static const sf_kernel kernel = { .name = "work", .host = work };
static void launch(sf_context *ctx) { (void)sf_launch(sf_compute_stream(ctx), &kernel, NULL, 0); }
static sf_result region_begin(sf_context *ctx) { return launch(ctx), begin(ctx); }
static sf_result region_pass_on(sf_context *ctx) { return launch(ctx), pass_on(ctx); }
static sf_result region_end(sf_context *ctx) { return launch(ctx), end(ctx); }

int main(int argc, char **argv)
{
    chain c = { VALUE, argc > 2 ? strtoull(argv[2], NULL, 10) : 0, 0, 0 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST });
    sf_op before = { 0 };
    sf_result r;
    while (argc > 1 && c.kind < KINDS && strcmp(kinds[c.kind], argv[1]) != 0) { c.kind++; }
    if (argc < 3 || c.kind == KINDS || !c.messages) { return fprintf(stderr, "usage: insn KIND MESSAGES\n"), 2; }
    for (int i = 0; i < OPERATORS; i++) {
        sf_op_desc d = { .compute = !i ? begin : i < OPERATORS - 1 ? pass_on : end, .user = &c };
        if (c.kind == REGION) {
            d.region = 1;
            d.compute = !i ? region_begin : i < OPERATORS - 1 ? region_pass_on : region_end;
        }
        if (i) { d.in[0].name = "in"; }
        if (i < OPERATORS - 1) { d.out[0] = (sf_port){ .name = "out", .memory = SF_MEMORY_PINNED }; }
        if (c.kind > FORWARD || (c.kind == FORWARD && !i)) { d.out[0].bytes = i < OPERATORS - 1 ? 64 : 0; }
        if (!i) { d.count = c.messages; }
        if (i && c.kind == COUNTED) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_COUNT, .count = (uint32_t)c.messages }; }
        sf_op op = sf_flow_add(f, &d);
        sf_edge_desc e = { .overflow = c.kind == LATEST ? SF_OVERFLOW_LATEST : SF_OVERFLOW_BLOCK };
        if (i) { (void)sf_flow_connect(f, before, "out", op, "in", &e); }
        before = op;
    }
    r = sf_flow_run(f);
    if (r < 0) { fprintf(stderr, "%s\n", sf_flow_failure(f)->text); }
    r = r < 0 ? r : sf_flow_destroy(f);
    return r < 0 || (c.kind == LATEST ? c.last : c.arrived) != c.messages;
}
