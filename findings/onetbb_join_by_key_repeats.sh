#!/usr/bin/env bash
# A key_matching join_node of oneTBB refuses a message with a key that already waits on that port, and takes it all
# the same. Behind a queue_node one message is lost, one is in two tuples, and a complete pair waits for the next put.
# One expects: a message is in one tuple at most; a repeat waits until the first is joined.
# Seen with oneTBB 2023.2.0: see `expected`. a7.2 is the message with key 7 and number 2 on the first input.
# Needs a C++ compiler and pip, else exits 77.
set -eu
command -v g++ >/dev/null && python3 -m venv --help >/dev/null 2>&1 || { echo "needs g++ and python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check tbb-devel==2023.2.0 tbb==2023.2.0 ||
    { echo "cannot install the packages"; exit 77; }
cat >main.cpp <<'CPP'
#include <oneapi/tbb/flow_graph.h>
#include <cstdio>
#include <tuple>
using namespace oneapi::tbb::flow;
struct message {
    int key, number;
};
using pair = std::tuple<message, message>;
using join = join_node<pair, key_matching<int>>;
static int key(const message &m) { return m.key; }
static void got(graph &g, queue_node<pair> &out, const char *after)
{
    pair p;
    g.wait_for_all();
    printf("%s ->", after);
    while (out.try_get(p)) {
        printf(" (a%d.%d, b%d.%d)", std::get<0>(p).key, std::get<0>(p).number, std::get<1>(p).key,
               std::get<1>(p).number);
    }
    printf("\n");
}
int main()
{
    printf("oneTBB %s\n", TBB_runtime_version());
    {
        graph g;
        join j(g, key, key);
        queue_node<pair> out(g);
        make_edge(j, out);
        printf("put by hand: a7.1 %s,", input_port<0>(j).try_put({7, 1}) ? "accepted" : "refused");
        printf(" a7.2 %s\n", input_port<0>(j).try_put({7, 2}) ? "accepted" : "refused");
        input_port<1>(j).try_put({7, 3}), got(g, out, "b7.3");
    }
    graph g;
    queue_node<message> a(g), b(g);
    join j(g, key, key);
    queue_node<pair> out(g);
    make_edge(a, input_port<0>(j)), make_edge(b, input_port<1>(j)), make_edge(j, out);
    printf("put into a queue_node in front of each port:\n");
    a.try_put({7, 1}), got(g, out, "a7.1");
    a.try_put({7, 2}), got(g, out, "a7.2");
    a.try_put({8, 3}), got(g, out, "a8.3");
    b.try_put({7, 4}), got(g, out, "b7.4");
    b.try_put({8, 5}), got(g, out, "b8.5");
    b.try_put({7, 6}), got(g, out, "b7.6");
    a.try_put({9, 7}), got(g, out, "a9.7");
}
CPP
g++ -std=c++17 -O1 -isystem v/include -o join main.cpp -Lv/lib -ltbb -Wl,-rpath,"$folder/v/lib"
echo "guess: by hand (a7.1, b7.3); from queues b7.4 -> (a7.1, b7.4), b8.5 -> (a8.3, b8.5), b7.6 -> (a7.2, b7.6)"
cat >expected <<'TEXT'
oneTBB 2023.2.0
put by hand: a7.1 accepted, a7.2 refused
b7.3 -> (a7.2, b7.3)
put into a queue_node in front of each port:
a7.1 ->
a7.2 ->
a8.3 ->
b7.4 -> (a7.2, b7.4)
b8.5 ->
b7.6 ->
a9.7 -> (a7.2, b7.6) (a8.3, b8.5)
TEXT
timeout 60 ./join >seen
cat seen
diff expected seen
