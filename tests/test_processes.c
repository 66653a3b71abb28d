/*  test_processes.c - links between processes over UCX. The program starts itself as the other processes, and kills,
    stops and restarts them. What comes is checked by content: each message says its number and the process that sent
    it.

    SF_UCX_LIBRARY names the UCX of this process, SF_TEST_OTHER_UCX another version, for the test that two of them refuse
    each other. SF_TEST_ROUNDS=500: more kills. */
#if defined(__has_include) && !__has_include(<ucp/api/ucp.h>)
    #include <stdio.h>
int main(void) { return puts("1..0 # SKIP UCX's headers are not installed"), 0; }
#else
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <signal.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"
#include "ports.h"

extern char **environ;
enum { MIB = 1 << 20, ROLE = 1, NAME_BYTES = 32 };
static const char token[] = "a token of the tests";
static char address[64];                                     /* of the case under way */

static void next_address(void)               /* the case of three processes takes the port 100 above, too */
{
    snprintf(address, sizeof address, "127.0.0.1:%d", port_choose(100));
}
static void pause_ms(long ms) { nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL); }
static int64_t now_ms(void) { return sf_flow_now(NULL) / 1000000; }

/* -- the messages: words that follow from sender and number -- */

static uint32_t word_of(uint32_t sender, uint64_t number, uint32_t i)
{
    return (uint32_t)(number * 2654435761u) + sender * 40503u + i * 2246822519u;
}
static void fill(uint32_t *words, uint32_t sender, uint64_t number)
{
    words[0] = sender;
    words[1] = (uint32_t)number;
    for (uint32_t i = 2; i < MIB / 4; i++) { words[i] = word_of(sender, number, i); }
}
static bool is_whole(const uint32_t *words)
{
    for (uint32_t i = 2; i < MIB / 4; i++) {
        if (words[i] != word_of(words[0], words[1], i)) { return false; }
    }
    return true;
}

/* -- flows: the same in the test and in its children -- */

