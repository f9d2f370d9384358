/* file_operations.c: see file_operations.h. */
#include "trace/file_operations.h"

#include "core/error.h"

#define TRACKED (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_file) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation))

void quipu__file_operations_init(struct quipu__file_operations *operations, struct quipu__memory *memory,
                                 const struct quipu_definitions *definitions) {
    const struct quipu__tracker_options options = {.definitions = definitions,
                                                   .interval_classes = TRACKED,
                                                   .payload_room = sizeof(struct quipu__event_columns)};
    *operations =
        (struct quipu__file_operations){.memory = memory, .definitions = definitions, .unused = QUIPU_NONE};
    quipu__tracker_init(&operations->tracker, memory, &options);
}

void quipu__file_operations_release(struct quipu__file_operations *operations) {
    if (!operations->memory)
        return;
    quipu__tracker_release(&operations->tracker);
    QUIPU__VEC_RELEASE(operations->memory, &operations->list);
}

/* ---- Entries ---- */

static const struct quipu__where_operation nothing_known = {.file = QUIPU_NONE,
                                                            .operation = QUIPU_NONE,
                                                            .handle = QUIPU_UNKNOWN,
                                                            .offset = QUIPU_UNKNOWN,
                                                            .bytes = QUIPU_UNKNOWN};

static uint32_t add_entry(struct quipu__file_operations *operations,
                          const struct quipu__where_operation *known) {
    uint32_t number = operations->unused;
    if (number == QUIPU_NONE) {
        if (!QUIPU__VEC_RESERVE(operations->memory, &operations->list, 1))
            return QUIPU_NONE;
        operations->list.count++;
        number = (uint32_t)(operations->list.count - 1);
    } else {
        operations->unused = operations->list.items[number].users;
    }
    operations->list.items[number] = (struct quipu__file_operation){*known, 1};
    return number;
}

void quipu__file_operations_drop(struct quipu__file_operations *operations, uint32_t entry) {
    if (entry == QUIPU_NONE || --operations->list.items[entry].users > 0)
        return;
    operations->list.items[entry].users = operations->unused;
    operations->unused = entry;
}

/* ---- Files of handles ---- */

/* The file that was opened last with a handle at a location, and is open. Its interval, or QUIPU_NONE. */
static uint32_t find_at(const struct quipu__file_operations *operations, uint32_t location, uint64_t handle) {
    const uint32_t state = quipu__tracker_latest(&operations->tracker, location);
    if (state == QUIPU_NONE)
        return QUIPU_NONE;
    uint32_t number = quipu__active_at(&operations->tracker, state, QUIPU__INTERVAL_file).newest;
    while (number != QUIPU_NONE) {
        const struct quipu__interval *interval = quipu__interval_at(&operations->tracker, number);
        if (quipu__interval_columns(&operations->tracker, interval)->id == handle)
            return number;
        number = interval->older;
    }
    return QUIPU_NONE;
}

/* The same, also of the locations above: an application may open files for its processes. */
static uint32_t find_file(const struct quipu__file_operations *operations, uint32_t location, uint64_t handle) {
    const struct quipu_locations *locations = &operations->definitions->locations;
    if (handle == QUIPU_UNKNOWN || handle == QUIPU_NONE)
        return QUIPU_NONE;
    uint32_t found = find_at(operations, location, handle);
    for (uint32_t i = 0; found == QUIPU_NONE && location < locations->count && i < locations->count; i++) {
        location = locations->items[location].parent;
        found = find_at(operations, location, handle);
    }
    return found;
}

static uint32_t file_of(const struct quipu__file_operations *operations, uint32_t interval) {
    return quipu__interval_columns(&operations->tracker, quipu__interval_at(&operations->tracker, interval))
        ->object;
}

/* ---- What events say ---- */

/* Takes over what is not known yet. */
static void complete(struct quipu__where_operation *known, const struct quipu__where_operation *other) {
    if (known->file == QUIPU_NONE)
        known->file = other->file;
    if (known->operation == QUIPU_NONE || known->operation == QUIPU_IO_OTHER)
        known->operation = other->operation;
    if (known->handle == QUIPU_UNKNOWN)
        known->handle = other->handle;
    if (known->offset == QUIPU_UNKNOWN)
        known->offset = other->offset;
    if (known->bytes == QUIPU_UNKNOWN)
        known->bytes = other->bytes;
}

static void complete_file(const struct quipu__file_operations *operations, uint32_t location,
                          struct quipu__where_operation *known) {
    const uint32_t file =
        known->file == QUIPU_NONE ? find_file(operations, location, known->handle) : QUIPU_NONE;
    if (file != QUIPU_NONE)
        known->file = file_of(operations, file);
}

static struct quipu__where_operation said_by(const struct quipu_batch *batch, uint32_t event) {
    return (struct quipu__where_operation){.file = batch->object[event],
                                           .operation = batch->operation[event],
                                           .handle = (uint64_t)batch->tag[event],
                                           .offset = batch->value[event],
                                           .bytes = batch->bytes[event]};
}

/* ---- Beginnings and ends ---- */

static bool begin(struct quipu__file_operations *operations, const struct quipu_batch *batch, uint32_t event,
                  uint32_t *entry) {
    struct quipu__where_operation known = said_by(batch, event);
    complete_file(operations, batch->location[event], &known);
    known.is_active = true;
    *entry = add_entry(operations, &known);
    if (*entry == QUIPU_NONE || !quipu__tracker_add_event(&operations->tracker, batch, event, batch->stream))
        return false;
    const uint32_t state = quipu__tracker_latest(&operations->tracker, batch->location[event]);
    const uint32_t newest = quipu__active_at(&operations->tracker, state, QUIPU__INTERVAL_io_operation).newest;
    if (newest == QUIPU_NONE)
        return true;
    quipu__interval_at(&operations->tracker, newest)->count = *entry;
    operations->list.items[*entry].users++;
    return true;
}

