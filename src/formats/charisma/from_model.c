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
                                                                 .kind_count = sizeof kinds / sizeof *kinds};

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
    quipu__release(writer->memory, events, sizeof *events);
    writer->events = NULL;
}

<<<<<<< HEAD
=======
/* ---- Time ---- */

static struct quipu_number stamp_of(const struct quipu__charisma_events *events, int64_t time) {
    const struct quipu__charisma_profile *profile = &events->writer->codec.profile;
    const uint8_t kind = profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind;
    const int64_t ticks = (int64_t)((uint64_t)time + (uint64_t)events->shift);
    if (kind == QUIPU__NUMBER_FLOAT)
        return (struct quipu_number){.f = (double)ticks * (events->unit / profile->timestamp_unit),
                                     .is_real = true};
    return (struct quipu_number){.i = ticks, .is_signed = kind == QUIPU__NUMBER_SIGNED};
}

/* Traces that do not know their date begin on this one, the earliest that readers believe. */
#define NO_DATE INT64_C(473385600)

/* Readers believe no more of anything. */
#define COUNT_MOST 10000000

/* A number of the traced machine, or what stands for it where it is not known or cannot be written. */
static int32_t count_or(uint64_t count, uint32_t otherwise) {
    return (int32_t)(count > 0 && count <= COUNT_MOST ? count : otherwise);
}

/* The header, with the whole second that follows the origin of the times as its date. */
static enum quipu_status put_header(struct quipu__charisma_events *events, int64_t first_time,
                                    struct quipu_error *err) {
    struct quipu__charisma_writer *writer = events->writer;
    const struct quipu__charisma_profile *profile = &writer->codec.profile;
    const struct quipu_clock *clock = &definitions_of(events)->clock;
    const struct quipu_system *system = &definitions_of(events)->system;
    const int64_t second = 1000000000;
    const int64_t date_ns = clock->has_unix_origin ? clock->unix_origin_ns : NO_DATE * second;
    const int64_t wait_ns = (second - date_ns % second) % second;
    static const struct {
        struct quipu_sized head;
        char text[17];
    } release = {{16, 0}, "written by Quipu"};
    const double per = (double)(clock->per_seconds ? clock->per_seconds : 1);
    events->unit = clock->ticks_per_second ? per / (double)clock->ticks_per_second : 1e-9;
    events->shift = clock->origin;
    if ((int64_t)((uint64_t)first_time + (uint64_t)events->shift) < 0)
        events->shift = (int64_t)(0 - (uint64_t)first_time);
    const bool is_real = profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_FLOAT;
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
    return quipu__charisma_put(writer, QUIPU__CHARISMA_TYPE_header, &any, err);
}

/* ---- Records out of items ---- */

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

/* A file's name as folder and name. */
static void split_name(const struct quipu__charisma_events *events, uint32_t file, struct sized_text *path,
                       struct sized_text *name) {
    const char *whole = file == QUIPU_NONE ? "" : definitions_of(events)->files.items[file].name;
    const char *slash = strrchr(whole, '/');
    const char *last = slash ? slash + 1 : whole;
    const size_t folder = slash == whole && slash ? 1 : slash ? (size_t)(slash - whole) : 0;
    sized(events, QUIPU__CHARISMA_PATH_LENGTH, whole, folder, path);
    sized(events, QUIPU__CHARISMA_NAME_LENGTH, last, strlen(last), name);
}

static struct quipu_number file_id_of(const struct quipu__charisma_events *events, uint32_t file) {
    const uint64_t id =
        events->uses_native_files ? definitions_of(events)->files.items[file].native_id : file + UINT64_C(1);
    return (struct quipu_number){.i = (int64_t)id};
}

static int64_t application_id_of(const struct quipu__charisma_events *events, uint32_t location) {
    if (location == QUIPU_NONE)
        return ONLY_APPLICATION;
    const struct location *it = &events->locations[location];
    return it->is_application ? it->id : application_id_of(events, it->application);
}

