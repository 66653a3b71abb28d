/*  test_plan.c - what sf_flow_check() writes: whole plans, word by word; that its JSON is JSON; and, on random flows,
    that what it says of pools and of the cost of messages is what a run takes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"

enum { FRAMES = 40, MOST = 10, TENSOR = BYTES };
static sf_device *here, *there;                              /* the flow's, and another host device */
static sf_stream_pool *far;
static int setup(void **state)
{
    (void)state;
    here = test_open_workers(2), there = test_open_workers(2);
    load_kernels(here), load_kernels(there);
    CHECK_OK(sf_stream_pool_create(there, NULL, &far));
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    CHECK_OK(sf_stream_pool_destroy(far));
    test_close(there), test_close(here);
    return 0;
}

/* -- JSON: a reader of its own. A value is where it begins; NULL: there is none -- */

static const char *json_skip(const char *at);
static const char *json_space(const char *at) { return at + strspn(at, " \n\t\r"); }
static const char *json_string(const char *at)               /* behind it */
{
    if (*at++ != '"') { return NULL; }
    for (; *at && *at != '"'; at++) {
        if ((unsigned char)*at < ' ') { return NULL; }
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at)) { return NULL; }
    }
    return *at ? at + 1 : NULL;
}
static const char *json_items(const char *at, char end)      /* of a list or an object, behind the bracket */
{
    at = json_space(at);
    if (*at == end) { return at + 1; }
    for (;;) {
        if (end == '}') {
            at = json_string(json_space(at));
            if (!at || *(at = json_space(at)) != ':') { return NULL; }
            at++;
        }
        at = json_skip(at);
        if (!at) { return NULL; }
        at = json_space(at);
        if (*at == end) { return at + 1; }
        if (*at++ != ',') { return NULL; }
    }
}
static const char *json_skip(const char *at)                 /* behind the value; NULL: it is none */
{
    static const char *const words[] = { "true", "false", "null" };
    size_t n;
    at = json_space(at);
    if (*at == '{') { return json_items(at + 1, '}'); }
    if (*at == '[') { return json_items(at + 1, ']'); }
    if (*at == '"') { return json_string(at); }
    for (size_t i = 0; i < COUNT(words); i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) { return at + strlen(words[i]); }
    }
    at += *at == '-';
    n = strspn(at, "0123456789");
    return n && (n == 1 || *at != '0') ? at + n : NULL;
}
static const char *json_get(const char *object, const char *key)
{
    const char *at = object ? json_space(object + 1) : NULL;
    while (at && *at == '"') {
        const char *value = json_space(json_string(at)) + 1;
        if (strncmp(at + 1, key, strlen(key)) == 0 && at[1 + strlen(key)] == '"') { return json_space(value); }
        at = json_space(json_skip(value));
        if (*at == ',') { at = json_space(at + 1); }
    }
    return NULL;
}
static const char *json_at(const char *list, uint32_t index)
{
    const char *at = list ? json_space(list + 1) : NULL;
    for (; at && *at != ']'; index--) {
        if (!index) { return at; }
        at = json_space(json_skip(at));
        if (*at == ',') { at = json_space(at + 1); }
    }
    return NULL;
}
static uint64_t json_number(const char *object, const char *key)
{
    const char *at = json_get(object, key);
    if (!at) { fail_msg("no key %s in %.80s", key, object); }
    return strtoull(at, NULL, 10);
}
static const char *plan_of(sf_flow *f, bool json)
{
    static char first[sizeof report.text];
    for (int again = 0; again < 2; again++) {
        report_clear();
        CHECK_OK(sf_flow_check(f, json, report_add, NULL));
        if (!again) { memcpy(first, report.text, sizeof first); }
    }
    assert_string_equal(report.text, first);
    CHECK(report.bytes < sizeof report.text - 1);
    if (json) {
        const char *end = json_skip(report.text);
        CHECK(end && !*json_space(end));
    }
    return report.text;
}

/* -- whole plans. In what is expected ' stands for ", and # for a number of bytes that depends on the machine -- */

static void check_text(const char *got, const char *want)
{
    const char *line = got, *from = want;
    while (*got || *want) {
        if (*want == '#' && *got >= '0' && *got <= '9') {
            got += strspn(got, "0123456789"), want++;
        } else if (*got != *want && (*want != '\'' || *got != '"')) {
            fail_msg("not as expected:\n%.*s\n  but:\n%.*s\n  in:\n%s", (int)strcspn(line, "\n"), line,
                     (int)strcspn(from, "\n"), from, report.text);
        } else {
            if (*got == '\n') { line = got + 1, from = want + 1; }
            got++, want++;
        }
    }
}
static sf_flow *flow_with(sf_flow_desc d)
{
    d.device = here;
    d.name = "demo";
    return sf_flow_create(&d);
}
#define IN(n)        { .name = n }
#define OUT(n, size) { .name = n, .bytes = size }
#define OP(f, ...)   sf_flow_add(f, &(sf_op_desc){ .compute = nothing, __VA_ARGS__ })
static void link_up(sf_flow *f, sf_op from, const char *output, sf_op to, const char *input, sf_edge_desc d)
{
    CHECK_OK(sf_flow_connect(f, from, output, to, input, &d));
}