typedef struct side {
    sf_flow *flow;
    sf_peer peer;
    uint32_t sender;                                         /* who sends: the process */
    uint64_t limit;                                          /* messages to send; 0: no end */
    uint32_t got, wrong, gaps, senders, last_sender, last_number, slow_ms;
    test_log log;
} side;
static sf_result send_tensor(sf_context *ctx)
{
    side *s = (side *)ctx->user;
    sf_tensor *t = sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { MIB / 4 } });
    if (t->bytes < MIB) { return SF_OK; }
    fill((uint32_t *)t->data, s->sender, ctx->run);
    sf_set_timestamp(ctx, (int64_t)ctx->run);
    return sf_emit(ctx, 0, t);
}
static sf_result take_tensor(sf_context *ctx)
{
    side *s = (side *)ctx->user;
    const sf_tensor *t = sf_receive(ctx, 0);
    const uint32_t *words = (const uint32_t *)t->data;
    const bool same = s->senders && words[0] == s->last_sender;
    if (t->bytes != MIB || !is_whole(words) || sf_get_timestamp(ctx, 0) != (int64_t)words[1]) { s->wrong++; }
    if (same && words[1] <= s->last_number) { s->wrong++; }      /* twice, or out of order */
    if (same && words[1] != s->last_number + 1) { s->gaps++; }
    s->last_sender = words[0];
    s->last_number = words[1];
    if (!same) { test_add(&s->senders, 1); }
    test_add(&s->got, 1);
    return SF_OK;
}
static sf_result send_value(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, (sf_value){ .u32 = { ((side *)ctx->user)->sender, (uint32_t)ctx->run } });
}
static sf_result take_value(sf_context *ctx)
{
    side *s = (side *)ctx->user;
    const sf_value v = sf_receive_value(ctx, 0);
    if (v.u32[1] != s->got) { s->wrong++; }
    s->last_sender = v.u32[0];
    if (s->slow_ms) { pause_ms(s->slow_ms); }
    test_add(&s->got, 1);
    return SF_OK;
}
static sf_result pass_value(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    v.u32[2] += 1;
    return sf_emit_value(ctx, 0, v);
}
/* Tensors in the GPU's memory: made by a kernel there, copied to the CPU here. */
enum { DEVICE_WORDS = 4096 };
static sf_result make_on_device(sf_context *ctx)
{
    side *s = (side *)ctx->user;
    sf_tensor *t = sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { 16, DEVICE_WORDS / 16 } });
    if (t->bytes < 4 * DEVICE_WORDS) { return SF_OK; }
    test_mix(sf_compute_stream(ctx), (uint32_t *)t->data, NULL, DEVICE_WORDS, 0, s->sender + (uint32_t)ctx->run, 0);
    return sf_emit(ctx, 0, t);
}
static sf_result copy_from_device(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    if (in->ndim != 2 || in->shape[0] != 16) { return sf_fail(ctx, SF_ERROR_USER, "another shape"); }
    sf_memcpy_async(sf_compute_stream(ctx), out->data, in->data, in->bytes);
    return sf_emit(ctx, 0, out);
}
static sf_result look_at_copy(sf_context *ctx)
{
    side *s = (side *)ctx->user;
    const uint32_t *words = (const uint32_t *)sf_receive(ctx, 0)->data;
    for (uint32_t i = 0; i < DEVICE_WORDS; i++) { s->wrong += words[i] != 100 + s->got; }
    test_add(&s->got, 1);
    return SF_OK;
}
static int deadline_ms = 20000;              /* a loaded machine may stop a process for seconds */
static void open_side(side *s, const char *name, bool listen, sf_on_lost on_lost)
{
    const char *token_here = getenv("TEST_TOKEN");
    memset(s, 0, sizeof *s);
    s->flow = sf_flow_create(&(sf_flow_desc){ .name = name, .backend = test_backend,
                                              .logger = { test_log_func, &s->log } });
    s->peer = sf_flow_add_peer(s->flow, &(sf_peer_desc){ .name = "peer", .address = address, .listen = listen,
        .token = token_here ? token_here : token, .on_lost = on_lost, .wait = getenv("TEST_WAIT_MS")
            ? SF_MS(atoi(getenv("TEST_WAIT_MS"))) : SF_MS(20000), .deadline = SF_MS(deadline_ms) });
}
static void add_sender(side *s, bool tensors, uint32_t sender, uint64_t limit)
{
    sf_op op = sf_flow_add(s->flow, &(sf_op_desc){ .name = "source", .compute = tensors ? send_tensor : send_value,
        .user = s, .count = limit,
        .out = { { .name = "data", .bytes = tensors ? MIB : 0, .memory = SF_MEMORY_PINNED } } });
    s->sender = sender;
    sf_flow_link(s->flow, op, "data", s->peer, &(sf_link_desc){ .bytes = tensors ? MIB : 0, .capacity = 4 });
}
static void add_receiver(side *s, bool tensors)
{
    sf_op op = sf_flow_add(s->flow, &(sf_op_desc){ .name = "sink", .compute = tensors ? take_tensor : take_value,
        .user = s, .in = { { .name = "data" } } });
    sf_flow_link_from(s->flow, s->peer, op, "data", &(sf_link_desc){ .bytes = tensors ? MIB : 0, .capacity = 4,
        .memory = SF_MEMORY_PINNED });
}
static void add_device_sender(side *s)
{
    sf_op op = sf_flow_add(s->flow, &(sf_op_desc){ .name = "maker", .compute = make_on_device, .user = s, .count = 200,
        .out = { { .name = "data", .bytes = 4 * DEVICE_WORDS } } });
    s->sender = 100;
    sf_flow_link(s->flow, op, "data", s->peer, &(sf_link_desc){ .bytes = 4 * DEVICE_WORDS, .capacity = 4 });
}
static void add_device_receiver(side *s)
{
    sf_op copy = sf_flow_add(s->flow, &(sf_op_desc){ .name = "copy", .compute = copy_from_device,
        .in = { { .name = "data" } }, .out = { { .name = "copy", .bytes = 4 * DEVICE_WORDS,
                                                 .memory = SF_MEMORY_PINNED } } });
    sf_op look = sf_flow_add(s->flow, &(sf_op_desc){ .name = "look", .compute = look_at_copy, .user = s,
        .in = { { .name = "copy" } }, .when = { { .kind = SF_CONDITION_STREAM } } });
    sf_flow_connect(s->flow, copy, "copy", look, "copy", NULL);
    sf_flow_link_from(s->flow, s->peer, copy, "data", &(sf_link_desc){ .bytes = 4 * DEVICE_WORDS, .capacity = 4 });
}
static sf_peer_info info_of(const side *s)
{
    sf_peer_info i;
    CHECK_OK(sf_flow_get_peer(s->flow, s->peer, &i));
    return i;
}
static void close_side(side *s, sf_result expected)
{
    sf_result r = sf_flow_wait(s->flow, GUARD);
    if (r != expected) { fail_msg("%d: %s", (int)r, sf_flow_failure(s->flow)->text); }
    sf_flow_destroy(s->flow);
}

