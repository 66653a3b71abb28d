/*  time_model.h - what joins by time promise, from their rule. Whole sequences in, sets and fates out: every
    candidate is tried. Beside it a machine that takes message by message, for what depends on room, ends, the clock.

    The rule. A message's time is its stamp + the offset of its port.
    reorder   A message is held until one that is at least `reorder` newer has come, or its port has ended. Held ones
              are handed out in the order of their times; of equal ones the first come is the first.
    backward  Older than one that its port handed out before. An equal one is not.
    set       One message of each port, of the oldest to the newest at most `within`.
    OLDEST    The heads. A head that is older than the newest head - within has no partner: unmatched.
    NEAREST   The newest head is the pivot. Of the sets with the pivot the one with the least span; of those the one
              with the earliest times; of those the one with the first come. If even its span exceeds `within`, the
              oldest heads are unmatched. A message that a later one of its port, not after the pivot, makes useless
              is left out at once: unmatched if it is out of the pivot's reach, else passed over. So is what the set
              skips: passed over.
    end       A required port has ended and has nothing left: no set can come, all else has ended. A port that is
              optional is then missing from the sets.
    max_wait  The oldest head (of equal ones that of the first port) has been the head of its port for so long. If a
              required port has no message, that head is timed out. Else one decision is made with what is there.
    window    All samples with anchor - before <= time <= anchor + after; a tile: those with previous anchor < time <=
              anchor, of the first one with anchor - before <= time. */
#ifndef TIME_MODEL_H
#define TIME_MODEL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TM_PORTS = 6, TM_LENGTH = 24, TM_SETS = TM_PORTS * TM_LENGTH, TM_ABSENT = -1 };
typedef enum tm_fate {
    TM_WAITING, TM_DELIVERED, TM_OVERFLOW, TM_ENDED, TM_UNMATCHED, TM_PASSED_OVER, TM_BACKWARD, TM_TIMED_OUT, TM_FATES
} tm_fate;

typedef struct tm_rule {                     /* zero: as sf_condition and sf_port have it */
    int ports;
    bool nearest, drop;                      /* drop: the oldest, when a queue is full; else the push is refused */
    uint32_t optional;                       /* a bit per port */
    int64_t within, max_wait;
    int64_t offset[TM_PORTS], reorder[TM_PORTS], period[TM_PORTS];
    int room[TM_PORTS];                      /* machine: messages that the port's queue takes; 0: any number */
} tm_rule;

typedef struct tm_streams {                  /* the stamps of each port, as they come */
    int count[TM_PORTS];
    int64_t stamp[TM_PORTS][TM_LENGTH];
} tm_streams;

typedef struct tm_answer {
    int sets;
    int set[TM_SETS + 1][TM_PORTS];            /* index into the port's stream, or TM_ABSENT */
    int64_t time[TM_SETS + 1];                 /* of the set's result: the newest of its times; NEAREST: the pivot */
    tm_fate fate[TM_PORTS][TM_LENGTH];
} tm_answer;

static inline void tm_die(const char *why)
{
    fprintf(stderr, "time_model.h: %s\n", why);
    abort();
}
static inline int tm_number(const tm_answer *a, int port, tm_fate fate)
{
    int n = 0;
    for (int i = 0; i < TM_LENGTH; i++) { n += a->fate[port][i] == fate; }
    return n;
}

/* -- whole sequences -- */

typedef struct tm_item { int64_t time; int index; } tm_item; /* index: when it came on its port */
typedef struct tm_row { int count; tm_item item[TM_LENGTH]; } tm_row;

/* In the order in which they are handed out, without those that went backward. */
static inline tm_row tm_handed_out(const tm_rule *rule, const tm_streams *in, int port, tm_fate *fate)
{
    int n = in->count[port], place[TM_LENGTH];               /* place: after so many arrivals it is handed out */
    tm_row row;
    row.count = 0;
    for (int i = 0; i < n; i++) {
        place[i] = n;
        for (int k = n - 1; k >= i; k--) {
            bool newer = false;
            for (int j = 0; j <= k; j++) {
                newer |= in->stamp[port][j] - rule->reorder[port] >= in->stamp[port][i];
            }
            if (newer) { place[i] = k; }
        }
    }
    for (int k = 0; k <= n; k++) {                           /* all that go after arrival k, oldest first */
        for (;;) {
            int best = -1;
            for (int i = 0; i < n; i++) {
                if (place[i] == k && (best < 0 || in->stamp[port][i] < in->stamp[port][best])) { best = i; }
            }
            if (best < 0) { break; }
            place[best] = -1;
            tm_item item = { in->stamp[port][best] + rule->offset[port], best };
            if (row.count && item.time < row.item[row.count - 1].time) {
                fate[best] = TM_BACKWARD;
            } else {
                row.item[row.count++] = item;
            }
        }
    }
    return row;
}

