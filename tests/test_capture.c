/*  test_capture.c - stream capture, rule by rule: who may begin and end one, what joins it, what breaks it, and from
    which thread; then captures of any shape, and the library's own work beside one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"
#include "rows.h"
#include "traffic.h"

/* -- calls on a stream, by number -- */

typedef enum command {
    C_LAUNCH, C_MEMSET, C_MEMCPY, C_MEMCPY_2D, C_HOST_FUNC, C_RECORD, C_WAIT, C_WRITE_VALUE, C_WAIT_VALUE, C_ALLOC,
    C_CALLBACK, C_ATTACH, C_GRAPH_LAUNCH, C_QUERY, C_SYNCHRONIZE
} command;
static void ignore_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, count_call(user); }
/* What the commands below need, made before the capture. */
static void need_managed(setup *t) { CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0])); }
static void need_exec(setup *t)
{
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
}
static sf_result enqueue(setup *t, sf_stream *s, int what)
{
    void *p = NULL;
    switch (what) {
    case C_LAUNCH: return work(t, s);
    case C_MEMSET: return sf_memset_async(s, t->data + 16, 1, 16);
    case C_MEMCPY: return sf_memcpy_async(s, t->gpu, t->data, 16);
    case C_MEMCPY_2D: return sf_memcpy_2d_async(s, t->gpu, 16, t->data, 32, 8, 3);
    case C_HOST_FUNC: return sf_launch_host_func(s, count_call, &t->calls);
    case C_RECORD: return sf_event_record(t->e[5], s, 0);
    case C_WAIT: return sf_stream_wait_event(s, t->e[4], 0);
    case C_WRITE_VALUE: return sf_stream_write_value(s, t->data + 40, 4, 7, 0);
    case C_WAIT_VALUE: return sf_stream_wait_value(s, t->data + 41, 4, 0, SF_WAIT_VALUE_GEQ);
    case C_ALLOC: return sf_mem_alloc_async(s, NULL, 256, &p);
    case C_CALLBACK: return sf_stream_add_callback(s, ignore_callback, &t->calls, 0);
    case C_ATTACH: return sf_stream_attach_mem_async(s, t->spare[0], 0, SF_ATTACH_GLOBAL);
    case C_GRAPH_LAUNCH: return sf_graph_launch(t->exec, s);
    case C_QUERY: return sf_stream_query(s);
    default: return sf_stream_synchronize(s, GUARD);
    }
}

/* -- 2.12: begin -- */

static sf_result begin_null(setup *t) { return (void)t, sf_stream_begin_capture(NULL, SF_CAPTURE_GLOBAL); }
static sf_result begin_destroyed(setup *t)
{
    sf_stream *s = test_stream(t->device);
    CHECK_OK(sf_stream_destroy(s));
    return sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL);
}
static sf_result begin_what_is_no_stream(setup *t)
{
    return sf_stream_begin_capture((sf_stream *)(void *)t->e[0], SF_CAPTURE_GLOBAL);
}
static sf_result begin_on_the_default_stream(setup *t)
{
    for (size_t i = 1; i < COUNT(modes); i++) {
        CHECK_IS(sf_stream_begin_capture(t->legacy, modes[i]), SF_ERROR_CAPTURE_UNSUPPORTED);
    }
    return sf_stream_begin_capture(t->legacy, SF_CAPTURE_GLOBAL);
}
static sf_result begin_per_thread(setup *t)
{
    t->at = t->own;
    CHECK_OK(sf_stream_begin_capture(t->own, SF_CAPTURE_GLOBAL));
    return work(t, t->own);
}
static sf_result begin_blocking(setup *t)
{
    t->at = t->b[0];
    CHECK_OK(sf_stream_begin_capture(t->b[0], SF_CAPTURE_GLOBAL));
    return work(t, t->b[0]);
}
static sf_result begin_mode(setup *t) { return sf_stream_begin_capture(t->at, (sf_capture_mode)t->row->arg); }
static sf_result begin_twice(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_begin_capture(t->at, SF_CAPTURE_RELAXED);
}
static sf_result begin_on_a_participant(setup *t)
{
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    r = sf_stream_begin_capture(t->s[1], SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(status_of(t->s[1]), ACTIVE);
    return r;
}
static sf_result begin_on_an_invalidated_one(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    invalidate(t);
    return sf_stream_begin_capture(t->at, SF_CAPTURE_GLOBAL);
}
static sf_result begin_on_an_invalidated_participant(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    invalidate(t);
    return sf_stream_begin_capture(t->s[1], SF_CAPTURE_GLOBAL);
}
static sf_result begin_again_after_the_end(setup *t)
{
    for (size_t i = 0; i < 6; i++) {
        sf_graph *g = NULL;
        CHECK_OK(sf_stream_begin_capture(t->at, modes[i % 3]));
        CHECK_OK(work(t, t->at));
        CHECK_OK(sf_stream_end_capture(t->at, &g));
        CHECK_EQUAL(node_count(g), 1);
        CHECK_OK(sf_graph_destroy(g));
    }
    return sf_stream_begin_capture(t->at, SF_CAPTURE_GLOBAL);
}
static sf_result begin_with_work_pending(setup *t)
{
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 7, 0));
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_RELAXED));
    CHECK_OK(test_mix(t->s[0], t->data + 1, t->data, 1, 1, 1, 0));
    test_store(t->flag, 1);
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 1);    /* what was pending belongs to the stream, not to the graph */
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_EQUAL(t->data[0], 7);
    CHECK_EQUAL(t->data[1], 8);
    return SF_OK;
}
static sf_result several_on_a_thread(setup *t)
{
    sf_graph *g[3] = { NULL, NULL, NULL };
    for (uint32_t i = 0; i < 3; i++) { CHECK_OK(sf_stream_begin_capture(t->s[i], modes[i])); }
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k <= i; k++) { CHECK_OK(work(t, t->s[i])); }
        for (uint32_t k = 0; k < i; k++) { CHECK(capture_id(t->s[i]) != capture_id(t->s[k])); }
    }
    for (uint32_t i = 3; i-- > 0;) {
        CHECK_OK(sf_stream_end_capture(t->s[i], &g[i]));
        CHECK_EQUAL(node_count(g[i]), i + 1);
        CHECK_OK(sf_graph_destroy(g[i]));
    }
    return SF_OK;
}
typedef struct host_call { setup *t; sf_result (*func)(setup *t); sf_result result; } host_call;
static void host_call_func(void *user)
{
    host_call *c = (host_call *)user;
    c->result = c->func(c->t);
}
static sf_result in_a_host_function(setup *t, sf_result (*func)(setup *t))
{
    host_call c = { t, func, SF_OK };
    CHECK_OK(sf_launch_host_func(t->s[3], host_call_func, &c));
    CHECK_OK(sf_stream_synchronize(t->s[3], GUARD));
    return c.result;
}
static sf_result just_begin(setup *t) { return sf_stream_begin_capture(t->s[0], SF_CAPTURE_RELAXED); }
static sf_result begin_in_a_host_function(setup *t) { return in_a_host_function(t, just_begin); }

/* -- 2.17: begin to a graph -- */

static sf_result to_graph_gives_it_back(setup *t)
{
    sf_graph *g = NULL;
    CHECK_OK(sf_graph_create(t->device, &t->graph));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 0, SF_CAPTURE_GLOBAL));
    CHECK_OK(work(t, t->at));
    CHECK_OK(sf_stream_end_capture(t->at, &g));
    CHECK(g == t->graph);
    CHECK_EQUAL(node_count(g), 1);
    CHECK_OK(sf_graph_instantiate(g, 0, &t->exec));
    CHECK_OK(run_exec(t, t->at));
    CHECK_EQUAL(t->data[0], 1);
    return SF_OK;
}
static sf_result to_graph_null(setup *t)
{
    return sf_stream_begin_capture_to_graph(t->at, NULL, NULL, 0, SF_CAPTURE_GLOBAL);
}
static sf_result to_graph_destroyed(setup *t)
{
    sf_graph *g = one_kernel_graph(t);
    CHECK_OK(sf_graph_destroy(g));
    return sf_stream_begin_capture_to_graph(t->at, g, NULL, 0, SF_CAPTURE_GLOBAL);
}
static sf_result to_graph_mode(setup *t)
{
    t->graph = one_kernel_graph(t);
    return sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 0, (sf_capture_mode)t->row->arg);
}
static sf_result to_graph_on_the_default_stream(setup *t)
{
    t->graph = one_kernel_graph(t);
    return sf_stream_begin_capture_to_graph(t->legacy, t->graph, NULL, 0, SF_CAPTURE_GLOBAL);
}
static sf_result to_graph_while_capturing(setup *t)
{
    t->graph = one_kernel_graph(t);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 0, SF_CAPTURE_GLOBAL);
}
static sf_result to_graph_under_capture(setup *t)
{
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_stream_begin_capture_to_graph(t->s[1], t->graph, NULL, 0, SF_CAPTURE_RELAXED));
    sf_result r = sf_stream_begin_capture_to_graph(t->s[0], t->graph, NULL, 0, SF_CAPTURE_RELAXED);
    CHECK_OK(sf_stream_end_capture(t->s[1], NULL));
    return r;
}
static sf_result to_graph_after_the_same_twice(setup *t)
{
    sf_dependency after[2] = { { NULL, SF_DEPENDENCY_FULL } };
    sf_capture_info info;
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_get_nodes(t->graph, &after[0].node, 1, &(int){ 0 }));
    after[1] = after[0];
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, t->graph, after, 2, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_get_capture_info(t->at, &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 1);
    CHECK_OK(work(t, t->at));
    return sf_stream_end_capture(t->at, NULL);
}
static sf_result to_graph_after_a_node_of_another(setup *t)
{
    sf_graph *other = one_kernel_graph(t);
    sf_dependency after = { NULL, SF_DEPENDENCY_FULL };
    sf_result r;
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_get_nodes(other, &after.node, 1, &(int){ 0 }));
    r = sf_stream_begin_capture_to_graph(t->at, t->graph, &after, 1, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_graph_destroy(other));
    return r;
}
static sf_result to_graph_after_null(setup *t)
{
    t->graph = one_kernel_graph(t);
    return sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 1, SF_CAPTURE_GLOBAL);
}
/* What is there is kept; what is captured comes after the nodes given, and the second capture after nothing. */
static sf_result to_graph_goes_on_where_told(setup *t)
{
    sf_graph_node *nodes[4];
    sf_dependency after[4] = { { NULL, SF_DEPENDENCY_FULL } }, got[4];
    sf_graph *g = NULL;
    sf_capture_info info;
    int count = 0;
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_get_nodes(t->graph, &after[0].node, 1, &count));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, t->graph, after, 1, SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(sf_stream_get_capture_info(t->at, &info, got, 4));
    CHECK_EQUAL(info.dependencies, 1);
    CHECK(info.graph == t->graph && got[0].node == after[0].node);
    CHECK_OK(test_mix(t->at, t->data, NULL, 8, 5, 2, 0));
    CHECK_OK(sf_stream_end_capture(t->at, &g));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 0, SF_CAPTURE_RELAXED));
    CHECK_OK(test_mix(t->at, t->data + 64, NULL, 8, 5, 2, 0));
    CHECK_OK(sf_stream_end_capture(t->at, &g));
    CHECK_EQUAL(node_count(g), 3);
    CHECK_OK(sf_graph_get_nodes(g, nodes, 4, &count));
    for (int i = 0, roots = 0; i < 3; i++) {
        CHECK_OK(sf_graph_node_get_dependencies(nodes[i], got, 4, &count));
        roots += count == 0;
        if (count) { CHECK(count == 1 && got[0].node == after[0].node); }
        if (i == 2) { CHECK_EQUAL(roots, 2); }
    }
    CHECK_OK(sf_graph_instantiate(g, 0, &t->exec));
    CHECK_OK(run_exec(t, t->s[2]));
    CHECK_OK(run_exec(t, t->s[3]));
    CHECK_EQUAL(t->data[0], ((1 * 5 + 2) * 3 + 1) * 5 + 2);
    CHECK_EQUAL(t->data[64], 2 * 5 + 2);
    return SF_OK;
}
static sf_result to_graph_invalidated(setup *t)              /* the user still destroys it: see test_surprises.c */
{
    sf_graph *g = NULL;
    sf_result r;
    CHECK_OK(sf_graph_create(t->device, &t->graph));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, t->graph, NULL, 0, SF_CAPTURE_GLOBAL));
    CHECK_OK(work(t, t->at));
    invalidate(t);
    r = sf_stream_end_capture(t->at, &g);
    CHECK(!g);
    return r;
}
static sf_result to_a_body_invalidated(setup *t)             /* so does the body: it is captured into again */
{
    sf_graph *body = NULL, *g = NULL;
    sf_node_desc desc = { .type = SF_NODE_CONDITIONAL };
    sf_result r;
    CHECK_OK(sf_graph_create(t->device, &t->graph));
    CHECK_OK(sf_graph_conditional_create(t->graph, 1, true, &desc.conditional.handle));
    desc.conditional.bodies = 1, desc.conditional.body = &body;
    CHECK_OK(sf_graph_add_node(t->graph, NULL, 0, &desc, NULL));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, body, NULL, 0, SF_CAPTURE_GLOBAL));
    CHECK_OK(test_mix(t->at, t->data, NULL, 8, 1, 1, 0));
    order(t->at, t->e[0], t->s[1]);
    CHECK_OK(test_mix(t->s[1], t->data, NULL, 8, 3, 1, 0));  /* never joined */
    invalidate(t);
    CHECK_IS(work(t, t->at), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK_IS(work(t, t->s[1]), SF_ERROR_CAPTURE_INVALIDATED);
    r = sf_stream_end_capture(t->at, &g);
    CHECK(!g);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, body, NULL, 0, SF_CAPTURE_GLOBAL));
    order(t->at, t->e[0], t->s[1]);
    CHECK_OK(test_mix(t->s[1], t->data, NULL, 8, 3, 1, 0));
    CHECK_IS(sf_stream_end_capture(t->at, &g), SF_ERROR_CAPTURE_UNJOINED);
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, body, NULL, 0, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_end_capture(t->at, &g));
    CHECK(g == body);
    return r;
}
static sf_result to_the_body_of_a_conditional(setup *t)      /* whose value is 1 by default: it runs each time */
{
    sf_graph *body = NULL, *g = NULL;
    sf_node_desc desc = { .type = SF_NODE_CONDITIONAL };
    CHECK_OK(sf_graph_create(t->device, &t->graph));
    CHECK_OK(sf_graph_conditional_create(t->graph, 1, true, &desc.conditional.handle));
    desc.conditional.type = SF_GRAPH_IF, desc.conditional.bodies = 1, desc.conditional.body = &body;
    CHECK_OK(sf_graph_add_node(t->graph, NULL, 0, &desc, NULL));
    CHECK_OK(sf_stream_begin_capture_to_graph(t->at, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(test_mix(t->at, t->data, NULL, 8, 3, 1, 0));
    CHECK_OK(test_mix(t->at, t->data, NULL, 8, 5, 2, 0));
    CHECK_OK(sf_stream_end_capture(t->at, &g));
    CHECK(g == body);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
    CHECK_OK(run_exec(t, t->at));
    CHECK_EQUAL(t->data[0], 7);
    CHECK_OK(run_exec(t, t->at));
    CHECK_EQUAL(t->data[0], (7 * 3 + 1) * 5 + 2);
    return SF_OK;
}

/* -- 2.13: end -- */

static sf_result end_it(setup *t)                            /* of t->at, by whoever calls */
{
    sf_graph *g = NULL;
    sf_result r = sf_stream_end_capture(t->at, &g);
    if (r == SF_OK) { r = g ? sf_graph_destroy(g) : SF_ERROR_UNKNOWN; }
    return r < 0 && g ? SF_ERROR_UNKNOWN : r;                /* a graph comes with SF_OK, and only then */
}
static sf_result end_null(setup *t) { return (void)t, sf_stream_end_capture(NULL, NULL); }
static sf_result end_destroyed(setup *t)
{
    sf_stream *s = test_stream(t->device);
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_destroy(s));
    return sf_stream_end_capture(s, NULL);
}
static sf_result end_what_does_not_capture(setup *t)
{
    sf_stream *s = t->row->arg == 0 ? t->s[0] : t->row->arg == 1 ? t->legacy : t->own;
    sf_graph *g = NULL;
    sf_result r = sf_stream_end_capture(s, &g);
    CHECK(!g);
    return r;
}
static sf_result end_on_a_participant(setup *t)
{
    sf_graph *g = NULL;
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    r = sf_stream_end_capture(t->s[1], &g);
    CHECK(!g);
    CHECK_EQUAL(status_of(t->s[1]), INVALID);
    return r;
}
static sf_result end_with_work_not_joined(setup *t)
{
    sf_graph *g = NULL;
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    CHECK_OK(work(t, t->s[1]));
    r = sf_stream_end_capture(t->s[0], &g);
    CHECK(!g);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    return r;
}
static sf_result end_with_work_after_the_join(setup *t)
{
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    CHECK_OK(work(t, t->s[1]));
    order(t->s[1], t->e[1], t->s[0]);
    CHECK_OK(work(t, t->s[1]));
    r = end_it(t);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    return r;
}
static sf_result end_with_an_idle_fork(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    CHECK_OK(end_it(t));
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    return SF_OK;
}
static sf_result end_with_a_chain_of_forks(setup *t)         /* 0 -> 1 -> 2 -> 3, joined backwards */
{
    uint32_t sum = 0;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_OK(test_mix(t->s[i], t->data, NULL, 8, 3, i, 300));
        if (i < 3) { order(t->s[i], t->e[i], t->s[i + 1]); }
    }
    for (uint32_t i = 3; i > 0; i--) {
        order(t->s[i], t->e[3], t->s[i - 1]);
        CHECK_OK(test_mix(t->s[i - 1], t->data, NULL, 8, 5, i, 300));
    }
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 7);
    for (uint32_t k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 4; i++) { sum = sum * 3 + i; }
        for (uint32_t i = 3; i > 0; i--) { sum = sum * 5 + i; }
        CHECK_OK(run_exec(t, t->s[k]));
        CHECK_EQUAL(t->data[7], sum);
    }
    return SF_OK;
}
static sf_result end_with_unjoined_work_taken_out(setup *t)  /* it is in the graph, and nobody has to wait for it */
{
    sf_graph *g = NULL;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    CHECK_OK(work(t, t->s[1]));
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[1], NULL, 0, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(sf_stream_end_capture(t->s[0], &g));
    CHECK_EQUAL(node_count(g), 2);
    return sf_graph_destroy(g);
}
static sf_result end_invalidated(setup *t)
{
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    invalidate(t);
    CHECK_EQUAL(status_of(t->s[0]), INVALID);
    CHECK_EQUAL(status_of(t->s[1]), INVALID);
    r = end_it(t);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    for (int i = 0; i < 2; i++) {            /* at once */
        t->data[i] = 5;
        CHECK_OK(test_mix(t->s[i], t->data + i, NULL, 1, 3, 1, 0));
        CHECK_OK(sf_stream_synchronize(t->s[i], GUARD));
        CHECK_EQUAL(t->data[i], 16);
    }
    return r;
}
static sf_result end_on_another_thread(setup *t)             /* arg: the capture's mode */
{
    begin_capture(t, modes[t->row->arg]);
    return elsewhere(t, end_it, SF_CAPTURE_GLOBAL);
}
static sf_result end_after_another_thread_tried(setup *t)
{
    begin_capture(t, modes[t->row->arg]);
    CHECK_IS(elsewhere(t, end_it, SF_CAPTURE_GLOBAL), SF_ERROR_CAPTURE_WRONG_THREAD);
    return end_it(t);
}
static sf_result end_and_drop_the_graph(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_end_capture(t->at, NULL);
}
static sf_result end_with_nothing_captured(setup *t)
{
    CHECK_OK(sf_stream_begin_capture(t->at, SF_CAPTURE_GLOBAL));
    CHECK_OK(end_to_exec(t, t->at));
    CHECK(t->graph != NULL);
    CHECK_EQUAL(node_count(t->graph), 0);
    CHECK_OK(sf_graph_launch(t->exec, t->legacy));
    return sf_stream_synchronize(t->legacy, GUARD);
}
static sf_result end_twice(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(end_it(t));
    return end_it(t);
}
static sf_result end_in_a_host_function(setup *t)            /* waited for before the capture can forbid it */
{
    host_call c = { t, end_it, SF_OK };
    CHECK_OK(test_gate(t->s[3], t->flag, 1));
    CHECK_OK(sf_launch_host_func(t->s[3], host_call_func, &c));
    begin_capture(t, SF_CAPTURE_RELAXED);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[3], GUARD));
    return c.result;
}
static sf_result begin_it(setup *t)
{
    sf_result r = sf_stream_begin_capture(t->at, modes[t->row->arg]);
    return r ? r : work(t, t->at);
}
static sf_result end_what_a_thread_began_that_is_gone(setup *t)
{
    CHECK_OK(elsewhere(t, begin_it, SF_CAPTURE_GLOBAL));
    return end_it(t);
}
static sf_result end_by_the_next_thread(setup *t)            /* which may have got the first one's memory, no more */
{
    CHECK_OK(elsewhere(t, begin_it, SF_CAPTURE_GLOBAL));
    return elsewhere(t, end_it, SF_CAPTURE_GLOBAL);
}
static sf_result enqueued_by_another_thread(setup *t)
{
    return work(t, t->at);
}
static sf_result another_thread_adds_to_it(setup *t)
{
    for (size_t i = 0; i < 3; i++) {
        sf_graph *g = NULL;
        begin_capture(t, modes[i]);
        CHECK_OK(elsewhere(t, enqueued_by_another_thread, SF_CAPTURE_GLOBAL));
        CHECK_OK(sf_stream_end_capture(t->at, &g));
        CHECK_EQUAL(node_count(g), 2);
        CHECK_OK(sf_graph_destroy(g));
    }
    return SF_OK;
}

