/* checkpoint.c: saving what a tracker knows, and events that wait for their time.
 *
 *     last time, number of states, { location, stream, per list { number of intervals, { kind, time, columns } } }, messages
 *
 * Messages are there if the tracker has them. An interval has the columns of its kind, in the order of columns.def. Times
 * are distances from the previous interval. Numbers that may be unknown are stored plus one, so that unknown ones are short.
 * What is read back has passed the same tests as events: the kind belongs to the list, and numbers of definitions are below
 * their count.
 */
#include "state/events.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "model/event.h"
#include "state/slots.h"

/* Lists that events never fill are not saved. */
static bool is_saved(uint32_t list) {
    return quipu__events_have(quipu__list_class(list));
}

/* ---- Saving ---- */

static void save_column(const struct quipu__event_columns *columns, enum quipu_column column,
                        struct quipu__buffer *out) {
    switch (column) {
    case QUIPU_COLUMN_object:
        quipu__pack_u64(out, (uint32_t)(columns->object + 1));
        break;
    case QUIPU_COLUMN_peer:
        quipu__pack_u64(out, (uint32_t)(columns->peer + 1));
        break;
    case QUIPU_COLUMN_group:
        quipu__pack_u64(out, (uint32_t)(columns->group + 1));
        break;
    case QUIPU_COLUMN_operation:
        quipu__pack_u64(out, (uint32_t)(columns->operation + 1));
        break;
    case QUIPU_COLUMN_tag:
        quipu__pack_i64(out, columns->tag);
        break;
    case QUIPU_COLUMN_bytes:
        quipu__pack_u64(out, columns->bytes + 1);
        break;
    case QUIPU_COLUMN_value:
        quipu__pack_u64(out, columns->value + 1);
        break;
    case QUIPU_COLUMN_id:
        quipu__pack_u64(out, columns->id + 1);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

static void save_columns(const struct quipu__event_columns *columns, uint32_t kind, struct quipu__buffer *out) {
    const uint32_t known = quipu__kind_columns[kind];
    for (unsigned column = 0; known >> column != 0; column++)
        if ((known >> column & 1) != 0)
            save_column(columns, (enum quipu_column)column, out);
}

static void save_list(const struct quipu__tracker *tracker, const struct quipu__interval_list *list,
                      struct quipu__buffer *out) {
    uint64_t time = 0;
    quipu__pack_u64(out, list->count);
    for (uint32_t number = list->oldest; number != QUIPU_NONE;
         number = quipu__interval_at(tracker, number)->newer) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        const struct quipu__event_columns *columns = quipu__interval_columns(tracker, interval);
        quipu__pack_u64(out, interval->kind);
        quipu__pack_i64(out, (int64_t)((uint64_t)interval->time - time));
        save_columns(columns, interval->kind, out);
        time = (uint64_t)interval->time;
    }
}

void quipu__tracker_save_checkpoint(const struct quipu__tracker *tracker, struct quipu__buffer *out) {
    quipu__pack_i64(out, tracker->last);
    quipu__pack_u64(out, tracker->states.count);
    for (size_t i = 0; i < tracker->states.count; i++) {
        const struct quipu__location_state *state = &tracker->states.items[i];
        quipu__pack_u64(out, state->location);
        quipu__pack_u64(out, state->stream);
        for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS; list++)
            if (is_saved(list))
                save_list(tracker, &state->lists[list], out);
    }
    if (tracker->options.has_messages)
        quipu__matcher_save(&tracker->matcher, out);
}

/* ---- Loading ---- */

static enum quipu_refers refers_of(uint8_t kind, enum quipu_column column) {
    const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
    for (size_t i = 0; i < info->field_count; i++)
        if (info->fields[i].column == column)
            return info->fields[i].refers;
    return QUIPU_REFERS_NOTHING;
}

static uint32_t load_u32(struct quipu__slice *from, uint64_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count < QUIPU_NONE ? count : QUIPU_NONE) - 1;
}

/* Numbers in wide columns may refer to definitions too. */
static uint64_t load_u64(struct quipu__slice *from, uint64_t count) {
    const uint64_t number = quipu__unpack_u64(from) - 1;
    from->failed |=
        count != QUIPU_UNKNOWN && number != QUIPU_UNKNOWN && number != QUIPU_NONE && number >= count;
    return number;
}

