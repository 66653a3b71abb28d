/*  link_pipe.h - an sf_transport between flows of one process, with faults. Comes after test.h.

    An address is "pipe:NAME". Messages lie in a list until progress() of the receiving side hands them over; payloads
    go with them (eager), or stay with the sender until the receiver fetches them (rendezvous). `pipes.lazy` makes sends
    and receives end later, in progress(). One mutex guards all of it.

    A fault: `pipes.fault` at its `pipes.at`-th occasion; pipes.seen counts occasions of each kind. The contract of the
    table is checked: pipes.misuse says what was called wrongly first. pipes_are_empty(): nothing is left. */
#ifndef LINK_PIPE_H
#define LINK_PIPE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/eventfd.h>

typedef enum pipe_fault {
    PIPE_SOUND,
    PIPE_OPEN, PIPE_LISTEN, PIPE_CONNECT, PIPE_SEND, PIPE_RECEIVE,           /* the call fails */
    PIPE_ENDED,                              /* a request ends with an error */
    PIPE_LOST,                               /* the connection breaks instead of handing over a message */
    PIPE_HANG,                               /* nothing comes through that connection any more */
    PIPE_TWICE, PIPE_CUT, PIPE_BENT,         /* a message comes twice, with a shorter header, with a changed byte */
    PIPE_GARBAGE,                            /* from then on random messages come, without end */
    PIPE_FAULTS
} pipe_fault;
static const char *const pipe_fault_names[PIPE_FAULTS] = {
    "none", "open", "listen", "connect", "send", "receive", "ended", "lost", "hang", "twice", "cut", "bent", "garbage"
};
enum { PIPE_NAME = 64, PIPE_LISTENERS = 8, PIPE_HEADER = 1024, PIPE_KEY = 0x70697065 };

struct pipe_end;
typedef struct pipe_message {
    struct pipe_message *next;
    size_t header_bytes, bytes;
    const void *header_at, *data_at;         /* of the sender, until the message is copied; NULL: it is */
    void *request;                           /* of the sender: ends when both are free again */
    struct pipe_end *from;                   /* of that request; NULL: there is none */
    uint8_t header[PIPE_HEADER], *data;
    /* where it is received, later */
    void *to, *get;
    bool offered, fetched;
} pipe_message;
typedef struct pipe_ended { struct pipe_ended *next; void *request; sf_result result; } pipe_ended;

typedef struct pipe_transport {
    uint32_t key;
    struct pipe_transport *next;
    sf_transport_events events;
    char listens[PIPE_LISTENERS][PIPE_NAME];
    struct pipe_end *ends;
    int fd, ends_open;
    uint32_t inside;                         /* calls under way, of `thread` */
    pthread_t thread;
} pipe_transport;

/* One end of a connection. The other end lives as long as it was not disconnected itself. */
typedef struct pipe_end {
    uint32_t key;
    struct pipe_end *next, *other;
    pipe_transport *of;
    void *peer;
    char address[PIPE_NAME];
    pipe_message *in, **in_last;             /* for this side */
    pipe_message *fetching;                  /* offered here; received, but not at once */
    pipe_message *dead;                      /* sent from here to nobody: ends in disconnect() */
    pipe_ended *ended, **ended_last;         /* to be told here */
    bool accepted, broken, told, hung, garbage, leaving, cut;       /* cut: what is under way is gone */
    const char *why;
    uint32_t requests;                       /* of this side, under way */
} pipe_end;

static struct pipes {
    pthread_mutex_t lock;
    pipe_transport *transports;
    /* set by a test while nothing runs */
    pipe_fault fault;
    uint32_t at;
    size_t eager;                            /* payloads up to this go with the message */
    uint32_t lazy;                           /* of 100 sends and receives so many end later */
    rng random;
    /* counted */
    uint32_t seen[PIPE_FAULTS], fired;
    int open, ends, messages, requests;
    uint64_t sends, polls;                   /* polls: calls of progress() */
    char misuse[160];
} pipes;

