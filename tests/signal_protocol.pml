/*  signal_protocol.pml - the signals between the host and the resident loop, for Spin; model.sh runs it.

    Memory that both see holds five kinds of words, each with one writer (submit: one writer and whoever stops):
        submit[s]     how many requests source s has, the stop bits beside the count; by the host, atomically
        completed     results published; by the loop
        done          the position up to which all are completed or dropped; by the loop
        end_done      what was done when an abort ended the loop; by the loop
        consumed      results released; by the host
    and rings: `in`, a request per position and source, and `out`, a result per completion, with a record of its
    position. Payloads are positions, so whoever reads knows what should be there.

    The loop's stores are posted: they arrive in their order, some time later. The host's are there at once. A poll
    that sees what it saw before is a process that is blocked: if nobody will ever end that, Spin finds a deadlock.
    Nothing repeats without bound, so without a deadlock every wait ends.

    SOURCES: 1, or 2 of which an iteration takes one request each. REQUESTS: of each. POLICY: what is passed over.
    LINES: requests and results of one source travel in words that have their number. A request is counted, and then its
    two words are written; the words of a result, its record and its payload, arrive in any order, and the count of
    results before, between or behind them; `completed` and `done` are what the records say.
    RUNS: how often the loop is launched and stopped. OBSERVER: somebody asks for the counters, at any time. AHEAD: the
    loop asks for the next request before it publishes the last, and believes that answer unless there is a stop in
    it. Each of these breaks one thing, and some property with it:
        STOP_APART           the stop bits in a word of their own
        STOP_OF_ONE          a stop bit in the word of one source is enough (of 2)
        CONSUMED_IGNORED     a result is written whether there is room or not
        DONE_FIRST           done is stored before the payload
        COMPLETED_LAST       completed is stored after done
        END_READ_LAST        who looks for a result looks at completed first, and then at end_done
        DONE_ASKED           the counters are read from done, and not from the record of the last result
        LEVEL_FLAG           the loop stores what it has seen over what the host has submitted since
        SUBMIT_FIRST         a request is counted before it is written
        NOT_REFUSED          requests are taken after a stop bit, too
        NO_SPARE             DROP_NEWEST lends a slot that waits to be read
        DEAF_WITHOUT_ROOM    no look at the stop bits while there is no room
        UNSUPPRESSED         at a stop, the pass too many of a fast loop copies its result
        QUEUE_FORGOTTEN      an abort does not count what is queued
        HALF_A_REQUEST       LINES: one word of a request is enough
        HALF_A_RESULT        LINES: one word of a result is enough */
#define BLOCK 0
#define DROP_OLDEST 1
#define DROP_NEWEST 2
#define LATEST 3
#ifndef POLICY
#define POLICY BLOCK
#endif
#ifndef SOURCES
#define SOURCES 1
#endif
#ifndef REQUESTS
#define REQUESTS 4
#endif
#ifndef RUNS
#define RUNS 2
#endif
#define SLOTS 2
#define RECORDS 4
#if POLICY == DROP_NEWEST && !defined(NO_SPARE)
#define IN_SLOTS 3                           /* so that there is always one to be lent */
#else
#define IN_SLOTS SLOTS
#endif

#define DRAIN 16
#define ABORT 32
#define count(word) ((word) & 15)
#if SOURCES == 1
#define least(word) count(word[0])
#else
#define least(word) (count(word[0]) < count(word[1]) -> count(word[0]) : count(word[1]))
#endif
#define in_slot(s, n) ((s) * IN_SLOTS + ((n) - 1) % IN_SLOTS)
#define record_slot(n) (((n) - 1) % RECORDS)
#ifdef LINES
#define out_slot(n) record_slot(n)           /* a payload is in its record */
#else
#define out_slot(n) (((n) - 1) % SLOTS)      /* all count from 1 */
#endif
#ifdef STOP_APART
#define stop_bits(s) stop
#define stop_news (stop != bits)
byte stop;
#else
#define stop_bits(s) submit[s]
#define stop_news false
#endif

