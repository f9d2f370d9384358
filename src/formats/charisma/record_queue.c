/* record_queue.c: records of events wait until the requests in front of them have ended, and are written. One that keeps too many
 * others waiting becomes asynchronous: then its end is a record of its own. */
#include "formats/charisma/writer.h"

#include "core/error.h"

#include <string.h>

/* ---- Time ---- */

struct quipu_number quipu__charisma_stamp_of(const struct quipu__charisma_events *events, int64_t time) {
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

/* Nanoseconds from 1970 to the origin of the times. Traces whose date is not known, or is none that readers believe, begin on the
 * earliest one of those. */
static int64_t date_of(const struct quipu_clock *clock) {
    const int64_t second = 1000000000, seconds = clock->unix_origin_ns / second;
    return clock->has_unix_origin && seconds >= QUIPU__CHARISMA_EARLIEST_DATE &&
                   seconds < QUIPU__CHARISMA_LATEST_DATE
               ? clock->unix_origin_ns
               : QUIPU__CHARISMA_EARLIEST_DATE * second;
}

enum quipu_status quipu__charisma_put_header(struct quipu__charisma_events *events, int64_t first_time,
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
                   .timestamp = quipu__charisma_stamp_of(events, quipu_clock_ticks(clock, wait_ns)),
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

/* The position of a descriptor, 0 at first; NULL when memory is out. */
static int64_t *position_of(struct quipu__charisma_events *events, uint32_t location, int64_t descriptor) {
    struct quipu__map *map = &events->position_numbers;
    const uint64_t key = quipu__charisma_key_of(map, location, false, (uint64_t)descriptor);
    const uint32_t known = quipu__map_get(map, key);
    if (known != QUIPU_NONE)
        return &events->positions.items[known];
    int64_t *position = QUIPU__VEC_ADD(events->writer->memory, &events->positions);
    return position && quipu__map_put(map, key, (uint32_t)events->positions.count - 1) ? position : NULL;
}

/* A request without an offset begins where the one before it on its descriptor has ended, at 0 behind an open. Items come in the
 * order of records. False when memory is out. */
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

/* A request that keeps too many others waiting becomes asynchronous; one of which too little is known is none. */
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

enum quipu_status quipu__charisma_put_queue(struct quipu__charisma_events *events, bool all,
                                            struct quipu_error *err) {
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

struct quipu__charisma_item *quipu__charisma_add_item(struct quipu__charisma_events *events, uint32_t type,
                                                      uint32_t location, int64_t time) {
    struct quipu__charisma_item *item = QUIPU__VEC_ADD(events->writer->memory, &events->queue);
    if (!item)
        return NULL;
    *item = (struct quipu__charisma_item){
        .type = (uint8_t)type, .location = location, .file = QUIPU_NONE, .request = QUIPU_NONE, .time = time};
    item->record.app_exit = (struct quipu__charisma_app_exit){
        .record_type = (uint16_t)type, .timestamp = quipu__charisma_stamp_of(events, time)}; /* all begin so */
    return item;
}

void quipu__charisma_sort_last(struct quipu__charisma_events *events) {
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
