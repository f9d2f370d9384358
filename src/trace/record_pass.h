/* record_pass.h: a pass over the native records of a trace: stream after stream, or those with times merged. */
#ifndef QUIPU_TRACE_RECORD_PASS_H
#define QUIPU_TRACE_RECORD_PASS_H

#include "trace/records.h"

/* Kinds of streams whose records have times, in the order in which they are merged. */
enum { QUIPU__MERGED_KINDS = 3 };

struct quipu__record_pass {
    struct quipu__trace *trace;
    const struct quipu__filter *everything;
    struct quipu__counts *counts;
    bool gives_spans;

    /* stream after stream */
    uint32_t stream;
    struct quipu__source source; /* the pass over it */
    struct quipu__span spans[QUIPU__SPANS];
    const struct quipu__span *span_list[QUIPU__SPANS];

    /* merged */
    bool merges;
    uint32_t kind;                                    /* of the streams that are merged now */
    struct quipu__filter limits[QUIPU__MERGED_KINDS]; /* what is wanted of each kind */
    struct quipu__records merged;
};

/* Begins again from the first stream, for what is not merged. Release first. */
void quipu__record_pass_init(struct quipu__record_pass *pass, struct quipu__trace *trace,
                             const struct quipu__filter *everything, struct quipu__counts *counts);

/* Records with times come merged, after all others; and those of a kind only from a time on and before another one. */
void quipu__record_pass_merge(struct quipu__record_pass *pass);
void quipu__record_pass_limit(struct quipu__record_pass *pass, enum quipu_stream_kind kind, int64_t from,
                              int64_t to);

/* The next record, or spans where they are wanted and possible, borrowed until the following call. */
enum quipu_status quipu__record_pass_next(struct quipu__record_pass *pass, struct quipu__record_or_spans *out,
                                          struct quipu_error *err);

/* Goes through the streams that hold no events, which a pass over events leaves out: QUIPU_END after the last. */
enum quipu_status quipu__record_pass_read_others(struct quipu__record_pass *pass, struct quipu_error *err);

/* Adds what open passes have read and not counted yet. */
void quipu__record_pass_add_counts(const struct quipu__record_pass *pass, struct quipu__counts *counts);

/* Closes what is open. */
void quipu__record_pass_release(struct quipu__record_pass *pass);

#endif
