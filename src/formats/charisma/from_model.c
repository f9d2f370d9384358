/* from_model.c: events of any trace to records.
 *
 * A request is one record that stands where it begins and says when it ends, so records wait in a queue until no request in
 * front of them is without its end. One that takes too long is written as asynchronous, and ends by a record of its own.
 *
 * Traces that know no applications become one of them with all their locations as clients. Files that are used but never opened
 * are opened where they are used first: a request names a descriptor only. */
#include "formats/charisma/from_model.h"

#include "core/error.h"

#include <string.h>

/* ---- What can be written ---- */

#define OPEN_COLUMNS QUIPU__COLUMN(object) | QUIPU__COLUMN(id)
#define REQUEST_COLUMNS                                                                                        \
    QUIPU__COLUMN(object) | QUIPU__COLUMN(operation) | QUIPU__COLUMN(group) | QUIPU__COLUMN(tag) |             \
        QUIPU__COLUMN(value) | QUIPU__COLUMN(bytes) | QUIPU__COLUMN(id)
static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_io_open, OPEN_COLUMNS},
    {QUIPU_KIND_io_close, OPEN_COLUMNS},
    {QUIPU_KIND_io_begin, REQUEST_COLUMNS},
    {QUIPU_KIND_io_end, REQUEST_COLUMNS},
    {QUIPU_KIND_io_resize, QUIPU__COLUMN(object) | QUIPU__COLUMN(bytes) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_io_link, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_io_unlink, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_io_control,
     QUIPU__COLUMN(object) | QUIPU__COLUMN(id) | QUIPU__COLUMN(operation) | QUIPU__COLUMN(value)},
    {QUIPU_KIND_location_begin, 0},
    {QUIPU_KIND_location_end, 0},
};
const struct quipu__capabilities quipu__charisma_capabilities = {.kinds = kinds,
                                                                 .kind_count = sizeof kinds / sizeof *kinds,
                                                                 .definitions = QUIPU__DEFINES(locations) |
                                                                                QUIPU__DEFINES(files)};

/* ---- Attributes ---- */

/* Those that CHARISMA's own events have, of one event. */
struct attributes {
    bool has[QUIPU__CHARISMA_ATTRIBUTES];
    int64_t values[QUIPU__CHARISMA_ATTRIBUTES];
};

static const char *const known_names[QUIPU__CHARISMA_ATTRIBUTES] = {
    "memory_offset", "endtime",       "async_id", "call_time",
    "file_size",     "creation_date", "user_id",  "initial_load_size"};

/* ---- Beginning ---- */

static bool is_unique(struct quipu__map *seen, uint64_t number, bool before) {
    const bool is_new = before && quipu__map_get(seen, number) == QUIPU_NONE;
    quipu__gate_knows(quipu__map_put(seen, number, 0));
    return is_new;
}

/* Applications above locations, and numbers of clients: the format's own where they tell locations apart. */
static void number_locations(struct quipu__charisma_events *events) {
    const struct quipu_locations *list = &quipu__charisma_definitions_of(events)->locations;
    struct quipu__map seen;
    bool has_applications = false, is_native = true;
    quipu__map_init(&seen, events->writer->memory);
    for (uint32_t i = 0; i < list->count; i++) {
        has_applications |= list->items[i].kind == QUIPU_LOCATION_APPLICATION;
        is_native =
            is_unique(&seen, list->items[i].native_id, is_native) && list->items[i].native_id <= INT16_MAX;
    }
    quipu__map_release(&seen);
    for (uint32_t i = 0; i < list->count; i++) {
        struct quipu__charisma_output_location *location = &events->locations[i];
        const uint32_t parent = list->items[i].parent;
        location->is_application = list->items[i].kind == QUIPU_LOCATION_APPLICATION;
        location->id = has_applications || is_native ? (int64_t)list->items[i].native_id : i + 1;
        location->application = QUIPU_NONE;
        if (parent < i)
            location->application =
                events->locations[parent].is_application ? parent : events->locations[parent].application;
    }
}

static void find_keys(struct quipu__charisma_events *events) {
    const struct quipu_attribute_keys *keys = &quipu__charisma_definitions_of(events)->attribute_keys;
    const struct quipu_files *files = &quipu__charisma_definitions_of(events)->files;
    struct quipu__map seen;
    memset(events->keys, 0xff, sizeof events->keys);
    for (uint32_t i = 0; i < keys->count; i++)
        for (unsigned k = 0; k < QUIPU__CHARISMA_ATTRIBUTES; k++)
            if (strcmp(keys->items[i].name, known_names[k]) == 0)
                events->keys[k] = i;
    quipu__map_init(&seen, events->writer->memory);
    events->uses_native_files = true;
    for (uint32_t i = 0; i < files->count; i++)
        events->uses_native_files = is_unique(&seen, files->items[i].native_id, events->uses_native_files);
    quipu__map_release(&seen);
}