#ifdef CONSUMED_IGNORED
#define room true
#else
#define room (results - released < SLOTS)
#endif
#ifdef DEAF_WITHOUT_ROOM
#define heeds false
#else
#define heeds true
#endif
#define news (submit[0] != word[0] || submit[SOURCES - 1] != word[SOURCES - 1] || stop_news)

#ifdef LINES                                 /* a word is its content and, above that, its number: at most 4 */
#define numbered(value, number) ((number) * 16 + (value))
#define content(word) ((word) & 15)
#define is_of(word, number) ((word) >> 4 == (number))
#ifdef HALF_A_RESULT
#define whole(n) is_of(record[record_slot(n)], n)
#else
#define whole(n) (is_of(record[record_slot(n)], n) && is_of(out[out_slot(n)], n))
#endif
#define completed (whole(4) -> 4 : (whole(3) -> 3 : (whole(2) -> 2 : (whole(1) -> 1 : 0))))
#define newest (completed > 0 -> content(record[completed - 1]) : 0)
#define done (end_done > newest -> end_done : newest)
#ifdef HALF_A_REQUEST
#define arrived(n) (in[in_slot(0, n)] == n)
#else
#define arrived(n) (in[in_slot(0, n)] == n && in2[in_slot(0, n)] == n)
#endif
byte in2[IN_SLOTS], out[RECORDS];
#else
#define numbered(value, number) (value)
#define content(word) (word)
#define completed hint
#define done done_word
byte out[SLOTS];
#endif
byte submit[SOURCES], hint, done_word, end_done, consumed;
byte in[SOURCES * IN_SLOTS], record[RECORDS];

/* What is true, for the properties alone. */
#define COMPLETED 1
#define DROPPED 2
byte fate[REQUESTS + 1], accepted[SOURCES];
bool running = true, stopping, over, gone;   /* the loop; a stop; the last stop; the reader, who need not stay */

mtype = { PAYLOAD, RECORD, RESULTS, DONE, END_DONE, SUBMIT, END };
chan posted = [4] of { mtype, byte, byte };
chan launch = [0] of { bool };

active proctype bus()
{
    mtype what;
    byte i, value;
    xr posted;
end:
    do
    :: d_step {
        posted ? what, i, value;
        if
        :: what == PAYLOAD -> out[i] = value
        :: what == RECORD -> record[i] = value
        :: what == RESULTS -> hint = value
        :: what == DONE -> done_word = value
        :: what == END_DONE -> end_done = value
        :: what == SUBMIT -> submit[i] = value
        :: what == END -> running = false
        fi;
        what = 0; i = 0; value = 0           /* what is not needed any more only makes states differ; so below */
    }
    od
}

inline settle(how)                           /* all up to position n are completed or dropped, and counted once */
{
    do
    :: at < n ->
        at++;
        assert(fate[at] == 0);
        fate[at] = (at == n -> how : DROPPED)
    :: else -> break
    od
}
inline publish()
{
#ifdef DONE_FIRST
    posted ! DONE, 0, n;
#endif
#ifdef LINES
    if                                       /* any order of the three */
    :: posted ! RESULTS, 0, results
    :: true
    fi;
    if
    :: posted ! RECORD, record_slot(results), numbered(n, results);
        posted ! PAYLOAD, out_slot(results), numbered(value, results)
    :: posted ! PAYLOAD, out_slot(results), numbered(value, results);
        posted ! RECORD, record_slot(results), numbered(n, results)
    fi;
#else
    posted ! PAYLOAD, out_slot(results), value;
    posted ! RECORD, record_slot(results), n;
#endif
#ifdef COMPLETED_LAST
    posted ! DONE, 0, n;
#endif
    posted ! RESULTS, 0, results;
#if !defined(DONE_FIRST) && !defined(COMPLETED_LAST)
    posted ! DONE, 0, n;                     /* last: who sees it sees all of the above */
#endif
#ifdef LEVEL_FLAG
    posted ! SUBMIT, 0, n;
#endif
    value = 0; n = 0
}

