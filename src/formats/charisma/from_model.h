/* from_model.h: events on their way into a CHARISMA file, for the files that translate them.
 *
 *     from_model.c → (descriptors.c) → record_queue.c → items.c → records
 *
 * An item is a record that waits in a queue until no request in front of it is without its end. */
#ifndef QUIPU_CHARISMA_FROM_MODEL_H
#define QUIPU_CHARISMA_FROM_MODEL_H

#include "formats/charisma/writer.h"

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
/* The type of an item that becomes no record: it keeps the place for an open, or is no transfer after all. */
#define QUIPU__CHARISMA_NO_RECORD UINT8_MAX

/* A record that waits. What the members mean depends on the type. */
struct quipu__charisma_item {
    uint8_t type; /* enum quipu__charisma_type */
    uint8_t flags;
    bool waits, is_asynchronous;
    bool has_direction, has_offset, has_size; /* of a request: known so far */
    uint32_t location, file;
    uint32_t request; /* in flight, or QUIPU_NONE */
    int64_t time, end, descriptor, async_id;
    int64_t first, second; /* offset and size, sizes, count, request and argument */
    int64_t memory_offset;
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

struct quipu__charisma_events {
    struct quipu__charisma_writer *writer;
    struct quipu__charisma_output_location *locations;
    uint32_t location_count;
    bool has_started, loads_all; /* the application that stands for all */
    bool uses_native_files;
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
    bool is_in_ns; /* the input's clock ticks are of a length that readers do not believe */
    struct quipu__map in_flight_numbers;
    QUIPU__VEC(struct quipu__charisma_output_request) in_flight;
    QUIPU__VEC(uint32_t) free_in_flight;
};

/* The application that stands for all. */
#define QUIPU__CHARISMA_ONLY_APPLICATION 1

/* Descriptors that are given to files. */
#define QUIPU__CHARISMA_FIRST_DESCRIPTOR 3
#define QUIPU__CHARISMA_DESCRIPTORS_MOST 32767

static inline const struct quipu_definitions *quipu__charisma_definitions_of(
    const struct quipu__charisma_events *events) {
    return events->writer->output->definitions;
}
/* ---- items.c: records out of items ---- */

enum quipu_status quipu__charisma_put_header(struct quipu__charisma_events *events, int64_t first_time,
                                             struct quipu_error *err);
enum quipu_status quipu__charisma_put_item(struct quipu__charisma_events *events,
                                           const struct quipu__charisma_item *item, struct quipu_error *err);

/* ---- record_queue.c ---- */

/* The new last item; NULL when memory is out. Borrowed until the next one. */
struct quipu__charisma_item *quipu__charisma_add_item(struct quipu__charisma_events *events, uint32_t type,
                                                      uint32_t location, int64_t time);

/* Moves the last item in front of those that are later. */
void quipu__charisma_sort_last(struct quipu__charisma_events *events);

/* Writes what waits for nothing, or all. */
enum quipu_status quipu__charisma_put_queue(struct quipu__charisma_events *events, bool all,
                                            struct quipu_error *err);

/* ---- descriptors.c ---- */

/* A key of maps by a location and a number that is a file's or another one. */
uint64_t quipu__charisma_key_of(const struct quipu__map *map, uint32_t location, bool is_file, uint64_t number);

/* The descriptor that a handle, or else a file, has at a location; -1 when it is not open. */
int64_t quipu__charisma_descriptor_at(const struct quipu__charisma_events *events, uint32_t location,
                                      uint64_t handle, uint32_t file);

/* The same, or that of the location's application. */
int64_t quipu__charisma_descriptor_of(const struct quipu__charisma_events *events, uint32_t location,
                                      uint64_t handle, uint32_t file);

/* Opens a file; handles that are no descriptors get one. NULL when memory is out. */
struct quipu__charisma_item *quipu__charisma_open_file(struct quipu__charisma_events *events, uint32_t location,
                                                       int64_t time, uint64_t handle, uint32_t file);

/* Makes an item the open of a file at its location. False when memory is out. */
QUIPU_CHECKED bool quipu__charisma_set_open(struct quipu__charisma_events *events,
                                            struct quipu__charisma_item *item, uint64_t handle, uint32_t file);

/* A request without an offset begins where the one before it on its descriptor has ended, at 0 behind an open. Items come in the
 * order of records. False when memory is out. */
QUIPU_CHECKED bool quipu__charisma_set_offset(struct quipu__charisma_events *events,
                                              struct quipu__charisma_item *item);

#endif
