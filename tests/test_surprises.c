/*  test_surprises.c - rules of the CUDA driver that surprise, one or more rows each: what a capture refuses, in which
    order the checks come, and what a spoiled capture takes along. "Rules that surprise" in examples/streams.md says
    them in words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "rows.h"

static const char measured[] = "measured: H200, driver 580.159, CUDA 13.0, 2026-11-29 and 30";

/* -- what the rows have in common -- */

static void need_managed(setup *t) { CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0])); }
static void need_exec(setup *t)
{
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
}
static sf_capture_mode set_mode(sf_capture_mode mode)        /* of this thread; returns the one before */
{
    CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
    return mode;
}
static void begin_on(setup *t, sf_stream *s, sf_capture_mode mode)
{
    CHECK_OK(sf_stream_begin_capture(s, mode));
    CHECK_OK(work(t, s));
}
static void begin_blocking(setup *t, sf_capture_mode mode)   /* the row's capture is a blocking stream's */
{
    t->at = t->b[0];
    begin_capture(t, mode);
}
static void begin_lent(setup *t, sf_stream *s, sf_graph *graph)
{
    CHECK_OK(sf_stream_begin_capture_to_graph(s, graph, NULL, 0, SF_CAPTURE_RELAXED));
    CHECK_OK(work(t, s));
}
static void end_spoiled(sf_stream *s) { CHECK_IS(sf_stream_end_capture(s, NULL), SF_ERROR_CAPTURE_INVALIDATED); }
static sf_graph_node *first_node(const sf_graph *graph)
{
    sf_graph_node *node = NULL;
    int count = 0;
    CHECK_OK(sf_graph_get_nodes(graph, &node, 1, &count));
    CHECK(count >= 1);
    return node;
}
static sf_graph *new_graph(setup *t)
{
    sf_graph *g = NULL;
    CHECK_OK(sf_graph_create(t->device, &g));
    return g;
}
static sf_graph *add_conditional(sf_graph *graph)            /* an IF; returns its body */
{
    sf_graph *body = NULL;
    sf_node_desc desc = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &body } };
    CHECK_OK(sf_graph_conditional_create(graph, 1, true, &desc.conditional.handle));
    CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, NULL));
    return body;
}
static void *add_alloc(sf_graph *graph)
{
    void *p = NULL;
    sf_node_desc desc = { .type = SF_NODE_MEM_ALLOC, .alloc = { .bytes = 256, .ptr = &p } };
    CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, NULL));
    CHECK(p != NULL);
    return p;
}
static sf_result add_free(sf_graph *graph, void *p)
{
    sf_node_desc desc = { .type = SF_NODE_MEM_FREE, .free = p };
    return sf_graph_add_node(graph, NULL, 0, &desc, NULL);
}

/* -- attach is an unsafe call whatever the thread's mode is -- */

static sf_result attach_to(setup *t, sf_stream *s)
{
    return sf_stream_attach_mem_async(s, t->spare[0], 0, SF_ATTACH_GLOBAL);
}
static sf_result attach_elsewhere(setup *t) { return attach_to(t, t->s[1]); }
static sf_result attach_on_the_origin(setup *t)              /* arg: the capture's mode, and 10 times the thread's */
{
    need_managed(t);
    begin_capture(t, modes[t->row->arg % 10]);
    sf_capture_mode before = set_mode(modes[t->row->arg / 10]);
    sf_result r = attach_to(t, t->at);
    set_mode(before);
    return r;
}
static sf_result attach_beside_mine(setup *t)          /* arg: as above */
{
    need_managed(t);
    begin_capture(t, modes[t->row->arg % 10]);
    sf_capture_mode before = set_mode(modes[t->row->arg / 10]);
    sf_result r = attach_elsewhere(t);
    set_mode(before);
    return r;
}
static sf_result attach_beside_another(setup *t)   /* arg: as above */
{
    need_managed(t);
    begin_capture(t, modes[t->row->arg % 10]);
    return elsewhere(t, attach_elsewhere, modes[t->row->arg / 10]);
}
static sf_result attach_to_the_legacy_stream(setup *t)
{
    need_managed(t);
    begin_blocking(t, SF_CAPTURE_RELAXED);
    return attach_to(t, t->legacy);
}

/* -- prefetch and upload cannot be captured -- */

static sf_result hint(setup *t, sf_stream *s)                /* arg % 10: 0 prefetch, 1 upload */
{
    return t->row->arg % 10 ? sf_graph_upload(t->exec, s)
                            : sf_mem_prefetch_async(s, t->spare[0], 4096, true);
}
static sf_result hint_on_the_origin(setup *t)                /* arg / 10: the mode of the capture and of the thread */
{
    const sf_capture_mode mode = modes[t->row->arg / 10];
    need_managed(t), need_exec(t);
    begin_capture(t, mode);
    sf_capture_mode before = set_mode(mode);
    sf_result r = hint(t, t->at);
    set_mode(before);
    return r;
}
static sf_result hint_on_a_participant(setup *t)
{
    need_managed(t), need_exec(t);
    begin_capture(t, SF_CAPTURE_RELAXED);
    order(t->at, t->e[0], t->s[1]);
    return hint(t, t->s[1]);
}
static sf_result hint_on_the_legacy_stream(setup *t)
{
    need_managed(t), need_exec(t);
    begin_blocking(t, SF_CAPTURE_RELAXED);
    return hint(t, t->legacy);
}
static sf_result hint_beside_a_capture(setup *t)
{
    need_managed(t), need_exec(t);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(hint(t, t->legacy));            /* no blocking stream captures */
    CHECK_OK(hint(t, t->b[0]));
    return hint(t, t->s[1]);
}

/* -- attributes of a stream whose capture is invalid -- */

static sf_result attribute_call(setup *t, int call)
{
    sf_stream_value value = { .priority = 0 };
    sf_stream_resource resource;
    switch (call) {
    case 0: return sf_stream_set_attribute(t->at, SF_STREAM_PRIORITY, &value);
    case 1: return sf_stream_get_attribute(t->at, SF_STREAM_PRIORITY, &value);
    case 2: return sf_stream_copy_attributes(t->at, t->s[2]);
    case 3: return sf_stream_copy_attributes(t->s[2], t->at);
    default: return sf_stream_get_dev_resource(t->at, &resource);
    }
}
static sf_result attributes_while_invalid(setup *t)          /* arg: the call */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    invalidate(t);
    sf_result r = attribute_call(t, t->row->arg);
    CHECK_EQUAL(status_of(t->at), INVALID);
    end_spoiled(t->at);
    CHECK_OK(attribute_call(t, t->row->arg));                /* at once */
    return r;
}
static sf_result attributes_while_valid(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    for (int i = 0; i < 5; i++) { CHECK_OK(attribute_call(t, i)); }
    return SF_OK;
}
/* One stream's capture is invalid, and the other stream is the default one beside a blocking capture. */
static sf_result copy_of_both_kinds(setup *t)                /* arg: 0 to the default stream, 1 from it */
{
    begin_capture(t, SF_CAPTURE_RELAXED);
    invalidate(t);
    begin_on(t, t->b[0], SF_CAPTURE_RELAXED);
    sf_result r = t->row->arg ? sf_stream_copy_attributes(t->at, t->legacy)
                              : sf_stream_copy_attributes(t->legacy, t->at);
    end_spoiled(t->b[0]);
    return r;
}

