/* to_model.c: records to events. Records that make one event do so by the table (mapping.def); requests make two for each
 * client, of which the second is held until its time comes: one record says when a request begins and when it ends. */
#include "formats/charisma/format.h"

#include "core/error.h"

#include <string.h>

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
};

static void add_integer(const struct translation *translation, uint32_t key, enum quipu_value_type type,
                        int64_t value) {
    const struct quipu_value attribute = {.key = key, .type = (uint8_t)type, .i = value};
    if (!translation->pass->common.filter->without_attributes)
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
    if (translation->pass->common.filter->without_attributes)
        return;
    for (uint16_t i = 0; i < type->field_count; i++)
        if (translation->own->keys[walk->type][i] != QUIPU_NONE)
            add_field(translation, &type->fields[i], translation->own->keys[walk->type][i], &walk->data);
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

static const struct quipu_number *stamp_of(const struct quipu__charisma_walk *walk) {
    const struct quipu_record_type *type = &quipu__charisma_types[walk->type];
    return quipu__member_const(&type->fields[1], &walk->data); /* that of all records but requests */
}

static uint32_t add_event(const struct translation *translation, enum quipu_kind kind, uint32_t location,
                          int64_t time) {
    return quipu__batch_add(&translation->batch->batch, time, kind, location, translation->pass->walk.offset);
}

static void make_by_table(const struct translation *translation) {
    const struct quipu__charisma_walk *walk = &translation->pass->walk;
    const struct quipu__mapping *mapping = quipu__charisma_mapping(walk->type);
    const struct quipu_record_type *type = &quipu__charisma_types[walk->type];
    const uint32_t location = location_of_record(translation);
    if (mapping->kinds == 0 || location == QUIPU_NONE)
        return;
    const enum quipu_kind kind = (enum quipu_kind)quipu__trailing_zeros(mapping->kinds);
    const uint32_t event =
        add_event(translation, kind, location, quipu__charisma_time(translation->own, *stamp_of(walk)));
    translation->batch->batch.object[event] = file_of(translation, walk->check.file);
    for (size_t i = 0; i < mapping->field_count; i++) {
        int64_t value = 0;
        if (mapping->fields[i].column == QUIPU_COLUMN_COUNT)
            continue;
        quipu_field_get_i64(&type->fields[mapping->fields[i].field], &walk->data, &value);
        set_column(&translation->batch->batch, event, mapping->fields[i].column, (uint64_t)value);
    }
    add_attributes(translation);
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
    int64_t file_desc, offset, size;
    uint64_t number;
    uint8_t operation_type;
};

static uint32_t operation_of(const struct transfer *transfer) {
    return transfer->operation_type & QUIPU__CHARISMA_WRITE ? QUIPU_IO_WRITE : QUIPU_IO_READ;
}

static uint32_t add_transfers(const struct translation *translation, enum quipu_kind kind,
                              const struct transfer *transfer, int64_t time) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add_event(translation, kind, transfer->location, time);
    batch->object[event] = transfer->file;
    batch->operation[event] = operation_of(transfer);
    batch->QUIPU__CHARISMA_HANDLE[event] = (QUIPU__CHARISMA_HANDLE_TYPE)transfer->file_desc;
    batch->value[event] = (uint64_t)transfer->offset;
    batch->bytes[event] = (uint64_t)transfer->size;
    batch->id[event] = transfer->number;
    return event;
}

/* The end of a request that its own record says is held until its time, unless too many are: then it is given before. */
static enum quipu_status hold_end(const struct translation *translation, const struct transfer *transfer,
                                  struct quipu_number endtime, int64_t begin, struct quipu_error *err) {
    struct quipu__reorder *reorder = &translation->pass->reorder;
    const int64_t said = quipu__charisma_time(translation->own, endtime);
    const int64_t end = said < begin ? begin : said;
    if (translation->own->disorder > 0 || quipu__reorder_count(reorder) == reorder->limit) {
        add_transfers(translation, QUIPU_KIND_io_end, transfer, end);
        return QUIPU_OK; /* in a file whose times go back all events are held */
    }
    struct quipu_event *row = quipu__reorder_hold_row(reorder, end, transfer->location);
    if (!row)
        return quipu__no_memory(err, sizeof *row);
    row->kind = QUIPU_KIND_io_end;
    row->byte_offset = translation->pass->walk.offset;
    row->object = transfer->file;
    row->operation = operation_of(transfer);
    row->QUIPU__CHARISMA_HANDLE = (QUIPU__CHARISMA_HANDLE_TYPE)transfer->file_desc;
    row->value = (uint64_t)transfer->offset;
    row->bytes = (uint64_t)transfer->size;
    row->id = transfer->number;
    return QUIPU_OK;
}

