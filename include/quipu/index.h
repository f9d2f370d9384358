/* index.h: making the index of a trace, with which late time windows, profiles and timelines of huge traces take milliseconds.
 * Readers find and use it by themselves (reader.h). */
#ifndef QUIPU_INDEX_H
#define QUIPU_INDEX_H

#include <quipu/base.h>
#include <quipu/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quipu_index_options {
    int64_t interval; /* ticks between two checkpoints; 0: count says how many there are */
    uint64_t count;   /* number of checkpoints at equal distances */
    bool
        replace; /* replace even an index that fits the trace, or another file, but never a file of the trace */
    struct quipu_progress progress;
    struct quipu_guard *guard; /* what must not be replaced, except the index itself; may be NULL */
};
#define QUIPU_INDEX_OPTIONS_INIT                                                                               \
    { 0, 100, false, {NULL, NULL}, NULL }

struct quipu_index_result {
    uint64_t points; /* checkpoints of the index; the last is after all events */
    uint64_t bytes;  /* of the index */
};

/* Makes the index of a trace of any format: a file that says what came before at some points in time. Passes that begin
 * late, and analyses of everything, resume there instead of reading all. Readers that find it use it (struct
 * quipu_reader_options, quipu_reader_index_path). path NULL is where readers look for it.
 *
 * An index takes at most 64 KiB or 3 % of the trace's bytes, whichever is more, and at most a quarter of the memory
 * limit; it has fewer checkpoints than asked for if they would take more. Reads the trace four times: levels of detail take two of them. The reader must be new
 * or rewound, and must be rewound afterwards.
 *
 * A damaged or outdated index is replaced; QUIPU_EXISTS for one that fits and for any other file, unless options allow
 * replacing it. A trace with errors or data loss, or whose events are not in time order, is refused with QUIPU_CORRUPT:
 * an index would hide what is wrong. Where the reader is shared (transport.h), rank 0 writes the index, and others get QUIPU_END. QUIPU_UNSUPPORTED for what comes from a pipe, QUIPU_NOT_FOUND for a trace without
 * events. */
QUIPU_API enum quipu_status quipu_index_build(struct quipu_reader *reader, const char *path,
                                              const struct quipu_index_options *options,
                                              struct quipu_index_result *out, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
