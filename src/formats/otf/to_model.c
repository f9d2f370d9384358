/* to_model.c: turns records into events, by mapping.def, with code for the few records that rows cannot describe.
 *
 * The end of a collective operation names only a number; what began under it is remembered until then. Records of a
 * whole operation (deprecated in OTF) make two events, the second at the time plus the duration: the reorder buffer
 * holds it until the stream has reached that time, so that times do not go back.
 */
#include "formats/otf/format.h"

#include "core/error.h"

#include <inttypes.h>

/* ---- The tables ---- */

enum { FIELDS_MOST = 8 };

/* What happens to each field: FIELD_ATTRIBUTE if mapping.def has no row. */
enum { FIELD_ATTRIBUTE, FIELD_HANDLED, FIELD_COLUMN };
static const uint8_t field_rows[QUIPU__OTF_TYPE_COUNT][FIELDS_MOST] = {
#define COLUMN(record, field, column)                                                                          \
    [QUIPU__OTF_##record][QUIPU__OTF_##record##_##field] = FIELD_COLUMN + QUIPU_COLUMN_##column,
#define HANDLED(record, field) [QUIPU__OTF_##record][QUIPU__OTF_##record##_##field] = FIELD_HANDLED,
#define STATISTIC(record, field, statistic) HANDLED(record, field)
#include "formats/otf/mapping.def"
};

/* One more than the statistic; 0 for none. */
static const uint8_t statistic_rows[QUIPU__OTF_TYPE_COUNT][FIELDS_MOST] = {
#define STATISTIC(record, field, statistic)                                                                    \
    [QUIPU__OTF_##record][QUIPU__OTF_##record##_##field] = QUIPU_STATISTIC_##statistic + 1,
#include "formats/otf/mapping.def"
};

static const uint8_t kind_rows[QUIPU__OTF_TYPE_COUNT] = {
#define EVENT(record, kind) [QUIPU__OTF_##record] = QUIPU_KIND_##kind + 1,
#include "formats/otf/mapping.def"
};

/* 0 for none. */
static const uint8_t operation_rows[QUIPU__OTF_TYPE_COUNT] = {
#define OPERATION(record, value) [QUIPU__OTF_##record] = (value) + 1,
#include "formats/otf/mapping.def"
};

/* Completes the event that was added last. */
typedef enum quipu_status special_fn(struct quipu__otf_pass *pass, uint64_t offset, struct quipu__batch *batch,
                                     struct quipu_error *err);
#define SPECIAL(record, function) static special_fn function;
#include "formats/otf/mapping.def"
static special_fn *const special_rows[QUIPU__OTF_TYPE_COUNT] = {
#define SPECIAL(record, function) [QUIPU__OTF_##record] = function,
#include "formats/otf/mapping.def"
};

enum quipu_column quipu__otf_column_of(enum quipu__otf_type type, uint32_t field) {
    const unsigned row = field_rows[type][field];
    return row >= FIELD_COLUMN ? (enum quipu_column)(row - FIELD_COLUMN) : QUIPU_COLUMN_COUNT;
}

uint32_t quipu__otf_statistic_of(enum quipu__otf_type type, uint32_t field) {
    return statistic_rows[type][field] ? statistic_rows[type][field] - 1u : QUIPU_NONE;
}

/* ---- Numbers ---- */

uint32_t quipu__otf_pass_number(struct quipu__otf_pass *pass, enum quipu__otf_class class_of, uint32_t token,
                                const char *field) {
    uint32_t number = quipu__tokens_get(&pass->events->late[class_of], token);
    if (number == QUIPU_NONE) {
        number = quipu__otf_number(pass->own, class_of, token);
        if (quipu__otf_defined(pass->own, class_of, token) == QUIPU_NONE)
            quipu__otf_find_here(pass, QUIPU__OTF_RULE_UNDEFINED, pass->offset,
                                 quipu__otf_schema.types[pass->type].name, field, "%s %" PRIu32,
                                 quipu__otf_definers[class_of].domain, token);
        quipu__gate_knows(quipu__tokens_put(&pass->events->late[class_of], token, number));
    }
    return number;
}

/* Token 0 means none unless it is defined. */
static uint32_t number_or_none(struct quipu__otf_pass *pass, enum quipu__otf_class class_of, uint32_t token,
                               const char *field) {
    if (token == 0 && quipu__otf_defined(pass->own, class_of, 0) == QUIPU_NONE)
        return QUIPU_NONE;
    return quipu__otf_pass_number(pass, class_of, token, field);
}

/* A field's value as stored in a column; QUIPU_UNKNOWN for a token that means none. */
static uint64_t column_value(struct quipu__otf_pass *pass, const struct quipu_field *field) {
    const enum quipu__otf_class class_of = quipu__otf_class_of(field);
    int64_t value = 0;
    quipu_field_get_i64(field, &pass->data, &value);
    if (class_of == QUIPU__OTF_CLASS_COUNT)
        return (uint64_t)value;
    const uint32_t number = number_or_none(pass, class_of, (uint32_t)value, field->name);
    return number == QUIPU_NONE ? QUIPU_UNKNOWN : number;
}

static void set_column(struct quipu_batch *batch, uint32_t event, enum quipu_column column, uint64_t value) {
    switch (column) {
    case QUIPU_COLUMN_object:
        batch->object[event] = (uint32_t)value;
        break;
    case QUIPU_COLUMN_peer:
        batch->peer[event] = (uint32_t)value;
        break;
    case QUIPU_COLUMN_group:
        batch->group[event] = (uint32_t)value;
        break;
    case QUIPU_COLUMN_operation:
        batch->operation[event] = (uint32_t)value;
        break;
    case QUIPU_COLUMN_tag:
        batch->tag[event] = (int64_t)value;
        break;
    case QUIPU_COLUMN_bytes:
        batch->bytes[event] = value;
        break;
    case QUIPU_COLUMN_value:
        batch->value[event] = value;
        break;
    case QUIPU_COLUMN_id:
        batch->id[event] = value;
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* An event with all columns of its kind unknown. */
static uint32_t add_event(struct quipu_batch *batch, int64_t time, enum quipu_kind kind, uint32_t location,
                          uint64_t offset) {
    const struct quipu_kind_info *info = quipu_kind_at(kind);
    const uint32_t event = quipu__batch_add(batch, time, kind, location, offset);
    for (size_t i = 0; i < info->field_count; i++)
        set_column(batch, event, info->fields[i].column, QUIPU_UNKNOWN);
    return event;
}

/* ---- Attributes ---- */

/* Groups of functions and files are not definitions of the model: their names represent them. NULL for other values. */
static const char *group_name(const struct quipu__otf_trace *own, enum quipu__otf_class class_of,
                              uint32_t token) {
    if (class_of != QUIPU__OTF_CLASS_function_group && class_of != QUIPU__OTF_CLASS_file_group)
        return NULL;
    const uint32_t index = quipu__otf_defined(own, class_of, token);
    return index == QUIPU_NONE ? NULL : own->definition_classes[class_of].definitions.items[index].name;
}

static bool add_field_attribute(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint32_t index,
                                struct quipu__batch *batch) {
    const struct quipu_field *field = &quipu__otf_schema.types[type].fields[index];
    struct quipu_value value = {.type = field->storage == QUIPU_STORE_U64 ? QUIPU_VALUE_U64 : QUIPU_VALUE_U32};
    if (field->storage == QUIPU_STORE_STRING) {
        const char *text = *(const char *const *)quipu__member_const(field, &pass->data);
        return !text || quipu__batch_attribute_text(batch, QUIPU_KEY_TEXT, text, quipu_sized_count(text));
    }
    quipu_field_get_i64(field, &pass->data, &value.i);
    if (quipu__otf_class_of(field) == QUIPU__OTF_CLASS_source) {
        value.key = QUIPU_KEY_SOURCE;
        value.u = number_or_none(pass, QUIPU__OTF_CLASS_source, (uint32_t)value.u, field->name);
        return value.u == QUIPU_NONE || quipu__batch_attribute(batch, &value);
    }
    value.key = quipu__otf_field_key(pass->own, type, index);
    const char *name = group_name(pass->own, quipu__otf_class_of(field), (uint32_t)value.u);
    return name ? quipu__batch_attribute_text(batch, value.key, name, strlen(name))
                : quipu__batch_attribute(batch, &value);
}

/* Keys have the numbers of their definitions in the order of the files; those that are not defined come behind. */
static bool add_keyvalues(struct quipu__otf_pass *pass, struct quipu__batch *batch) {
    const struct quipu__otf_class_list *keys = &pass->own->definition_classes[QUIPU__OTF_CLASS_key];
    for (uint32_t i = 0; i < quipu_sized_count(pass->common.keyvalues); i++) {
        struct quipu_value value = pass->common.keyvalues[i];
        value.key = quipu__otf_pass_number(pass, QUIPU__OTF_CLASS_key, value.key, "key");
        if (value.type == QUIPU_VALUE_BYTES && value.key < keys->definitions.count &&
            keys->definitions.items[value.key].is_text)
            value.type = QUIPU_VALUE_STRING;
        if (!quipu__batch_attribute(batch, &value))
            return false;
    }
    return true;
}

/* ---- One record ---- */

/* Columns and attributes of the fields of a record. */
static bool fill_event(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint32_t event,
                       struct quipu__batch *batch) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    bool done = true;
    for (uint32_t i = 0; i < row->field_count && done; i++) {
        const unsigned field = field_rows[type][i];
        if (field >= FIELD_COLUMN)
            set_column(&batch->batch, event, (enum quipu_column)(field - FIELD_COLUMN),
                       column_value(pass, &row->fields[i]));
        else if (field == FIELD_ATTRIBUTE && !pass->pass.filter->without_attributes)
            done = add_field_attribute(pass, type, i, batch);
    }
    return done && (pass->pass.filter->without_attributes || add_keyvalues(pass, batch));
}

enum quipu_status quipu__otf_to_model(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint64_t offset,
                                      struct quipu__batch *batch, struct quipu_error *err) {
    if (!kind_rows[type])
        return QUIPU_OK;
    const enum quipu_kind kind = (enum quipu_kind)(kind_rows[type] - 1);
    const uint32_t event = add_event(&batch->batch, pass->time, kind, pass->location, offset);
    if (kind == QUIPU_KIND_snapshot)
        batch->batch.operation[event] = quipu__otf_schema.types[type].id;
    else if (operation_rows[type])
        batch->batch.operation[event] = operation_rows[type] - 1u;
    if (!fill_event(pass, type, event, batch))
        return quipu__no_memory(err, sizeof(struct quipu_attribute));
    return special_rows[type] ? special_rows[type](pass, offset, batch, err) : QUIPU_OK;
}

/* Each figure of a statistics record is an event; the first one already exists. */
static enum quipu_status each_figure(struct quipu__otf_pass *pass, uint64_t offset, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    const enum quipu__otf_type type = pass->type;
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    struct quipu_batch *events = &batch->batch;
    uint32_t event = events->count - 1;
    bool is_first = true;
    for (uint32_t i = 0; i < row->field_count; i++) {
        int64_t figure = 0;
        if (!statistic_rows[type][i])
            continue;
        if (!is_first) {
            event = add_event(events, pass->time, QUIPU_KIND_summary, pass->location, offset);
            if (!fill_event(pass, type, event, batch))
                return quipu__no_memory(err, sizeof(struct quipu_attribute));
        }
        is_first = false;
        quipu_field_get_i64(&row->fields[i], &pass->data, &figure);
        events->operation[event] = quipu__otf_statistic_of(type, i);
        events->value[event] = (uint64_t)figure;
        events->tag[event] = events->tag[event] == 0 ? -1 : events->tag[event]; /* all tags */
    }
    return QUIPU_OK;
}

/* A NoOp only carries key-values. */
static enum quipu_status drop_without_values(struct quipu__otf_pass *pass, uint64_t offset,
                                             struct quipu__batch *batch, struct quipu_error *err) {
    (void)offset, (void)err;
    if (!pass->common.keyvalues)
        batch->batch.count--;
    return QUIPU_OK;
}

uint64_t quipu__otf_metric_value(const struct quipu__otf_trace *own, uint32_t metric, uint64_t value) {
    double real;
    switch (metric < own->number_count ? (enum quipu__otf_number)own->numbers[metric] : QUIPU__OTF_AS_IS) {
    case QUIPU__OTF_SIGNED16:
        return (uint64_t)(int64_t)(int16_t)value;
    case QUIPU__OTF_SIGNED32:
        return (uint64_t)(int64_t)(int32_t)value;
    case QUIPU__OTF_UNSIGNED16:
        return (uint16_t)value;
    case QUIPU__OTF_UNSIGNED32:
        return (uint32_t)value;
    case QUIPU__OTF_FLOAT:
        real = quipu__otf_float_from_bits((uint32_t)value);
        memcpy(&value, &real, sizeof value);
        return value;
    case QUIPU__OTF_AS_IS:
        break;
    }
    return value;
}

static enum quipu_status read_metric(struct quipu__otf_pass *pass, uint64_t offset, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    struct quipu_batch *events = &batch->batch;
    const uint32_t event = events->count - 1;
    (void)offset, (void)err;
    events->value[event] = quipu__otf_metric_value(pass->own, events->object[event], events->value[event]);
    return QUIPU_OK;
}

/* ---- Collective operations ---- */

static struct quipu__event_columns columns_of(const struct quipu_batch *batch, uint32_t event) {
    return (struct quipu__event_columns){.id = batch->id[event],
                                         .object = batch->object[event],
                                         .operation = batch->operation[event],
                                         .group = batch->group[event],
                                         .peer = batch->peer[event],
                                         .bytes = batch->bytes[event],
                                         .value = batch->value[event]};
}

static void set_columns(struct quipu_batch *batch, uint32_t event, const struct quipu__event_columns *from) {
    batch->id[event] = from->id;
    batch->object[event] = from->object;
    batch->operation[event] = from->operation;
    batch->group[event] = from->group;
    batch->peer[event] = from->peer;
    batch->bytes[event] = from->bytes;
    batch->value[event] = from->value;
}

static uint32_t collective_operation(const struct quipu__otf_trace *own, uint32_t region) {
    const uint32_t index = region - own->first_collop;
    return region >= own->first_collop && index < own->collective_count ? own->collectives[index]
                                                                        : QUIPU_COLLECTIVE_OTHER;
}

/* Numbers may be reused before they have ended: the last one ends first. */
bool quipu__otf_begin_collective(struct quipu__otf_pass *pass, struct quipu_batch *batch, uint32_t event) {
    batch->operation[event] = collective_operation(pass->own, batch->object[event]);
    const struct quipu__event_columns columns = columns_of(batch, event);
    const struct quipu__beginning beginning = {0, QUIPU_KIND_collective_begin, &columns, sizeof columns};
    const struct quipu__transition transition =
        quipu__transition(QUIPU__INTERVAL_collective, QUIPU__BEGINS_BESIDE, batch->location[event], columns.id,
                          batch->location[event], 0);
    const uint32_t state = quipu__tracker_locate(&pass->events->active, 0, 0);
    return state != QUIPU_NONE && quipu__tracker_add(&pass->events->active, state, &transition, &beginning);
}

static enum quipu_status begin_collective(struct quipu__otf_pass *pass, uint64_t offset,
                                          struct quipu__batch *batch, struct quipu_error *err) {
    (void)offset;
    return quipu__otf_begin_collective(pass, &batch->batch, batch->batch.count - 1)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__event_columns));
}

/* The last one that began at a location with that number; QUIPU_NONE when there is none. */
static uint32_t find_collective(const struct quipu__tracker *collectives, uint32_t location, uint64_t id) {
    const struct quipu__transition end = quipu__ends(QUIPU__INTERVAL_collective, location, id, location, 0);
    const uint32_t state = quipu__tracker_latest(collectives, 0);
    return state == QUIPU_NONE ? QUIPU_NONE : quipu__tracker_find(collectives, state, &end);
}

/* Completes an event from the beginning that it ends; false when there is none. */
static bool end_one_of(struct quipu__tracker *collectives, struct quipu_batch *events, uint32_t event) {
    const uint32_t number = find_collective(collectives, events->location[event], events->id[event]);
    if (number == QUIPU_NONE)
        return false;
    set_columns(events, event, quipu__interval_columns(collectives, quipu__interval_at(collectives, number)));
    quipu__tracker_remove(collectives, number);
    return true;
}

bool quipu__otf_end_collective(struct quipu__otf_pass *pass, struct quipu_batch *batch, uint32_t event) {
    return end_one_of(&pass->events->active, batch, event);
}

bool quipu__otf_knows_begin(const struct quipu__otf_pass *pass, uint64_t id) {
    return find_collective(&pass->events->active, pass->location, id) != QUIPU_NONE ||
           find_collective(&pass->events->before, pass->location, id) != QUIPU_NONE;
}

static enum quipu_status end_collective(struct quipu__otf_pass *pass, uint64_t offset,
                                        struct quipu__batch *batch, struct quipu_error *err) {
    struct quipu_batch *events = &batch->batch;
    const uint32_t event = events->count - 1;
    (void)offset, (void)err;
    if (!quipu__otf_end_collective(pass, events, event) && !end_one_of(&pass->events->before, events, event))
        events->operation[event] = QUIPU_COLLECTIVE_OTHER;
    return QUIPU_OK;
}

/* ---- What ends later ---- */

/* Announces an event of that kind with the columns of the event added last. */
static enum quipu_status end_later(struct quipu__otf_pass *pass, uint64_t offset, struct quipu__batch *batch,
                                   enum quipu_kind kind, uint64_t duration, struct quipu_error *err) {
    const uint32_t begin = batch->batch.count - 1;
    const struct quipu__event_columns columns = columns_of(&batch->batch, begin);
    const uint64_t room = pass->time < INT64_MAX - 1 ? (uint64_t)(INT64_MAX - 1 - pass->time) : 0;
    const bool is_full = quipu__reorder_count(&pass->due) == QUIPU__OTF_DUE_LIMIT;
    const int64_t until_end = (int64_t)(duration < room ? duration : room);
    const int64_t time = is_full ? pass->time : pass->time + until_end;
    const uint32_t event = add_event(&batch->batch, time, kind, batch->batch.location[begin], offset);
    set_columns(&batch->batch, event, &columns);
    const enum quipu_status status = is_full ? QUIPU_OK : quipu__reorder_hold(&pass->due, batch, event, err);
    pass->next_due = quipu__reorder_due(&pass->due);
    return status;
}

enum quipu_status quipu__otf_give_due(struct quipu__otf_pass *pass, int64_t until, struct quipu__batch *batch,
                                      struct quipu_error *err) {
    const enum quipu_status status = quipu__reorder_give(&pass->due, until, batch, err);
    pass->next_due = quipu__reorder_due(&pass->due);
    return status;
}

static enum quipu_status whole_collective(struct quipu__otf_pass *pass, uint64_t offset,
                                          struct quipu__batch *batch, struct quipu_error *err) {
    const uint32_t event = batch->batch.count - 1;
    batch->batch.operation[event] = collective_operation(pass->own, batch->batch.object[event]);
    return end_later(pass, offset, batch, QUIPU_KIND_collective_end, pass->data.CollectiveOperation.duration,
                     err);
}

/* ---- File operations ---- */

/* OTF_FILEOP_* in the low five bits; the bits above are flags. */
static enum quipu_io_operation io_operation(uint32_t operation) {
    static const enum quipu_io_operation operations[] = {
        QUIPU_IO_OPEN,   QUIPU_IO_CLOSE,     QUIPU_IO_READ, QUIPU_IO_WRITE, QUIPU_IO_SEEK,  QUIPU_IO_UNLINK,
        QUIPU_IO_RENAME, QUIPU_IO_DUPLICATE, QUIPU_IO_SYNC, QUIPU_IO_LOCK,  QUIPU_IO_UNLOCK};
    const uint32_t low = operation & 0x1f;
    return low < sizeof operations / sizeof *operations ? operations[low] : QUIPU_IO_OTHER;
}

/* What the column of a file operation cannot hold: flags. */
static bool add_flags(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint32_t field,
                      uint32_t operation, struct quipu__batch *batch) {
    return operation <= QUIPU__OTF_OPERATION_BITS || pass->pass.filter->without_attributes ||
           add_field_attribute(pass, type, field, batch);
}

/* Opening and closing are single events; everything else begins and ends. */
static enum quipu_status whole_file_operation(struct quipu__otf_pass *pass, uint64_t offset,
                                              struct quipu__batch *batch, struct quipu_error *err) {
    const struct quipu__otf_FileOperation *record = &pass->data.FileOperation;
    struct quipu_batch *events = &batch->batch;
    const uint32_t event = events->count - 1;
    const enum quipu_io_operation operation = io_operation(record->operation);
    if (!add_flags(pass, QUIPU__OTF_FileOperation, QUIPU__OTF_FileOperation_operation, record->operation,
                   batch))
        return quipu__no_memory(err, sizeof(struct quipu_attribute));
    if (operation == QUIPU_IO_OPEN || operation == QUIPU_IO_CLOSE) {
        events->kind[event] = operation == QUIPU_IO_OPEN ? QUIPU_KIND_io_open : QUIPU_KIND_io_close;
        events->id[event] = record->handleid;
        events->operation[event] = record->operation & ~UINT32_C(0x1f);
        return QUIPU_OK;
    }
    events->operation[event] = operation;
    events->tag[event] = (int64_t)record->handleid;
    return end_later(pass, offset, batch, QUIPU_KIND_io_end, record->duration, err);
}

/* Only its end shows what it is. */
static enum quipu_status begin_file_operation(struct quipu__otf_pass *pass, uint64_t offset,
                                              struct quipu__batch *batch, struct quipu_error *err) {
    (void)pass, (void)offset, (void)err;
    batch->batch.operation[batch->batch.count - 1] = QUIPU_IO_OTHER;
    return QUIPU_OK;
}

static enum quipu_status end_file_operation(struct quipu__otf_pass *pass, uint64_t offset,
                                            struct quipu__batch *batch, struct quipu_error *err) {
    const struct quipu__otf_EndFileOperation *record = &pass->data.EndFileOperation;
    const uint32_t event = batch->batch.count - 1;
    (void)offset;
    batch->batch.operation[event] = io_operation(record->operation);
    batch->batch.tag[event] = (int64_t)record->handleId;
    return add_flags(pass, QUIPU__OTF_EndFileOperation, QUIPU__OTF_EndFileOperation_operation,
                     record->operation, batch)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu_attribute));
}

