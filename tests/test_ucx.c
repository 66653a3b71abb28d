/*  test_ucx.c - the transport over UCX by itself: the table sfi_ucx, between processes. SF_UCX_LIBRARY chooses the
    library, as for a program; SF_TEST_OTHER_UCX names one of another release. The other process is this program
    again, with a role as its first argument; it is always started by exec, as UCX is no friend of fork(). */
#if defined(__has_include) && !__has_include(<ucp/api/ucp.h>)
    #include <stdio.h>
int main(void) { return puts("1..0 # SKIP no headers of UCX: libucx-dev"), 0; }
#else
#ifndef _GNU_SOURCE
    #define _GNU_SOURCE                      /* posix_spawn_file_actions_addclosefrom_np() */
#endif
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#ifndef SF_DEBUG
    #define SF_DEBUG
#endif
#define SF_WITH_UCX
#include "library.c"
#include <cmocka.h>
#include "test.h"
#include "ports.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;
#ifdef __SANITIZE_ADDRESS__                  /* LSan of gcc 12 crashes over the thread storage of UCX's libraries */
const char *__lsan_default_options(void) { return "use_tls=0:print_suppressions=0"; }
const char *__lsan_default_suppressions(void) { return "leak:_dlerror_run\n"; }
#endif

/* -- a node: a transport, and up to SIDES connections over it -- */

enum { SIDES = 4, SLOTS = 8, GETS = 512, HEADER = 64, LARGEST = 1 << 20, PATIENCE = 20 };    /* PATIENCE: s. A side sends SLOTS
                                                messages at most that have not ended */

typedef struct slot {                        /* a message: sent, or received */
    uint8_t header[HEADER];
    uint8_t *data;
    size_t bytes;
    uint64_t number;
    bool busy, gets;
} slot;
struct node;
typedef struct side {
    struct node *node;
    void *connection;
    bool used, lost;
    char why[256];
    uint64_t sent, arrived, complete, ended, failed;
    int under_way;                           /* requests that were SF_NOT_READY */
    slot sends[SLOTS], gets[GETS];           /* there are no credits here: what arrives is bounded by time alone */
    slot *done[GETS];                       /* received whole, in the order of their ends */
    int done_count;
} side;
typedef struct node {
    void *transport;
    side sides[SIDES];
    bool refuses, deaf;                      /* deaf: does not receive payloads */
    bool drops;                              /* what was received; else it waits in `done` */
    int asked;                               /* processes that connected */
    char failed[256];
} node;