/* The application that stands for all is loaded with all locations as its clients. */
static enum quipu_status put_load(struct quipu__charisma_events *events, const struct item *item,
                                  struct quipu_error *err) {
    const bool is_all = item->location == QUIPU_NONE;
    const uint32_t count = is_all && events->location_count <= UINT16_MAX ? events->location_count : 0;
    struct quipu__scratch scratch;
    struct sized_text name, path;
    quipu__scratch_init(&scratch, events->writer->memory);
    int64_t *clients = quipu__scratch_sized(&scratch, count, sizeof *clients);
    for (uint32_t i = 0; clients && i < count; i++)
        clients[i] = events->locations[i].id;
    const char *text = is_all ? "" : definitions_of(events)->locations.items[item->location].name;
    const union quipu__charisma_any any = {
        .app_load = {.record_type = QUIPU__CHARISMA_TYPE_app_load,
                     .timestamp = stamp_of(events, item->time),
                     .name = sized(events, QUIPU__CHARISMA_NAME_LENGTH, text, strlen(text), &name),
                     .path = sized(events, QUIPU__CHARISMA_PATH_LENGTH, "", 0, &path),
                     .user_id = item->first,
                     .initial_load_size = (uint64_t)item->second,
                     .appl_id = application_id_of(events, item->location),
                     .num_clients = (uint16_t)count,
                     .clients = clients}};
    const enum quipu_status status =
        clients ? quipu__charisma_put(events->writer, QUIPU__CHARISMA_TYPE_app_load, &any, err)
                : quipu__no_memory(err, count * sizeof *clients);
    quipu__scratch_release(&scratch);
    return status;
}

static enum quipu_status put_open(struct quipu__charisma_events *events, const struct item *item,
                                  struct quipu_error *err) {
    struct sized_text path, name;
    split_name(events, item->file, &path, &name);
    const struct quipu__charisma_client_open open = {.record_type = item->type,
                                                     .timestamp = stamp_of(events, item->time),
                                                     .client_id = events->locations[item->location].id,
                                                     .name = name.text,
                                                     .path = path.text,
                                                     .file_id = file_id_of(events, item->file),
                                                     .file_desc = item->descriptor,
                                                     .file_size = item->first,
                                                     .creation_date = item->second,
                                                     .open_flags = item->flags};
    const union quipu__charisma_any any = {.client_open =
                                               open}; /* APP_OPEN has the application in the client's place */
    return quipu__charisma_put(events->writer, item->type, &any, err);
}

static enum quipu_status put_request(struct quipu__charisma_events *events, const struct item *item,
                                     struct quipu_error *err) {
    struct quipu__charisma_single_request list = {{1, 0},
                                                  {.offset = item->first,
                                                   .memory_offset = (uint64_t)item->memory_offset,
                                                   .IO_size = item->second,
                                                   .client_id = events->locations[item->location].id}};
    const union quipu__charisma_any any = {
        .rw = {.record_type = QUIPU__CHARISMA_TYPE_rw,
               .starttime = stamp_of(events, item->time),
               .endtime = stamp_of(events, item->end),
               .file_desc = item->descriptor,
               .operation_type = (uint8_t)(item->flags | QUIPU__CHARISMA_OF_CLIENT |
                                           (item->is_asynchronous ? QUIPU__CHARISMA_ASYNCHRONOUS : 0)),
               .async_id = item->is_asynchronous ? item->async_id : 0,
               .appl_id = events->writer->codec.profile.no_app,
               .num_clients = 1,
               .requests = &list.entry}};
    return quipu__charisma_put(events->writer, QUIPU__CHARISMA_TYPE_rw, &any, err);
}