static sf_flow *values(void)                                 /* priorities, conditions, turns, the outside */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op a = OP(f, .name = "a", .count = 7, .out = { IN("out") });
    sf_op b = OP(f, .name = "b", .in = { IN("in") }, .out = { IN("out") });
    sf_op c = OP(f, .name = "c", .priority = -1, .period = 1000, .in = { { .name = "x", .capacity = 3 }, IN("y") },
                 .out = { IN("go") });
    sf_op d = OP(f, .name = "d",
                 .in = { { .name = "push", .external = true, .optional = true, .capacity = 2 }, IN("go") });
    sf_op e = OP(f, .name = "e \"quoted\"");
    link_up(f, a, NULL, b, NULL, (sf_edge_desc){ 0 });
    link_up(f, a, NULL, c, "x", (sf_edge_desc){ 0 });
    link_up(f, b, NULL, c, "y", (sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST });
    link_up(f, c, NULL, d, "go", (sf_edge_desc){ 0 });
    link_up(f, d, NULL, e, NULL, (sf_edge_desc){ .control = true });
    return f;
}
static sf_flow *tensors(void)                                /* streams, pools, a buffer */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    static char buffer[16];
    sf_op a = OP(f, .name = "camera", .out = { OUT("out", 64), OUT("unused", 8) });
    sf_op b = OP(f, .name = "pass", .adopt_stream = true, .in = { { .name = "in", .capacity = 2 } },
                 .out = { IN("out") });
    sf_op c = OP(f, .name = "blur", .in = { { .name = "in", .capacity = 3 } },
                 .out = { OUT("out", 32), { .name = "same", .bytes = 16, .data = buffer, .memory = SF_MEMORY_PINNED } },
                 .when = { { .kind = SF_CONDITION_MEMORY, .count = 9, .ports = 1 } });
    sf_op d = OP(f, .name = "show", .adopt_stream = true, .in = { { .name = "in", .batch = 2, .capacity = 4 } });
    sf_op e = OP(f, .name = "cpu", .in = { IN("in") }, .when = { { .kind = SF_CONDITION_STREAM } });
    sf_op g = OP(f, .name = "other", .adopt_stream = true, .in = { IN("in") });
    link_up(f, a, "out", b, NULL, (sf_edge_desc){ 0 });
    link_up(f, b, NULL, c, NULL, (sf_edge_desc){ 0 });
    link_up(f, c, "out", d, NULL, (sf_edge_desc){ 0 });
    link_up(f, c, "same", e, NULL, (sf_edge_desc){ 0 });
    link_up(f, b, NULL, g, NULL, (sf_edge_desc){ 0 });
    return f;
}
static sf_flow *workers(void)                                /* links, locks, an operator with copies */
{
    sf_flow *f = flow_with((sf_flow_desc){ .workers = { { .count = 1 }, { .count = 2 } } });
    sf_op a = OP(f, .name = "a", .out = { IN("out") });
    sf_op b = OP(f, .name = "b", .workers = 1, .in = { { .name = "in", .capacity = 2 } }, .out = { IN("out") });
    sf_op c = OP(f, .name = "c", .workers = 1, .copies = 2, .in = { IN("in") });
    sf_op d = OP(f, .name = "d", .in = { IN("in") });
    link_up(f, a, NULL, b, NULL, (sf_edge_desc){ 0 });
    link_up(f, b, NULL, c, NULL, (sf_edge_desc){ 0 });
    link_up(f, b, NULL, d, NULL, (sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST });
    return f;
}
static sf_flow *devices(void)                                /* bundles, copied to another device */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op a = OP(f, .name = "stereo", .out = { { .name = "pair", .fields = 2 }, OUT("left", 64), OUT("right", 32) });
    sf_op b = OP(f, .name = "far", .streams = far, .in = { { .name = "in", .capacity = 2, .fields = 2 } },
                 .out = { IN("out") });
    sf_op c = OP(f, .name = "sink", .streams = far, .in = { { .name = "in", .capacity = 3 } });
    sf_op d = OP(f, .name = "near", .in = { IN("in") });
    link_up(f, a, "pair", b, NULL, (sf_edge_desc){ .copy = true });
    link_up(f, b, NULL, c, NULL, (sf_edge_desc){ 0 });
    link_up(f, a, "left", d, NULL, (sf_edge_desc){ 0 });
    return f;
}
static sf_flow *region(void)
{
    sf_flow *f = flow_with((sf_flow_desc){ .trace_events = 10 });
    sf_op a = OP(f, .name = "a", .out = { OUT("out", 16) });
    sf_op b = OP(f, .name = "b", .region = 3, .in = { IN("in") }, .out = { OUT("out", 16) });
    sf_op c = OP(f, .name = "c", .region = 3, .in = { IN("in") }, .out = { OUT("out", 16) });
    sf_op d = OP(f, .name = "d", .in = { IN("in") });
    link_up(f, a, NULL, b, NULL, (sf_edge_desc){ 0 });
    link_up(f, b, NULL, c, NULL, (sf_edge_desc){ 0 });
    link_up(f, c, NULL, d, NULL, (sf_edge_desc){ 0 });
    return f;
}
static const struct { sf_flow *(*make)(void); const char *text, *json; } plans[] = {
    { values,
      "flow 'demo': 5 operators, 6 edges, 0 problems, # bytes of queues and tables\n"
      "worker 0: c; then a, b, d, e 'quoted'\n"
      "0 a\n"
      "    when: COUNT, count 7\n"
      "    plain: several edges out; wakes b, c, itself\n"
      "    may wait for: room behind out at b, room behind out at c\n"
      "    out -> b.in: 1 message; 1 place, # bytes\n"
      "    out -> c.x: 3 messages; 4 places, # bytes\n"
      "1 b\n"
      "    straight; wakes a, c\n"
      "    may wait for: messages on in from a\n"
      "    out -> c.y: 1 message, drop oldest; 2 places, # bytes\n"
      "2 c, priority -1\n"
      "    when: PERIOD, ns 1000\n"
      "    guarded: a condition; wakes a, b, d, itself\n"
      "    may wait for: messages on x from a, messages on y from b, room behind go at d, its conditions\n"
      "    go -> d.go: 1 message; 1 place, # bytes\n"
      "3 d\n"
      "    special: control edges; wakes c, e 'quoted', itself\n"
      "    may wait for: messages on go from c\n"
      "    outside -> d.push: 2 messages; 2 places, # bytes\n"
      "    turn -> e 'quoted'\n"
      "4 e 'quoted'\n"
      "    special: control edges; wakes itself\n"
      "    may wait for: a turn from d\n",
      "{'flow':'demo','bytes':#,'problems':[],'ops':["
      "{'name':'a','region':0,'stream':'none','device':0,'partition':-1,'inputs':[],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':0,'count':7,"
      "'when':[],'worker':0,'place':1,'class':'plain','because':'several edges out','records':0,'wakes':[1,"
      "2,0],'locks':[0],'waits_for':[{'for':'room','edge':1},{'for':'room','edge':2}]},"
      "{'name':'b','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':0,'count':0,"
      "'when':[],'worker':0,'place':2,'class':'straight','because':'','records':0,'wakes':[0,2],"
      "'locks':[0],'waits_for':[{'for':'messages','edge':1}]},"
      "{'name':'c','region':0,'stream':'none','device':0,'partition':-1,'inputs':['x','y'],"
      "'outputs':[{'name':'go','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':-1,'count':0,"
      "'when':[{'kind':'PERIOD','count':0,'ns':1000,'any':0}],'worker':0,'place':0,'class':'guarded',"
      "'because':'a condition','records':0,'wakes':[0,1,3,2],'locks':[0],'waits_for':[{'for':'messages',"
      "'edge':2},{'for':'messages','edge':3},{'for':'room','edge':4},{'for':'conditions'}]},"
      "{'name':'d','region':0,'stream':'none','device':0,'partition':-1,'inputs':['push','go'],"
      "'outputs':[],'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':3,'class':'special',"
      "'because':'control edges','records':0,'wakes':[2,4,3],'locks':[0],'waits_for':[{'for':'messages',"
      "'edge':4}]},"
      "{'name':'e \\'quoted\\'','region':0,'stream':'none','device':0,'partition':-1,'inputs':[],"
      "'outputs':[],'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':4,'class':'special',"
      "'because':'control edges','records':0,'wakes':[4],'locks':[0],'waits_for':[{'for':'turn',"
      "'edge':5}]}],'edges':["
      "{'from':-1,'to':3,'input':'push','capacity':2,'overflow':'block','delay':0,'control':false,"
      "'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,'copies':0},"
      "{'from':0,'output':'out','to':1,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':0,'output':'out','to':2,'input':'x','capacity':3,'overflow':'block','delay':0,"
      "'control':false,'places':4,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':2,'input':'y','capacity':1,'overflow':'drop oldest','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'go','to':3,'input':'go','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':3,'to':4,'capacity':0,'overflow':'block','delay':0,'control':true}],'workers':["
      "{'group':0,'order':[[2],[0,1,3,4]]}]}\n" },
    { tensors,
      "flow 'demo': 6 operators, 5 edges, 0 problems, # bytes of queues and tables\n"
      "worker 0: camera, pass, blur, show, cpu, other\n"
      "0 camera: a stream of its own, at most 1 record per compute\n"
      "    guarded: memory of its own; wakes pass, itself\n"
      "    may wait for: room behind out at pass, memory of out, memory of unused\n"
      "    out: 8 blocks of 64 bytes: 2 in the queue of pass.in, 3 in the queue of blur.in behind pass, "
      "1 in the queue of other.in behind pass, 2 to write to; at most 1 wait per tensor\n"
      "    out -> pass.in: 2 messages; 2 places, # bytes\n"
      "    unused: 2 blocks of 8 bytes: 2 to write to\n"
      "1 pass: works on the stream that it receives, at most 1 record per compute\n"
      "    plain: several edges out; wakes camera, blur, other\n"
      "    may wait for: messages on in from camera, room behind out at blur, room behind out at other\n"
      "    out -> blur.in: 3 messages; 4 places, # bytes; per message at most 1 wait\n"
      "    out -> other.in: 1 message; 1 place, # bytes\n"
      "2 blur: a stream of its own, at most 1 record per compute\n"
      "    when: MEMORY, count 9\n"
      "    special: a STREAM condition; wakes pass, show, cpu, itself\n"
      "    may wait for: messages on in from pass, room behind out at show, room behind same at cpu, "
      "memory of out, memory of same, its conditions\n"
      "    out: 9 blocks of 32 bytes: 4 in the queue of show.in, 2 to write to, "
      "3 more for a MEMORY condition\n"
      "    out -> show.in: 4 messages; 4 places, # bytes\n"
      "    same: 1 block of 16 bytes: 1 in a buffer of yours; at most 1 wait per tensor\n"
      "    same -> cpu.in: 1 message; 1 place, # bytes; per message at most 1 wait\n"
      "3 show: works on the stream that it receives\n"
      "    straight; wakes blur\n"
      "    may wait for: messages on in from blur\n"
      "4 cpu: a stream of its own, at most 1 record per compute\n"
      "    when: STREAM\n"
      "    special: a STREAM condition; wakes blur, itself\n"
      "    may wait for: messages on in from blur, its conditions\n"
      "5 other: works on the stream that it receives\n"
      "    straight; wakes pass\n"
      "    may wait for: messages on in from pass\n",
      "{'flow':'demo','bytes':#,'problems':[],'ops':["
      "{'name':'camera','region':0,'stream':'own','device':0,'partition':-1,'inputs':[],"
      "'outputs':[{'name':'out','blocks':8,'bytes':64,'why':[{'blocks':2,'for':'queue','edge':0},"
      "{'blocks':3,'for':'queue','edge':1},{'blocks':1,'for':'queue','edge':4},{'blocks':2,"
      "'for':'writing'}],'waits':1},{'name':'unused','blocks':2,'bytes':8,'why':[{'blocks':2,"
      "'for':'writing'}],'waits':0}],'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':0,"
      "'class':'guarded','because':'memory of its own','records':1,'wakes':[1,0],'locks':[0],"
      "'waits_for':[{'for':'room','edge':0},{'for':'memory','output':'out'},{'for':'memory',"
      "'output':'unused'}]},"
      "{'name':'pass','region':0,'stream':'received','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':0,'count':0,"
      "'when':[],'worker':0,'place':1,'class':'plain','because':'several edges out','records':1,'wakes':[0,"
      "2,5],'locks':[0],'waits_for':[{'for':'messages','edge':0},{'for':'room','edge':1},{'for':'room',"
      "'edge':4}]},"
      "{'name':'blur','region':0,'stream':'own','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':9,'bytes':32,'why':[{'blocks':4,'for':'queue','edge':2},"
      "{'blocks':2,'for':'writing'},{'blocks':3,'for':'condition'}],'waits':0},{'name':'same','blocks':1,"
      "'bytes':16,'why':[{'blocks':1,'for':'buffer'}],'waits':1}],'workers':0,'priority':0,'count':0,"
      "'when':[{'kind':'MEMORY','count':9,'ns':0,'any':0}],'worker':0,'place':2,'class':'special',"
      "'because':'a STREAM condition','records':1,'wakes':[1,3,4,2],'locks':[0],"
      "'waits_for':[{'for':'messages','edge':1},{'for':'room','edge':2},{'for':'room','edge':3},"
      "{'for':'memory','output':'out'},{'for':'memory','output':'same'},{'for':'conditions'}]},"
      "{'name':'show','region':0,'stream':'received','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[],'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':3,'class':'straight',"
      "'because':'','records':0,'wakes':[2],'locks':[0],'waits_for':[{'for':'messages','edge':2}]},"
      "{'name':'cpu','region':0,'stream':'own','device':0,'partition':-1,'inputs':['in'],'outputs':[],"
      "'workers':0,'priority':0,'count':0,'when':[{'kind':'STREAM','count':0,'ns':0,'any':0}],'worker':0,"
      "'place':4,'class':'special','because':'a STREAM condition','records':1,'wakes':[2,4],'locks':[0],"
      "'waits_for':[{'for':'messages','edge':3},{'for':'conditions'}]},"
      "{'name':'other','region':0,'stream':'received','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[],'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':5,'class':'straight',"
      "'because':'','records':0,'wakes':[1],'locks':[0],'waits_for':[{'for':'messages','edge':4}]}],"
      "'edges':["
      "{'from':0,'output':'out','to':1,'input':'in','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':2,'input':'in','capacity':3,'overflow':'block','delay':0,"
      "'control':false,'places':4,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'out','to':3,'input':'in','capacity':4,'overflow':'block','delay':0,"
      "'control':false,'places':4,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'same','to':4,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':5,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0}],'workers':["
      "{'group':0,'order':[[0,1,2,3,4,5]]}]}\n" },
    { workers,
      "flow 'demo': 6 operators, 7 edges, 0 problems, # bytes of queues and tables\n"
      "worker 0: a, d\n"
      "worker 1, of workers 1: b; then c/0\n"
      "worker 2, of workers 1: c; then c/1\n"
      "0 a\n"
      "    plain: a link to another worker; worker 0; wakes b, itself\n"
      "    may wait for: room behind out at b\n"
      "    out -> b.in: 2 messages; 2 places, # bytes; a link to worker 1\n"
      "1 b, by workers 1\n"
      "    special: an edge to another worker that is no link; worker 1; wakes a, c, d, itself; "
      "locks workers 0, 1\n"
      "    may wait for: messages on in from a, room behind out at c\n"
      "    out -> c.in: 1 message; 1 place, # bytes; a link to worker 2\n"
      "    out -> d.in: 1 message, latest; 4 places, # bytes; lends what is received\n"
      "2 c, by workers 1\n"
      "    special: copies of it; worker 2; wakes b, c/0, c/1, itself; locks workers 1, 2\n"
      "    may wait for: messages on in from b, its copies\n"
      "    in -> c/0.in: 2 messages; 2 places, # bytes\n"
      "    in -> c/1.in: 2 messages; 2 places, # bytes\n"
      "    (orders) -> c/0.(orders): 2 messages; 2 places, # bytes\n"
      "    (orders) -> c/1.(orders): 2 messages; 2 places, # bytes\n"
      "3 c/0, by workers 1\n"
      "    special: copies of it; worker 1; wakes c, itself; locks workers 1, 2\n"
      "    may wait for: messages on (orders) from c\n"
      "4 c/1, by workers 1\n"
      "    special: copies of it; worker 2; wakes c, itself\n"
      "    may wait for: messages on (orders) from c\n"
      "5 d\n"
      "    special: an edge to another worker that is no link; worker 0; wakes b, itself; locks workers 0, "
      "1\n"
      "    may wait for: messages on in from b\n",
      "{'flow':'demo','bytes':#,'problems':[],'ops':["
      "{'name':'a','region':0,'stream':'none','device':0,'partition':-1,'inputs':[],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':0,'count':0,"
      "'when':[],'worker':0,'place':0,'class':'plain','because':'a link to another worker','records':0,"
      "'wakes':[1,0],'locks':[0],'waits_for':[{'for':'room','edge':4}]},"
      "{'name':'b','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':1,'priority':0,'count':0,"
      "'when':[],'worker':1,'place':0,'class':'special',"
      "'because':'an edge to another worker that is no link','records':0,'wakes':[0,2,5,1],'locks':[0,1],"
      "'waits_for':[{'for':'messages','edge':4},{'for':'room','edge':5}]},"
      "{'name':'c','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'in','blocks':0,'bytes':0,'waits':0},{'name':'(orders)','blocks':0,'bytes':0,"
      "'waits':0}],'workers':1,'priority':0,'count':0,'when':[],'worker':2,'place':0,'class':'special',"
      "'because':'copies of it','records':0,'wakes':[1,3,4,2],'locks':[1,2],'waits_for':[{'for':'messages',"
      "'edge':5},{'for':'copies'}]},"
      "{'name':'c/0','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in','(orders)'],"
      "'outputs':[],'workers':1,'priority':0,'count':0,'when':[],'worker':1,'place':1,'class':'special',"
      "'because':'copies of it','records':0,'wakes':[2,3],'locks':[1,2],'waits_for':[{'for':'messages',"
      "'edge':1}]},"
      "{'name':'c/1','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in','(orders)'],"
      "'outputs':[],'workers':1,'priority':0,'count':0,'when':[],'worker':2,'place':1,'class':'special',"
      "'because':'copies of it','records':0,'wakes':[2,4],'locks':[2],'waits_for':[{'for':'messages',"
      "'edge':3}]},"
      "{'name':'d','region':0,'stream':'none','device':0,'partition':-1,'inputs':['in'],'outputs':[],"
      "'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':1,'class':'special',"
      "'because':'an edge to another worker that is no link','records':0,'wakes':[1,5],'locks':[0,1],"
      "'waits_for':[{'for':'messages','edge':6}]}],'edges':["
      "{'from':2,'output':'in','to':3,'input':'in','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'(orders)','to':3,'input':'(orders)','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'in','to':4,'input':'in','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'(orders)','to':4,'input':'(orders)','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':0,'output':'out','to':1,'input':'in','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'places':2,'queue_bytes':#,'link':true,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':2,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':true,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':5,'input':'in','capacity':1,'overflow':'latest','delay':0,"
      "'control':false,'places':4,'queue_bytes':#,'link':false,'lends':true,'waits':0,'records':0,"
      "'copies':0}],'workers':["
      "{'group':0,'order':[[0,5]]},"
      "{'group':1,'order':[[1],[3]]},"
      "{'group':1,'order':[[2],[4]]}]}\n" },
    { devices,
      "flow 'demo': 4 operators, 3 edges, 0 problems, # bytes of queues and tables\n"
      "worker 0: stereo, far, sink, near\n"
      "0 stereo, on device 0: a stream of its own, at most 1 record per compute\n"
      "    guarded: memory of its own; wakes far, near, itself\n"
      "    may wait for: room behind pair at far, room behind left at near, memory of pair, memory of left, "
      "memory of right\n"
      "    pair: 4 blocks of 32 bytes: 2 in the queue of far.in, 2 to write to; at most 1 wait per tensor\n"
      "    pair -> far.in: 2 messages, "
      "copied to the reader's device: 14 blocks of 64 bytes: 4 in the queue of far.in, "
      "6 in the queue of sink.in behind far, 4 to write to; 2 places, # bytes; per message at most 3 waits, "
      "1 record, 2 copies\n"
      "    left: 5 blocks of 64 bytes: 2 in the queue of far.in, 1 in the queue of near.in, 2 to write to; "
      "at most 2 waits per tensor\n"
      "    left -> near.in: 1 message; 1 place, # bytes; per message at most 1 wait\n"
      "    right: 4 blocks of 32 bytes: 2 in the queue of far.in, 2 to write to; at most 1 wait per tensor\n"
      "1 far, on device 1: a stream of its own, at most 1 record per compute\n"
      "    special: streams or a partition of its own; wakes stereo, sink, itself\n"
      "    may wait for: messages on in from stereo, memory for a copy on in, room behind out at sink\n"
      "    out -> sink.in: 3 messages; 4 places, # bytes; per message at most 1 wait\n"
      "2 sink, on device 1: a stream of its own, at most 1 record per compute\n"
      "    special: streams or a partition of its own; wakes far, itself\n"
      "    may wait for: messages on in from far\n"
      "3 near, on device 0: a stream of its own, at most 1 record per compute\n"
      "    straight; wakes stereo\n"
      "    may wait for: messages on in from stereo\n",
      "{'flow':'demo','bytes':#,'problems':[],'ops':["
      "{'name':'stereo','region':0,'stream':'own','device':0,'partition':-1,'inputs':[],"
      "'outputs':[{'name':'pair','fields':2,'blocks':4,'bytes':32,'why':[{'blocks':2,'for':'queue',"
      "'edge':0},{'blocks':2,'for':'writing'}],'waits':1},{'name':'left','blocks':5,'bytes':64,"
      "'why':[{'blocks':2,'for':'queue','edge':0},{'blocks':1,'for':'queue','edge':2},{'blocks':2,"
      "'for':'writing'}],'waits':2},{'name':'right','blocks':4,'bytes':32,'why':[{'blocks':2,'for':'queue',"
      "'edge':0},{'blocks':2,'for':'writing'}],'waits':1}],'workers':0,'priority':0,'count':0,'when':[],"
      "'worker':0,'place':0,'class':'guarded','because':'memory of its own','records':1,'wakes':[1,3,0],"
      "'locks':[0],'waits_for':[{'for':'room','edge':0},{'for':'room','edge':2},{'for':'memory',"
      "'output':'pair'},{'for':'memory','output':'left'},{'for':'memory','output':'right'}]},"
      "{'name':'far','region':0,'stream':'own','device':1,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':0,'bytes':0,'waits':0}],'workers':0,'priority':0,'count':0,"
      "'when':[],'worker':0,'place':1,'class':'special','because':'streams or a partition of its own',"
      "'records':1,'wakes':[0,2,1],'locks':[0],'waits_for':[{'for':'messages','edge':0},{'for':'copy',"
      "'edge':0},{'for':'room','edge':1}]},"
      "{'name':'sink','region':0,'stream':'own','device':1,'partition':-1,'inputs':['in'],'outputs':[],"
      "'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':2,'class':'special',"
      "'because':'streams or a partition of its own','records':1,'wakes':[1,2],'locks':[0],"
      "'waits_for':[{'for':'messages','edge':1}]},"
      "{'name':'near','region':0,'stream':'own','device':0,'partition':-1,'inputs':['in'],'outputs':[],"
      "'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':3,'class':'straight','because':'',"
      "'records':1,'wakes':[0],'locks':[0],'waits_for':[{'for':'messages','edge':2}]}],'edges':["
      "{'from':0,'output':'pair','to':1,'input':'in','capacity':2,'overflow':'block','delay':0,"
      "'control':false,'blocks':14,'bytes':64,'why':[{'blocks':4,'for':'queue','edge':0},{'blocks':6,"
      "'for':'queue','edge':1},{'blocks':4,'for':'writing'}],'places':2,'queue_bytes':#,'link':false,"
      "'lends':false,'waits':3,'records':1,'copies':2},"
      "{'from':1,'output':'out','to':2,'input':'in','capacity':3,'overflow':'block','delay':0,"
      "'control':false,'places':4,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0},"
      "{'from':0,'output':'left','to':3,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0}],'workers':["
      "{'group':0,'order':[[0,1,2,3]]}]}\n" },
    { region,
      "flow 'demo': 4 operators, 3 edges, 0 problems, # bytes of queues and tables\n"
      "worker 0: a, b, c, d\n"
      "0 a: a stream of its own, at most 1 record per compute\n"
      "    special: trace_events; wakes b, itself\n"
      "    may wait for: room behind out at b, memory of out\n"
      "    out: 3 blocks of 16 bytes: 1 in the queue of b.in, 2 to write to; at most 1 wait per tensor\n"
      "    out -> b.in: 1 message; 1 place, # bytes; per message at most 1 wait\n"
      "1 b, in region 3, one graph launch per turn of all: works on the stream of its region, "
      "at most 1 record per compute\n"
      "    special: trace_events; wakes a, itself\n"
      "    may wait for: messages on in from a, room behind out at c, memory of out, "
      "the others of its region\n"
      "    out: 3 blocks of 16 bytes: 1 in the queue of c.in, 2 to write to\n"
      "    out -> c.in: 1 message; 1 place, # bytes\n"
      "2 c, in region 3, one graph launch per turn of all: works on the stream of its region\n"
      "    special: trace_events; wakes d, itself\n"
      "    may wait for: room behind out at d, memory of out, the others of its region\n"
      "    out: 3 blocks of 16 bytes: 1 in the queue of d.in, 2 to write to; at most 1 wait per tensor\n"
      "    out -> d.in: 1 message; 1 place, # bytes; per message at most 1 wait\n"
      "3 d: a stream of its own, at most 1 record per compute\n"
      "    special: trace_events; wakes c, itself\n"
      "    may wait for: messages on in from c\n",
      "{'flow':'demo','bytes':#,'problems':[],'ops':["
      "{'name':'a','region':0,'stream':'own','device':0,'partition':-1,'inputs':[],"
      "'outputs':[{'name':'out','blocks':3,'bytes':16,'why':[{'blocks':1,'for':'queue','edge':0},"
      "{'blocks':2,'for':'writing'}],'waits':1}],'workers':0,'priority':0,'count':0,'when':[],'worker':0,"
      "'place':0,'class':'special','because':'trace_events','records':1,'wakes':[1,0],'locks':[0],"
      "'waits_for':[{'for':'room','edge':0},{'for':'memory','output':'out'}]},"
      "{'name':'b','region':3,'stream':'region','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':3,'bytes':16,'why':[{'blocks':1,'for':'queue','edge':1},"
      "{'blocks':2,'for':'writing'}],'waits':0}],'workers':0,'priority':0,'count':0,'when':[],'worker':0,"
      "'place':1,'class':'special','because':'trace_events','records':1,'wakes':[0,1],'locks':[0],"
      "'waits_for':[{'for':'messages','edge':0},{'for':'room','edge':1},{'for':'memory','output':'out'},"
      "{'for':'region'}]},"
      "{'name':'c','region':3,'stream':'region','device':0,'partition':-1,'inputs':['in'],"
      "'outputs':[{'name':'out','blocks':3,'bytes':16,'why':[{'blocks':1,'for':'queue','edge':2},"
      "{'blocks':2,'for':'writing'}],'waits':1}],'workers':0,'priority':0,'count':0,'when':[],'worker':0,"
      "'place':1,'class':'special','because':'trace_events','records':0,'wakes':[3,2],'locks':[0],"
      "'waits_for':[{'for':'room','edge':2},{'for':'memory','output':'out'},{'for':'region'}]},"
      "{'name':'d','region':0,'stream':'own','device':0,'partition':-1,'inputs':['in'],'outputs':[],"
      "'workers':0,'priority':0,'count':0,'when':[],'worker':0,'place':2,'class':'special',"
      "'because':'trace_events','records':1,'wakes':[2,3],'locks':[0],'waits_for':[{'for':'messages',"
      "'edge':2}]}],'edges':["
      "{'from':0,'output':'out','to':1,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0},"
      "{'from':1,'output':'out','to':2,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':0,'records':0,"
      "'copies':0},"
      "{'from':2,'output':'out','to':3,'input':'in','capacity':1,'overflow':'block','delay':0,"
      "'control':false,'places':1,'queue_bytes':#,'link':false,'lends':false,'waits':1,'records':0,"
      "'copies':0}],'workers':["
      "{'group':0,'order':[[0,1,2,3]]}]}\n" },
};
static void whole_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        sf_flow *f = (plans[i].make)();
        check_text(plan_of(f, false), plans[i].text);
        check_text(plan_of(f, true), plans[i].json);
        destroy(f);
    }
}
static sf_result emit_count(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result receive_count(sf_context *ctx)
{
    return sf_receive_value(ctx, 0).u64 == ctx->run ? SF_OK : SF_ERROR_USER;
}
/* A COUNT alone is as .count: the plan is the same, and nothing is asked before a compute. */
static void count_both_ways(void **state)
{
    char text[2][2048];
    (void)state;
    for (int way = 0; way < 3; way++) {      /* .count; a COUNT; a larger .count and two COUNTs */
        sf_flow *f = sf_flow_create(NULL);
        sf_op_desc d = { .name = "a", .compute = emit_count, .out = { { .name = "out" } } };
        if (way != 1) { d.count = way ? 9 : 5; }
        if (way >= 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_COUNT, .count = 5 }; }
        if (way == 2) { d.when[1] = (sf_condition){ .kind = SF_CONDITION_COUNT, .count = 7 }; }
        sf_op a = sf_flow_add(f, &d), b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = receive_count,
            .in = { { .name = "in" } } });
        sf_op_info info;
        CHECK_OK(sf_flow_connect(f, a, "out", b, "in", NULL));
        snprintf(text[way > 0], sizeof text[0], "%s", plan_of(f, false));
        CHECK(strstr(text[way > 0], "straight; wakes b"));
        if (way) { assert_string_equal(text[1], text[0]); }
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_op_get_info(f, b, &info));
        CHECK_EQUAL(info.runs, 5);
        CHECK_OK(sf_flow_destroy(f));
    }
}
static void with_problems(void **state)                      /* nothing is laid out: what depends on that is left out */
{
    sf_flow *f = values();
    (void)state;
    OP(f, .name = "lonely", .in = { IN("in") }, .out = { OUT("out", 8) });
    for (int json = 0; json < 2; json++) {
        report_clear();
        CHECK_IS(sf_flow_check(f, json, report_add, NULL), SF_ERROR_NOT_CONNECTED);
        CHECK_EQUAL(count_of("wakes"), 0);
        CHECK_EQUAL(count_of("place"), 0);
        CHECK_EQUAL(count_of("why"), 0);
    }
    CHECK(json_skip(report.text));
    CHECK_EQUAL(count_of("\"workers\":[]"), 1);
    CHECK_EQUAL(json_number(json_at(json_get(json_at(json_get(report.text, "ops"), 5), "outputs"), 0), "blocks"), 2);
    sf_flow_destroy(f);
}

