/* from_model.c: events of any trace to records.
 *
 * A request is one record that stands where it begins and says when it ends, so records wait in a queue until no request in
 * front of them is without its end. One that takes too long is written as asynchronous, and ends by a record of its own.
 *
 * Traces that know no applications become one of them with all their locations as clients. Files that are used but never opened
 * are opened where they are used first: a request names a descriptor only. */
#include "core/error.h"
#include "formats/charisma/writer.h"

#include <string.h>

/* ==== Records in the order of time ==== */

/* Records of events wait until the requests in front of them have ended, and are written. One that keeps too many
 * others waiting becomes asynchronous: then its end is a record of its own. */

/* ---- Time ---- */

/* A time as a stamp of the machine. */
static struct quipu_number stamp_of(const struct quipu__charisma_events *events, int64_t time) {
    const struct quipu__charisma_profile *profile = &events->writer->codec.profile;
    const uint8_t kind = profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind;
    const int64_t counted = events->is_in_ns ? quipu_clock_ns(&events->definitions->clock, time) : time;
    const int64_t ticks = (int64_t)((uint64_t)counted + (uint64_t)events->shift);
    if (kind == QUIPU__NUMBER_FLOAT)
        return (struct quipu_number){.f = (double)ticks * (events->unit / profile->timestamp_unit),
                                     .is_real = true};
    return (struct quipu_number){.i = ticks, .is_signed = kind == QUIPU__NUMBER_SIGNED};
}

/* Chooses the unit of the stamps, and their origin: none of them is negative. */
static void set_clock(struct quipu__charisma_events *events, int64_t first_time) {
    const struct quipu_clock *clock = &events->definitions->clock;
    const double per = (double)(clock->per_seconds ? clock->per_seconds : 1);
    events->unit = clock->ticks_per_second ? per / (double)clock->ticks_per_second : 1e-9;
    events->is_in_ns = !(events->unit > 1e-12 && events->unit <= 1000);
    events->unit = events->is_in_ns ? 1e-9 : events->unit;
    events->shift = events->is_in_ns ? 0 : clock->origin;
    const int64_t first = events->is_in_ns ? quipu_clock_ns(clock, first_time) : first_time;
    if ((int64_t)((uint64_t)first + (uint64_t)events->shift) < 0)
        events->shift = (int64_t)(0 - (uint64_t)first);
}

/* ---- The header ---- */

/* Readers believe no more of anything. */
#define COUNT_MOST 10000000

/* A number of the traced machine, or what stands for it where it is not known or cannot be written. */
static int32_t count_or(uint64_t count, uint32_t otherwise) {
    return (int32_t)(count > 0 && count <= COUNT_MOST ? count : otherwise);
}

/* Nanoseconds from 1970 to the origin of the times. Traces whose date is not known, or is not one that readers accept, begin on
 * the earliest accepted one. */
static int64_t date_of(const struct quipu_clock *clock) {
    const int64_t second = 1000000000, seconds = clock->unix_origin_ns / second;
    return clock->has_unix_origin && seconds >= QUIPU__CHARISMA_EARLIEST_DATE &&
                   seconds < QUIPU__CHARISMA_LATEST_DATE
               ? clock->unix_origin_ns
               : QUIPU__CHARISMA_EARLIEST_DATE * second;
}