/* -- 2.6: destroyed meanwhile -- */

static sf_result the_origin_is_destroyed(setup *t)           /* the capture with it: nothing is forbidden any more */
{
    sf_stream *s = test_stream(t->device);
    void *p = NULL;
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
    CHECK_OK(work(t, s));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_mem_alloc(t->device, 64, SF_MEMORY_DEVICE, &p));
    CHECK_EQUAL(t->data[0], 0);
    return sf_mem_free(t->device, p);
}
static sf_result a_participant_of_a_destroyed_origin(setup *t)       /* is a stream as any other */
{
    sf_stream *s = test_stream(t->device);
    CHECK_OK(sf_stream_begin_capture(s, t->row->arg ? SF_CAPTURE_RELAXED : SF_CAPTURE_GLOBAL));
    CHECK_OK(work(t, s));
    order(s, t->e[0], t->s[1]);
    CHECK_OK(test_mix(t->s[1], t->data + 64, NULL, 1, 1, 100, 0));
    CHECK_OK(sf_event_record(t->e[1], t->s[1], 0));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    CHECK_IS(sf_event_query(t->e[0]), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_event_query(t->e[1]), SF_ERROR_INVALID_VALUE);
    CHECK_OK(test_mix(t->s[1], t->data + 64, NULL, 1, 1, 7, 0));
    CHECK_OK(sf_event_record(t->e[1], t->s[1], 0));
    CHECK_OK(sf_event_synchronize(t->e[1], GUARD));
    CHECK_EQUAL(t->data[64], 7);
    return sf_stream_end_capture(t->s[1], NULL);
}
static sf_result a_participant_is_destroyed(setup *t)        /* arg: whether it captured anything */
{
    sf_stream *s = test_stream(t->device);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], s);
    if (t->row->arg) {
        CHECK_OK(work(t, s));
        order(s, t->e[1], t->s[0]);
    }
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph));
    CHECK_EQUAL(node_count(t->graph), t->row->arg ? 2 : 1);
    return SF_OK;
}
static sf_result an_event_is_destroyed(setup *t)             /* between the record and the use of its order */
{
    sf_event *e = test_event(t->device);
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 8, 3, 1, 1000));
    order(t->s[0], e, t->s[1]);
    CHECK_OK(sf_event_destroy(e));
    CHECK_OK(test_mix(t->s[1], t->data, NULL, 8, 5, 2, 0));
    order(t->s[1], t->e[0], t->s[0]);
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_EQUAL(t->data[0], 7);
    return SF_OK;
}

static sf_result an_event_in_the_place_of_another(setup *t)  /* has nothing of that one's capture */
{
    static sf_event *e[300];
    sf_event *first = test_event(t->device);
    begin_capture(t, SF_CAPTURE_RELAXED);
    CHECK_OK(sf_event_record(first, t->s[0], 0));
    CHECK_OK(sf_event_destroy(first));
    for (size_t i = 0; i < COUNT(e); i++) { e[i] = test_event(t->device); }
    for (size_t i = 0; i < COUNT(e); i++) {
        CHECK_OK(sf_event_query(e[i]));
        CHECK_OK(sf_stream_wait_event(t->s[1], e[i], 0));
    }
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    for (size_t i = 0; i < COUNT(e); i++) { CHECK_OK(sf_event_destroy(e[i])); }
    return SF_OK;
}
static sf_result a_stream_in_the_place_of_another(setup *t)
{
    static sf_stream *s[100];
    sf_stream *first = test_stream(t->device);
    begin_capture(t, SF_CAPTURE_RELAXED);
    order(t->s[0], t->e[0], first);
    CHECK_OK(sf_stream_destroy(first));
    for (size_t i = 0; i < COUNT(s); i++) { s[i] = test_stream(t->device); }
    for (size_t i = 0; i < COUNT(s); i++) {
        CHECK_EQUAL(status_of(s[i]), NONE);
        CHECK_OK(test_mix(s[i], t->data + 64, NULL, 1, 1, 1, 0));
        CHECK_OK(sf_stream_synchronize(s[i], GUARD));
        CHECK_OK(sf_stream_destroy(s[i]));
    }
    CHECK_EQUAL(t->data[64], COUNT(s));
    return SF_OK;
}

/* -- 2.9: events -- */

static sf_result a_wait_joins_the_capture(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    order(t->s[0], t->e[0], t->s[1]);
    CHECK_EQUAL(status_of(t->s[1]), ACTIVE);
    CHECK(capture_id(t->s[0]) == capture_id(t->s[1]));
    CHECK_EQUAL(status_of(t->s[2]), NONE);
    return SF_OK;
}
static sf_result a_blocking_stream_joins(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->b[0]);
    CHECK_EQUAL(status_of(t->b[0]), ACTIVE);
    CHECK_OK(work(t, t->b[0]));
    order(t->b[0], t->e[1], t->s[0]);
    return SF_OK;
}
static sf_result the_stream_of_the_thread_joins(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->own);
    CHECK_EQUAL(status_of(t->own), ACTIVE);
    CHECK_OK(work(t, t->own));
    order(t->own, t->e[1], t->s[0]);
    return SF_OK;
}
static sf_result wait_for_one_from_before(setup *t)          /* arg: whether it is complete */
{
    sf_result r;
    if (!t->row->arg) { CHECK_OK(test_gate(t->s[1], t->flag, 1)); }
    CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));
    if (t->row->arg) { CHECK_OK(sf_event_synchronize(t->e[0], GUARD)); }
    begin_capture(t, SF_CAPTURE_GLOBAL);
    r = sf_stream_wait_event(t->s[0], t->e[0], 0);
    test_store(t->flag, 1);
    return r;
}
static void check_spoiler(setup *t)          /* the failure names the call that spoiled the capture */
{
    const char *text = sf_device_failure(t->device)->text;
    if (ordering != BY_HAND && !strstr(text, "() was refused and spoiled the capture")) { fail_msg("%s", text); }
}
static sf_result wait_for_one_from_outside(setup *t)         /* recorded meanwhile, on a stream that takes no part */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(work(t, t->s[1]));
    CHECK_IS(try_order(t->s[1], t->e[0], t->s[0]), SF_ERROR_CAPTURE_ISOLATION);
    CHECK_OK(sf_stream_take_failure(t->s[1]));               /* its record is fine */
    CHECK_IS(sf_stream_take_failure(t->s[0]), SF_ERROR_CAPTURE_ISOLATION);
    CHECK_IS(try_order(t->s[0], t->e[0], t->s[1]), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK_IS(sf_stream_take_failure(t->s[0]), SF_ERROR_CAPTURE_INVALIDATED);     /* one call is about both */
    CHECK_IS(sf_stream_take_failure(t->s[1]), ordering == BY_HAND ? SF_OK : SF_ERROR_CAPTURE_INVALIDATED);
    check_spoiler(t);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    CHECK_IS(try_order(t->s[1], t->e[0], t->s[0]), SF_ERROR_CAPTURE_INVALIDATED);
    check_spoiler(t);
    return SF_ERROR_CAPTURE_ISOLATION;
}
static sf_result a_participant_waits_for_one_from_outside(setup *t)
{
    begin_capture(t, SF_CAPTURE_RELAXED);
    order(t->s[0], t->e[0], t->s[1]);
    return try_order(t->s[2], t->e[1], t->s[1]);
}
static sf_result wait_for_another_capture(setup *t)
{
    sf_result r;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_begin_capture(t->s[1], SF_CAPTURE_RELAXED));
    CHECK_OK(work(t, t->s[1]));
    r = try_order(t->s[1], t->e[0], t->s[0]);
    CHECK_EQUAL(status_of(t->s[1]), INVALID);                /* both of them */
    CHECK_IS(sf_stream_end_capture(t->s[1], NULL), SF_ERROR_CAPTURE_INVALIDATED);
    return r;
}
static sf_result the_default_stream_waits(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return try_order(t->s[0], t->e[0], t->legacy);
}
static sf_result for_the_default_stream(setup *t)            /* beside a blocking stream that captures; arg: it waits */
{
    t->at = t->b[0];
    CHECK_OK(sf_stream_begin_capture(t->b[0], SF_CAPTURE_RELAXED));
    return t->row->arg ? try_order(t->s[1], t->e[0], t->legacy) : try_order(t->legacy, t->e[0], t->s[1]);
}
static sf_result wait_for_another_device(setup *t)           /* arg: whether the event was ever recorded */
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    sf_event *e = test_event(device);
    if (t->row->arg) { CHECK_OK(sf_event_record(e, s, 0)); }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    sf_result r = sf_stream_wait_event(t->s[0], e, 0);
    test_close(device);
    return r;
}
static sf_result wait_for_one_never_recorded(setup *t)
{
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_wait_event(t->s[0], t->e[0], 0));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 1);
    return SF_OK;
}
static sf_result wait_null(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_wait_event(t->s[0], NULL, 0);
}
static sf_result wait_destroyed(setup *t)
{
    sf_event *e = test_event(t->device);
    CHECK_OK(sf_event_destroy(e));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_wait_event(t->s[0], e, 0);
}
static sf_result wait_for_oneself(setup *t)
{
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[0]);
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 1);
    return SF_OK;
}
static sf_result wait_flags(setup *t)                        /* arg: the flags; not capturing */
{
    CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));
    return sf_stream_wait_event(t->s[0], t->e[0], (uint32_t)t->row->arg);
}
static sf_result record_flags(setup *t)
{
    return sf_event_record(t->e[0], t->s[0], (uint32_t)t->row->arg);
}
/* The last record before the wait counts, not a later one: what is on s[2] is not waited for. */
static sf_result a_captured_wait_is_a_snapshot(setup *t)
{
    sf_dependency after[4];
    sf_capture_info first, second;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &first, after, 4));
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(sf_stream_wait_event(t->s[1], t->e[0], 0));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_get_capture_info(t->s[1], &second, after + 1, 3));
    CHECK_EQUAL(second.dependencies, 1);
    CHECK(after[0].node == after[1].node);
    CHECK_OK(sf_stream_wait_event(t->s[1], t->e[0], 0));     /* now the other one, too */
    CHECK_OK(work(t, t->s[1]));
    order(t->s[1], t->e[1], t->s[0]);
    return SF_OK;
}
static sf_result on_a_captured_event(setup *t)               /* arg: the call */
{
    float ms = 0;
    CHECK_OK(sf_event_record(t->e[1], t->s[1], 0));
    CHECK_OK(sf_event_synchronize(t->e[1], GUARD));
    begin_capture(t, modes[t->row->arg / 10]);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    switch (t->row->arg % 10) {
    case 0: return sf_event_query(t->e[0]);
    case 1: return sf_event_synchronize(t->e[0], GUARD);
    case 2: return sf_event_elapsed_ms(t->e[0], t->e[1], &ms);
    default: return sf_event_elapsed_ms(t->e[1], t->e[0], &ms);
    }
}
static sf_result on_a_poisoned_event(setup *t)               /* its capture has ended; arg: the call */
{
    sf_result r;
    CHECK_OK(sf_event_record(t->e[1], t->s[1], 0));
    CHECK_OK(sf_event_synchronize(t->e[1], GUARD));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(end_it(t));
    float ms = 0;
    switch (t->row->arg) {
    case 0: r = sf_event_query(t->e[0]); break;
    case 1: r = sf_event_synchronize(t->e[0], GUARD); break;
    case 2: r = sf_event_elapsed_ms(t->e[0], t->e[1], &ms); break;
    default: r = sf_stream_wait_event(t->s[1], t->e[0], 0);
    }
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));             /* and that is all it takes */
    CHECK_OK(sf_event_synchronize(t->e[0], GUARD));
    CHECK_OK(sf_event_query(t->e[0]));
    CHECK_OK(sf_stream_wait_event(t->s[2], t->e[0], 0));
    return r;
}
static sf_result a_capture_waits_for_a_poisoned_event(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(end_it(t));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_wait_event(t->s[0], t->e[0], 0);
}
static sf_result recorded_again_outside(setup *t)            /* before the end: it is an event as any other */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));
    CHECK_OK(end_it(t));
    CHECK_OK(sf_event_synchronize(t->e[0], GUARD));
    return sf_event_query(t->e[0]);
}
static sf_result an_external_record_is_a_node(setup *t)
{
    sf_node_type type = SF_NODE_EMPTY;
    sf_dependency after;
    sf_capture_info info;
    float ms = -1;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], SF_EVENT_RECORD_EXTERNAL));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, &after, 1));
    CHECK_OK(sf_graph_node_get_type(after.node, &type));
    CHECK_EQUAL(type, SF_NODE_EVENT_RECORD);
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(sf_event_record(t->e[1], t->s[0], SF_EVENT_RECORD_EXTERNAL));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 4);
    CHECK_OK(sf_event_query(t->e[0]));       /* no trace of the capture: never recorded so far */
    CHECK_OK(sf_graph_launch(t->exec, t->s[1]));
    CHECK_IS(sf_event_query(t->e[1]), SF_NOT_READY);         /* from the launch on, and later waits are for it */
    CHECK_OK(sf_stream_wait_event(t->s[2], t->e[1], 0));
    CHECK_OK(test_mix(t->s[2], t->data + 64, NULL, 1, 1, 7, 0));
    CHECK_IS(sf_stream_synchronize(t->s[2], SF_MS(1)), SF_TIMEOUT);
    CHECK_IS(sf_stream_synchronize(t->s[1], SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(t->data[64], 0);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_OK(sf_stream_synchronize(t->s[2], GUARD));
    CHECK_EQUAL(t->data[64], 7);
    CHECK_OK(sf_event_query(t->e[0]));
    CHECK_OK(sf_event_query(t->e[1]));
    CHECK_OK(sf_event_elapsed_ms(t->e[0], t->e[1], &ms));
    CHECK(ms >= 0);
    return SF_OK;
}
static sf_result an_external_wait_is_a_node(setup *t)
{
    sf_node_type type = SF_NODE_EMPTY;
    sf_dependency after;
    sf_capture_info info;
    CHECK_OK(test_gate(t->s[1], t->flag, 1));
    CHECK_OK(test_mix(t->s[1], t->data, NULL, 1, 1, 7, 300));
    CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));             /* from before, and pending: no matter */
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_RELAXED));
    CHECK_OK(sf_stream_wait_event(t->s[0], t->e[0], SF_EVENT_WAIT_EXTERNAL));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, &after, 1));
    CHECK_OK(sf_graph_node_get_type(after.node, &type));
    CHECK_EQUAL(type, SF_NODE_EVENT_WAIT);
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 3, 1, 0));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(sf_graph_launch(t->exec, t->s[0]));
    CHECK_OK(test_gate(t->s[2], t->flag + 1, 1));
    CHECK_OK(sf_event_record(t->e[0], t->s[2], 0));             /* after the launch: not for this one */
    CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(t->data[0], 0);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[0], 22);
    CHECK_OK(sf_graph_launch(t->exec, t->s[0]));             /* for the next one */
    CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
    test_store(t->flag + 1, 1);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[0], 67);
    CHECK_OK(run_exec(t, t->s[0]));          /* the event is complete: at once */
    CHECK_EQUAL(t->data[0], 202);
    return SF_OK;
}

static sf_result an_external_wait_for_a_captured_event(setup *t)     /* a node, not an edge */
{
    sf_node_type type = SF_NODE_EMPTY;
    sf_dependency after;
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_wait_event(t->s[0], t->e[0], SF_EVENT_WAIT_EXTERNAL));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, &after, 1));
    CHECK_OK(sf_graph_node_get_type(after.node, &type));
    CHECK_EQUAL(type, SF_NODE_EVENT_WAIT);
    return SF_OK;
}
static sf_result flags_2_in_a_capture(setup *t)              /* arg: 0 record, 1 wait */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return t->row->arg ? sf_stream_wait_event(t->s[0], t->e[0], 2)
                       : sf_event_record(t->e[0], t->s[0], 2);
}

/* -- calls on streams that capture -- */

static sf_result on_the_origin(setup *t)                     /* arg: the command, and 100 times the mode's number */
{
    need_managed(t), need_exec(t);
    begin_capture(t, modes[t->row->arg / 100]);
    return enqueue(t, t->s[0], t->row->arg % 100);
}
static sf_result on_a_participant(setup *t)
{
    need_managed(t), need_exec(t);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    return enqueue(t, t->s[1], t->row->arg);
}
static sf_result on_an_invalidated_one(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    invalidate(t);
    return enqueue(t, t->s[0], t->row->arg);
}
static sf_result update_an_invalidated_one(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    invalidate(t);
    return sf_stream_update_capture_dependencies(t->s[0], NULL, 0, SF_CAPTURE_SET_DEPENDENCIES);
}
static sf_result event_of_an_invalidated_one(setup *t)       /* arg: the call, from outside */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    invalidate(t);
    switch (t->row->arg) {
    case 0: return sf_event_query(t->e[0]);
    case 1: return sf_event_synchronize(t->e[0], GUARD);
    default: return sf_stream_wait_event(t->s[1], t->e[0], 0);
    }
}
static sf_result end_of_a_participant_when_invalidated(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    order(t->s[0], t->e[0], t->s[1]);
    invalidate(t);
    return sf_stream_end_capture(t->s[1], NULL);
}
static sf_result becomes_a_node(setup *t)                    /* arg: the command, and 100 times the node's type */
{
    sf_node_type type = (sf_node_type)-1;
    sf_graph_node *node = NULL;
    int count = 0;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(enqueue(t, t->s[0], t->row->arg % 100));
    CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph));
    CHECK_OK(sf_graph_get_nodes(t->graph, &node, 1, &count));
    CHECK_EQUAL(count, 1);
    CHECK_OK(sf_graph_node_get_type(node, &type));
    CHECK_EQUAL(type, t->row->arg / 100);
    CHECK_EQUAL(t->calls, 0);
    CHECK_EQUAL(t->data[40], 0);             /* and nothing was done */
    return SF_OK;
}
static sf_result nothing_becomes_no_node(setup *t)
{
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_memcpy_async(t->s[0], t->gpu, t->data, 0));
    CHECK_OK(sf_memcpy_async(t->s[0], NULL, NULL, 0));
    CHECK_OK(sf_memset_async(t->s[0], t->gpu, 1, 0));
    CHECK_OK(sf_memcpy_2d_async(t->s[0], t->gpu, 8, t->data, 8, 8, 0));
    void *p = t;
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 0, &p));
    CHECK(!p);
    CHECK_OK(sf_mem_free_async(t->s[0], NULL));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph));
    CHECK_EQUAL(node_count(t->graph), 0);
    return SF_OK;
}
static sf_result getters_while_capturing(setup *t)
{
    sf_device *device = NULL;
    int32_t priority = 9;
    uint32_t flags = 9;
    uint64_t id = 0;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_get_priority(t->s[0], &priority));
    CHECK_OK(sf_stream_get_flags(t->s[0], &flags));
    CHECK_OK(sf_stream_get_id(t->s[0], &id));
    CHECK_OK(sf_stream_get_device(t->s[0], &device));
    CHECK(priority == 0 && flags == SF_STREAM_NON_BLOCKING && id && device == t->device);
    return SF_OK;
}
static sf_result wrong_arguments_do_no_harm(setup *t)
{
    static const sf_kernel none = { .name = "bodiless" };
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_IS(sf_launch(t->s[0], NULL, NULL, 0), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_launch(t->s[0], &none, NULL, 0), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_launch_host_func(t->s[0], NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memset_async(t->s[0], NULL, 0, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_async(t->s[0], t->gpu, NULL, 4), SF_ERROR_INVALID_VALUE);
    return sf_event_record(NULL, t->s[0], 0);
}
static sf_result free_what_is_not_the_graph_s(setup *t)
{
    void *p = NULL;
    sf_result r;
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 256, &p));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    begin_capture(t, SF_CAPTURE_RELAXED);
    r = sf_mem_free_async(t->s[0], p);
    t->spare[1] = p;                         /* ours still */
    return r;
}
static sf_result free_what_was_allocated_at_once(setup *t)
{
    CHECK_OK(sf_mem_alloc(t->device, 256, SF_MEMORY_DEVICE, &t->spare[1]));
    begin_capture(t, SF_CAPTURE_RELAXED);
    return sf_mem_free_async(t->s[0], t->spare[1]);
}
static sf_result free_twice_in_a_capture(setup *t)
{
    void *p = NULL;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 256, &p));
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    return sf_mem_free_async(t->s[0], p);
}
static sf_result wrong_words_do_no_harm(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_IS(sf_stream_wait_value(t->s[0], t->data, 4, 0, 8), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_write_value(t->s[0], t->data, 4, 0, 1), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_write_value(t->s[0], (char *)t->data + 2, 4, 0, 0), SF_ERROR_INVALID_VALUE);
    return sf_stream_write_value(t->s[0], t->data + 1, 8, 0, 0);
}
static sf_result attributes_while_capturing(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_copy_attributes(t->s[0], t->s[1]));
    return sf_stream_copy_attributes(t->s[1], t->s[0]);
}
static sf_result the_lent_graph(setup *t)                    /* the one of get_capture_info is the one of the end */
{
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(node_count(info.graph), 1);
    CHECK_OK(work(t, t->s[0]));
    CHECK_EQUAL(node_count(info.graph), 2);
    CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph));
    CHECK(t->graph == info.graph);
    return SF_OK;
}
static sf_result forks_of_the_library(setup *t)
{
    sf_stream *child = NULL;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 8, 3, 1, 1000));
    CHECK_OK(sf_stream_fork(t->s[0], &child));
    CHECK_EQUAL(status_of(child), ACTIVE);
    CHECK_OK(test_mix(child, t->data, NULL, 8, 5, 2, 1000));
    CHECK_OK(test_mix(t->s[0], t->data + 64, NULL, 8, 3, 1, 0));
    CHECK_OK(sf_stream_join(t->s[0], child));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 8, 7, 3, 0));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 4);
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_EQUAL(t->data[0], (1 * 5 + 2) * 7 + 3);
    return SF_OK;
}

