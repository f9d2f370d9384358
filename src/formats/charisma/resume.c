/* resume.c: beginning in the middle of a trace: what a pass over events knows there, as packed numbers.
 *
 *     place            byte, number of the record before, latest time stamp, time of the latest record
 *     what is open     applications, clients, files, descriptors, requests that have not ended (tracking.h)
 *     what waits       ends of requests whose time has not come
 *
 * What only makes looking up faster is found again. Locations and files are those of the trace, so how many of them were known says which.
 */
#include "formats/charisma/format.h"

#include "core/error.h"
#include "core/memory/pack.h"
#include "state/events.h"

/* A number below a count, or QUIPU_NONE. */
static void save_number(struct quipu__buffer *out, uint32_t number) {
    quipu__pack_u64(out, (uint32_t)(number + 1));
}

static uint32_t load_number(struct quipu__slice *from, size_t count) {
    return (uint32_t)quipu__unpack_up_to(from, count) - 1;
}

/* A count of items of at least one byte each. */
static uint64_t load_count(struct quipu__slice *from) {
    return quipu__unpack_up_to(from, quipu__slice_left(from));
}

/* ---- Saving ---- */

static void save_remembered(const struct quipu__charisma_remembered *remembered, struct quipu__buffer *out) {
    for (unsigned i = 0; i < QUIPU__CHARISMA_VALUE_COUNT; i++) {
        quipu__pack_u64(out, remembered->filled[i]);
        quipu__pack_u64(out, remembered->next[i]);
        for (unsigned k = 0; k < remembered->filled[i]; k++)
            quipu__pack_i64(out, remembered->values[i][k]);
    }
}

static void save_applications(const struct quipu__charisma_tracking *tracking, struct quipu__buffer *out) {
    quipu__pack_u64(out, tracking->applications.count);
    for (size_t i = 0; i < tracking->applications.count; i++) {
        const struct quipu__charisma_application *application = &tracking->applications.items[i];
        quipu__pack_i64(out, application->id);
        quipu__pack_u64(out, application->is_known);
        save_number(out, application->instance);
        quipu__pack_u64(out, application->exits);
    }
}

static void save_clients(const struct quipu__charisma_tracking *tracking, struct quipu__buffer *out) {
    quipu__pack_u64(out, tracking->clients.count);
    for (size_t i = 0; i < tracking->clients.count; i++) {
        const struct quipu__charisma_client *client = &tracking->clients.items[i];
        quipu__pack_i64(out, client->id);
        quipu__pack_u64(out, client->is_known);
        save_number(out, client->instance);
        save_number(out, client->joined);
        quipu__pack_u64(out, client->exits);
        quipu__pack_i64(out, client->previous.i);
        save_remembered(&client->remembered, out);
    }
}

static void save_handles(const struct quipu__charisma_tracking *tracking, struct quipu__buffer *out) {
    quipu__pack_u64(out, tracking->handles.count);
    for (size_t i = 0; i < tracking->handles.count; i++) {
        const struct quipu__charisma_handle *handle = &tracking->handles.items[i];
        quipu__pack_u64(out, handle->is_of_application);
        quipu__pack_u64(out, handle->owner);
        quipu__pack_i64(out, handle->file_desc);
        quipu__pack_u64(out, handle->is_open);
        quipu__pack_u64(out, handle->open_flags);
        save_number(out, handle->file);
        save_number(out, handle->application);
        quipu__pack_u64(out, handle->opened_at);
        quipu__pack_i64(out, handle->offset);
        quipu__pack_i64(out, handle->memory_offset);
        save_remembered(&handle->remembered, out);
    }
}