static char self[4096];                      /* the path of this program; "": another process of the test */
static void broken(const char *what)         /* in a callback, or in another process */
{
    fprintf(stderr, "# %s: %s\n", self[0] ? "the test" : "the other process", what);
    abort();
}
static void fill(uint8_t *data, size_t bytes, uint64_t number)
{
    for (size_t i = 0; i < bytes; i++) { data[i] = (uint8_t)(number * 131 + i * 7 + (i >> 8) * 3 + (i >> 16)); }
}
static void check_filled(const uint8_t *data, size_t bytes, uint64_t number)
{
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] != (uint8_t)(number * 131 + i * 7 + (i >> 8) * 3 + (i >> 16))) { broken("a wrong byte"); }
    }
}
static void complete(side *s, slot *g)
{
    check_filled(g->data, g->bytes, g->number);
    s->complete++;
    if (s->node->drops) {
        g->busy = false;
        return;
    }
    if (s->done_count == GETS) { broken("more messages than slots"); }
    s->done[s->done_count++] = g;
}
static void *on_connected(void *user, void *connection)
{
    node *n = user;
    n->asked++;
    for (int i = 0; i < SIDES && !n->refuses; i++) {
        side *s = &n->sides[i];
        if (s->used) { continue; }
        s->used = true;
        s->node = n;
        s->connection = connection;
        return s;
    }
    return NULL;
}
static void on_arrived(void *peer, const void *header, size_t header_bytes, size_t bytes, void *message)
{
    side *s = peer;
    slot *g = NULL;
    uint64_t words[2];
    if (header_bytes != HEADER) { broken("a header of another size"); }
    memcpy(words, header, sizeof words);
    check_filled((const uint8_t *)header + 16, HEADER - 16, words[0]);
    if (words[0] != s->arrived++) {
        fprintf(stderr, "# message %d instead of %d, of %zu bytes\n", (int)words[0], (int)s->arrived - 1, bytes);
        broken("a message out of order");
    }
    if (words[1] != bytes) { broken("a payload of another size"); }
    if (bytes && s->node->deaf) { return; }
    for (int i = 0; i < GETS && !g; i++) {
        if (!s->gets[i].busy) { g = &s->gets[i]; }
    }
    if (!g) { broken("no slot for a message"); }
    g->busy = g->gets = true;
    g->number = words[0];
    g->bytes = bytes;
    if (bytes) {
        if (!g->data) { g->data = malloc(LARGEST); }
        memset(g->data, 0xee, bytes);
        sf_result r = sfi_ucx.receive(s->connection, message, g->data, bytes, SF_MEMORY_HOST, g);
        if (r == SF_NOT_READY) {
            s->under_way++;
            return;
        }
        if (r == SF_ERROR_PEER_LOST) {       /* it died: `lost` comes */
            g->busy = false;
            return;
        }
        if (r != SF_OK) { broken("receive() failed"); }
    }
    complete(s, g);
}
static void on_ended(void *peer, void *request, sf_result result)
{
    side *s = peer;
    slot *g = request;
    if (!g->busy || s->under_way-- <= 0) { broken("a request ended twice"); }
    s->ended++;
    s->failed += result != SF_OK;
    if (g->gets && result == SF_OK) {
        complete(s, g);
    } else {
        g->busy = false;
    }
}
static void on_lost(void *peer, const char *why)
{
    side *s = peer;
    if (s->lost) { broken("lost twice"); }
    s->lost = true;
    snprintf(s->why, sizeof s->why, "%s", why);
}
static void on_failed(void *user, const char *why) { snprintf(((node *)user)->failed, 256, "%s", why); }

static sf_result node_open(node *n, const char *address)
{
    sf_transport_desc d = { { n, on_connected, on_arrived, on_ended, on_lost, on_failed }, address, false };
    bool device = true;
    memset(n, 0, sizeof *n);
    sf_result r = sfi_ucx.open(&d, &n->transport, &device);
    if (r == SF_OK && device) { broken("GPU memory without being asked"); }
    return r;
}
static void node_disconnect(side *s, int64_t timeout)
{
    s->node->failed[0] = 0;
    sfi_ucx.disconnect(s->connection, timeout);
    if (s->node->failed[0]) { broken(s->node->failed); }
    if (s->under_way) { broken("disconnect() returned before all requests had ended"); }
    for (int i = 0; i < SLOTS; i++) {        /* the buffers are ours again: a peer that still reads them shows it */
        if (s->sends[i].data) { memset(s->sends[i].data, 0xdd, LARGEST); }
    }
    for (int i = 0; i < SLOTS; i++) { free(s->sends[i].data); }
    for (int i = 0; i < GETS; i++) { free(s->gets[i].data); }
    memset(s, 0, sizeof *s);
}
static void node_close(node *n, int64_t timeout)
{
    for (int i = 0; i < SIDES; i++) {
        if (n->sides[i].used) { node_disconnect(&n->sides[i], timeout); }
    }
    sfi_ucx.close(n->transport);
}
static side *node_connect(node *n, const char *address)
{
    side *s = on_connected(n, NULL);
    n->asked--;
    sf_result r = s ? sfi_ucx.connect(n->transport, address, s, &s->connection) : SF_ERROR_UNKNOWN;
    if (r != SF_OK) {
        fprintf(stderr, "# connect: %d, %s\n", (int)r, n->failed);
        broken("no connection");
    }
    return s;
}
static slot *free_slot(side *s)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!s->sends[i].busy) { return &s->sends[i]; }
    }
    return NULL;
}
static sf_result node_send(side *s, size_t bytes)        /* needs a free slot */
{
    slot *q = free_slot(s);
    uint64_t words[2] = { s->sent, bytes };
    if (!q) { broken("no slot to send from"); }
    if (bytes && !q->data) { q->data = malloc(LARGEST); }
    q->bytes = bytes;
    q->number = s->sent;
    memcpy(q->header, words, sizeof words);
    fill(q->header + 16, HEADER - 16, q->number);
    fill(q->data, bytes, q->number);
    q->busy = true;
    sf_result r = sfi_ucx.send(s->connection, q->header, HEADER, q->data, bytes, SF_MEMORY_HOST, q);
    if (r == SF_NOT_READY) { s->under_way++; } else { q->busy = false; }
    if (r >= 0) { s->sent++; }
    return r;
}
static slot *take(side *s)                   /* the first message that is complete; `busy` until the caller clears it */
{
    if (!s->done_count) { return NULL; }
    slot *g = s->done[0];
    memmove(s->done, s->done + 1, sizeof *s->done * (size_t)--s->done_count);
    return g;
}
static int64_t now(void) { return sfi_clock(); }
static void turn(node *n, int64_t begin)     /* makes progress, or sleeps until there is some */
{
    if (sfi_ucx.progress(n->transport)) { return; }
    if (now() - begin > SF_MS(1000) * PATIENCE) { broken("nothing comes"); }
    int fd = sfi_ucx.descriptor(n->transport);
    struct pollfd p = { fd, POLLIN, 0 };
    if (fd >= 0) { (void)poll(&p, 1, 1000); }
}