/* -- the end on another thread -- */

static sf_result end_it(setup *t)
{
    sf_graph *g = (sf_graph *)(void *)t;
    sf_result r = sf_stream_end_capture(t->at, &g);
    CHECK(r == SF_OK ? g != NULL : !g);
    return g ? sf_graph_destroy(g) : r;
}
static sf_result end_elsewhere(setup *t)                     /* arg: the mode; 10 more: the capture is invalid */
{
    begin_capture(t, modes[t->row->arg % 10]);
    order(t->at, t->e[0], t->s[1]);
    if (t->row->arg >= 10) { invalidate(t); }
    sf_result r = elsewhere(t, end_it, SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(status_of(t->s[1]), NONE);   /* the capture is over, whatever the code is */
    return r;
}

/* -- a graph that goes with its spoiled capture -- */

enum {
    LOST_NODES, LOST_ADD, LOST_DEPEND, LOST_HANDLE, LOST_CLONE, LOST_INSTANTIATE, LOST_CAPTURE, LOST_UPDATE,
    LOST_SET, LOST_TYPE, LOST_DEPENDENCIES, LOST_CHILD, LOST_BODY
};
static sf_result use_lost(setup *t, sf_graph_node *const node[2], sf_graph *body)
{
    const sf_dependency after = { node[0], SF_DEPENDENCY_FULL };
    mix_args a = { .dst = t->data, .n = 8, .mul = 3, .add = 1 };
    const sf_node_desc empty = { .type = SF_NODE_EMPTY },
                       child = { .type = SF_NODE_CHILD, .child = t->graph },
                       kernel = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &a, sizeof a } };
    sf_graph_conditional handle;
    sf_graph *other = NULL;
    sf_graph_exec *exec = NULL;
    sf_node_type type;
    sf_dependency list[4];
    int count = 0;
    sf_result r;
    switch (t->row->arg % 100) {
    case LOST_NODES: return sf_graph_get_nodes(t->graph, NULL, 0, &count);
    case LOST_ADD: return sf_graph_add_node(t->graph, NULL, 0, &empty, NULL);
    case LOST_DEPEND: return sf_graph_add_dependencies(t->graph, node[1], &after, 1);
    case LOST_HANDLE: return sf_graph_conditional_create(t->graph, 1, true, &handle);
    case LOST_CLONE: return sf_graph_clone(t->graph, &other);
    case LOST_INSTANTIATE: return sf_graph_instantiate(t->graph, 0, &exec);
    case LOST_CAPTURE: return sf_stream_begin_capture_to_graph(t->s[2], t->graph, NULL, 0, SF_CAPTURE_RELAXED);
    case LOST_UPDATE: return sf_graph_exec_update(t->exec, t->graph);
    case LOST_TYPE: return sf_graph_node_get_type(node[0], &type);
    case LOST_DEPENDENCIES: return sf_graph_node_get_dependencies(node[0], list, 4, &count);
    case LOST_SET: return sf_graph_exec_set_node(t->exec, node[0], &kernel);
    case LOST_BODY: return sf_graph_get_nodes(body, NULL, 0, &count);
    default:
        other = new_graph(t);
        r = sf_graph_add_node(other, NULL, 0, &child, NULL);
        CHECK_OK(sf_graph_destroy(other));
        return r;
    }
}
/* arg: the call, and 100 if the origin is destroyed while it captures. Then the runner destroys the graph. */
static sf_result lost_graph(setup *t)
{
    sf_stream *s = t->row->arg < 100 ? t->s[0] : test_stream(t->device);
    const sf_node_desc empty = { .type = SF_NODE_EMPTY };
    sf_graph_node *node[2] = { NULL, NULL };
    sf_graph *body = NULL;
    need_exec(t);
    node[0] = first_node(t->graph);
    CHECK_OK(sf_graph_add_node(t->graph, NULL, 0, &empty, &node[1]));
    if (t->row->arg % 100 == LOST_BODY) { body = add_conditional(t->graph); }
    begin_lent(t, s, t->graph);
    if (s == t->at) {
        invalidate(t);
        end_spoiled(s);
    } else {
        CHECK_OK(sf_stream_destroy(s));
    }
    return use_lost(t, node, body);
}
static sf_result lost_but_not_yet(setup *t)                  /* it goes with the end, not before */
{
    const sf_node_desc empty = { .type = SF_NODE_EMPTY };
    sf_graph_node *node = NULL;
    sf_node_type type;
    t->graph = one_kernel_graph(t);
    begin_lent(t, t->at, t->graph);
    invalidate(t);
    sf_dependency after = { first_node(t->graph), SF_DEPENDENCY_FULL };
    CHECK_OK(sf_graph_add_node(t->graph, NULL, 0, &empty, &node));
    CHECK_OK(sf_graph_node_get_type(node, &type));
    CHECK_EQUAL(type, SF_NODE_EMPTY);
    CHECK_EQUAL(node_count(t->graph), 3);
    return sf_graph_add_dependencies(t->graph, node, &after, 1);
}
static sf_result lost_with_unjoined_work(setup *t)
{
    t->graph = one_kernel_graph(t);
    begin_lent(t, t->at, t->graph);
    order(t->at, t->e[0], t->s[1]);
    CHECK_OK(work(t, t->s[1]));
    CHECK_IS(sf_stream_end_capture(t->at, NULL), SF_ERROR_CAPTURE_UNJOINED);
    return sf_graph_get_nodes(t->graph, NULL, 0, &(int){ 0 });
}
static sf_result lost_with_an_executable(setup *t)           /* made before: it lives on */
{
    need_exec(t);
    begin_lent(t, t->at, t->graph);
    invalidate(t);
    end_spoiled(t->at);
    t->data[0] = 5;
    CHECK_OK(run_exec(t, t->s[1]));
    CHECK_EQUAL(t->data[0], 16);
    return SF_OK;
}
static sf_result lost_with_memory(setup *t)                  /* arg: 0 a free node, 1 a free in stream order */
{
    sf_graph *other = new_graph(t);
    t->graph = new_graph(t);
    void *p = add_alloc(t->graph);
    begin_lent(t, t->at, t->graph);
    invalidate(t);
    end_spoiled(t->at);
    sf_result r = t->row->arg ? sf_mem_free_async(t->s[1], p) : add_free(other, p);
    CHECK_OK(sf_graph_destroy(other));
    return r;
}
static sf_result lost_with_a_free_node(setup *t)             /* another graph may free that memory now */
{
    sf_graph *owner = new_graph(t), *other = new_graph(t);
    t->graph = new_graph(t);
    void *p = add_alloc(owner);
    CHECK_OK(add_free(t->graph, p));
    CHECK_IS(add_free(other, p), SF_ERROR_INVALID_VALUE);
    begin_lent(t, t->at, t->graph);
    invalidate(t);
    CHECK_IS(add_free(other, p), SF_ERROR_INVALID_VALUE);    /* not before the end */
    end_spoiled(t->at);
    sf_result r = add_free(other, p);
    CHECK_OK(sf_graph_destroy(other));
    CHECK_OK(sf_graph_destroy(owner));
    return r;
}
static sf_result lost_around_a_capture(setup *t)             /* of s[1], into a body of it */
{
    t->graph = new_graph(t);
    sf_graph *body = add_conditional(t->graph);
    t->at = t->s[1];
    begin_lent(t, t->s[1], body);
    begin_lent(t, t->s[0], t->graph);
    CHECK_IS(sf_stream_query(t->s[0]), SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK_EQUAL(status_of(t->s[1]), ACTIVE);
    end_spoiled(t->s[0]);
    CHECK_EQUAL(status_of(t->s[1]), INVALID);
    sf_result r = work(t, t->s[1]);
    end_spoiled(t->s[1]);
    return r;
}

/* -- the order of checks of a free in stream order -- */

static sf_result free_what(setup *t)         /* arg % 10: memory 0 of a graph that was never launched, 1 of a stream;
                                                / 10: 0 another stream, 1 the default one beside a blocking capture */
{
    void *p = NULL;
    if (t->row->arg % 10) {
        CHECK_OK(sf_mem_alloc_async(t->s[1], NULL, 256, &p));
        t->spare[0] = p;                     /* what is refused is not freed: the runner does that */
    } else {
        t->graph = new_graph(t);
        p = add_alloc(t->graph);
    }
    if (t->row->arg / 10) {
        begin_blocking(t, SF_CAPTURE_GLOBAL);
        return sf_mem_free_async(t->legacy, p);
    }
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_mem_free_async(t->s[1], p);
}

/* -- the order of checks of sf_graph_instantiate() -- */

enum { I_HANDLE, I_EVENT, I_BODY, I_FINE, I_CLONED };
static sf_graph *make_for(setup *t, int what)                /* returns the graph to instantiate */
{
    sf_node_desc record = { .type = SF_NODE_EVENT_RECORD, .event = t->e[0] };
    sf_graph_conditional handle;
    sf_graph *body;
    t->graph = one_kernel_graph(t);
    switch (what) {
    case I_HANDLE: CHECK_OK(sf_graph_conditional_create(t->graph, 1, true, &handle)); return t->graph;
    case I_EVENT:
        body = add_conditional(t->graph);
        CHECK_OK(sf_graph_add_node(body, NULL, 0, &record, NULL));
        return t->graph;
    case I_BODY: return add_conditional(t->graph);
    case I_CLONED:
        CHECK_OK(sf_graph_clone(t->graph, &t->copy));
        (void)add_conditional(t->graph);
        return t->graph;
    default: return t->graph;
    }
}
static sf_result instantiate_beside(setup *t)      /* arg: what */
{
    sf_graph_exec *exec = NULL;
    sf_graph *g = make_for(t, t->row->arg);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    sf_result r = sf_graph_instantiate(g, 0, &exec);
    CHECK(!exec);
    return r;
}
static sf_result instantiate_alone(setup *t)
{
    sf_graph *g = make_for(t, t->row->arg);
    sf_result r = sf_graph_instantiate(g, 0, &t->exec);
    if (t->row->arg == I_CLONED) { CHECK(strstr(sf_device_failure(t->device)->text, "clone")); }
    return r;
}
static sf_result instantiate_once_copied(setup *t)   /* arg: 0 a clone, 1 a child; 2: destroyed, 4: lost by a capture,
                                                        before the instantiation */
{
    sf_graph *copy = NULL;
    sf_node_desc child = { .type = SF_NODE_CHILD };
    child.child = t->graph = one_kernel_graph(t);
    if (t->row->arg & 1) {
        copy = new_graph(t);
        CHECK_OK(sf_graph_add_node(copy, NULL, 0, &child, NULL));
    } else {
        CHECK_OK(sf_graph_clone(t->graph, &copy));
    }
    (void)add_conditional(t->graph);
    if (t->row->arg & 2) {
        CHECK_OK(sf_graph_destroy(copy));
    } else {
        t->copy = copy;
    }
    if (t->row->arg & 4) {
        begin_lent(t, t->at, copy);
        invalidate(t);
        end_spoiled(t->at);
    }
    return sf_graph_instantiate(t->graph, 0, &t->exec);
}
static sf_result instantiate_cloned_in_vain(setup *t)        /* a refused clone does no harm */
{
    sf_graph *clone = NULL;
    t->graph = one_kernel_graph(t);
    (void)add_conditional(t->graph);
    CHECK_IS(sf_graph_clone(t->graph, &clone), SF_ERROR_NOT_SUPPORTED);
    return sf_graph_instantiate(t->graph, 0, &t->exec);
}

/* -- a conditional handle without a node; updates from a body -- */

static sf_result copy_with_a_handle(setup *t)                /* arg: 0 clone, 1 a child */
{
    sf_graph *other = t->row->arg ? new_graph(t) : NULL;
    sf_graph_conditional handle;
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_conditional_create(t->graph, 1, true, &handle));
    if (!t->row->arg) { return sf_graph_clone(t->graph, &other); }
    sf_node_desc desc = { .type = SF_NODE_CHILD, .child = t->graph };
    sf_result r = sf_graph_add_node(other, NULL, 0, &desc, NULL);
    CHECK_OK(sf_graph_destroy(other));
    return r;
}
static sf_result update_from_a_body(setup *t)                /* with the same nodes */
{
    mix_args a = { .dst = t->data, .n = 8, .mul = 3, .add = 1 };
    sf_node_desc desc = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &a, sizeof a } };
    need_exec(t);
    sf_graph *outer = new_graph(t), *body = add_conditional(outer);
    CHECK_OK(sf_graph_add_node(body, NULL, 0, &desc, NULL));
    sf_result r = sf_graph_exec_update(t->exec, body);
    CHECK_OK(run_exec(t, t->s[0]));          /* as before */
    CHECK_EQUAL(t->data[0], 1);
    CHECK_OK(sf_graph_destroy(outer));
    return r;
}