/* -- what a plan says of a run -- */

typedef struct cost { uint64_t records, waits, copies; } cost;
static cost count_cost(void)                                 /* of both devices so far */
{
    sf_counters a, b;
    CHECK_OK(sf_device_get_counters(here, &a));
    CHECK_OK(sf_device_get_counters(there, &b));
    return (cost){ a.event_records + b.event_records, a.event_waits + b.event_waits, a.copies + b.copies };
}
/* What the plan in `report` says of all computes and messages of the run behind it, each output sending one tensor. One
   that is sent to a reader that has ended may cost a record. */
static cost planned_cost(const sf_flow *f, const sf_op *ops, uint32_t count)
{
    const char *op, *out, *edge;
    uint32_t seen[MOST][SF_DESC_PORTS] = { { 0 } };
    cost c = { 0, 0, 0 };
    for (uint32_t i = 0; (op = json_at(json_get(report.text, "ops"), i)) != NULL; i++) {
        CHECK(i < count);
        c.records += runs_of(f, ops[i]) * json_number(op, "records");
        for (uint32_t p = 0; (out = json_at(json_get(op, "outputs"), p)) != NULL; p++) {
            c.waits += runs_of(f, ops[i]) * json_number(out, "waits");
        }
    }
    for (uint32_t i = 0; (edge = json_at(json_get(report.text, "edges"), i)) != NULL; i++) {
        const uint64_t to = json_number(edge, "to");
        const char *inputs = json_get(json_at(json_get(report.text, "ops"), (uint32_t)to), "inputs"), *name;
        const char *input = json_get(edge, "input");
        const size_t length = (size_t)(json_skip(input) - input);
        uint32_t port = 0;
        uint64_t n;
        while ((name = json_at(inputs, port)) && strncmp(name, input, length) != 0) { port++; }
        CHECK(name);
        n = edge_of(f, ops[to], (int)port, (int)seen[to][port]++).messages;
        c.records += n * json_number(edge, "records") + runs_of(f, ops[json_number(edge, "from")]) - n;
        c.waits += n * json_number(edge, "waits");
        c.copies += n * json_number(edge, "copies");
    }
    return c;
}
/* The blocks of each pool are what they are for; all pools together are what the run takes. */
static uint64_t planned_bytes(void)
{
    static const char *const lists[] = { "ops", "edges" };
    uint64_t bytes = 0;
    for (int l = 0; l < 2; l++) {
        const char *item, *pool, *why, *part;
        for (uint32_t i = 0; (item = json_at(json_get(report.text, lists[l]), i)) != NULL; i++) {
            for (uint32_t p = 0; (pool = l ? p ? NULL : item : json_at(json_get(item, "outputs"), p)) != NULL; p++) {
                uint64_t sum = 0, buffer = 0, blocks = json_get(pool, "blocks") ? json_number(pool, "blocks") : 0;
                why = json_get(pool, "why");
                CHECK(!why == !blocks);
                for (uint32_t k = 0; (part = json_at(why, k)) != NULL; k++) {
                    sum += json_number(part, "blocks");
                    buffer |= strncmp(json_get(part, "for"), "\"buffer\"", 8) == 0;
                }
                if (sum != blocks) { fail_msg("%d, not %d: %s", (int)sum, (int)blocks, pool); }
                if (blocks && !buffer) { bytes += blocks * json_number(pool, "bytes"); }
            }
        }
    }
    return bytes;
}