/* -- the other process -- */


typedef struct child { pid_t pid; int out, err; } child;     /* out, err: what it writes */

static child start(const char *role, const char *address, const char *library)
{
    child c = { 0 };
    int out[2];
    posix_spawn_file_actions_t actions;
    char *args[] = { self, (char *)role, (char *)address, NULL };
    char setting[4096];
    char *env[512];
    int n = 0;
    for (char **e = environ; *e && n < 500; e++) {
        if (!library || strncmp(*e, "SF_UCX_LIBRARY=", 15) != 0) { env[n++] = *e; }
    }
    snprintf(setting, sizeof setting, "SF_UCX_LIBRARY=%s", library ? library : "");
    if (library && *library) { env[n++] = setting; }
    env[n] = NULL;
    CHECK_EQUAL(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);   /* UCX's are not marked to be closed */
    CHECK_EQUAL(posix_spawn(&c.pid, self, &actions, NULL, args, env), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    c.out = out[0];
    return c;
}
static void read_line(const child *c, char *line, size_t size)       /* "" at the end */
{
    size_t n = 0;
    while (n + 1 < size && read(c->out, line + n, 1) == 1 && line[n++] != '\n') {}
    line[n] = 0;
}
static child start_ready(const char *role, const char *address)
{
    child c = start(role, address, NULL);
    char line[64];
    read_line(&c, line, sizeof line);
    assert_string_equal(line, "ready\n");
    return c;
}
static void finish(child *c, const char *last)       /* it exits with 0, having written `last`, and nothing else */
{
    char line[256];
    int status = 0;
    read_line(c, line, sizeof line);
    CHECK_EQUAL(waitpid(c->pid, &status, 0), c->pid);
    close(c->out);
    CHECK_EQUAL(status, 0);
    assert_string_equal(line, last);
}
static void kill_child(child *c)
{
    int status = 0;
    kill(c->pid, SIGKILL);
    CHECK_EQUAL(waitpid(c->pid, &status, 0), c->pid);
    close(c->out);
}
static const char *free_address(void)        /* a port of the loopback that nobody uses */
{
    static char text[64];
    snprintf(text, sizeof text, "127.0.0.1:%d", port_choose(0));
    return text;
}

static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
}
static void child_listens(node *n, const char *address)
{
    if (node_open(n, address) != SF_OK || sfi_ucx.listen(n->transport, address) != SF_OK) { broken(n->failed); }
    say("ready\n");
}
/* Sends each message back, until its peer is gone. `slow`: receives one message per 2 ms, and says how many. */
static int child_echoes(const char *address, bool slow)
{
    static node n;
    child_listens(&n, address);
    side *s = &n.sides[0];
    int64_t begin = now();
    while (!s->lost) {
        slot *g;
        turn(&n, begin);
        while ((g = take(s))) {
            begin = now();
            if (slow) {
                usleep(2000);
            } else {
                while (!free_slot(s) && !s->lost) { turn(&n, begin); }
                if (!s->lost && node_send(s, g->bytes) < 0 && !strstr(n.failed, "ended")) { broken(n.failed); }
            }
            g->busy = false;
        }
    }
    if (slow) { say("%llu\n", (unsigned long long)s->complete); }
    node_close(&n, 0);
    return 0;
}
/* Connects, and sends and drops messages of all sizes until it is killed, or its peer is gone. */
static int child_floods(const char *address)
{
    static node n;
    rng r = rng_seed((uint64_t)getpid());
    static const size_t sizes[] = { 0, 8, 0, 5000, 100000, 0, LARGEST };
    if (node_open(&n, address) != SF_OK) { broken(n.failed); }
    n.drops = true;
    side *s = node_connect(&n, address);
    int64_t begin = now();
    while (!s->lost) {
        for (int i = 0; i < SLOTS && free_slot(s) && !s->lost; i++) {
            if (node_send(s, sizes[rng_below(&r, COUNT(sizes))]) >= 0) { begin = now(); }
        }
        turn(&n, begin);
    }
    node_close(&n, 0);
    return 0;
}
static int child_waits(const char *address, bool refuses, bool deaf)         /* until its input ends */
{
    static node n;
    child_listens(&n, address);
    n.refuses = refuses;
    n.deaf = deaf;
    for (;;) {
        struct pollfd p = { 0, POLLIN, 0 };
        if (!sfi_ucx.progress(n.transport)) { (void)poll(&p, 1, 1); }
        if (getppid() == 1 || n.sides[0].lost) { break; }
    }
    node_close(&n, 0);
    return 0;
}
static int run_child(const char *role, const char *address)
{
    if (strcmp(role, "echoes") == 0) { return child_echoes(address, false); }
    if (strcmp(role, "counts") == 0) { return child_echoes(address, true); }
    if (strcmp(role, "floods") == 0) { return child_floods(address); }
    if (strcmp(role, "opens") == 0) {
        static node n;
        return node_open(&n, address) == SF_ERROR_NOT_SUPPORTED ? 77 : 0;
    }
    if (strcmp(role, "refuses") == 0) { return child_waits(address, true, false); }
    if (strcmp(role, "is-deaf") == 0) { return child_waits(address, false, true); }
    return 2;
}

