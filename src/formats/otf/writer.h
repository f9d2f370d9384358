/* writer.h: shared by both halves of writing: the output files. */
#ifndef QUIPU_OTF_WRITER_H
#define QUIPU_OTF_WRITER_H

#include "model/define.h"
#include "formats/otf/records.h"
#include "core/memory/vec.h"
#include "core/memory/buffer.h"
#include "formats/otf/format.h"

/* ---- Streams of processes ---- */

/* Which output stream a process goes to when records are copied to another number of streams. As in otfmerge, the
 * processes, in the order of the input's master control file, are distributed in consecutive blocks over the streams 1 to
 * n; the first blocks have one process more if they do not divide evenly. */

struct quipu__otf_assignment {
    struct quipu__memory *memory;
    QUIPU__VEC(uint64_t) mapping; /* stream above, process below: first of the input, then of the output */
    struct quipu__tokens streams; /* process -> output stream */
    uint32_t stream_count;        /* 0 before the processes are distributed */
};

void quipu__otf_assignment_init(struct quipu__otf_assignment *assignment, struct quipu__memory *memory);
void quipu__otf_assignment_release(struct quipu__otf_assignment *assignment);

/* Adds a line of the input's master control file; false when memory is out. */
QUIPU_CHECKED bool quipu__otf_assignment_add(struct quipu__otf_assignment *assignment,
                                             const struct quipu__otf_MasterStream *line);

/* Distributes the processes over that many streams at most. Without a master control file they are those of the
 * definitions, which may be NULL. False when memory is out. */
QUIPU_CHECKED bool quipu__otf_distribute(struct quipu__otf_assignment *assignment, uint32_t streams,
                                         const struct quipu_definitions *definitions);

/* The output stream of a process. A process that the master control file does not name goes to the last stream, and into
 * the new master control file. 0 when memory is out. */
uint32_t quipu__otf_assign_unknown(struct quipu__otf_assignment *assignment, uint32_t process);
static inline uint32_t quipu__otf_assigned_stream(struct quipu__otf_assignment *assignment, uint32_t process) {
    const uint32_t known = quipu__tokens_get(&assignment->streams, process);
    return QUIPU__LIKELY(known != QUIPU_NONE) ? known : quipu__otf_assign_unknown(assignment, process);
}

/* Sorts a mapping: pairs of stream (upper half) and process. */
void quipu__otf_sort_mapping(uint64_t *mapping, size_t count);

/* Writes a mapping, streams ascending, as the lines of a master control file. */
void quipu__otf_put_mapping(struct quipu__buffer *out, const uint64_t *mapping, size_t count);

/* One file of the trace that is being written. */
struct quipu__otf_output {
    enum quipu__otf_file file;
    uint32_t id;
    struct quipu__file *sink;
    struct quipu__keyed_state clock;
    bool has_state; /* state lines were written, even of process ffffffff, which the clock does not show */
};

struct quipu__otf_model_writer; /* from_model.c */
struct quipu__otf_repairing;    /* repair.c */

#define QUIPU__OTF_OPTION_LONG "long" /* name of the option */

struct quipu__otf_writer {
    struct quipu__output_trace *writing;
    bool is_long; /* writes the long form */
    const char *stub;
    struct quipu__arena arena;
    QUIPU__VEC(struct quipu__otf_output) outputs;
    struct quipu__map numbers; /* kind of file and stream -> number of the output */
    uint32_t current;          /* the output that text is for, QUIPU_NONE for none */
    struct quipu__buffer text; /* encoded and not yet written to the current output */
    struct quipu__buffer master;
    struct quipu__file *master_file;
    enum quipu__otf_file file;               /* input file of the records being put */
    struct quipu__otf_assignment assignment; /* processes and streams of the input's master control file */
    uint64_t first;                          /* time of the first copied record */
    struct quipu__otf_model_writer *model;   /* NULL until events are put */
    struct quipu__otf_repairing *repairing;  /* NULL unless a damaged trace is repaired */
};

/* Bytes of text that are collected before they are written to the file. */
#define QUIPU__OTF_TEXT_BYTES ((size_t)64 << 10)

/* output_files.c: whether a file has been made. */
static inline bool quipu__otf_has_output(const struct quipu__otf_writer *writer, enum quipu__otf_file file,
                                         uint32_t id) {
    return quipu__map_get(&writer->numbers, (uint64_t)file << 32 | id) != QUIPU_NONE;
}

/* Makes this file the current one, creating it when it is new. */
enum quipu_status quipu__otf_use_output(struct quipu__otf_writer *writer, enum quipu__otf_file file,
                                        uint32_t id, struct quipu_error *err);

static inline struct quipu__otf_output *quipu__otf_current(struct quipu__otf_writer *writer) {
    return &writer->outputs.items[writer->current];
}

/* Writes the text to the current output, when there is much of it or always. */
enum quipu_status quipu__otf_flush(struct quipu__otf_writer *writer, bool always, struct quipu_error *err);

/* from_model.c: what finish adds to a trace made from events, and freeing. */
enum quipu_status quipu__otf_finish_model(struct quipu__otf_writer *writer, struct quipu_error *err);
void quipu__otf_free_model(struct quipu__otf_writer *writer);

#endif
