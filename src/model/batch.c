/* batch.c: making batches, copying events between them, and events as rows. The columns come from columns.def. */
#include "model/batch.h"

#include "core/bisect.h"
#include "core/error.h"

#include <string.h>

/* For readability the header lists the members of columns.def explicitly. */
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    _Static_assert(_Generic(((struct quipu_event *)NULL)->name, c_type : 1, default : 0) &&                    \
                       _Generic(((struct quipu_batch *)NULL)->name, c_type * : 1, default : 0),                \
                   #name " is not as columns.def says");
#include <quipu/columns.def>
#undef QUIPU_COLUMN

/* Calls APPLY(column) for every column of a batch. */
#define FIXED_COLUMNS(APPLY) APPLY(time) APPLY(kind) APPLY(location) APPLY(byte_offset)

/* All columns lie in one block. Each begins at the start of a cache line, one line farther than its size requires:
 * batch sizes are powers of two, and without the shift all columns of an event would compete for one cache set. */
enum { LINE = 64 };

static size_t column_bytes(uint32_t capacity, size_t size) {
    return (capacity * size + LINE - 1) / LINE * LINE + LINE;
}

static size_t block_bytes(uint32_t capacity) {
    size_t bytes = LINE;
#define ADD(column) bytes += column_bytes(capacity, sizeof *((struct quipu_batch *)NULL)->column);
    FIXED_COLUMNS(ADD)
#define QUIPU_COLUMN(name, c_type, doc) ADD(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef ADD
    return bytes;
}

/* Moves the columns into a new block for that many events; false, with nothing changed, when memory is out. */
static bool move_columns(struct quipu__batch *batch, uint32_t capacity) {
    struct quipu_batch *it = &batch->batch;
    uint8_t *block = quipu__alloc(batch->memory, block_bytes(capacity));
    if (!block)
        return false;
    uint8_t *at = block + (LINE - (uintptr_t)block % LINE) % LINE;
#define COPY_COLUMN(column)                                                                                    \
    if (it->count > 0)                                                                                         \
        memcpy(at, it->column, it->count * sizeof *it->column);                                                \
    it->column = (void *)at;                                                                                   \
    at += column_bytes(capacity, sizeof *it->column);
    FIXED_COLUMNS(COPY_COLUMN)
#define QUIPU_COLUMN(name, c_type, doc) COPY_COLUMN(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef COPY_COLUMN
    quipu__release(batch->memory, batch->columns, block_bytes(it->capacity));
    batch->columns = block;
    it->capacity = capacity;
    return true;
}

enum quipu_status quipu__batch_new(struct quipu__memory *memory, uint32_t capacity, struct quipu__batch **out,
                                   struct quipu_error *err) {
    struct quipu__batch *batch = quipu__alloc_zero(memory, sizeof *batch);
    *out = NULL;
    if (!batch)
        return quipu__no_memory(err, sizeof *batch);
    batch->memory = memory;
    quipu__arena_init(&batch->texts, memory);
    if (!move_columns(batch, capacity)) {
        quipu__batch_free(batch);
        return quipu__no_memory(err, capacity * sizeof(struct quipu_event));
    }
    *out = batch;
    return QUIPU_OK;
}

void quipu__batch_free(struct quipu__batch *batch) {
    if (!batch)
        return;
    quipu__release(batch->memory, batch->columns, block_bytes(batch->batch.capacity));
    QUIPU__VEC_RELEASE(batch->memory, &batch->attributes);
    quipu__arena_release(&batch->texts);
    quipu__release(batch->memory, batch, sizeof *batch);
}

void quipu__batch_clear(struct quipu__batch *batch) {
    batch->batch.count = 0;
    batch->batch.attribute_count = 0;
    batch->attributes.count = 0;
    batch->is_selected = false;
    batch->left_out = 0;
    quipu__arena_clear(&batch->texts);
}

enum quipu_status quipu__batch_grow(struct quipu__batch *batch, uint32_t capacity, struct quipu_error *err) {
    if (capacity <= batch->batch.capacity)
        return QUIPU_OK;
    return move_columns(batch, capacity) ? QUIPU_OK
                                         : quipu__no_memory(err, capacity * sizeof(struct quipu_event));
}

/* ---- Attributes ---- */

bool quipu__batch_attribute(struct quipu__batch *batch, const struct quipu_value *value) {
    struct quipu_value copy = *value;
    if (copy.type >= QUIPU_VALUE_BYTES) {
        copy.data = quipu__arena_text(&batch->texts, value->data, value->size);
        if (!copy.data)
            return false;
    }
    if (QUIPU__UNLIKELY(batch->attributes.count == batch->attributes.capacity) &&
        !QUIPU__VEC_RESERVE(batch->memory, &batch->attributes, 1))
        return false;
    batch->attributes.items[batch->attributes.count++] = (struct quipu_attribute){batch->batch.count - 1, copy};
    batch->batch.attributes = batch->attributes.items;
    batch->batch.attribute_count = (uint32_t)batch->attributes.count;
    return true;
}

bool quipu__batch_attribute_text(struct quipu__batch *batch, uint32_t key, const char *text, size_t len) {
    const struct quipu_value value = {
        .key = key, .type = QUIPU_VALUE_STRING, .size = (uint32_t)len, .data = text ? text : ""};
    return quipu__batch_attribute(batch, &value);
}

/* ---- Events ---- */

uint32_t quipu__batch_attributes_of(const struct quipu_batch *batch, uint32_t event) {
    size_t first = 0;
    QUIPU__BISECT(first, batch->attribute_count, i, batch->attributes[i].event < event);
    return (uint32_t)first;
}

/* The attributes of event index: *first and the number of them. The cursor only moves forward. */
static uint32_t find_attributes(const struct quipu_batch *batch, uint32_t index, uint32_t *cursor,
                                const struct quipu_attribute **first) {
    uint32_t i = *cursor;
    while (i < batch->attribute_count && batch->attributes[i].event < index)
        i++;
    const uint32_t start = i;
    while (i < batch->attribute_count && batch->attributes[i].event == index)
        i++;
    *first = batch->attributes ? batch->attributes + start : NULL;
    *cursor = i;
    return i - start;
}

bool quipu__batch_copy(struct quipu__batch *to, const struct quipu_batch *from, uint32_t index,
                       uint32_t *attribute_cursor) {
    struct quipu_batch *it = &to->batch;
    if (it->count == it->capacity)
        return false;
    const uint32_t i = it->count++;
#define COPY(column) it->column[i] = from->column[index];
    FIXED_COLUMNS(COPY)
#define QUIPU_COLUMN(name, c_type, doc) COPY(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef COPY
    if (*attribute_cursor >= from->attribute_count)
        return true;
    const struct quipu_attribute *first;
    const uint32_t count = find_attributes(from, index, attribute_cursor, &first);
    for (uint32_t k = 0; k < count; k++)
        if (!quipu__batch_attribute(to, &first[k].value))
            return false;
    return true;
}

uint32_t quipu__batch_source(const struct quipu_batch *batch, uint32_t event, uint32_t *attribute_cursor) {
    const struct quipu_attribute *first;
    const uint32_t count = find_attributes(batch, event, attribute_cursor, &first);
    for (uint32_t i = 0; i < count; i++)
        if (first[i].value.key == QUIPU_KEY_SOURCE)
            return (uint32_t)first[i].value.u;
    return QUIPU_NONE;
}

void quipu__batch_event(const struct quipu_batch *batch, uint32_t index, uint32_t *attribute_cursor,
                        struct quipu_event *out) {
    out->stream = batch->stream;
#define READ(column) out->column = batch->column[index];
    FIXED_COLUMNS(READ)
#define QUIPU_COLUMN(name, c_type, doc) READ(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef READ
    out->attribute_count = find_attributes(batch, index, attribute_cursor, &out->attributes);
}

struct quipu_batch quipu__batch_range(const struct quipu_batch *batch, uint32_t first, uint32_t end) {
    struct quipu_batch range = *batch;
    range.count = end - first;
#define MOVE_COLUMN(column) range.column += first;
    FIXED_COLUMNS(MOVE_COLUMN)
#define QUIPU_COLUMN(name, c_type, doc) MOVE_COLUMN(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef MOVE_COLUMN
    range.attributes = NULL;
    range.attribute_count = 0;
    return range;
}

/* ---- Selection ---- */

static inline bool is_selected(const struct quipu_batch *batch, uint32_t i,
                               const struct quipu__filter *filter) {
    if (batch->time[i] < filter->from || (batch->time[i] >= filter->to && filter->to < INT64_MAX))
        return false;
    return quipu__filter_kind(filter, (enum quipu_kind)batch->kind[i]) &&
           quipu__filter_location(filter, batch->location[i]);
}

/* Most events enter or leave a region, and those use one column besides the fixed ones. */
void quipu__batch_move_event(struct quipu_batch *batch, uint32_t to, uint32_t from) {
#define COPY_COLUMN(column) batch->column[to] = batch->column[from];
    FIXED_COLUMNS(COPY_COLUMN)
    if (batch->kind[to] == QUIPU_KIND_enter || batch->kind[to] == QUIPU_KIND_leave) {
        COPY_COLUMN(object)
        return;
    }
#define QUIPU_COLUMN(name, c_type, doc) COPY_COLUMN(name)
#include <quipu/columns.def>
#undef QUIPU_COLUMN
#undef COPY_COLUMN
}

/* Index of the first attribute that does not belong to an event before this one. */
static uint32_t attributes_before(const struct quipu_batch *batch, uint32_t event) {
    uint32_t count = batch->attribute_count;
    while (count > 0 && batch->attributes[count - 1].event >= event)
        count--;
    return count;
}

/* Moves the attributes of an event down to those that the filter has passed already. */
static void compact_attributes(struct quipu__batch *batch, uint32_t from, uint32_t to, uint32_t *cursor,
                               uint32_t *compacted) {
    const struct quipu_attribute *first;
    const uint32_t count = find_attributes(&batch->batch, from, cursor, &first);
    for (uint32_t k = 0; k < count; k++) {
        struct quipu_attribute *moved = &batch->attributes.items[(*compacted)++];
        *moved = first[k];
        moved->event = to;
    }
}

/* What the filter has passed so far. */
struct compacted {
    uint32_t events, attributes, cursor;
};

QUIPU__INLINE void compact_event(struct quipu__batch *batch, uint32_t event, struct compacted *compacted) {
    if (batch->batch.attribute_count > compacted->cursor)
        compact_attributes(batch, event, compacted->events, &compacted->cursor, &compacted->attributes);
    if (compacted->events != event)
        quipu__batch_move_event(&batch->batch, compacted->events, event);
    compacted->events++;
}

static void end_compacting(struct quipu__batch *batch, const struct compacted *compacted) {
    batch->batch.count = compacted->events;
    batch->attributes.count = batch->batch.attribute_count = compacted->attributes;
}

/* The first event from first on that might not be selected: passes mostly give only the requested kinds. */
static uint32_t first_in_doubt(const struct quipu_batch *batch, uint32_t first,
                               const struct quipu__filter *filter) {
    if (!quipu__filter_is_of_kinds(filter))
        return first;
    while (first < batch->count && quipu__filter_kind(filter, (enum quipu_kind)batch->kind[first]))
        first++;
    return first;
}

void quipu__batch_select(struct quipu__batch *batch, uint32_t first, const struct quipu__filter *filter) {
    struct quipu_batch *it = &batch->batch;
    if (!filter->without_attributes && !filter->selects)
        return;
    if (filter->without_attributes)
        batch->attributes.count = it->attribute_count = attributes_before(it, first);
    if (!filter->selects)
        return;
    first = first_in_doubt(it, first, filter);
    const uint32_t attributes = attributes_before(it, first);
    struct compacted compacted = {first, attributes, attributes};
    for (uint32_t i = first; i < it->count; i++)
        if (is_selected(it, i, filter))
            compact_event(batch, i, &compacted);
    end_compacting(batch, &compacted);
}

void quipu__batch_keep(struct quipu__batch *batch,
                       bool (*keeps)(void *context, const struct quipu_batch *batch, uint32_t event),
                       void *context) {
    struct compacted compacted = {0, 0, 0};
    for (uint32_t i = 0; i < batch->batch.count; i++)
        if (keeps(context, &batch->batch, i))
            compact_event(batch, i, &compacted);
    end_compacting(batch, &compacted);
}