/* -- messages -- */

static void ping_pong(node *n, side *s, size_t bytes, int rounds)
{
    int64_t begin = now();
    for (int i = 0; i < rounds; i++) {
        slot *g;
        CHECK(node_send(s, bytes) >= 0);
        while (!(g = take(s)) && !s->lost) { turn(n, begin); }
        if (s->lost) { fail_msg("lost: %s", s->why); }
        CHECK_EQUAL(g->bytes, bytes);
        g->busy = false;
    }
}
static void values_and_tensors(void **state)
{
    static node n;
    (void)state;
    const char *address = free_address();
    child c = start_ready("echoes", address);
    CHECK_OK(node_open(&n, address));
    side *s = node_connect(&n, address);
    ping_pong(&n, s, 0, 2000);
    ping_pong(&n, s, 8, 2000);
    ping_pong(&n, s, LARGEST, 40);
    node_close(&n, SF_MS(2000));
    finish(&c, "");
}
static void mixed_sizes_in_order(void **state)
{
    static node n;
    static const size_t sizes[] = { 0, 1, 8, 100, 5000, 9000, 70000, 300000, LARGEST };
    (void)state;
    const char *address = free_address();
    child c = start_ready("echoes", address);
    CHECK_OK(node_open(&n, address));
    side *s = node_connect(&n, address);
    FOR_SEEDS(seed, 3) {
        rng r = rng_seed(seed);
        uint64_t base = s->arrived, sent = 0;
        int64_t begin = now();
        while (s->arrived - base < 300) {
            slot *g;
            while (sent < 300 && sent - (s->complete - base) < 4 && free_slot(s)) {
                CHECK(node_send(s, sizes[rng_below(&r, COUNT(sizes))]) >= 0);
                sent++;
            }
            turn(&n, begin);
            while ((g = take(s))) {          /* the child answers in the order in which payloads were complete */
                g->busy = false;
            }
            if (s->lost) { fail_msg("lost: %s", s->why); }
        }
        while (s->complete < s->arrived) { turn(&n, begin); }
        for (slot *g; (g = take(s));) { g->busy = false; }
    }
    node_close(&n, SF_MS(2000));
    finish(&c, "");
}