/* -- children -- */

static pid_t spawn_with(const char *role, const char *extra, int out)        /* extra: "NAME=value" or NULL */
{
    char *args[] = { (char *)"test_processes", (char *)"--child", (char *)(uintptr_t)role, address, NULL };
    char *env[256];
    int n = 0;
    pid_t child = -1;
    posix_spawn_file_actions_t actions;
    for (char **e = environ; *e && n < 250; e++) {
        size_t length = extra ? (size_t)(strchr(extra, '=') - extra) + 1 : 0;
        if (!extra || strncmp(*e, extra, length) != 0) { env[n++] = *e; }
    }
    if (extra) { env[n++] = (char *)(uintptr_t)extra; }
    env[n] = NULL;
    posix_spawn_file_actions_init(&actions);
    if (out >= 0) { posix_spawn_file_actions_adddup2(&actions, out, 1); }
    CHECK_EQUAL(posix_spawn(&child, "/proc/self/exe", &actions, NULL, args, env), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}
static pid_t spawn_child(const char *role) { return spawn_with(role, NULL, -1); }
static int end_of(pid_t child)                               /* its exit status; -1: a signal */
{
    int status = 0;
    for (int64_t begin = now_ms(); waitpid(child, &status, WNOHANG) == 0; pause_ms(2)) {
        if (now_ms() - begin > 60000) {
            kill(child, SIGKILL);
            fail_msg("a child does not end");
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static void kill_child(pid_t child)
{
    CHECK_EQUAL(kill(child, SIGKILL), 0);
    CHECK_EQUAL(end_of(child), -1);
}
static int child_main(const char *role, const char *at)
{
    side s;
    sf_result r;
    const bool waits = strstr(role, "waits") != NULL;
    if (!strcmp(role, "loads")) {
        const char *library = getenv("SF_UCX_LIBRARY");
        return dlopen(library ? library : "libucp.so.0", RTLD_NOW) == NULL;
    }
    snprintf(address, sizeof address, "%s", at);
    open_side(&s, role, strstr(role, "listens") != NULL, waits ? SF_ON_LOST_WAIT : SF_ON_LOST_STOP_FLOW);
    if (strstr(role, "tensors out")) { add_sender(&s, true, (uint32_t)getpid(), 0); }
    if (strstr(role, "tensors in")) { add_receiver(&s, true); }
    if (strstr(role, "values out")) { add_sender(&s, false, (uint32_t)getpid(), 1000); }
    if (strstr(role, "values in")) { add_receiver(&s, false); }
    if (strstr(role, "device out")) { add_device_sender(&s); }
    if (strstr(role, "device in")) { add_device_receiver(&s); }
    if (strstr(role, "in the middle")) {                     /* from one process to the next */
        char on[64];
        snprintf(on, sizeof on, "%.10s%d", address, atoi(address + 10) + 100);
        sf_peer next = sf_flow_add_peer(s.flow, &(sf_peer_desc){ .name = "next", .address = on, .token = token,
            .deadline = SF_MS(deadline_ms) });
        sf_op op = sf_flow_add(s.flow, &(sf_op_desc){ .name = "middle", .compute = pass_value,
            .in = { { .name = "data" } }, .out = { { .name = "data" } } });
        sf_flow_link_from(s.flow, s.peer, op, "data", NULL);
        sf_flow_link(s.flow, op, "data", next, NULL);
    }
    if (strstr(role, "prints")) { puts("before"); }
    fflush(stdout);
    r = sf_flow_run(s.flow);
    if (strstr(role, "prints")) { puts("after"); }
    if (r < 0) { fprintf(stderr, "# %s: %s\n", role, sf_flow_failure(s.flow)->text); }
    if (strstr(role, "tells")) { puts(sf_flow_failure(s.flow)->text); }
    sf_flow_destroy(s.flow);
    return r < 0 || s.wrong;
}

/* -- what a process has -- */

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d)) { n++; }
    closedir(d);
    return n;
}
static long resident_kib(void)
{
    long kib = 0;
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "VmRSS:", 6)) { kib = atol(line + 6); }
    }
    fclose(f);
    return kib;
}
static void wait_for(const side *s, const uint32_t *count, uint32_t least)
{
    for (int64_t begin = now_ms(); test_load(count) < least; pause_ms(1)) {
        sf_flow_info i;
        CHECK_OK(sf_flow_get_info(s->flow, &i));
        if (!i.running) { fail_msg("the run has ended: %s", sf_flow_failure(s->flow)->text); }
        if (now_ms() - begin > 30000) { fail_msg("nothing comes: %s", info_of(s).why); }
    }
}
static uint32_t rounds(void)
{
    const char *s = getenv("SF_TEST_ROUNDS");
    return s ? (uint32_t)atoi(s) : test_seeds() < 1000 ? 12 : 50;        /* fewer under sanitizers */
}

