/* operations.h: operations on files from begin to end, and the files that handles stand for.
 *
 * Nearly always an end is that of the operation that began last at its location; of others the tracker knows the beginning.
 * Operations on handles find their file by the open that gave the handle. Events come in time order. */
#ifndef QUIPU_ANALYSIS_IO_OPERATIONS_H
#define QUIPU_ANALYSIS_IO_OPERATIONS_H

#include "state/events.h"

/* An operation that has beginning. */
struct quipu__io_operation {
    bool is_active;
    uint32_t use; /* the user's: where it is counted already, QUIPU_NONE at first */
    int64_t time;
    struct quipu__event_columns columns;
};

/* What is known of a location, to begin where it was. */
struct quipu__io_location {
    struct quipu__io_operation operation; /* the one that began last */
    uint32_t application;                 /* above it */
    uint32_t
        client; /* the location that stands for all of one number in an application: a client may leave and join again */
    uint64_t ends; /* of itself, so far */
};

struct quipu__io_operations {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__tracker tracker; /* operations that others have beginning after */
    struct quipu__io_location *locations;
    uint32_t location_count;
    struct quipu__map handle_files, client_locations;
};

void quipu__io_operations_init(struct quipu__io_operations *operations, struct quipu__memory *memory,
                               const struct quipu_definitions *definitions);
void quipu__io_operations_release(struct quipu__io_operations *operations);

/* Makes room for a location, before it is asked for. False when memory is out. */
QUIPU_CHECKED bool quipu__io_operations_reach_slow(struct quipu__io_operations *operations, uint32_t location);
QUIPU_CHECKED static inline bool quipu__io_operations_reach(struct quipu__io_operations *operations,
                                                            uint32_t location) {
    return QUIPU__LIKELY(location < operations->location_count) ||
           quipu__io_operations_reach_slow(operations, location);
}

/* The file of an event, which may name a handle only, of its location or of the application above it. */
uint32_t quipu__io_file_of(const struct quipu__io_operations *operations, uint32_t location, uint32_t file,
                           uint64_t handle);

/* A handle stands for a file from now on, or for none any more. False when memory is out. */
QUIPU_CHECKED bool quipu__io_handle_open(struct quipu__io_operations *operations, uint32_t location,
                                         uint32_t file, uint64_t handle);
void quipu__io_handle_close(struct quipu__io_operations *operations, uint32_t location, uint64_t handle);

/* Begins the operation of an io_begin, which becomes the latest one of its location. False when memory is out. */
QUIPU_CHECKED bool quipu__io_operation_begin(struct quipu__io_operations *operations,
                                             const struct quipu_batch *batch, uint32_t event);

/* Ends the operation that an io_end belongs to: gives it as it began, and all that beginning and end say together. False when there is
 * none. */
bool quipu__io_operation_end(struct quipu__io_operations *operations, const struct quipu_batch *batch,
                             uint32_t event, struct quipu__io_operation *beginning,
                             struct quipu__event_columns *columns);

/* Tells of each operation that nothing has ended. */
void quipu__io_operations_each_active(const struct quipu__io_operations *operations,
                                      void (*tell)(void *context, uint32_t location, int64_t begin,
                                                   const struct quipu__event_columns *columns),
                                      void *context);

#endif