/* The header, with the whole second that follows the origin of the times as its date. */
static enum quipu_status put_header(struct quipu__charisma_events *events, int64_t first_time,
                                    struct quipu_error *err) {
    const struct quipu__charisma_profile *profile = &events->writer->codec.profile;
    const struct quipu_clock *clock = &events->definitions->clock;
    const struct quipu_system *system = &events->definitions->system;
    const int64_t second = 1000000000, date_ns = date_of(clock);
    const int64_t wait_ns = (second - date_ns % second) % second;
    static const struct {
        struct quipu_sized head;
        char text[17];
    } release = {{16, 0}, "written by Quipu"};
    const bool is_real = profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_FLOAT;
    set_clock(events, first_time);
    const union quipu__charisma_any any = {
        .header = {.record_type = QUIPU__CHARISMA_TYPE_header,
                   .start_date = (date_ns + wait_ns) / second,
                   .timestamp = stamp_of(events, quipu_clock_ticks(clock, wait_ns)),
                   .system_type = (uint8_t)profile->system_type,
                   .md_version = profile->md_version,
                   .release_data = release.text,
                   .num_processors =
                       count_or(system->processors, events->location_count ? events->location_count : 1),
                   .num_disks = count_or(system->disks, 0),
                   .num_IO_nodes = count_or(system->io_nodes, 1),
                   .timestamp_unit = is_real ? profile->timestamp_unit : events->unit}};
    events->has_started = true;
    return quipu__charisma_put(events->writer, QUIPU__CHARISMA_TYPE_header, &any, err);
}

/* ---- Writing a record: it gets its texts and lists ---- */

struct sized_text {
    struct quipu_sized head;
    char text[4096];
};

/* A text that a field of that length can hold with its NUL. */
static const char *sized(const struct quipu__charisma_events *events, enum quipu__charisma_length length,
                         const char *text, size_t len, struct sized_text *out) {
    size_t most = events->writer->codec.profile.lengths[length] - 1u;
    most = most < sizeof out->text ? most : sizeof out->text - 1;
    len = len < most ? len : most;
    memcpy(out->text, text, len);
    out->text[len] = '\0';
    out->head = (struct quipu_sized){(uint32_t)len, 0};
    return out->text;
}

/* The application that stands for all is loaded with all locations as its clients. */
static enum quipu_status put_load(struct quipu__charisma_events *events, struct quipu__charisma_item *item,
                                  struct quipu_error *err) {
    const bool is_all = item->location == QUIPU_NONE;
    const uint32_t count = is_all && events->location_count <= UINT16_MAX ? events->location_count : 0;
    const char *text = is_all ? "" : events->definitions->locations.items[item->location].name;
    struct quipu__charisma_app_load *load = &item->record.app_load;
    struct quipu__scratch scratch;
    struct sized_text name, path;
    quipu__scratch_init(&scratch, events->writer->memory);
    int64_t *clients = quipu__scratch_sized(&scratch, count, sizeof *clients);
    for (uint32_t i = 0; clients && i < count; i++)
        clients[i] = events->locations[i].id;
    load->name = sized(events, QUIPU__CHARISMA_NAME_LENGTH, text, strlen(text), &name);
    load->path = sized(events, QUIPU__CHARISMA_PATH_LENGTH, "", 0, &path);
    load->num_clients = (uint16_t)count;
    load->clients = clients;
    const enum quipu_status status = clients
                                         ? quipu__charisma_put(events->writer, item->type, &item->record, err)
                                         : quipu__no_memory(err, count * sizeof *clients);
    quipu__scratch_release(&scratch);
    return status;
}

/* A file's name is written as folder and name. */
static enum quipu_status put_open(struct quipu__charisma_events *events, struct quipu__charisma_item *item,
                                  struct quipu_error *err) {
    const char *whole = item->file == QUIPU_NONE ? "" : events->definitions->files.items[item->file].name;
    const char *slash = strrchr(whole, '/');
    const char *last = slash ? slash + 1 : whole;
    size_t folder = (size_t)(last - whole);
    folder -= folder > 1; /* without the slash, unless it is all */
    struct sized_text path, name;
    item->record.client_open.path = sized(events, QUIPU__CHARISMA_PATH_LENGTH, whole, folder, &path);
    item->record.client_open.name = sized(events, QUIPU__CHARISMA_NAME_LENGTH, last, strlen(last), &name);
    return quipu__charisma_put(events->writer, item->type, &item->record, err);
}

