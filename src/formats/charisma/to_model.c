/* to_model.c: records to events. Records that make one event do so by the table (mapping.def); requests make two for each
 * client, of which the second is held until its time comes: one record says when a request begins and when it ends. */
#include "formats/charisma/format.h"

#include "core/error.h"

#include <string.h>

/* ---- mapping.def as data, for the conversion report too ---- */

#define MAPPING(record, kinds) static const struct quipu__field_outcome outcomes_of_##record[] = {
#define TO(record, member, column)                                                                             \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_##column, "", 0},
#define BY(record, member)                                                                                     \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0},
#define AS(record, member, phrase)                                                                             \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_APPROXIMATED, QUIPU_COLUMN_COUNT, phrase, 0},
#define LEFT(record, member, why)                                                                              \
    {QUIPU__CHARISMA_##record##_##member, QUIPU__OUTCOME_DROPPED, QUIPU_COLUMN_COUNT, why, 0},
#define MAPPING_END(record)                                                                                    \
    }                                                                                                          \
    ;
#define MAPPING_AT(record, kinds) MAPPING(record, kinds) BY(record, record_type) BY(record, timestamp)
#include "formats/charisma/mapping.def"
#undef MAPPING
#undef TO
#undef BY
#undef AS
#undef LEFT
#undef MAPPING_END

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
#define TO(record, member, column)
#define BY(record, member)
#define AS(record, member, phrase)
#define LEFT(record, member, why)
#define MAPPING_END(record)
static const struct quipu__mapping mappings[QUIPU__CHARISMA_TYPE_COUNT] = {
    [QUIPU__CHARISMA_TYPE_header] = {.is_definition = true},
#define MAPPING(record, its_kinds)                                                                             \
    [QUIPU__CHARISMA_TYPE_##                                                                                   \
        record] = {.kinds = (its_kinds),                                                                       \
                   .fields = outcomes_of_##record,                                                             \
                   .field_count = sizeof outcomes_of_##record / sizeof *outcomes_of_##record},
#include "formats/charisma/mapping.def"
#undef MAPPING
#undef MAPPING_AT
};

const struct quipu__mapping *quipu__charisma_mapping(uint32_t type) {
    return &mappings[type];
}

/* Events of requests that are held at a time; beyond that they are given before their time. */
#define HELD_MOST ((uint32_t)1 << 20)

/* ---- Passes ---- */

enum quipu_status quipu__charisma_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                            struct quipu_error *err) {
    struct quipu__charisma_trace *own = quipu__charisma_of(common->trace);
    struct quipu__charisma_pass *pass = quipu__alloc_zero(own->memory, sizeof *pass);
    *out = NULL;
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    pass->common = *common;
    pass->watermark = INT64_MIN;
    quipu__reorder_init(&pass->reorder, own->memory, HELD_MOST);
    quipu__buffer_init(&pass->path, own->memory, 0);
    const enum quipu_status status =
        quipu__charisma_walk_open(&pass->walk, own->memory, own->trace->files, own->trace->path, &own->codec,
                                  own->trace->findings, common->window, err);
    if (status != QUIPU_OK) {
        quipu__charisma_pass_close(&pass->common);
        return status;
    }
    pass->walk.check.tracking.keeps_transfers = common->substream != QUIPU__RECORDS;
    pass->walk.resynchronises = common->trace->is_repaired;
    *out = &pass->common;
    return QUIPU_OK;
}

void quipu__charisma_pass_close(struct quipu__pass *common) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    if (!pass)
        return;
    quipu__charisma_walk_close(&pass->walk);
    quipu__reorder_release(&pass->reorder);
    quipu__buffer_release(&pass->path);
    quipu__release(pass->common.trace->memory, pass, sizeof *pass);
}

/* ---- Columns ---- */

static void set_column(struct quipu_batch *batch, uint32_t event, enum quipu_column column, uint64_t value) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        batch->name[event] = (c_type)value;                                                                    \
        break;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* ---- Attributes ---- */

struct translation {
    struct quipu__charisma_pass *pass;
    struct quipu__charisma_trace *own;
    struct quipu__batch *batch;
    bool wants_attributes;
};