static sf_result forks_beside_a_capture(setup *t)            /* a child that still captures is not given to others */
{
    sf_stream *child = NULL, *other = NULL;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_stream_fork(t->s[0], &child));
    CHECK_OK(work(t, child));
    CHECK_OK(sf_stream_join(t->s[0], child));
    for (int i = 0; i < 2; i++) {            /* while it goes on, and when it is over */
        CHECK_OK(sf_stream_fork(t->s[1], &other));
        CHECK_EQUAL(status_of(other), NONE);
        CHECK_OK(test_mix(other, t->data + 64, NULL, 1, 1, 7, 0));
        CHECK_OK(sf_stream_join(t->s[1], other));
        if (i == 0) { CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph)); }
        CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
        CHECK_EQUAL(t->data[64], 7 * (i + 1));
    }
    CHECK_EQUAL(node_count(t->graph), 2);
    return SF_OK;
}

static sf_result a_fork_that_joins_a_capture(setup *t)       /* by an event; its parent captures nothing */
{
    sf_stream *child = NULL, *other = NULL;
    begin_capture(t, SF_CAPTURE_THREAD_LOCAL);
    CHECK_OK(sf_stream_fork(t->s[1], &child));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_wait_event(child, t->e[0], 0));
    CHECK_OK(work(t, child));
    CHECK_OK(sf_stream_join(t->s[0], child));
    CHECK_OK(sf_stream_fork(t->s[1], &other));
    CHECK_EQUAL(status_of(other), NONE);
    CHECK_OK(test_mix(other, t->data + 64, NULL, 1, 1, 7, 0));
    CHECK_OK(sf_stream_join(t->s[1], other));
    CHECK_OK(sf_stream_end_capture(t->s[0], &t->graph));
    CHECK_EQUAL(node_count(t->graph), 2);
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_EQUAL(t->data[64], 7);
    return SF_OK;
}
/* An event that the library lent to a capture orders streams outside of it next, and the other way round. */
static sf_result waits_in_and_beside_a_capture(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(sf_stream_wait_stream(t->s[1], t->s[0]));
        CHECK_EQUAL(status_of(t->s[1]), ACTIVE);
        CHECK_OK(test_mix(t->s[2], t->data + 64, NULL, 1, 1, 7, 1000));
        CHECK_OK(sf_stream_wait_stream(t->s[3], t->s[2]));
        CHECK_EQUAL(status_of(t->s[3]), NONE);
        CHECK_OK(test_mix(t->s[3], t->data + 64, NULL, 1, 3, 0, 0));
        CHECK_OK(sf_stream_join(t->s[2], t->s[3]));
        CHECK_OK(work(t, t->s[1]));
        CHECK_OK(sf_stream_join(t->s[0], t->s[1]));
    }
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 4);
    CHECK_OK(sf_stream_wait_stream(t->s[1], t->s[2]));       /* s[1] lives on, and captures no more */
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_EQUAL(t->data[64], ((7 * 3 + 7) * 3 + 7) * 3);
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_EQUAL(t->data[0], ((1 * 3 + 1) * 3 + 1) * 3 + 1);
    return SF_OK;
}
static sf_result join_a_fork_that_captures(setup *t)         /* who had it could not end its capture any more */
{
    sf_stream *child = NULL;
    sf_result r;
    CHECK_OK(sf_stream_fork(t->s[1], &child));
    CHECK_OK(sf_stream_begin_capture(child, SF_CAPTURE_THREAD_LOCAL));
    r = sf_stream_join(t->s[0], child);
    CHECK_EQUAL(status_of(t->s[0]), NONE);
    CHECK_OK(sf_stream_end_capture(child, &t->graph));
    CHECK_OK(sf_stream_join(t->s[0], child));
    CHECK_OK(sf_stream_fork(t->s[1], &child));
    CHECK_OK(work(t, child));
    CHECK_OK(sf_stream_join(t->s[1], child));
    return r;
}

/* -- the default stream beside a capture: arg is the command -- */

static sf_result default_stream_beside_a_blocking_one(setup *t)      /* in all modes */
{
    need_exec(t);
    CHECK_OK(sf_event_record(t->e[4], t->s[2], 0));
    CHECK_OK(sf_event_synchronize(t->e[4], GUARD));
    t->at = t->b[0];
    for (int i = 2; i > 0; i--) {
        begin_capture(t, modes[i]);
        CHECK_IS(enqueue(t, t->legacy, t->row->arg), SF_ERROR_CAPTURE_IMPLICIT);
        CHECK_EQUAL(status_of(t->at), INVALID);
        CHECK_IS(end_it(t), SF_ERROR_CAPTURE_INVALIDATED);
    }
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return enqueue(t, t->legacy, t->row->arg);
}
static sf_result default_stream_beside_a_blocking_participant(setup *t)
{
    begin_capture(t, SF_CAPTURE_RELAXED);
    order(t->s[0], t->e[0], t->b[0]);
    return work(t, t->legacy);
}
static sf_result default_stream_beside_a_non_blocking_one(setup *t)
{
    need_exec(t);
    CHECK_OK(sf_event_record(t->e[4], t->s[2], 0));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return enqueue(t, t->legacy, t->row->arg);
}
static sf_result another_blocking_stream(setup *t)
{
    need_exec(t);
    CHECK_OK(sf_event_record(t->e[4], t->s[2], 0));
    t->at = t->b[0];
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return enqueue(t, t->b[1], t->row->arg);
}
static sf_result ask_the_default_stream(setup *t)            /* arg: 0 is_capturing, 1 get_capture_info */
{
    sf_capture_status status;
    sf_capture_info info;
    t->at = t->b[0];
    begin_capture(t, SF_CAPTURE_RELAXED);
    return t->row->arg ? sf_stream_get_capture_info(t->legacy, &info, NULL, 0)
                       : sf_stream_is_capturing(t->legacy, &status);
}
static sf_result get_of_the_default_stream(setup *t)         /* arg: the getter, and ten times the mode's number */
{
    sf_device *device;
    uint32_t flags;
    int32_t priority;
    uint64_t id;
    t->at = t->b[0];
    begin_capture(t, modes[t->row->arg / 10]);
    switch (t->row->arg % 10) {
    case 0: return sf_stream_get_flags(t->legacy, &flags);
    case 1: return sf_stream_get_priority(t->legacy, &priority);
    case 2: return sf_stream_get_id(t->legacy, &id);
    case 3: return sf_stream_get_device(t->legacy, &device);
    case 4: return sf_stream_copy_attributes(t->legacy, t->s[0]);
    case 5: return sf_stream_copy_attributes(t->s[0], t->legacy);
    default: return sf_stream_end_capture(t->legacy, NULL);
    }
}
static sf_result ask_the_default_stream_else(setup *t)       /* beside a non-blocking capture: not capturing */
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(status_of(t->legacy), NONE);
    CHECK_EQUAL(capture_id(t->legacy), 0);
    return SF_OK;
}

/* -- 2.14, 2.15: asking -- */

static sf_result is_capturing_null(setup *t)
{
    sf_capture_status status;
    return (void)t, sf_stream_is_capturing(NULL, &status);
}
static sf_result is_capturing_to_null(setup *t) { return sf_stream_is_capturing(t->s[0], NULL); }
static sf_result info_of_null(setup *t)
{
    sf_capture_info info;
    return (void)t, sf_stream_get_capture_info(NULL, &info, NULL, 0);
}
static sf_result info_to_null(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_get_capture_info(t->s[0], NULL, NULL, 0);
}
static sf_result info_to_null_nodes(setup *t)
{
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_get_capture_info(t->s[0], &info, NULL, 3);
}
static sf_result status_in_every_state(setup *t)
{
    CHECK_EQUAL(status_of(t->s[0]), NONE);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(status_of(t->s[0]), ACTIVE);
    CHECK_EQUAL(status_of(t->s[1]), NONE);
    invalidate(t);
    CHECK_EQUAL(status_of(t->s[0]), INVALID);
    CHECK_IS(end_it(t), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK_EQUAL(status_of(t->s[0]), NONE);
    return SF_OK;
}
static sf_result info_is_untouched_unless_active(setup *t)
{
    sf_capture_info info, kept;
    memset(&info, 0x5a, sizeof info);
    kept = info;
    for (int i = 0; i < 2; i++) {
        kept.status = i ? SF_CAPTURE_INVALIDATED : SF_CAPTURE_NONE;
        CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
        CHECK_EQUAL(info.status, kept.status);
        CHECK(info.id == kept.id && info.graph == kept.graph && info.dependencies == kept.dependencies);
        if (i) { break; }
        begin_capture(t, SF_CAPTURE_GLOBAL);
        invalidate(t);
    }
    return SF_OK;
}
static sf_result ids_are_unique(setup *t)                    /* one per capture, on all its streams, never again */
{
    uint64_t ids[20];
    for (uint32_t i = 0; i < COUNT(ids); i++) {
        begin_capture(t, modes[i % 3]);
        order(t->s[0], t->e[0], t->s[1]);
        order(t->s[1], t->e[1], t->b[0]);
        ids[i] = capture_id(t->s[0]);
        CHECK(ids[i] && ids[i] == capture_id(t->s[1]) && ids[i] == capture_id(t->b[0]));
        for (uint32_t k = 0; k < i; k++) { CHECK(ids[k] != ids[i]); }
        CHECK_OK(end_it(t));
        CHECK_EQUAL(capture_id(t->s[1]), 0);
    }
    return SF_OK;
}
static sf_result info_tells_the_dependencies(setup *t)
{
    sf_capture_info info;
    sf_dependency after[3], one;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 0);
    CHECK(info.graph != NULL);
    order(t->s[0], t->e[0], t->s[1]);        /* before there is any node */
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, &one, 1));
    CHECK_EQUAL(info.dependencies, 1);
    CHECK_OK(work(t, t->s[1]));
    order(t->s[1], t->e[1], t->s[0]);
    memset(after, 0x5a, sizeof after);
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 2);
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, after, 1));
    CHECK_EQUAL(info.dependencies, 2);       /* the full count, whatever there is room for */
    CHECK(after[1].node == after[2].node);   /* not written */
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, after, 3));
    CHECK(after[0].node != after[1].node && (after[0].node == one.node || after[1].node == one.node));
    CHECK(after[0].type == SF_DEPENDENCY_FULL && after[1].type == SF_DEPENDENCY_FULL);
    return SF_OK;
}

/* -- 2.17: editing the dependencies -- */

static sf_dependency last_of(sf_stream *s)
{
    sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
    sf_capture_info info;
    CHECK_OK(sf_stream_get_capture_info(s, &info, &d, 1));
    return d;
}
static sf_result update_when_not_capturing(setup *t)
{
    CHECK_IS(sf_stream_update_capture_dependencies(t->legacy, NULL, 0, SF_CAPTURE_SET_DEPENDENCIES),
             SF_ERROR_ILLEGAL_STATE);
    return sf_stream_update_capture_dependencies(t->s[0], NULL, 0, SF_CAPTURE_ADD_DEPENDENCIES);
}
static sf_result update_null_stream(setup *t)
{
    return (void)t, sf_stream_update_capture_dependencies(NULL, NULL, 0, SF_CAPTURE_ADD_DEPENDENCIES);
}
static sf_result update_flags(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_update_capture_dependencies(t->s[0], NULL, 0, 2);
}
static sf_result update_null_nodes(setup *t)
{
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_update_capture_dependencies(t->s[0], NULL, 1, SF_CAPTURE_SET_DEPENDENCIES);
}
static sf_result update_with_a_node_of_another_graph(setup *t)
{
    sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_get_nodes(t->graph, &d.node, 1, &(int){ 0 }));
    begin_capture(t, SF_CAPTURE_GLOBAL);
    return sf_stream_update_capture_dependencies(t->s[0], &d, 1, SF_CAPTURE_ADD_DEPENDENCIES);
}
static sf_result update_with_the_same_twice(setup *t)
{
    sf_dependency d[2];
    sf_capture_info info;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    d[0] = d[1] = last_of(t->s[0]);
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], d, 2, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 1);
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], d, 1, SF_CAPTURE_ADD_DEPENDENCIES));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, NULL, 0));
    CHECK_EQUAL(info.dependencies, 1);
    return work(t, t->s[0]);
}
static sf_result update_sets_and_adds(setup *t)
{
    sf_dependency a, b, got[4];
    int count = 0;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    a = last_of(t->s[0]);
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], NULL, 0, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(work(t, t->s[0]));
    b = last_of(t->s[0]);
    CHECK_OK(sf_graph_node_get_dependencies(b.node, got, 4, &count));
    CHECK_EQUAL(count, 0);                   /* a root */
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], &a, 1, SF_CAPTURE_ADD_DEPENDENCIES));
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(sf_graph_node_get_dependencies(last_of(t->s[0]).node, got, 4, &count));
    CHECK_EQUAL(count, 2);
    CHECK((got[0].node == a.node && got[1].node == b.node) || (got[0].node == b.node && got[1].node == a.node));
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], &b, 1, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(sf_graph_node_get_dependencies(last_of(t->s[0]).node, got, 4, &count));
    CHECK(count == 1 && got[0].node == b.node);
    return SF_OK;
}
static sf_result update_with_what_the_user_added(setup *t)   /* the capture's graph takes nodes by hand, too */
{
    uint32_t *words = t->data;
    mix_args a = { .dst = words, .n = 1, .mul = 5, .add = 2 };
    sf_node_desc desc = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &a, sizeof a } };
    sf_capture_info info;
    sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
    sf_graph_node *node = NULL;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(test_mix(t->s[0], words, NULL, 1, 3, 1, 500));
    CHECK_OK(sf_stream_get_capture_info(t->s[0], &info, &d, 1));
    CHECK_OK(sf_graph_add_node(info.graph, &d, 1, &desc, &node));
    d.node = node;
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], &d, 1, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(test_mix(t->s[0], words, NULL, 1, 7, 3, 0));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_EQUAL(words[0], (1 * 5 + 2) * 7 + 3);
    return SF_OK;
}
static sf_result info_never_loses_an_edge_type(setup *t)     /* where CUDA's older call says 402 */
{
    sf_capture_info info;
    sf_dependency d;
    begin_capture(t, SF_CAPTURE_GLOBAL);
    d = last_of(t->s[0]);
    d.type = SF_DEPENDENCY_PROGRAMMATIC;
    CHECK_OK(sf_stream_update_capture_dependencies(t->s[0], &d, 1, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_EQUAL(last_of(t->s[0]).type, SF_DEPENDENCY_PROGRAMMATIC);
    CHECK(last_of(t->s[0]).node == d.node);
    return sf_stream_get_capture_info(t->s[0], &info, NULL, 0);
}

/* -- 2.16: the thread's mode -- */

static sf_result exchange_null(setup *t) { return (void)t, sf_thread_exchange_stream_capture_mode(NULL); }
static sf_result exchange_mode(setup *t)
{
    sf_capture_mode mode = (sf_capture_mode)t->row->arg, now = SF_CAPTURE_RELAXED;
    sf_result r = sf_thread_exchange_stream_capture_mode(&mode);
    CHECK_EQUAL((int)mode, t->row->arg);
    CHECK_OK(sf_thread_exchange_stream_capture_mode(&now));  /* it is what it was */
    CHECK_EQUAL(now, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_thread_exchange_stream_capture_mode(&now));
    return r;
}
static sf_result just_exchange(setup *t)
{
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    return (void)t, sf_thread_exchange_stream_capture_mode(&mode);
}
static sf_result exchange_in_a_host_function(setup *t) { return in_a_host_function(t, just_exchange); }
static sf_result is_global_by_default(setup *t)
{
    sf_capture_mode mode = SF_CAPTURE_GLOBAL;
    sf_result r = sf_thread_exchange_stream_capture_mode(&mode);
    (void)t;
    return r == SF_OK && mode != SF_CAPTURE_GLOBAL ? SF_ERROR_UNKNOWN : r;
}
static void *new_thread_main(void *arg) { return *(sf_result *)arg = is_global_by_default(NULL), NULL; }
static sf_result exchange_is_a_swap_per_thread(setup *t)
{
    pthread_t thread;
    sf_result elsewhere_result = SF_ERROR_UNKNOWN;
    (void)t;
    for (size_t i = 0; i < 9; i++) {
        sf_capture_mode mode = modes[(i + 1) % 3];
        CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
        CHECK_EQUAL(mode, modes[i % 3]);     /* what was set last */
        CHECK_EQUAL(pthread_create(&thread, NULL, new_thread_main, &elsewhere_result), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_OK(elsewhere_result);
    }
    return SF_OK;
}

/* -- what a capture makes of memory -- */

static sf_result captured_memory(setup *t)                   /* allocated, used and freed by each launch */
{
    uint32_t *p = NULL;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 256, (void **)&p));
    CHECK(p != NULL);
    CHECK_OK(sf_memset_async(t->s[0], p, 0, 256));
    CHECK_OK(test_mix(t->s[0], p, t->data, 8, 1, 5, 0));
    CHECK_OK(test_mix(t->s[0], t->data, p, 8, 2, 0, 0));
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 5);
    for (uint32_t i = 0, x = 0; i < 3; i++) {
        x = x * 2 + x + 5;
        CHECK_OK(run_exec(t, t->s[i]));
        CHECK_EQUAL(t->data[7], x);
    }
    return SF_OK;
}
static void capture_an_allocation(setup *t, void **p)        /* that nobody frees */
{
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 256, p));
    CHECK_OK(sf_memset_async(t->s[0], *p, 7, 256));
    CHECK_OK(end_to_exec(t, t->s[0]));
}
static sf_result captured_memory_second_exec(setup *t)
{
    sf_graph_exec *second = NULL;
    void *p;
    capture_an_allocation(t, &p);
    return sf_graph_instantiate(t->graph, 0, &second);
}
static sf_result captured_memory_launched_again(setup *t)
{
    sf_result r;
    void *p;
    capture_an_allocation(t, &p);
    CHECK_OK(run_exec(t, t->s[0]));
    r = sf_graph_launch(t->exec, t->s[0]);
    CHECK_OK(sf_mem_free_async(t->s[0], p)); /* then it can be */
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    return r;
}
static sf_result captured_memory_cloned(setup *t)
{
    sf_graph *clone = NULL;
    void *p;
    capture_an_allocation(t, &p);
    return sf_graph_clone(t->graph, &clone);
}