static enum quipu_status put_item(struct quipu__charisma_events *events, struct quipu__charisma_item *item,
                                  struct quipu_error *err) {
    struct quipu__charisma_single_request list = {{1, 0}, item->transfer};
    switch (item->type) {
    case QUIPU__CHARISMA_NO_RECORD:
        return QUIPU_OK;
    case QUIPU__CHARISMA_TYPE_app_load:
        return put_load(events, item, err);
    case QUIPU__CHARISMA_TYPE_app_open:
    case QUIPU__CHARISMA_TYPE_client_open:
        return put_open(events, item, err);
    case QUIPU__CHARISMA_TYPE_rw:
        item->record.rw.requests = &list.entry;
        return quipu__charisma_put(events->writer, item->type, &item->record, err);
    default:
        return quipu__charisma_put(events->writer, item->type, &item->record, err);
    }
}

/* ---- Positions in files ---- */

/* A key of maps by a location and a number that is a file's or another one. */
static uint64_t key_of(const struct quipu__map *map, uint32_t location, bool is_file, uint64_t number) {
    const uint64_t words[2] = {(uint64_t)location << 1 | is_file, number};
    return quipu__hash(words, sizeof words, map->seed);
}

/* The position of a descriptor, 0 at first; NULL when memory is out. */
static int64_t *position_of(struct quipu__charisma_events *events, uint32_t location, int64_t descriptor) {
    struct quipu__map *map = &events->position_numbers;
    const uint64_t key = key_of(map, location, false, (uint64_t)descriptor);
    const uint32_t known = quipu__map_get(map, key);
    if (known != QUIPU_NONE)
        return &events->positions.items[known];
    int64_t *position = QUIPU__VEC_ADD(events->writer->memory, &events->positions);
    return position && quipu__map_put(map, key, (uint32_t)events->positions.count - 1) ? position : NULL;
}

/* A request without an offset begins where the previous one on its descriptor ended, at 0 after an open. Items come in the order
 * of records. False when memory is out. */
static bool set_offset(struct quipu__charisma_events *events, struct quipu__charisma_item *item) {
    const bool opens = item->type == QUIPU__CHARISMA_TYPE_client_open;
    if (!opens && (item->type != QUIPU__CHARISMA_TYPE_rw || item->has_offset))
        return true;
    int64_t *position = position_of(events, item->location,
                                    opens ? item->record.client_open.file_desc : item->record.rw.file_desc);
    if (!position)
        return false;
    if (!opens)
        item->transfer.offset = *position;
    *position = opens ? 0 : (int64_t)((uint64_t)*position + (uint64_t)item->transfer.IO_size);
    return true;
}

/* ---- The queue ---- */

/* Records that wait at most. */
#define QUEUE_MOST ((size_t)1 << 16)

static void forget_written(struct quipu__charisma_events *events) {
    if (events->queue_at < QUEUE_MOST / 2 && events->queue_at < events->queue.count)
        return;
    const size_t left = events->queue.count - events->queue_at;
    if (left > 0)
        memmove(events->queue.items, events->queue.items + events->queue_at,
                left * sizeof *events->queue.items);
    events->queue_first += events->queue_at;
    events->queue.count = left;
    events->queue_at = 0;
}

/* A request that keeps too many others waiting becomes asynchronous; one with too little information is dropped. */
static void stop_waiting(struct quipu__charisma_events *events, struct quipu__charisma_item *item) {
    item->waits = false;
    if (item->request == QUIPU_NONE) /* keeps the place for an open */
        return;
    struct quipu__charisma_output_request *request = &events->in_flight.items[item->request];
    struct quipu__charisma_rw *rw = &item->record.rw;
    request->is_written = true;
    if (!item->has_direction || rw->file_desc < 0) {
        item->type = QUIPU__CHARISMA_NO_RECORD;
        events->writer->output->dropped[QUIPU_KIND_io_begin]++;
    }
    if (request->is_asynchronous || item->type == QUIPU__CHARISMA_NO_RECORD)
        return;
    rw->operation_type |= QUIPU__CHARISMA_ASYNCHRONOUS;
    request->is_asynchronous = true;
    rw->async_id = request->async_id = events->next_async++;
    rw->endtime = rw->starttime;
}