static void save_request(const struct quipu__charisma_in_flight *request, struct quipu__buffer *out) {
    quipu__pack_u64(out, request->is_of_application);
    quipu__pack_u64(out, request->owner);
    quipu__pack_i64(out, request->async_id);
    quipu__pack_u64(out, request->operation_type);
    quipu__pack_u64(out, request->offset);
    quipu__pack_u64(out, request->record);
    quipu__pack_u64(out, request->number);
    quipu__pack_i64(out, request->starttime.i);
    quipu__pack_i64(out, request->endtime.i);
    quipu__pack_u64(out, request->transfer_count);
    for (uint32_t i = 0; i < request->transfer_count; i++) {
        const struct quipu__charisma_transfer *transfer = &request->transfers[i];
        save_number(out, transfer->instance);
        save_number(out, transfer->file);
        quipu__pack_i64(out, transfer->file_desc);
        quipu__pack_i64(out, transfer->offset);
        quipu__pack_i64(out, transfer->size);
    }
}

static void save_tracking(const struct quipu__charisma_tracking *tracking, struct quipu__buffer *out) {
    quipu__pack_u64(out, tracking->instances.count);
    quipu__pack_u64(out, tracking->files.count);
    save_applications(tracking, out);
    save_clients(tracking, out);
    save_handles(tracking, out);
    quipu__pack_u64(out, tracking->in_flight.count - tracking->free_in_flight.count);
    for (size_t i = 0; i < tracking->in_flight.count; i++)
        if (tracking->in_flight.items[i].is_used)
            save_request(&tracking->in_flight.items[i], out);
    save_remembered(&tracking->remembered, out);
    quipu__pack_u64(out, tracking->transfer_count);
}

