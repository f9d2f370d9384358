/* items.c: the records that items of the queue become, in the terms of the output's machine. */
#include "formats/charisma/from_model.h"

#include "core/error.h"

#include <string.h>

/* ---- Time ---- */

static struct quipu_number stamp_of(const struct quipu__charisma_events *events, int64_t time) {
    const struct quipu__charisma_profile *profile = &events->writer->codec.profile;
    const uint8_t kind = profile->types[QUIPU__CHARISMA_WIRE_TimestampType].kind;
    const struct quipu_clock *clock = &quipu__charisma_definitions_of(events)->clock;
    const int64_t counted = events->is_in_ns ? quipu_clock_ns(clock, time) : time;
    const int64_t ticks = (int64_t)((uint64_t)counted + (uint64_t)events->shift);
    if (kind == QUIPU__NUMBER_FLOAT)
        return (struct quipu_number){.f = (double)ticks * (events->unit / profile->timestamp_unit),
                                     .is_real = true};
    return (struct quipu_number){.i = ticks, .is_signed = kind == QUIPU__NUMBER_SIGNED};
}

/* Traces that do not know their date begin on this one, the earliest that readers believe. */

/* Readers believe no more of anything. */
#define COUNT_MOST 10000000

/* A number of the traced machine, or what stands for it where it is not known or cannot be written. */
static int32_t count_or(uint64_t count, uint32_t otherwise) {
    return (int32_t)(count > 0 && count <= COUNT_MOST ? count : otherwise);
}

/* Nanoseconds from 1970 to the origin of the times; dates that no header has are not known. */
static int64_t date_of(const struct quipu_clock *clock) {
    const int64_t second = 1000000000, seconds = clock->unix_origin_ns / second;
    return clock->has_unix_origin && seconds >= QUIPU__CHARISMA_EARLIEST_DATE &&
                   seconds < QUIPU__CHARISMA_LATEST_DATE
               ? clock->unix_origin_ns
               : QUIPU__CHARISMA_EARLIEST_DATE * second;
}

/* The header, with the whole second that follows the origin of the times as its date. */
enum quipu_status quipu__charisma_put_header(struct quipu__charisma_events *events, int64_t first_time,
                                             struct quipu_error *err) {
    struct quipu__charisma_writer *writer = events->writer;
    const struct quipu__charisma_profile *profile = &writer->codec.profile;
    const struct quipu_clock *clock = &quipu__charisma_definitions_of(events)->clock;
    const struct quipu_system *system = &quipu__charisma_definitions_of(events)->system;
    const int64_t second = 1000000000;
    const int64_t date_ns = date_of(clock);
    const int64_t wait_ns = (second - date_ns % second) % second;
    static const struct {
        struct quipu_sized head;
        char text[17];
    } release = {{16, 0}, "written by Quipu"};
    const double per = (double)(clock->per_seconds ? clock->per_seconds : 1);
    events->unit = clock->ticks_per_second ? per / (double)clock->ticks_per_second : 1e-9;
    events->is_in_ns = !(events->unit > 1e-12 && events->unit <= 1000);
    events->unit = events->is_in_ns ? 1e-9 : events->unit;
    events->shift = events->is_in_ns ? 0 : clock->origin;
    const int64_t first = events->is_in_ns ? quipu_clock_ns(clock, first_time) : first_time;
    if ((int64_t)((uint64_t)first + (uint64_t)events->shift) < 0)
        events->shift = (int64_t)(0 - (uint64_t)first);
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
    const char *whole =
        file == QUIPU_NONE ? "" : quipu__charisma_definitions_of(events)->files.items[file].name;
    const char *slash = strrchr(whole, '/');
    const char *last = slash ? slash + 1 : whole;
    size_t folder = (size_t)(last - whole);
    folder -= folder > 1; /* without the slash, unless it is all */
    sized(events, QUIPU__CHARISMA_PATH_LENGTH, whole, folder, path);
    sized(events, QUIPU__CHARISMA_NAME_LENGTH, last, strlen(last), name);
}

static struct quipu_number file_id_of(const struct quipu__charisma_events *events, uint32_t file) {
    const uint64_t id = events->uses_native_files
                            ? quipu__charisma_definitions_of(events)->files.items[file].native_id
                            : file + UINT64_C(1);
    return (struct quipu_number){.i = (int64_t)id};
}

static int64_t application_id_of(const struct quipu__charisma_events *events, uint32_t location) {
    if (location == QUIPU_NONE)
        return QUIPU__CHARISMA_ONLY_APPLICATION;
    const struct quipu__charisma_output_location *it = &events->locations[location];
    return it->is_application ? it->id : application_id_of(events, it->application);
}

/* The application that stands for all is loaded with all locations as its clients. */
static enum quipu_status put_load(struct quipu__charisma_events *events,
                                  const struct quipu__charisma_item *item, struct quipu_error *err) {
    const bool is_all = item->location == QUIPU_NONE;
    const uint32_t count = is_all && events->location_count <= UINT16_MAX ? events->location_count : 0;
    struct quipu__scratch scratch;
    struct sized_text name, path;
    quipu__scratch_init(&scratch, events->writer->memory);
    int64_t *clients = quipu__scratch_sized(&scratch, count, sizeof *clients);
    for (uint32_t i = 0; clients && i < count; i++)
        clients[i] = events->locations[i].id;
    const char *text =
        is_all ? "" : quipu__charisma_definitions_of(events)->locations.items[item->location].name;
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

static enum quipu_status put_open(struct quipu__charisma_events *events,
                                  const struct quipu__charisma_item *item, struct quipu_error *err) {
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

static enum quipu_status put_request(struct quipu__charisma_events *events,
                                     const struct quipu__charisma_item *item, struct quipu_error *err) {
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
static void make_plain(const struct quipu__charisma_events *events, const struct quipu__charisma_item *item,
                       union quipu__charisma_any *any) {
    const struct quipu_number stamp = stamp_of(events, item->time);
    const int64_t id =
        item->location == QUIPU_NONE ? QUIPU__CHARISMA_ONLY_APPLICATION : events->locations[item->location].id;
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

enum quipu_status quipu__charisma_put_item(struct quipu__charisma_events *events,
                                           const struct quipu__charisma_item *item, struct quipu_error *err) {
    union quipu__charisma_any any = {.app_exit = {.record_type = 0}};
    if (item->type == QUIPU__CHARISMA_NO_RECORD)
        return QUIPU_OK;
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
