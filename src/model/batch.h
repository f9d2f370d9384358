/* batch.h: filling a batch. A format's stream fills one batch after another; room for max_per_record events must be
 * made before each record, so that a record's events never straddle two batches. */
#ifndef QUIPU_MODEL_BATCH_H
#define QUIPU_MODEL_BATCH_H

#include "core/memory/buffer.h"
#include "core/memory/memory.h"
#include "core/os.h"
#include "core/memory/vec.h"
#include "model/filter.h"

#include <quipu/model.h>

struct quipu__batch {
    struct quipu_batch batch; /* what users see */
    struct quipu__memory *memory;
    uint8_t *columns; /* the block that all columns lie in */
    QUIPU__VEC(struct quipu_attribute) attributes;
    struct quipu__arena texts; /* bytes and strings of the attributes */
    bool is_selected;          /* its filler has made sure that all its events pass the filter */
    uint32_t left_out; /* how many events of the source are not in it, since its user does not need them */
};

/* Bytes that one event takes in all columns. */
enum {
    QUIPU__EVENT_BYTES = sizeof(int64_t) + sizeof(uint8_t) + sizeof(uint32_t) + sizeof(uint64_t)
#define QUIPU_COLUMN(name, c_type, doc) +sizeof(c_type)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
};

enum quipu_status quipu__batch_new(struct quipu__memory *memory, uint32_t capacity, struct quipu__batch **out,
                                   struct quipu_error *err);
void quipu__batch_free(struct quipu__batch *batch);
void quipu__batch_clear(struct quipu__batch *batch);

/* Doubles the capacity, for the rare record that makes more events than a batch holds. */
enum quipu_status quipu__batch_grow(struct quipu__batch *batch, uint32_t capacity, struct quipu_error *err);

static inline uint32_t quipu__batch_left(const struct quipu__batch *batch) {
    return batch->batch.capacity - batch->batch.count;
}

/* Adds an event with only the fields common to all kinds; returns its index, with which the caller fills the columns of its
 * kind. The caller has made sure that there is room. */
QUIPU__INLINE uint32_t quipu__batch_add(struct quipu_batch *batch, int64_t time, enum quipu_kind kind,
                                        uint32_t location, uint64_t byte_offset) {
    const uint32_t i = batch->count++;
    batch->time[i] = time;
    batch->kind[i] = (uint8_t)kind;
    batch->location[i] = location;
    batch->byte_offset[i] = byte_offset;
    return i;
}

/* Adds a row as an event without attributes. The caller has made sure that there is room. Most events enter or leave a region, and
 * those use one column besides the fixed ones. */
QUIPU__INLINE void quipu__batch_add_row(struct quipu_batch *batch, const struct quipu_event *row) {
    const uint32_t i =
        quipu__batch_add(batch, row->time, (enum quipu_kind)row->kind, row->location, row->byte_offset);
    batch->object[i] = row->object;
    if (row->kind == QUIPU_KIND_enter || row->kind == QUIPU_KIND_leave)
        return;
#define QUIPU_COLUMN(name, c_type, doc) batch->name[i] = row->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
}

/* Adds an attribute to the event added last; bytes and strings are copied. False when memory is out. */
QUIPU_CHECKED bool quipu__batch_attribute(struct quipu__batch *batch, const struct quipu_value *value);
QUIPU_CHECKED bool quipu__batch_attribute_text(struct quipu__batch *batch, uint32_t key, const char *text,
                                               size_t len);

/* The same without a copy, for adding many: first room for that many attributes, NULL when memory is out, then the end of
 * those that were put there. Their bytes and strings are in batch->texts. */
QUIPU__INLINE struct quipu_attribute *quipu__batch_attribute_room(struct quipu__batch *batch, size_t count) {
    enum { SOME = 64 }; /* so that sizes are powers of two, whatever was asked for first */
    if (QUIPU__UNLIKELY(batch->attributes.capacity - batch->attributes.count < count) &&
        !QUIPU__VEC_RESERVE(batch->memory, &batch->attributes, count < SOME ? SOME : count))
        return NULL;
    return batch->attributes.items + batch->attributes.count;
}
QUIPU__INLINE void quipu__batch_end_attributes(struct quipu__batch *batch, const struct quipu_attribute *end) {
    batch->attributes.count = (size_t)(end - batch->attributes.items);
    batch->batch.attributes = batch->attributes.items;
    batch->batch.attribute_count = (uint32_t)batch->attributes.count;
}

/* Copies event index of a batch to the end of another one, attributes included. False when memory is out or there
 * is no room. */
QUIPU_CHECKED bool quipu__batch_copy(struct quipu__batch *to, const struct quipu_batch *from, uint32_t index,
                                     uint32_t *attribute_cursor);

/* The event of a batch as a row. *attribute_cursor is 0 for the first event of a batch and moves along. */
void quipu__batch_event(const struct quipu_batch *batch, uint32_t index, uint32_t *attribute_cursor,
                        struct quipu_event *out);

/* The source location where the call of event was made; QUIPU_NONE. *attribute_cursor is as above. */
uint32_t quipu__batch_source(const struct quipu_batch *batch, uint32_t event, uint32_t *attribute_cursor);

/* The number of the first attribute of an event; of a later one, or the number of all, when it has none. */
uint32_t quipu__batch_attributes_of(const struct quipu_batch *batch, uint32_t event);

/* The events from first to before end, borrowed, without their attributes. */
struct quipu_batch quipu__batch_range(const struct quipu_batch *batch, uint32_t first, uint32_t end);

/* Copies an event without its attributes over another one. */
void quipu__batch_move_event(struct quipu_batch *batch, uint32_t to, uint32_t from);

/* Of the events from first on, keeps only those of the selection, in place. Regions are chosen elsewhere (trace/within.h). */
void quipu__batch_select(struct quipu__batch *batch, uint32_t first, const struct quipu__filter *filter);

/* Keeps, in place, only the events for which keeps is true; it is asked for each event in turn. */
void quipu__batch_keep(struct quipu__batch *batch,
                       bool (*keeps)(void *context, const struct quipu_batch *batch, uint32_t event),
                       void *context);

#endif