/* -- cases -- */

static void values_and_an_end(void **state)
{
    side s;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_STOP_FLOW);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_child("values out");
    CHECK_EQUAL(end_of(child), 0);
    CHECK_OK(sf_flow_wait(s.flow, GUARD));
    CHECK_EQUAL(s.got, 1000);
    CHECK_EQUAL(s.wrong, 0);
    CHECK_EQUAL(s.last_sender, child);
    CHECK_EQUAL(info_of(&s).received, 1000);
    CHECK_EQUAL(info_of(&s).state, SF_PEER_ENDED);
    close_side(&s, SF_OK);
}
static void both_ways_between_three(void **state)
{
    side s;
    char on[64];
    (void)state;
    open_side(&s, "first", false, SF_ON_LOST_STOP_FLOW);     /* sends to "middle", which sends to "last" */
    add_sender(&s, false, 1, 1000);
    pid_t middle = spawn_child("in the middle listens");
    snprintf(on, sizeof on, "%.10s%d", address, atoi(address + 10) + 100);
    side last;
    char keep[64];
    memcpy(keep, address, sizeof keep);
    memcpy(address, on, sizeof on);
    memset(&last, 0, sizeof last);
    last.flow = sf_flow_create(&(sf_flow_desc){ .name = "last", .backend = test_backend });
    last.peer = sf_flow_add_peer(last.flow, &(sf_peer_desc){ .name = "next", .address = address, .token = token,
        .listen = true, .deadline = SF_MS(deadline_ms) });
    add_receiver(&last, false);
    memcpy(address, keep, sizeof keep);
    /* the link of the middle has the default capacity, that of `last` 4: the smaller one counts */
    CHECK_OK(sf_flow_start(last.flow));
    CHECK_OK(sf_flow_start(s.flow));
    CHECK_EQUAL(end_of(middle), 0);
    close_side(&s, SF_OK);
    CHECK_OK(sf_flow_wait(last.flow, GUARD));
    CHECK_EQUAL(last.got, 1000);
    CHECK_EQUAL(last.wrong, 0);
    close_side(&last, SF_OK);
}
static void killed_and_restarted(void **state)
{
    side s;
    rng r = rng_seed(4711);
    int fds = 0;
    long kib = 0;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_WAIT);
    add_receiver(&s, true);
    CHECK_OK(sf_flow_start(s.flow));
    for (uint32_t i = 0; i < rounds(); i++) {
        pid_t child = spawn_child("tensors out");
        wait_for(&s, &s.senders, i + 1);                     /* this child is heard */
        wait_for(&s, &s.got, test_load(&s.got) + rng_below(&r, 40));
        CHECK_EQUAL(s.senders, i + 1);
        kill_child(child);
        for (int64_t begin = now_ms(); info_of(&s).state == SF_PEER_UP; pause_ms(1)) {
            if (now_ms() - begin > 10000) { fail_msg("the death was not noticed"); }
        }
        if (i == 9) {
            fds = descriptors();
            kib = resident_kib();
        }
    }
    CHECK_EQUAL(s.wrong, 0);
    CHECK_EQUAL(s.gaps, 0);                                  /* what has come is all up to the last one */
    CHECK_EQUAL(info_of(&s).epoch, rounds());
    if (rounds() > 10) {
        CHECK_EQUAL(descriptors(), fds);
        if (resident_kib() > kib + 16384) { fail_msg("memory: %ld KiB, %ld before", resident_kib(), kib); }
    }
    CHECK_OK(sf_flow_stop(s.flow));
    close_side(&s, SF_OK);
}
static void the_receiver_is_killed(void **state)
{
    side s;
    int fds = 0;
    (void)state;
    open_side(&s, "here", false, SF_ON_LOST_WAIT);
    add_sender(&s, true, 7, 0);
    CHECK_OK(sf_flow_start(s.flow));
    for (uint32_t i = 0; i < rounds() / 2; i++) {
        pid_t child = spawn_child("tensors in listens");
        uint64_t sent = info_of(&s).sent;
        for (int64_t begin = now_ms(); info_of(&s).sent < sent + 8; pause_ms(1)) {
            if (now_ms() - begin > 30000) { fail_msg("nothing goes: %s", info_of(&s).why); }
        }
        kill_child(child);
        for (int64_t begin = now_ms(); info_of(&s).state == SF_PEER_UP; pause_ms(1)) {
            if (now_ms() - begin > 10000) { fail_msg("the death was not noticed"); }
        }
        if (i == 9) { fds = descriptors(); }
    }
    /* one for a connection that is being made; those of the attempts before are closed by and by */
    for (int64_t begin = now_ms(); rounds() >= 50 && descriptors() > fds + 1; pause_ms(1)) {
        if (now_ms() - begin > 10000) { fail_msg("%d descriptors, not %d", descriptors(), fds + 1); }
    }
    CHECK(info_of(&s).lost > 0);
    CHECK_OK(sf_flow_stop(s.flow));
    close_side(&s, SF_OK);
}
static void a_stopped_process_is_lost(void **state)
{
    (void)state;
    for (int policy = SF_ON_LOST_STOP_FLOW; policy <= SF_ON_LOST_WAIT; policy++) {
        side s;
        next_address();
        deadline_ms = 1000;
        open_side(&s, "here", true, (sf_on_lost)policy);
        deadline_ms = 20000;
        add_receiver(&s, true);
        CHECK_OK(sf_flow_start(s.flow));
        pid_t child = spawn_child("tensors out");
        wait_for(&s, &s.got, 3);
        CHECK_EQUAL(kill(child, SIGSTOP), 0);
        for (int64_t begin = now_ms(); info_of(&s).state == SF_PEER_UP; pause_ms(1)) {
            if (now_ms() - begin > 10000) { fail_msg("a process that hangs was not noticed"); }
        }
        if (!strstr(info_of(&s).why, "it hangs")) { fail_msg("why: %s", info_of(&s).why); }
        kill_child(child);
        if (policy == SF_ON_LOST_WAIT) {
            uint32_t before = test_load(&s.got);
            child = spawn_child("tensors out");
            wait_for(&s, &s.got, before + 3);
            kill_child(child);
            CHECK_OK(sf_flow_stop(s.flow));
        }
        CHECK_EQUAL(s.wrong, 0);
        if (policy == SF_ON_LOST_STOP_FLOW) {
            CHECK_IS(sf_flow_wait(s.flow, GUARD), SF_ERROR_PEER_LOST);
            CHECK(strstr(sf_flow_failure(s.flow)->text, "it hangs") && strstr(sf_flow_failure(s.flow)->text, "peer"));
        }
        close_side(&s, policy == SF_ON_LOST_STOP_FLOW ? SF_ERROR_PEER_LOST : SF_OK);
    }
}
/* Listening sockets of this process: their local addresses are those of loopback. */
static void listens_on_loopback_alone(void **state)
{
    side s;
    int listening = 0;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_WAIT);
    add_receiver(&s, true);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_child("tensors out");
    wait_for(&s, &s.got, 3);
    for (int six = 0; six < 2; six++) {
        char line[512];
        FILE *f = fopen(six ? "/proc/self/net/tcp6" : "/proc/self/net/tcp", "r");
        while (f && fgets(line, sizeof line, f)) {
            char local[64];
            unsigned st;
            unsigned long inode;
            if (sscanf(line, " %*d: %63s %*s %x %*s %*s %*s %*s %*s %lu", local, &st, &inode) != 3 || st != 10) { continue; }
            DIR *d = opendir("/proc/self/fd");
            for (struct dirent *e; (e = readdir(d)) != NULL;) {
                char path[300], target[64], mine[64];
                ssize_t n;
                snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
                n = readlink(path, target, sizeof target - 1);
                snprintf(mine, sizeof mine, "socket:[%lu]", inode);
                if (n < 0) { continue; }
                target[n] = 0;
                if (strcmp(target, mine) != 0) { continue; }
                listening++;
                if (strncmp(local, "0100007F:", 9) != 0) { fail_msg("listens at %s", local); }
            }
            closedir(d);
        }
        if (f) { fclose(f); }
    }
    CHECK(listening >= 1);
    kill_child(child);
    CHECK_OK(sf_flow_stop(s.flow));
    close_side(&s, SF_OK);
}
static void stdout_is_the_programs(void **state)
{
    side s;
    int pipes[2];
    char out[4096];
    ssize_t n, all = 0;
    (void)state;
    CHECK_EQUAL(pipe(pipes), 0);
    open_side(&s, "here", true, SF_ON_LOST_END);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_with("values out prints", NULL, pipes[1]);
    close(pipes[1]);
    CHECK_EQUAL(end_of(child), 0);
    while ((n = read(pipes[0], out + all, sizeof out - 1 - (size_t)all)) > 0) { all += n; }
    close(pipes[0]);
    out[all] = 0;
    if (strcmp(out, "before\nafter\n") != 0) { fail_msg("it printed: %s", out); }
    close_side(&s, SF_OK);
}
static void handler_of_the_program(int number) { (void)number; }
static void signals_stay_the_programs(void **state)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGTERM, SIGPIPE, SIGCHLD };
    struct sigaction before[COUNT(faults)], after;
    side s;
    (void)state;
    signal(SIGFPE, handler_of_the_program);
    for (size_t i = 0; i < COUNT(faults); i++) { sigaction(faults[i], NULL, &before[i]); }
    open_side(&s, "here", true, SF_ON_LOST_END);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    CHECK_EQUAL(end_of(spawn_child("values out")), 0);
    for (size_t i = 0; i < COUNT(faults); i++) {
        sigaction(faults[i], NULL, &after);
        if (after.sa_handler != before[i].sa_handler) { fail_msg("signal %d has another handler", faults[i]); }
    }
    signal(SIGFPE, SIG_DFL);
    close_side(&s, SF_OK);
}
static void a_wrong_token_is_refused(void **state)
{
    side s;
    int pipes[2];
    char out[1024] = "";
    (void)state;
    CHECK_EQUAL(pipe(pipes), 0);
    open_side(&s, "here", true, SF_ON_LOST_STOP_FLOW);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_with("values out tells", "TEST_TOKEN=another token", pipes[1]);
    close(pipes[1]);
    CHECK_EQUAL(end_of(child), 1);
    CHECK(read(pipes[0], out, sizeof out - 1) > 0);
    close(pipes[0]);
    if (!strstr(out, "name or token is wrong")) { fail_msg("it said: %s", out); }
    CHECK_EQUAL(info_of(&s).epoch, 0);                       /* and this side waits on */
    CHECK_EQUAL(end_of(spawn_child("values out")), 0);
    CHECK_OK(sf_flow_wait(s.flow, GUARD));
    CHECK_EQUAL(s.got, 1000);
    close_side(&s, SF_OK);
}
static void two_versions_say_so(void **state)
{
    const char *other = getenv("SF_TEST_OTHER_UCX");
    char set[1024], out[1024] = "";
    int pipes[2];
    side s;
    (void)state;
    if (!other || (strchr(other, '/') && access(other, R_OK) != 0)) { return; }      /* there is one release */
    CHECK_EQUAL(pipe(pipes), 0);
    open_side(&s, "here", true, SF_ON_LOST_STOP_FLOW);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    setenv("TEST_WAIT_MS", "1500", 1);
    snprintf(set, sizeof set, "SF_UCX_LIBRARY=%s", other);
    pid_t child = spawn_with("values out tells", set, pipes[1]);
    unsetenv("TEST_WAIT_MS");
    close(pipes[1]);
    CHECK_EQUAL(end_of(child), 1);
    CHECK(read(pipes[0], out, sizeof out - 1) > 0);
    close(pipes[0]);
    if (!strstr(out, "another version") && !strstr(out, "does not answer")) { fail_msg("it said: %s", out); }
    CHECK_EQUAL(info_of(&s).epoch, 0);
    CHECK_OK(sf_flow_stop(s.flow));
    close_side(&s, SF_OK);
}
static void nobody_listens(void **state)
{
    side s;
    (void)state;
    setenv("TEST_WAIT_MS", "300", 1);
    open_side(&s, "here", false, SF_ON_LOST_STOP_FLOW);
    unsetenv("TEST_WAIT_MS");
    add_sender(&s, false, 1, 10);
    CHECK_IS(sf_flow_run(s.flow), SF_ERROR_PEER_LOST);
    const char *text = sf_flow_failure(s.flow)->text;
    if (!strstr(text, "nobody listens") || !strstr(text, "within 300 ms")) { fail_msg("%s", text); }
    sf_flow_destroy(s.flow);
}
static void no_library(void **state)
{
    side s;
    const char *was = getenv("SF_UCX_LIBRARY");
    char keep[1024] = "";
    (void)state;
    if (was) { snprintf(keep, sizeof keep, "%s", was); }
    setenv("SF_UCX_LIBRARY", "/nowhere/libucp.so.0", 1);
    open_side(&s, "here", false, SF_ON_LOST_STOP_FLOW);
    add_sender(&s, false, 1, 10);
    CHECK_IS(sf_flow_run(s.flow), SF_ERROR_NOT_SUPPORTED);
    if (was) { setenv("SF_UCX_LIBRARY", keep, 1); } else { unsetenv("SF_UCX_LIBRARY"); }
    CHECK(strstr(sf_flow_failure(s.flow)->text, "SF_UCX_LIBRARY names no library"));
    CHECK_IS(sf_flow_destroy(s.flow), SF_ERROR_NOT_SUPPORTED);
}
static void a_fork_is_refused(void **state)
{
    side s;
    int status = 0;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_END);
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_child("values out");
    wait_for(&s, &s.got, 10);
    pid_t forked = fork();
    if (!forked) {
        bool refused = sf_flow_wait(s.flow, 0) == SF_ERROR_INVALID_HANDLE && sf_flow_run(s.flow) < 0 &&
                       sf_flow_destroy(s.flow) < 0;
        _exit(refused ? 0 : 1);
    }
    CHECK_EQUAL(waitpid(forked, &status, 0), forked);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(end_of(child), 0);
    CHECK_OK(sf_flow_wait(s.flow, GUARD));
    CHECK_EQUAL(s.got, 1000);
    close_side(&s, SF_OK);
}
/* BLOCK: what is on its way is bounded, whatever the reader does. */
static void a_slow_reader_holds_the_sender_up(void **state)
{
    side s;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_END);
    s.slow_ms = 20;
    add_receiver(&s, false);
    CHECK_OK(sf_flow_start(s.flow));
    pid_t child = spawn_child("values out");
    wait_for(&s, &s.got, 20);
    for (int i = 0; i < 20; i++) {
        uint64_t got = test_load(&s.got), received = info_of(&s).received;
        if (received > got + 8) { fail_msg("%d received, of which %d were taken", (int)received, (int)got); }
        pause_ms(5);
    }
    kill_child(child);
    CHECK_OK(sf_flow_wait(s.flow, GUARD));                   /* END: what has arrived is taken */
    CHECK_EQUAL(s.got, info_of(&s).received);
    CHECK_EQUAL(s.wrong, 0);
    close_side(&s, SF_OK);
}