/* ---- For the conversion report ---- */

/* An entry of zeros ends each list. */
#define EVENT(record, kind) static const struct quipu__field_outcome outcomes_of_##record[] = {
#define COLUMN(record, of_field, of_column)                                                                    \
    {.field = QUIPU__OTF_##record##_##of_field,                                                                \
     .outcome = QUIPU__OUTCOME_EXACT,                                                                          \
     .column = QUIPU_COLUMN_##of_column,                                                                       \
     .reason = ""},
#define STATISTIC(record, of_field, of_statistic)                                                              \
    {.field = QUIPU__OTF_##record##_##of_field,                                                                \
     .outcome = QUIPU__OUTCOME_EXACT,                                                                          \
     .column = QUIPU_COLUMN_value,                                                                             \
     .reason = "",                                                                                             \
     .statistics = QUIPU__STATISTIC(of_statistic)},
#define HANDLED(record, of_field)                                                                              \
    {.field = QUIPU__OTF_##record##_##of_field,                                                                \
     .outcome = QUIPU__OUTCOME_EXACT,                                                                          \
     .column = QUIPU_COLUMN_COUNT,                                                                             \
     .reason = ""},
#define EVENT_END(record)                                                                                      \
    { .reason = NULL }                                                                                         \
    }                                                                                                          \
    ;