static void add_integer(const struct translation *translation, uint32_t key, enum quipu_value_type type,
                        int64_t value) {
    if (!translation->wants_attributes)
        return;
    const struct quipu_value attribute = {.key = key, .type = (uint8_t)type, .i = value};
    quipu__gate_knows(quipu__batch_attribute(translation->batch, &attribute));
}

static void add_field(const struct translation *translation, const struct quipu_field *field, uint32_t key,
                      const void *data) {
    const void *member = quipu__member_const(field, data);
    int64_t value = 0;
    if (field->storage == QUIPU_STORE_STRING) {
        const char *text = *(const char *const *)member;
        quipu__gate_knows(quipu__batch_attribute_text(translation->batch, key, text, quipu_sized_count(text)));
    } else if (field->domain->role == QUIPU_ROLE_TIME) {
        add_integer(translation, key, QUIPU_VALUE_I64,
                    quipu__charisma_time(translation->own, *(const struct quipu_number *)member));
    } else {
        quipu_field_get_i64(field, data, &value);
        add_integer(translation, key, field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_I64,
                    value);
    }
}

/* The fields that the mapping does not name. */
static void add_attributes(const struct translation *translation) {
    const struct quipu__charisma_walk *walk = &translation->pass->walk;
    const struct quipu_record_type *type = &quipu__charisma_types[walk->type];
    if (!translation->wants_attributes)
        return;
    for (uint16_t i = 0; i < type->field_count; i++)
        if (translation->own->keys[walk->type][i] != QUIPU_NONE)
            add_field(translation, &type->fields[i], translation->own->keys[walk->type][i], &walk->data);
}

/* Of a file that has another name in the end. */
static void add_first_name(const struct translation *translation, uint32_t file) {
    const struct quipu_files *files = &translation->own->trace->define->definitions.files;
    const char *path = quipu__charisma_path(&translation->pass->walk, &translation->pass->path);
    if (path[0] && file < files->count && translation->wants_attributes &&
        strcmp(path, files->items[file].name) != 0)
        quipu__gate_knows(quipu__batch_attribute_text(translation->batch, translation->own->opened_as_key, path,
                                                      strlen(path)));
}

/* ---- Where ---- */

static uint32_t location_of(const struct translation *translation, uint32_t instance) {
    return instance < translation->own->locations.count ? translation->own->locations.items[instance]
                                                        : QUIPU_NONE;
}

static uint32_t file_of(const struct translation *translation, uint32_t file) {
    return file < translation->own->files.count ? translation->own->files.items[file] : QUIPU_NONE;
}

static uint32_t client_location(const struct translation *translation, uint32_t client) {
    struct quipu__charisma_tracking *tracking = &translation->pass->walk.check.tracking;
    return location_of(translation, quipu__charisma_client_instance(tracking, client));
}

static uint32_t application_location(const struct translation *translation, uint32_t application) {
    struct quipu__charisma_tracking *tracking = &translation->pass->walk.check.tracking;
    return location_of(translation, quipu__charisma_application_instance(tracking, application));
}

/* The client of a record, or else its application. */
static uint32_t location_of_record(const struct translation *translation) {
    const struct quipu__charisma_check *check = &translation->pass->walk.check;
    const uint32_t location = client_location(translation, check->client);
    return location != QUIPU_NONE ? location : application_location(translation, check->application);
}

/* ---- Records that make one event ---- */

static uint32_t add_event(const struct translation *translation, enum quipu_kind kind, uint32_t location,
                          int64_t time) {
    return quipu__batch_add(&translation->batch->batch, time, kind, location, translation->pass->walk.offset);
}

static void make_by_table(const struct translation *translation) {
    const struct quipu__charisma_walk *walk = &translation->pass->walk;
    const struct quipu__mapping *mapping = quipu__charisma_mapping(walk->type);
    const struct quipu_record_type *type = &quipu__charisma_types[walk->type];
    const uint32_t location = location_of_record(translation);
    if (mapping->kinds == 0 || location == QUIPU_NONE || quipu__charisma_only_names(walk))
        return;
    const enum quipu_kind kind = (enum quipu_kind)quipu__trailing_zeros(mapping->kinds);
    const uint32_t event = add_event(translation, kind, location,
                                     quipu__charisma_time(translation->own, walk->data.app_exit.timestamp));
    translation->batch->batch.object[event] = file_of(translation, walk->check.file);
    for (size_t i = 0; i < mapping->field_count; i++) {
        int64_t value = 0;
        if (mapping->fields[i].column == QUIPU_COLUMN_COUNT)
            continue;
        quipu_field_get_i64(&type->fields[mapping->fields[i].field], &walk->data, &value);
        set_column(&translation->batch->batch, event, mapping->fields[i].column, (uint64_t)value);
    }
    add_attributes(translation);
    if (translation->own->opened_as_key != QUIPU_NONE)
        add_first_name(translation, translation->batch->batch.object[event]);
}