/* -- ends -- */

static void wait_for_loss(node *n, side *s)
{
    int64_t begin = now();
    while (!s->lost) { turn(n, begin); }
}
static void nobody_listens(void **state)
{
    static node n;
    (void)state;
    const char *address = free_address();
    CHECK_OK(node_open(&n, address));
    for (int i = 0; i < 3; i++) {
        side *s = node_connect(&n, address);
        (void)node_send(s, 8);               /* as HELLO: it ends with an error */
        wait_for_loss(&n, s);
        if (!strstr(s->why, "nobody listens")) { fail_msg("%s", s->why); }
        node_disconnect(s, SF_MS(100));
    }
    node_close(&n, 0);
}
static void refused(void **state)
{
    static node n;
    (void)state;
    const char *address = free_address();
    child c = start_ready("refuses", address);
    CHECK_OK(node_open(&n, address));
    for (int i = 0; i < 3; i++) {
        side *s = node_connect(&n, address);
        (void)node_send(s, LARGEST);
        wait_for_loss(&n, s);
        if (!strstr(s->why, "refused")) { fail_msg("%s", s->why); }
        node_disconnect(s, 0);
    }
    node_close(&n, 0);
    kill_child(&c);
}
static int count_descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d)) { n++; }
    closedir(d);
    return n;
}
static long memory_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, f)) { (void)sscanf(line, "VmRSS: %ld", &kb); }
    fclose(f);
    return kb;
}
static void killed_in_the_middle(void **state)
{
    static node n;
    enum { ROUNDS = 50, WARM = 16, HALF = (ROUNDS - WARM) / 2 };
    rng r = rng_seed(test_first_seed());
    int descriptors = 0;
    long kb[3] = { 0, 0, 0 };                /* a leak grows in both halves; more under way than ever before in one */
    (void)state;
    const char *address = free_address();
    CHECK_OK(node_open(&n, address));
    CHECK_OK(sfi_ucx.listen(n.transport, address));
    n.drops = true;
    for (int round = 0; round < ROUNDS; round++) {
        child c = start("floods", address, NULL);
        side *s = &n.sides[0];
        const uint64_t enough = 1 + rng_below(&r, 60);
        int64_t begin = now();
        bool killed = false;
        while (!s->lost) {
            turn(&n, begin);
            for (int i = 0; i < SLOTS && s->used && !s->lost && free_slot(s); i++) {
                (void)node_send(s, round % 2 ? LARGEST : 8);
            }
            if (s->used && s->arrived >= enough && !killed) {
                kill_child(&c);
                killed = true;
                begin = now();
            }
        }
        if (!killed) { fail_msg("lost before it was killed: %s", s->why); }
        if (!strstr(s->why, "ended")) { fail_msg("%s", s->why); }
        node_disconnect(s, round % 3 ? 0 : SF_MS(100));
        if (round == WARM - 1) { descriptors = count_descriptors(); }
        if (round >= WARM - 1 && (round - (WARM - 1)) % HALF == 0) { kb[(round - (WARM - 1)) / HALF] = memory_kb(); }
    }
    CHECK_EQUAL(count_descriptors(), descriptors);
#if defined(__SANITIZE_ADDRESS__)
    (void)kb;                                /* its quarantine grows */
#else
    if (kb[1] - kb[0] > 4000 && kb[2] - kb[1] > 4000) {
        fail_msg("%ld and %ld KB more after %d deaths each", kb[1] - kb[0], kb[2] - kb[1], (int)HALF);
    }
#endif
    node_close(&n, 0);
}
/* disconnect() while fetches and sends are under way, in both directions. */
static void closed_in_the_middle(void **state)
{
    static node n;
    rng r = rng_seed(test_first_seed() + 77);
    (void)state;
    const char *address = free_address();
    CHECK_OK(node_open(&n, address));
    CHECK_OK(sfi_ucx.listen(n.transport, address));
    n.drops = true;
    for (int round = 0; round < 30; round++) {
        child c = start("floods", address, NULL);
        side *s = &n.sides[0];
        const uint64_t enough = 1 + rng_below(&r, 60);
        int64_t begin = now();
        while (s->arrived < enough && !s->lost) {
            turn(&n, begin);
            for (int i = 0; i < SLOTS && s->used && free_slot(s); i++) {
                (void)node_send(s, round % 2 ? LARGEST : 8);
            }
        }
        if (s->lost) { fail_msg("lost: %s", s->why); }
        node_disconnect(s, round % 3 ? 0 : SF_MS(20));
        finish(&c, "");
    }
    node_close(&n, 0);
}
static void stopped(void **state)
{
    static node n;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *address = free_address();
        child c = start_ready("echoes", address);
        CHECK_OK(node_open(&n, address));
        side *s = node_connect(&n, address);
        ping_pong(&n, s, 8, 10);
        kill(c.pid, SIGSTOP);
        for (int k = 0; k < SLOTS && free_slot(s); k++) { CHECK(node_send(s, i & 1 ? LARGEST : 8) >= 0); }
        for (int k = 0; k < 100; k++) { (void)sfi_ucx.progress(n.transport); }
        CHECK(!s->lost);
        node_disconnect(s, i & 2 ? SF_MS(100) : 0);
        kill_child(&c);
        node_close(&n, 0);
    }
}
/* disconnect() with a timeout: all that was sent before arrives, with a peer that is slow to read. */
static void parting(void **state)
{
    static node n;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *address = free_address();
        char count[16];
        child c = start_ready("counts", address);
        CHECK_OK(node_open(&n, address));
        side *s = node_connect(&n, address);
        int64_t begin = now();
        while (s->sent < 6) {
            if (free_slot(s)) { CHECK(node_send(s, i == 0 ? 0 : i == 1 ? 100 : i == 2 ? 9000 : LARGEST) >= 0); }
            turn(&n, begin);
        }
        node_close(&n, SF_MS(10000));
        snprintf(count, sizeof count, "6\n");
        finish(&c, count);
    }
}
static void a_payload_that_is_not_received(void **state)
{
    static node n;
    (void)state;
    const char *address = free_address();
    child c = start_ready("is-deaf", address);
    CHECK_OK(node_open(&n, address));
    side *s = node_connect(&n, address);
    CHECK(node_send(s, LARGEST) >= 0);
    int64_t begin = now();
    while (s->under_way || !s->lost) { turn(&n, begin); }
    CHECK_EQUAL(s->failed, 1);               /* the sender does not read success */
    node_close(&n, 0);
    finish(&c, "");
}
static void other_release(void **state)
{
    static node n;
    const char *other = getenv("SF_TEST_OTHER_UCX");
    (void)state;
    if (!other || (strchr(other, '/') && access(other, R_OK) != 0)) { return; }      /* there is one release */
    const char *address = free_address();
    child c = start("echoes", address, other);
    char line[64];
    read_line(&c, line, sizeof line);
    assert_string_equal(line, "ready\n");
    CHECK_OK(node_open(&n, address));
    side *s = node_connect(&n, address);
    (void)node_send(s, 8);
    wait_for_loss(&n, s);
    if (!strstr(s->why, "another version (here 1.")) { fail_msg("%s", s->why); }
    node_close(&n, 0);
    kill_child(&c);
}