#include "formats/otf/mapping.def"

#define EVENT(record, of_kind)                                                                                 \
    [QUIPU__OTF_##record] = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_##of_kind),                                    \
                             .fields = outcomes_of_##record,                                                   \
                             .field_count = sizeof outcomes_of_##record / sizeof *outcomes_of_##record - 1},
static const struct quipu__mapping events[QUIPU__OTF_TYPE_COUNT] = {
#include "formats/otf/mapping.def"
};

/* Records that make events of more than one kind. */
static const struct quipu__mapping
    whole_collective_mapping =
        {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) | QUIPU_KIND_BIT(QUIPU_KIND_collective_end),
         .fields = outcomes_of_CollectiveOperation,
         .field_count = sizeof outcomes_of_CollectiveOperation / sizeof *outcomes_of_CollectiveOperation - 1},
    whole_file_mapping = {.kinds = QUIPU_KIND_BIT(QUIPU_KIND_io_begin) | QUIPU_KIND_BIT(QUIPU_KIND_io_end) |
                                   QUIPU_KIND_BIT(QUIPU_KIND_io_open) | QUIPU_KIND_BIT(QUIPU_KIND_io_close),
                          .fields = outcomes_of_FileOperation,
                          .field_count =
                              sizeof outcomes_of_FileOperation / sizeof *outcomes_of_FileOperation - 1},
    no_mapping = {.kinds = 0};

