/* writer.h: what the two halves of writing share: the output files. */
#ifndef QUIPU_OTF_WRITER_H
#define QUIPU_OTF_WRITER_H

#include "formats/otf/stream_assignment.h"
#include "formats/otf/format.h"

/* One file of the trace that is being written. */
struct quipu__otf_output {
    enum quipu__otf_file file;
    uint32_t id;
    struct quipu__file *sink;
    struct quipu__keyed_state clock;
    bool has_state; /* state lines were written, of process ffffffff too, which the clock does not tell */
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
    struct quipu__buffer text; /* encoded and not yet handed to the current output */
    struct quipu__buffer master;
    struct quipu__file *master_file;
    enum quipu__otf_file file;               /* of the input: what the records put now come from */
    struct quipu__otf_assignment assignment; /* processes and streams of the input's master control file */
    uint64_t first;                          /* time of the first copied record */
    struct quipu__otf_model_writer *model;   /* NULL until events are put */
    struct quipu__otf_repairing *repairing;  /* NULL unless a damaged trace is repaired */
};

/* So much text is collected before it is handed to its file. */
#define QUIPU__OTF_TEXT_BYTES ((size_t)64 << 10)

/* output_files.c: whether a file has been made. */
bool quipu__otf_has_output(const struct quipu__otf_writer *writer, enum quipu__otf_file file, uint32_t id);

/* Makes this file the one that text is for, creating it when it is new. */
enum quipu_status quipu__otf_use_output(struct quipu__otf_writer *writer, enum quipu__otf_file file,
                                        uint32_t id, struct quipu_error *err);

static inline struct quipu__otf_output *quipu__otf_current(struct quipu__otf_writer *writer) {
    return &writer->outputs.items[writer->current];
}

/* Hands the text to the current output when there is much of it, or always. */
enum quipu_status quipu__otf_flush(struct quipu__otf_writer *writer, bool always, struct quipu_error *err);

/* from_model.c: what finish adds to a trace made of events, and freeing. */
enum quipu_status quipu__otf_finish_model(struct quipu__otf_writer *writer, struct quipu_error *err);
void quipu__otf_free_model(struct quipu__otf_writer *writer);

#endif