/* -- what a capture does -- */

static sf_result nothing_runs_while_capturing(setup *t)
{
    rng r = rng_seed(5);
    uint32_t model[64], words[64];
    rng_fill(&r, t->data, 256);
    memcpy(model, t->data, 256);
    memcpy(words, t->data, 256);
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    for (uint32_t i = 0; i < 10; i++) { CHECK_OK(test_mix(t->s[0], t->data, NULL, 64, 3, i, 0)); }
    CHECK_OK(sf_launch_host_func(t->s[0], count_call, &t->calls));
    CHECK_OK(test_mix(t->s[1], t->data + 128, NULL, 1, 1, 9, 0));    /* others go on */
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[128], 9);
    CHECK_BYTES(t->data, model, 256);
    CHECK_EQUAL(t->calls, 0);
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 64, 5, 1, 0)); /* at once, as ever */
    test_mix_model(model, NULL, 64, 5, 1);
    for (uint32_t k = 1; k <= 2; k++) {
        CHECK_OK(run_exec(t, t->s[0]));
        for (uint32_t i = 0; i < 10; i++) { test_mix_model(model, NULL, 64, 3, i); }
        CHECK_BYTES(t->data, model, 256);
        CHECK_EQUAL(t->calls, k);
    }
    return SF_OK;
}
static sf_result arguments_are_copied_at_the_capture(setup *t)
{
    static blob_args a;
    static uint32_t model[BLOB_WORDS];
    rng r = rng_seed(6);
    a.out = t->data;
    a.words = BLOB_WORDS - 4;
    rng_fill(&r, a.data, sizeof a.data);
    memcpy(model, a.data, sizeof model);
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_launch(t->s[0], &blob_kernel, &a, sizeof a));
    memset(&a, 0xee, sizeof a);
    CHECK_OK(end_to_exec(t, t->s[0]));
    for (int i = 0; i < 2; i++) {
        memset(t->data, 0, sizeof model);
        CHECK_OK(run_exec(t, t->s[0]));
        CHECK_BYTES(t->data, model, (BLOB_WORDS - 4) * 4);
    }
    return SF_OK;
}
static sf_result values_are_captured(setup *t)               /* s[1]'s part waits for what s[0]'s part writes */
{
    sf_graph *g = NULL;
    uint32_t *word = t->data + 100;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_RELAXED));
    CHECK_OK(sf_stream_wait_value(t->s[0], t->flag, 4, 3, SF_WAIT_VALUE_EQ));
    CHECK_OK(sf_stream_write_value(t->s[0], word, 4, 11, 0));
    CHECK_OK(sf_stream_write_value(t->s[0], word + 2, 8, (uint64_t)1 << 40 | 5, 0));
    CHECK_OK(sf_stream_end_capture(t->s[0], &g));
    CHECK_OK(sf_graph_instantiate(g, 0, &t->exec));
    t->graph = g;
    CHECK_OK(sf_graph_launch(t->exec, t->s[1]));
    CHECK_IS(sf_stream_synchronize(t->s[1], SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(word[0], 0);
    test_store(t->flag, 3);
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_EQUAL(word[0], 11);
    CHECK_EQUAL(word[2], 5);
    CHECK_EQUAL(word[3], 256);
    return SF_OK;
}

#define R(f, expected, after, from) ROW(f, SF_##expected, after, from)
#define OF(name, f, arg, expected, after, from) ROW_OF(name, f, arg, SF_##expected, after, from)
#define NODE(type, what) (SF_NODE_##type * 100 + (what))
static const row rows[] = {
    R(begin_null, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(begin_destroyed, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(begin_what_is_no_stream, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(begin_on_the_default_stream, ERROR_CAPTURE_UNSUPPORTED, NONE, "measured"),
    R(begin_per_thread, OK, ACTIVE, "measured"),
    R(begin_blocking, OK, ACTIVE, "page"),
    OF("begin: mode 0", begin_mode, 0, OK, ACTIVE, "page"),
    OF("begin: mode 1", begin_mode, 1, OK, ACTIVE, "page"),
    OF("begin: mode 2", begin_mode, 2, OK, ACTIVE, "page"),
    OF("begin: mode 3", begin_mode, 3, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("begin: mode -1", begin_mode, -1, ERROR_INVALID_VALUE, NONE, "measured"),
    R(begin_twice, ERROR_ILLEGAL_STATE, ACTIVE, "measured"),
    R(begin_on_a_participant, ERROR_ILLEGAL_STATE, ACTIVE, "measured"),
    R(begin_on_an_invalidated_participant, ERROR_ILLEGAL_STATE, INVALID, "measured"),
    R(begin_on_an_invalidated_one, ERROR_ILLEGAL_STATE, INVALID, "measured"),
    R(begin_again_after_the_end, OK, ACTIVE, "page"),
    R(begin_with_work_pending, OK, NONE, "measured"),
    R(several_on_a_thread, OK, NONE, "measured"),
    R(begin_in_a_host_function, ERROR_NOT_PERMITTED, NONE, "decision"),

    R(to_graph_gives_it_back, OK, NONE, "measured"),
    R(to_graph_null, ERROR_INVALID_HANDLE, NONE, "decision"),        /* the driver: 1 */
    R(to_graph_destroyed, ERROR_INVALID_HANDLE, NONE, "decision"),
    OF("to_graph: mode 3", to_graph_mode, 3, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("to_graph: mode -1", to_graph_mode, -1, ERROR_INVALID_VALUE, NONE, "measured"),
    R(to_graph_on_the_default_stream, ERROR_CAPTURE_UNSUPPORTED, NONE, "measured"),
    R(to_graph_while_capturing, ERROR_ILLEGAL_STATE, ACTIVE, "measured"),
    R(to_graph_under_capture, ERROR_ILLEGAL_STATE, NONE, "measured"),
    R(to_graph_after_the_same_twice, OK, NONE, "measured"),
    R(to_graph_after_a_node_of_another, ERROR_INVALID_VALUE, NONE, "measured"),
    R(to_graph_after_null, ERROR_INVALID_VALUE, NONE, "measured"),
    R(to_graph_goes_on_where_told, OK, NONE, "measured"),
    R(to_graph_invalidated, ERROR_CAPTURE_INVALIDATED, NONE, "measured"),
    R(to_a_body_invalidated, ERROR_CAPTURE_INVALIDATED, NONE, "decision"),
    R(to_the_body_of_a_conditional, OK, NONE, "measured"),

    R(end_null, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(end_destroyed, ERROR_INVALID_HANDLE, NONE, "decision"),
    OF("end: a stream that does not capture", end_what_does_not_capture, 0, ERROR_ILLEGAL_STATE, NONE, "measured"),
    OF("end: the default stream", end_what_does_not_capture, 1, ERROR_ILLEGAL_STATE, NONE, "measured"),
    OF("end: the thread's stream", end_what_does_not_capture, 2, ERROR_ILLEGAL_STATE, NONE, "page"),
    R(end_on_a_participant, ERROR_CAPTURE_UNMATCHED, INVALID, "measured"),
    R(end_with_work_not_joined, ERROR_CAPTURE_UNJOINED, NONE, "measured"),
    R(end_with_work_after_the_join, ERROR_CAPTURE_UNJOINED, NONE, "page"),
    R(end_with_an_idle_fork, OK, NONE, "measured"),
    R(end_with_a_chain_of_forks, OK, NONE, "page"),
    R(end_with_unjoined_work_taken_out, OK, NONE, "header"),
    R(end_invalidated, ERROR_CAPTURE_INVALIDATED, NONE, "measured"),
    OF("end: another thread, GLOBAL", end_on_another_thread, 0, ERROR_CAPTURE_WRONG_THREAD, NONE, "measured"),
    OF("end: another thread, THREAD_LOCAL", end_on_another_thread, 1, ERROR_CAPTURE_WRONG_THREAD, NONE, "measured"),
    OF("end: another thread, RELAXED", end_on_another_thread, 2, OK, NONE, "measured"),
    OF("end: the right thread, too late, GLOBAL", end_after_another_thread_tried, 0, ERROR_ILLEGAL_STATE, NONE,
       "measured"),
    OF("end: the right thread, too late, THREAD_LOCAL", end_after_another_thread_tried, 1, ERROR_ILLEGAL_STATE,
       NONE, "measured"),
    OF("end: begun by a thread that is gone, GLOBAL", end_what_a_thread_began_that_is_gone, 0,
       ERROR_CAPTURE_WRONG_THREAD, NONE, "page"),
    OF("end: begun by a thread that is gone, RELAXED", end_what_a_thread_began_that_is_gone, 2, OK, NONE, "page"),
    OF("end: by the thread after that one, GLOBAL", end_by_the_next_thread, 0, ERROR_CAPTURE_WRONG_THREAD, NONE,
       "page"),
    OF("end: by the thread after that one, RELAXED", end_by_the_next_thread, 2, OK, NONE, "page"),
    R(end_and_drop_the_graph, OK, NONE, "measured"),
    R(end_with_nothing_captured, OK, NONE, "measured"),
    R(end_twice, ERROR_ILLEGAL_STATE, NONE, "measured"),
    R(end_in_a_host_function, ERROR_NOT_PERMITTED, ACTIVE, "decision"),
    R(another_thread_adds_to_it, OK, NONE, "header"),

    R(the_origin_is_destroyed, OK, NONE, "measured"),
    OF("the origin is destroyed: a participant, GLOBAL", a_participant_of_a_destroyed_origin, 0, ERROR_ILLEGAL_STATE,
       NONE, "measured"),
    OF("the origin is destroyed: a participant, RELAXED", a_participant_of_a_destroyed_origin, 1,
       ERROR_ILLEGAL_STATE, NONE, "measured"),
    OF("a participant is destroyed, nothing captured", a_participant_is_destroyed, 0, OK, NONE, "measured"),
    OF("a participant is destroyed, joined", a_participant_is_destroyed, 1, OK, NONE, "measured"),
    R(an_event_is_destroyed, OK, NONE, "measured"),
    R(an_event_in_the_place_of_another, OK, ACTIVE, "decision"),
    R(a_stream_in_the_place_of_another, OK, ACTIVE, "decision"),

    R(a_wait_joins_the_capture, OK, ACTIVE, "page"),
    R(a_blocking_stream_joins, OK, ACTIVE, "page"),
    R(the_stream_of_the_thread_joins, OK, ACTIVE, "measured"),
    OF("wait: recorded before, complete", wait_for_one_from_before, 1, ERROR_CAPTURE_ISOLATION, INVALID, "measured"),
    OF("wait: recorded before, pending", wait_for_one_from_before, 0, ERROR_CAPTURE_ISOLATION, INVALID, "measured"),
    R(wait_for_one_from_outside, ERROR_CAPTURE_ISOLATION, INVALID, "measured"),
    R(a_participant_waits_for_one_from_outside, ERROR_CAPTURE_ISOLATION, INVALID, "page"),
    R(wait_for_another_capture, ERROR_CAPTURE_MERGE, INVALID, "measured"),
    R(the_default_stream_waits, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("wait: for the default stream, beside a blocking one", for_the_default_stream, 0, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    OF("wait: by the default stream, beside a blocking one", for_the_default_stream, 1, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    { .name = "wait: recorded on another device", .run = wait_for_another_device, .arg = 1,
      .expected = SF_ERROR_CAPTURE_ISOLATION, .after = INVALID, .from = "page", .differs = HOST_ONLY,
      .why = "closing the other device, of the same context, ends all captures" },
    { .name = "wait: another device's, never recorded", .run = wait_for_another_device, .arg = 0,
      .expected = SF_OK, .after = ACTIVE, .from = "measured", .differs = HOST_ONLY,
      .why = "closing the other device, of the same context, ends all captures" },
    R(wait_for_one_never_recorded, OK, ACTIVE, "measured"),
    R(wait_null, ERROR_INVALID_HANDLE, ACTIVE, "measured"),
    R(wait_destroyed, ERROR_INVALID_HANDLE, ACTIVE, "decision"),
    R(wait_for_oneself, OK, ACTIVE, "page"),
    OF("wait: external, not capturing", wait_flags, 1, ERROR_ILLEGAL_STATE, NONE, "measured"),
    OF("wait: flags 2", wait_flags, 2, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("record: flags 0", record_flags, 0, OK, NONE, "page"),
    OF("record: external, not capturing", record_flags, 1, ERROR_ILLEGAL_STATE, NONE, "measured"),
    OF("record: flags 2", record_flags, 2, ERROR_INVALID_VALUE, NONE, "measured"),
    R(a_captured_wait_is_a_snapshot, OK, ACTIVE, "page"),
    OF("captured event: query, GLOBAL", on_a_captured_event, 0, ERROR_CAPTURED_EVENT, INVALID, "measured"),
    OF("captured event: query, THREAD_LOCAL", on_a_captured_event, 10, ERROR_CAPTURED_EVENT, INVALID, "measured"),
    OF("captured event: query, RELAXED", on_a_captured_event, 20, ERROR_CAPTURED_EVENT, INVALID, "measured"),
    OF("captured event: synchronize, GLOBAL", on_a_captured_event, 1, ERROR_CAPTURED_EVENT, INVALID, "measured"),
    OF("captured event: synchronize, RELAXED", on_a_captured_event, 21, ERROR_CAPTURED_EVENT, INVALID, "measured"),
    OF("captured event: elapsed from it", on_a_captured_event, 2, ERROR_CAPTURED_EVENT, ACTIVE, "measured"),
    OF("captured event: elapsed to it", on_a_captured_event, 3, ERROR_CAPTURED_EVENT, ACTIVE, "measured"),
    OF("poisoned event: query", on_a_poisoned_event, 0, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("poisoned event: synchronize", on_a_poisoned_event, 1, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("poisoned event: elapsed", on_a_poisoned_event, 2, ERROR_INVALID_VALUE, NONE, "measured"),
    OF("poisoned event: wait", on_a_poisoned_event, 3, ERROR_INVALID_VALUE, NONE, "measured"),
    R(a_capture_waits_for_a_poisoned_event, ERROR_INVALID_VALUE, INVALID, "measured"),
    R(recorded_again_outside, OK, NONE, "page"),
    R(an_external_record_is_a_node, OK, NONE, "measured"),
    R(an_external_wait_is_a_node, OK, NONE, "measured"),
    R(an_external_wait_for_a_captured_event, OK, ACTIVE, "measured"),
    OF("captured record: flags 2", flags_2_in_a_capture, 0, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    OF("captured wait: flags 2", flags_2_in_a_capture, 1, ERROR_INVALID_VALUE, ACTIVE, "header"),

    OF("origin: query, GLOBAL", on_the_origin, C_QUERY, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: query, RELAXED", on_the_origin, 200 + C_QUERY, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: synchronize, GLOBAL", on_the_origin, C_SYNCHRONIZE, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: synchronize, RELAXED", on_the_origin, 200 + C_SYNCHRONIZE, ERROR_CAPTURE_UNSUPPORTED, INVALID,
       "measured"),
    OF("origin: callback", on_the_origin, C_CALLBACK, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: callback, RELAXED", on_the_origin, 200 + C_CALLBACK, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: attach", on_the_origin, C_ATTACH, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("origin: launch of a graph", on_the_origin, C_GRAPH_LAUNCH, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("participant: query", on_a_participant, C_QUERY, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("participant: synchronize", on_a_participant, C_SYNCHRONIZE, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("participant: callback", on_a_participant, C_CALLBACK, ERROR_CAPTURE_UNSUPPORTED, INVALID, "page"),
    OF("invalidated: wait", on_an_invalidated_one, C_WAIT, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: callback", on_an_invalidated_one, C_CALLBACK, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("invalidated: synchronize", on_an_invalidated_one, C_SYNCHRONIZE, ERROR_CAPTURE_UNSUPPORTED, INVALID,
       "measured"),
    R(update_an_invalidated_one, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: query its event", event_of_an_invalidated_one, 0, ERROR_INVALID_VALUE, INVALID, "measured"),
    OF("invalidated: synchronize its event", event_of_an_invalidated_one, 1, ERROR_INVALID_VALUE, INVALID,
       "measured"),
    OF("invalidated: wait for its event", event_of_an_invalidated_one, 2, ERROR_INVALID_VALUE, INVALID, "measured"),
    R(end_of_a_participant_when_invalidated, ERROR_CAPTURE_UNMATCHED, INVALID, "measured"),
    OF("invalidated: query", on_an_invalidated_one, C_QUERY, ERROR_CAPTURE_UNSUPPORTED, INVALID, "measured"),
    OF("invalidated: launch", on_an_invalidated_one, C_LAUNCH, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: memset", on_an_invalidated_one, C_MEMSET, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: memcpy", on_an_invalidated_one, C_MEMCPY, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: host function", on_an_invalidated_one, C_HOST_FUNC, ERROR_CAPTURE_INVALIDATED, INVALID,
       "measured"),
    OF("invalidated: record", on_an_invalidated_one, C_RECORD, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("invalidated: write value", on_an_invalidated_one, C_WRITE_VALUE, ERROR_CAPTURE_INVALIDATED, INVALID,
       "measured"),
    OF("invalidated: wait value", on_an_invalidated_one, C_WAIT_VALUE, ERROR_CAPTURE_INVALIDATED, INVALID,
       "measured"),
    OF("invalidated: alloc", on_an_invalidated_one, C_ALLOC, ERROR_CAPTURE_INVALIDATED, INVALID, "measured"),
    OF("a launch becomes KERNEL", becomes_a_node, NODE(KERNEL, C_LAUNCH), OK, NONE, "page"),
    OF("a memset becomes MEMSET", becomes_a_node, NODE(MEMSET, C_MEMSET), OK, NONE, "page"),
    OF("a memcpy becomes MEMCPY", becomes_a_node, NODE(MEMCPY, C_MEMCPY), OK, NONE, "page"),
    OF("a 2d memcpy becomes MEMCPY", becomes_a_node, NODE(MEMCPY, C_MEMCPY_2D), OK, NONE, "page"),
    OF("a host function becomes HOST", becomes_a_node, NODE(HOST, C_HOST_FUNC), OK, NONE, "header"),
    OF("a write becomes BATCH_MEM_OP", becomes_a_node, NODE(BATCH_MEM_OP, C_WRITE_VALUE), OK, NONE, "measured"),
    OF("a wait for a value becomes BATCH_MEM_OP", becomes_a_node, NODE(BATCH_MEM_OP, C_WAIT_VALUE), OK, NONE,
       "measured"),
    OF("an alloc becomes MEM_ALLOC", becomes_a_node, NODE(MEM_ALLOC, C_ALLOC), OK, NONE, "measured"),
    R(nothing_becomes_no_node, OK, NONE, "measured"),
    R(getters_while_capturing, OK, ACTIVE, "page"),
    R(wrong_arguments_do_no_harm, ERROR_INVALID_HANDLE, ACTIVE, "decision"),
    R(free_what_is_not_the_graph_s, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(free_what_was_allocated_at_once, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(free_twice_in_a_capture, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(wrong_words_do_no_harm, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(attributes_while_capturing, OK, ACTIVE, "measured"),
    R(the_lent_graph, OK, NONE, "header"),
    R(forks_of_the_library, OK, NONE, "decision"),
    R(forks_beside_a_capture, OK, NONE, "decision"),
    R(a_fork_that_joins_a_capture, OK, NONE, "decision"),
    R(join_a_fork_that_captures, ERROR_ILLEGAL_STATE, NONE, "decision"),
    R(waits_in_and_beside_a_capture, OK, NONE, "decision"),

    OF("implicit: launch", default_stream_beside_a_blocking_one, C_LAUNCH, ERROR_CAPTURE_IMPLICIT, INVALID,
       "measured"),
    OF("implicit: memset", default_stream_beside_a_blocking_one, C_MEMSET, ERROR_CAPTURE_IMPLICIT, INVALID,
       "measured"),
    OF("implicit: memcpy", default_stream_beside_a_blocking_one, C_MEMCPY, ERROR_CAPTURE_IMPLICIT, INVALID,
       "measured"),
    OF("implicit: host function", default_stream_beside_a_blocking_one, C_HOST_FUNC, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    OF("implicit: callback", default_stream_beside_a_blocking_one, C_CALLBACK, ERROR_CAPTURE_IMPLICIT, INVALID,
       "measured"),
    OF("implicit: record", default_stream_beside_a_blocking_one, C_RECORD, ERROR_CAPTURE_IMPLICIT, INVALID,
       "measured"),
    OF("implicit: wait", default_stream_beside_a_blocking_one, C_WAIT, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: write value", default_stream_beside_a_blocking_one, C_WRITE_VALUE, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    OF("implicit: launch of a graph", default_stream_beside_a_blocking_one, C_GRAPH_LAUNCH, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    OF("implicit: query", default_stream_beside_a_blocking_one, C_QUERY, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: synchronize", default_stream_beside_a_blocking_one, C_SYNCHRONIZE, ERROR_CAPTURE_IMPLICIT,
       INVALID, "measured"),
    R(default_stream_beside_a_blocking_participant, ERROR_CAPTURE_IMPLICIT, INVALID, "page"),
    OF("default stream: launch", default_stream_beside_a_non_blocking_one, C_LAUNCH, OK, ACTIVE, "measured"),
    OF("default stream: memset", default_stream_beside_a_non_blocking_one, C_MEMSET, OK, ACTIVE, "measured"),
    OF("default stream: host function", default_stream_beside_a_non_blocking_one, C_HOST_FUNC, OK, ACTIVE, "page"),
    OF("default stream: record", default_stream_beside_a_non_blocking_one, C_RECORD, OK, ACTIVE, "page"),
    OF("default stream: wait", default_stream_beside_a_non_blocking_one, C_WAIT, OK, ACTIVE, "page"),
    OF("default stream: launch of a graph", default_stream_beside_a_non_blocking_one, C_GRAPH_LAUNCH, OK, ACTIVE,
       "measured"),
    OF("default stream: query", default_stream_beside_a_non_blocking_one, C_QUERY, ERROR_CAPTURE_UNSUPPORTED,
       INVALID, "measured"),
    OF("blocking stream: launch", another_blocking_stream, C_LAUNCH, OK, ACTIVE, "measured"),
    OF("blocking stream: memset", another_blocking_stream, C_MEMSET, OK, ACTIVE, "measured"),
    OF("blocking stream: record", another_blocking_stream, C_RECORD, OK, ACTIVE, "measured"),
    OF("blocking stream: wait", another_blocking_stream, C_WAIT, OK, ACTIVE, "measured"),
    OF("blocking stream: query", another_blocking_stream, C_QUERY, ERROR_CAPTURE_UNSUPPORTED, INVALID, "page"),
    OF("is_capturing of the default stream", ask_the_default_stream, 0, ERROR_CAPTURE_IMPLICIT, ACTIVE, "page"),
    OF("capture_info of the default stream", ask_the_default_stream, 1, ERROR_CAPTURE_IMPLICIT, ACTIVE, "page"),
    OF("implicit: flags, GLOBAL", get_of_the_default_stream, 0, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: flags, RELAXED", get_of_the_default_stream, 20, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: priority", get_of_the_default_stream, 1, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: id", get_of_the_default_stream, 2, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: device", get_of_the_default_stream, 3, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: attributes to it", get_of_the_default_stream, 4, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: attributes of it", get_of_the_default_stream, 5, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: end, GLOBAL", get_of_the_default_stream, 6, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    OF("implicit: end, RELAXED", get_of_the_default_stream, 26, ERROR_CAPTURE_IMPLICIT, INVALID, "measured"),
    R(ask_the_default_stream_else, OK, ACTIVE, "measured"),

    R(is_capturing_null, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(is_capturing_to_null, ERROR_INVALID_VALUE, NONE, "measured"),
    R(info_of_null, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(info_to_null, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(info_to_null_nodes, ERROR_INVALID_VALUE, ACTIVE, "decision"),
    R(status_in_every_state, OK, NONE, "page"),
    R(info_is_untouched_unless_active, OK, INVALID, "measured"),
    R(ids_are_unique, OK, NONE, "measured"),
    R(info_tells_the_dependencies, OK, ACTIVE, "header"),
    R(update_when_not_capturing, ERROR_ILLEGAL_STATE, NONE, "measured"),
    R(update_null_stream, ERROR_INVALID_HANDLE, NONE, "decision"),
    R(update_flags, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(update_null_nodes, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(update_with_a_node_of_another_graph, ERROR_INVALID_VALUE, ACTIVE, "measured"),
    R(update_with_the_same_twice, OK, ACTIVE, "measured"),
    R(update_sets_and_adds, OK, ACTIVE, "header"),
    R(update_with_what_the_user_added, OK, NONE, "header"),
    R(info_never_loses_an_edge_type, OK, ACTIVE, "decision"),        /* so LOSSY_QUERY, 402, cannot come */

    R(exchange_null, ERROR_INVALID_VALUE, NONE, "decision"),         /* the driver crashes */
    OF("exchange: mode 3", exchange_mode, 3, ERROR_INVALID_VALUE, NONE, "decision"),  /* the driver takes it */
    OF("exchange: mode -1", exchange_mode, -1, ERROR_INVALID_VALUE, NONE, "decision"),
    R(exchange_in_a_host_function, ERROR_NOT_PERMITTED, NONE, "decision"),
    R(is_global_by_default, OK, NONE, "measured"),
    R(exchange_is_a_swap_per_thread, OK, NONE, "measured"),

    R(captured_memory, OK, NONE, "header"),
    R(captured_memory_second_exec, ERROR_NOT_SUPPORTED, NONE, "measured"),
    R(captured_memory_launched_again, ERROR_INVALID_VALUE, NONE, "measured"),
    R(captured_memory_cloned, ERROR_NOT_SUPPORTED, NONE, "decision"),
    R(nothing_runs_while_capturing, OK, NONE, "page"),
    R(arguments_are_copied_at_the_capture, OK, NONE, "page"),
    R(values_are_captured, OK, NONE, "header"),
};

/* -- 2.16: which calls a capture forbids, to whom -- */

typedef enum rule { UNSAFE, NEVER, ALLOWED } rule;
/* What the calls need is there before the capture; what they make goes after it. */
typedef struct things {
    void *memory[4];                         /* DEVICE, PINNED, MANAGED, of alloc_async */
    void *made;
    void *managed;
    sf_graph_exec *exec, *old;               /* made; to be destroyed */
    sf_graph *graph;                         /* to be destroyed */
    sf_module *module, *loaded;
    sf_function *function;
    sf_mem_pool *pool;
    sf_event *event;
    sf_stream *stream;
} things;
static things have;
static void things_ready(setup *t)
{
    static const sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_MANAGED };
    for (int i = 0; i < 3; i++) {
        if (!have.memory[i]) { CHECK_OK(sf_mem_alloc(t->device, 256, kinds[i], &have.memory[i])); }
    }
    if (!have.memory[3]) {
        CHECK_OK(sf_mem_alloc_async(t->s[1], NULL, 256, &have.memory[3]));
        CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    }
    if (!have.event) { have.event = test_event(t->device); }
    if (!have.stream) { have.stream = test_stream(t->device); }
    if (!have.managed) { CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &have.managed)); }
    if (!have.graph) { have.graph = one_kernel_graph(t); }
    if (!have.old) { CHECK_OK(sf_graph_instantiate(t->graph, 0, &have.old)); }
    if (!have.pool) {
        CHECK_OK(sf_mem_pool_create(t->device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &have.pool));
    }
    if (on_cuda() && !have.module) {
        CHECK_OK(sf_module_load(t->device, ptx, sizeof ptx, 0, &have.module));
        CHECK_OK(sf_module_get_function(have.module, "add", &have.function));
    }
}
static void things_made(setup *t)
{
    if (have.made) { CHECK_OK(sf_mem_free(t->device, have.made)); }
    if (have.exec) { CHECK_OK(sf_graph_exec_destroy(have.exec)); }
    if (have.loaded) { CHECK_OK(sf_module_unload(have.loaded)); }
    have.made = NULL, have.exec = NULL, have.loaded = NULL;
}
static void things_gone(setup *t)
{
    for (int i = 0; i < 4; i++) {
        if (have.memory[i]) { CHECK_OK(sf_mem_free(t->device, have.memory[i])); }
    }
    if (have.managed) { CHECK_OK(sf_mem_free(t->device, have.managed)); }
    if (have.old) { CHECK_OK(sf_graph_exec_destroy(have.old)); }
    if (have.graph) { CHECK_OK(sf_graph_destroy(have.graph)); }
    if (have.pool) { CHECK_OK(sf_mem_pool_destroy(have.pool)); }
    if (have.event) { CHECK_OK(sf_event_destroy(have.event)); }
    if (have.stream) { CHECK_OK(sf_stream_destroy(have.stream)); }
    if (have.module) { CHECK_OK(sf_module_unload(have.module)); }
    memset(&have, 0, sizeof have);
}
static sf_result free_memory(setup *t, int i)
{
    sf_result r = sf_mem_free(t->device, have.memory[i]);
    if (r == SF_OK) { have.memory[i] = NULL; }
    return r;
}
static sf_result x_event_query(setup *t) { return sf_event_query(t->e[0]); }
static sf_result x_event_synchronize(setup *t) { return sf_event_synchronize(t->e[0], GUARD); }
static sf_result x_event_poll(setup *t) { return sf_event_synchronize(t->e[0], 0); }
static sf_result x_stream_query(setup *t) { return sf_stream_query(t->s[1]); }
static sf_result x_stream_synchronize(setup *t) { return sf_stream_synchronize(t->s[1], GUARD); }
static sf_result x_stream_wait_forever(setup *t) { return sf_stream_synchronize(t->s[1], SF_FOREVER); }
static sf_result x_query_blocking(setup *t) { return sf_stream_query(t->b[0]); }
static sf_result x_query_default(setup *t) { return sf_stream_query(t->legacy); }
static sf_result x_synchronize_default(setup *t) { return sf_stream_synchronize(t->legacy, GUARD); }
static sf_result x_alloc_device(setup *t) { return sf_mem_alloc(t->device, 64, SF_MEMORY_DEVICE, &have.made); }
static sf_result x_alloc_pinned(setup *t) { return sf_mem_alloc(t->device, 64, SF_MEMORY_PINNED, &have.made); }
static sf_result x_alloc_managed(setup *t) { return sf_mem_alloc(t->device, 64, SF_MEMORY_MANAGED, &have.made); }
static sf_result x_free_device(setup *t) { return free_memory(t, 0); }
static sf_result x_free_pinned(setup *t) { return free_memory(t, 1); }
static sf_result x_free_managed(setup *t) { return free_memory(t, 2); }
static sf_result x_alloc_async(setup *t) { return sf_mem_alloc_async(t->s[1], NULL, 64, &have.made); }
static sf_result x_free_async(setup *t)
{
    sf_result r = sf_mem_free_async(t->s[1], have.memory[3]);
    if (r == SF_OK) { have.memory[3] = NULL; }
    return r;
}
static sf_result x_instantiate(setup *t) { return sf_graph_instantiate(t->graph, 0, &have.exec); }
static sf_result x_exec_destroy(setup *t)
{
    sf_result r = sf_graph_exec_destroy(have.old);
    (void)t;
    if (r == SF_OK) { have.old = NULL; }
    return r;
}
static sf_result x_graph_destroy(setup *t)
{
    sf_result r = sf_graph_destroy(have.graph);
    (void)t;
    have.graph = NULL;
    return r;
}
static sf_result x_exec_update(setup *t) { return sf_graph_exec_update(t->exec, t->graph); }
static sf_result x_graph_edit(setup *t)
{
    sf_node_desc desc = { .type = SF_NODE_EMPTY };
    sf_graph *g = NULL, *clone = NULL;
    sf_result r = sf_graph_create(t->device, &g);
    if (r == SF_OK) { r = sf_graph_add_node(g, NULL, 0, &desc, NULL); }
    if (r == SF_OK) { r = sf_graph_clone(g, &clone); }
    if (r == SF_OK) { r = sf_graph_destroy(clone); }
    return r ? r : sf_graph_destroy(g);
}
static sf_result x_prefetch(setup *t) { return sf_mem_prefetch_async(t->s[1], have.managed, 4096, true); }
static sf_result x_preload(setup *t) { return (void)t, sf_function_preload(have.function); }
static sf_result x_module_unload(setup *t)
{
    sf_result r = sf_module_unload(have.module);
    (void)t;
    if (r == SF_OK) { have.module = NULL, have.function = NULL; }
    return r;
}
static sf_result x_device_synchronize(setup *t) { return sf_device_synchronize(t->device, GUARD); }
static sf_result x_device_synchronize_poll(setup *t) { return sf_device_synchronize(t->device, 0); }
static sf_result x_elapsed(setup *t)
{
    float ms;
    return sf_event_elapsed_ms(t->e[0], t->e[1], &ms);
}
static sf_result x_event_create(setup *t)
{
    sf_event *e = NULL;
    sf_result r = sf_event_create(t->device, 0, &e);
    return r ? r : sf_event_destroy(e);
}
static sf_result x_event_record(setup *t) { return sf_event_record(have.event, t->s[1], 0); }
static sf_result x_wait_event(setup *t) { return sf_stream_wait_event(t->s[1], t->e[0], 0); }
static sf_result x_wait_stream(setup *t)
{
    sf_result r = sf_stream_wait_stream(t->s[1], t->s[2]);
    return r ? r : sf_stream_join(t->s[2], t->s[1]);
}
static sf_result x_stream_create(setup *t)
{
    sf_stream *s = NULL;
    sf_result r = sf_stream_create(t->device, NULL, &s);
    return r ? r : sf_stream_destroy(s);
}
static sf_result x_stream_destroy(setup *t)
{
    sf_result r = sf_stream_destroy(have.stream);
    (void)t;
    have.stream = NULL;
    return r;
}
static sf_result x_get_flags(setup *t)
{
    uint32_t flags;
    return sf_stream_get_flags(t->s[1], &flags);
}
static sf_result x_launch(setup *t) { return work(t, t->s[1]); }
static sf_result x_launch_default(setup *t) { return work(t, t->legacy); }
static sf_result x_memset(setup *t) { return enqueue(t, t->s[1], C_MEMSET); }
static sf_result x_memset_default(setup *t) { return enqueue(t, t->legacy, C_MEMSET); }
static sf_result x_memcpy(setup *t) { return enqueue(t, t->s[1], C_MEMCPY); }
static sf_result x_callback(setup *t) { return enqueue(t, t->s[1], C_CALLBACK); }
static sf_result x_host_func(setup *t) { return enqueue(t, t->s[1], C_HOST_FUNC); }
static sf_result x_write_value(setup *t) { return enqueue(t, t->s[1], C_WRITE_VALUE); }
static sf_result x_graph_launch(setup *t) { return enqueue(t, t->s[1], C_GRAPH_LAUNCH); }
static sf_result x_graph_upload(setup *t) { return sf_graph_upload(t->exec, t->s[1]); }
static sf_result x_module_load(setup *t) { return sf_module_load(t->device, ptx, sizeof ptx, 0, &have.loaded); }
static sf_result x_get_info(setup *t)
{
    sf_device_info info;
    return sf_device_get_info(t->device, &info);
}
static sf_result x_begin_and_end(setup *t)
{
    sf_graph *g = NULL;
    sf_result r = sf_stream_begin_capture(t->s[1], SF_CAPTURE_RELAXED);
    if (r == SF_OK) { r = work(t, t->s[1]); }
    if (r == SF_OK) { r = sf_stream_end_capture(t->s[1], &g); }
    return r ? r : sf_graph_destroy(g);
}
static sf_result x_host_memory(setup *t)
{
    void *p = NULL;
    sf_result r = sf_mem_alloc(t->device, 64, SF_MEMORY_HOST, &p);
    return r ? r : sf_mem_free(t->device, p);
}
static sf_result x_pool_of_blocks(setup *t)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 64, .blocks = 4 };
    sf_mem_pool *pool = NULL;
    sf_result r = sf_mem_pool_create(t->device, &desc, &pool);
    return r ? r : sf_mem_pool_destroy(pool);
}
static sf_result x_pool_without_bounds(setup *t)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_UNBOUNDED };
    sf_mem_pool *pool = NULL;
    sf_result r = sf_mem_pool_create(t->device, &desc, &pool);
    return r ? r : sf_mem_pool_destroy(pool);
}
static sf_result x_async_pool(setup *t)      /* the driver's own calls are unsafe: the library sees to it */
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC };
    sf_mem_pool_info info;
    sf_mem_pool *pool = NULL;
    sf_result r = sf_mem_pool_create(t->device, &desc, &pool);
    if (r == SF_OK) { r = sf_mem_pool_trim(pool, 0); }
    if (r == SF_OK) { r = sf_mem_pool_get_info(pool, &info); }
    return r ? r : sf_mem_pool_destroy(pool);
}
static sf_result x_fork_and_join(setup *t)
{
    sf_stream *child = NULL;
    sf_result r = sf_stream_fork(t->s[1], &child);
    if (r == SF_OK) { r = work(t, child); }
    return r ? r : sf_stream_join(t->s[1], child);
}
static sf_result x_attributes(setup *t) { return sf_stream_copy_attributes(t->s[1], t->s[2]); }
static sf_result x_ask_others(setup *t)
{
    sf_capture_status status;
    sf_capture_info info;
    sf_result r = sf_stream_is_capturing(t->s[1], &status);
    if (r == SF_OK) { r = sf_stream_is_capturing(t->s[0], &status); }
    return r ? r : sf_stream_get_capture_info(t->s[0], &info, NULL, 0);
}
static sf_result x_poll(setup *t)            /* the library's own: SF_OK or SF_IDLE */
{
    sf_result r = sf_device_poll(t->device, 0);
    return r == SF_IDLE ? SF_OK : r;
}
static const struct { const char *name; sf_result (*call)(setup *t); rule rule; bool cuda_only; } calls[] = {
    { "sf_event_query", x_event_query, UNSAFE, false },
    { "sf_event_synchronize", x_event_synchronize, UNSAFE, false },
    { "sf_event_synchronize, timeout 0", x_event_poll, UNSAFE, false },
    { "sf_stream_query of another", x_stream_query, UNSAFE, false },
    { "sf_stream_synchronize of another", x_stream_synchronize, UNSAFE, false },
    { "sf_stream_synchronize, for ever", x_stream_wait_forever, UNSAFE, false },
    { "sf_stream_query of a blocking one", x_query_blocking, UNSAFE, false },
    { "sf_stream_query of the default stream", x_query_default, UNSAFE, false },
    { "sf_stream_synchronize of the default stream", x_synchronize_default, UNSAFE, false },
    { "sf_mem_alloc DEVICE", x_alloc_device, UNSAFE, false },
    { "sf_mem_alloc PINNED", x_alloc_pinned, UNSAFE, false },
    { "sf_mem_alloc MANAGED", x_alloc_managed, UNSAFE, false },
    { "sf_mem_free DEVICE", x_free_device, UNSAFE, false },
    { "sf_mem_free PINNED", x_free_pinned, UNSAFE, false },
    { "sf_mem_free MANAGED", x_free_managed, UNSAFE, false },
    { "sf_mem_alloc_async on another", x_alloc_async, UNSAFE, false },
    { "sf_mem_free_async on another", x_free_async, UNSAFE, false },
    { "sf_graph_instantiate", x_instantiate, UNSAFE, false },
    { "sf_graph_exec_destroy", x_exec_destroy, UNSAFE, false },
    { "sf_module_unload", x_module_unload, UNSAFE, true },
    { "sf_device_synchronize", x_device_synchronize, NEVER, false },
    { "sf_device_synchronize, timeout 0", x_device_synchronize_poll, NEVER, false },
    { "sf_event_elapsed_ms", x_elapsed, ALLOWED, false },
    { "sf_event_create, sf_event_destroy", x_event_create, ALLOWED, false },
    { "sf_event_record on another", x_event_record, ALLOWED, false },
    { "sf_stream_wait_event on another", x_wait_event, ALLOWED, false },
    { "sf_stream_wait_stream, sf_stream_join of others", x_wait_stream, ALLOWED, false },
    { "sf_stream_create", x_stream_create, ALLOWED, false },
    { "sf_stream_destroy of another", x_stream_destroy, ALLOWED, false },
    { "sf_stream_get_flags", x_get_flags, ALLOWED, false },
    { "sf_launch on another", x_launch, ALLOWED, false },
    { "sf_launch on the default stream", x_launch_default, ALLOWED, false },
    { "sf_memset_async on another", x_memset, ALLOWED, false },
    { "sf_memset_async on the default stream", x_memset_default, ALLOWED, false },
    { "sf_memcpy_async on another", x_memcpy, ALLOWED, false },
    { "sf_stream_add_callback on another", x_callback, ALLOWED, false },
    { "sf_launch_host_func on another", x_host_func, ALLOWED, false },
    { "sf_stream_write_value on another", x_write_value, ALLOWED, false },
    { "sf_graph_launch on another", x_graph_launch, ALLOWED, false },
    { "sf_graph_upload on another", x_graph_upload, ALLOWED, false },
    { "sf_module_load", x_module_load, ALLOWED, true },
    { "sf_function_preload", x_preload, ALLOWED, true },
    { "sf_graph_exec_update", x_exec_update, ALLOWED, false },
    { "sf_graph_destroy", x_graph_destroy, ALLOWED, false },
    { "sf_graph_create, _add_node, _clone", x_graph_edit, ALLOWED, false },
    { "sf_mem_prefetch_async on another", x_prefetch, ALLOWED, false },
    { "sf_mem_pool_create ASYNC, _trim, _destroy", x_async_pool, ALLOWED, false },
    { "sf_stream_fork, _join of another", x_fork_and_join, ALLOWED, false },
    { "sf_stream_copy_attributes", x_attributes, ALLOWED, false },
    { "sf_device_get_info", x_get_info, ALLOWED, false },
    { "another capture", x_begin_and_end, ALLOWED, false },
    { "sf_mem_alloc, sf_mem_free HOST", x_host_memory, ALLOWED, false },
    { "sf_mem_pool_create BLOCKS", x_pool_of_blocks, ALLOWED, false },
    { "sf_mem_pool_create UNBOUNDED", x_pool_without_bounds, ALLOWED, false },
    { "sf_stream_is_capturing", x_ask_others, ALLOWED, false },
    { "sf_device_poll", x_poll, ALLOWED, false },
};
/* The calling thread's mode and the capture's own: nobody is hindered who is RELAXED, and nobody but its own thread
   by a capture that is not GLOBAL. */
static bool forbidden(rule rule, sf_capture_mode capture, bool other_thread, sf_capture_mode thread)
{
    if (rule != UNSAFE) { return rule == NEVER; }
    if (thread == SF_CAPTURE_RELAXED || capture == SF_CAPTURE_RELAXED) { return false; }
    return !other_thread || (capture == SF_CAPTURE_GLOBAL && thread == SF_CAPTURE_GLOBAL);
}
/* The same captures go into a graph of their own or into the body of a conditional: CUDA's driver cannot end one of
   those once it is spoiled, so there the library keeps the rules. */
static struct { bool on; sf_graph *outer, *body; } into_body;
static void begin_here(setup *t, sf_stream *s, sf_capture_mode mode)
{
    sf_node_desc d = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &into_body.body } };
    if (!into_body.on) {
        CHECK_OK(sf_stream_begin_capture(s, mode));
    } else {
        CHECK_OK(sf_graph_create(t->device, &into_body.outer));
        CHECK_OK(sf_graph_conditional_create(into_body.outer, 0, true, &d.conditional.handle));
        CHECK_OK(sf_graph_add_node(into_body.outer, NULL, 0, &d, NULL));
        CHECK_OK(sf_stream_begin_capture_to_graph(s, into_body.body, NULL, 0, mode));
    }
    CHECK_OK(work(t, s));
}
static void drop_here(sf_graph *ended, bool is)
{
    CHECK(is == !!ended && (!ended || !into_body.on || ended == into_body.body));
    if (into_body.on) { CHECK_OK(sf_graph_destroy(into_body.outer)); }
    if (ended && !into_body.on) { CHECK_OK(sf_graph_destroy(ended)); }
}
static void who_forbids_what_to_whom(void **state)
{
    setup *t = &fixture;
    uint32_t count = 0;
    (void)state;
    setup_make(t);
    need_exec(t);
    for (uint32_t i = 0; i < COUNT(calls) * 18; i++) {
        const uint32_t c = i / 18, m = i / 6 % 3, other = i / 3 % 2, mine = i % 3;
        sf_capture_mode mode = modes[mine];
        bool no = forbidden(calls[c].rule, modes[m], other != 0, modes[mine]);
        sf_capture_status status = SF_CAPTURE_NONE;
        sf_graph *g = NULL;
        char what[160];
        sf_result r;
        if (calls[c].cuda_only && !on_cuda()) {
            if (i % 18 == 0) { printf("# %s: not tried, a host device has no modules\n", calls[c].name); }
            continue;
        }
        count++;
        things_ready(t);
        for (int k = 0; k < 2; k++) { CHECK_OK(sf_event_record(t->e[k], t->s[2], 0)); }
        CHECK_OK(sf_device_synchronize(t->device, GUARD));
        snprintf(what, sizeof what, "%s, %s capture, %s thread in mode %s", calls[c].name, mode_names[m],
                 other ? "another" : "the same", mode_names[mine]);
        begin_here(t, t->at, modes[m]);
        if (other) {
            r = elsewhere(t, calls[c].call, modes[mine]);
        } else {
            CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
            r = calls[c].call(t);
            CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
        }
        SHOULD_BE(r, no ? SF_ERROR_CAPTURE_UNSUPPORTED : SF_OK, "%s", what);
        SHOULD_BE(sf_stream_is_capturing(t->s[0], &status), SF_OK, "%s: is_capturing", what);
        SHOULD_BE((sf_result)status, (sf_result)(no ? INVALID : ACTIVE), "%s: status", what);
        SHOULD_BE(sf_stream_end_capture(t->s[0], &g), no ? SF_ERROR_CAPTURE_INVALIDATED : SF_OK, "%s: end", what);
        drop_here(g, !no);
        things_made(t);
    }
    printf("# %u calls\n", count);
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    things_gone(t);
    setup_end(t);
    check_nothing_wrong();
}

/* Calls that conflict with the capture itself: no mode helps, whichever thread. */
static sf_result y_query_origin(setup *t) { return sf_stream_query(t->at); }
static sf_result y_synchronize_origin(setup *t) { return sf_stream_synchronize(t->at, GUARD); }
static sf_result y_callback(setup *t) { return enqueue(t, t->at, C_CALLBACK); }
static sf_result y_attach(setup *t) { return enqueue(t, t->at, C_ATTACH); }
static sf_result y_event_query(setup *t) { return sf_event_query(t->e[3]); }
static sf_result y_event_synchronize(setup *t) { return sf_event_synchronize(t->e[3], GUARD); }
static sf_result y_elapsed(setup *t)
{
    float ms;
    return sf_event_elapsed_ms(t->e[3], t->e[0], &ms);
}
static sf_result y_end_participant(setup *t) { return sf_stream_end_capture(t->s[1], NULL); }
static sf_result y_isolation(setup *t) { return sf_stream_wait_event(t->at, t->e[0], 0); }
static sf_result y_implicit_wait(setup *t) { return sf_stream_wait_event(t->legacy, t->e[3], 0); }
static sf_result y_default_stream(setup *t) { return work(t, t->legacy); }
static sf_result y_default_is_capturing(setup *t)
{
    sf_capture_status status;
    return sf_stream_is_capturing(t->legacy, &status);
}
static const struct { const char *name; sf_result (*call)(setup *t); sf_result result; int after; bool blocking; }
conflicts[] = {
    { "query of the origin", y_query_origin, SF_ERROR_CAPTURE_UNSUPPORTED, INVALID, false },
    { "synchronize of the origin", y_synchronize_origin, SF_ERROR_CAPTURE_UNSUPPORTED, INVALID, false },
    { "callback", y_callback, SF_ERROR_CAPTURE_UNSUPPORTED, INVALID, false },
    { "attach", y_attach, SF_ERROR_CAPTURE_UNSUPPORTED, INVALID, false },
    { "query of a captured event", y_event_query, SF_ERROR_CAPTURED_EVENT, INVALID, false },
    { "synchronize of a captured event", y_event_synchronize, SF_ERROR_CAPTURED_EVENT, INVALID, false },
    { "elapsed of a captured event", y_elapsed, SF_ERROR_CAPTURED_EVENT, ACTIVE, false },
    { "end of a participant", y_end_participant, SF_ERROR_CAPTURE_UNMATCHED, INVALID, false },
    { "wait for what was before", y_isolation, SF_ERROR_CAPTURE_ISOLATION, INVALID, false },
    { "the default stream waits", y_implicit_wait, SF_ERROR_CAPTURE_IMPLICIT, INVALID, false },
    { "the default stream beside a blocking one", y_default_stream, SF_ERROR_CAPTURE_IMPLICIT, INVALID, true },
    { "is_capturing of it", y_default_is_capturing, SF_ERROR_CAPTURE_IMPLICIT, ACTIVE, true },
};
static void no_mode_helps(void **state)
{
    setup *t = &fixture;
    (void)state;
    setup_make(t);
    need_managed(t);
    for (uint32_t i = 0; i < COUNT(conflicts) * 18; i++) {
        const uint32_t c = i / 18, m = i / 6 % 3, other = i / 3 % 2, mine = i % 3;
        sf_capture_mode mode = modes[mine];
        sf_capture_status status = SF_CAPTURE_NONE;
        sf_graph *g = NULL;
        char what[160];
        sf_result r;
        /* ending is bound to the thread unless RELAXED; which of two errors comes first is nobody's rule */
        if (conflicts[c].call == y_end_participant && other && m != 2) { continue; }
        snprintf(what, sizeof what, "%s, %s capture, %s thread in mode %s", conflicts[c].name, mode_names[m],
                 other ? "another" : "the same", mode_names[mine]);
        CHECK_OK(sf_event_record(t->e[0], t->s[2], 0));
        CHECK_OK(sf_event_record(t->e[3], t->s[2], 0));
        CHECK_OK(sf_device_synchronize(t->device, GUARD));
        t->at = conflicts[c].blocking ? t->b[0] : t->s[0];
        begin_here(t, t->at, modes[m]);
        order(t->at, t->e[3], t->s[1]);
        if (other) {
            r = elsewhere(t, conflicts[c].call, modes[mine]);
        } else {
            CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
            r = conflicts[c].call(t);
            CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
        }
        SHOULD_BE(r, conflicts[c].result, "%s", what);
        SHOULD_BE(sf_stream_is_capturing(t->at, &status), SF_OK, "%s: is_capturing", what);
        SHOULD_BE((sf_result)status, (sf_result)conflicts[c].after, "%s: status", what);
        SHOULD_BE(sf_stream_end_capture(t->at, &g),
                  conflicts[c].after == ACTIVE ? SF_OK : SF_ERROR_CAPTURE_INVALIDATED, "%s: end", what);
        drop_here(g, conflicts[c].after == ACTIVE);
    }
    setup_end(t);
    check_nothing_wrong();
}

static void who_forbids_what_to_whom_in_bodies(void **state)
{
    into_body.on = true;
    who_forbids_what_to_whom(state);
}
static void no_mode_helps_in_bodies(void **state)
{
    into_body.on = true;
    no_mode_helps(state);
}
static int leave_bodies(void **state)
{
    into_body.on = false;
    return setup_abandon(state);
}

/* An unsafe call breaks every capture that forbids it, and no other. */
static sf_result unsafe_elsewhere(setup *t) { return sf_event_query(t->e[0]); }
static void which_captures_break(void **state)
{
    setup *t = &fixture;
    const int own[3] = { INVALID, INVALID, ACTIVE }, others[3] = { INVALID, ACTIVE, ACTIVE };
    (void)state;
    setup_make(t);
    for (int round = 0; round < 3; round++) {
        const int *want = round ? others : own;
        CHECK_OK(sf_event_record(t->e[0], t->s[3], 0));
        CHECK_OK(sf_event_synchronize(t->e[0], GUARD));
        for (int i = 0; i < 3; i++) { CHECK_OK(sf_stream_begin_capture(t->s[i], modes[i])); }
        if (round == 0) {
            CHECK_IS(unsafe_elsewhere(t), SF_ERROR_CAPTURE_UNSUPPORTED);
        } else if (round == 1) {
            CHECK_IS(elsewhere(t, unsafe_elsewhere, SF_CAPTURE_GLOBAL), SF_ERROR_CAPTURE_UNSUPPORTED);
        } else {                             /* on CUDA, and here, the whole device: no mode is asked */
            CHECK_IS(sf_device_synchronize(t->device, GUARD), SF_ERROR_CAPTURE_UNSUPPORTED);
        }
        for (int i = 0; i < 3; i++) {
            sf_graph *g = NULL;
            int status = round == 2 ? INVALID : want[i];
            CHECK_EQUAL(status_of(t->s[i]), status);
            CHECK_IS(sf_stream_end_capture(t->s[i], &g), status == ACTIVE ? SF_OK : SF_ERROR_CAPTURE_INVALIDATED);
            if (g) { CHECK_OK(sf_graph_destroy(g)); }
        }
    }
    setup_end(t);
}
static void another_device_is_another_matter(void **state)
{
    setup *t = &fixture;
    sf_device *device;
    sf_event *e;
    sf_stream *s;
    void *p = NULL;
    (void)state;
    if (on_cuda()) {
        printf("# not tried: two devices of one GPU are one context to CUDA\n");
        return;
    }
    setup_make(t);
    device = test_open();
    s = test_stream(device), e = test_event(device);
    begin_capture(t, SF_CAPTURE_GLOBAL);
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_event_synchronize(e, GUARD));
    CHECK_OK(sf_event_query(e));
    CHECK_OK(sf_stream_query(s));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, &p));
    CHECK_OK(sf_mem_free(device, p));
    CHECK_OK(sf_device_synchronize(device, GUARD));
    test_close(device);
    setup_end_capture(t, ACTIVE);
    setup_end(t);
}

/* Captures on several devices at the same time, and one after the other: no two have the same number. */
static void ids_of_captures_on_several_devices(void **state)
{
    enum { DEVICES = 4, TURNS = 5, CAPTURES = DEVICES * 2 * TURNS };
    sf_device *device[DEVICES];
    sf_stream *s[DEVICES][2];
    uint64_t ids[CAPTURES];
    size_t n = 0;
    (void)state;
    for (int i = 0; i < DEVICES; i++) {
        device[i] = test_open();
        for (int k = 0; k < 2; k++) { s[i][k] = test_stream(device[i]); }
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < DEVICES * 2; i++) {
            CHECK_OK(sf_stream_begin_capture(s[i / 2][i % 2], SF_CAPTURE_RELAXED));
            ids[n++] = capture_id(s[i / 2][i % 2]);
        }
        for (int i = 0; i < DEVICES * 2; i++) { CHECK_OK(sf_stream_end_capture(s[i / 2][i % 2], NULL)); }
        test_close(device[turn % DEVICES]);  /* nor has a device that comes later */
        device[turn % DEVICES] = test_open();
        for (int k = 0; k < 2; k++) { s[turn % DEVICES][k] = test_stream(device[turn % DEVICES]); }
    }
    CHECK_EQUAL(n, CAPTURES);
    for (size_t i = 0; i < n; i++) {
        CHECK(ids[i]);
        for (size_t k = 0; k < i; k++) { CHECK(ids[i] != ids[k]); }
    }
    for (int i = 0; i < DEVICES; i++) { test_close(device[i]); }
}
static void closing_while_capturing(void **state)            /* says so, or not; the device goes with all it had */
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        test_heap heap = { 0 };
        sf_device *device = test_open_desc(
            &(sf_device_desc){ .host.workers = 2, .heap = { test_heap_alloc, test_heap_free, &heap } });
        sf_result r;
        sf_stream *s = test_stream(device), *other = test_stream(device);
        sf_event *e = test_event(device);
        uint32_t *data = (uint32_t *)test_memory(device, 64);
        CHECK_OK(sf_stream_begin_capture(s, modes[i]));
        CHECK_OK(test_mix(s, data, NULL, 1, 1, 1, 0));
        order(s, e, other);
        CHECK_OK(test_mix(other, data, NULL, 1, 1, 1, 0));
        r = sf_device_close(device, GUARD);
        CHECK(r == SF_OK || r == SF_ERROR_CAPTURE_UNSUPPORTED);
        CHECK_EQUAL(heap.live, 0);
    }
}
/* Calls of all kinds from several threads on the same streams: no order, so no results; but no crash, and no race. */
enum { CROWD = 3, CROWD_ROUNDS = 2000 };
typedef struct crowd_job { setup *t; uint32_t index; pthread_t thread; } crowd_job;
static void *crowd_main(void *arg)
{
    crowd_job *j = (crowd_job *)arg;
    setup *t = j->t;
    rng r = rng_seed(j->index);
    uint32_t rounds = on_cuda() ? CROWD_ROUNDS / 10 : CROWD_ROUNDS;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t k = rng_below(&r, 3);
        sf_stream *s = t->s[k];
        sf_event *e = t->e[rng_below(&r, 3)];
        sf_capture_mode mode = modes[rng_below(&r, 3)];
        sf_capture_status status;
        sf_capture_info info;
        sf_dependency after[2];
        sf_graph *g = NULL;
        float ms;
        switch (rng_below(&r, on_cuda() ? 14 : 16)) {        /* a driver crashes where a capture begins under work */
        case 0:
        case 1: (void)sf_stream_begin_capture(s, mode); break;
        case 2:
        case 3:
            if (sf_stream_end_capture(s, &g) == SF_OK) { (void)sf_graph_destroy(g); }
            break;
        case 4: (void)sf_stream_is_capturing(s, &status); break;
        case 5: (void)sf_stream_get_capture_info(s, &info, after, on_cuda() ? 0 : 2); break;       /* as declared */
        case 6: (void)sf_event_record(e, s, 0); break;
        case 7: (void)sf_stream_wait_event(s, e, 0); break;
        case 8: (void)sf_stream_query(s); break;
        case 9: (void)sf_event_query(e); break;
        case 10: (void)sf_stream_update_capture_dependencies(s, NULL, 0, SF_CAPTURE_SET_DEPENDENCIES); break;
        case 11: (void)sf_event_elapsed_ms(e, t->e[rng_below(&r, 3)], &ms); break;
        case 12: (void)sf_thread_exchange_stream_capture_mode(&mode); break;
        case 13: (void)sf_stream_query(t->legacy); break;
        case 14: (void)sf_memset_async(s, t->data + 64 + 16 * k, 0, 16); break;
        default: (void)sf_memset_async(s, t->data + 128 + 16 * k, 0, 16);
        }
    }
    return NULL;
}
/* Other work is waited for all the same: what a slow kernel writes behind the close is the test's own. */
static void closing_with_other_work(void **state)
{
    static uint32_t words[8];
    (void)state;
    if (on_cuda()) { return; }               /* its memory goes with the device */
    for (int i = 0; i < 3; i++) {
        sf_device *device = test_open_desc(&(sf_device_desc){ .host.workers = 2 });
        sf_stream *s = test_stream(device), *other = test_stream(device);
        uint32_t model = 0;
        sf_result r;
        words[0] = 0;
        for (uint32_t k = 0; k < 50; k++) {
            CHECK_OK(test_mix(other, words, NULL, 1, 3, k, 20000));
            test_mix_model(&model, NULL, 1, 3, k);
        }
        CHECK_OK(sf_stream_begin_capture(s, modes[i]));
        CHECK_OK(test_mix(s, words + 1, NULL, 1, 1, 1, 0));
        r = sf_device_close(device, GUARD);
        CHECK(r == SF_OK || r == SF_ERROR_CAPTURE_UNSUPPORTED);
        CHECK_EQUAL(words[0], model);
    }
}
/* A close that comes too early leaves everything as it is, captures, too. */
static void closing_too_early(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        sf_device *device = test_open_desc(&(sf_device_desc){ .host.workers = 2 });
        sf_stream *s = test_stream(device), *other = test_stream(device);
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_capture_status status = SF_CAPTURE_NONE;
        sf_graph *g = NULL;
        sf_graph_exec *exec;
        CHECK_OK(test_gate(other, words, 1));
        CHECK_OK(sf_stream_begin_capture(s, modes[i]));
        CHECK_OK(test_mix(s, words + 1, NULL, 1, 1, 1, 0));
        CHECK_IS(sf_device_close(device, 0), SF_TIMEOUT);
        CHECK_IS(sf_device_close(device, SF_MS(2)), SF_TIMEOUT);
        CHECK_OK(sf_stream_is_capturing(s, &status));
        CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
        CHECK_OK(test_mix(s, words + 1, NULL, 1, 3, 1, 0));
        CHECK_OK(sf_stream_end_capture(s, &g));
        CHECK_EQUAL(test_load(words + 1), 0);
        CHECK_OK(sf_graph_instantiate(g, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(words[1], 4);
        CHECK_OK(sf_stream_begin_capture(s, modes[i]));
        CHECK_OK(test_mix(s, words + 1, NULL, 1, 1, 1, 0));
        test_store(words, 1);
        test_close(device);                  /* in time, and the capture goes */
    }
}
/* A call waits for room in a full stream, and meanwhile the stream begins to capture: whether the call goes to the
   stream or into the graph, it comes out right. */
enum { FULL = 4, BEHIND = 16 };
typedef struct full_job { sf_stream *s; uint32_t *data, failures; } full_job;
static void *full_main(void *arg)
{
    full_job *j = (full_job *)arg;
    for (uint32_t i = 0; i < BEHIND; i++) { j->failures += test_mix(j->s, j->data, NULL, 1, 1, 1, 0) != SF_OK; }
    return NULL;
}
static void capturing_while_a_call_waits(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* its depth is the driver's */
    for (int i = 0; i < 20; i++) {
        sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = FULL } });
        sf_stream *s = test_stream(device);
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        full_job j = { s, words + 1, 0 };
        sf_counters now;
        sf_graph *g = NULL;
        sf_graph_exec *exec;
        pthread_t thread;
        CHECK_OK(test_gate(s, words, 1));
        CHECK_EQUAL(pthread_create(&thread, NULL, full_main, &j), 0);
        do { /* until the thread is in the call that finds it full, or about to be */
            CHECK_OK(sf_device_get_counters(device, &now));
        } while (now.launches < FULL + 1);
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        test_store(words, 1);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_EQUAL(j.failures, 0);
        CHECK_OK(sf_stream_end_capture(s, &g));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(words[1], BEHIND - node_count(g));
        CHECK_OK(sf_graph_instantiate(g, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(words[1], BEHIND);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(g));
        CHECK_OK(sf_mem_free(device, words));
        test_close(device);
    }
}
/* Another thread's external records are nodes, or refused: none is taken for nothing. */
typedef struct outsider { sf_stream *s; sf_event *e; uint32_t round, stop, taken, wrong; } outsider;
static void *outsider_main(void *arg)
{
    outsider *o = (outsider *)arg;
    uint32_t round = 0, tries = 0;
    while (!test_load(&o->stop)) {
        sf_result r;
        if (tries++ > 100) {                 /* so many at most in a graph */
            if (test_load(&o->round) != round) { tries = 0; } else { sched_yield(); }
            round = test_load(&o->round);
            continue;
        }
        r = sf_event_record(o->e, o->s, SF_EVENT_RECORD_EXTERNAL);
        if (r == SF_OK) { test_add(&o->taken, 1); } else { o->wrong += r != SF_ERROR_ILLEGAL_STATE; }
        r = sf_stream_wait_event(o->s, o->e, SF_EVENT_WAIT_EXTERNAL);
        if (r == SF_OK) { test_add(&o->taken, 1); } else { o->wrong += r != SF_ERROR_ILLEGAL_STATE; }
    }
    return NULL;
}
static void external_nodes_beside_the_end(void **state)
{
    sf_device *device;
    outsider o = { 0 };
    pthread_t thread;
    uint32_t nodes = 0;
    (void)state;
    if (on_cuda()) { return; }               /* the driver's own business there */
    device = test_open_desc(&(sf_device_desc){ .host.workers = 1 });
    o.s = test_stream(device), o.e = test_event(device);
    CHECK_EQUAL(pthread_create(&thread, NULL, outsider_main, &o), 0);
    for (uint32_t i = 0; i < 10000 || test_load(&o.taken) < 20; i++) {
        sf_graph *g = NULL;
        CHECK_OK(sf_stream_begin_capture(o.s, SF_CAPTURE_RELAXED));
        test_store(&o.round, i + 1);
        if (i % 8 == 0) { sched_yield(); }
        CHECK_OK(sf_stream_end_capture(o.s, &g));
        nodes += (uint32_t)node_count(g);
        CHECK_OK(sf_graph_destroy(g));
    }
    test_store(&o.stop, 1);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(o.taken, nodes);
    CHECK_EQUAL(o.wrong, 0);
    test_close(device);
}
/* Another thread ends the capture as soon as an allocation is a node: the memory goes with the graph, and is never
   given out as other memory. */
typedef struct allocator { sf_stream *s; uint32_t round, done; void *ptr; sf_result r; } allocator;
enum { ALLOCATOR_ROUNDS = 30000 };
static void *allocator_main(void *arg)
{
    allocator *a = (allocator *)arg;
    for (uint32_t i = 1; i <= ALLOCATOR_ROUNDS; i++) {
        while (test_load(&a->round) != i) { sched_yield(); }
        a->r = sf_mem_alloc_async(a->s, NULL, 256, &a->ptr);
        test_store(&a->done, i);
    }
    return NULL;
}
static void an_allocation_beside_the_end(void **state)
{
    sf_device *device;
    sf_counters before, now;
    allocator a = { 0 };
    pthread_t thread;
    (void)state;
    if (on_cuda()) { return; }               /* the driver's own business there */
    device = test_open_desc(&(sf_device_desc){ .host.workers = 1 });
    a.s = test_stream(device);
    CHECK_EQUAL(pthread_create(&thread, NULL, allocator_main, &a), 0);
    for (uint32_t i = 1; i <= ALLOCATOR_ROUNDS; i++) {
        CHECK_OK(sf_device_get_counters(device, &before));
        CHECK_OK(sf_stream_begin_capture(a.s, SF_CAPTURE_RELAXED));
        test_store(&a.round, i);
        do { CHECK_OK(sf_device_get_counters(device, &now)); } while (now.allocations == before.allocations);
        CHECK_OK(sf_stream_end_capture(a.s, NULL));
        while (test_load(&a.done) != i) { sched_yield(); }
        CHECK_OK(a.r);
        CHECK_OK(sf_device_get_counters(device, &now));
        CHECK_EQUAL(now.live_bytes, 0);
        CHECK_EQUAL(now.allocations, before.allocations + 1);
        CHECK_IS(sf_mem_free(device, a.ptr), SF_ERROR_INVALID_VALUE);
    }
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    test_close(device);
}
static void a_crowd(void **state)
{
    setup *t = &fixture;
    crowd_job jobs[CROWD];
    (void)state;
    setup_make(t);
    for (uint32_t i = 0; i < CROWD; i++) {
        jobs[i] = (crowd_job){ .t = t, .index = i };
        CHECK_EQUAL(pthread_create(&jobs[i].thread, NULL, crowd_main, &jobs[i]), 0);
    }
    for (uint32_t i = 0; i < CROWD; i++) { CHECK_EQUAL(pthread_join(jobs[i].thread, NULL), 0); }
    for (int round = 0; round < 2; round++) { /* whatever is open is ended: a participant says so, its origin goes */
        for (int i = 0; i < 3; i++) {
            sf_graph *g = NULL;
            if (sf_stream_end_capture(t->s[i], &g) == SF_OK) { CHECK_OK(sf_graph_destroy(g)); }
        }
    }
    setup_end(t);
}

/* -- any shape -- */

static void shape(sf_device *device, uint64_t seed)
{
    static traffic t;
    static traffic_script script;
    sf_counters before, after;
    sf_graph *graph;
    sf_graph_exec *exec = NULL;
    CHECK_OK(sf_device_get_counters(device, &before));
    memset(&t, 0, sizeof t);
    t.job_room = TRAFFIC_SCRIPT;
    t.streams = 2 + (uint32_t)seed % 5;
    t.buffers = 2 + (uint32_t)(seed / 5) % 4 * 2;
    t.events = 1 + (uint32_t)(seed / 3) % 6;
    t.spin = 200;
    traffic_make(&t, device, seed);
    graph = traffic_capture(&t, modes[seed % 3], 3 + rng_below(&t.r, seed % 4 ? 20 : TRAFFIC_SCRIPT - 3), &script);
    traffic_check(&t);                       /* nothing of it has run */
    traffic_check_graph(graph, &script);
    CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
    if (seed % 2) { CHECK_OK(sf_graph_destroy(graph)); }
    for (uint32_t i = 0; i < 2; i++) {       /* on any streams: launches of one exec come one after the other */
        CHECK_OK(sf_graph_launch(exec, t.s[rng_below(&t.r, t.streams)]));
        traffic_launched(&t, t.model, &script);
        if (seed % 3) { traffic_check(&t); }
    }
    if (seed % 2) { CHECK_OK(sf_graph_exec_destroy(exec)); } /* in flight, or not */
    traffic_check(&t);
    if (!(seed % 2)) {
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
    }
    traffic_end(&t);
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.live_streams, before.live_streams);
    CHECK_EQUAL(after.live_events, before.live_events);
    CHECK_EQUAL(after.live_graphs, before.live_graphs);
    CHECK_EQUAL(after.live_bytes, before.live_bytes);
}
static void any_shape_in_any_order(void **state)
{
    uint32_t seeds = on_cuda() ? 0 : test_seeds();
    (void)state;
    FOR_SEEDS(seed, seeds) {
        sf_device *device = test_open_order(seed & 1 ? SF_ORDER_PCT : SF_ORDER_RANDOM, seed);
        shape(device, seed);
        test_close(device);
    }
}
static void any_shape_on_threads(void **state)
{
    sf_device *device = test_open_workers(3);
    uint32_t seeds = test_seeds_of(test_seeds() / 10 + 10, 100);
    (void)state;
    FOR_SEEDS(seed, seeds) { shape(device, 1000000 + seed); }
    test_close(device);
}

/* -- the library's own work does not break a capture -- */

static uint32_t lib_steps;                   /* how far it came */
static sf_result lib_paint(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), out->data, NULL, NULL, 100 + (uint32_t)ctx->run, 300);
    return sf_emit(ctx, 0, out);
}
static sf_result lib_paint_on(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    paint(sf_compute_stream(ctx), out->data, in->data, NULL, 1000, 300);
    return sf_emit(ctx, 0, out);
}
static sf_result lib_probe(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), in->data, (uint32_t *)ctx->user + PROBE * ctx->run, 300);
}
static sf_result lib_flow(setup *t)          /* with kernels, pools and a stream condition, to its end */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = t->device });
    sf_port out = { .name = "out", .bytes = BYTES };
    sf_op a, b, c;
    sf_result r, end;
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = lib_paint, .out = { out }, .count = 20 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = lib_paint_on, .in = { { .name = "in" } },
                                      .out = { out } });
    c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = lib_probe, .user = t->data, .in = { { .name = "in" } },
                                 .when = { { .kind = SF_CONDITION_STREAM } } });
    sf_flow_connect(f, a, NULL, b, NULL, NULL);
    sf_flow_connect(f, b, NULL, c, NULL, NULL);
    r = sf_flow_run(f);
    end = sf_flow_destroy(f);
    return r < 0 ? r : end;
}
static sf_result lib_enqueue(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    uint32_t *word = (uint32_t *)x->state;
    (void)in, (void)count;
    out->ptr = word;
    return test_mix(x->stream, word, NULL, 1, 3, 1, 300);
}
static void lib_ready(sf_future *future, sf_result result, void *user)
{
    (void)future;
    test_add((uint32_t *)user, result == SF_OK ? 1 : 1000);
}
static sf_result lib_poll(setup *t, sf_future *future)       /* until it is ready, within a minute */
{
    sf_result r = SF_NOT_READY;
    for (int i = 0; i < 60000 && r == SF_NOT_READY; i++) {
        r = sf_future_poll(future);
        if (r == SF_NOT_READY) {
            (void)sf_device_poll(t->device, 0);
            usleep(i < 100 ? 10 : 1000);
        }
    }
    return r;
}
static sf_result lib_lazies(setup *t)
{
    for (uint32_t i = 0; i < 10; i++) {
        sf_lazy *part[3];
        sf_future *future = NULL;
        sf_value value = { .u64 = 0 };
        uint32_t told = 0;
        sf_result r;
        for (uint32_t k = 0; k < 3; k++) {
            sf_lazy_desc desc = { .run = lib_enqueue, .state = t->data + 512 + 16 * k };
            part[k] = sf_lazy_do(t->device, &desc);
        }
        r = sf_lazy_schedule(i % 2 ? sf_lazy_par(part, 3) : sf_lazy_zip(part, 3), NULL, &future);
        if (r < 0) { return r; }
        if (i % 3 == 0) { r = sf_future_on_ready(future, lib_ready, &told); }
        if (r >= 0) { r = lib_poll(t, future); }
        if (r >= 0) { r = sf_future_take(future, &value, 1); }
        for (int n = 0; i % 3 == 0 && n < 60000 && !test_load(&told); n++) {
            (void)sf_device_poll(t->device, 0);
            usleep(1000);
        }
        sf_future_drop(future);
        if (r < 0) { return r; }
        if (value.ptr != t->data + 512 || (i % 3 == 0 && test_load(&told) != 1)) { return SF_ERROR_UNKNOWN; }
        test_store(&lib_steps, i + 1);
    }
    return SF_OK;
}
static sf_result lib_sync(setup *t)          /* a call that waits: the library's streams, not the user's */
{
    sf_lazy_desc desc = { .run = lib_enqueue, .state = t->data + 700 };
    sf_result r = sf_lazy_sync(sf_lazy_do(t->device, &desc), NULL, GUARD, NULL);
    return r < 0 ? r : sf_lazy_async_on(sf_lazy_do(t->device, &desc), t->s[2]);
}
static sf_result lib_graph(setup *t)         /* captured by the library while the user captures */
{
    sf_lazy_desc desc = { .run = lib_enqueue, .state = t->data + 800 };
    sf_lazy *graph = sf_lazy_graph(sf_lazy_do(t->device, &desc));
    sf_result r = sf_lazy_sync(sf_lazy_retain(graph), NULL, GUARD, NULL);
    if (r >= 0) { r = sf_lazy_sync(graph, NULL, GUARD, NULL); } else { sf_lazy_drop(graph); }
    return r;
}
static const struct { const char *name; sf_result (*work)(setup *t); } own_work[] = {
    { "a flow", lib_flow },
    { "lazy operations, futures polled", lib_lazies },
    { "sf_lazy_sync", lib_sync },
    { "a lazy graph", lib_graph },
};
static void check_own_work(setup *t, uint32_t i)
{
    if (i == 0) {
        for (uint32_t k = 0; k < 20; k++) { CHECK_PROBE(t->data + PROBE * k, 1100 + k); }
    }
    if (i == 1) {
        uint32_t want = 0;
        for (uint32_t k = 0; k < 10; k++) { want = want * 3 + 1; }
        for (uint32_t k = 0; k < 3; k++) { CHECK_EQUAL(t->data[512 + 16 * k], want); }
    }
    if (i == 2) { CHECK_EQUAL(t->data[700], 4); }
    if (i == 3) { CHECK_EQUAL(t->data[800], 4); }
}
/* The library cleans up on a thread of its own; streams and events it keeps for the next time. */
static void own_work_settles(setup *t)
{
    sf_counters now;
    int i = 0;
    do {
        if (i) { usleep(1000); }
        (void)sf_device_poll(t->device, 0);
        CHECK_OK(sf_device_get_counters(t->device, &now));
    } while (i++ < 30000 && (now.live_graphs != t->before.live_graphs || now.live_bytes != t->before.live_bytes));
    t->before.live_streams = now.live_streams;
    t->before.live_events = now.live_events;
}
static void own_work_beside_a_capture(bool other_thread)
{
    for (uint32_t i = 0; i < COUNT(own_work); i++) {
        setup *t = &fixture;
        sf_graph *g = NULL;
        sf_capture_status status;
        setup_make(t);
        CHECK_OK(paint(t->s[1], t->data + 256, NULL, NULL, 0, 0));   /* CUDA loads a kernel at its first launch */
        CHECK_OK(probe(t->s[1], t->data + 256, t->data + 400, 0));
        CHECK_OK(own_work[i].work(t));       /* once without a capture: pools fill, nothing is new then */
        CHECK_OK(sf_device_synchronize(t->device, GUARD));
        memset(t->data, 0, ROW_WORDS * 4);
        CHECK_OK(sf_device_get_counters(t->device, &t->before));
        begin_capture(t, SF_CAPTURE_GLOBAL);
        SHOULD_BE(other_thread ? elsewhere(t, own_work[i].work, SF_CAPTURE_GLOBAL) : own_work[i].work(t), SF_OK, "%s",
                  own_work[i].name);
        CHECK_OK(sf_stream_is_capturing(t->s[0], &status));
        SHOULD_BE((sf_result)status, (sf_result)ACTIVE, "%s: status", own_work[i].name);
        SHOULD_BE(sf_stream_end_capture(t->s[0], &g), SF_OK, "%s: end", own_work[i].name);
        check_nothing_wrong();
        CHECK_EQUAL(node_count(g), 1);
        CHECK_OK(sf_graph_destroy(g));
        CHECK_OK(sf_device_synchronize(t->device, GUARD));
        check_own_work(t, i);
        own_work_settles(t);
        setup_end(t);
    }
}
static void own_work_on_another_thread(void **state) { (void)state, own_work_beside_a_capture(true); }
static void own_work_on_the_same_thread(void **state) { (void)state, own_work_beside_a_capture(false); }
/* And the first time, when pools are empty and streams are made. */
static void own_work_for_the_first_time(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(own_work); i++) {
        setup *t = &fixture;
        setup_make(t);
        CHECK_OK(paint(t->s[1], t->data + 256, NULL, NULL, 0, 0));
        CHECK_OK(probe(t->s[1], t->data + 256, t->data + 400, 0));
        CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
        begin_capture(t, SF_CAPTURE_GLOBAL);
        SHOULD_BE(elsewhere(t, own_work[i].work, SF_CAPTURE_GLOBAL), SF_OK, "%s", own_work[i].name);
        check_nothing_wrong();
        setup_end_capture(t, ACTIVE);
        CHECK_OK(sf_device_synchronize(t->device, GUARD));
        check_own_work(t, i);
        test_close(t->device);
        t->device = NULL;
    }
}

