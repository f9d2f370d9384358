/* records.h: the native records of all streams of one kind as one sequence in the order (time, stream, position), one by
 * one or, for copying, in spans that need not be decoded.
 *
 * Each stream has its own pass, whose scratch memory holds the record that it will give next. The time is the field of
 * role TIME in the fields that all records of the format have. Records without a valid time stay after the previous one
 * in their stream, and a stream whose times go back keeps its own order.
 */
#ifndef QUIPU_TRACE_RECORDS_H
#define QUIPU_TRACE_RECORDS_H

#include "core/memory/sequences.h"
#include "core/memory/tournament.h"
#include "trace/source.h"

enum { QUIPU__SPANS = 256, QUIPU__SPANS_MERGED = 1024 }; /* spans that are given at a time */

/* What comes next: spans if there are any, else a record. */
struct quipu__record_or_spans {
    struct quipu_record *record; /* the caller's, filled in: records are not copied on their way */
    const struct quipu__span *const *spans;
    uint32_t span_count; /* 0: the record */
    uint32_t stream;     /* of the record or the first span */
};

/* The spans that a source gives next; if there are none it gives a record. */
struct quipu__lookahead {
    const struct quipu__span *next, *end;
    int64_t
        time_after; /* of the span after the next: known before a merge of many sources must wait for memory */
    struct quipu__span *room; /* NULL when only records are wanted */
};

struct quipu__records {
    struct quipu__trace *trace;
    const struct quipu__filter *filter;
    struct quipu__counts *counts;
    const struct quipu_field *time; /* of the common struct, NULL when there is none: stream after stream */
    struct quipu__source *sources;
    struct quipu__lookahead *lookahead; /* of each source */
    struct quipu_record *heads;         /* of each source: the record that it gives next */
    uint32_t count;
    struct quipu__tournament tournament;
    unsigned soon;             /* from a leaf of the tournament up to sources that come soon; 0: they are few */
    bool is_borrowed;          /* everything read ahead of the first source has been given */
    struct quipu__span *spans; /* of all sources, NULL when only records are wanted */
    uint32_t span_capacity;    /* per source */
    struct quipu__sequences sequences; /* spans of few sources are merged as such */
    const struct quipu__span *merged[QUIPU__SPANS_MERGED];
};

/* Starts over all streams of a kind, with spans or only records. Release in any case. */
enum quipu_status quipu__records_start(struct quipu__records *records, struct quipu__trace *trace,
                                       const struct quipu__filter *filter, enum quipu_stream_kind kind,
                                       bool with_spans, struct quipu__counts *counts, struct quipu_error *err);

/* The next record or spans, valid until the following call; QUIPU_END after the last. */
enum quipu_status quipu__records_next(struct quipu__records *records, struct quipu__record_or_spans *out,
                                      struct quipu_error *err);

/* Closes the passes and frees the rest; leaves a zeroed struct. */
void quipu__records_release(struct quipu__records *records);

/* The field with a role among those that all records have, NULL when there is none. */
const struct quipu_field *quipu__common_field(const struct quipu_schema *schema, enum quipu_role role);

#endif
