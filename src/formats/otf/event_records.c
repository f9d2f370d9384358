/* event_records.c: which record an event becomes, kind by kind.
 *
 * Source locations go into the records that have room for one. Snapshots and summaries that came from OTF are put together
 * again from their columns and attributes.
 *
 * Inexact in OTF: lengths, tags and counters are cut to 32 bits where a record has no more; accumulating one-sided
 * operations are written as puts.
 */
#include "formats/otf/from_model.h"

#include "model/event.h"

/* ---- Numbers ---- */

/* The token of a collective operation: of the region that names it, else of the operation itself. */
static uint32_t use_collop(struct quipu__otf_model_writer *model, uint32_t region, uint32_t operation) {
    if (region < model->definitions->regions.count) {
        const uint32_t token = quipu__otf_tokens_want(&model->collops, region,
                                                      model->definitions->regions.items[region].native_id);
        const size_t known_count = model->collop_operations.count;
        if (!token ||
            (region >= known_count && !QUIPU__VEC_RESERVE(model->writer->writing->memory,
                                                          &model->collop_operations, region + 1 - known_count)))
            return 0;
        if (region >= known_count)
            model->collop_operations.count = (size_t)region + 1;
        if (operation < QUIPU_COLLECTIVE_COUNT)
            model->collop_operations.items[region] = (uint8_t)operation;
        model->collops.at.items[region].used = true;
        return token;
    }
    uint32_t *token = &model->operation_tokens[operation < QUIPU_COLLECTIVE_COUNT ? operation : 0];
    if (!*token)
        *token = quipu__otf_tokens_fresh(&model->collops);
    return *token;
}

static uint64_t known(uint64_t value) {
    return value == QUIPU_UNKNOWN ? 0 : value;
}

/* ---- Attributes ---- */

static const struct quipu_value *find_attribute(const struct quipu_event *event, uint32_t key) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == key)
            return &event->attributes[i].value;
    return NULL;
}

static const struct quipu_value *find_named(const struct quipu__otf_model_writer *model,
                                            const struct quipu_event *event, const char *name) {
    for (uint32_t i = 0; i < event->attribute_count; i++) {
        const uint32_t key = event->attributes[i].value.key;
        if (key < model->definitions->attribute_keys.count &&
            strcmp(model->definitions->attribute_keys.items[key].name, name) == 0)
            return &event->attributes[i].value;
    }
    return NULL;
}

static uint32_t source_of(struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    const struct quipu_value *source = find_attribute(event, QUIPU_KEY_SOURCE);
    return source ? quipu__otf_use(&model->sources, (uint32_t)source->u) : 0;
}

/* NULL when there is no text. */
static const char *text_of(struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    const struct quipu_value *text = find_attribute(event, QUIPU_KEY_TEXT);
    return text ? quipu__scratch_text(&model->scratch, text->data, text->size) : NULL;
}

/* ---- What each kind becomes ---- */

enum outcome { WRITTEN, DROPPED };

typedef enum outcome make_fn(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                             struct quipu__otf_made *made);

/* A call of no region is one of function 0, which is read as none. */
static enum outcome make_enter(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                               struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_Enter;
    made->data.Enter =
        (struct quipu__otf_Enter){quipu__otf_use(&model->regions, event->object), source_of(model, event)};
    return WRITTEN;
}

static enum outcome make_leave(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                               struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_Leave;
    made->data.Leave =
        (struct quipu__otf_Leave){quipu__otf_use(&model->regions, event->object), source_of(model, event)};
    return WRITTEN;
}

static enum outcome make_send(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                              struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_SendMsg;
    made->data.SendMsg = (struct quipu__otf_SendMsg){.receiver = quipu__otf_use(&model->locations, event->peer),
                                                     .length = quipu__otf_cut(event->bytes),
                                                     .type = (uint32_t)event->tag,
                                                     .group = quipu__otf_use(&model->groups, event->group),
                                                     .source = source_of(model, event)};
    return made->data.SendMsg.receiver ? WRITTEN : DROPPED;
}