/* A capture into a body of the graph of another capture, which comes to nothing, is given up, or goes with its stream. */
static void a_body_goes_with_the_graph_around_it(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        sf_device *device = test_open();
        sf_stream *around = test_stream(device), *within = test_stream(device), *drawn = test_stream(device);
        sf_event *drawn_by = test_event(device);
        uint32_t *data = (uint32_t *)test_memory(device, 64);
        sf_node_desc desc = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1 } };
        sf_graph *body = NULL, *g = NULL, *other = NULL;
        sf_graph_node *n = NULL;
        sf_capture_info info;
        desc.conditional.body = &body;
        CHECK_OK(sf_stream_begin_capture(around, SF_CAPTURE_RELAXED));
        CHECK_OK(test_mix(around, data, NULL, 1, 0, 1, 0));
        CHECK_OK(sf_stream_get_capture_info(around, &info, NULL, 0));
        CHECK_OK(sf_graph_conditional_create(info.graph, 1, true, &desc.conditional.handle));
        CHECK_OK(sf_graph_add_node(info.graph, NULL, 0, &desc, &n));
        CHECK_OK(sf_stream_begin_capture_to_graph(within, body, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_OK(test_mix(within, data, NULL, 1, 0, 2, 0));
        if (how == 0) {
            CHECK_IS(sf_stream_query(around), SF_ERROR_CAPTURE_UNSUPPORTED);
            CHECK(sf_stream_end_capture(around, &g) < 0 && !g);
        } else if (how == 3) {               /* somebody has not come back */
            CHECK_OK(sf_event_record(drawn_by, around, 0));
            CHECK_OK(sf_stream_wait_event(drawn, drawn_by, 0));
            CHECK_OK(test_mix(drawn, data + 1, NULL, 1, 0, 2, 0));
            CHECK_IS(sf_stream_end_capture(around, &g), SF_ERROR_CAPTURE_UNJOINED);
        } else if (how == 1) {
            CHECK_OK(sf_stream_end_capture(around, NULL));
        } else {
            CHECK_OK(sf_stream_destroy(around));
        }
        CHECK_OK(sf_graph_create(device, &other));           /* maybe in its place */
        CHECK_IS(test_mix(within, data, NULL, 1, 0, 3, 0), SF_ERROR_CAPTURE_INVALIDATED);
        CHECK_IS(sf_stream_end_capture(within, &g), SF_ERROR_CAPTURE_INVALIDATED);
        CHECK(!g);
        CHECK_EQUAL(node_count(other), 0);
        CHECK_OK(sf_graph_destroy(other));
        CHECK_OK(test_mix(within, data, NULL, 1, 0, 4, 0));  /* and captures no more */
        CHECK_OK(sf_stream_synchronize(within, GUARD));
        CHECK_EQUAL(data[0], 4);
        CHECK_OK(sf_event_destroy(drawn_by));
        CHECK_OK(sf_mem_free(device, data));
        test_close(device);
    }
}
/* The capture around it ends well, with a branch that has come back: the one into the body goes on. */
static void a_body_outlives_the_capture_around_it(void **state)
{
    sf_device *device = test_open();
    sf_stream *around = test_stream(device), *within = test_stream(device), *branch = test_stream(device);
    sf_event *apart = test_event(device), *back = test_event(device);
    uint32_t *data = (uint32_t *)test_memory(device, 64);
    sf_node_desc desc = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1 } };
    sf_graph *body = NULL, *g = NULL, *ended = NULL;
    sf_graph_node *n = NULL;
    sf_graph_exec *exec = NULL;
    sf_capture_info info;
    (void)state;
    desc.conditional.body = &body;
    CHECK_OK(sf_stream_begin_capture(around, SF_CAPTURE_RELAXED));
    CHECK_OK(sf_event_record(apart, around, 0));
    CHECK_OK(sf_stream_wait_event(branch, apart, 0));
    CHECK_OK(test_mix(branch, data, NULL, 1, 0, 1, 0));
    CHECK_OK(sf_stream_get_capture_info(around, &info, NULL, 0));
    CHECK_OK(sf_graph_conditional_create(info.graph, 1, true, &desc.conditional.handle));
    CHECK_OK(sf_graph_add_node(info.graph, NULL, 0, &desc, &n));
    CHECK_OK(sf_stream_begin_capture_to_graph(within, body, NULL, 0, SF_CAPTURE_RELAXED));
    CHECK_OK(test_mix(within, data + 1, NULL, 1, 0, 2, 0));
    CHECK_OK(sf_event_record(back, branch, 0));
    CHECK_OK(sf_stream_wait_event(around, back, 0));
    CHECK_OK(sf_stream_end_capture(around, &g));
    CHECK_OK(test_mix(within, data + 2, NULL, 1, 0, 3, 0));
    CHECK_OK(sf_stream_end_capture(within, &ended));
    CHECK(ended == body);
    CHECK_OK(sf_graph_instantiate(g, 0, &exec));
    CHECK_OK(sf_graph_launch(exec, within));
    CHECK_OK(sf_stream_synchronize(within, GUARD));
    for (uint32_t i = 0; i < 3; i++) { CHECK_EQUAL(data[i], i + 1); }
    CHECK_OK(sf_graph_exec_destroy(exec));
    CHECK_OK(sf_graph_destroy(g));
    CHECK_OK(sf_event_destroy(apart));
    CHECK_OK(sf_event_destroy(back));
    CHECK_OK(sf_mem_free(device, data));
    test_close(device);
}

