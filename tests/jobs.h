/*  jobs.h - the task system of the suites: sf_flow_desc.jobs with a thread per task. */
#ifndef JOBS_H
#define JOBS_H

#include <stdlib.h>
#include <pthread.h>

typedef struct job { pthread_t thread; void (*task)(void *arg); void *arg; } job;
static void *job_main(void *arg)
{
    job *j = (job *)arg;
    j->task(j->arg);
    return NULL;
}
static void *job_enqueue(void (*task)(void *arg), void *arg, void *user)
{
    job *j = (job *)malloc(sizeof *j);
    (void)user;
    if (!j) { abort(); }
    j->task = task, j->arg = arg;
    if (pthread_create(&j->thread, NULL, job_main, j)) { abort(); }
    return j;
}
static void job_finish(void *task, void *user)
{
    job *j = (job *)task;
    (void)user;
    if (pthread_join(j->thread, NULL)) { abort(); }
    free(j);
}
#endif