static enum outcome make_recv(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                              struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_RecvMsg;
    made->data.RecvMsg = (struct quipu__otf_RecvMsg){.sendProc = quipu__otf_use(&model->locations, event->peer),
                                                     .length = quipu__otf_cut(event->bytes),
                                                     .type = (uint32_t)event->tag,
                                                     .group = quipu__otf_use(&model->groups, event->group),
                                                     .source = source_of(model, event)};
    return made->data.RecvMsg.sendProc ? WRITTEN : DROPPED;
}

/* Operations without a number of their own are numbered per location; they do not overlap then. */
static uint64_t begin_id(struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    return event->id != QUIPU_UNKNOWN ? event->id : ++model->location_streams.items[event->location].next_id;
}

static uint64_t end_id(const struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    return event->id != QUIPU_UNKNOWN ? event->id : model->location_streams.items[event->location].next_id;
}

static enum outcome make_collective_begin(struct quipu__otf_model_writer *model,
                                          const struct quipu_event *event, struct quipu__otf_made *made) {
    model->location_streams.items[event->location].active_collectives++;
    made->type = QUIPU__OTF_BeginCollectiveOperation;
    made->data.BeginCollectiveOperation = (struct quipu__otf_BeginCollectiveOperation){
        .collOp = use_collop(model, event->object, event->operation),
        .matchingId = begin_id(model, event),
        .procGroup = quipu__otf_use(&model->groups, event->group),
        .rootProc = quipu__otf_use(&model->locations, event->peer),
        .sent = known(event->bytes),
        .received = known(event->value),
        .source = source_of(model, event)};
    return WRITTEN;
}

static enum outcome make_collective_end(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                        struct quipu__otf_made *made) {
    struct quipu__otf_location_stream *stream = &model->location_streams.items[event->location];
    /* Where the beginning is not written nothing says what ends. */
    model->writer->writing->approximated[QUIPU_KIND_collective_end] +=
        stream->active_collectives == 0 && quipu__says_collective(event->operation, event->group);
    stream->active_collectives -= stream->active_collectives > 0;
    made->type = QUIPU__OTF_EndCollectiveOperation;
    made->data.EndCollectiveOperation = (struct quipu__otf_EndCollectiveOperation){end_id(model, event)};
    return WRITTEN;
}

static enum outcome make_rma_begin(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                   struct quipu__otf_made *made) {
    static const enum quipu__otf_type types[QUIPU_RMA_COUNT] = {[QUIPU_RMA_OTHER] = QUIPU__OTF_TYPE_COUNT,
                                                                [QUIPU_RMA_PUT] = QUIPU__OTF_RMAPut,
                                                                [QUIPU_RMA_GET] = QUIPU__OTF_RMAGet,
                                                                [QUIPU_RMA_ACCUMULATE] = QUIPU__OTF_RMAPut,
                                                                [QUIPU_RMA_PUT_REMOTE_END] =
                                                                    QUIPU__OTF_RMAPutRemoteEnd};
    made->type = event->operation < QUIPU_RMA_COUNT ? types[event->operation] : QUIPU__OTF_TYPE_COUNT;
    /* RMAPut, RMAPutRemoteEnd and RMAGet have the same fields. */
    made->data.RMAPut =
        (struct quipu__otf_RMAPut){.origin = quipu__otf_use(&model->locations, (uint32_t)event->value),
                                   .target = quipu__otf_use(&model->locations, event->peer),
                                   .communicator = quipu__otf_use(&model->groups, event->group),
                                   .tag = (uint32_t)event->tag,
                                   .bytes = known(event->bytes),
                                   .source = source_of(model, event)};
    return made->type != QUIPU__OTF_TYPE_COUNT && made->data.RMAPut.target ? WRITTEN : DROPPED;
}