static void load_column(const struct quipu_definitions *definitions, struct quipu__slice *from,
                        enum quipu_column column, uint8_t kind, struct quipu__event_columns *columns) {
    const uint64_t count = quipu__count_of(definitions, refers_of(kind, column));
    switch (column) {
    case QUIPU_COLUMN_object:
        columns->object = load_u32(from, count);
        break;
    case QUIPU_COLUMN_peer:
        columns->peer = load_u32(from, count);
        break;
    case QUIPU_COLUMN_group:
        columns->group = load_u32(from, count);
        break;
    case QUIPU_COLUMN_operation:
        columns->operation = load_u32(from, count);
        break;
    case QUIPU_COLUMN_tag:
        columns->tag = quipu__unpack_i64(from);
        break;
    case QUIPU_COLUMN_bytes:
        columns->bytes = load_u64(from, count);
        break;
    case QUIPU_COLUMN_value:
        columns->value = load_u64(from, count);
        break;
    case QUIPU_COLUMN_id:
        columns->id = load_u64(from, count);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

static bool belongs(uint8_t kind, uint32_t list) {
    const enum quipu__interval_class interval_class = quipu__list_class(list);
    return quipu__list_has_ends(list) ? quipu__kind_ends((enum quipu_kind)kind, interval_class)
                                      : quipu__kind_begins((enum quipu_kind)kind, interval_class);
}

static struct quipu__event_columns load_columns(const struct quipu_definitions *definitions,
                                                struct quipu__slice *from, uint8_t kind) {
    struct quipu__event_columns columns = quipu__unknown_columns;
    const uint32_t known = quipu__kind_columns[kind];
    for (unsigned column = 0; known >> column != 0; column++)
        if ((known >> column & 1) != 0)
            load_column(definitions, from, (enum quipu_column)column, kind, &columns);
    return columns;
}

static bool is_tracked(const struct quipu__tracker *tracker, uint32_t list) {
    const uint32_t tracked =
        quipu__list_has_ends(list) ? tracker->options.ends : tracker->options.interval_classes;
    return (tracked & QUIPU__INTERVAL_BIT(quipu__list_class(list))) != 0;
}

static bool load_list(struct quipu__tracker *tracker, uint32_t state, uint32_t list,
                      struct quipu__slice *from) {
    const uint64_t count = quipu__unpack_up_to(from, quipu__slice_left(from));
    uint64_t time = 0;
    for (uint64_t i = 0; i < count && !from->failed; i++) {
        const uint8_t kind = (uint8_t)quipu__unpack_up_to(from, QUIPU_KIND_COUNT - 1);
        time += (uint64_t)quipu__unpack_i64(from);
        from->failed |= !belongs(kind, list);
        const struct quipu__event_columns columns = load_columns(tracker->options.definitions, from, kind);
        if (!from->failed && is_tracked(tracker, list) &&
            !quipu__tracker_put_columns(tracker, state, list, (enum quipu_kind)kind, (int64_t)time, &columns))
            return false;
    }
    return true;
}

static bool load_state(struct quipu__tracker *tracker, struct quipu__slice *from) {
    const uint32_t location = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    const uint32_t stream = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    from->failed |= location >= tracker->options.definitions->locations.count;
    if (from->failed)
        return true;
    const uint32_t state = quipu__tracker_locate(tracker, location, stream);
    for (uint32_t list = 0; list < QUIPU__INTERVAL_LISTS && state != QUIPU_NONE; list++)
        if (is_saved(list) && !load_list(tracker, state, list, from))
            return false;
    return state != QUIPU_NONE;
}

enum quipu_status quipu__tracker_resume(struct quipu__tracker *tracker, struct quipu__slice bytes,
                                        struct quipu_error *err) {
    bool has_memory = true;
    tracker->last = quipu__unpack_i64(&bytes);
    const uint64_t count = quipu__unpack_up_to(&bytes, quipu__slice_left(&bytes));
    for (uint64_t i = 0; i < count && !bytes.failed && has_memory; i++)
        has_memory = load_state(tracker, &bytes);
    if (has_memory && tracker->options.has_messages)
        has_memory = quipu__matcher_load(&tracker->matcher, &bytes);
    if (!has_memory)
        return quipu__no_memory(err, tracker->memory->used);
    if (bytes.failed || (tracker->options.has_messages && quipu__slice_left(&bytes) > 0))
        return quipu__fail(err, QUIPU_CORRUPT, "the checkpoint of active intervals is damaged");
    return QUIPU_OK;
}

/* ==== Events that wait ==== */

static bool is_text(const struct quipu_value *value) {
    return value->type == QUIPU_VALUE_STRING || value->type == QUIPU_VALUE_BYTES;
}

static void save_attribute(const struct quipu_value *value, struct quipu__buffer *out) {
    quipu__pack_u64(out, value->key);
    quipu__pack_u64(out, value->type);
    if (is_text(value))
        quipu__pack_bytes(out, value->data, value->size);
    else
        quipu__pack_u64(out, value->u);
}

static void save_event(const struct quipu_event *event, struct quipu__buffer *out) {
    const struct quipu__event_columns columns = {
#define QUIPU_COLUMN(name, c_type, doc) .name = event->name,
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    };
    quipu__pack_i64(out, event->time);
    quipu__pack_u64(out, event->kind);
    quipu__pack_u64(out, event->location);
    quipu__pack_u64(out, event->byte_offset);
    save_columns(&columns, event->kind, out);
    quipu__pack_u64(out, event->attribute_count);
    for (uint32_t i = 0; i < event->attribute_count; i++)
        save_attribute(&event->attributes[i].value, out);
}

/* Which of two events of one time is given first depends on how many were held before each. */
void quipu__held_events_save(const struct quipu__reorder *reorder, struct quipu__buffer *out) {
    quipu__pack_u64(out, reorder->number);
    quipu__pack_u64(out, reorder->heap.count);
    for (size_t i = 0; i < reorder->heap.count; i++) {
        const struct quipu__reorder_entry *entry = &reorder->heap.items[i];
        struct quipu_event event;
        uint32_t attribute = entry->attribute;
        quipu__pack_u64(out, reorder->number - entry->number);
        if (entry->attribute == QUIPU__REORDER_ROW)
            event = reorder->rows.items[entry->event];
        else
            quipu__batch_event(&reorder->held->batch, entry->event, &attribute, &event);
        save_event(&event, out);
    }
}

/* False when memory is out. */
static bool load_attributes(struct quipu__batch *batch, const struct quipu_definitions *definitions,
                            struct quipu__slice *from) {
    bool has_memory = true;
    for (uint64_t left = quipu__unpack_up_to(from, quipu__slice_left(from));
         left > 0 && !from->failed && has_memory; left--) {
        struct quipu_value value = {.key = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE)};
        value.type = (uint8_t)quipu__unpack_up_to(from, QUIPU_VALUE_STRING);
        from->failed |= value.key >= definitions->attribute_keys.count;
        if (is_text(&value)) {
            const struct quipu__slice text = quipu__unpack_bytes(from);
            value.data = (const char *)text.at;
            value.size = (uint32_t)quipu__slice_left(&text);
        } else {
            value.u = quipu__unpack_u64(from);
        }
        has_memory = from->failed || quipu__batch_attribute(batch, &value);
    }
    return has_memory;
}

static bool load_event(struct quipu__batch *to, const struct quipu_definitions *definitions,
                       struct quipu__slice *from) {
    const int64_t time = quipu__unpack_i64(from);
    const uint8_t kind = (uint8_t)quipu__unpack_up_to(from, QUIPU_KIND_COUNT - 1);
    const uint32_t location = (uint32_t)quipu__unpack_up_to(from, QUIPU_NONE);
    const uint64_t byte_offset = quipu__unpack_u64(from);
    const struct quipu__event_columns columns = load_columns(definitions, from, kind);
    const uint32_t i = quipu__batch_add(&to->batch, time, (enum quipu_kind)kind, location, byte_offset);
    from->failed |= location >= definitions->locations.count;
#define QUIPU_COLUMN(name, c_type, doc) to->batch.name[i] = columns.name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    return load_attributes(to, definitions, from);
}

static enum quipu_status hold_loaded(struct quipu__reorder *reorder, struct quipu__batch *batch,
                                     const struct quipu_definitions *definitions, struct quipu__slice *from,
                                     struct quipu_error *err) {
    const uint64_t number = quipu__unpack_u64(from);
    enum quipu_status status = QUIPU_OK;
    for (uint64_t left = quipu__unpack_up_to(from, reorder->limit);
         left > 0 && !from->failed && status == QUIPU_OK; left--) {
        quipu__batch_clear(batch);
        reorder->number = number - quipu__unpack_up_to(from, number);
        if (!load_event(batch, definitions, from))
            return quipu__no_memory(err, sizeof(struct quipu_attribute));
        if (!from->failed)
            status = quipu__reorder_hold(reorder, batch, 0, err);
    }
    reorder->number = number;
    return status;
}

enum quipu_status quipu__held_events_load(struct quipu__reorder *reorder,
                                          const struct quipu_definitions *definitions,
                                          struct quipu__slice *from, struct quipu_error *err) {
    struct quipu__batch *one;
    enum quipu_status status = quipu__batch_new(reorder->memory, 1, &one, err);
    if (status != QUIPU_OK)
        return status;
    status = hold_loaded(reorder, one, definitions, from, err);
    quipu__batch_free(one);
    return status;
}