static void pipes_misused(const char *what)
{
    if (!pipes.misuse[0]) { snprintf(pipes.misuse, sizeof pipes.misuse, "%s", what); }
}
static bool pipes_fault(pipe_fault kind)     /* an occasion; true: now */
{
    bool now = ++pipes.seen[kind] == pipes.at && pipes.fault == kind;
    pipes.fired += now;
    return now;
}
static void pipes_begin(pipe_fault fault, uint32_t at, size_t eager, uint32_t lazy, uint64_t seed)
{
    static bool made;
    if (!made) {
        pthread_mutexattr_t a;
        pthread_mutexattr_init(&a);
        pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&pipes.lock, &a);
        pthread_mutexattr_destroy(&a);
        made = true;
    }
    pthread_mutex_lock(&pipes.lock);
    pipes.fault = fault;
    pipes.at = at;
    pipes.eager = eager;
    pipes.lazy = lazy;
    pipes.random = rng_seed(seed);
    memset(pipes.seen, 0, sizeof pipes.seen);
    pipes.fired = 0;
    pipes.sends = pipes.polls = 0;
    pipes.misuse[0] = 0;
    pthread_mutex_unlock(&pipes.lock);
}
static const char *pipes_are_empty(void)     /* NULL, or what is left, or was called wrongly */
{
    static char text[200];
    if (pipes.misuse[0]) { return pipes.misuse; }
    if (!pipes.open && !pipes.ends && !pipes.messages && !pipes.requests) { return NULL; }
    snprintf(text, sizeof text, "%d transports, %d ends, %d messages, %d requests are left", pipes.open, pipes.ends,
             pipes.messages, pipes.requests);
    return text;
}

static void pipe_wake(pipe_transport *t)
{
    uint64_t one = 1;
    if (t && write(t->fd, &one, sizeof one) < 0) { pipes_misused("an event descriptor cannot be written"); }
}
/* Each function of the table between these two. */
static void pipe_enter(pipe_transport *t, const char *call)
{
    pthread_mutex_lock(&pipes.lock);
    if (t->key != PIPE_KEY) { pipes_misused(call); abort(); }
    if (t->inside && !pthread_equal(t->thread, pthread_self())) { pipes_misused("two threads call it at a time"); }
    t->inside++;
    t->thread = pthread_self();
}
static void pipe_leave(pipe_transport *t)
{
    t->inside--;
    pthread_mutex_unlock(&pipes.lock);
}

static void pipe_tell_later(pipe_end *e, void *request, sf_result result)
{
    pipe_ended *x = (pipe_ended *)calloc(1, sizeof *x);
    if (pipes_fault(PIPE_ENDED)) { result = SF_ERROR_UNKNOWN; }
    x->request = request;
    x->result = result;
    *e->ended_last = x;
    e->ended_last = &x->next;
    pipe_wake(e->of);
}
/* The sender's header and data are free: its request ends. */
static void pipe_message_free_sender(pipe_message *m, sf_result result)
{
    if (m->from) { pipe_tell_later(m->from, m->request, result); }
    m->from = NULL;
    m->header_at = m->data_at = NULL;
}
static void pipe_message_copy(pipe_message *m)
{
    if (m->header_at) { memcpy(m->header, m->header_at, m->header_bytes); }
    if (m->data_at) {
        m->data = (uint8_t *)malloc(m->bytes);
        memcpy(m->data, m->data_at, m->bytes);
    }
}
static void pipe_message_drop(pipe_message *m, sf_result result)
{
    pipe_message_free_sender(m, result);
    free(m->data);
    free(m);
    pipes.messages--;
}
static void pipe_put(pipe_end *to, pipe_message *m)
{
    *to->in_last = m;
    to->in_last = &m->next;
    pipe_wake(to->of);
}
static void pipe_break(pipe_end *e, const char *why)         /* this end will be told */
{
    if (!e || e->broken) { return; }
    e->broken = true;
    e->why = why;
    pipe_wake(e->of);
}
static pipe_end *pipe_end_new(pipe_transport *t, const char *address)
{
    pipe_end *e = (pipe_end *)calloc(1, sizeof *e);
    e->key = PIPE_KEY;
    e->of = t;
    e->in_last = &e->in;
    e->ended_last = &e->ended;
    snprintf(e->address, sizeof e->address, "%s", address);
    e->next = t->ends;
    t->ends = e;
    pipes.ends++;
    return e;
}
static void pipe_end_free(pipe_end *e)
{
    pipe_end **at = &e->of->ends;
    while (*at != e) { at = &(*at)->next; }
    *at = e->next;
    while (e->in) {
        pipe_message *m = e->in;
        e->in = m->next;
        pipe_message_drop(m, SF_ERROR_UNKNOWN);
    }
    if (e->other) { e->other->other = NULL; }
    e->key = 0;
    pipes.ends--;
    free(e);
}