static enum outcome make_rma_end(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                 struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_RMAEnd;
    made->data.RMAEnd = (struct quipu__otf_RMAEnd){.remote = quipu__otf_use(&model->locations, event->peer),
                                                   .communicator = quipu__otf_use(&model->groups, event->group),
                                                   .tag = (uint32_t)event->tag,
                                                   .source = source_of(model, event)};
    return WRITTEN;
}

/* OTF_FILEOP_* by the model's operation. */
static const uint8_t file_operations[QUIPU_IO_COUNT] = {
    [QUIPU_IO_OTHER] = 31, [QUIPU_IO_OPEN] = 0, [QUIPU_IO_CLOSE] = 1,     [QUIPU_IO_READ] = 2,
    [QUIPU_IO_WRITE] = 3,  [QUIPU_IO_SEEK] = 4, [QUIPU_IO_UNLINK] = 5,    [QUIPU_IO_RENAME] = 6,
    [QUIPU_IO_SYNC] = 8,   [QUIPU_IO_LOCK] = 9, [QUIPU_IO_DUPLICATE] = 7, [QUIPU_IO_UNLOCK] = 10};

static enum outcome make_open_or_close(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                       struct quipu__otf_made *made) {
    const enum quipu_io_operation operation =
        event->kind == QUIPU_KIND_io_open ? QUIPU_IO_OPEN : QUIPU_IO_CLOSE;
    const struct quipu_value *duration = find_named(model, event, "duration");
    const uint32_t flags = event->kind == QUIPU_KIND_io_open && event->operation != QUIPU_NONE
                               ? event->operation & ~UINT32_C(0x1f)
                               : 0;
    made->type = QUIPU__OTF_FileOperation;
    made->data.FileOperation =
        (struct quipu__otf_FileOperation){.fileid = quipu__otf_use(&model->files, event->object),
                                          .handleid = known(event->id),
                                          .operation = file_operations[operation] | flags,
                                          .duration = duration ? duration->u : 0,
                                          .source = source_of(model, event)};
    return made->data.FileOperation.fileid ? WRITTEN : DROPPED;
}

static enum outcome make_io_begin(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                  struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_BeginFileOperation;
    made->data.BeginFileOperation =
        (struct quipu__otf_BeginFileOperation){begin_id(model, event), source_of(model, event)};
    return WRITTEN;
}

/* The whole value of the operation is an attribute when the column could not hold its flags. */
static enum outcome make_io_end(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                struct quipu__otf_made *made) {
    const struct quipu_value *operation = find_named(model, event, "operation");
    const uint32_t known_operation = event->operation < QUIPU_IO_COUNT ? event->operation : QUIPU_IO_OTHER;
    made->type = QUIPU__OTF_EndFileOperation;
    made->data.EndFileOperation = (struct quipu__otf_EndFileOperation){
        .fileid = quipu__otf_use(&model->files, event->object),
        .matchingId = end_id(model, event),
        .handleId = known((uint64_t)event->tag),
        .operation = operation ? (uint32_t)operation->u : file_operations[known_operation],
        .bytes = known(event->bytes),
        .source = source_of(model, event)};
    return made->data.EndFileOperation.fileid ? WRITTEN : DROPPED;
}

static enum outcome make_metric(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                struct quipu__otf_made *made) {
    made->type = QUIPU__OTF_Counter;
    made->data.Counter =
        (struct quipu__otf_Counter){quipu__otf_use(&model->metrics, event->object), event->value};
    return made->data.Counter.counter ? WRITTEN : DROPPED;
}

/* A note without text is what a record that only carries key-values became; without these, too, nothing is left of it. */
static enum outcome make_note(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                              struct quipu__otf_made *made) {
    made->data.EventComment = (struct quipu__otf_EventComment){text_of(model, event)};
    made->type = made->data.EventComment.comment ? QUIPU__OTF_EventComment : QUIPU__OTF_NoOp;
    return made->type == QUIPU__OTF_EventComment || event->attribute_count > 0 ? WRITTEN : DROPPED;
}

