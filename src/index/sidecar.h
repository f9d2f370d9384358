/* sidecar.h: where a reader looks for the index of its trace, and when: at the first time that it could use it. */
#ifndef QUIPU_INDEX_SIDECAR_H
#define QUIPU_INDEX_SIDECAR_H

#include "index/index.h"

struct quipu__sidecar {
    struct quipu__arena *arena;
    const char *path; /* "" when a trace can have none, as that of a pipe */
    const char
        *folder_path; /* beside the folder that the trace lies in, by which it may be opened too; may be NULL */
    bool is_wanted, is_named; /* by the reader's options */
    bool is_sought, is_there;
    bool is_loaded;                  /* before the trace was open; its tables have not been read yet */
    enum quipu__index_answer answer; /* when it is sought */
    struct quipu__index index;
};

/* named is NULL for the file beside the trace, "" for none. False when memory is out. */
QUIPU_CHECKED bool quipu__sidecar_init(struct quipu__sidecar *sidecar, struct quipu__arena *arena,
                                       const char *trace_path, const char *named);
void quipu__sidecar_release(struct quipu__sidecar *sidecar);

/* The survey of an index that fits the files of a trace which is being opened; out->at is NULL when there is none. Nothing is a finding
 * yet. The bytes are borrowed from the index or from room. */
enum quipu_status quipu__sidecar_survey(struct quipu__sidecar *sidecar, const struct quipu__trace *trace,
                                        struct quipu__buffer *room, struct quipu__slice *out,
                                        struct quipu_error *err);

/* The index, or NULL. One that cannot be used is a finding, now and in the passes to come. */
const struct quipu__index *quipu__sidecar_index(struct quipu__sidecar *sidecar,
                                                const struct quipu__trace *trace,
                                                struct quipu_findings *opening_findings);

/* Does not use it any more. */
void quipu__sidecar_refuse(struct quipu__sidecar *sidecar, struct quipu__trace *trace,
                           struct quipu_findings *opening_findings, const char *why);

#endif