/* An application begins, and the clients that it starts with. */
static void make_load(const struct translation *translation) {
    const struct quipu__charisma_app_load *load = &translation->pass->walk.data.app_load;
    struct quipu__charisma_tracking *tracking = &translation->pass->walk.check.tracking;
    const int64_t time = quipu__charisma_time(translation->own, load->timestamp);
    make_by_table(translation);
    for (uint32_t i = 0; i < quipu_sized_count(load->clients); i++) {
        const uint32_t location =
            client_location(translation, quipu__charisma_client_of(tracking, load->clients[i]));
        if (location != QUIPU_NONE)
            add_event(translation, QUIPU_KIND_location_begin, location, time);
    }
}

/* ---- Requests ---- */

/* One client's transfer of a request. */
struct transfer {
    uint32_t location, file;
    int64_t file_desc, offset;
    uint64_t bytes;
    int64_t memory_offset;
    uint64_t number, byte_offset;
    uint8_t operation_type;
};

/* Of a size in the file: when it is negative, nothing is moved. */
static uint64_t moved_bytes(int64_t size) {
    return size > 0 ? (uint64_t)size : 0;
}

static uint32_t operation_of(const struct transfer *transfer) {
    return transfer->operation_type & QUIPU__CHARISMA_WRITE ? QUIPU_IO_WRITE : QUIPU_IO_READ;
}

QUIPU__INLINE void add_transfers(const struct translation *translation, enum quipu_kind kind,
                                 const struct transfer *transfer, int64_t time) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = quipu__batch_add(batch, time, kind, transfer->location, transfer->byte_offset);
    batch->object[event] = transfer->file;
    batch->operation[event] = operation_of(transfer);
    batch->QUIPU__CHARISMA_HANDLE[event] = (QUIPU__CHARISMA_HANDLE_TYPE)transfer->file_desc;
    batch->value[event] = (uint64_t)transfer->offset;
    batch->bytes[event] = transfer->bytes;
    batch->id[event] = transfer->number;
}

/* Whether the end of a request, which its own record says, is held until its time. In a file whose times go back all events are
 * held. */
static bool can_hold(const struct translation *translation) {
    const struct quipu__reorder *reorder = &translation->pass->reorder;
    return translation->own->disorder == 0 && quipu__reorder_count(reorder) < reorder->limit;
}

/* Holds the end of the request whose beginning was added last. */
static enum quipu_status hold_end(const struct translation *translation, int64_t end, struct quipu_error *err) {
    const struct quipu_batch *batch = &translation->batch->batch;
    struct quipu__reorder *reorder = &translation->pass->reorder;
    const uint32_t beginning = batch->count - 1;
    struct quipu_event *row = quipu__reorder_hold_row(reorder, end, batch->location[beginning]);
    if (!row)
        return quipu__no_memory(err, sizeof *row);
    row->kind = QUIPU_KIND_io_end;
    row->byte_offset = batch->byte_offset[beginning];
    row->object = batch->object[beginning];
    row->operation = batch->operation[beginning];
    row->QUIPU__CHARISMA_HANDLE = batch->QUIPU__CHARISMA_HANDLE[beginning];
    row->value = batch->value[beginning];
    row->bytes = batch->bytes[beginning];
    row->id = batch->id[beginning];
    return QUIPU_OK;
}

QUIPU__INLINE void add_beginning(const struct translation *translation, const struct transfer *transfer,
                                 int64_t begin) {
    add_transfers(translation, QUIPU_KIND_io_begin, transfer, begin);
    add_integer(translation, translation->own->memory_offset_key, QUIPU_VALUE_U64, transfer->memory_offset);
}

