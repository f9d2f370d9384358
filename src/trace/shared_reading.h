/* shared_reading.h: a pass over streams of which several processes read a share each, and what rank 0 does while others read for it (remote.h).
 *
 * What a process hands on: how it sees the trace, which must be as all others see it; whether one process must read everything; and
 * unless it must, what was found in streams with events and in others, the counts, and what its user knows. Findings of other streams come after
 * those of all streams with events, as in one process.
 */
#ifndef QUIPU_TRACE_SHARED_READING_H
#define QUIPU_TRACE_SHARED_READING_H

#include "core/text/findings.h"
#include "trace/reader.h"
#include "trace/remote.h"

/* Whoever reads. must_repeat, once set, says that one process must read everything: then nothing else matters. */
struct quipu__shared_reader {
    void *context;
    const struct quipu__known_rules *rules; /* those that it checks, beside those of the format; NULL: none */
    enum quipu_status (*read)(void *context, const struct quipu__stream_range *range, bool *must_repeat,
                              struct quipu_error *err); /* the share of this process */
    enum quipu_status (*save)(void *context, struct quipu__buffer *out,
                              struct quipu_error *err); /* what it knows, as bytes */
    enum quipu_status (*add)(void *context, struct quipu__slice *from, bool *must_repeat,
                             struct quipu_error *err); /* what others know, in the order of streams */
    bool
        writes; /* each process has an output: QUIPU_OK means in every process that all have read their shares, else it is QUIPU_END there */
};

/* Reads the share of this process. QUIPU_OK: it knows what all know, unless must_repeat is set, and its reader has what was found; QUIPU_END: another
 * process has that. Processes do this, or the one below, once. */
enum quipu_status quipu__read_shared(struct quipu_reader *reader, const struct quipu__shared_reader *shared,
                                     bool *must_repeat, struct quipu_error *err);

/* After reading with outputs, and QUIPU_OK: gives the output of this process its name; that of rank 0 when all others have theirs, whose first failure is
 * else that of rank 0. */
enum quipu_status quipu__name_shared(struct quipu_reader *reader,
                                     enum quipu_status (*name)(void *context, struct quipu_error *err),
                                     void *context, struct quipu_error *err);

/* What needs all events in one process, and what others do besides reading for it; work NULL: nothing. Where definitions turn out to be missing,
 * lead_again is called, in a process that reads everything itself. */
struct quipu__leading {
    void *context;
    enum quipu_status (*lead)(void *context, struct quipu_error *err);
    enum quipu_status (*lead_again)(void *context, struct quipu_error *err);
    const struct quipu__remote_work *work;
};

/* Leads in rank 0, for which the others read meanwhile: in these it is QUIPU_END. A process that is the only one reads by itself. */
enum quipu_status quipu__lead(struct quipu_reader *reader, const struct quipu__leading *leading,
                              struct quipu_error *err);

#endif