/* The classes that each definition belongs to; the others describe the trace. */
#define DEFINES(record, what) [QUIPU__OTF_##record] = {.is_definition = true, .definitions = (what)}
static const struct quipu__mapping definitions[QUIPU__OTF_TYPE_COUNT] = {
    DEFINES(DefProcess, QUIPU__DEFINES(locations)),
    DEFINES(DefProcessGroup, QUIPU__DEFINES(groups)),
    DEFINES(DefAttributeList, QUIPU__DEFINES(locations) | QUIPU__DEFINES(groups)),
    DEFINES(DefProcessOrGroupAttributes, QUIPU__DEFINES(locations) | QUIPU__DEFINES(groups)),
    DEFINES(DefFunction, QUIPU__DEFINES(regions)),
    DEFINES(DefFunctionGroup, QUIPU__DEFINES_FIELD(regions, group)),
    DEFINES(DefCollectiveOperation, QUIPU__DEFINES(regions)),
    DEFINES(DefCounter, QUIPU__DEFINES(metrics)),
    DEFINES(DefCounterGroup, QUIPU__DEFINES_FIELD(metrics, group)),
    DEFINES(DefCounterAssignments, QUIPU__DEFINES(metrics)),
    DEFINES(DefScl, QUIPU__DEFINES(sources)),
    DEFINES(DefSclFile, QUIPU__DEFINES(sources)),
    DEFINES(DefFile, QUIPU__DEFINES(files)),
    DEFINES(DefFileGroup, QUIPU__DEFINES_FIELD(files, group)),
    DEFINES(DefKeyValue, QUIPU__DEFINES(attribute_keys)),
    DEFINES(DefMarker, QUIPU__DEFINES(markers)),
};
static const struct quipu__mapping description = {.is_definition = true};

const struct quipu__mapping *quipu__otf_mapping(uint32_t type) {
    const enum quipu__otf_file file = (enum quipu__otf_file)quipu__otf_schema.types[type].group;
    if (type == QUIPU__OTF_CollectiveOperation)
        return &whole_collective_mapping;
    if (type == QUIPU__OTF_FileOperation)
        return &whole_file_mapping;
    if (kind_rows[type])
        return &events[type];
    if (file == QUIPU__OTF_ANY)
        return &no_mapping;
    return definitions[type].is_definition ? &definitions[type] : &description;
}