/* -- what it leaves alone -- */

static bool is_own_socket(unsigned long inode)
{
    char path[300], to[64], wanted[64];
    bool found = false;
    DIR *d = opendir("/proc/self/fd");
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    for (struct dirent *e; !found && (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
        ssize_t k = readlink(path, to, sizeof to - 1);
        to[k > 0 ? k : 0] = 0;
        found = strcmp(to, wanted) == 0;
    }
    closedir(d);
    return found;
}
static int listening_sockets(bool *outside)  /* of this process; outside: on another address than the loopback */
{
    int n = 0;
    *outside = false;
    for (int six = 0; six < 2; six++) {
        FILE *f = fopen(six ? "/proc/net/tcp6" : "/proc/net/tcp", "r");
        char line[512];
        while (f && fgets(line, sizeof line, f)) {
            char local[64];
            unsigned state;
            unsigned long inode;
            if (sscanf(line, " %*d: %63[0-9A-F]:%*x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %*d %*d %lu", local, &state,
                       &inode) != 3 || state != 10 || !is_own_socket(inode)) {
                continue;
            }
            n++;
            if (strcmp(local, six ? "00000000000000000000000001000000" : "0100007F") != 0) {
                printf("# listens on %s\n", local);
                *outside = true;
            }
        }
        if (f) { fclose(f); }
    }
    return n;
}
static void on_the_loopback_alone(void **state)
{
    static node n;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char address[64];
        bool outside;
        snprintf(address, sizeof address, i ? "[::1]%s" : "127.0.0.1%s", strchr(free_address(), ':'));
        if (node_open(&n, address) != SF_OK) {
            CHECK(i && strstr(n.failed, "UCX 1.13") && strstr(n.failed, "IPv6"));
            break;
        }
        CHECK_OK(sfi_ucx.listen(n.transport, address));
        child c = start("floods", address, NULL);
        int64_t begin = now();
        n.drops = true;
        while (n.sides[0].arrived < 5) { turn(&n, begin); }
        CHECK(listening_sockets(&outside) >= 2);     /* the listener, and the worker */
        CHECK(!outside);
        node_close(&n, 0);
        finish(&c, "");
    }
}
static void standard_output(void **state)    /* UCX's warnings do not go there */
{
    static node n;
    (void)state;
    setenv("UCX_TLS", "posix,cma,tcp,nonsense", 1);
    setenv("UCX_NONSENSE", "1", 1);
    const char *address = free_address();
    child c = start_ready("echoes", address);
    unsetenv("UCX_TLS");
    unsetenv("UCX_NONSENSE");
    CHECK_OK(node_open(&n, address));
    ping_pong(&n, node_connect(&n, address), 8, 10);
    node_close(&n, SF_MS(2000));
    finish(&c, "");
}
static void signals_and_environment(void **state)
{
    static node n;
    struct sigaction before[32], after;
    char text[256][200];
    int count = 0;
    unsigned char code[16];                  /* of munmap(), where UCX hooks in unless it is told not to */
    const void *const munmap_code = dlsym(RTLD_DEFAULT, "munmap");
    (void)state;
    CHECK(munmap_code != NULL);
    memcpy(code, munmap_code, sizeof code);
    for (int i = 1; i < 32; i++) { sigaction(i, NULL, &before[i]); }
    for (char **e = environ; *e && count < 256; e++) { snprintf(text[count++], 200, "%s", *e); }
    CHECK_OK(node_open(&n, "127.0.0.1:1"));
    for (int i = 1; i < 32; i++) {
        sigaction(i, NULL, &after);
        if (after.sa_handler != before[i].sa_handler || (after.sa_flags ^ before[i].sa_flags) & 0xffffff) {
            fail_msg("signal %d has another handler", i);
        }
    }
    for (char **e = environ; *e; e++) {
        bool known = strncmp(*e, "UCX_POSIX_ERROR_HANDLING=", 25) == 0 ||    /* they stay, with 1.13 */
                     strncmp(*e, "UCX_TCP_PUT_ENABLE=", 19) == 0;
        for (int i = 0; i < count && !known; i++) { known = strncmp(text[i], *e, 199) == 0; }
        if (!known) { fail_msg("new in the environment: %s", *e); }
    }
    if (!getenv("UCX_MEM_EVENTS") && !getenv("UCX_TLS")) { CHECK_BYTES(code, munmap_code, sizeof code); }
    node_close(&n, 0);
}
static void no_library(void **state)
{
    static node n;
    const char *named = getenv("SF_UCX_LIBRARY");
    char *old = named ? strdup(named) : NULL;
    (void)state;
    setenv("SF_UCX_LIBRARY", "/nowhere/libucp.so.0", 1);
    CHECK_IS(node_open(&n, "127.0.0.1:1"), SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(n.failed, "/nowhere/libucp.so.0") != NULL);
    if (old) { setenv("SF_UCX_LIBRARY", old, 1); } else { unsetenv("SF_UCX_LIBRARY"); }
    free(old);
}
static void bad_addresses(void **state)
{
    static node n;
    static const char *const bad[] = { "", "7000", "nowhere.invalid:7000", "127.0.0.1:port", ":7000", "[]:1",
                                       "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:4294967297",
                                       "127.0.0.1:-1", "127.0.0.1:70 " };
    void *connection;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        CHECK_IS(node_open(&n, bad[i]), SF_ERROR_INVALID_VALUE);
        CHECK(strstr(n.failed, "the address") != NULL);
    }
    CHECK_OK(node_open(&n, "127.0.0.1:1"));
    CHECK_IS(sfi_ucx.listen(n.transport, "[::1]:7000"), SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(n.failed, "is IPv6") != NULL);
    CHECK_IS(sfi_ucx.listen(n.transport, "192.0.2.77:7000"), SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(n.failed, "UCX_NET_DEVICES") != NULL);
    CHECK_IS(sfi_ucx.connect(n.transport, "192.0.2.77:7000", &n, &connection), SF_ERROR_NOT_SUPPORTED);
    node_close(&n, 0);
}
static void a_port_that_is_taken(void **state)
{
    static node n, m;
    (void)state;
    const char *address = free_address();
    CHECK_OK(node_open(&n, address));
    CHECK_OK(sfi_ucx.listen(n.transport, address));
    CHECK_OK(node_open(&m, address));
    CHECK(sfi_ucx.listen(m.transport, address) < 0);
    CHECK(strstr(m.failed, "uses the port") != NULL);
    node_close(&m, 0);
    node_close(&n, 0);
}
static void a_child_that_exits(void **state)
{
    static node n;
    int status;
    (void)state;
    const char *address = free_address();
    child c = start_ready("echoes", address);
    CHECK_OK(node_open(&n, address));
    side *s = node_connect(&n, address);
    ping_pong(&n, s, 8, 10);
    pid_t pid = fork();
    if (!pid) { _exit(0); }
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    ping_pong(&n, s, 8, 100);
    ping_pong(&n, s, LARGEST, 3);
    node_close(&n, SF_MS(2000));
    finish(&c, "");
}
static void opened_again_and_again(void **state)
{
    static node n;
    int descriptors = 0;
    (void)state;
    for (int i = 0; i < 8; i++) {
        const char *address = free_address();
        CHECK_OK(node_open(&n, address));
        CHECK_OK(sfi_ucx.listen(n.transport, address));
        node_close(&n, 0);
        if (i == 3) { descriptors = count_descriptors(); }
    }
    CHECK_EQUAL(count_descriptors(), descriptors);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_and_environment),           /* before anything has loaded UCX */
        cmocka_unit_test(no_library),
        cmocka_unit_test(values_and_tensors),
        cmocka_unit_test(mixed_sizes_in_order),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(refused),
        cmocka_unit_test(killed_in_the_middle),
        cmocka_unit_test(closed_in_the_middle),
        cmocka_unit_test(stopped),
        cmocka_unit_test(parting),
        cmocka_unit_test(a_payload_that_is_not_received),
        cmocka_unit_test(other_release),
        cmocka_unit_test(on_the_loopback_alone),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(bad_addresses),
        cmocka_unit_test(a_port_that_is_taken),
        cmocka_unit_test(a_child_that_exits),
        cmocka_unit_test(opened_again_and_again),
    };
    if (argc == 3 && argv[1][0] != '-') { return run_child(argv[1], argv[2]); }
    test_arguments(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    self[readlink("/proc/self/exe", self, sizeof self - 1)] = 0;
    if (on_cuda()) { test_skip_without_gpu(); }              /* nothing here differs with a GPU */
    child c = start("opens", "127.0.0.1:1", NULL);           /* the first case needs a process without UCX */
    int status = 0;
    waitpid(c.pid, &status, 0);
    close(c.out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) { return puts("1..0 # SKIP no libucp.so.0: libucx0"), 0; }
    return cmocka_run_group_tests_name("ucx", tests, NULL, NULL);
}
#endif