static bool begin(struct quipu__charisma_writer *writer) {
    const uint32_t count = writer->output->definitions->locations.count;
    struct quipu__charisma_events *events = quipu__alloc_zero(writer->memory, sizeof *events);
    writer->events = events;
    if (!events)
        return false;
    events->writer = writer;
    events->location_count = count;
    events->next_descriptor = QUIPU__CHARISMA_FIRST_DESCRIPTOR;
    events->next_async = 1;
    quipu__map_init(&events->descriptors, writer->memory);
    quipu__map_init(&events->in_flight_numbers, writer->memory);
    quipu__map_init(&events->position_numbers, writer->memory);
    events->locations = quipu__alloc_zero(writer->memory, (count + 1) * sizeof *events->locations);
    if (!events->locations)
        return false;
    number_locations(events);
    find_keys(events);
    return true;
}

void quipu__charisma_events_free(struct quipu__charisma_writer *writer) {
    struct quipu__charisma_events *events = writer->events;
    if (!events)
        return;
    if (events->locations)
        quipu__release(writer->memory, events->locations,
                       (events->location_count + 1) * sizeof *events->locations);
    QUIPU__VEC_RELEASE(writer->memory, &events->queue);
    QUIPU__VEC_RELEASE(writer->memory, &events->in_flight);
    QUIPU__VEC_RELEASE(writer->memory, &events->free_in_flight);
    quipu__map_release(&events->descriptors);
    quipu__map_release(&events->in_flight_numbers);
    quipu__map_release(&events->position_numbers);
    QUIPU__VEC_RELEASE(writer->memory, &events->positions);
    quipu__release(writer->memory, events, sizeof *events);
    writer->events = NULL;
}

/* ---- Locations ---- */

static bool begin_location(struct quipu__charisma_events *events, uint32_t location, int64_t time,
                           const struct attributes *attributes) {
    if (location == QUIPU_NONE) {
        if (events->loads_all)
            return true;
        events->loads_all = true;
        return quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_app_load, QUIPU_NONE, time) != NULL;
    }
    struct quipu__charisma_output_location *it = &events->locations[location];
    if (it->has_started)
        return true;
    it->has_started = true;
    if (!it->is_application && !begin_location(events, it->application, time, NULL))
        return false;
    const bool is_listed =
        !it->is_application && it->application == QUIPU_NONE && events->location_count <= UINT16_MAX;
    if (is_listed)
        return true; /* the application that stands for all names it */
    struct quipu__charisma_item *item = quipu__charisma_add_item(
        events, it->is_application ? QUIPU__CHARISMA_TYPE_app_load : QUIPU__CHARISMA_TYPE_client_join, location,
        time);
    if (item && attributes) {
        item->first = attributes->values[QUIPU__CHARISMA_ATTRIBUTE_USER_ID];
        item->second = attributes->values[QUIPU__CHARISMA_ATTRIBUTE_LOAD_SIZE];
    }
    return item != NULL;
}

static bool end_location(struct quipu__charisma_events *events, uint32_t location, int64_t time) {
    struct quipu__charisma_output_location *it = &events->locations[location];
    if (!it->has_started)
        return true;
    it->has_started = false;
    return quipu__charisma_add_item(
               events, it->is_application ? QUIPU__CHARISMA_TYPE_app_exit : QUIPU__CHARISMA_TYPE_client_leave,
               location, time) != NULL;
}

/* ---- Events ---- */

struct event {
    struct quipu__charisma_events *events;
    const struct quipu_batch *batch;
    uint32_t index, location, file;
    int64_t time;
    struct attributes attributes;
};

static bool put_open_event(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    struct quipu__charisma_item *item = quipu__charisma_open_file(event->events, event->location, event->time,
                                                                  batch->id[event->index], event->file);
    if (!item)
        return false;
    const uint32_t flags = batch->operation[event->index];
    const uint32_t access = flags & QUIPU__CHARISMA_OPEN_ACCESS;
    if (event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_CREATION_DATE] && flags <= QUIPU__CHARISMA_OPEN_ALL &&
        access != 0 && (access & (access - 1)) == 0) /* these flags are CHARISMA's */
        item->flags = (uint8_t)flags;
    item->first = event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_FILE_SIZE];
    item->second = event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_CREATION_DATE];
    return true;
}

