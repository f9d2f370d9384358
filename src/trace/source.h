/* source.h: one sequence of events in time order: a substream of a stream, read batch by batch.
 *
 * A source opens its pass over the stream when it is first asked and closes it at the end, so a reader may have thousands
 * of them. What the format does not filter is filtered here.
 */
#ifndef QUIPU_TRACE_SOURCE_H
#define QUIPU_TRACE_SOURCE_H

#include "trace/within.h"

/* What has been read so far in the current pass over the trace. */
struct quipu__counts {
    uint64_t records, bytes, skipped; /* of open passes up to the last batch */
    uint64_t *records_of;             /* per type of the schema */
};

/* How much memory each of the sources that are open at a time may use. */
struct quipu__share {
    size_t window;     /* bytes of the input buffer */
    uint32_t capacity; /* events of a batch */
};

struct quipu__shared_pass;
struct quipu__source;
struct quipu__event_pass;
struct quipu_selection;

/* Other processes that read for this one (remote.h). */
struct quipu__remote {
    struct quipu_transport *transport;
    struct quipu__buffer selection, bytes; /* what the next pass selects; a message */
    struct quipu__source *sources;         /* of the pass */
    uint32_t source_count;
    bool must_repeat; /* events need new definitions: one process must read everything, and nothing goes on */

    /* Says what passes from now on select; gives the sources of a pass to the others; gives a source's next events, like quipu__source_fill; and tells the
     * others that this was all. */
    void (*select)(struct quipu__remote *remote, const struct quipu_selection *selection);
    enum quipu_status (*begin)(struct quipu__remote *remote, struct quipu__event_pass *pass,
                               struct quipu_error *err);
    enum quipu_status (*fill)(struct quipu__source *source, struct quipu__trace *trace,
                              struct quipu__batch *batch, struct quipu_error *err);
    void (*end)(struct quipu__remote *remote);

    /* Asks all others at once for something else; then the answer of each is to be received, in any case. It is borrowed until the next one. */
    enum quipu_status (*ask)(struct quipu__remote *remote, const struct quipu__buffer *question,
                             struct quipu_error *err);
    enum quipu_status (*receive)(struct quipu__remote *remote, uint32_t rank, struct quipu__slice *out,
                                 struct quipu_error *err);
};

struct quipu__source {
    uint32_t stream, substream;
    bool is_lost;                      /* the rest cannot be read */
    bool counts_bytes;                 /* no other source counts the same ones */
    struct quipu__pass *pass;          /* NULL before the first and after the last */
    struct quipu__shared_pass *shared; /* instead of its own pass; may be NULL */
    struct quipu__within *within;      /* NULL when no regions are selected */
    struct quipu__counts *counts;      /* where the pass is counted */
    struct {
        uint64_t records, bytes, skipped;
    } counted;                    /* of what the pass has read */
    struct quipu__batch *batch;   /* NULL outside merges before the first */
    uint32_t attribute;           /* its first attribute, or the first of a later event */
    struct quipu__remote *remote; /* reads it; NULL: this process does */
    struct quipu__buffer
        received; /* batches that have come from there; those from received_at up to received_end are still to be given */
    size_t received_at, received_end;
    uint32_t owner, number; /* the process that is asked, and how the source is called there */
    uint32_t owner_end;     /* the first source behind it that another process owns */
};

/* Kinds that use more columns than object; most events of most traces, enter and leave, do not. */
static inline quipu_kinds quipu__rich_kinds(void) {
    quipu_kinds rich = 0;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        for (size_t i = 0; i < info->field_count; i++)
            if (info->fields[i].column != QUIPU_COLUMN_object)
                rich |= QUIPU_KIND_BIT(kind);
    }
    return rich;
}

/* How many sources can be open at a time, each with the share of a single one; at least 1. */
size_t quipu__share_count(const struct quipu__memory *memory);

/* Divides what is left of the memory among count sources. */
struct quipu__share quipu__share_of(const struct quipu__memory *memory, size_t count);

/* The same for time windows, in which a source gives more events at a time. */
struct quipu__share quipu__share_of_windows(const struct quipu__memory *memory, size_t count);

/* Makes a failed read, described by err, a finding about the stream: QUIPU_END. */
enum quipu_status quipu__source_lose_rest(const struct quipu__trace *trace, uint32_t stream,
                                          struct quipu_error *err);

/* The status of a pass; a stream that becomes unreadable ends there. */
static inline enum quipu_status quipu__source_reconcile(const struct quipu__trace *trace, uint32_t stream,
                                                        enum quipu_status status, struct quipu_error *err) {
    return QUIPU__LIKELY(status != QUIPU_IO) ? status : quipu__source_lose_rest(trace, stream, err);
}

/* Opens the pass if it is not open: QUIPU_END when the stream cannot be read. filter may be NULL; counts are borrowed. */
enum quipu_status quipu__source_open(struct quipu__source *source, struct quipu__trace *trace,
                                     const struct quipu__filter *filter, const struct quipu__share *share,
                                     struct quipu__counts *counts, struct quipu_error *err);

/* Replaces the contents of batch by the next events that the filter passes; QUIPU_END after the last. */
enum quipu_status quipu__source_fill(struct quipu__source *source, struct quipu__trace *trace,
                                     const struct quipu__filter *filter, struct quipu__batch *batch,
                                     struct quipu_error *err);

/* Closes the pass when it is open, and adds what it has read to the counts. The batch is not touched. */
void quipu__source_close(struct quipu__source *source, struct quipu__trace *trace);

/* Adds to other counts what the open pass has read and not counted yet. */
void quipu__source_add_counts(const struct quipu__source *source, struct quipu__counts *counts);

#endif