/* Nothing between a record and its events. */
static enum quipu_status pass_save(const struct quipu__pass *common, struct quipu__buffer *out,
                                   struct quipu_error *err) {
    const struct quipu__charisma_pass *pass = (const struct quipu__charisma_pass *)common;
    const struct quipu__charisma_check *check = &pass->walk.check;
    if (!pass->walk.has_records || pass->has_record || !quipu__input_can_seek(pass->walk.input))
        return QUIPU_OK;
    quipu__pack_u64(out, quipu__input_offset(pass->walk.input));
    quipu__pack_u64(out, check->where.record);
    quipu__pack_u64(out, check->has_header);
    quipu__pack_u64(out, check->has_latest);
    quipu__pack_i64(out, check->latest.i);
    quipu__pack_i64(out, pass->watermark);
    save_tracking(&check->tracking, out);
    quipu__held_events_save(&pass->reorder, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* ---- Going on ---- */

struct resuming {
    struct quipu__charisma_trace *own;
    struct quipu__charisma_tracking *tracking;
    struct quipu__slice from;
};

static struct quipu_number load_stamp(struct resuming *resuming) {
    struct quipu_number stamp = resuming->own->origin;
    stamp.i = quipu__unpack_i64(&resuming->from);
    return stamp;
}

static void load_remembered(struct quipu__slice *from, struct quipu__charisma_remembered *out) {
    for (unsigned i = 0; i < QUIPU__CHARISMA_VALUE_COUNT; i++) {
        out->filled[i] = (uint8_t)quipu__unpack_up_to(from, QUIPU__CHARISMA_SLOTS);
        out->next[i] = (uint8_t)quipu__unpack_up_to(from, QUIPU__CHARISMA_SLOTS - 1);
        for (unsigned k = 0; k < out->filled[i]; k++)
            out->values[i][k] = quipu__unpack_i64(from);
    }
}

/* One of a list; false when memory is out. */
typedef bool load_one(struct resuming *resuming);

static bool load_application(struct resuming *resuming) {
    struct quipu__charisma_tracking *tracking = resuming->tracking;
    struct quipu__charisma_application application = {.id = quipu__unpack_i64(&resuming->from)};
    const uint32_t number = (uint32_t)tracking->applications.count;
    application.is_known = quipu__unpack_up_to(&resuming->from, 1) != 0;
    application.instance = load_number(&resuming->from, tracking->instances.count);
    application.exits = (uint32_t)quipu__unpack_up_to(&resuming->from, UINT32_MAX);
    application.first_open = QUIPU_NONE;
    return QUIPU__VEC_PUT(tracking->memory, &tracking->applications, application) &&
           quipu__map_put(&tracking->application_numbers, (uint64_t)application.id, number);
}

static bool load_client(struct resuming *resuming) {
    struct quipu__charisma_tracking *tracking = resuming->tracking;
    const uint32_t expected = (uint32_t)tracking->clients.count;
    const uint32_t number = quipu__charisma_client_add(tracking, quipu__unpack_i64(&resuming->from));
    if (number == QUIPU_NONE)
        return false;
    resuming->from.failed |= number != expected;
    struct quipu__charisma_client *client = &tracking->clients.items[number];
    client->is_known = quipu__unpack_up_to(&resuming->from, 1) != 0;
    client->instance = load_number(&resuming->from, tracking->instances.count);
    client->joined = load_number(&resuming->from, tracking->applications.count);
    client->exits = (uint32_t)quipu__unpack_up_to(&resuming->from, UINT32_MAX);
    client->previous = load_stamp(resuming);
    load_remembered(&resuming->from, &client->remembered);
    return true;
}

/* A client or an application, as the number before it says. */
static uint32_t load_owner(struct resuming *resuming, bool *is_of_application) {
    const struct quipu__charisma_tracking *tracking = resuming->tracking;
    *is_of_application = quipu__unpack_up_to(&resuming->from, 1) != 0;
    const size_t count = *is_of_application ? tracking->applications.count : tracking->clients.count;
    const uint32_t owner = (uint32_t)quipu__unpack_up_to(&resuming->from, UINT32_MAX);
    resuming->from.failed |= owner >= count;
    return owner;
}

static bool load_handle(struct resuming *resuming) {
    struct quipu__charisma_tracking *tracking = resuming->tracking;
    struct quipu__slice *from = &resuming->from;
    const size_t count = tracking->handles.count;
    bool is_of_application;
    const uint32_t owner = load_owner(resuming, &is_of_application);
    const int64_t file_desc = quipu__unpack_i64(from);
    if (from->failed)
        return true;
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(tracking, is_of_application, owner, file_desc);
    if (!handle)
        return false;
    from->failed |= tracking->handles.count == count;
    handle->is_open = quipu__unpack_up_to(from, 1) != 0;
    handle->open_flags = (uint8_t)quipu__unpack_up_to(from, UINT8_MAX);
    handle->file = load_number(from, tracking->files.count);
    handle->application = load_number(from, tracking->applications.count);
    handle->opened_at = quipu__unpack_u64(from);
    handle->offset = quipu__unpack_i64(from);
    handle->memory_offset = quipu__unpack_i64(from);
    load_remembered(from, &handle->remembered);
    if (handle->is_open && !from->failed)
        quipu__charisma_handle_link(tracking, handle);
    return true;
}

static void load_transfer(struct resuming *resuming, struct quipu__charisma_transfer *out) {
    out->instance = load_number(&resuming->from, resuming->tracking->instances.count);
    out->file = load_number(&resuming->from, resuming->tracking->files.count);
    out->file_desc = quipu__unpack_i64(&resuming->from);
    out->offset = quipu__unpack_i64(&resuming->from);
    out->size = quipu__unpack_i64(&resuming->from);
}

static bool load_request(struct resuming *resuming) {
    struct quipu__slice *from = &resuming->from;
    struct quipu__charisma_in_flight loaded = {.async_id = 0};
    bool is_of_application;
    const uint32_t owner = load_owner(resuming, &is_of_application);
    loaded.async_id = quipu__unpack_i64(from);
    loaded.operation_type = (uint8_t)quipu__unpack_up_to(from, UINT8_MAX);
    loaded.offset = quipu__unpack_u64(from);
    loaded.record = quipu__unpack_u64(from);
    loaded.number = quipu__unpack_u64(from);
    loaded.starttime = load_stamp(resuming);
    loaded.endtime = load_stamp(resuming);
    const uint32_t count = (uint32_t)load_count(from);
    if (from->failed)
        return true;
    struct quipu__charisma_in_flight *request =
        quipu__charisma_in_flight_begin(resuming->tracking, is_of_application, owner, loaded.async_id, count);
    if (!request)
        return false;
    request->operation_type = loaded.operation_type;
    request->offset = loaded.offset;
    request->record = loaded.record;
    request->number = loaded.number;
    request->starttime = loaded.starttime;
    request->endtime = loaded.endtime;
    for (uint32_t i = 0; i < count; i++)
        load_transfer(resuming, &request->transfers[i]);
    return true;
}

static bool load_list(struct resuming *resuming, load_one *load) {
    bool has_memory = true;
    for (uint64_t left = load_count(&resuming->from); left > 0 && !resuming->from.failed && has_memory; left--)
        has_memory = load(resuming);
    return has_memory;
}

/* Locations and files that were known, of those of the trace. */
static bool load_known(struct resuming *resuming) {
    struct quipu__charisma_tracking *tracking = resuming->tracking;
    const struct quipu__charisma_trace *own = resuming->own;
    const uint64_t instances = quipu__unpack_up_to(&resuming->from, own->locations.count);
    const uint64_t files = quipu__unpack_up_to(&resuming->from, own->files.count);
    for (uint64_t i = 0; i < instances; i++)
        if (!QUIPU__VEC_PUT(tracking->memory, &tracking->instances, (struct quipu__charisma_instance){.id = 0}))
            return false;
    for (uint32_t i = 0; i < files; i++) {
        const uint64_t id = own->trace->define->definitions.files.items[own->files.items[i]].native_id;
        if (!QUIPU__VEC_PUT(tracking->memory, &tracking->files, (struct quipu_number){.i = (int64_t)id}) ||
            !quipu__map_put(&tracking->file_numbers, id, i))
            return false;
    }
    return true;
}

static bool load_tracking(struct resuming *resuming) {
    const bool has_memory = load_known(resuming) && load_list(resuming, load_application) &&
                            load_list(resuming, load_client) && load_list(resuming, load_handle) &&
                            load_list(resuming, load_request);
    load_remembered(&resuming->from, &resuming->tracking->remembered);
    resuming->tracking->transfer_count = quipu__unpack_u64(&resuming->from);
    return has_memory;
}

/* Goes to a byte behind the head of the file. */
static enum quipu_status seek(struct quipu__charisma_walk *walk, uint64_t byte, struct quipu_error *err) {
    walk->has_started = walk->has_records = true;
    walk->check.where.byte = byte;
    const enum quipu_status status = quipu__input_more(walk->input, 1, err);
    return status == QUIPU_OK ? quipu__input_seek(walk->input, byte, err) : status;
}

static enum quipu_status pass_resume(struct quipu__pass *common, struct quipu__slice bytes,
                                     struct quipu_error *err) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    struct quipu__charisma_check *check = &pass->walk.check;
    struct resuming resuming = {quipu__charisma_of(common->trace), &check->tracking, bytes};
    struct quipu__slice *from = &resuming.from;
    common->bytes = quipu__unpack_up_to(from, common->trace->bytes_total);
    check->where.record = quipu__unpack_u64(from);
    check->has_header = quipu__unpack_up_to(from, 1) != 0;
    check->has_latest = quipu__unpack_up_to(from, 1) != 0;
    check->latest = load_stamp(&resuming);
    pass->watermark = quipu__unpack_i64(from);
    if (!load_tracking(&resuming))
        return quipu__no_memory(err, resuming.own->memory->used);
    const enum quipu_status status =
        quipu__held_events_load(&pass->reorder, &common->trace->define->definitions, from, err);
    if (status != QUIPU_OK)
        return status;
    if (from->failed || quipu__slice_left(from) > 0 || common->bytes < QUIPU__CHARISMA_HEAD_BYTES)
        return quipu__fail(err, QUIPU_CORRUPT, "what was kept of a place in %s is damaged",
                           common->trace->path);
    return seek(&pass->walk, common->bytes, err);
}

const struct quipu__resuming quipu__charisma_resuming = {
    .save = pass_save, .keeps_events = true, .resume = pass_resume};