static enum quipu_status make_transfers(const struct translation *translation, const struct transfer *transfer,
                                        struct quipu_number starttime, struct quipu_number endtime,
                                        int64_t memory_offset, struct quipu_error *err) {
    const int64_t begin = quipu__charisma_time(translation->own, starttime);
    add_transfers(translation, QUIPU_KIND_io_begin, transfer, begin);
    add_integer(translation, translation->own->memory_offset_key, QUIPU_VALUE_U64, memory_offset);
    if (!(transfer->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS))
        return hold_end(translation, transfer, endtime, begin, err);
    add_integer(translation, translation->own->returned_key, QUIPU_VALUE_I64,
                quipu__charisma_time(translation->own, endtime));
    if (translation->pass->walk.type == QUIPU__CHARISMA_TYPE_rw)
        add_attributes(translation);
    return QUIPU_OK;
}

/* A request of one client on a route that the check knows. */
static enum quipu_status make_routed_rw(const struct translation *translation, struct quipu_error *err) {
    const struct quipu__charisma_check *check = &translation->pass->walk.check;
    const struct quipu__charisma_rw *rw = &translation->pass->walk.data.rw;
    const struct transfer transfer = {location_of(translation, check->route->instance),
                                      file_of(translation, check->route->file),
                                      rw->file_desc,
                                      rw->requests->offset,
                                      rw->requests->IO_size,
                                      check->first_transfers,
                                      rw->operation_type};
    return transfer.location == QUIPU_NONE ? QUIPU_OK
                                           : make_transfers(translation, &transfer, rw->starttime, rw->endtime,
                                                            (int64_t)rw->requests->memory_offset, err);
}

static enum quipu_status make_rw(const struct translation *translation, struct quipu_error *err) {
    if (translation->pass->walk.check.route)
        return make_routed_rw(translation, err);
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
                                          request->IO_size,
                                          check->first_transfers + i,
                                          rw->operation_type};
        if (transfer.location != QUIPU_NONE)
            status = make_transfers(translation, &transfer, rw->starttime, rw->endtime,
                                    (int64_t)request->memory_offset, err);
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
                                      record->IO_size,
                                      check->first_transfers,
                                      (uint8_t)(record->operation_type & ~QUIPU__CHARISMA_ASYNCHRONOUS)};
    return transfer.location == QUIPU_NONE ? QUIPU_OK
                                           : make_transfers(translation, &transfer, record->starttime,
                                                            record->endtime, record->memory_offset, err);
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
                                          it->size,
                                          request->number + i,
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
    return pass->watermark < INT64_MIN + translation->own->disorder
               ? INT64_MIN
               : pass->watermark - translation->own->disorder;
}

static void move_watermark(const struct translation *translation) {
    struct quipu__charisma_pass *pass = translation->pass;
    int64_t time;
    if (pass->walk.check.route && translation->own->disorder == 0)
        pass->watermark = quipu__charisma_time(translation->own, pass->walk.data.rw.starttime);
    else if (quipu__charisma_first_time(translation->own, &pass->walk, &time) && time > pass->watermark)
        pass->watermark = time;
}

/* Takes the events of the record into the batch, behind those that are held and due. In a file whose times go back all are
 * held. */
static enum quipu_status take_record(const struct translation *translation, struct quipu_error *err) {
    const uint32_t first = translation->batch->batch.count;
    enum quipu_status status = QUIPU_OK;
    if (QUIPU__LIKELY(translation->pass->walk.check.route && translation->own->disorder == 0 &&
                      quipu__batch_left(translation->batch) >= 2))
        return make_routed_rw(translation, err);
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
    quipu__charisma_count(pass);
    move_watermark(translation);
    return QUIPU_OK;
}

/* Reads on until the batch is full. */
static enum quipu_status fill(const struct translation *translation, struct quipu_error *err) {
    struct quipu__charisma_pass *pass = translation->pass;
    enum { ROOM_FOR_A_RECORD = 64 };
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && (translation->batch->batch.count == 0 ||
                                  quipu__batch_left(translation->batch) > ROOM_FOR_A_RECORD)) {
        status = next_record(translation, err);
        if (status != QUIPU_OK)
            return status;
        const int64_t due = due_before(translation);
        if (quipu__reorder_due(&pass->reorder) <= due)
            status = quipu__reorder_give(&pass->reorder, due, translation->batch, err);
        if (status != QUIPU_OK || quipu__batch_left(translation->batch) == 0)
            return status;
        status = take_record(translation, err);
        pass->has_record = false;
    }
    return status;
}

enum quipu_status quipu__charisma_next_batch(struct quipu__pass *common, struct quipu__batch *batch,
                                             struct quipu_error *err) {
    struct quipu__charisma_pass *pass = (struct quipu__charisma_pass *)common;
    const struct translation translation = {pass, quipu__charisma_of(common->trace), batch};
    enum quipu_status status = pass->is_drained ? QUIPU_END : fill(&translation, err);
    if (status == QUIPU_END)
        status = quipu__reorder_give(&pass->reorder, INT64_MAX, batch, err);
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}
