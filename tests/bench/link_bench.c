/*  link_bench.c - links between two processes: latency of 8 bytes one way, and throughput of tensors of 1 MiB, beside
    the same flow within one process. peers/links.sh runs it beside ucx_perftest. Needs UCX; else exit status 77.

    cc -O2 -pthread -DSF_WITH_UCX link_bench.c -ldl -o link_bench && ./link_bench [latency | stream] [--quick] */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#ifndef STREAMFLOW_IMPLEMENTED
    #define STREAMFLOW_IMPLEMENTATION
#endif
#include "../../streamflow.h"
#include "bench.h"

extern char **environ;
enum { MIB = 1 << 20 };
static const char token[] = "token of the bench";
static char address[32];

typedef struct run { uint64_t count; int64_t begin, end; uint64_t bytes; } run;

/* -- latency: a value goes there and back, again and again -- */

static sf_result echo(sf_context *ctx) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }

static sf_result once(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = 0 }); }
static sf_result ping(sf_context *ctx)
{
    run *r = (run *)ctx->user;
    sf_value v = sf_receive_value(ctx, 0);
    if (ctx->run == r->count / 10) { r->begin = bench_now(); }
    if (ctx->run == r->count) {
        r->end = bench_now();
        return SF_DONE;
    }
    v.u64++;
    return sf_emit_value(ctx, 0, v);
}
/* -- stream: tensors of two buffers -- */

static sf_result emit_mib(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    return sf_emit(ctx, 0, t);
}
static sf_result take_mib(sf_context *ctx)
{
    run *r = (run *)ctx->user;
    (void)sf_receive(ctx, 0);
    if (ctx->run == r->count / 10) { r->begin = bench_now(); }
    r->end = bench_now();
    r->bytes++;
    return SF_OK;
}

static sf_flow *new_flow(const char *name)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .name = name, .backend = SF_BACKEND_HOST,
        .logger.func = getenv("BENCH_LOUD") ? sf_log_stderr : NULL, .workers = { { .spin = SF_MS(100) } } });
    if (!f) { bench_die("sf_flow_create", 0); }
    return f;
}
static sf_peer new_peer(sf_flow *f, bool listen)
{
    return sf_flow_add_peer(f, &(sf_peer_desc){ .name = "bench", .address = address, .token = token, .listen = listen });
}
static const sf_link_desc of_mib = { .bytes = MIB, .capacity = 2, .memory = SF_MEMORY_PINNED };
static void finish(sf_flow *f)
{
    sf_result r = sf_flow_run(f);
    if (r < 0) {
        fprintf(stderr, "%s\n", sf_flow_failure(f)->text);
        exit(r == SF_ERROR_NOT_SUPPORTED ? 77 : 1);
    }
    BENCH_OK(sf_flow_destroy(f));
}
static int child(bool latency)
{
    sf_flow *f = new_flow("child");
    sf_peer p = new_peer(f, false);
    if (latency) {
        sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "echo", .compute = echo, .in = { { .name = "in" } },
                                                 .out = { { .name = "out" } } });
        sf_flow_link_from(f, p, op, "in", &(sf_link_desc){ .name = "there" });
        sf_flow_link(f, op, "out", p, &(sf_link_desc){ .name = "back" });
    } else {
        uint64_t count = strtoull(getenv("BENCH_COUNT"), NULL, 10);
        sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = emit_mib, .count = count,
            .out = { { .name = "data", .bytes = MIB, .memory = SF_MEMORY_PINNED } } });
        sf_flow_link(f, op, "data", p, &of_mib);
    }
    finish(f);
    return 0;
}
static pid_t start_child(const char *role, uint64_t count)
{
    char text[32];
    char *args[] = { (char *)"link_bench", (char *)"--child", (char *)(uintptr_t)role, address, NULL };
    pid_t pid = -1;
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    setenv("BENCH_COUNT", text, 1);
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ)) { bench_die("posix_spawn", 0); }
    return pid;
}
static void end_child(pid_t pid)
{
    int status = 0;
    (void)waitpid(pid, &status, 0);
    if (status) { bench_die("the other process", WIFEXITED(status) ? WEXITSTATUS(status) : -1); }
}
/* linked false: both operators in this process. Returns ns one way. */
static double latency(bool linked, uint64_t count)
{
    run r = { .count = count };
    sf_flow *f = new_flow("parent");

    sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "ping", .compute = ping, .user = &r,
        .in = { { .name = "in", .many = true } }, .out = { { .name = "out" } },
        .when = { { .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 1 } } });
    pid_t pid = -1;

    if (linked) {
        sf_peer p = new_peer(f, true);
        sf_op start = sf_flow_add(f, &(sf_op_desc){ .name = "start", .compute = once, .count = 1,
                                                    .out = { { .name = "out" } } });
        sf_flow_connect(f, start, "out", op, "in", NULL);
        sf_flow_link(f, op, "out", p, &(sf_link_desc){ .name = "there" });
        sf_flow_link_from(f, p, op, "in", &(sf_link_desc){ .name = "back" });
        pid = start_child("latency", count);
    } else {
        sf_op other = sf_flow_add(f, &(sf_op_desc){ .name = "echo", .compute = echo, .in = { { .name = "in" } },
                                                    .out = { { .name = "out" } } });
        sf_flow_connect(f, op, "out", other, "in", NULL);
        sf_flow_connect(f, other, "out", op, "in", &(sf_edge_desc){ .delay = 1 });
    }
    finish(f);
    if (pid >= 0) { end_child(pid); }
    return (double)(r.end - r.begin) / (double)(count - count / 10) / 2;
}
static double stream(uint64_t count)                         /* MB/s */
{
    run r = { .count = count };
    sf_flow *f = new_flow("parent");
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_mib, .user = &r, .in = { { .name = "data" } } });
    pid_t pid;
    sf_flow_link_from(f, new_peer(f, true), op, "data", &of_mib);
    pid = start_child("stream", count);
    finish(f);
    end_child(pid);
    if (r.bytes != count) { bench_die("messages are missing", (int)r.bytes); }
    return (double)(count - count / 10) * MIB / ((double)(r.end - r.begin) / 1e9) / 1e6;
}
int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--child")) {
        snprintf(address, sizeof address, "%s", argv[3]);
        return child(!strcmp(argv[2], "latency"));
    }
    bench_arguments(argc, argv);
    if (bench.cuda) { return 77; }
    snprintf(address, sizeof address, "127.0.0.1:%d", 20000 + (int)(getpid() % 12000));
    if (bench_wanted("latency")) {
        bench_emit("streamflow", "link", "8B", "one_way_ns", latency(true, bench.quick ? 2000 : 500000));
        bench_emit("streamflow", "edge", "8B", "one_way_ns", latency(false, bench.quick ? 2000 : 2000000));
    }
    if (bench_wanted("stream")) { bench_emit("streamflow", "link", "1MiB", "mb_per_s", stream(bench.quick ? 50 : 10000)); }
    return 0;
}