/* The records without texts and lists. */
static void make_plain(const struct quipu__charisma_events *events, const struct item *item,
                       union quipu__charisma_any *any) {
    const struct quipu_number stamp = stamp_of(events, item->time);
    const int64_t id = item->location == QUIPU_NONE ? ONLY_APPLICATION : events->locations[item->location].id;
    switch ((enum quipu__charisma_type)item->type) {
    case QUIPU__CHARISMA_TYPE_app_exit:
        any->app_exit =
            (struct quipu__charisma_app_exit){item->type, stamp, application_id_of(events, item->location)};
        break;
    case QUIPU__CHARISMA_TYPE_client_join:
    case QUIPU__CHARISMA_TYPE_client_leave:
        any->client_join = (struct quipu__charisma_client_join){
            item->type, stamp, application_id_of(events, events->locations[item->location].application), id};
        break;
    case QUIPU__CHARISMA_TYPE_app_close:
    case QUIPU__CHARISMA_TYPE_client_close:
        any->client_close =
            (struct quipu__charisma_client_close){item->type, stamp, id, item->descriptor, item->first};
        break;
    case QUIPU__CHARISMA_TYPE_extend:
    case QUIPU__CHARISMA_TYPE_truncate:
        any->extend = (struct quipu__charisma_extend){
            item->type, stamp, id, file_id_of(events, item->file), item->first, item->second};
        break;
    case QUIPU__CHARISMA_TYPE_link:
    case QUIPU__CHARISMA_TYPE_unlink:
        any->link = (struct quipu__charisma_link){item->type, stamp, id, file_id_of(events, item->file),
                                                  (uint16_t)item->first};
        break;
    case QUIPU__CHARISMA_TYPE_asynch_end:
        any->asynch_end =
            (struct quipu__charisma_asynch_end){item->type,     stamp, stamp_of(events, item->end),
                                                item->async_id, id,    events->writer->codec.profile.no_app};
        break;
    case QUIPU__CHARISMA_TYPE_fcntl:
        any->fcntl = (struct quipu__charisma_fcntl){item->type,  stamp,       id, {.i = item->descriptor},
                                                    item->first, item->second};
        break;
    default:
        break;
    }
}

static enum quipu_status put_item(struct quipu__charisma_events *events, const struct item *item,
                                  struct quipu_error *err) {
    union quipu__charisma_any any = {.app_exit = {.record_type = 0}};
    switch ((enum quipu__charisma_type)item->type) {
    case QUIPU__CHARISMA_TYPE_app_load:
        return put_load(events, item, err);
    case QUIPU__CHARISMA_TYPE_app_open:
    case QUIPU__CHARISMA_TYPE_client_open:
        return put_open(events, item, err);
    case QUIPU__CHARISMA_TYPE_rw:
        return put_request(events, item, err);
    default:
        make_plain(events, item, &any);
        return quipu__charisma_put(events->writer, item->type, &any, err);
    }
}

/* ---- The queue ---- */

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

/* A request that keeps too many others waiting becomes asynchronous. */
static void stop_waiting(struct quipu__charisma_events *events, struct item *item) {
    struct in_flight *request = &events->in_flight.items[item->request];
    item->waits = false;
    request->is_written = true;
    if (item->is_asynchronous)
        return;
    item->is_asynchronous = request->is_asynchronous = true;
    item->async_id = request->async_id = events->next_async++;
    item->end = item->time;
}

/* Writes what waits for nothing. */
static enum quipu_status put_queue(struct quipu__charisma_events *events, bool all, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && events->queue_at < events->queue.count) {
        struct item *item = &events->queue.items[events->queue_at];
        if (item->waits && (all || events->queue.count - events->queue_at > QUEUE_MOST))
            stop_waiting(events, item);
        if (item->waits)
            break;
        status = put_item(events, item, err);
        events->queue_at++;
    }
    forget_written(events);
    return status;
}