static bool put_close_event(const struct event *event) {
    struct quipu__map *map = &event->events->descriptors;
    const uint64_t handle = event->batch->id[event->index];
    const int64_t descriptor =
        quipu__charisma_descriptor_at(event->events, event->location, handle, event->file);
    const uint32_t type = event->events->locations[event->location].is_application
                              ? QUIPU__CHARISMA_TYPE_app_close
                              : QUIPU__CHARISMA_TYPE_client_close;
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(event->events, type, event->location, event->time);
    if (!item)
        return false;
    item->descriptor = handle > QUIPU__CHARISMA_DESCRIPTORS_MOST ? 0 : (int64_t)handle;
    if (descriptor >= 0)
        item->descriptor = descriptor;
    item->first = event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_FILE_SIZE];
    quipu__map_remove(map, quipu__charisma_key_of(map, event->location, false, handle));
    quipu__map_remove(map, quipu__charisma_key_of(map, event->location, true, event->file));
    return true;
}

/* Sizes and offsets that other formats do not know. */
static int64_t known_or_zero(uint64_t value) {
    return value == QUIPU_UNKNOWN ? 0 : (int64_t)value;
}

static bool put_file_event(const struct event *event, uint32_t type, int64_t first, int64_t second) {
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(event->events, type, event->location, event->time);
    if (!item)
        return false;
    item->file = event->file;
    item->first = first;
    item->second = second;
    return true;
}

static bool put_control_event(const struct event *event) {
    const uint64_t handle = event->batch->id[event->index];
    const int64_t descriptor =
        quipu__charisma_descriptor_of(event->events, event->location, handle, event->file);
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(event->events, QUIPU__CHARISMA_TYPE_fcntl, event->location, event->time);
    if (!item)
        return false;
    item->descriptor = descriptor >= 0 ? descriptor : (int64_t)handle;
    item->first = (int64_t)event->batch->operation[event->index];
    item->second = (int64_t)event->batch->value[event->index];
    return true;
}

static uint64_t request_key(const struct event *event) {
    const struct quipu__map *map = &event->events->in_flight_numbers;
    return quipu__charisma_key_of(map, event->location, false, event->batch->id[event->index]);
}

static struct quipu__charisma_output_request *add_in_flight(const struct event *event) {
    struct quipu__charisma_events *events = event->events;
    struct quipu__memory *memory = events->writer->memory;
    struct quipu__charisma_output_request *request;
    if (events->free_in_flight.count > 0)
        request = &events->in_flight.items[events->free_in_flight.items[--events->free_in_flight.count]];
    else if (QUIPU__VEC_RESERVE(memory, &events->free_in_flight, events->in_flight.count + 1))
        request = QUIPU__VEC_ADD(memory, &events->in_flight);
    else
        return NULL;
    const uint32_t number = (uint32_t)(request - events->in_flight.items);
    return request && quipu__map_put(&events->in_flight_numbers, request_key(event), number) ? request : NULL;
}

/* ---- Requests ---- */

static bool is_transfer(uint32_t operation) {
    return operation == QUIPU_IO_READ || operation == QUIPU_IO_WRITE;
}

static bool has_file(const struct event *event) {
    return event->file < quipu__charisma_definitions_of(event->events)->files.count;
}

/* The descriptor of a request; a file that is not open is opened. Where only the end of the request knows the file, an item in
 * front of the request keeps the place for that. *out: -1 then. */
static bool find_descriptor(const struct event *event, int64_t *out) {
    struct quipu__charisma_events *events = event->events;
    const uint64_t handle = (uint64_t)event->batch->QUIPU__CHARISMA_HANDLE[event->index];
    *out = quipu__charisma_descriptor_of(events, event->location, handle, event->file);
    if (*out >= 0)
        return true;
    struct quipu__charisma_item *open =
        has_file(event)
            ? quipu__charisma_open_file(events, event->location, event->time, handle, event->file)
            : quipu__charisma_add_item(events, QUIPU__CHARISMA_NO_RECORD, event->location, event->time);
    if (!open)
        return false;
    open->waits = !has_file(event);
    *out = open->waits ? -1 : open->descriptor;
    return true;
}