/* A call without memory leaves no node, and the capture as it was: it can be made again. */
static void unheard_of(void *user) { (void)user; }
static void captured_without_memory(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* the driver has its own */
    for (int kind = 0; kind < 6; kind++) {
        uint32_t succeeded = 0;
        for (long at = 1; at < 60 && succeeded < 2; at++) {
            test_heap h = { 0 };
            sf_device *d = test_open_desc(&(sf_device_desc){ .heap = { test_heap_alloc, test_heap_free, &h } });
            sf_stream *s = test_stream(d), *t = test_stream(d);
            sf_graph *graph = NULL;
            sf_event *e;
            uint32_t word = 0;
            sf_result r = SF_OK;
            void *p = NULL;
            int nodes = -1;
            CHECK_OK(sf_event_create(d, SF_EVENT_DISABLE_TIMING, &e));
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
            if (kind == 5) {
                CHECK_OK(sf_event_record(e, s, 0));
                CHECK_OK(sf_stream_wait_event(t, e, 0));
            }
            h.fail_at = h.total + at;
            for (int again = 0; again < 2; again++, h.fail_at = 0) {
                switch (kind) {
                case 0: r = test_mix(s, &word, NULL, 1, 1, 1, 0); break;
                case 1: r = sf_mem_alloc_async(s, NULL, 64, &p); break;
                case 2: r = sf_launch_host_func(s, unheard_of, NULL); break;
                case 3: r = sf_memset_async(s, &word, 0, 4); break;
                case 4: r = sf_event_record(e, s, SF_EVENT_RECORD_EXTERNAL); break;
                default: r = test_mix(t, &word, NULL, 1, 1, 1, 0); break;
                }
                if (r >= 0) { break; }
                CHECK_IS(r, SF_ERROR_OUT_OF_MEMORY);
                succeeded -= succeeded > 0;
            }
            CHECK_OK(r);
            succeeded++;
            h.fail_at = 0;
            if (kind == 5) {
                CHECK_OK(sf_event_record(e, t, 0));
                CHECK_OK(sf_stream_wait_event(s, e, 0));
            }
            CHECK_OK(sf_stream_end_capture(s, &graph));
            CHECK_OK(sf_graph_get_nodes(graph, NULL, 0, &nodes));
            CHECK_EQUAL(nodes, 1);
            CHECK_OK(sf_graph_destroy(graph));
            test_close(d);
            CHECK_EQUAL(h.live, 0);
        }
    }
}

