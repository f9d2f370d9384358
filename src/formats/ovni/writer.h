/* writer.h: a trace being written: a folder with a folder for each stream. */
#ifndef QUIPU_OVNI_WRITER_H
#define QUIPU_OVNI_WRITER_H

#include "formats/ovni/repair.h"

/* A stream being written. */
struct quipu__ovni_out {
    struct quipu__file *file;
    bool is_big;
};

struct quipu__ovni_event_writer; /* from_model.c */

struct quipu__ovni_writer {
    struct quipu__output_trace *output;
    struct quipu__memory *memory;
    struct quipu__arena arena;
    struct quipu__buffer out; /* one record */
    bool keeps_layout;
    bool has_sidecars;

    /* Copying records. */
    const struct quipu__ovni_trace *source;
    const struct quipu__ovni_stream *stream; /* of the source */
    struct quipu__ovni_out current;
    struct quipu__ovni_repair *repair; /* NULL: records are copied as they are */

    struct quipu__ovni_event_writer *events; /* NULL until there are any */
    QUIPU__VEC(const char *) written;        /* paths */
};

static inline struct quipu__ovni_writer *quipu__ovni_writer_of(const struct quipu__output_trace *output) {
    return output->own;
}

enum quipu_status quipu__ovni_write_json(struct quipu__ovni_writer *writer, const char *relative,
                                         const json_t *json, struct quipu_error *err);

/* Begins the file of a stream with its header. */
enum quipu_status quipu__ovni_begin_out(struct quipu__ovni_writer *writer, const char *relative,
                                        bool has_header, bool is_big, struct quipu__ovni_out *out,
                                        struct quipu_error *err);

/* Writes an event: the payload of a normal one, or data. */
enum quipu_status quipu__ovni_put_event(struct quipu__ovni_writer *writer, const struct quipu__ovni_out *out,
                                        uint8_t flags, const char *code, uint64_t clock, const uint8_t *payload,
                                        uint32_t len, struct quipu_error *err);

extern const struct quipu__copying quipu__ovni_copying;
extern const struct quipu__writing quipu__ovni_writing;

/* Writing from events (from_model.c). */
extern const struct quipu__capabilities quipu__ovni_capabilities;
enum quipu_status quipu__ovni_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                        struct quipu_error *err);
enum quipu_status quipu__ovni_end_events(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__ovni_events_free(struct quipu__ovni_writer *writer);

#endif