/* The end of the request whose beginning was added last. next: when the record behind it begins, INT64_MIN when that is not known; an
 * end that comes first is not held. */
QUIPU__INLINE enum quipu_status add_end(const struct translation *translation, const struct transfer *transfer,
                                        int64_t end, int64_t next, struct quipu_error *err) {
    if ((end > next || quipu__reorder_due(&translation->pass->reorder) <= end) && can_hold(translation))
        return hold_end(translation, end, err);
    add_transfers(translation, QUIPU_KIND_io_end, transfer, end);
    return QUIPU_OK;
}

/* The events of a request at one of its clients. */
static enum quipu_status make_transfers(const struct translation *translation, const struct transfer *transfer,
                                        struct quipu_number starttime, struct quipu_number endtime,
                                        struct quipu_error *err) {
    const int64_t begin = quipu__charisma_time(translation->own, starttime);
    const int64_t end = quipu__charisma_time(translation->own, endtime);
    if (transfer->location == QUIPU_NONE)
        return QUIPU_OK;
    add_beginning(translation, transfer, begin);
    if (!(transfer->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS))
        return add_end(translation, transfer, end < begin ? begin : end, INT64_MIN, err);
    add_integer(translation, translation->own->returned_key, QUIPU_VALUE_I64, end);
    add_attributes(translation);
    return QUIPU_OK;
}

static enum quipu_status make_rw(const struct translation *translation, struct quipu_error *err) {
    struct quipu__charisma_check *check = &translation->pass->walk.check;
    const struct quipu__charisma_rw *rw = &translation->pass->walk.data.rw;
    const bool is_of_client = rw->operation_type & QUIPU__CHARISMA_OF_CLIENT;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < quipu_sized_count(rw->requests) && status == QUIPU_OK; i++) {
        const struct quipu__charisma_request *request = &rw->requests[i];
        const uint32_t client = quipu__charisma_client_of(&check->tracking, request->client_id);
        bool is_inherited;
        const struct quipu__charisma_handle *handle = quipu__charisma_target(
            check, is_of_client, check->application, client, rw->file_desc, &is_inherited);
        const struct transfer transfer = {client_location(translation, client),
                                          file_of(translation, handle ? handle->file : QUIPU_NONE),
                                          rw->file_desc,
                                          request->offset,
                                          moved_bytes(request->IO_size),
                                          (int64_t)request->memory_offset,
                                          check->first_transfers + i,
                                          translation->pass->walk.offset,
                                          rw->operation_type};
        status = make_transfers(translation, &transfer, rw->starttime, rw->endtime, err);
    }
    return status;
}

static enum quipu_status make_comp_rw(const struct translation *translation, struct quipu_error *err) {
    const struct quipu__charisma_check *check = &translation->pass->walk.check;
    const struct quipu__charisma_comp_rw *record = &translation->pass->walk.data.comp_rw;
    const struct transfer transfer = {client_location(translation, check->client),
                                      file_of(translation, check->file),
                                      record->file_desc,
                                      record->offset,
                                      moved_bytes(record->IO_size),
                                      record->memory_offset,
                                      check->first_transfers,
                                      translation->pass->walk.offset,
                                      (uint8_t)(record->operation_type & ~QUIPU__CHARISMA_ASYNCHRONOUS)};
    return make_transfers(translation, &transfer, record->starttime, record->endtime, err);
}

/* The ends of an asynchronous request, at all its clients. */
static enum quipu_status make_asynch_end(const struct translation *translation, struct quipu_error *err) {
    const struct quipu__charisma_asynch_end *record = &translation->pass->walk.data.asynch_end;
    const struct quipu__charisma_in_flight *request = translation->pass->walk.check.ended;
    const uint32_t first = translation->batch->batch.count;
    const int64_t time = quipu__charisma_time(translation->own, record->end_time);
    for (uint32_t i = 0; request && i < request->transfer_count; i++) {
        const struct quipu__charisma_transfer *it = &request->transfers[i];
        const struct transfer transfer = {location_of(translation, it->instance),
                                          file_of(translation, it->file),
                                          it->file_desc,
                                          it->offset,
                                          moved_bytes(it->size),
                                          0,
                                          request->number + i,
                                          translation->pass->walk.offset,
                                          request->operation_type};
        if (transfer.location == QUIPU_NONE)
            continue;
        add_transfers(translation, QUIPU_KIND_io_end, &transfer, time);
        add_attributes(translation);
    }
    const enum quipu_status status =
        translation->batch->batch.count > first
            ? quipu__reorder_hold(&translation->pass->reorder, translation->batch, first, err)
            : QUIPU_OK;
    return status == QUIPU_LIMIT ? QUIPU_OK : status;
}