/* -- captured again -- */

typedef enum again_kind { A_MIX, A_SET, A_COPY, A_CALL, A_WRITE, A_KINDS } again_kind;
/* A command of stream `on`, on words of that stream; value: its parameter. hop: the other stream waits for it. */
typedef struct again_step { again_kind kind; int on; bool hop; uint32_t at, value; } again_step;
enum { AGAIN_STEPS = 16, AGAIN_WORDS = 16 };
typedef struct again {
    sf_device *device;
    sf_stream *s[2];
    sf_event *e[2];
    uint32_t *words, calls[2];
    again_step steps[AGAIN_STEPS];
    int count;
    uint32_t told, refuse_at;                /* of the recapture's function; refuse_at: which call of it fails, from 1 */
    bool wrong;
} again;
static void again_shape(again *t, rng *r)
{
    t->count = 1 + (int)rng_below(r, AGAIN_STEPS);
    for (int i = 0; i < t->count; i++) {
        t->steps[i] = (again_step){ (again_kind)rng_below(r, A_KINDS), (int)rng_below(r, 2), rng_below(r, 3) == 0,
                                    rng_below(r, AGAIN_WORDS), rng_below(r, 200) };
    }
}
static uint32_t again_change(again *t, rng *r)               /* how many steps get another parameter */
{
    uint32_t changed = 0;
    for (int i = 0; i < t->count; i++) {
        uint32_t before = t->steps[i].value;
        if (rng_below(r, 2)) { t->steps[i].value = rng_below(r, 200); }
        changed += t->steps[i].kind == A_CALL   ? before % 2 != t->steps[i].value % 2
                   : t->steps[i].kind == A_COPY ? before % AGAIN_WORDS != t->steps[i].value % AGAIN_WORDS
                                                : before != t->steps[i].value;
    }
    return changed;
}
static sf_result again_step_on(again *t, const again_step *a)
{
    uint32_t *mine = t->words + a->on * AGAIN_WORDS;
    switch (a->kind) {
    case A_MIX: {
        mix_args m;
        memset(&m, 0, sizeof m);
        m.dst = mine + a->at, m.n = 1, m.mul = 3, m.add = a->value;
        return sf_launch(t->s[a->on], &mix_kernel, &m, sizeof m);
    }
    case A_SET: return sf_memset_async(t->s[a->on], mine + a->at, (uint8_t)a->value, 4);
    case A_COPY: return sf_memcpy_async(t->s[a->on], mine + a->at, mine + a->value % AGAIN_WORDS, 4);
    case A_CALL: return sf_launch_host_func(t->s[a->on], count_call, &t->calls[a->value % 2]);
    default: return sf_stream_write_value(t->s[a->on], mine + a->at, 4, a->value, 0);
    }
}
static void again_model(const again *t, uint32_t *words, uint32_t *calls)
{
    for (int i = 0; i < t->count; i++) {
        const again_step *a = &t->steps[i];
        uint32_t *mine = words + a->on * AGAIN_WORDS, *at = mine + a->at;
        switch (a->kind) {
        case A_MIX: *at = *at * 3 + a->value; break;
        case A_SET: memset(at, (int)a->value, 4); break;
        case A_COPY: *at = mine[a->value % AGAIN_WORDS]; break;
        case A_CALL: calls[a->value % 2]++; break;
        default: *at = a->value; break;
        }
    }
}
/* Both streams take part; the first ends it. Ends at the first failure, whose code comes back. */
static sf_result again_capture(again *t, sf_graph **graph)
{
    sf_result r, end;
    order(t->s[0], t->e[0], t->s[1]);
    r = again_step_on(t, &(again_step){ A_CALL, 1, false, 0, 0 });           /* so that the second has a node */
    for (int i = 0; i < t->count && r >= 0; i++) {
        r = again_step_on(t, &t->steps[i]);
        if (r >= 0 && t->steps[i].hop) { order(t->s[t->steps[i].on], t->e[t->steps[i].on], t->s[1 - t->steps[i].on]); }
    }
    if (r >= 0) { order(t->s[1], t->e[1], t->s[0]); }
    end = sf_stream_end_capture(t->s[0], graph);
    CHECK(r >= 0 || end < 0);
    return r < 0 ? r : end;
}
static sf_result again_told(void *user, const sf_graph_node *node, sf_recapture_status status)
{
    again *t = (again *)user;
    if (!node || status != SF_RECAPTURE_UPDATE || sf_stream_query(t->s[0]) != SF_ERROR_NOT_PERMITTED) { t->wrong = true; }
    return ++t->told == t->refuse_at ? SF_ERROR_USER : SF_OK;
}
static void again_begin(again *t)
{
    memset(t, 0, sizeof *t);
    t->device = test_open();
    t->words = (uint32_t *)test_memory(t->device, 2 * AGAIN_WORDS * 4);
    for (int i = 0; i < 2; i++) { t->s[i] = test_stream(t->device), t->e[i] = test_event(t->device); }
}
static bool again_is_there(again *t)         /* CUDA 13.3 */
{
    sf_graph *g = NULL, *end = NULL;
    sf_result r;
    CHECK_OK(sf_graph_create(t->device, &g));
    r = sf_stream_begin_recapture_to_graph(t->s[0], SF_CAPTURE_RELAXED, g, NULL, NULL);
    if (r == SF_ERROR_NOT_SUPPORTED) { CHECK(strstr(sf_device_failure(t->device)->text, "cuStreamBeginRecaptureToGraph")); }
    else { CHECK_OK(r); CHECK_OK(sf_stream_end_capture(t->s[0], &end)); CHECK(end == g); }
    CHECK_OK(sf_graph_destroy(g));
    return r == SF_OK;
}
static void again_run(again *t, sf_graph_exec *exec, uint32_t *words, uint32_t *calls)
{
    CHECK_OK(sf_graph_launch(exec, t->s[0]));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    calls[0]++;                              /* the second's first node */
    again_model(t, words, calls);
    CHECK_BYTES(t->words, words, 2 * AGAIN_WORDS * 4);
    CHECK_EQUAL(t->calls[0], calls[0]);
    CHECK_EQUAL(t->calls[1], calls[1]);
}
/* The same calls with other parameters: the graph has those, an update hands them to what was instantiated, and the
   function is told of each node that differs, and of no other. */