/* -- one free node for each allocation, in all graphs -- */

static sf_result free_node_twice(setup *t)   /* arg: the second one's graph: 0 the same, 1 another; 2: and the first
                                                one's graph is destroyed before; 3: that which allocates, likewise;
                                                4: and an executable was made of that while the first one was there */
{
    sf_graph *first = new_graph(t), *second = new_graph(t);
    t->graph = new_graph(t);
    void *p = add_alloc(t->graph);
    CHECK_OK(add_free(first, p));
    if (t->row->arg == 4) { CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec)); }
    if (t->row->arg >= 2) {
        CHECK_IS(add_free(second, p), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_graph_destroy(first));
    }
    sf_result r = add_free(t->row->arg >= 3 ? t->graph : t->row->arg ? second : first, p);
    if (t->row->arg >= 3) { CHECK_OK(add_free(second, p)); }
    if (t->row->arg == 2) { CHECK_IS(add_free(t->graph, p), SF_ERROR_INVALID_VALUE); }
    if (t->row->arg < 2) { CHECK_OK(sf_graph_destroy(first)); }
    CHECK_OK(sf_graph_destroy(second));
    return r;
}

/* -- a stream that has work, and captures, is destroyed -- */

static void until_set(void *flag) { while (!test_load((const uint32_t *)flag)) { test_spin(1000); } }
static sf_result query_behind_a_destroyed_origin(setup *t)   /* arg: the capture's mode */
{
    sf_stream *s = test_stream(t->device);
    CHECK_OK(sf_stream_query(t->s[1]));
    CHECK_OK(sf_launch_host_func(s, until_set, t->flag));
    CHECK_OK(sf_stream_begin_capture(s, (sf_capture_mode)t->row->arg));
    CHECK_OK(work(t, s));
    CHECK_OK(sf_stream_destroy(s));
    sf_result r = sf_stream_query(t->s[1]);
    test_store(t->flag, 1);
    return r;
}