/* Is a a better choice of items than b? `used`: the ports that take part. */
static inline int64_t tm_span(const tm_row *rows, const int *c, uint32_t used)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int p = 0; p < TM_PORTS; p++) {
        if (!(used >> p & 1)) { continue; }
        int64_t t = rows[p].item[c[p]].time;
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    return high - low;
}
static inline bool tm_better(const tm_row *rows, const int *a, const int *b, uint32_t used)
{
    int64_t x = tm_span(rows, a, used), y = tm_span(rows, b, used);
    if (x != y) { return x < y; }
    for (int p = 0; p < TM_PORTS; p++) {
        if (!(used >> p & 1)) { continue; }
        x = rows[p].item[a[p]].time, y = rows[p].item[b[p]].time;
        if (x != y) { return x < y; }
    }
    for (int p = 0; p < TM_PORTS; p++) {
        if (used >> p & 1 && a[p] != b[p]) { return a[p] < b[p]; }
    }
    return false;
}

/* Every choice of items at or behind the heads: the best one that has the pivot. */
static inline void tm_nearest(const tm_row *rows, const int *at, uint32_t used, int64_t pivot, int *best)
{
    int c[TM_PORTS];
    bool found = false;
    memcpy(c, at, sizeof c);
    for (;;) {
        bool has_pivot = false, useless = false;
        for (int p = 0; p < TM_PORTS; p++) {
            if (!(used >> p & 1)) { continue; }
            int64_t t = rows[p].item[c[p]].time;
            has_pivot |= c[p] == at[p] && t == pivot;
            for (int i = c[p] + 1; i < rows[p].count; i++) {
                useless |= rows[p].item[i].time > t && rows[p].item[i].time <= pivot;
            }
        }
        if (has_pivot && !useless && (!found || tm_better(rows, c, best, used))) {
            found = true;
            memcpy(best, c, sizeof c);
        }
        int p = 0;
        for (; p < TM_PORTS; p++) {
            if (!(used >> p & 1)) { continue; }
            if (++c[p] < rows[p].count) { break; }
            c[p] = at[p];
        }
        if (p == TM_PORTS) { break; }
    }
    if (!found) { tm_die("no set has the pivot"); }
}

/* All ports end; no room, drop or max_wait. */
static inline void tm_whole(const tm_rule *rule, const tm_streams *in, tm_answer *out)
{
    tm_row rows[TM_PORTS];
    int at[TM_PORTS] = { 0 };
    memset(out, 0, sizeof *out);
    memset(rows, 0, sizeof rows);
    for (int p = 0; p < rule->ports; p++) { rows[p] = tm_handed_out(rule, in, p, out->fate[p]); }
    for (;;) {
        uint32_t used = 0;
        int64_t pivot = INT64_MIN, oldest = INT64_MAX;
        bool over = false;
        for (int p = 0; p < rule->ports; p++) {
            if (at[p] == rows[p].count) {
                over |= !(rule->optional >> p & 1);
                continue;
            }
            int64_t t = rows[p].item[at[p]].time;
            used |= 1u << p;
            pivot = t > pivot ? t : pivot;
            oldest = t < oldest ? t : oldest;
        }
        if (over || !used) { break; }
        int c[TM_PORTS];
        memcpy(c, at, sizeof c);
        if (rule->nearest) {
            for (int p = 0; p < rule->ports; p++) {          /* what a later one makes useless */
                if (!(used >> p & 1)) { continue; }
                for (int i = at[p] + 1; i < rows[p].count && rows[p].item[i].time <= pivot; i++) {
                    if (rows[p].item[i].time == rows[p].item[at[p]].time) { continue; }
                    for (; at[p] < i; at[p]++) {
                        tm_item m = rows[p].item[at[p]];
                        out->fate[p][m.index] = m.time < pivot - rule->within ? TM_UNMATCHED : TM_PASSED_OVER;
                    }
                }
            }
            tm_nearest(rows, at, used, pivot, c);
            oldest = INT64_MAX;                              /* of the heads that are left */
            for (int p = 0; p < rule->ports; p++) {
                if (used >> p & 1 && rows[p].item[at[p]].time < oldest) { oldest = rows[p].item[at[p]].time; }
            }
        }
        bool fits = tm_span(rows, c, used) <= rule->within;
        out->time[out->sets] = pivot;
        for (int p = 0; p < rule->ports; p++) {
            if (fits) { out->set[out->sets][p] = TM_ABSENT; }
            if (!(used >> p & 1)) { continue; }
            tm_item head = rows[p].item[at[p]];
            if (fits) {
                for (; at[p] < c[p]; at[p]++) { out->fate[p][rows[p].item[at[p]].index] = TM_PASSED_OVER; }
                out->set[out->sets][p] = rows[p].item[at[p]].index;
                out->fate[p][rows[p].item[at[p]++].index] = TM_DELIVERED;
            } else if (rule->nearest ? head.time == oldest : head.time < pivot - rule->within) {
                out->fate[p][head.index] = TM_UNMATCHED;
                at[p]++;
            }
        }
        out->sets += fits;
    }
    for (int p = 0; p < rule->ports; p++) {
        for (; at[p] < rows[p].count; at[p]++) { out->fate[p][rows[p].item[at[p]].index] = TM_ENDED; }
    }
}

