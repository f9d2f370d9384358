/* writer.h: what the files that write share: a trace under way, and records as text. */
#ifndef QUIPU_PICL_WRITER_H
#define QUIPU_PICL_WRITER_H

#include "formats/picl/format.h"

/* How records of the old format are written. */
enum quipu__picl_spelled {
    QUIPU__PICL_AS_READ,
    QUIPU__PICL_TO_NEW,
    QUIPU__PICL_TO_COMPRESSED,
    QUIPU__PICL_TO_VERBOSE
};

/* Names of the writer's options. */
#define QUIPU__PICL_OPTION_DECIMALS "decimals"
#define QUIPU__PICL_OPTION_CANONICAL "canonical"
#define QUIPU__PICL_OPTION_SPELLING "spelling"

struct quipu__picl_from_model;
struct quipu__picl_repair;

struct quipu__picl_output {
    struct quipu__output_trace *output;
    struct quipu__file *file;
    struct quipu__buffer text; /* records that are not written yet */
    enum quipu__picl_spelled spelled;
    bool is_canonical;                  /* records are written in canonical spelling */
    uint32_t decimals;                  /* of timestamps, at least */
    bool has_decimals;                  /* the user says how many */
    struct quipu__picl_scope scope;     /* descriptors that were defined so far */
    uint64_t byte;                      /* a number for each record, as the scope has them */
    struct quipu__picl_decoder decoder; /* its compiled control strings */
    struct quipu__map starts;           /* old format: node -> index of starts_us */
    QUIPU__VEC(int64_t) starts_us;      /* when tracing began there */
    struct quipu__picl_from_model *from_model;
    struct quipu__picl_repair *repair;
};

/* Carriage returns right before the end of a line belong to it; a character of data is told apart by a blank. */
static inline void quipu__picl_end_line(struct quipu__buffer *text) {
    if (text->len > 0 && text->data[text->len - 1] == '\r')
        quipu__put_u8(text, ' ');
    quipu__put_u8(text, '\n');
}

/* encode.c: a record as text with a newline, with the values as they are spelled unless all is to be canonical. Timestamps of records without
 * a text have so many decimals. */
void quipu__picl_encode(struct quipu__picl_output *out, const struct quipu__picl_new *record);

/* The same from a decoded record, or one that from_model.c made. */
void quipu__picl_encode_record(struct quipu__picl_output *out, const struct quipu__picl_record *record);

void quipu__picl_encode_old(struct quipu__picl_output *out, const struct quipu__picl_old *record,
                            bool is_verbose);

/* writer.c */
extern const struct quipu__copying quipu__picl_copying;
extern const struct quipu__writing quipu__picl_writing;

/* Hands text on to the file when there is much of it, or all when at_end. */
enum quipu_status quipu__picl_flush(struct quipu__picl_output *out, bool at_end, struct quipu_error *err);

/* from_model.c */
extern const struct quipu__capabilities quipu__picl_capabilities;
enum quipu_status quipu__picl_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                        struct quipu_error *err);
enum quipu_status quipu__picl_end_events(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__picl_free_from_model(struct quipu__picl_output *out);

#endif