/* -- the time between two events: `start` is checked wholly before `end` -- */

enum { T_FINE, T_NEVER, T_NO_TIMING, T_CAPTURED, T_INVALID, T_OVER };
static sf_event *event_for(setup *t, int what)               /* the captured ones are of t->at's capture, or s[1]'s */
{
    sf_event *e = NULL;
    CHECK_OK(sf_event_create(t->device, what == T_NO_TIMING ? SF_EVENT_DISABLE_TIMING : 0, &e));
    switch (what) {
    case T_CAPTURED: CHECK_OK(sf_event_record(e, t->at, 0)); break;
    case T_INVALID:
    case T_OVER:
        begin_on(t, t->s[1], SF_CAPTURE_RELAXED);
        CHECK_OK(sf_event_record(e, t->s[1], 0));
        if (what == T_OVER) {
            CHECK_OK(sf_stream_end_capture(t->s[1], NULL));
        } else {
            CHECK_IS(sf_stream_query(t->s[1]), SF_ERROR_CAPTURE_UNSUPPORTED);
        }
        break;
    case T_NEVER: break;
    default: CHECK_OK(sf_event_record(e, t->s[2], 0));
    }
    return e;
}
static sf_result time_between(setup *t)                      /* arg: start, and 10 times end */
{
    const int what[2] = { t->row->arg % 10, t->row->arg / 10 };
    float ms = 0;
    begin_capture(t, SF_CAPTURE_RELAXED);
    sf_event *start = event_for(t, what[0]), *end = event_for(t, what[1]);
    CHECK_OK(sf_stream_synchronize(t->s[2], GUARD));
    sf_result r = sf_event_elapsed_ms(start, end, &ms);
    if (what[0] == T_INVALID || what[1] == T_INVALID) { end_spoiled(t->s[1]); }
    CHECK_OK(sf_event_destroy(start));
    CHECK_OK(sf_event_destroy(end));
    return r;
}

static sf_result free_behind_an_executable(setup *t) /* arg: 0 in the graph that allocates, 1 in another */
{
    sf_graph *other = new_graph(t);
    t->graph = new_graph(t);
    void *p = add_alloc(t->graph);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
    sf_result r = add_free(t->row->arg ? other : t->graph, p);
    CHECK_OK(sf_graph_destroy(other));
    return r;
}

/* -- an external wait outside of captures, and in one -- */

static sf_result external_wait(setup *t)     /* arg: what the event is; 10 more: on the default stream; 20 more: on it
                                                beside a blocking capture */
{
    if (t->row->arg >= 20) { t->at = t->b[0]; }
    begin_capture(t, SF_CAPTURE_RELAXED);
    sf_event *e = event_for(t, t->row->arg % 10);
    sf_result r = sf_stream_wait_event(t->row->arg >= 10 ? t->legacy : t->s[3], e, SF_EVENT_WAIT_EXTERNAL);
    if (t->row->arg % 10 == T_INVALID) { end_spoiled(t->s[1]); }
    CHECK_OK(sf_event_destroy(e));
    return r;
}

static sf_result external_wait_in_a_capture(setup *t)        /* arg: what the event is, of another capture */
{
    begin_capture(t, SF_CAPTURE_RELAXED);
    sf_event *e = event_for(t, t->row->arg);
    sf_result r = sf_stream_wait_event(t->at, e, SF_EVENT_WAIT_EXTERNAL);
    CHECK_OK(sf_event_destroy(e));
    return r;
}

static sf_result values_in_managed_memory(setup *t)  /* arg: 1 in a capture */
{
    need_managed(t);
    if (t->row->arg) { begin_capture(t, SF_CAPTURE_RELAXED); }
    sf_result r = sf_stream_write_value(t->at, t->spare[0], 4, 1, 0);
    if (t->row->arg) {                       /* the capture goes on */
        CHECK_EQUAL(status_of(t->at), ACTIVE);
        CHECK_OK(sf_stream_end_capture(t->at, NULL));
    }
    return r;
}

/* -- the default stream beside captures in which blocking streams take part -- */