/* Takes what this half of a request says and the other one has not. */
static void take_columns(const struct event *event, struct quipu__charisma_item *item) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    if (!item->has_direction && is_transfer(batch->operation[i])) {
        item->has_direction = true;
        item->flags = batch->operation[i] == QUIPU_IO_WRITE ? QUIPU__CHARISMA_WRITE : 0;
    }
    if (!item->has_offset && batch->value[i] != QUIPU_UNKNOWN) {
        item->has_offset = true;
        item->first = (int64_t)batch->value[i];
    }
    if (!item->has_size && batch->bytes[i] != QUIPU_UNKNOWN) {
        item->has_size = true;
        item->second = (int64_t)batch->bytes[i];
    }
}

static bool put_begin_event(const struct event *event) {
    struct quipu__charisma_events *events = event->events;
    int64_t descriptor;
    if (!find_descriptor(event, &descriptor))
        return false;
    struct quipu__charisma_output_request *request = add_in_flight(event);
    struct quipu__charisma_item *item =
        request ? quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_rw, event->location, event->time)
                : NULL;
    if (!item)
        return false;
    item->descriptor = descriptor;
    take_columns(event, item);
    item->memory_offset = event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_MEMORY_OFFSET];
    item->is_asynchronous = event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_RETURNED];
    item->waits = true;
    item->end =
        item->is_asynchronous ? event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_RETURNED] : event->time;
    item->async_id = event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_ASYNC_ID];
    item->request = (uint32_t)(request - events->in_flight.items);
    *request = (struct quipu__charisma_output_request){events->queue_first + events->queue.count - 1,
                                                       item->async_id, item->is_asynchronous, false};
    return true;
}

/* Makes the item that keeps the place an open, if there is still need for it. */
static bool open_late(const struct event *event, struct quipu__charisma_item *open, int64_t *out) {
    const uint64_t handle = (uint64_t)event->batch->QUIPU__CHARISMA_HANDLE[event->index];
    *out = quipu__charisma_descriptor_of(event->events, event->location, handle, event->file);
    open->waits = false;
    if (*out >= 0 || !has_file(event))
        return true;
    const bool done = quipu__charisma_set_open(event->events, open, handle, event->file);
    *out = open->descriptor;
    return done;
}

/* The end of a request whose record is still in the queue. */
static bool end_item(const struct event *event, struct quipu__charisma_item *item) {
    item->waits = false;
    item->end = item->is_asynchronous ? item->end : event->time;
    take_columns(event, item);
    if (item->descriptor < 0 && !open_late(event, item - 1, &item->descriptor))
        return false;
    if (item->has_direction && item->descriptor >= 0)
        return true;
    item->type = QUIPU__CHARISMA_NO_RECORD;
    event->events->writer->output->dropped[QUIPU_KIND_io_begin]++;
    event->events->writer->output->dropped[QUIPU_KIND_io_end]++;
    return true;
}

static bool put_asynch_end(const struct event *event, int64_t async_id) {
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(event->events, QUIPU__CHARISMA_TYPE_asynch_end, event->location, event->time);
    if (!item)
        return false;
    item->time = event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME]
                     ? event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME]
                     : event->time;
    item->end = event->time;
    item->async_id = async_id;
    quipu__charisma_sort_last(event->events);
    return true;
}

static bool put_end_event(const struct event *event) {
    struct quipu__charisma_events *events = event->events;
    const uint64_t key = request_key(event);
    const uint32_t number = quipu__map_get(&events->in_flight_numbers, key);
    if (number == QUIPU_NONE) {
        events->writer->output->dropped[QUIPU_KIND_io_end]++;
        return true;
    }
    const struct quipu__charisma_output_request request = events->in_flight.items[number];
    quipu__map_remove(&events->in_flight_numbers, key);
    events->free_in_flight.items[events->free_in_flight.count++] = number;
    if (!request.is_written && !end_item(event, &events->queue.items[request.item - events->queue_first]))
        return false;
    return !request.is_asynchronous || put_asynch_end(event, request.async_id);
}

/* Whether there can be a record for an event: it is about a file that is defined. Of an operation with two halves the second one
 * may say which one it is, and on which file. */
static bool can_put(const struct event *event) {
    const enum quipu_kind kind = (enum quipu_kind)event->batch->kind[event->index];
    if (event->location >= event->events->location_count)
        return false;
    if (kind == QUIPU_KIND_location_begin || kind == QUIPU_KIND_location_end)
        return true;
    const uint32_t operation = event->batch->operation[event->index];
    if (kind == QUIPU_KIND_io_begin)
        return is_transfer(operation) || operation == QUIPU_IO_OTHER || operation == QUIPU_NONE;
    return kind == QUIPU_KIND_io_end || kind == QUIPU_KIND_io_close || kind == QUIPU_KIND_io_control ||
           has_file(event);
}