/* Writes the record of an item, and counts it when the machine cannot hold its values. */
static enum quipu_status write_item(struct quipu__charisma_events *events, struct quipu__charisma_item *item,
                                    struct quipu_error *err) {
    const uint64_t before = events->writer->narrowed;
    if (!set_offset(events, item))
        return quipu__no_memory(err, sizeof *item);
    const enum quipu_status status = put_item(events, item, err);
    if (events->writer->narrowed > before) {
        const uint64_t kinds = quipu__charisma_mapping(item->type)->kinds;
        events->writer->output->approximated[quipu__trailing_zeros(kinds)]++;
    }
    return status;
}

/* Writes what waits for nothing, or all. */
static enum quipu_status put_queue(struct quipu__charisma_events *events, bool all, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && events->queue_at < events->queue.count) {
        struct quipu__charisma_item *item = &events->queue.items[events->queue_at];
        if (item->waits && (all || events->queue.count - events->queue_at > QUEUE_MOST))
            stop_waiting(events, item);
        if (item->waits)
            break;
        status = write_item(events, item, err);
        events->queue_at++;
    }
    forget_written(events);
    return status;
}

/* The new last item, with type and stamp; NULL when memory is out. Borrowed until the next one. */
static struct quipu__charisma_item *quipu__charisma_add_item(struct quipu__charisma_events *events,
                                                             uint32_t type, uint32_t location, int64_t time) {
    struct quipu__charisma_item *item = QUIPU__VEC_ADD(events->writer->memory, &events->queue);
    if (!item)
        return NULL;
    *item = (struct quipu__charisma_item){
        .type = (uint8_t)type, .location = location, .file = QUIPU_NONE, .request = QUIPU_NONE, .time = time};
    item->record.app_exit = (struct quipu__charisma_app_exit){
        .record_type = (uint16_t)type, .timestamp = stamp_of(events, time)}; /* all begin so */
    return item;
}

/* Moves the last item in front of those that are later. */
static void sort_last(struct quipu__charisma_events *events) {
    struct quipu__charisma_item *items = events->queue.items;
    size_t i = events->queue.count - 1;
    const struct quipu__charisma_item last = items[i];
    for (; i > events->queue_at && items[i - 1].time > last.time; i--) {
        items[i] = items[i - 1];
        if (items[i].request != QUIPU_NONE && items[i].waits)
            events->in_flight.items[items[i].request].item++;
    }
    items[i] = last;
}

/* ==== Events ==== */

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

/* Descriptors that are given to files. */
#define FIRST_DESCRIPTOR 3
#define DESCRIPTORS_MOST 32767

static bool is_unique(struct quipu__map *seen, uint64_t number, bool before) {
    const bool is_new = before && quipu__map_get(seen, number) == QUIPU_NONE;
    quipu__gate_knows(quipu__map_put(seen, number, 0));
    return is_new;
}

