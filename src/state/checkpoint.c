/* checkpoint.c: saving what a tracker knows.
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

static void save_list(const struct quipu__tracker *tracker, const struct quipu__interval_list *list,
                      struct quipu__buffer *out) {
    uint64_t time = 0;
    quipu__pack_u64(out, list->count);
    for (uint32_t number = list->oldest; number != QUIPU_NONE;
         number = quipu__interval_at(tracker, number)->newer) {
        const struct quipu__interval *interval = quipu__interval_at(tracker, number);
        const struct quipu__event_columns *columns = quipu__interval_columns(tracker, interval);
        const uint32_t known = quipu__kind_columns[interval->kind];
        quipu__pack_u64(out, interval->kind);
        quipu__pack_i64(out, (int64_t)((uint64_t)interval->time - time));
        for (unsigned column = 0; known >> column != 0; column++)
            if ((known >> column & 1) != 0)
                save_column(columns, (enum quipu_column)column, out);
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