/* -- message by message -- */

typedef struct tm_machine {
    tm_rule rule;
    tm_streams in;                           /* what was accepted */
    tm_answer out;
    int64_t now;
    bool over, closed[TM_PORTS], began[TM_PORTS];
    int64_t newest[TM_PORTS], bound[TM_PORTS];       /* of all that came; of those handed out. Valid if .began */
    bool handed[TM_PORTS];
    int held[TM_PORTS], waiting[TM_PORTS];
    tm_item hold[TM_PORTS][TM_LENGTH], queue[TM_PORTS][TM_LENGTH];
    int64_t head_since[TM_PORTS];
    int64_t set_at[TM_SETS];                 /* the time of each set */
} tm_machine;

static inline void tm_begin(tm_machine *m, const tm_rule *rule)
{
    memset(m, 0, sizeof *m);
    m->rule = *rule;
}
static inline bool tm_ended(const tm_machine *m, int p) { return m->closed[p] && !m->held[p]; }
static inline void tm_leaves(tm_machine *m, int p, tm_fate fate)             /* the head of port p */
{
    m->out.fate[p][m->queue[p][0].index] = fate;
    memmove(m->queue[p], m->queue[p] + 1, (size_t)--m->waiting[p] * sizeof(tm_item));
    m->head_since[p] = m->now;
}
/* One step with the ports of `used`, all of which have a head. False: it has to wait for more. now: it never does. */
static inline bool tm_decide(tm_machine *m, uint32_t used, bool now)
{
    const tm_rule *rule = &m->rule;
    int64_t pivot = INT64_MIN, oldest = INT64_MAX, span = INT64_MAX;
    int n = rule->ports, after[TM_PORTS] = { 0 };
    bool left = false;
    uint32_t later = 0;                      /* ports whose item after the pivot is in the best set */
    for (int p = 0; p < n; p++) {
        if (used >> p & 1 && m->queue[p][0].time > pivot) { pivot = m->queue[p][0].time; }
    }
    for (int p = 0; p < n && rule->nearest; p++) {
        for (int i = 1; used >> p & 1 && i < m->waiting[p] && m->queue[p][i].time <= pivot; i++) {
            if (m->queue[p][i].time == m->queue[p][0].time) { continue; }
            tm_leaves(m, p, pivot - m->queue[p][0].time > rule->within ? TM_UNMATCHED : TM_PASSED_OVER);
            i = 0;
            left = true;
        }
    }
    if (left && !now) { return true; }
    for (int p = 0; p < n; p++) {
        if (!(used >> p & 1)) { continue; }
        if (m->queue[p][0].time < oldest) { oldest = m->queue[p][0].time; }
        while (after[p] < m->waiting[p] && m->queue[p][after[p]].time <= pivot) { after[p]++; }
    }
    for (uint32_t choice = 0; choice < (rule->nearest ? 1u << n : 1); choice++) {    /* a bit: that after it */
        int64_t low = pivot, high = pivot;
        bool possible = true, earlier = span == INT64_MAX, known = earlier;
        for (int p = 0; p < n; p++) {
            bool late = choice >> p & 1;
            if (!(used >> p & 1)) { possible &= !late; continue; }
            possible &= !late || (after[p] < m->waiting[p] && m->queue[p][0].time < pivot);
            if (!possible) { break; }
            int64_t t = m->queue[p][late ? after[p] : 0].time;
            if (!known && late != (later >> p & 1)) { known = true, earlier = !late; }
            low = t < low ? t : low;
            high = t > high ? t : high;
        }
        if (possible && (high - low < span || (high - low == span && earlier))) { span = high - low, later = choice; }
    }
    for (int p = 0; p < n && rule->nearest && !now; p++) {
        if (!(used >> p & 1) || tm_ended(m, p) || m->queue[p][m->waiting[p] - 1].time >= pivot) { continue; }
        int64_t next = m->queue[p][m->waiting[p] - 1].time + rule->period[p];        /* the earliest that may come */
        if (next <= pivot || next - pivot < span) { return false; }
    }
    if (span <= rule->within) {
        int k = m->out.sets++;
        m->set_at[k] = m->now;
        m->out.time[k] = pivot;
        for (int p = 0; p < n; p++) {
            m->out.set[k][p] = TM_ABSENT;
            if (!(used >> p & 1)) { continue; }
            for (int i = later >> p & 1 ? after[p] : 0; i > 0; i--) { tm_leaves(m, p, TM_PASSED_OVER); }
            m->out.set[k][p] = m->queue[p][0].index;
            tm_leaves(m, p, TM_DELIVERED);
        }
        return true;
    }
    for (int p = 0; p < n; p++) {
        if (!(used >> p & 1)) { continue; }
        int64_t t = m->queue[p][0].time;
        if (rule->nearest ? t == oldest : t < pivot - rule->within) { tm_leaves(m, p, TM_UNMATCHED); }
    }
    return true;
}
/* When max_wait is over, if nothing else comes; INT64_MAX: never. */
static inline int64_t tm_deadline(const tm_machine *m, int *port)
{
    int oldest = -1;
    for (int p = 0; p < m->rule.ports; p++) {
        if (m->waiting[p] && (oldest < 0 || m->queue[p][0].time < m->queue[oldest][0].time)) { oldest = p; }
    }
    if (port) { *port = oldest; }
    return oldest < 0 || !m->rule.max_wait || m->over ? INT64_MAX : m->head_since[oldest] + m->rule.max_wait;
}
static inline void tm_settle(tm_machine *m)
{
    if (m->over) { return; }
    for (bool went = true; went && !m->over;) {
        int oldest;
        bool due = tm_deadline(m, &oldest) <= m->now;
        uint32_t used = 0, missing = 0;
        for (int p = 0; p < m->rule.ports; p++) {
            bool gone = tm_ended(m, p) && m->waiting[p] == 0, optional = m->rule.optional >> p & 1;
            used |= (uint32_t)(m->waiting[p] > 0) << p;
            missing |= (uint32_t)(m->waiting[p] == 0 && !gone) << p;
            m->over |= gone && !optional;
        }
        went = !m->over && used && (!missing || due);
        if (went && missing & ~m->rule.optional) {
            tm_leaves(m, oldest, TM_TIMED_OUT);
        } else if (went) {
            went = tm_decide(m, used, due);
        }
    }
    for (int p = 0; p < m->rule.ports && m->over; p++) {
        while (m->waiting[p]) { tm_leaves(m, p, TM_ENDED); }
    }
}
static inline void tm_enter(tm_machine *m, int p, tm_item item)
{
    if (m->handed[p] && item.time < m->bound[p]) {
        m->out.fate[p][item.index] = TM_BACKWARD;
        return;
    }
    m->handed[p] = true;
    m->bound[p] = item.time;
    if (m->over) {
        m->out.fate[p][item.index] = TM_ENDED;
        return;
    }
    if (m->rule.room[p] && m->waiting[p] >= m->rule.room[p]) { tm_leaves(m, p, TM_OVERFLOW); }
    if (!m->waiting[p]) { m->head_since[p] = m->now; }
    m->queue[p][m->waiting[p]++] = item;
    if (!m->rule.max_wait) { tm_settle(m); } /* else a wait that is over is seen when all are there */
}
static inline void tm_hand_out(tm_machine *m, int p)         /* what need not be held any longer, oldest first */
{
    for (;;) {
        int best = -1;
        for (int i = 0; i < m->held[p]; i++) {
            if (!m->closed[p] && m->newest[p] - m->hold[p][i].time < m->rule.reorder[p]) { continue; }
            if (best < 0 || m->hold[p][i].time < m->hold[p][best].time) { best = i; }
        }
        if (best < 0) { return; }
        tm_item item = m->hold[p][best];
        for (int i = best; i + 1 < m->held[p]; i++) { m->hold[p][i] = m->hold[p][i + 1]; }
        m->held[p]--;
        tm_enter(m, p, item);
    }
}
static inline bool tm_push(tm_machine *m, int p, int64_t stamp)              /* false: full */
{
    int i = m->in.count[p];
    tm_item item = { stamp + m->rule.offset[p], i };
    if (m->rule.room[p] && !m->rule.drop && m->waiting[p] + m->held[p] >= m->rule.room[p]) { return false; }
    if (i == TM_LENGTH) { tm_die("TM_LENGTH is too small"); }
    m->in.stamp[p][m->in.count[p]++] = stamp;
    m->newest[p] = m->began[p] && m->newest[p] > item.time ? m->newest[p] : item.time;
    m->began[p] = true;
    m->hold[p][m->held[p]++] = item;
    tm_hand_out(m, p);
    tm_settle(m);
    return true;
}
static inline void tm_end(tm_machine *m, int p)
{
    m->closed[p] = true;
    tm_hand_out(m, p);
    tm_settle(m);
}
static inline void tm_time(tm_machine *m, int64_t now)       /* the clock goes on to `now`; waits up to it are over */
{
    for (int64_t at = tm_deadline(m, NULL); at <= now && !m->over; at = tm_deadline(m, NULL)) {
        m->now = at > m->now ? at : m->now;
        tm_settle(m);
    }
    m->now = now;
}