static enum outcome make_life(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                              struct quipu__otf_made *made) {
    (void)model;
    made->type = event->kind == QUIPU_KIND_location_begin ? QUIPU__OTF_BeginProcess : QUIPU__OTF_EndProcess;
    return WRITTEN;
}

/* A type of marker is defined before its first marker. */
static bool define_marker(struct quipu__otf_model_writer *model, uint32_t number) {
    if (number >= model->markers.at.count || model->markers.at.items[number].used)
        return true;
    const struct quipu_marker *marker = &model->definitions->markers.items[number];
    const struct quipu__otf_DefMarker definition = {
        quipu__otf_use(&model->markers, number),
        quipu__scratch_text(&model->scratch, marker->name, strlen(marker->name)), marker->severity};
    quipu__otf_encode(&model->writer->text, QUIPU__OTF_DefMarker, &definition, model->writer->is_long);
    return definition.name != NULL;
}

static enum outcome make_marker(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                struct quipu__otf_made *made) {
    const char *text = text_of(model, event);
    if (!define_marker(model, event->object))
        return DROPPED;
    made->type = QUIPU__OTF_Marker;
    made->data.Marker =
        (struct quipu__otf_Marker){.token = quipu__otf_use(&model->markers, event->object),
                                   .time = (uint64_t)quipu__otf_file_time(model, event->time),
                                   .process = quipu__otf_use(&model->locations, event->location),
                                   .text = text ? text : quipu__scratch_text(&model->scratch, "", 0)};
    return made->data.Marker.token && made->data.Marker.text ? WRITTEN : DROPPED;
}

/* ---- Snapshots and summaries, field by field ---- */

static struct quipu__otf_tokens *tokens_of(struct quipu__otf_model_writer *model,
                                           enum quipu__otf_class class_of) {
    switch (class_of) {
    case QUIPU__OTF_CLASS_process:
        return &model->locations;
    case QUIPU__OTF_CLASS_process_group:
        return &model->groups;
    case QUIPU__OTF_CLASS_function:
        return &model->regions;
    case QUIPU__OTF_CLASS_counter:
        return &model->metrics;
    case QUIPU__OTF_CLASS_file:
        return &model->files;
    default:
        return NULL;
    }
}

/* Attributes hold tokens of the input; they are right only if its tokens were kept. */
static bool keep_token(struct quipu__otf_model_writer *model, enum quipu__otf_class class_of, uint64_t token) {
    struct quipu__otf_tokens *tokens = tokens_of(model, class_of);
    if (class_of == QUIPU__OTF_CLASS_COUNT || token == 0)
        return true;
    const uint32_t number = tokens && !tokens->by_index ? quipu__map_get(&tokens->taken, token) : QUIPU_NONE;
    return number != QUIPU_NONE && quipu__otf_use(tokens, number) == token;
}

static uint64_t column_of(const struct quipu_event *event, enum quipu_column column) {
    const uint64_t value = (uint64_t)quipu_event_get(event, column);
    const bool is_short =
        column == QUIPU_COLUMN_object || column == QUIPU_COLUMN_peer || column == QUIPU_COLUMN_group;
    return is_short && (uint32_t)value == QUIPU_NONE ? QUIPU_UNKNOWN : value;
}

/* A column's number as in the record: tokens for definitions, 0 if not known. */
static uint64_t number_of(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                          enum quipu__otf_class class_of, enum quipu_column column) {
    const uint64_t value = column_of(event, column);
    struct quipu__otf_tokens *tokens = tokens_of(model, class_of);
    if (class_of == QUIPU__OTF_CLASS_collop)
        return value == QUIPU_UNKNOWN ? 0 : use_collop(model, (uint32_t)value, QUIPU_NONE);
    if (tokens)
        return quipu__otf_use(tokens, (uint32_t)value);
    return column == QUIPU_COLUMN_tag && (int64_t)value < 0 ? 0 : value;
}