/* -- the table -- */

static sf_result pipe_open(const sf_transport_desc *desc, void **transport, bool *device_memory)
{
    pipe_transport *t;
    sf_result r = SF_OK;
    pthread_mutex_lock(&pipes.lock);
    if (pipes_fault(PIPE_OPEN)) {
        desc->events.failed(desc->events.user, "the pipe was told not to open");
        r = SF_ERROR_NOT_SUPPORTED;
    } else {
        t = (pipe_transport *)calloc(1, sizeof *t);
        t->key = PIPE_KEY;
        t->events = desc->events;
        t->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        t->next = pipes.transports;
        pipes.transports = t;
        pipes.open++;
        *transport = t;
        *device_memory = false;
        if (desc->address && strncmp(desc->address, "pipe:", 5) != 0) { pipes_misused("an address is none of ours"); }
    }
    pthread_mutex_unlock(&pipes.lock);
    return r;
}
static pipe_transport *pipe_listener(const char *address)
{
    for (pipe_transport *t = pipes.transports; t; t = t->next) {
        for (int i = 0; i < PIPE_LISTENERS; i++) {
            if (!strcmp(t->listens[i], address)) { return t; }
        }
    }
    return NULL;
}
static sf_result pipe_listen(void *transport, const char *address)
{
    pipe_transport *t = (pipe_transport *)transport;
    sf_result r = SF_OK;
    int i = 0;
    pipe_enter(t, "listen: the transport is closed");
    if (pipes_fault(PIPE_LISTEN)) {
        t->events.failed(t->events.user, "the pipe was told not to listen");
        r = SF_ERROR_NOT_SUPPORTED;
    } else if (pipe_listener(address)) {
        t->events.failed(t->events.user, "somebody listens there already");
        r = SF_ERROR_ILLEGAL_STATE;
    } else {
        while (i < PIPE_LISTENERS - 1 && t->listens[i][0]) { i++; }
        snprintf(t->listens[i], PIPE_NAME, "%s", address);
    }
    pipe_leave(t);
    return r;
}
static sf_result pipe_connect(void *transport, const char *address, void *peer, void **connection)
{
    pipe_transport *t = (pipe_transport *)transport, *to;
    pipe_end *e;
    pipe_enter(t, "connect: the transport is closed");
    to = pipe_listener(address);
    if (pipes_fault(PIPE_CONNECT) || (!to && rng_below(&pipes.random, 2))) {
        t->events.failed(t->events.user, to ? "the pipe was told not to connect" : "nobody listens there");
        pipe_leave(t);
        return SF_ERROR_NOT_SUPPORTED;
    }
    e = pipe_end_new(t, address);
    e->peer = peer;
    e->accepted = true;
    *connection = e;
    if (to) {
        e->other = pipe_end_new(to, address);
        e->other->other = e;
        pipe_wake(to);
    } else {
        pipe_break(e, "nobody listens there");
    }
    pipe_leave(t);
    return SF_OK;
}
static sf_result pipe_send(void *connection, const void *header, size_t header_bytes, const void *data, size_t bytes,
                           sf_memory memory, void *request)
{
    pipe_end *e = (pipe_end *)connection;
    pipe_transport *t;
    pipe_message *m;
    bool later, stays;
    if (e->key != PIPE_KEY) { pipes_misused("send: it was disconnected"); abort(); }
    t = e->of;
    pipe_enter(t, "send: the transport is closed");
    if (e->leaving) {
        pipes_misused("send within disconnect()");
        pipe_leave(t);
        return SF_ERROR_UNKNOWN;
    }
    if (!header || !header_bytes || header_bytes > 512) { pipes_misused("send: a bad header"); }
    if (bytes && !data) { pipes_misused("send: no data"); }
    if (memory == SF_MEMORY_DEVICE) { pipes_misused("send: memory that it does not take"); }
    if (!request) { pipes_misused("send: no request"); }
    pipes.sends++;
    if (pipes_fault(PIPE_SEND)) {
        t->events.failed(t->events.user, "the pipe was told not to send");
        pipe_leave(t);
        return SF_ERROR_UNKNOWN;
    }
    if (!e->other || e->hung) {              /* as a socket's buffer: taken, and gone; a rendezvous never ends */
        later = bytes > pipes.eager || rng_below(&pipes.random, 100) < pipes.lazy;
        if (later) {
            e->requests++;
            pipes.requests++;
            m = (pipe_message *)calloc(1, sizeof *m);
            m->from = e;
            m->request = request;
            m->next = e->dead;
            e->dead = m;
            pipes.messages++;
        }
        pipe_leave(t);
        return later ? SF_NOT_READY : SF_OK;
    }
    m = (pipe_message *)calloc(1, sizeof *m);
    pipes.messages++;
    m->header_bytes = header_bytes;
    m->bytes = bytes;
    m->header_at = header;
    m->data_at = bytes ? data : NULL;
    stays = bytes > pipes.eager;
    later = stays || rng_below(&pipes.random, 100) < pipes.lazy;
    if (later) {
        m->from = e;
        m->request = request;
        e->requests++;
        pipes.requests++;
    } else {
        pipe_message_copy(m);
        m->header_at = m->data_at = NULL;
    }
    pipe_put(e->other, m);
    pipe_leave(t);
    return later ? SF_NOT_READY : SF_OK;
}
static void pipe_fetch(pipe_message *m)
{
    memcpy(m->to, m->data_at ? m->data_at : m->data, m->bytes);
    m->fetched = true;
}
static sf_result pipe_receive(void *connection, void *message, void *data, size_t bytes, sf_memory memory,
                              void *request)
{
    pipe_end *e = (pipe_end *)connection;
    pipe_message *m = (pipe_message *)message;
    sf_result r = SF_OK;
    if (e->key != PIPE_KEY) { pipes_misused("receive: it was disconnected"); abort(); }
    pipe_enter(e->of, "receive: the transport is closed");
    if (!m || !m->offered || m->to) { pipes_misused("receive: not within arrived(), or twice"); abort(); }
    if (bytes != m->bytes || !data) { pipes_misused("receive: other bytes than the message's"); abort(); }
    if (memory == SF_MEMORY_DEVICE) { pipes_misused("receive: memory that it does not take"); }
    if (pipes_fault(PIPE_RECEIVE)) {
        r = SF_ERROR_UNKNOWN;
    } else {
        m->to = data;
        if (m->data_at || rng_below(&pipes.random, 100) < pipes.lazy) {      /* a rendezvous takes a while */
            m->get = request;
            e->requests++;
            pipes.requests++;
            r = SF_NOT_READY;
        } else {
            pipe_fetch(m);
        }
    }
    pipe_leave(e->of);
    return r;
}
static bool pipe_tell_ended(pipe_end *e)
{
    bool any = false;
    while (e->ended) {
        pipe_ended *x = e->ended;
        if (!(e->ended = x->next)) { e->ended_last = &e->ended; }
        any = true;
        e->requests--;
        pipes.requests--;
        e->of->events.ended(e->peer, x->request, x->result);
        free(x);
    }
    return any;
}
/* Hands one message over, and again if it comes twice. */
static void pipe_offer(pipe_end *e, pipe_message *m)
{
    pipe_transport *t = e->of;
    bool twice = pipes_fault(PIPE_TWICE), cut = pipes_fault(PIPE_CUT), bent = pipes_fault(PIPE_BENT);
    uint8_t header[PIPE_HEADER];
    size_t n = m->header_bytes;
    for (int i = 0; i < 1 + twice; i++) {
        void *exact;
        memcpy(header, m->header_at ? m->header_at : m->header, n);
        if (cut) { n = rng_below(&pipes.random, (uint32_t)n); }
        if (bent) { header[rng_below(&pipes.random, (uint32_t)n)] ^= (uint8_t)(1 << rng_below(&pipes.random, 8)); }
        exact = malloc(n ? n : 1);           /* of that size, so that a sanitizer sees a read behind it */
        memcpy(exact, header, n);
        m->offered = true;
        m->to = m->get = NULL;
        t->events.arrived(e->peer, exact, n, m->bytes, m->bytes ? m : NULL);
        free(exact);
        m->offered = false;
        if (twice && !i && m->get) {         /* its first fetch ends at once */
            pipe_fetch(m);
            pipe_tell_later(e, m->get, SF_OK);
            m->get = NULL;
        }
    }
    if (m->get) {                            /* a later progress() fetches it */
        m->next = NULL;
        pipe_message **at = &e->fetching;
        while (*at) { at = &(*at)->next; }
        *at = m;
        pipe_wake(t);
    } else {                                 /* also one that nobody fetched: UCX says OK to its sender */
        pipe_message_drop(m, SF_OK);
    }
}
static void pipe_garbage(pipe_end *e)
{
    for (int i = 0; i < 16; i++) {
        pipe_message *m = (pipe_message *)calloc(1, sizeof *m);
        pipes.messages++;
        m->header_bytes = 1 + rng_below(&pipes.random, 600);
        m->bytes = rng_below(&pipes.random, 3) ? 0 : 1 + rng_below(&pipes.random, 5000);
        rng_fill(&pipes.random, m->header, m->header_bytes);
        if (rng_below(&pipes.random, 2)) { memcpy(m->header, "SFL1\1", 5); }
        m->data = m->bytes ? (uint8_t *)calloc(1, m->bytes) : NULL;
        pipe_offer(e, m);
    }
    pipe_wake(e->of);
}
static bool pipe_progress_end(pipe_end *e)
{
    pipe_transport *t = e->of;
    bool any = false;
    if (!e->accepted) {
        if (e->other && !e->broken) {
            e->peer = t->events.connected(t->events.user, e);
            e->accepted = true;
        }
        if (!e->peer) {                      /* refused, or the other side is gone before anybody heard of it */
            if (e->other) { pipe_break(e->other, "it was turned away"); }
            pipe_end_free(e);
            return true;
        }
        any = true;
    }
    any = pipe_tell_ended(e) || any;
    while (e->fetching) {
        pipe_message *m = e->fetching;
        e->fetching = m->next;
        pipe_fetch(m);
        pipe_tell_later(e, m->get, SF_OK);
        pipe_message_drop(m, SF_OK);
        any = true;
    }
    if (e->garbage) {
        pipe_garbage(e);
        return true;
    }
    for (int i = 0; i < 4 && e->in; i++) {
        pipe_message *m = e->in;
        if (e->hung) { return any; }
        if (!e->told && pipes_fault(PIPE_HANG)) {
            e->hung = true;
            if (e->other) { e->other->hung = true; }
            return any;
        }
        if (!e->told && pipes_fault(PIPE_LOST)) {
            pipe_break(e, "the pipe was told to break");
            pipe_break(e->other, "the pipe was told to break");
            e->cut = true;
            if (e->other) { e->other->cut = true; }
        }
        if (pipes_fault(PIPE_GARBAGE)) { e->garbage = true; }
        if (!(e->in = m->next)) { e->in_last = &e->in; }
        any = true;
        if (e->cut) {
            pipe_message_drop(m, SF_ERROR_UNKNOWN);
        } else {
            pipe_offer(e, m);
        }
    }
    if (e->in || e->fetching || e->ended) { pipe_wake(t); }
    if (e->broken && !e->told && !e->in && !e->hung) {
        e->told = any = true;
        t->events.lost(e->peer, e->why);
    }
    return any;
}
static bool pipe_progress(void *transport)
{
    pipe_transport *t = (pipe_transport *)transport;
    bool any = false;
    uint64_t n;
    pipe_enter(t, "progress: the transport is closed");
    __atomic_fetch_add(&pipes.polls, 1, __ATOMIC_RELAXED);
    if (t->inside > 1) { pipes_misused("progress within a call"); }
    if (read(t->fd, &n, sizeof n) < 0) { n = 0; }
    for (pipe_end *e = t->ends, *next; e; e = next) {
        next = e->next;
        any = pipe_progress_end(e) || any;
    }
    pipe_leave(t);
    return any;
}
static int pipe_descriptor(void *transport)
{
    pipe_transport *t = (pipe_transport *)transport;
    int fd;
    pipe_enter(t, "descriptor: the transport is closed");
    fd = t->fd;
    pipe_leave(t);
    return fd;
}
static void pipe_disconnect(void *connection, int64_t timeout)
{
    pipe_end *e = (pipe_end *)connection, *other;
    pipe_transport *t;
    if (e->key != PIPE_KEY) { pipes_misused("disconnect: it was disconnected"); abort(); }
    t = e->of;
    pipe_enter(t, "disconnect: the transport is closed");
    other = e->other;
    if (e->leaving) { pipes_misused("disconnect within disconnect()"); abort(); }
    e->leaving = true;
    if (other) {                             /* what it has sent: gets out, or is dropped */
        bool drops = (timeout == 0 && rng_below(&pipes.random, 2)) || e->hung;
        pipe_message **at = &other->in;
        while (*at) {
            pipe_message *m = *at;
            if (drops) {
                *at = m->next;
                pipe_message_drop(m, SF_ERROR_UNKNOWN);
            } else {
                if (m->from == e) {
                    pipe_message_copy(m);
                    pipe_message_free_sender(m, SF_OK);
                }
                at = &m->next;
            }
        }
        other->in_last = at;
        for (pipe_message *m = other->fetching; m; m = m->next) {
            if (m->from != e) { continue; }
            pipe_message_copy(m);
            pipe_message_free_sender(m, SF_OK);
        }
        pipe_break(other, "the other side has disconnected");
    }
    while (e->fetching) {
        pipe_message *m = e->fetching;
        bool ends = rng_below(&pipes.random, 2) != 0;        /* both may happen */
        e->fetching = m->next;
        if (ends) { pipe_fetch(m); }
        pipe_tell_later(e, m->get, ends ? SF_OK : SF_ERROR_UNKNOWN);
        pipe_message_drop(m, SF_ERROR_UNKNOWN);
    }
    while (e->in) {                          /* what nobody got, or was not offered here */
        pipe_message *m = e->in;
        e->in = m->next;
        pipe_message_drop(m, SF_ERROR_UNKNOWN);
    }
    e->in_last = &e->in;
    while (e->dead) {
        pipe_message *m = e->dead;
        e->dead = m->next;
        pipe_message_drop(m, SF_ERROR_UNKNOWN);
    }
    (void)pipe_tell_ended(e);
    if (e->requests) { pipes_misused("the pipe itself has lost a request"); }
    pipe_end_free(e);
    pipe_leave(t);
}
static void pipe_close(void *transport)
{
    pipe_transport *t = (pipe_transport *)transport, **at = &pipes.transports;
    pipe_enter(t, "close: the transport is closed");
    for (pipe_end *e = t->ends, *next; e; e = next) {
        next = e->next;
        if (e->accepted) { pipes_misused("close before the last disconnect()"); }
        if (e->other) { pipe_break(e->other, "nobody listens there any more"); }
        pipe_end_free(e);
    }
    while (*at != t) { at = &(*at)->next; }
    *at = t->next;
    close(t->fd);
    t->key = 0;
    pipes.open--;
    pipe_leave(t);
    free(t);
}
static const sf_transport pipe_table __attribute__((unused)) = {
    "pipe", pipe_open, pipe_listen, pipe_connect, pipe_send, pipe_receive, pipe_progress, pipe_descriptor,
    pipe_disconnect, pipe_close
};