/* An operator of a random flow. Receives all that is there, if it has one input and no output; else as many on each
   input. works: on its stream; shirks: now and then on none. Sends a tensor on outputs with memory; on others the first
   one that it has received, or a value. */
typedef struct kind { bool works, shirks, values[3]; int ins, outs, own, takes; } kind;      /* values: on that input */
static sf_result compute(sf_context *ctx)
{
    const kind *k = (const kind *)ctx->user;
    const bool works = k->works && !(k->shirks && ctx->run % 3 == 1);
    const sf_tensor *first = NULL;
    sf_stream *s;
    for (int p = 0; p < k->ins; p++) {
        for (int n = 0; sf_available(ctx, p) > 0 && ((k->ins == 1 && !k->outs) || n < k->takes); n++) {
            const sf_tensor *t = k->values[p] ? NULL : sf_receive(ctx, p);
            if (k->values[p]) { (void)sf_receive_value(ctx, p); }
            first = first ? first : t;
        }
    }
    s = works ? sf_compute_stream(ctx) : NULL;
    for (int p = 0; p < k->outs; p++) {
        sf_tensor *t = p < k->own ? sf_tensor_create(ctx, p, NULL) : NULL;
        if (t && s && ctx->run % 2) { paint(s, t->data, NULL, NULL, 1, 0); }
        if (t || first) {
            sf_emit(ctx, p, t ? t : (sf_tensor *)(uintptr_t)first);
        } else {
            sf_emit_value(ctx, p, number(1));
        }
    }
    return SF_OK;
}
typedef struct made { sf_flow *flow; sf_op ops[MOST]; kind kinds[MOST]; uint32_t count; } made;
static void random_flow(made *m, rng *r)
{
    static const char *const names[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    static const char *const ports[] = { "a", "b", "c" };
    struct { uint32_t op, out; } from[3];
    bool tensor[MOST][2] = { { false } };                    /* what each output sends */
    const bool two = rng_below(r, 3) == 0, adopts = rng_below(r, 2);
    memset(m, 0, sizeof *m);
    m->flow = flow_with((sf_flow_desc){ .workers = { { .count = (int32_t)rng_below(r, 3) } },
                                        .track = { .device_time = rng_below(r, 8) == 0 } });
    m->count = 2 + rng_below(r, MOST - 2);
    for (uint32_t i = 0; i < m->count; i++) {
        kind *k = &m->kinds[i];
        sf_op_desc d = { .name = names[i], .compute = compute, .user = k };
        bool sink = i + 1 == m->count || (i && rng_below(r, 4) == 0), copied[3] = { false }, any = false;
        const bool pairs = sink && rng_below(r, 3) == 0;
        k->ins = i && rng_below(r, 6) ? 1 + (int)rng_below(r, 3) : (int)sink;
        k->outs = sink ? 0 : 1 + (int)rng_below(r, 2);
        k->own = rng_below(r, 3) ? (int)rng_below(r, (uint32_t)k->outs + 1) : k->outs;
        k->takes = pairs ? 2 : 1;
        k->shirks = !adopts && !k->own && rng_below(r, 2);
        if (!k->ins) { d.count = FRAMES; }
        d.adopt_stream = adopts && k->ins && rng_below(r, 2);
        d.streams = two && !d.adopt_stream && rng_below(r, 2) ? far : NULL;
        for (int p = 0; p < k->ins; p++) {
            uint32_t tries = 0;
            do {
                from[p].op = rng_below(r, i);
            } while (!m->kinds[from[p].op].outs && ++tries < 100);
            if (!m->kinds[from[p].op].outs) { from[p].op = 0; }        /* which is no sink */
            from[p].out = rng_below(r, (uint32_t)m->kinds[from[p].op].outs);
            copied[p] = two && !d.adopt_stream && tensor[from[p].op][from[p].out] && rng_below(r, 2);
            d.in[p] = (sf_port){ .name = ports[p], .bytes = copied[p] ? TENSOR : 0 };
            d.in[p].capacity = (uint16_t)(1 + rng_below(r, 3));
            if (pairs) { d.in[p].batch = 2, d.in[p].capacity = 4; }
            k->values[p] = !tensor[from[p].op][from[p].out];
            any = any || tensor[from[p].op][from[p].out];
        }
        for (int p = 0; p < k->outs; p++) {
            const bool own = p < k->own;
            d.out[p] = (sf_port){ .name = ports[p], .bytes = own ? TENSOR : 0 };
            if (own && rng_below(r, 5) == 0) { d.out[p].memory = SF_MEMORY_PINNED; }
            tensor[i][p] = own || any;
        }
        m->ops[i] = sf_flow_add(m->flow, &d);
        for (int p = 0; p < k->ins; p++) {
            sf_edge_desc e = { .copy = copied[p] };
            if (sink && k->ins == 1 && rng_below(r, 3) == 0) { e.overflow = SF_OVERFLOW_DROP_OLDEST; }
            CHECK_OK(sf_flow_connect(m->flow, m->ops[from[p].op], ports[from[p].out], m->ops[i], ports[p], &e));
        }
    }
    plan_of(m->flow, true);
    for (uint32_t i = 0; i < m->count; i++) {                /* one without a stream in the plan asks for none */
        const char *on = json_get(json_at(json_get(report.text, "ops"), i), "stream");
        m->kinds[i].works = strncmp(on, "\"none\"", 6) != 0;
    }
}
static void of_random_flows(void **state)
{
    cost all = { 0, 0, 0 }, said = { 0, 0, 0 };
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 4) {
        rng r = rng_seed(seed);
        cost before, after, most;
        sf_flow_info info;
        sf_result ran;
        uint64_t bytes;
        made m;
        random_flow(&m, &r);
        bytes = planned_bytes();
        before = count_cost();
        ran = sf_flow_start(m.flow);
        ran = ran < 0 ? ran : sf_flow_wait(m.flow, GUARD);
        if (ran != SF_OK) { fail_msg("seed %u: %d, %s", (unsigned)seed, (int)ran, sf_flow_failure(m.flow)->text); }
        after = count_cost();
        most = planned_cost(m.flow, m.ops, m.count);
        CHECK_OK(sf_flow_get_info(m.flow, &info));
        if (info.payload_bytes != bytes) {
            fail_msg("seed %u: %d bytes, planned %d", (unsigned)seed, (int)info.payload_bytes, (int)bytes);
        }
        after = (cost){ after.records - before.records, after.waits - before.waits, after.copies - before.copies };
        if (after.records > most.records || after.waits > most.waits || after.copies > most.copies) {
            printf("# %s\n", plan_of(m.flow, false));
            fail_msg("seed %u: %u records, %u waits, %u copies; the plan says at most %u, %u, %u", (unsigned)seed,
                     (unsigned)after.records, (unsigned)after.waits, (unsigned)after.copies, (unsigned)most.records,
                     (unsigned)most.waits, (unsigned)most.copies);
        }
        all = (cost){ all.records + after.records, all.waits + after.waits, all.copies + after.copies };
        said = (cost){ said.records + most.records, said.waits + most.waits, said.copies + most.copies };
        destroy(m.flow);
    }
    printf("# %u of %u records, %u of %u waits, %u of %u copies\n", (unsigned)all.records, (unsigned)said.records,
           (unsigned)all.waits, (unsigned)said.waits, (unsigned)all.copies, (unsigned)said.copies);
}