static void memory_of_the_device(void **state)
{
    side s;
    (void)state;
    open_side(&s, "here", true, SF_ON_LOST_STOP_FLOW);
    add_device_receiver(&s);
    CHECK_OK(sf_flow_start(s.flow));
    CHECK_EQUAL(end_of(spawn_child("device out")), 0);
    CHECK_OK(sf_flow_wait(s.flow, GUARD));
    CHECK_EQUAL(s.got, 200);
    CHECK_EQUAL(s.wrong, 0);
    close_side(&s, SF_OK);
    next_address();
    open_side(&s, "here", false, SF_ON_LOST_STOP_FLOW);
    add_device_sender(&s);
    CHECK_OK(sf_flow_start(s.flow));
    CHECK_EQUAL(end_of(spawn_child("device in listens")), 0);
    close_side(&s, SF_OK);
}

static int setup(void **state) { return (void)state, next_address(), 0; }
int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(values_and_an_end), TEST(both_ways_between_three), TEST(killed_and_restarted),
        TEST(the_receiver_is_killed), TEST(a_stopped_process_is_lost), TEST(listens_on_loopback_alone),
        TEST(stdout_is_the_programs), TEST(signals_stay_the_programs), TEST(a_wrong_token_is_refused),
        TEST(two_versions_say_so), TEST(nobody_listens), TEST(no_library), TEST(a_fork_is_refused),
        TEST(a_slow_reader_holds_the_sender_up), TEST(memory_of_the_device),
    };
    if (getenv("TEST_CUDA")) { test_backend = SF_BACKEND_CUDA; }
    if (argc == 4 && !strcmp(argv[1], "--child")) { return child_main(argv[2], argv[3]); }
    test_arguments(argc, argv);
    if (on_cuda()) { setenv("TEST_CUDA", "1", 1); }
    if (end_of(spawn_child("loads")) != 0) {
        printf("1..0 # SKIP no UCX\n");
        return 0;
    }
    return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
#endif