static sf_result launch_with_memory(setup *t)         /* arg: 0 on another stream, 1 on the default one, 2: the
                                                same, with the memory free, 3: on the stream that captures */
{
    void *p;
    t->graph = new_graph(t);
    p = add_alloc(t->graph);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
    CHECK_OK(run_exec(t, t->s[0]));
    if (t->row->arg == 2) { CHECK_OK(sf_mem_free_async(t->s[0], p)); }
    begin_blocking(t, SF_CAPTURE_RELAXED);
    sf_result r = sf_graph_launch(t->exec, t->row->arg == 3 ? t->at : t->row->arg ? t->legacy : t->s[0]);
    if (t->row->arg == 2) {                  /* it was not launched */
        end_spoiled(t->at);
        CHECK_OK(run_exec(t, t->s[0]));
    }
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    return r;
}
static sf_result all_blocking_captures_break(setup *t)       /* arg: 1: that of b[0] goes into a conditional's body */
{
    t->at = t->b[0];
    if (t->row->arg) {
        t->graph = new_graph(t);
        begin_lent(t, t->b[0], add_conditional(t->graph));
    } else {
        begin_capture(t, SF_CAPTURE_RELAXED);
    }
    begin_on(t, t->s[0], SF_CAPTURE_RELAXED);
    order(t->s[0], t->e[0], t->b[1]);        /* a blocking participant */
    begin_on(t, t->s[1], SF_CAPTURE_GLOBAL);
    sf_result r = work(t, t->legacy);
    CHECK_EQUAL(status_of(t->s[0]), INVALID);
    CHECK_EQUAL(status_of(t->s[1]), ACTIVE); /* no blocking stream in it */
    end_spoiled(t->s[0]);
    CHECK_OK(sf_stream_end_capture(t->s[1], NULL));
    CHECK_EQUAL(status_of(t->b[0]), INVALID);
    if (t->row->arg) { end_spoiled(t->b[0]); }               /* before the graph around it goes */
    return r;
}
/* -- what has joined at the end of a capture -- */

enum { J_JOINS = 1, J_WORKS = 2, J_ENDS = 4, J_ELSEWHERE = 8, J_SET = 16, J_BODY = 32 };
static sf_result end_on_this_thread(setup *t)
{
    sf_graph *g = NULL;
    sf_result r = sf_stream_end_capture(t->at, &g);
    if (r == SF_OK && g != t->graph) { CHECK_OK(sf_graph_destroy(g)); }
    return r;
}
/* A second stream takes part; arg: it works, joins, is destroyed before the end; another thread ends the capture; what
   the first stream's next node depends on is set to a node without dependencies; all this in a conditional's body. */
static sf_result end_with_a_second_stream(setup *t)
{
    const int how = t->row->arg;
    sf_stream *second = test_stream(t->device);
    const sf_node_desc empty = { .type = SF_NODE_EMPTY };
    sf_capture_info info;
    sf_dependency after = { NULL, SF_DEPENDENCY_FULL };
    if (how & J_BODY) {
        t->graph = new_graph(t);
        begin_lent(t, t->at, add_conditional(t->graph));
    } else {
        begin_capture(t, SF_CAPTURE_THREAD_LOCAL);
        CHECK_OK(work(t, t->at));
    }
    order(t->at, t->e[0], second);
    if (how & J_WORKS) { CHECK_OK(work(t, second)); }
    if (how & J_JOINS) { order(second, t->e[1], t->at); }
    if (how & J_ENDS) {
        CHECK_OK(sf_stream_destroy(second));
    } else {
        t->more = second;
    }
    if (how & J_SET) {
        CHECK_OK(sf_stream_get_capture_info(t->at, &info, NULL, 0));
        CHECK_OK(sf_graph_add_node(info.graph, NULL, 0, &empty, &after.node));
        CHECK_OK(sf_stream_update_capture_dependencies(t->at, &after, 1, SF_CAPTURE_SET_DEPENDENCIES));
    }
    if (how & J_ELSEWHERE) { return elsewhere(t, end_on_this_thread, SF_CAPTURE_GLOBAL); }
    return end_on_this_thread(t);
}
/* arg: 1: the capture's stream is of a partition; 2: one of no partition takes part, or one of a partition */
static sf_result wait_for_the_device(setup *t)
{
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING };
    if (!test_split(t->device)) { return t->row->expected; }         /* the driver has no partitions */
    desc.partition = test_partition(t->device, 0);
    CHECK_OK(sf_stream_create(t->device, &desc, &t->more));
    if (t->row->arg & 1) { t->at = t->more; }
    begin_capture(t, SF_CAPTURE_RELAXED);
    CHECK_OK(work(t, t->at));
    if (t->row->arg & 2) { order(t->at, t->e[0], t->row->arg & 1 ? t->s[1] : t->more); }
    return sf_device_synchronize(t->device, GUARD);
}
/* arg: 0 the graph has another executable, 1 it is updated itself, 2 its memory is not that of the executable */
static sf_result update_with_memory(setup *t)
{
    sf_graph *from = new_graph(t);
    sf_graph_exec *other = NULL;
    sf_result r;
    (void)add_alloc(from);
    t->graph = new_graph(t);
    if (t->row->arg == 2) { (void)add_alloc(t->graph); }
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
    if (t->row->arg != 2) { CHECK_OK(sf_graph_instantiate(from, 0, &other)); }
    r = sf_graph_exec_update(t->row->arg == 1 ? other : t->exec, from);
    if (other) { CHECK_OK(sf_graph_exec_destroy(other)); }
    CHECK_OK(sf_graph_destroy(from));
    return r;
}
static sf_result set_a_node_added_later(setup *t)            /* arg: 0 EMPTY, 1 HOST */
{
    sf_node_desc desc = { .type = t->row->arg ? SF_NODE_HOST : SF_NODE_EMPTY, .host = { count_call, &t->calls } };
    sf_graph_node *node = NULL;
    need_exec(t);
    CHECK_OK(sf_graph_add_node(t->graph, NULL, 0, &desc, &node));
    return sf_graph_exec_set_node(t->exec, node, &desc);
}
static sf_result device_pointer(setup *t)                    /* arg: sf_memory */
{
    void *p = NULL, *q = t;
    sf_result r;
    CHECK_OK(sf_mem_alloc(t->device, 256, (sf_memory)t->row->arg, &p));
    r = sf_mem_get_device_pointer(t->device, (char *)p + 64, &q);
    CHECK(q == (r == SF_OK ? (char *)p + 64 : NULL));
    CHECK_OK(sf_mem_free(t->device, p));
    return r;
}
static sf_result depend_on_a_lost_graphs_node(setup *t)
{
    sf_dependency after = { NULL, SF_DEPENDENCY_FULL };
    sf_graph *lost = t->graph = one_kernel_graph(t);
    after.node = first_node(lost);
    begin_lent(t, t->at, lost);
    invalidate(t);
    end_spoiled(t->at);
    begin_capture(t, SF_CAPTURE_RELAXED);
    CHECK_OK(work(t, t->at));
    return sf_stream_update_capture_dependencies(t->at, &after, 1, SF_CAPTURE_ADD_DEPENDENCIES);
}
static sf_result destroy_around_a_capture(setup *t)          /* its stream is gone; one into a body goes on */
{
    sf_stream *s = test_stream(t->device);
    sf_graph *g = new_graph(t), *body = add_conditional(g), *next = NULL;
    begin_lent(t, s, g);
    begin_lent(t, t->at, body);
    CHECK_OK(sf_stream_destroy(s));
    next = new_graph(t);                     /* maybe in the place of what CUDA has destroyed */
    sf_result r = sf_graph_destroy(g);
    CHECK_EQUAL(node_count(next), 0);
    CHECK_OK(sf_graph_destroy(next));
    return r;
}
static sf_result capture_around_a_default_stream(setup *t)   /* arg: 1: the body first; 2: into two bodies */
{
    sf_graph *body;
    t->graph = one_kernel_graph(t);
    body = add_conditional(t->graph);
    if (t->row->arg == 2) {
        begin_lent(t, t->s[0], add_conditional(t->graph));
        begin_lent(t, t->own, body);
        CHECK_OK(sf_stream_end_capture(t->own, NULL));
        return sf_stream_end_capture(t->s[0], NULL);
    }
    t->at = t->row->arg ? t->own : t->s[0];
    begin_lent(t, t->at, t->row->arg ? body : t->graph);
    sf_result r = sf_stream_begin_capture_to_graph(t->row->arg ? t->s[0] : t->own, t->row->arg ? t->graph : body, NULL,
                                                   0, SF_CAPTURE_RELAXED);
    CHECK_OK(sf_stream_end_capture(t->at, NULL));
    return r;
}
#define UNSUPPORTED SF_ERROR_CAPTURE_UNSUPPORTED
#define IMPLICIT SF_ERROR_CAPTURE_IMPLICIT
#define SPOILED SF_ERROR_CAPTURE_INVALIDATED
#define UNJOINED SF_ERROR_CAPTURE_UNJOINED
#define R(name, f, arg, expected, after) ROW_OF(name, f, arg, expected, after, measured)
#define LOST(name, call)                                                                                             \
    R("lost graph: " name, lost_graph, call, SF_ERROR_INVALID_VALUE, NONE),                                          \
    R("lost graph, its origin is gone: " name, lost_graph, 100 + call, SF_ERROR_INVALID_VALUE, NONE)