/* Sets one number of the record from its column or attribute; false when it cannot be written. */
static bool fill_number(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                        const struct quipu_field *field, enum quipu_column column, void *data) {
    const enum quipu__otf_class class_of = quipu__otf_class_of(field);
    uint64_t value;
    if (column != QUIPU_COLUMN_COUNT) {
        value = number_of(model, event, class_of, column);
    } else if (class_of == QUIPU__OTF_CLASS_source) {
        value = source_of(model, event);
    } else if (class_of == QUIPU__OTF_CLASS_function_group || class_of == QUIPU__OTF_CLASS_file_group) {
        const struct quipu_value *name = find_named(model, event, field->name);
        if (!name || name->type != QUIPU_VALUE_STRING)
            return false;
        value = quipu__otf_name_token(
            model, class_of == QUIPU__OTF_CLASS_function_group ? &model->function_groups : &model->file_groups,
            quipu__scratch_text(&model->scratch, name->data, name->size));
    } else {
        const struct quipu_value *attribute = find_named(model, event, field->name);
        value = attribute ? attribute->u : 0;
        if (!keep_token(model, class_of, value))
            return false;
    }
    quipu__store_i64(field, data, (int64_t)value);
    return true;
}

bool quipu__otf_fill_fields(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                            struct quipu__otf_made *made) {
    const struct quipu_record_type *type = &quipu__otf_schema.types[made->type];
    memset(&made->data, 0, sizeof made->data);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (field->storage == QUIPU_STORE_STRING)
            *(const char **)quipu__member(field, &made->data) = text_of(model, event);
        else if (quipu__otf_statistic_of(made->type, i) == QUIPU_NONE &&
                 !fill_number(model, event, field, quipu__otf_column_of(made->type, i), &made->data))
            return false;
    }
    return true;
}

static enum outcome make_snapshot(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                  struct quipu__otf_made *made) {
    made->type = quipu__otf_type_of_id(event->operation);
    if (made->type == QUIPU__OTF_TYPE_COUNT ||
        quipu__otf_schema.types[made->type].group != QUIPU__OTF_SNAPSHOTS)
        return DROPPED;
    return quipu__otf_fill_fields(model, event, made) ? WRITTEN : DROPPED;
}

/* A summary that counts nothing is a comment. */
static enum outcome make_summary(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                                 struct quipu__otf_made *made) {
    if (event->operation < QUIPU_STATISTIC_COUNT) {
        quipu__otf_hold_summary(model, event, made);
        return WRITTEN;
    }
    made->type = QUIPU__OTF_SummaryComment;
    made->data.SummaryComment = (struct quipu__otf_SummaryComment){text_of(model, event)};
    return made->data.SummaryComment.comment ? WRITTEN : DROPPED;
}

static make_fn *const makers[QUIPU_KIND_COUNT] = {
    [QUIPU_KIND_enter] = make_enter,
    [QUIPU_KIND_leave] = make_leave,
    [QUIPU_KIND_send] = make_send,
    [QUIPU_KIND_recv] = make_recv,
    [QUIPU_KIND_collective_begin] = make_collective_begin,
    [QUIPU_KIND_collective_end] = make_collective_end,
    [QUIPU_KIND_rma_begin] = make_rma_begin,
    [QUIPU_KIND_rma_end] = make_rma_end,
    [QUIPU_KIND_io_open] = make_open_or_close,
    [QUIPU_KIND_io_close] = make_open_or_close,
    [QUIPU_KIND_io_begin] = make_io_begin,
    [QUIPU_KIND_io_end] = make_io_end,
    [QUIPU_KIND_metric] = make_metric,
    [QUIPU_KIND_note] = make_note,
    [QUIPU_KIND_location_begin] = make_life,
    [QUIPU_KIND_location_end] = make_life,
    [QUIPU_KIND_marker] = make_marker,
    [QUIPU_KIND_snapshot] = make_snapshot,
    [QUIPU_KIND_summary] = make_summary,
};

bool quipu__otf_can_make(enum quipu_kind kind) {
    return makers[kind] != NULL;
}

bool quipu__otf_make(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                     struct quipu__otf_made *made) {
    return makers[event->kind](model, event, made) == WRITTEN;
}