static bool put_known(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    switch ((enum quipu_kind)batch->kind[i]) {
    case QUIPU_KIND_location_begin:
        return begin_location(event->events, event->location, event->time, &event->attributes);
    case QUIPU_KIND_location_end:
        return end_location(event->events, event->location, event->time);
    case QUIPU_KIND_io_open:
        return put_open_event(event);
    case QUIPU_KIND_io_close:
        return put_close_event(event);
    case QUIPU_KIND_io_begin:
        return put_begin_event(event);
    case QUIPU_KIND_io_end:
        return put_end_event(event);
    case QUIPU_KIND_io_resize:
        return put_file_event(event,
                              known_or_zero(batch->bytes[i]) < known_or_zero(batch->value[i])
                                  ? QUIPU__CHARISMA_TYPE_truncate
                                  : QUIPU__CHARISMA_TYPE_extend,
                              known_or_zero(batch->value[i]), known_or_zero(batch->bytes[i]));
    case QUIPU_KIND_io_link:
        return put_file_event(event, QUIPU__CHARISMA_TYPE_link, (int64_t)batch->value[i], 0);
    case QUIPU_KIND_io_unlink:
        return put_file_event(event, QUIPU__CHARISMA_TYPE_unlink, (int64_t)batch->value[i], 0);
    case QUIPU_KIND_io_control:
        return put_control_event(event);
    default:
        return true;
    }
}

static bool is_capable(enum quipu_kind kind) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return true;
    return false;
}

/* Takes the attributes of the event that have a place in records. */
static void take_attributes(struct event *event, uint32_t *cursor) {
    const struct quipu_batch *batch = event->batch;
    memset(&event->attributes, 0, sizeof event->attributes);
    for (; *cursor < batch->attribute_count && batch->attributes[*cursor].event <= event->index; ++*cursor) {
        const struct quipu_attribute *attribute = &batch->attributes[*cursor];
        for (unsigned k = 0; attribute->event == event->index && k < QUIPU__CHARISMA_ATTRIBUTES; k++) {
            if (attribute->value.key != event->events->keys[k] || attribute->value.type == QUIPU_VALUE_STRING)
                continue;
            event->attributes.has[k] = true;
            event->attributes.values[k] = attribute->value.i;
        }
    }
}

static bool put_event(struct event *event) {
    const enum quipu_kind kind = (enum quipu_kind)event->batch->kind[event->index];
    struct quipu__charisma_events *events = event->events;
    if (!can_put(event)) {
        events->writer->output->dropped[kind]++;
        return true;
    }
    const bool begins = kind == QUIPU_KIND_location_begin, ends = kind == QUIPU_KIND_location_end;
    if (!begins && !ends && !begin_location(events, event->location, event->time, NULL))
        return false;
    return put_known(event);
}

enum quipu_status quipu__charisma_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                            struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    enum quipu_status status = QUIPU_OK;
    uint32_t cursor = 0;
    if (!writer->events && !begin(writer))
        return quipu__no_memory(err, sizeof *writer->events);
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK; i++) {
        struct event event = {writer->events, batch,          i,         batch->location[i],
                              QUIPU_NONE,     batch->time[i], {{0}, {0}}};
        if (!is_capable((enum quipu_kind)batch->kind[i]))
            continue;
        event.file = batch->object[i];
        take_attributes(&event, &cursor);
        if (!writer->events->has_started)
            status = quipu__charisma_put_header(writer->events, event.time, err);
        writer->events->latest = event.time;
        if (status == QUIPU_OK && !put_event(&event))
            status = quipu__no_memory(err, sizeof(struct quipu__charisma_item));
        if (status == QUIPU_OK)
            status = quipu__charisma_put_queue(writer->events, false, err);
    }
    return status;
}

enum quipu_status quipu__charisma_end_events(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__charisma_writer *writer = quipu__charisma_writer_of(output);
    const bool is_translated = !writer->copies_records && writer->output->definitions;
    if (is_translated && !writer->events && !begin(writer)) /* there was no event */
        return quipu__no_memory(err, sizeof *writer->events);
    struct quipu__charisma_events *events = writer->events;
    if (!events)
        return QUIPU_OK;
    enum quipu_status status = events->has_started ? QUIPU_OK : quipu__charisma_put_header(events, 0, err);
    if (status == QUIPU_OK && events->loads_all &&
        !quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_app_exit, QUIPU_NONE, events->latest))
        return quipu__no_memory(err, sizeof(struct quipu__charisma_item));
    return status == QUIPU_OK ? quipu__charisma_put_queue(events, true, err) : status;
}
