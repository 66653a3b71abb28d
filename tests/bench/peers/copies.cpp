/*  copies.cpp - flow_bench's workload `copies` by oneTBB's parallel_pipeline and Taskflow's pipeline: a serial source, the
    operator in parallel, a serial sink in order. copies.sh builds it; -DWITH_TBB, -DWITH_TASKFLOW say with which. Each
    runtime has n threads and four messages per thread under way. */
#include <cstdint>
#include <vector>
#ifdef WITH_TBB
    #include <oneapi/tbb/global_control.h>
    #include <oneapi/tbb/parallel_pipeline.h>
#endif
#ifdef WITH_TASKFLOW
    #include <taskflow/taskflow.hpp>
    #include <taskflow/algorithm/pipeline.hpp>
#endif

struct copies_run {                          // as in flow_bench.c
    uint64_t messages, steps, sum;
    uint64_t (*compute)(uint64_t x, uint64_t steps);
    int64_t begin, end;
    int64_t (*now)();
    int n;
};
enum { PER_THREAD = 4 };

static uint64_t begun(copies_run *run, uint64_t i)           // the source's message i
{
    if (!i) { run->begin = run->now(); }
    return i;
}
static void arrived(copies_run *run, uint64_t i, uint64_t x)
{
    run->sum = run->sum * 31 + x;
    if (i + 1 == run->messages) { run->end = run->now(); }
}

#ifdef WITH_TBB
static void by_tbb(copies_run *run)
{
    using namespace oneapi::tbb;
    global_control threads(global_control::max_allowed_parallelism, static_cast<size_t>(run->n));
    uint64_t sent = 0, received = 0;
    parallel_pipeline(static_cast<size_t>(run->n) * PER_THREAD,
        make_filter<void, uint64_t>(filter_mode::serial_in_order, [&](flow_control &control) -> uint64_t {
            if (sent == run->messages) { return control.stop(), 0; }
            return begun(run, sent++);
        }) &
        make_filter<uint64_t, uint64_t>(filter_mode::parallel, [=](uint64_t x) {
            return run->compute(x, run->steps);
        }) &
        make_filter<uint64_t, void>(filter_mode::serial_in_order, [&](uint64_t x) {
            arrived(run, received++, x);
        }));
}
#endif
#ifdef WITH_TASKFLOW
static void by_taskflow(copies_run *run)
{
    struct alignas(64) cell { uint64_t x; };
    static tf::Executor *executors[65];      // threads live on, as those of oneTBB do
    tf::Executor *&executor = executors[run->n];
    if (!executor) { executor = new tf::Executor(static_cast<size_t>(run->n)); }
    std::vector<cell> cells(static_cast<size_t>(run->n) * PER_THREAD);
    tf::Pipeline pipeline(cells.size(),
        tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow &pf) {
            if (pf.token() == run->messages) { pf.stop(); } else { cells[pf.line()].x = begun(run, pf.token()); }
        }},
        tf::Pipe{tf::PipeType::PARALLEL, [&](tf::Pipeflow &pf) {
            cells[pf.line()].x = run->compute(cells[pf.line()].x, run->steps);
        }},
        tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow &pf) { arrived(run, pf.token(), cells[pf.line()].x); }});
    tf::Taskflow taskflow;
    taskflow.composed_of(pipeline);
    executor->run(taskflow).wait();
}
#endif

extern "C" const char *peers_copies(int which, copies_run *run)
{
    (void)run;
#ifdef WITH_TBB
    if (which == 0) { return by_tbb(run), "onetbb"; }
#endif
#ifdef WITH_TASKFLOW
    if (which == 1) { return by_taskflow(run), "taskflow"; }
#endif
    return nullptr;
}
