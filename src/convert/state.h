/* state.h: what is open at each location of a trace, followed record by record from its beginning or from a snapshot: calls,
 * messages, files, collective operations and operations on files, and with them values of counters and counts. Memory is
 * needed for what is open at one moment. */
#ifndef QUIPU_CONVERT_STATE_H
#define QUIPU_CONVERT_STATE_H

#include "core/map.h"
#include "core/vec.h"
#include "formats/descriptor.h"
#include "formats/state.h"
#include "schema/schema.h"

struct quipu__open_list {
    QUIPU__VEC(struct quipu__open) list;
};

/* What is open at one location, in the order of beginning. */
struct quipu__open_at {
    uint64_t location; /* number in the format */
    uint32_t stream;   /* that its last record came from, QUIPU_NONE when there was none */
    struct quipu__open_list of[QUIPU__OPEN_CLASSES];
};

struct quipu__state {
    struct quipu__memory *memory;
    const struct quipu__states *states;
    const struct quipu_schema *schema;
    const struct quipu_field *time, *location; /* of the fields that all records have */
    uint32_t classes;                          /* bit per class that is followed */
    struct quipu__map numbers;                 /* location -> index of at */
    QUIPU__VEC(struct quipu__open_at) at;
    QUIPU__VEC(struct quipu__turn) early; /* messages received before they are sent, at this time */
    uint64_t early_time;
    struct quipu__scratch scratch; /* texts of records that are made */
};

#define QUIPU__OPEN_BIT(class_of) (UINT32_C(1) << (class_of))
#define QUIPU__OPEN_ALL (QUIPU__OPEN_BIT(QUIPU__OPEN_CLASSES) - 1)

void quipu__state_init(struct quipu__state *state, struct quipu__memory *memory,
                       const struct quipu__format *format, uint32_t classes);
void quipu__state_release(struct quipu__state *state);

/* As after init. */
void quipu__state_clear(struct quipu__state *state);

/* Time and location of a record; false when it has none. */
bool quipu__state_place(const struct quipu__state *state, const struct quipu_record *record, uint64_t *time,
                        uint64_t *location);

/* Index in the list of a location, which is added when it is new; QUIPU_NONE when memory is out. */
uint32_t quipu__state_locate(struct quipu__state *state, uint64_t location);

/* What a turn ends, calls apart; NULL when it has not begun. */
const struct quipu__open *quipu__state_find(const struct quipu__state *state, const struct quipu__turn *end);

/* Takes in a record that has time and place. */
enum quipu_status quipu__state_follow(struct quipu__state *state, const struct quipu_record *record,
                                      struct quipu_error *err);

/* Takes in a record of a snapshot that was taken of the events of a stream: what it says is open. False in taken, and
 * nothing changes, for records that say nothing of the kind. */
enum quipu_status quipu__state_take_snapshot(struct quipu__state *state, const struct quipu_record *record,
                                             uint32_t stream, bool *taken, struct quipu_error *err);

/* Orders the locations by stream and number, so that their order does not depend on where following began. Indexes
 * change. False when memory is out. */
QUIPU_CHECKED bool quipu__state_sort(struct quipu__state *state);

/* Room for a record that is made: the data of its type and the fields that all records have. */
struct quipu__made {
    _Alignas(8) uint8_t data[QUIPU__STATE_BYTES], common[QUIPU__STATE_BYTES];
};

/* Makes a record of that type and data at a time and location. */
struct quipu_record quipu__state_record(const struct quipu__state *state, struct quipu__made *made,
                                        const struct quipu_record_type *type, uint64_t time, uint64_t location);

/* Writes snapshot records that say what is open at a location at a time into the snapshots that belong to a stream of
 * events. With the number of locations of which something is said at this time, not 0, a record in front of them says
 * that they are all. */
enum quipu_status quipu__state_put_snapshots(struct quipu__state *state, const struct quipu__open_at *at,
                                             uint64_t time, uint64_t locations,
                                             const struct quipu_stream *events, struct quipu_writer *writer,
                                             struct quipu_error *err);

#endif