/* Applications above locations, and numbers of clients: the format's own where they tell locations apart. */
static void number_locations(struct quipu__charisma_events *events) {
    const struct quipu_locations *list = &events->definitions->locations;
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
    const struct quipu_attribute_keys *keys = &events->definitions->attribute_keys;
    const struct quipu_files *files = &events->definitions->files;
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
    events->definitions = writer->output->definitions;
    events->location_count = count;
    events->next_descriptor = FIRST_DESCRIPTOR;
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

/* ---- Descriptors: requests name one only; events of other formats name a handle, a file, or both ---- */

static bool is_handle(uint64_t handle) {
    return handle != QUIPU_UNKNOWN && handle != QUIPU_NONE;
}

/* The descriptor that a handle, or else a file, has at a location; -1 when it is not open. */
static int64_t descriptor_at(const struct quipu__charisma_events *events, uint32_t location, uint64_t handle,
                             uint32_t file) {
    const struct quipu__map *map = &events->descriptors;
    uint32_t found = is_handle(handle) ? quipu__map_get(map, key_of(map, location, false, handle)) : QUIPU_NONE;
    if (found == QUIPU_NONE && file != QUIPU_NONE)
        found = quipu__map_get(map, key_of(map, location, true, file));
    return found == QUIPU_NONE ? -1 : (int64_t)found;
}

/* The same, or that of the location's application. */
static int64_t descriptor_of(const struct quipu__charisma_events *events, uint32_t location, uint64_t handle,
                             uint32_t file) {
    const int64_t own = descriptor_at(events, location, handle, file);
    const uint32_t application = events->locations[location].application;
    return own >= 0 || application == QUIPU_NONE ? own : descriptor_at(events, application, handle, file);
}

static int64_t new_descriptor(struct quipu__charisma_events *events) {
    const int64_t descriptor = events->next_descriptor++;
    if (events->next_descriptor > DESCRIPTORS_MOST)
        events->next_descriptor = FIRST_DESCRIPTOR;
    return descriptor;
}

static struct quipu_number file_id_of(const struct quipu__charisma_events *events, uint32_t file) {
    const uint64_t id =
        events->uses_native_files ? events->definitions->files.items[file].native_id : file + UINT64_C(1);
    return (struct quipu_number){.i = (int64_t)id};
}

/* Makes an item the open of a file at its location; handles that are no descriptors get one. False when memory is out. */
static bool set_open(struct quipu__charisma_events *events, struct quipu__charisma_item *item, uint64_t handle,
                     uint32_t file) {
    struct quipu__map *map = &events->descriptors;
    const struct quipu__charisma_output_location *location = &events->locations[item->location];
    const int64_t descriptor = handle > DESCRIPTORS_MOST ? new_descriptor(events) : (int64_t)handle;
    item->type = location->is_application ? QUIPU__CHARISMA_TYPE_app_open : QUIPU__CHARISMA_TYPE_client_open;
    item->file = file;
    item->record.client_open = /* APP_OPEN has the application in the client's place */
        (struct quipu__charisma_client_open){.record_type = item->type,
                                             .timestamp = stamp_of(events, item->time),
                                             .client_id = location->id,
                                             .file_id = file_id_of(events, file),
                                             .file_desc = descriptor,
                                             .open_flags = QUIPU__CHARISMA_OPEN_READ_WRITE};
    return (!is_handle(handle) ||
            quipu__map_put(map, key_of(map, item->location, false, handle), (uint32_t)descriptor)) &&
           quipu__map_put(map, key_of(map, item->location, true, file), (uint32_t)descriptor);
}

/* ---- Events ---- */

struct event {
    struct quipu__charisma_events *events;
    const struct quipu_batch *batch;
    uint32_t index, location, file;
    int64_t time;
    struct attributes attributes;
};

static int64_t attribute_of(const struct event *event, enum quipu__charisma_attribute attribute) {
    return event->attributes.values[attribute];
}

static uint64_t handle_of_request(const struct event *event) {
    return (uint64_t)event->batch->QUIPU__CHARISMA_HANDLE[event->index];
}

static struct quipu__charisma_item *add_item(const struct event *event, uint32_t type) {
    return quipu__charisma_add_item(event->events, type, event->location, event->time);
}

/* The number of a client or an application. */
static int64_t id_of(const struct event *event) {
    return event->events->locations[event->location].id;
}

static struct quipu__charisma_item *open_file(const struct event *event, uint64_t handle) {
    struct quipu__charisma_item *item = add_item(event, QUIPU__CHARISMA_NO_RECORD);
    return item && set_open(event->events, item, handle, event->file) ? item : NULL;
}

/* ---- Locations ---- */

/* The application that stands for all. */
#define ONLY_APPLICATION 1

static int64_t application_id_of(const struct quipu__charisma_events *events, uint32_t location) {
    if (location == QUIPU_NONE)
        return ONLY_APPLICATION;
    const struct quipu__charisma_output_location *it = &events->locations[location];
    return it->is_application ? it->id : application_id_of(events, it->application);
}

static bool load_application(struct quipu__charisma_events *events, uint32_t location, int64_t time,
                             const struct attributes *attributes) {
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_app_load, location, time);
    if (!item)
        return false;
    struct quipu__charisma_app_load *load = &item->record.app_load;
    load->appl_id = application_id_of(events, location);
    load->user_id = attributes ? attributes->values[QUIPU__CHARISMA_ATTRIBUTE_USER_ID] : 0;
    load->initial_load_size =
        attributes ? (uint64_t)attributes->values[QUIPU__CHARISMA_ATTRIBUTE_LOAD_SIZE] : 0;
    return true;
}