active proctype loop()
{
    byte word[SOURCES], bits, n, value, at, results, released;       /* at, results: its own done and completed */
#ifdef AHEAD
    byte early;
#endif
    xs posted;
wait:
#ifdef STOP_APART
    bits = stop;                             /* first, which is the better order */
    word[0] = submit[0];
#else
    word[0] = submit[0];
    bits = word[0];
#if SOURCES == 2
    word[1] = submit[1];
#ifdef STOP_OF_ONE
    bits = bits | word[1];
#else
    bits = bits & word[1];                   /* all have to have it: beside it a count is final */
#endif
#endif
#endif
    if
    :: bits >= ABORT -> goto ends
    :: bits < ABORT && least(word) == at ->
        if
        :: bits >= DRAIN -> goto ends
        :: else
        fi;
        news;
        goto wait
    :: else
    fi;
take:
    if
    :: !room -> released = consumed          /* a load across the bus, so only if need be */
    :: else
    fi;
    if
    :: !room -> consumed != released || (heeds && news); goto wait
    :: else
    fi;
    n = at + 1;
    if
    :: POLICY == LATEST || (POLICY == DROP_OLDEST && least(word) - at == SLOTS) -> n = least(word)
    :: else
    fi;
#ifdef LINES
    arrived(n);                              /* who has counted it writes it */
    assert(in2[in_slot(0, n)] == n);
#endif
    value = in[in_slot(0, n)];               /* work */
    assert(value == n && in[in_slot(SOURCES - 1, n)] == n);  /* not before it is written, and not overwritten */
    d_step {
        assert(in[in_slot(0, n)] == n && in[in_slot(SOURCES - 1, n)] == n);
        settle(COMPLETED);
        results++;
        bits = 0; word[0] = 0; word[SOURCES - 1] = 0
    }
#ifdef AHEAD
    early = submit[0];
#endif
    publish();
#ifdef AHEAD
    if
    :: early < DRAIN && count(early) > at -> d_step { word[0] = early; early = 0 }; goto take
    :: else -> early = 0
    fi;
#endif
    goto wait;
ends:
#ifdef UNSUPPRESSED
    posted ! PAYLOAD, out_slot(results + 1), 0;
#endif
#ifndef QUEUE_FORGOTTEN
    if
    :: bits >= ABORT && at < least(word) ->
        n = least(word);
        d_step { settle(DROPPED); n = 0 }
        posted ! END_DONE, 0, at;
        posted ! DONE, 0, at
    :: else
    fi;
#endif
    posted ! END, 0, 0;
end:
    launch ? _;                              /* and goes on with the same sequences */
    goto wait
}

active [SOURCES] proctype writer()
{
    byte s = _pid - 2, n, tries;             /* the third process, and the fourth */
    do
    :: tries < REQUESTS ->
        n = accepted[s] + 1;
#if POLICY != DROP_NEWEST
        if
        :: n - done <= SLOTS
        :: over -> break
        fi;
#endif
#if !defined(SUBMIT_FIRST) && !defined(LINES)
        in[in_slot(s, n)] = n;
#endif
#if POLICY == DROP_NEWEST
        if
        :: n - done > SLOTS -> goto next     /* dropped: the host counts it apart */
        :: else
        fi;
#endif
        if                                   /* compare and swap: the count goes up where there is no bit */
#ifdef NOT_REFUSED
        :: d_step { submit[s]++; accepted[s]++ }
#elif defined(STOP_APART)
        :: stop == 0 -> d_step { submit[s]++; accepted[s]++ }
#else
        :: d_step { submit[s] < DRAIN -> submit[s]++; accepted[s]++ }
#endif
        :: over -> break
        fi;
#if defined(SUBMIT_FIRST) || defined(LINES)
        in[in_slot(s, n)] = n;
#endif
#ifdef LINES
        in2[in_slot(s, n)] = n;
#endif
next:
        tries++;
        n = 0
    :: else -> break
    od
}