static void captured_again(void **state)
{
    again t;
    (void)state;
    again_begin(&t);
    FOR_SEEDS(seed, again_is_there(&t) ? 40 + test_seeds() / 20 : 0) {
        rng r = rng_seed(seed);
        uint32_t words[2 * AGAIN_WORDS], calls[2];
        sf_graph *graph = NULL, *same = NULL;
        sf_graph_exec *exec = NULL;
        again_shape(&t, &r);
        memcpy(words, t.words, sizeof words), memcpy(calls, t.calls, sizeof calls);
        CHECK_OK(sf_stream_begin_capture(t.s[0], SF_CAPTURE_THREAD_LOCAL));
        CHECK_OK(again_capture(&t, &graph));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        again_run(&t, exec, words, calls);
        for (int i = 0; i < 2; i++) {
            uint32_t changed = again_change(&t, &r);
            t.told = 0;
            CHECK_OK(sf_stream_begin_recapture_to_graph(t.s[0], modes[seed % 3], graph, i || seed % 2 ? again_told : NULL, &t));
            CHECK_OK(again_capture(&t, &same));
            CHECK(same == graph && !t.wrong);
            if (t.told != (i || seed % 2 ? changed : 0)) { fail_msg("seed %u: %u of %u", seed, t.told, changed); }
            CHECK_OK(sf_graph_exec_update(exec, graph));
            again_run(&t, exec, words, calls);
        }
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));     /* it is an ordinary graph */
        again_run(&t, exec, words, calls);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
    }
    test_close(t.device);
}
/* One thing is wrong. It is refused, the graph can only be destroyed, and what was instantiated runs as before. */
static void captured_again_wrongly(void **state)
{
    enum { KIND, MISSING, EXTRA, HOP, REFUSED, WRONGS };
    again t;
    uint32_t met[WRONGS] = { 0 };
    (void)state;
    again_begin(&t);
    FOR_SEEDS(seed, again_is_there(&t) ? 40 + test_seeds() / 20 : 0) {
        rng r = rng_seed(seed);
        uint32_t words[2 * AGAIN_WORDS], calls[2], what = rng_below(&r, WRONGS);
        sf_graph *graph = NULL, *end = NULL;
        sf_graph_exec *exec = NULL, *none = NULL;
        again kept;
        int at;
        again_shape(&t, &r);
        at = (int)rng_below(&r, (uint32_t)t.count);
        t.told = t.refuse_at = 0;
        if (what == EXTRA && t.count == AGAIN_STEPS) { t.count--; }
        kept = t;
        memcpy(words, t.words, sizeof words), memcpy(calls, t.calls, sizeof calls);
        CHECK_OK(sf_stream_begin_capture(t.s[0], SF_CAPTURE_RELAXED));
        CHECK_OK(again_capture(&t, &graph));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        switch (what) {
        case KIND: t.steps[at].kind = (again_kind)((t.steps[at].kind + 1 + rng_below(&r, A_KINDS - 1)) % A_KINDS); break;
        case MISSING: t.count--; break;
        case EXTRA: t.steps[t.count++] = (again_step){ A_SET, (int)rng_below(&r, 2), false, 0, 1 }; break;
        case HOP: t.steps[at].on = 1 - t.steps[at].on; break;
        default: t.steps[at].value++, t.refuse_at = 1; break;
        }
        CHECK_OK(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, graph, again_told, &t));
        if (what == HOP) {                   /* after the other stream's latest node, not its own */
            sf_result got = again_capture(&t, &end);
            if (got == SF_OK) {              /* both were the same node */
                CHECK_OK(sf_graph_exec_destroy(exec));
                CHECK_OK(sf_graph_destroy(graph));
                continue;
            }
            CHECK_IS(got, SF_ERROR_GRAPH_RECAPTURE);
        } else {
            CHECK_IS(again_capture(&t, &end), SF_ERROR_GRAPH_RECAPTURE);
        }
        CHECK(!end);
        CHECK(sf_device_failure(t.device)->text[0]);
        met[what]++;
        CHECK_IS(sf_graph_exec_update(exec, graph), SF_ERROR_GRAPH_RECAPTURE);
        CHECK_IS(sf_graph_instantiate(graph, 0, &none), SF_ERROR_GRAPH_RECAPTURE);
        CHECK_IS(sf_graph_clone(graph, &end), SF_ERROR_GRAPH_RECAPTURE);
        CHECK_IS(sf_graph_add_node(graph, NULL, 0, &(sf_node_desc){ .type = SF_NODE_EMPTY }, NULL),
                 SF_ERROR_GRAPH_RECAPTURE);
        CHECK_IS(sf_stream_begin_capture_to_graph(t.s[0], graph, NULL, 0, SF_CAPTURE_RELAXED), SF_ERROR_GRAPH_RECAPTURE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, graph, NULL, NULL),
                 SF_ERROR_GRAPH_RECAPTURE);
        CHECK_OK(sf_graph_destroy(graph));
        memcpy(t.steps, kept.steps, sizeof t.steps), t.count = kept.count;
        again_run(&t, exec, words, calls);
        CHECK_OK(sf_graph_exec_destroy(exec));
    }
    if (!on_cuda() && !getenv("SF_TEST_SEED")) {
        for (int i = 0; i < WRONGS; i++) { CHECK(met[i]); }
    }
    test_close(t.device);
}
/* What cannot be captured again at all; nothing begins, and the graph is as it was. */
static void never_captured_again(void **state)
{
    again t;
    sf_device *other;
    sf_graph *graph = NULL, *end = NULL, *body = NULL;
    sf_graph_exec *exec = NULL;
    sf_node_desc loop = { .type = SF_NODE_CONDITIONAL };
    void *p = NULL;
    (void)state;
    again_begin(&t);
    other = test_open();
    if (again_is_there(&t)) {
        sf_stream *theirs = test_stream(other);
        CHECK_OK(sf_stream_begin_capture(t.s[0], SF_CAPTURE_RELAXED));
        CHECK_OK(sf_mem_alloc_async(t.s[0], NULL, 64, &p));
        CHECK_OK(sf_memset_async(t.s[0], p, 1, 64));
        CHECK_OK(sf_mem_free_async(t.s[0], p));
        CHECK_OK(sf_stream_end_capture(t.s[0], &graph));
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, graph, NULL, NULL),
                 SF_ERROR_NOT_SUPPORTED);
        CHECK(strstr(sf_device_failure(t.device)->text, "allocates"));
        CHECK_IS(sf_stream_begin_recapture_to_graph(theirs, SF_CAPTURE_RELAXED, graph, NULL, NULL),
                 SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], (sf_capture_mode)3, graph, NULL, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, NULL, NULL, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(NULL, SF_CAPTURE_RELAXED, graph, NULL, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(sf_stream_legacy(t.device), SF_CAPTURE_RELAXED, graph, NULL, NULL),
                 SF_ERROR_NOT_SUPPORTED);
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, t.s[0]));
        CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));

        CHECK_OK(sf_graph_create(t.device, &graph));
        CHECK_OK(sf_graph_conditional_create(graph, 0, true, &loop.conditional.handle));
        loop.conditional.bodies = 1, loop.conditional.body = &body;
        CHECK_OK(sf_graph_add_node(graph, NULL, 0, &loop, NULL));
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, body, NULL, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_graph_destroy(graph));

        CHECK_OK(sf_graph_create(t.device, &graph));         /* while it is captured into */
        CHECK_OK(sf_stream_begin_capture_to_graph(t.s[0], graph, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[1], SF_CAPTURE_RELAXED, graph, NULL, NULL), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_stream_begin_recapture_to_graph(t.s[0], SF_CAPTURE_RELAXED, graph, NULL, NULL), SF_ERROR_ILLEGAL_STATE);
        CHECK_OK(sf_stream_end_capture(t.s[0], &end));
        CHECK_OK(sf_graph_destroy(graph));
    }
    test_close(other);
    test_close(t.device);
}
int main(int argc, char **argv)
{
    static const struct CMUnitTest more[] = {
        cmocka_unit_test_teardown(who_forbids_what_to_whom, setup_abandon),
        cmocka_unit_test_teardown(no_mode_helps, setup_abandon),
        cmocka_unit_test_teardown(who_forbids_what_to_whom_in_bodies, leave_bodies),
        cmocka_unit_test_teardown(no_mode_helps_in_bodies, leave_bodies),
        cmocka_unit_test_teardown(which_captures_break, setup_abandon),
        cmocka_unit_test_teardown(another_device_is_another_matter, setup_abandon),
        cmocka_unit_test(ids_of_captures_on_several_devices),
        cmocka_unit_test(closing_while_capturing),
        cmocka_unit_test(a_body_goes_with_the_graph_around_it),
        cmocka_unit_test(a_body_outlives_the_capture_around_it),
        cmocka_unit_test(closing_with_other_work),
        cmocka_unit_test(closing_too_early),
        cmocka_unit_test(capturing_while_a_call_waits),
        cmocka_unit_test(external_nodes_beside_the_end),
        cmocka_unit_test(an_allocation_beside_the_end),
        cmocka_unit_test_teardown(a_crowd, setup_abandon),
        cmocka_unit_test(any_shape_in_any_order),
        cmocka_unit_test(any_shape_on_threads),
        cmocka_unit_test_teardown(own_work_on_another_thread, setup_abandon),
        cmocka_unit_test_teardown(own_work_on_the_same_thread, setup_abandon),
        cmocka_unit_test(captured_without_memory),
        cmocka_unit_test(captured_again),
        cmocka_unit_test(captured_again_wrongly),
        cmocka_unit_test(never_captured_again),
        cmocka_unit_test_teardown(own_work_for_the_first_time, setup_abandon),
    };
    return run_rows("capture", rows, COUNT(rows), more, COUNT(more), argc, argv);
}