/* A client joins its application, or leaves it. */
static bool put_client(struct quipu__charisma_events *events, uint32_t type, uint32_t location, int64_t time) {
    struct quipu__charisma_item *item = quipu__charisma_add_item(events, type, location, time);
    if (!item)
        return false;
    item->record.client_join.appl_id = application_id_of(events, events->locations[location].application);
    item->record.client_join.client_id = events->locations[location].id;
    return true;
}

static bool begin_location(struct quipu__charisma_events *events, uint32_t location, int64_t time,
                           const struct attributes *attributes) {
    if (location == QUIPU_NONE) {
        const bool is_loaded = events->loads_all;
        events->loads_all = true;
        return is_loaded || load_application(events, QUIPU_NONE, time, NULL);
    }
    struct quipu__charisma_output_location *it = &events->locations[location];
    if (it->has_started)
        return true;
    it->has_started = true;
    if (it->is_application)
        return load_application(events, location, time, attributes);
    if (!begin_location(events, it->application, time, NULL))
        return false;
    if (it->application == QUIPU_NONE && events->location_count <= UINT16_MAX)
        return true; /* the application that stands for all names it */
    return put_client(events, QUIPU__CHARISMA_TYPE_client_join, location, time);
}

/* An application and all its clients are done. */
static bool exit_application(struct quipu__charisma_events *events, uint32_t location, int64_t time) {
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_app_exit, location, time);
    if (item)
        item->record.app_exit.appl_id = application_id_of(events, location);
    return item != NULL;
}

static bool end_location(struct quipu__charisma_events *events, uint32_t location, int64_t time) {
    struct quipu__charisma_output_location *it = &events->locations[location];
    if (!it->has_started) {
        events->writer->output->dropped[QUIPU_KIND_location_end]++;
        return true;
    }
    it->has_started = false;
    return it->is_application ? exit_application(events, location, time)
                              : put_client(events, QUIPU__CHARISMA_TYPE_client_leave, location, time);
}

/* ---- Files ---- */

static bool put_open_event(const struct event *event) {
    const struct quipu_batch *batch = event->batch;
    struct quipu__charisma_item *item = open_file(event, batch->id[event->index]);
    if (!item)
        return false;
    struct quipu__charisma_client_open *open = &item->record.client_open;
    const uint32_t flags = batch->operation[event->index];
    const uint32_t access = flags & QUIPU__CHARISMA_OPEN_ACCESS;
    if (event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_CREATION_DATE] && flags <= QUIPU__CHARISMA_OPEN_ALL &&
        access != 0 && (access & (access - 1)) == 0) /* these flags are CHARISMA's */
        open->open_flags = (uint8_t)flags;
    open->file_size = attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_FILE_SIZE);
    open->creation_date = attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_CREATION_DATE);
    return true;
}

static bool put_close_event(const struct event *event) {
    struct quipu__map *map = &event->events->descriptors;
    const uint64_t handle = event->batch->id[event->index];
    const int64_t descriptor = descriptor_at(event->events, event->location, handle, event->file);
    const uint32_t type = event->events->locations[event->location].is_application
                              ? QUIPU__CHARISMA_TYPE_app_close
                              : QUIPU__CHARISMA_TYPE_client_close;
    struct quipu__charisma_item *item = add_item(event, type);
    if (!item)
        return false;
    struct quipu__charisma_client_close *close = &item->record.client_close;
    close->client_id = id_of(event);
    close->file_desc = handle > DESCRIPTORS_MOST ? 0 : (int64_t)handle;
    if (descriptor >= 0)
        close->file_desc = descriptor;
    close->file_size = attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_FILE_SIZE);
    quipu__map_remove(map, key_of(map, event->location, false, handle));
    quipu__map_remove(map, key_of(map, event->location, true, event->file));
    return true;
}

