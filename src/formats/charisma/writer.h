/* writer.h: a CHARISMA file that is being written, from records of one or from events of any trace. */
#ifndef QUIPU_CHARISMA_WRITER_H
#define QUIPU_CHARISMA_WRITER_H

#include "core/files/output.h"
#include "formats/charisma/format.h"

/* What becomes of COMP_RW records, and of requests that could be such. */
enum quipu__charisma_compression {
    QUIPU__CHARISMA_AS_READ,    /* word for word */
    QUIPU__CHARISMA_REPAIRED,   /* word for word where their words mean the same in the output, else in full */
    QUIPU__CHARISMA_LIKE_INPUT, /* those that were compressed are compressed again: of another machine */
    QUIPU__CHARISMA_COMPRESSED, /* wherever that can be done */
    QUIPU__CHARISMA_UNCOMPRESSED
};

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
    struct quipu__charisma_events *events;    /* NULL: records are copied, so far */
};

static inline struct quipu__charisma_writer *quipu__charisma_writer_of(
    const struct quipu__output_trace *output) {
    return output->own;
}

/* Appends a record of the writer's own machine, compressed or not as the options say. */
enum quipu_status quipu__charisma_put(struct quipu__charisma_writer *writer, uint32_t type,
                                      const union quipu__charisma_any *data, struct quipu_error *err);

extern const struct quipu__copying quipu__charisma_copying;
extern const struct quipu__writing quipu__charisma_writing;

/* Writing from events. */
enum quipu_status quipu__charisma_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                            struct quipu_error *err);
enum quipu_status quipu__charisma_end_events(struct quipu__output_trace *output, struct quipu_error *err);
void quipu__charisma_events_free(struct quipu__charisma_writer *writer);
extern const struct quipu__capabilities quipu__charisma_capabilities;

/* ---- From events (from_model.c) ---- */

/* The type of what becomes no record: it keeps the place for an open, or is no transfer after all. */
#define QUIPU__CHARISMA_NO_RECORD UINT8_MAX

/* A record that waits in the queue until no request in front of it is without its end. */
struct quipu__charisma_item {
    uint8_t type; /* enum quipu__charisma_type */
    bool waits;
    bool has_direction, has_offset, has_size; /* of a request: known so far */
    uint32_t location, file;
    uint32_t request; /* in flight, or QUIPU_NONE */
    int64_t time;
    struct quipu__charisma_request transfer; /* the one of a request */
    union quipu__charisma_any record;        /* texts and lists are added when it is written */
};

/* A request whose end is to come. */
struct quipu__charisma_output_request {
    uint64_t item; /* number of its item, counted from the first one ever */
    int64_t async_id;
    bool is_asynchronous;
    bool is_written; /* its item has left the queue */
};

struct quipu__charisma_output_location {
    int64_t id;           /* of the client or application */
    uint32_t application; /* location of it, or QUIPU_NONE: the one that stands for all */
    bool is_application, has_started;
};

/* Attributes that CHARISMA's own events have; other formats' events lack them. */
enum quipu__charisma_attribute {
    QUIPU__CHARISMA_ATTRIBUTE_MEMORY_OFFSET,
    QUIPU__CHARISMA_ATTRIBUTE_RETURNED,
    QUIPU__CHARISMA_ATTRIBUTE_ASYNC_ID,
    QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME,
    QUIPU__CHARISMA_ATTRIBUTE_FILE_SIZE,
    QUIPU__CHARISMA_ATTRIBUTE_CREATION_DATE,
    QUIPU__CHARISMA_ATTRIBUTE_USER_ID,
    QUIPU__CHARISMA_ATTRIBUTE_LOAD_SIZE,
    QUIPU__CHARISMA_ATTRIBUTES
};

struct quipu__charisma_events {
    struct quipu__charisma_writer *writer;
    const struct quipu_definitions *definitions;
    struct quipu__charisma_output_location *locations;
    uint32_t location_count;
    bool has_started, loads_all; /* the application that stands for all */
    bool uses_native_files;
    bool is_in_ns; /* the input's clock ticks are of a length that readers do not believe */
    uint32_t keys[QUIPU__CHARISMA_ATTRIBUTES]; /* attribute keys, QUIPU_NONE where there are none */
    int64_t shift, latest;                     /* ticks */
    double unit;                               /* seconds per tick of the stamps */
    QUIPU__VEC(struct quipu__charisma_item) queue;
    uint64_t queue_first;          /* number of the first item in it */
    size_t queue_at;               /* those before are written */
    struct quipu__map descriptors; /* by location and handle, by location and file: plus 1 */
    int64_t next_descriptor, next_async;
    struct quipu__map position_numbers; /* by location and descriptor */
    QUIPU__VEC(int64_t) positions;      /* where requests without an offset go on */
    struct quipu__map in_flight_numbers;
    QUIPU__VEC(struct quipu__charisma_output_request) in_flight;
    QUIPU__VEC(uint32_t) free_in_flight;
};

#endif
