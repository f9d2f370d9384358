/* writer.h: a CHARISMA file that is being written, from records of one or from events of any trace. */
#ifndef QUIPU_CHARISMA_WRITER_H
#define QUIPU_CHARISMA_WRITER_H

#include "core/output.h"
#include "formats/charisma/format.h"

/* What becomes of COMP_RW records, and of requests that could be such. */
enum quipu__charisma_compression {
    QUIPU__CHARISMA_AS_READ,    /* word for word */
    QUIPU__CHARISMA_REPAIRED,   /* word for word where their words mean the same in the output, else in full */
    QUIPU__CHARISMA_LIKE_INPUT, /* those that were compressed are compressed again: of another machine */
    QUIPU__CHARISMA_COMPRESSED, /* wherever that can be done */
    QUIPU__CHARISMA_UNCOMPRESSED
};

struct quipu__charisma_events; /* from_model.c */

struct quipu__charisma_writer {
    struct quipu__output_trace *output;
    struct quipu__memory *memory;
    struct quipu__file *file;
    struct quipu__charisma_machine_codec codec;
    const struct quipu__charisma_profile *source; /* of the records; NULL: the same */
    enum quipu__charisma_compression compression;
    bool has_head, copies_records;
    double source_unit;                       /* seconds per tick of the records' stamps */
    struct quipu__buffer out;                 /* waits to be written */
    struct quipu__charisma_tracking tracking; /* what compressed requests remember */
    uint64_t narrowed;                        /* values that the machine cannot hold */
    struct quipu__charisma_events *events;
};

static inline struct quipu__charisma_writer *quipu__charisma_writer_of(
    const struct quipu__output_trace *output) {
    return output->own;
}

/* Magic number and version; a file without records has them too. */
void quipu__charisma_put_head(struct quipu__charisma_writer *writer);

/* Writes what waits when that is more than most bytes. */
enum quipu_status quipu__charisma_flush(struct quipu__charisma_writer *writer, size_t most,
                                        struct quipu_error *err);

/* Appends a record of the writer's own machine, compressed or not as the options say. */
enum quipu_status quipu__charisma_put(struct quipu__charisma_writer *writer, uint32_t type,
                                      const union quipu__charisma_any *data, struct quipu_error *err);

/* Makes a record of another machine one of the writer's own (translate.c). texts hold names that are cut. Fields that change are noted. */
struct quipu__charisma_texts {
    struct {
        struct quipu_sized head;
        char text[4096];
    } items[2];
};
void quipu__charisma_translate(struct quipu__charisma_writer *writer, uint32_t type,
                               union quipu__charisma_any *data, struct quipu__charisma_texts *texts);

enum quipu_status quipu__charisma_create(struct quipu__output_trace *output, struct quipu_error *err);
enum quipu_status quipu__charisma_begin_stream(struct quipu__output_trace *output,
                                               const struct quipu_stream *stream, struct quipu_error *err);
enum quipu_status quipu__charisma_put_record(struct quipu__output_trace *output,
                                             const struct quipu_record *record, struct quipu_error *err);
enum quipu_status quipu__charisma_finish(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__charisma_abandon(struct quipu__output_trace *output);

/* Writing from events. */
enum quipu_status quipu__charisma_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                            struct quipu_error *err);
enum quipu_status quipu__charisma_end_events(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__charisma_events_free(struct quipu__charisma_writer *writer);
extern const struct quipu__capabilities quipu__charisma_capabilities;

#endif
