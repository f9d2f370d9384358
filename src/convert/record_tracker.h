/* record_tracker.h: what is active at each location of a trace, according to its records from the beginning or from a snapshot
 * on: calls, messages, files, collective operations and operations on files, and values of counters and counts. Memory is
 * needed for what is active at the same time. */
#ifndef QUIPU_CONVERT_RECORD_TRACKER_H
#define QUIPU_CONVERT_RECORD_TRACKER_H

#include "formats/descriptor.h"
#include "schema/schema.h"
#include "state/tracker.h"

/* A location with records or messages. */
struct quipu__record_location {
    uint64_t location; /* number in the format */
    uint32_t stream;   /* of its last record, QUIPU_NONE when there was none */
    uint32_t state;    /* its number in the tracker */
};
typedef QUIPU__VEC(struct quipu__record_location) quipu__record_locations;

struct quipu__record_tracker {
    struct quipu__memory *memory;
    const struct quipu__format *format;
    const struct quipu_field *time, *location; /* among the fields that all records have */
    uint32_t interval_classes;                 /* tracked classes */
    struct quipu__tracker
        tracker; /* intervals have the structs of records as payload; times are those of the format */
    struct quipu__map states;          /* location -> state */
    quipu__record_locations locations; /* by their states */
    quipu__record_locations sorted;
    struct quipu__scratch scratch; /* texts of records that are built */
};

void quipu__record_tracker_init(struct quipu__record_tracker *records, struct quipu__memory *memory,
                                const struct quipu__format *format, uint32_t interval_classes);
void quipu__record_tracker_release(struct quipu__record_tracker *records);

/* As after init. */
void quipu__record_tracker_clear(struct quipu__record_tracker *records);

/* Time and location of a record; false when it has none. */
bool quipu__record_where(const struct quipu__record_tracker *records, const struct quipu_record *record,
                         uint64_t *time, uint64_t *location);

/* The state of a location, which is added when it is new; QUIPU_NONE when memory is out. */
uint32_t quipu__record_tracker_locate(struct quipu__record_tracker *records, uint64_t location);

/* The record that began what a transition ends, except calls; false when there is none. */
bool quipu__record_tracker_find(const struct quipu__record_tracker *records,
                                const struct quipu__transition *end, struct quipu__active_record *out);

/* Adds a record with that time and location. */
enum quipu_status quipu__record_tracker_add(struct quipu__record_tracker *records,
                                            const struct quipu_record *record, uint64_t time, uint64_t location,
                                            struct quipu_error *err);

/* Adds a record of a snapshot of the events of a stream: what it says is active. taken is false, and nothing changes, for
 * records that say no such thing. */
enum quipu_status quipu__record_tracker_add_snapshot(struct quipu__record_tracker *records,
                                                     const struct quipu_record *record, uint32_t stream,
                                                     bool *taken, struct quipu_error *err);

/* The locations by stream and number, an order that does not depend on where reading began; valid until the next call. NULL
 * when memory is out. */
const quipu__record_locations *quipu__record_tracker_sort(struct quipu__record_tracker *records);

/* An interval as the record that began it, valid until the next record. */
struct quipu__active_record quipu__active_record(const struct quipu__record_tracker *records,
                                                 const struct quipu__interval *interval);

/* Room for a record that is built: the data of its type and the fields that all records have. */
struct quipu__built_record {
    _Alignas(8) uint8_t data[QUIPU__BUILT_RECORD_BYTES], common[QUIPU__BUILT_RECORD_BYTES];
};

/* Builds a record of that type with the data in built, or with other data, at a time and location. */
struct quipu_record quipu__build_record(const struct quipu__record_tracker *records,
                                        struct quipu__built_record *built, const struct quipu_record_type *type,
                                        uint64_t time, uint64_t location);

/* Writes snapshot records of what is active at a location at a time into the snapshots that belong to a stream of events. If
 * the number of locations in this snapshot is given, not 0, a preceding record says that they are complete. */
enum quipu_status quipu__put_snapshots(struct quipu__record_tracker *records,
                                       const struct quipu__record_location *where, uint64_t time,
                                       uint64_t locations, const struct quipu_stream *events,
                                       struct quipu_writer *writer, struct quipu_error *err);

#endif
