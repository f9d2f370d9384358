/* files.h: the streams that a path stands for, in all layouts. In any layout, a stream has metadata of version 3: those of older traces are
 * converted. */
#ifndef QUIPU_OVNI_FILES_H
#define QUIPU_OVNI_FILES_H

#include "core/memory/vec.h"
#include "formats/ovni/json.h"
#include "formats/ovni/models.h"
#include "formats/ovni/walk.h"

/* The layout of a trace on disk (README.md). */
enum quipu__ovni_layout {
    QUIPU__OVNI_LAYOUT_RAW = 0, /* streams without header */
    QUIPU__OVNI_LAYOUT_1 = 1,
    QUIPU__OVNI_LAYOUT_2 = 2,
    QUIPU__OVNI_LAYOUT_3 = 3
};

struct quipu__ovni_stream {
    const char *name; /* folder of the stream in layout 3, from the trace's folder: loom.L/proc.P/thread.T */
    const char *path; /* of the events */
    const char *relative; /* the same from the trace's folder */
    const char *metadata_path;
    uint64_t bytes;   /* of the events */
    json_t *metadata; /* of version 3; NULL: cannot be read */
    uint8_t layout;
    bool has_header;
    bool has_old_models;  /* T and M are the models that had these letters before 1.1.0 */
    bool uses_old_models; /* and the stream has events of them */
    bool is_missing;      /* there is no file of events */
};

/* A file of metadata, unchanged. */
struct quipu__ovni_sidecar {
    const char *path, *relative;
    json_t *json;
};

struct quipu__ovni_files {
    struct quipu__memory *memory;
    struct quipu__files *pool;
    struct quipu_findings *findings;
    struct quipu__arena arena;
    struct quipu__charge charge;                   /* for the metadata */
    const char *root;                              /* folder of the trace */
    QUIPU__VEC(struct quipu__ovni_stream) streams; /* by name */
    QUIPU__VEC(struct quipu__ovni_sidecar) sidecars;
    struct quipu__fence fence;
    const char *offsets;          /* path of the table of clock offsets; NULL: none */
    const char *offsets_position; /* where that table is expected */
    uint8_t layout;
    bool leads_outside; /* a link leads to a folder outside the trace, which was not searched */
};

/* Finds the streams of a folder, or the one of a file. Finding no streams is not a failure. */
enum quipu_status quipu__ovni_files_open(struct quipu__ovni_files *list, struct quipu__memory *memory,
                                         struct quipu__files *pool, struct quipu_findings *findings,
                                         const char *path, struct quipu_error *err);

/* The same for a folder whose links must not lead out of it. The list must not move while the pool is used. */
enum quipu_status quipu__ovni_files_open_folder(struct quipu__ovni_files *list, struct quipu__memory *memory,
                                                struct quipu__files *pool, struct quipu_findings *findings,
                                                const char *path, struct quipu_error *err);
void quipu__ovni_files_close(struct quipu__ovni_files *list);

/* Converts metadata of an older stream to version 3 (upgrade.c). process and thread may be NULL. NULL when memory is out. */
json_t *quipu__ovni_upgrade(const json_t *process, const json_t *thread, const char *loom, int64_t pid,
                            int64_t tid);

/* Puts the models whose characters occur in a stream into its metadata as required ones. */
enum quipu_status quipu__ovni_require_found(struct quipu__ovni_files *list, struct quipu__ovni_stream *stream,
                                            struct quipu_error *err);

#endif