#define TIME(name, start, end, expected) R("elapsed: " name, time_between, T_##start + 10 * T_##end, expected, ACTIVE)
static const row rows[] = {
    R("attach: on a GLOBAL capture", attach_on_the_origin, 0, UNSUPPORTED, INVALID),
    R("attach: on a THREAD_LOCAL capture", attach_on_the_origin, 1, UNSUPPORTED, INVALID),
    R("attach: on a RELAXED capture", attach_on_the_origin, 2, UNSUPPORTED, INVALID),
    R("attach: on a RELAXED capture, thread RELAXED", attach_on_the_origin, 22, UNSUPPORTED, INVALID),
    R("attach: beside my GLOBAL one", attach_beside_mine, 0, UNSUPPORTED, INVALID),
    R("attach: beside my GLOBAL one, thread THREAD_LOCAL", attach_beside_mine, 10, UNSUPPORTED, INVALID),
    R("attach: beside my GLOBAL one, thread RELAXED", attach_beside_mine, 20, UNSUPPORTED, INVALID),
    R("attach: beside my THREAD_LOCAL one", attach_beside_mine, 1, UNSUPPORTED, INVALID),
    R("attach: beside my THREAD_LOCAL one, thread RELAXED", attach_beside_mine, 21, UNSUPPORTED, INVALID),
    R("attach: beside my RELAXED one", attach_beside_mine, 2, SF_OK, ACTIVE),
    R("attach: beside another thread's GLOBAL one", attach_beside_another, 0, UNSUPPORTED, INVALID),
    R("attach: beside another thread's GLOBAL one, thread THREAD_LOCAL", attach_beside_another, 10, UNSUPPORTED,
      INVALID),
    R("attach: beside another thread's GLOBAL one, thread RELAXED", attach_beside_another, 20, UNSUPPORTED,
      INVALID),
    R("attach: beside another thread's THREAD_LOCAL one", attach_beside_another, 1, SF_OK, ACTIVE),
    R("attach: beside another thread's RELAXED one", attach_beside_another, 2, SF_OK, ACTIVE),
    R("attach: the legacy stream beside a blocking capture", attach_to_the_legacy_stream, 0, IMPLICIT, INVALID),

    R("prefetch: on a GLOBAL capture", hint_on_the_origin, 0, UNSUPPORTED, INVALID),
    R("prefetch: on a THREAD_LOCAL capture", hint_on_the_origin, 10, UNSUPPORTED, INVALID),
    R("prefetch: on a RELAXED capture", hint_on_the_origin, 20, UNSUPPORTED, INVALID),
    R("prefetch: on a participant", hint_on_a_participant, 0, UNSUPPORTED, INVALID),
    R("prefetch: the legacy stream beside a blocking capture", hint_on_the_legacy_stream, 0, IMPLICIT, INVALID),
    R("prefetch: other streams beside a capture", hint_beside_a_capture, 0, SF_OK, ACTIVE),
    R("upload: on a GLOBAL capture", hint_on_the_origin, 1, UNSUPPORTED, INVALID),
    R("upload: on a THREAD_LOCAL capture", hint_on_the_origin, 11, UNSUPPORTED, INVALID),
    R("upload: on a RELAXED capture", hint_on_the_origin, 21, UNSUPPORTED, INVALID),
    R("upload: on a participant", hint_on_a_participant, 1, UNSUPPORTED, INVALID),
    R("upload: the legacy stream beside a blocking capture", hint_on_the_legacy_stream, 1, IMPLICIT, INVALID),
    R("upload: other streams beside a capture", hint_beside_a_capture, 1, SF_OK, ACTIVE),

    R("attributes, invalid: set", attributes_while_invalid, 0, SPOILED, NONE),
    R("attributes, invalid: get", attributes_while_invalid, 1, SPOILED, NONE),
    R("attributes, invalid: copy to", attributes_while_invalid, 2, SPOILED, NONE),
    R("attributes, invalid: copy from", attributes_while_invalid, 3, SPOILED, NONE),
    R("attributes, invalid: resource", attributes_while_invalid, 4, SPOILED, NONE),
    R("attributes, valid: all", attributes_while_valid, 0, SF_OK, ACTIVE),
    R("attributes, invalid: copy to the legacy stream", copy_of_both_kinds, 0, IMPLICIT, INVALID),
    R("attributes, invalid: copy from the legacy stream", copy_of_both_kinds, 1, IMPLICIT, INVALID),

    R("end elsewhere: GLOBAL", end_elsewhere, 0, SF_ERROR_CAPTURE_WRONG_THREAD, NONE),
    R("end elsewhere: THREAD_LOCAL", end_elsewhere, 1, SF_ERROR_CAPTURE_WRONG_THREAD, NONE),
    R("end elsewhere: RELAXED", end_elsewhere, 2, SF_OK, NONE),
    R("end elsewhere: GLOBAL, invalid", end_elsewhere, 10, SPOILED, NONE),
    R("end elsewhere: THREAD_LOCAL, invalid", end_elsewhere, 11, SPOILED, NONE),
    R("end elsewhere: RELAXED, invalid", end_elsewhere, 12, SPOILED, NONE),

    LOST("get_nodes", LOST_NODES),
    LOST("add_node", LOST_ADD),
    LOST("add_dependencies", LOST_DEPEND),
    LOST("conditional_create", LOST_HANDLE),
    LOST("clone", LOST_CLONE),
    LOST("instantiate", LOST_INSTANTIATE),
    LOST("begin_capture_to_graph", LOST_CAPTURE),
    LOST("exec_update", LOST_UPDATE),
    LOST("exec_set_node", LOST_SET),
    LOST("node_get_type", LOST_TYPE),
    LOST("node_get_dependencies", LOST_DEPENDENCIES),
    LOST("a child of it", LOST_CHILD),
    LOST("get_nodes of a body", LOST_BODY),
    R("lost graph: not before the end", lost_but_not_yet, 0, SF_OK, INVALID),
    R("lost graph: unjoined work", lost_with_unjoined_work, 0, SF_ERROR_INVALID_VALUE, NONE),
    ROW_OF("lost graph: an executable lives on", lost_with_an_executable, 0, SF_OK, NONE, "header"),
    R("lost graph: its memory, a free node", lost_with_memory, 0, SF_ERROR_INVALID_VALUE, NONE),
    R("lost graph: its memory, a free in stream order", lost_with_memory, 1, SF_ERROR_INVALID_VALUE, NONE),
    R("lost graph: what it frees", lost_with_a_free_node, 0, SF_OK, NONE),
    R("lost graph: a capture into its body", lost_around_a_capture, 0, SPOILED, NONE),
    R("lost graph: a node of it", depend_on_a_lost_graphs_node, 0, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("lost graph: destroyed with a capture into its body", destroy_around_a_capture, 0, SF_OK, INVALID),

    R("free order: the legacy stream, a graph's memory", free_what, 10, IMPLICIT, INVALID),
    R("free order: the legacy stream, a stream's memory", free_what, 11, IMPLICIT, INVALID),
    R("free order: a graph's memory that is not there yet", free_what, 0, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("free order: a stream's memory", free_what, 1, UNSUPPORTED, INVALID),

    R("instantiate order: a handle without a node", instantiate_beside, I_HANDLE, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("instantiate order: an event node in a body", instantiate_beside, I_EVENT, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("instantiate order: a body", instantiate_beside, I_BODY, SF_ERROR_NOT_SUPPORTED, ACTIVE),
    R("instantiate order: a graph that is fine", instantiate_beside, I_FINE, UNSUPPORTED, INVALID),
    R("instantiate order: cloned, then a conditional", instantiate_beside, I_CLONED, UNSUPPORTED, INVALID),
    R("cloned, then a conditional", instantiate_alone, I_CLONED, SF_ERROR_NOT_SUPPORTED, NONE),
    R("cloned, then a conditional: a clone that is gone", instantiate_once_copied, 2, SF_OK, NONE),
    R("cloned, then a conditional: a clone that is lost", instantiate_once_copied, 4, SF_OK, NONE),
    R("cloned, then a conditional: a child", instantiate_once_copied, 1, SF_ERROR_NOT_SUPPORTED, NONE),
    R("cloned, then a conditional: a child that is gone", instantiate_once_copied, 3, SF_OK, NONE),
    ROW_OF("cloned in vain, with a conditional", instantiate_cloned_in_vain, 0, SF_OK, NONE, "decision"),
    R("a handle without a node: clone", copy_with_a_handle, 0, SF_ERROR_NOT_SUPPORTED, NONE),
    R("a handle without a node: a child", copy_with_a_handle, 1, SF_ERROR_NOT_SUPPORTED, NONE),
    R("update from a body", update_from_a_body, 0, SF_ERROR_INVALID_VALUE, NONE),
    R("update, memory: the graph has another executable", update_with_memory, 0, SF_ERROR_NOT_SUPPORTED, NONE),
    R("update, memory: its own executable", update_with_memory, 1, SF_OK, NONE),
    ROW_OF("update, memory: other memory", update_with_memory, 2, SF_ERROR_GRAPH_EXEC_UPDATE, NONE, "decision"),
    R("set a node added later: EMPTY", set_a_node_added_later, 0, SF_OK, NONE),
    R("set a node added later: HOST", set_a_node_added_later, 1, SF_ERROR_INVALID_VALUE, NONE),
    R("device pointer: PINNED", device_pointer, SF_MEMORY_PINNED, SF_OK, NONE),
    R("device pointer: DEVICE", device_pointer, SF_MEMORY_DEVICE, SF_ERROR_INVALID_VALUE, NONE),
    R("device pointer: MANAGED", device_pointer, SF_MEMORY_MANAGED, SF_ERROR_INVALID_VALUE, NONE),
    R("device pointer: HOST", device_pointer, SF_MEMORY_HOST, SF_ERROR_INVALID_VALUE, NONE),

    R("joined: it did nothing", end_with_a_second_stream, 0, SF_OK, NONE),
    R("joined: it worked", end_with_a_second_stream, J_WORKS, UNJOINED, NONE),
    R("joined: it worked, and is destroyed", end_with_a_second_stream, J_WORKS | J_ENDS, UNJOINED, NONE),
    R("joined: it joined, and is destroyed", end_with_a_second_stream, J_WORKS | J_JOINS | J_ENDS, SF_OK, NONE),
    R("joined: it did nothing, dependencies are set", end_with_a_second_stream, J_SET, SF_OK, NONE),
    R("joined: it worked, dependencies are set", end_with_a_second_stream, J_WORKS | J_SET, UNJOINED, NONE),
    R("joined: another thread ends it", end_with_a_second_stream, J_ELSEWHERE, SF_ERROR_CAPTURE_WRONG_THREAD, NONE),
    R("joined: it worked, another thread ends it", end_with_a_second_stream, J_WORKS | J_ELSEWHERE, UNJOINED, NONE),
    ROW_OF("joined: a body, it worked, and is destroyed", end_with_a_second_stream, J_BODY | J_WORKS | J_ENDS,
           UNJOINED, NONE, "decision"),
    R("wait for the device: a capture", wait_for_the_device, 0, UNSUPPORTED, INVALID),
    R("wait for the device: a capture in a partition", wait_for_the_device, 1, SF_OK, ACTIVE),
    R("wait for the device: a partition's takes part", wait_for_the_device, 2, UNSUPPORTED, INVALID),
    R("wait for the device: in a partition, another takes part", wait_for_the_device, 3, UNSUPPORTED, INVALID),
    ROW_OF("body and default stream: the body last", capture_around_a_default_stream, 0, SF_ERROR_NOT_SUPPORTED,
           NONE, "decision"),
    ROW_OF("body and default stream: the body first", capture_around_a_default_stream, 1, SF_ERROR_NOT_SUPPORTED,
           NONE, "decision"),
    ROW_OF("body and default stream: two bodies", capture_around_a_default_stream, 2, SF_OK, NONE, "decision"),

    R("second free node: the same graph", free_node_twice, 0, SF_ERROR_INVALID_VALUE, NONE),
    R("second free node: another graph", free_node_twice, 1, SF_ERROR_INVALID_VALUE, NONE),
    R("second free node: the first one's graph is gone", free_node_twice, 2, SF_OK, NONE),
    R("second free node: the first one's graph is gone, that which allocates", free_node_twice, 3,
      SF_ERROR_INVALID_VALUE, NONE),
    R("second free node: the same, behind an executable", free_node_twice, 4, SF_ERROR_INVALID_VALUE, NONE),
    R("free node behind an executable: the same graph", free_behind_an_executable, 0, SF_ERROR_INVALID_VALUE, NONE),
    R("free node behind an executable: another graph", free_behind_an_executable, 1, SF_OK, NONE),

    R("destroyed beside its work: a global capture", query_behind_a_destroyed_origin, SF_CAPTURE_GLOBAL, SF_OK, NONE),
    R("destroyed beside its work: a capture of the thread's", query_behind_a_destroyed_origin, SF_CAPTURE_THREAD_LOCAL,
      SF_OK, NONE),

    TIME("start captured, end never recorded", CAPTURED, NEVER, SF_ERROR_CAPTURED_EVENT),
    TIME("start captured, end of one that is over", CAPTURED, OVER, SF_ERROR_CAPTURED_EVENT),
    TIME("start of one that is over, end captured", OVER, CAPTURED, SF_ERROR_INVALID_VALUE),
    TIME("start of an invalid one, end captured", INVALID, CAPTURED, SF_ERROR_INVALID_VALUE),
    TIME("start of one that is over, end never recorded", OVER, NEVER, SF_ERROR_INVALID_VALUE),
    TIME("start never recorded, end captured", NEVER, CAPTURED, SF_ERROR_INVALID_HANDLE),
    TIME("start never recorded, end of one that is over", NEVER, OVER, SF_ERROR_INVALID_HANDLE),
    TIME("start without timing, end captured", NO_TIMING, CAPTURED, SF_ERROR_INVALID_HANDLE),
    TIME("start without timing, end of an invalid one", NO_TIMING, INVALID, SF_ERROR_INVALID_HANDLE),
    TIME("end captured", FINE, CAPTURED, SF_ERROR_CAPTURED_EVENT),
    TIME("end of one that is over", FINE, OVER, SF_ERROR_INVALID_VALUE),
    TIME("end of an invalid one", FINE, INVALID, SF_ERROR_INVALID_VALUE),
    TIME("end never recorded", FINE, NEVER, SF_ERROR_INVALID_HANDLE),
    TIME("end without timing", FINE, NO_TIMING, SF_ERROR_INVALID_HANDLE),

    R("external wait: an event of a capture that is over", external_wait, T_OVER, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("external wait: an event of an invalid capture", external_wait, T_INVALID, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("external wait: an event of a valid capture", external_wait, T_CAPTURED, SF_ERROR_ILLEGAL_STATE, ACTIVE),
    R("external wait: an event that is recorded", external_wait, T_FINE, SF_ERROR_ILLEGAL_STATE, ACTIVE),
    R("external wait: an event that never was", external_wait, T_NEVER, SF_ERROR_ILLEGAL_STATE, ACTIVE),
    R("external wait: the legacy stream, one that is over", external_wait, 10 + T_OVER, SF_ERROR_ILLEGAL_STATE,
      ACTIVE),
    R("external wait: the legacy stream, an invalid one", external_wait, 10 + T_INVALID, SF_ERROR_ILLEGAL_STATE,
      ACTIVE),
    R("external wait: the legacy stream, a valid one", external_wait, 10 + T_CAPTURED, SF_ERROR_ILLEGAL_STATE,
      ACTIVE),
    R("external wait: the legacy stream beside a blocking capture", external_wait, 20 + T_OVER,
      SF_ERROR_ILLEGAL_STATE, ACTIVE),
    R("external wait in a capture: an event of one that is over", external_wait_in_a_capture, T_OVER,
      SF_ERROR_INVALID_VALUE, INVALID),
    R("external wait in a capture: an event that is recorded", external_wait_in_a_capture, T_FINE, SF_OK, ACTIVE),
    R("values in managed memory", values_in_managed_memory, 0, SF_ERROR_INVALID_VALUE, NONE),
    R("values in managed memory: in a capture", values_in_managed_memory, 1, SF_ERROR_INVALID_VALUE, NONE),

    R("launch, memory in use: another stream", launch_with_memory, 0, SF_ERROR_INVALID_VALUE, ACTIVE),
    R("launch, memory in use: the legacy stream", launch_with_memory, 1, IMPLICIT, INVALID),
    R("launch, memory free: the legacy stream", launch_with_memory, 2, IMPLICIT, NONE),
    R("launch, memory in use: the stream that captures", launch_with_memory, 3, UNSUPPORTED, INVALID),

    R("legacy stream: all captures of blocking streams", all_blocking_captures_break, 0, IMPLICIT, INVALID),
    R("legacy stream: beside a capture into a body", all_blocking_captures_break, 1, IMPLICIT, NONE),
};

int main(int argc, char **argv) { return run_rows("surprises", rows, COUNT(rows), NULL, 0, argc, argv); }