/* Sizes and offsets that other formats do not know. */
static int64_t known_or_zero(uint64_t value) {
    return value == QUIPU_UNKNOWN ? 0 : (int64_t)value;
}

static bool put_resize_event(const struct event *event) {
    const int64_t before = known_or_zero(event->batch->value[event->index]);
    const int64_t after = known_or_zero(event->batch->bytes[event->index]);
    struct quipu__charisma_item *item =
        add_item(event, after < before ? QUIPU__CHARISMA_TYPE_truncate : QUIPU__CHARISMA_TYPE_extend);
    if (!item)
        return false;
    item->record.extend.client_id = id_of(event);
    item->record.extend.file_id = file_id_of(event->events, event->file);
    item->record.extend.original_size = before;
    item->record.extend.new_size = after;
    return true;
}

static bool put_link_event(const struct event *event, uint32_t type) {
    struct quipu__charisma_item *item = add_item(event, type);
    if (!item)
        return false;
    item->record.link.client_id = id_of(event);
    item->record.link.file_id = file_id_of(event->events, event->file);
    item->record.link.new_link_count = (uint16_t)event->batch->value[event->index];
    return true;
}

static bool put_control_event(const struct event *event) {
    const uint64_t handle = event->batch->id[event->index];
    const int64_t descriptor = descriptor_of(event->events, event->location, handle, event->file);
    struct quipu__charisma_item *item = add_item(event, QUIPU__CHARISMA_TYPE_fcntl);
    if (!item)
        return false;
    item->record.fcntl.client_id = id_of(event);
    item->record.fcntl.file_desc.i = descriptor >= 0 ? descriptor : (int64_t)handle;
    item->record.fcntl.request = (int64_t)event->batch->operation[event->index];
    item->record.fcntl.arg = (int64_t)event->batch->value[event->index];
    return true;
}

/* ---- Requests ---- */

static uint64_t request_key(const struct event *event) {
    const struct quipu__map *map = &event->events->in_flight_numbers;
    return key_of(map, event->location, false, event->batch->id[event->index]);
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

static bool is_transfer(uint32_t operation) {
    return operation == QUIPU_IO_READ || operation == QUIPU_IO_WRITE;
}

static bool has_file(const struct event *event) {
    return event->file < event->events->definitions->files.count;
}

/* The descriptor of a request; a file that is not open is opened. Where only the end of the request knows the file, an item in
 * front of the request keeps the place for that. *out: -1 then. */
static bool find_descriptor(const struct event *event, int64_t *out) {
    const uint64_t handle = handle_of_request(event);
    *out = descriptor_of(event->events, event->location, handle, event->file);
    if (*out >= 0)
        return true;
    struct quipu__charisma_item *open =
        has_file(event) ? open_file(event, handle) : add_item(event, QUIPU__CHARISMA_NO_RECORD);
    if (!open)
        return false;
    open->waits = !has_file(event);
    *out = open->waits ? -1 : open->record.client_open.file_desc;
    return true;
}

/* Takes what this half of a request says and the other one has not. */
static void take_columns(const struct event *event, struct quipu__charisma_item *item) {
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    if (!item->has_direction && is_transfer(batch->operation[i])) {
        item->has_direction = true;
        item->record.rw.operation_type |= batch->operation[i] == QUIPU_IO_WRITE ? QUIPU__CHARISMA_WRITE : 0;
    }
    if (!item->has_offset && batch->value[i] != QUIPU_UNKNOWN) {
        item->has_offset = true;
        item->transfer.offset = (int64_t)batch->value[i];
    }
    if (!item->has_size && batch->bytes[i] != QUIPU_UNKNOWN) {
        item->has_size = true;
        item->transfer.IO_size = (int64_t)batch->bytes[i];
    }
}

static bool put_begin_event(const struct event *event) {
    struct quipu__charisma_events *events = event->events;
    const bool is_asynchronous = event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_RETURNED];
    int64_t descriptor;
    if (!find_descriptor(event, &descriptor))
        return false;
    struct quipu__charisma_output_request *request = add_in_flight(event);
    struct quipu__charisma_item *item = request ? add_item(event, QUIPU__CHARISMA_TYPE_rw) : NULL;
    if (!item)
        return false;
    struct quipu__charisma_rw *rw = &item->record.rw;
    rw->endtime = rw->starttime;
    rw->file_desc = descriptor;
    rw->operation_type = QUIPU__CHARISMA_OF_CLIENT;
    rw->appl_id = events->writer->codec.profile.no_app;
    rw->num_clients = 1;
    if (is_asynchronous) {
        rw->operation_type |= QUIPU__CHARISMA_ASYNCHRONOUS;
        rw->endtime = stamp_of(events, attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_RETURNED));
        rw->async_id = attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_ASYNC_ID);
    }
    item->transfer.client_id = id_of(event);
    item->transfer.memory_offset = (uint64_t)attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_MEMORY_OFFSET);
    take_columns(event, item);
    item->waits = true;
    item->request = (uint32_t)(request - events->in_flight.items);
    *request = (struct quipu__charisma_output_request){events->queue_first + events->queue.count - 1,
                                                       rw->async_id, is_asynchronous, false};
    return true;
}