/* -- a peer that a test plays itself, message by message -- */

enum { HELLO = 1, WELCOME, REFUSE, DATA, CREDIT, END, CLOSE, BYE, PING, STOP };
static void put(uint8_t *at, uint64_t v, int bytes)          /* little-endian */
{
    for (int i = 0; i < bytes; i++) { at[i] = (uint8_t)(v >> 8 * i); }
}
static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) { v |= (uint64_t)at[i] << 8 * i; }
    return v;
}
typedef struct raw_message { uint8_t header[PIPE_HEADER], body[4096]; size_t header_bytes, bytes; } raw_message;
typedef struct raw_peer {
    void *transport, *connection;
    bool lost, refuses;
    char why[192];
    raw_message got[64];
    uint32_t count;
    uint8_t requests[256];
    uint32_t used;
    uint8_t headers[256][PIPE_HEADER];
} raw_peer;
static void *raw_connected(void *user, void *connection)
{
    raw_peer *r = (raw_peer *)user;
    if (r->connection || r->refuses) { return NULL; }
    r->connection = connection;
    return r;
}
static void raw_arrived(void *peer, const void *header, size_t header_bytes, size_t bytes, void *message)
{
    raw_peer *r = (raw_peer *)peer;
    raw_message *m = &r->got[r->count % COUNT(r->got)];
    r->count++;
    m->header_bytes = header_bytes;
    m->bytes = bytes;
    memcpy(m->header, header, header_bytes);
    if (bytes && bytes <= sizeof m->body) {
        (void)pipe_receive(r->connection, message, m->body, bytes, SF_MEMORY_HOST, &r->requests[0]);
    }
}
static void raw_ended(void *peer, void *request, sf_result result) { (void)peer, (void)request, (void)result; }
static void raw_lost(void *peer, const char *why)
{
    raw_peer *r = (raw_peer *)peer;
    r->lost = true;
    snprintf(r->why, sizeof r->why, "%s", why ? why : "");
}
static void raw_failed(void *user, const char *why) { (void)user, (void)why; }
static void raw_open(raw_peer *r, const char *address, bool listens)
{
    sf_transport_desc d;
    bool device_memory;
    memset(r, 0, sizeof *r);
    memset(&d, 0, sizeof d);
    d.events = (sf_transport_events){ r, raw_connected, raw_arrived, raw_ended, raw_lost, raw_failed };
    (void)pipe_open(&d, &r->transport, &device_memory);
    if (listens) {
        (void)pipe_listen(r->transport, address);
    } else {
        (void)pipe_connect(r->transport, address, r, &r->connection);
    }
}
static void raw_send(raw_peer *r, const void *header, size_t header_bytes, const void *data, size_t bytes)
{
    uint8_t *kept = r->headers[r->used++ % COUNT(r->headers)];               /* lives until the request ends */
    if (!r->connection) { return; }
    memcpy(kept, header, header_bytes);
    (void)pipe_send(r->connection, kept, header_bytes, data, bytes, SF_MEMORY_HOST, &r->requests[r->used % 256]);
}
static void raw_leave(raw_peer *r)
{
    if (r->connection) { pipe_disconnect(r->connection, 0); }
    r->connection = NULL;
}
static void raw_close(raw_peer *r)
{
    raw_leave(r);
    if (r->transport) { pipe_close(r->transport); }
    r->transport = NULL;
}

#endif /* LINK_PIPE_H */