/* ---- A record ---- */

/* Events that the record makes at most. */
static uint32_t events_of(const struct quipu__charisma_walk *walk) {
    if (walk->type == QUIPU__CHARISMA_TYPE_rw)
        return 2 * quipu_sized_count(walk->data.rw.requests) + 2;
    if (walk->type == QUIPU__CHARISMA_TYPE_app_load)
        return quipu_sized_count(walk->data.app_load.clients) + 2;
    return walk->check.ended ? walk->check.ended->transfer_count + 2 : 2;
}

static enum quipu_status make(const struct translation *translation, struct quipu_error *err) {
    switch (translation->pass->walk.type) {
    case QUIPU__CHARISMA_TYPE_header:
        return QUIPU_OK;
    case QUIPU__CHARISMA_TYPE_rw:
        return make_rw(translation, err);
    case QUIPU__CHARISMA_TYPE_comp_rw:
        return make_comp_rw(translation, err);
    case QUIPU__CHARISMA_TYPE_asynch_end:
        return make_asynch_end(translation, err);
    case QUIPU__CHARISMA_TYPE_app_load:
        make_load(translation);
        return QUIPU_OK;
    default:
        make_by_table(translation);
        return QUIPU_OK;
    }
}

/* ---- Order ---- */

/* The earliest time at which this record, or one that follows it, makes an event. */
static int64_t due_before(const struct translation *translation) {
    const struct quipu__charisma_pass *pass = translation->pass;
    return translation->own->disorder == INT64_MAX || pass->watermark < INT64_MIN + translation->own->disorder
               ? INT64_MIN
               : pass->watermark - translation->own->disorder;
}

static void move_watermark(const struct translation *translation) {
    struct quipu__charisma_pass *pass = translation->pass;
    int64_t time;
    if (quipu__charisma_first_time(translation->own, &pass->walk, &time) && time > pass->watermark)
        pass->watermark = time;
}

/* Adds the events of the record to the batch, after held events that are due. In a file whose times go back all are held. */
static enum quipu_status take_record(const struct translation *translation, struct quipu_error *err) {
    const uint32_t first = translation->batch->batch.count;
    enum quipu_status status = QUIPU_OK;
    if (quipu__batch_left(translation->batch) < events_of(&translation->pass->walk))
        status = quipu__batch_grow(translation->batch, first + events_of(&translation->pass->walk), err);
    if (status == QUIPU_OK)
        status = make(translation, err);
    if (status == QUIPU_OK && translation->own->disorder > 0 && translation->batch->batch.count > first)
        status = quipu__reorder_hold(&translation->pass->reorder, translation->batch, first, err);
    return status == QUIPU_LIMIT ? QUIPU_OK : status;
}

/* Goes to the next record, unless the batch was full before the events of the last one could be taken. */
static enum quipu_status next_record(const struct translation *translation, struct quipu_error *err) {
    struct quipu__charisma_pass *pass = translation->pass;
    if (pass->has_record)
        return QUIPU_OK;
    const enum quipu_status status = quipu__charisma_walk_next(&pass->walk, err);
    pass->has_record = status == QUIPU_OK;
    pass->is_drained = status == QUIPU_END;
    if (status != QUIPU_OK) {
        quipu__charisma_count_bytes(pass);
        return status;
    }
    quipu__charisma_count(pass, pass->walk.type, 1);
    move_watermark(translation);
    return QUIPU_OK;
}

/* Takes the next record. */
static enum quipu_status take_next(const struct translation *translation, struct quipu_error *err) {
    struct quipu__charisma_pass *pass = translation->pass;
    enum quipu_status status = next_record(translation, err);
    if (status != QUIPU_OK)
        return status;
    const int64_t due = due_before(translation);
    if (quipu__reorder_due(&pass->reorder) <= due)
        status = quipu__reorder_give(&pass->reorder, due, translation->batch, err);
    if (status != QUIPU_OK || quipu__batch_left(translation->batch) == 0)
        return status;
    status = take_record(translation, err);
    pass->has_record = false;
    return status;
}