/* Makes the item that keeps the place an open, if there is still need for it. */
static bool open_late(const struct event *event, struct quipu__charisma_item *open, int64_t *out) {
    const uint64_t handle = handle_of_request(event);
    *out = descriptor_of(event->events, event->location, handle, event->file);
    open->waits = false;
    if (*out >= 0 || !has_file(event))
        return true;
    const bool done = set_open(event->events, open, handle, event->file);
    *out = open->record.client_open.file_desc;
    return done;
}

/* The end of a request whose record is still in the queue. */
static bool end_item(const struct event *event, struct quipu__charisma_item *item) {
    struct quipu__charisma_rw *rw = &item->record.rw;
    item->waits = false;
    if (!(rw->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS))
        rw->endtime = stamp_of(event->events, event->time);
    take_columns(event, item);
    if (rw->file_desc < 0 && !open_late(event, item - 1, &rw->file_desc))
        return false;
    if (item->has_direction && rw->file_desc >= 0)
        return true;
    item->type = QUIPU__CHARISMA_NO_RECORD;
    event->events->writer->output->dropped[QUIPU_KIND_io_begin]++;
    event->events->writer->output->dropped[QUIPU_KIND_io_end]++;
    return true;
}

static bool put_asynch_end(const struct event *event, int64_t async_id) {
    const bool has_call = event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME];
    const int64_t time = has_call ? attribute_of(event, QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME) : event->time;
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(event->events, QUIPU__CHARISMA_TYPE_asynch_end, event->location, time);
    if (!item)
        return false;
    item->record.asynch_end.end_time = stamp_of(event->events, event->time);
    item->record.asynch_end.async_id = async_id;
    item->record.asynch_end.client_id = id_of(event);
    item->record.asynch_end.appl_id = event->events->writer->codec.profile.no_app;
    sort_last(event->events);
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

/* ---- An event ---- */

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
    switch ((enum quipu_kind)event->batch->kind[event->index]) {
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
        return put_resize_event(event);
    case QUIPU_KIND_io_link:
        return put_link_event(event, QUIPU__CHARISMA_TYPE_link);
    case QUIPU_KIND_io_unlink:
        return put_link_event(event, QUIPU__CHARISMA_TYPE_unlink);
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
            status = put_header(writer->events, event.time, err);
        writer->events->latest = event.time;
        if (status == QUIPU_OK && !put_event(&event))
            status = quipu__no_memory(err, sizeof(struct quipu__charisma_item));
        if (status == QUIPU_OK)
            status = put_queue(writer->events, false, err);
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
    enum quipu_status status = events->has_started ? QUIPU_OK : put_header(events, 0, err);
    if (status == QUIPU_OK && events->loads_all && !exit_application(events, QUIPU_NONE, events->latest))
        return quipu__no_memory(err, sizeof(struct quipu__charisma_item));
    return status == QUIPU_OK ? put_queue(events, true, err) : status;
}