static void add(made *m, const char *name, kind k, sf_op_desc d)     /* its ports: in, out */
{
    m->kinds[m->count] = k;
    d.name = name;
    d.compute = compute;
    d.user = &m->kinds[m->count];
    if (k.ins && !d.in[0].name) { d.in[0].name = "in"; }
    if (k.outs && !d.out[0].name) { d.out[0] = (sf_port){ .name = "out", .bytes = k.own ? TENSOR : 0 }; }
    if (!k.ins) { d.count = FRAMES; }
    m->ops[m->count++] = sf_flow_add(m->flow, &d);
}
static void what_a_message_costs(void **state)               /* exactly, but for the first use of each block */
{
    const kind source = { .works = true, .outs = 1, .own = 1 };
    const kind middle = { .works = true, .ins = 1, .outs = 1, .own = 1, .takes = 1 };
    const kind passes = { .works = true, .ins = 1, .outs = 1, .takes = 1 }, sink = { .works = true, .ins = 1 };
    const kind idle = { .ins = 1 }, takes_values = { .values = { true }, .ins = 1 }, values_of = { .outs = 1 };
    static const struct { const char *name; cost plan, frame; } cases[] = {  /* per frame: as planned; as it is */
        { "one stream, adopted", { 0, 0, 0 }, { 0, 0, 0 } }, { "three streams", { 3, 4, 0 }, { 3, 4, 0 } },
        { "copied", { 2, 2, 1 }, { 2, 2, 1 } }, { "values", { 0, 0, 0 }, { 0, 0, 0 } },
        { "the CPU reads behind STREAM", { 2, 2, 0 }, { 1, 0, 0 } }, { "passed on", { 3, 4, 0 }, { 3, 4, 0 } },
        { "timed", { 9, 4, 0 }, { 9, 4, 0 } },
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        const uint64_t slack = 16;
        cost before, after, most;
        made m = { .flow = flow_with((sf_flow_desc){ .track.device_time = i == 6 }) };
        sf_edge_desc e = { .copy = i == 2 };
        switch (i) {
        case 0:
            add(&m, "a", source, (sf_op_desc){ 0 });
            add(&m, "b", middle, (sf_op_desc){ .adopt_stream = true });
            add(&m, "c", sink, (sf_op_desc){ .adopt_stream = true });
            break;
        case 2:
            add(&m, "a", source, (sf_op_desc){ 0 });
            add(&m, "b", sink, (sf_op_desc){ .streams = far, .in = { { .name = "in", .bytes = TENSOR } } });
            break;
        case 3:
            add(&m, "a", values_of, (sf_op_desc){ 0 });
            add(&m, "b", takes_values, (sf_op_desc){ 0 });
            break;
        case 4:
            add(&m, "a", source, (sf_op_desc){
                .out = { { .name = "out", .bytes = TENSOR, .memory = SF_MEMORY_PINNED } } });
            add(&m, "b", idle, (sf_op_desc){ .when = { { .kind = SF_CONDITION_STREAM } } });
            break;
        case 5:
            add(&m, "a", source, (sf_op_desc){ 0 });
            add(&m, "b", passes, (sf_op_desc){ 0 });
            add(&m, "c", sink, (sf_op_desc){ 0 });
            break;
        default:
            add(&m, "a", source, (sf_op_desc){ 0 });
            add(&m, "b", middle, (sf_op_desc){ 0 });
            add(&m, "c", sink, (sf_op_desc){ 0 });
        }
        for (uint32_t k = 1; k < m.count; k++) {
            CHECK_OK(sf_flow_connect(m.flow, m.ops[k - 1], NULL, m.ops[k], NULL, &e));
        }
        plan_of(m.flow, true);
        before = count_cost();
        guarded_run_is(m.flow, SF_OK, NULL);
        after = count_cost();
        most = planned_cost(m.flow, m.ops, m.count);
        after = (cost){ after.records - before.records, after.waits - before.waits, after.copies - before.copies };
        for (int what = 0; what < 3; what++) {
            const uint64_t want = FRAMES * (&cases[i].frame.records)[what], got = (&after.records)[what];
            const uint64_t plan = (&most.records)[what];
            if (plan != FRAMES * (&cases[i].plan.records)[what] || got > want || got + slack < want) {
                printf("# %s\n", plan_of(m.flow, false));
                fail_msg("%s: number %d is %u, planned %u, not %u", cases[i].name, what, (unsigned)got, (unsigned)plan,
                         (unsigned)want);
            }
        }
        destroy(m.flow);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = { TEST(whole_plans), TEST(count_both_ways), TEST(with_problems), TEST(what_a_message_costs),
                                        TEST(of_random_flows) };
    test_arguments_of_host(argc, argv);
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
