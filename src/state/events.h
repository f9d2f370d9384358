/* events.h: trackers of events: the rows of intervals.def say what an event begins and ends. */
#ifndef QUIPU_STATE_EVENTS_H
#define QUIPU_STATE_EVENTS_H

#include "core/memory/buffer.h"
#include "core/slice.h"
#include "model/reorder.h"
#include "state/tracker.h"

/* The payload of an interval that an event began, its kind being that of the event. Columns that the kind does not have are
 * unknown, the tag 0. */
struct quipu__event_columns {
#define QUIPU_COLUMN(name, c_type, doc) c_type name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
};

/* Options of trackers whose intervals have columns, and that can be joined. With no payload_room there are no columns. */
struct quipu__tracker_options quipu__event_tracker_options(const struct quipu_definitions *definitions,
                                                           uint32_t interval_classes);

/* Adds an event of a batch. stream separates what several streams say about a location: the batch's stream, or one number
 * for all events when they are merged. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_add_event(struct quipu__tracker *tracker, const struct quipu_batch *batch,
                                            uint32_t event, uint32_t stream);

static inline const struct quipu__event_columns *quipu__interval_columns(
    const struct quipu__tracker *tracker, const struct quipu__interval *interval) {
    return quipu__interval_payload(tracker, interval);
}

/* ---- Checkpoints ---- */

/* Appends all that is known. A newly initialised tracker of the same classes, or fewer, resumes there. The bytes are not
 * trusted: QUIPU_CORRUPT when they cannot be right for these definitions; then the tracker can only be released. */
#define QUIPU__TRACKER_SECTION "open 4"
void quipu__tracker_save_checkpoint(const struct quipu__tracker *tracker, struct quipu__buffer *out);
enum quipu_status quipu__tracker_resume(struct quipu__tracker *tracker, struct quipu__slice bytes,
                                        struct quipu_error *err);

/* The same of events that wait for their time, with their attributes, which are of keys that are defined: appends them, and holds them in a
 * buffer that is new. */
void quipu__held_events_save(const struct quipu__reorder *reorder, struct quipu__buffer *out);
enum quipu_status quipu__held_events_load(struct quipu__reorder *reorder,
                                          const struct quipu_definitions *definitions,
                                          struct quipu__slice *from, struct quipu_error *err);

/* ---- For checkpoints ---- */

/* A bit for each column of a kind of event. */
extern const uint32_t quipu__kind_columns[QUIPU_KIND_COUNT];

/* Columns that are all unknown. */
extern const struct quipu__event_columns quipu__unknown_columns;

/* Whether events of a kind begin or end intervals of a class, and whether any do. */
bool quipu__kind_begins(enum quipu_kind kind, enum quipu__interval_class interval_class);
bool quipu__kind_ends(enum quipu_kind kind, enum quipu__interval_class interval_class);
bool quipu__events_have(enum quipu__interval_class interval_class);

/* Whether an end may be that of a beginning of an operation on a file: both have the same number, which may be one of each handle, on the same handle;
 * ends without a number belong to a beginning of the same operation on the same file, as far as both say so. */
static inline bool quipu__may_end_operation(const struct quipu__event_columns *begin,
                                            const struct quipu__event_columns *end) {
    if (begin->id != end->id || (begin->tag != end->tag && begin->tag != -1 && end->tag != -1))
        return false;
    return begin->id != QUIPU_UNKNOWN ||
           ((begin->operation == end->operation || begin->operation == QUIPU_IO_OTHER) &&
            (begin->object == end->object || begin->object == QUIPU_NONE || end->object == QUIPU_NONE));
}

/* The interval of a class that an event with these columns would end at a location state: the one with its key, else, of
 * operations on files and of open files, the newest one that differs only in what one side does not say. QUIPU_NONE when there is none. */
uint32_t quipu__tracker_find_columns(const struct quipu__tracker *tracker, uint32_t state,
                                     enum quipu__interval_class interval_class,
                                     const struct quipu__event_columns *columns);

/* Adds an interval that an event of a kind began, or ended, to a list. False when memory is out. */
QUIPU_CHECKED bool quipu__tracker_put_columns(struct quipu__tracker *tracker, uint32_t state, uint32_t list,
                                              enum quipu_kind kind, int64_t time,
                                              const struct quipu__event_columns *columns);

#endif