static struct item *add_item(struct quipu__charisma_events *events, uint32_t type, uint32_t location,
                             int64_t time) {
    struct item *item = QUIPU__VEC_ADD(events->writer->memory, &events->queue);
    if (item)
        *item = (struct item){.type = (uint8_t)type,
                              .location = location,
                              .file = QUIPU_NONE,
                              .request = QUIPU_NONE,
                              .time = time,
                              .end = time};
    return item;
}

/* Moves the last item in front of those that are later. */
static void sort_last(struct quipu__charisma_events *events) {
    struct item *items = events->queue.items;
    size_t i = events->queue.count - 1;
    const struct item last = items[i];
    for (; i > events->queue_at && items[i - 1].time > last.time; i--) {
        items[i] = items[i - 1];
        if (items[i].request != QUIPU_NONE && items[i].waits)
            events->in_flight.items[items[i].request].item++;
    }
    items[i] = last;
}

>>>>>>> 7f579d5 (analysis: io: files, sizes, strides, sharing, time, Darshan's estimate, and the figures of the CHARISMA study)
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

static bool put_begin_event(const struct event *event) {
    struct quipu__charisma_events *events = event->events;
    const struct quipu_batch *batch = event->batch;
    const uint32_t i = event->index;
    const uint64_t handle = (uint64_t)batch->QUIPU__CHARISMA_HANDLE[i];
    int64_t descriptor = quipu__charisma_descriptor_of(events, event->location, handle, event->file);
    if (descriptor < 0) {
        const struct quipu__charisma_item *open =
            quipu__charisma_open_file(events, event->location, event->time, handle, event->file);
        if (!open)
            return false;
        descriptor = open->descriptor;
    }
    struct quipu__charisma_output_request *request = add_in_flight(event);
    struct quipu__charisma_item *item =
        request ? quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_rw, event->location, event->time)
                : NULL;
    if (!item)
        return false;
    item->descriptor = descriptor;
    item->flags = batch->operation[i] == QUIPU_IO_WRITE ? QUIPU__CHARISMA_WRITE : 0;
    item->first = known_or_zero(batch->value[i]);
    item->second = known_or_zero(batch->bytes[i]);
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
    if (!request.is_written) {
        struct quipu__charisma_item *item = &events->queue.items[request.item - events->queue_first];
        item->waits = false;
        item->end = request.is_asynchronous ? item->end : event->time;
    }
    if (!request.is_asynchronous)
        return true;
    struct quipu__charisma_item *item =
        quipu__charisma_add_item(events, QUIPU__CHARISMA_TYPE_asynch_end, event->location, event->time);
    if (!item)
        return false;
    item->time = event->attributes.has[QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME]
                     ? event->attributes.values[QUIPU__CHARISMA_ATTRIBUTE_CALL_TIME]
                     : event->time;
    item->end = event->time;
    item->async_id = request.async_id;
    quipu__charisma_sort_last(events);
    return true;
}

static bool is_transfer(const struct quipu_batch *batch, uint32_t i) {
    return batch->operation[i] == QUIPU_IO_READ || batch->operation[i] == QUIPU_IO_WRITE;
}

/* Whether there is a record for an event: it is about a file that is defined, and a transfer when it is one of two halves. */
static bool can_put(const struct event *event) {
    const enum quipu_kind kind = (enum quipu_kind)event->batch->kind[event->index];
    if (event->location >= event->events->location_count)
        return false;
    if (kind == QUIPU_KIND_location_begin || kind == QUIPU_KIND_location_end)
        return true;
    if (kind == QUIPU_KIND_io_begin || kind == QUIPU_KIND_io_end)
        return is_transfer(event->batch, event->index) &&
               event->file < quipu__charisma_definitions_of(event->events)->files.count;
    return kind == QUIPU_KIND_io_control ||
           event->file < quipu__charisma_definitions_of(event->events)->files.count;
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

enum quipu_status quipu__charisma_events_finish(struct quipu__charisma_writer *writer,
                                                struct quipu_error *err) {
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