/* Whether an end that does not say all of what it is of may belong to a beginning. */
static bool may_end(const struct quipu__event_columns *begin, const struct quipu_batch *batch, uint32_t event) {
    const bool is_other = begin->operation == QUIPU_IO_OTHER || begin->operation == batch->operation[event];
    const bool is_handle = begin->tag == -1 || batch->tag[event] == -1 || begin->tag == batch->tag[event];
    return begin->id == QUIPU_UNKNOWN && batch->id[event] == QUIPU_UNKNOWN && is_other && is_handle;
}

/* The interval that an end belongs to; QUIPU_NONE when there is none. */
static uint32_t find_operation(const struct quipu__file_operations *operations, uint32_t state,
                               const struct quipu_batch *batch, uint32_t event) {
    const struct quipu__tracker *tracker = &operations->tracker;
    struct quipu__event_columns columns = quipu__unknown_columns;
    columns.object = batch->object[event];
    columns.operation = batch->operation[event];
    columns.tag = batch->tag[event];
    columns.id = batch->id[event];
    const uint32_t found = quipu__tracker_find_columns(tracker, state, QUIPU__INTERVAL_io_operation, &columns);
    const uint32_t newest = quipu__active_at(tracker, state, QUIPU__INTERVAL_io_operation).newest;
    if (found != QUIPU_NONE || newest == QUIPU_NONE)
        return found;
    const struct quipu__interval *interval = quipu__interval_at(tracker, newest);
    return may_end(quipu__interval_columns(tracker, interval), batch, event) ? newest : QUIPU_NONE;
}

static bool end(struct quipu__file_operations *operations, const struct quipu_batch *batch, uint32_t event,
                uint32_t *entry) {
    struct quipu__tracker *tracker = &operations->tracker;
    const uint32_t state = quipu__tracker_locate(tracker, batch->location[event], batch->stream);
    struct quipu__where_operation known = said_by(batch, event);
    if (state == QUIPU_NONE)
        return false;
    complete_file(operations, batch->location[event], &known);
    const uint32_t interval = find_operation(operations, state, batch, event);
    if (interval == QUIPU_NONE) {
        *entry = add_entry(operations, &known);
    } else {
        *entry = (uint32_t)quipu__interval_at(tracker, interval)
                     ->count; /* of which the caller is a user in its place */
        complete(&operations->list.items[*entry].known, &known);
        operations->list.items[*entry].known.is_active = false;
        quipu__tracker_remove(tracker, interval);
    }
    /* It may open or close a file. */
    return *entry != QUIPU_NONE && quipu__tracker_add_event(tracker, batch, event, batch->stream);
}

/* What a handle stands for, when the event does not say it. */
static bool look_up(struct quipu__file_operations *operations, const struct quipu_batch *batch, uint32_t event,
                    uint32_t *entry) {
    const uint32_t file = batch->object[event] == QUIPU_NONE
                              ? find_file(operations, batch->location[event], batch->id[event])
                              : QUIPU_NONE;
    struct quipu__where_operation known = nothing_known;
    if (file == QUIPU_NONE)
        return quipu__tracker_add_event(&operations->tracker, batch, event, batch->stream);
    known.file = file_of(operations, file);
    *entry = add_entry(operations, &known);
    if (batch->kind[event] == QUIPU_KIND_io_close)
        quipu__tracker_remove(&operations->tracker, file);
    return *entry != QUIPU_NONE;
}

bool quipu__file_operations_track(struct quipu__file_operations *operations, const struct quipu_batch *batch,
                                  uint32_t event, uint32_t *entry) {
    *entry = QUIPU_NONE;
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_io_begin:
        return begin(operations, batch, event, entry);
    case QUIPU_KIND_io_end:
        return end(operations, batch, event, entry);
    case QUIPU_KIND_io_open:
    case QUIPU_KIND_io_close:
    case QUIPU_KIND_io_control:
        return look_up(operations, batch, event, entry);
    default:
        return true;
    }
}

/* ---- Indexes ---- */

enum quipu_status quipu__file_operations_resume(struct quipu__file_operations *operations,
                                                struct quipu__slice bytes, struct quipu_error *err) {
    struct quipu__tracker *tracker = &operations->tracker;
    const enum quipu_status status = quipu__tracker_resume(tracker, bytes, err);
    for (uint32_t state = 0; status == QUIPU_OK && state < tracker->states.count; state++) {
        const uint32_t location = tracker->states.items[state].location;
        uint32_t number = quipu__active_at(tracker, state, QUIPU__INTERVAL_io_operation).oldest;
        for (; number != QUIPU_NONE; number = quipu__interval_at(tracker, number)->newer) {
            struct quipu__interval *interval = quipu__interval_at(tracker, number);
            const struct quipu__event_columns *columns = quipu__interval_columns(tracker, interval);
            struct quipu__where_operation known = {columns->object, columns->operation, (uint64_t)columns->tag,
                                                   columns->value,  columns->bytes,     true};
            complete_file(operations, location, &known);
            interval->count = add_entry(operations, &known);
            if (interval->count == QUIPU_NONE)
                return quipu__no_memory(err, operations->memory->used);
        }
    }
    return status;
}