/* -- windows -- */

enum { TM_WINDOWS = TM_LENGTH, TM_SAMPLES = 4 };
typedef struct tm_window_rule {
    int samples;                             /* ports of samples: 1 to them; port 0 is the anchor's */
    int64_t before, after;
    bool tiles;
    int64_t offset[1 + TM_SAMPLES];
} tm_window_rule;
typedef struct tm_windows {
    int count, anchor[TM_WINDOWS];           /* index into the anchor's stream */
    int size[TM_WINDOWS][TM_SAMPLES], sample[TM_WINDOWS][TM_SAMPLES][TM_LENGTH];
    tm_fate fate[1 + TM_SAMPLES][TM_LENGTH]; /* UNMATCHED: older than a window that came; ENDED: newer than all */
} tm_windows;

static inline void tm_all_windows(const tm_window_rule *rule, const tm_streams *in, tm_windows *out)
{
    memset(out, 0, sizeof *out);
    int64_t previous = 0, last_low = INT64_MIN;
    for (int p = 0; p <= rule->samples; p++) {
        for (int i = 0; i < in->count[p]; i++) {
            out->fate[p][i] = p ? TM_ENDED : TM_DELIVERED;
            for (int k = 0; k < i; k++) {
                if (in->stamp[p][k] > in->stamp[p][i]) { out->fate[p][i] = TM_BACKWARD; }
            }
        }
    }
    for (int k = 0; k < in->count[0]; k++) {
        if (out->fate[0][k] == TM_BACKWARD) { continue; }
        int64_t a = in->stamp[0][k] + rule->offset[0], low = a - rule->before, high = a + rule->after;
        if (rule->tiles) {
            high = a;
            if (out->count) { low = previous + 1; }
        }
        for (int p = 1; p <= rule->samples; p++) {
            for (int i = 0; i < in->count[p]; i++) {
                int64_t t = in->stamp[p][i] + rule->offset[p];
                if (out->fate[p][i] == TM_BACKWARD || t < low || t > high) { continue; }
                out->sample[out->count][p - 1][out->size[out->count][p - 1]++] = i;
                out->fate[p][i] = TM_DELIVERED;
            }
        }
        out->anchor[out->count++] = k;
        previous = a;
        last_low = low;
    }
    for (int p = 1; p <= rule->samples; p++) {
        for (int i = 0; i < in->count[p]; i++) {
            if (out->fate[p][i] == TM_ENDED && in->stamp[p][i] + rule->offset[p] < last_low) {
                out->fate[p][i] = TM_UNMATCHED;
            }
        }
    }
}

#endif /* TIME_MODEL_H */