inline ask()                                 /* for the counters: one moment's, if nothing was published meanwhile */
{
    do
    :: c = completed;
#ifdef DONE_ASKED
        d = done;
#else
        d = (c > 0 -> content(record[record_slot(c)]) : 0);
        d = (end_done > d -> end_done : d);
#endif
        n = least(submit);
        if
        :: completed == c -> break
        :: else
        fi
    od;
    assert(c <= d && d <= n);
    d_step {
        do
        :: d > 0 ->
            assert(fate[d] != 0);            /* nothing of it is queued, */
            c = c - (fate[d] == COMPLETED);
            d--
        :: else -> break
        od;
        assert(c == 0);                      /* and the others were dropped */
        n = 0
    }
}

active proctype reader()
{
    byte k = 1, c, d, n;
    bool asked, told;
    do
    :: k <= REQUESTS ->
again:
        told = (done >= k);
#ifdef END_READ_LAST
        c = completed;
        d = end_done;
#else
        d = end_done;                        /* first: all that was completed before it is seen then */
        c = completed;
#endif
        n = consumed + 1;
        if
        :: d_step { c >= n && content(record[record_slot(n)]) == k -> assert(fate[k] == COMPLETED && content(out[out_slot(n)]) == k) };
            d_step { assert(content(out[out_slot(n)]) == k && content(record[record_slot(n)]) == k); consumed = n }    /* still */
        :: c >= n && content(record[record_slot(n)]) > k -> assert(fate[k] == DROPPED)
        :: c < n && d >= k -> assert(fate[k] == DROPPED)
        :: else ->
            assert(!told);                   /* what is ready is found */
            if                               /* polls, till there is something new */
            :: completed != c || end_done != d -> goto again
            :: over && done < k -> break
            :: gone = true; break
#ifdef OBSERVER
            :: !asked -> asked = true; ask(); goto again
#endif
            fi
        fi;
        d_step { c = 0; d = 0; n = 0; told = false; k++ }
    :: else -> break
    od;
    assert(gone || consumed == completed)
}

inline stop_all(how)
{
    stop_bits(0) = stop_bits(0) | how;
#if SOURCES == 2
    stop_bits(1) = stop_bits(1) | how;
#endif
    stopping = true
}

/* Stops the loop, each time in one of three ways: drain; abort; drain, and then abort. */
active proctype stopper()
{
    byte runs, before, i;
    bool aborts;
    do
    :: runs < RUNS ->
        if
        :: before = least(submit);
            stop_all(DRAIN);
            if
            :: !running
            :: gone                          /* nobody makes room any more, so it may not end */
            :: true
            fi
        :: true
        fi;
        if
        :: running ->
            aborts = true;
            stop_all(ABORT);
            !running
        :: else
        fi;
        d_step {
            assert(done == least(submit) && done == least(accepted));        /* nothing lost, nothing left, */
            assert(done >= before);          /* and all that came before it is done */
            i = done;
            do
            :: i > 0 ->
                assert(fate[i] != 0);
                assert(POLICY == DROP_OLDEST || POLICY == LATEST || aborts || fate[i] == COMPLETED);
                i--
            :: else -> break
            od;
            before = 0
        }
        runs++;
        if
        :: runs < RUNS ->
            stop_bits(0) = count(stop_bits(0));
#if SOURCES == 2
            stop_bits(1) = count(stop_bits(1));
#endif
            d_step { running = true; stopping = false };
            launch ! true
        :: else -> over = true
        fi
    :: else -> break
    od
}

ltl a_stop_ends_the_loop { [] (stopping -> <> !running) }