/* ---- Requests on known routes: nearly all records ---- */

/* origin is the trace's. */
QUIPU__INLINE int64_t time_of_bits(const struct quipu__charisma_trace *own, struct quipu_number origin,
                                   int64_t bits) {
    if (QUIPU__LIKELY(!origin.is_real &&
                      (bits | origin.i) >= 0)) /* signed or not, the difference is in range */
        return bits - origin.i;
    origin.i = bits;
    return quipu__charisma_time(own, origin);
}

/* Requests for whose events the batch has room, with all that are held. */
static uint32_t room_for_requests(const struct translation *translation) {
    const uint32_t held = quipu__reorder_count(&translation->pass->reorder);
    const uint32_t left = quipu__batch_left(translation->batch);
    return left > held ? (left - held) / 2 : 0;
}

/* Takes the requests that come next, as far as their routes are known: some at a time, so that the time of the next one is known
 * too. In a file whose times go back all events are held, so there is nothing to gain. */
static enum quipu_status take_requests(const struct translation *translation, struct quipu_error *err) {
    enum { MOST = 128 };
    struct quipu__charisma_pass *pass = translation->pass;
    struct quipu__charisma_routed requests[MOST];
    const uint32_t room = room_for_requests(translation), bytes = pass->walk.codec->fast.bytes;
    if (pass->has_record || translation->own->disorder > 0)
        return QUIPU_OK;
    const uint64_t offset = quipu__input_offset(pass->walk.input);
    const uint64_t number = pass->walk.check.tracking.transfer_count;
    const uint32_t count = quipu__charisma_walk_requests(&pass->walk, requests, room < MOST ? room : MOST);
    const struct quipu_number origin = translation->own->origin;
    int64_t next = count > 0 ? time_of_bits(translation->own, origin, requests[0].starttime) : INT64_MIN;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < count && status == QUIPU_OK; i++) {
        const struct quipu__charisma_routed *request = &requests[i];
        const struct transfer transfer = {location_of(translation, request->route->instance),
                                          file_of(translation, request->route->file),
                                          request->route->file_desc,
                                          request->offset,
                                          (uint64_t)request->IO_size,
                                          (int64_t)request->memory_offset,
                                          number + i,
                                          offset + (uint64_t)i * bytes,
                                          request->operation_type};
        const int64_t begin = next;
        next = i + 1 < count ? time_of_bits(translation->own, origin, requests[i + 1].starttime) : INT64_MIN;
        pass->watermark = begin;
        if (quipu__reorder_due(&pass->reorder) <= begin)
            status = quipu__reorder_give(&pass->reorder, begin, translation->batch, err);
        if (status != QUIPU_OK || transfer.location == QUIPU_NONE)
            continue;
        add_beginning(translation, &transfer,
                      begin); /* of a request on a route, which ends later, and by itself */
        status = add_end(translation, &transfer, time_of_bits(translation->own, origin, request->endtime), next,
                         err);
    }
    quipu__charisma_count(pass, QUIPU__CHARISMA_TYPE_rw, count);
    return status;
}

/* ---- A batch ---- */

static bool has_room(const struct quipu__batch *batch) {
    enum { ROOM_FOR_A_RECORD = 64 };
    return batch->batch.count == 0 || quipu__batch_left(batch) > ROOM_FOR_A_RECORD;
}

/* Reads on until the batch is full. */
static enum quipu_status fill(const struct translation *translation, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && has_room(translation->batch)) {
        status = take_requests(translation, err);
        if (status == QUIPU_OK && has_room(translation->batch))
            status = take_next(translation, err);
    }
    return status;
}

enum quipu_status quipu__charisma_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                             struct quipu_error *err) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    const struct translation translation = {pass, quipu__charisma_of(common->trace), batch,
                                            !common->filter->without_attributes};
    enum quipu_status status = pass->is_drained ? QUIPU_END : fill(&translation, err);
    if (status == QUIPU_END)
        status = quipu__reorder_give(&pass->reorder, INT64_MAX, batch, err);
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}
