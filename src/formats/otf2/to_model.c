/* to_model.c: what a record becomes in the model, by mapping.def, and the records that rows cannot describe.
 *
 * The beginning of a collective operation says nothing of it, and that of a gap not how long it is: what their end says is put into the event
 * that the beginning made. Of a gap that is so as long as both are in the same batch; of operations it is known where the end is far
 * (look_ahead in reader.c). Completions say only numbers: what began under them is remembered. */
#include "formats/otf2/mapping.h"

#include "state/tracker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Numbers of ranks that stand for something else. */
enum { RANK_SPECIAL = 3 }; /* so many from UINT32_MAX down: none, oneself, this group */
#define RANK_SELF (UINT32_MAX - 1)

typedef void special_fn(struct quipu__otf2_pass *pass, uint32_t event);
#define SPECIAL(record, function) static special_fn function;
#include "formats/otf2/mapping.def"
static special_fn *const special_rows[QUIPU__OTF2_TYPE_COUNT] = {
#define SPECIAL(record, function) [QUIPU__OTF2_TYPE_##record] = function,
#include "formats/otf2/mapping.def"
};

/* ---- References ---- */

static uint32_t get(const struct quipu__otf2_pass *pass, enum quipu__otf2_class class_of, uint64_t token) {
    return quipu__tokens_get(&pass->own->tokens[class_of], token);
}

static void find_undefined(struct quipu__otf2_pass *pass, const struct quipu_field *field, uint64_t token) {
    if (!pass->path) /* it looks ahead; who comes behind it will find that, too */
        return;
    const struct quipu__where where = {
        pass->path, QUIPU_UNKNOWN, QUIPU_UNKNOWN, pass->position, quipu__otf2_types[pass->sink.type].name,
        field->name};
    quipu__find(pass->common.trace->findings, &quipu__otf2_rules[QUIPU__OTF2_RULE_UNDEFINED], &where, "",
                "%s %" PRIu64, field->domain->word, token);
}

/* What a number of the file stands for; a finding where nothing defines it. */
static uint32_t defined(struct quipu__otf2_pass *pass, enum quipu__otf2_class class_of,
                        const struct quipu_field *field, uint64_t token) {
    const uint32_t number = get(pass, class_of, token);
    if (QUIPU__UNLIKELY(number == QUIPU_NONE) && token != UINT32_MAX)
        find_undefined(pass, field, token);
    return number;
}

static bool is_among(const struct quipu__otf2_pass *pass, const uint32_t *numbers, uint32_t count) {
    const uint32_t parent = pass->own->trace->define->definitions.locations.items[pass->location].parent;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] == pass->location || numbers[i] == parent)
            return true;
    return false;
}

/* Whether the location is on the other side of an inter-communicator. */
static bool is_other(const struct quipu__otf2_pass *pass, const struct quipu__otf2_comm *comm) {
    return comm->other != QUIPU_NONE && !is_among(pass, comm->others, comm->other_count);
}

static uint32_t group_of(struct quipu__otf2_pass *pass, uint32_t index) {
    pass->comm = index < pass->own->comms.count ? &pass->own->comms.items[index] : NULL;
    if (!pass->comm)
        return QUIPU_NONE;
    return is_other(pass, pass->comm) ? pass->comm->other : pass->comm->number;
}

/* The location with a rank in the communicator that was met last. */
static uint32_t peer_of(const struct quipu__otf2_pass *pass, uint32_t rank) {
    const struct quipu__otf2_comm *comm = pass->comm;
    if (rank == RANK_SELF || (comm && comm->is_self && rank < UINT32_MAX - RANK_SPECIAL))
        return pass->location;
    if (!comm || rank > UINT32_MAX - RANK_SPECIAL)
        return QUIPU_NONE;
    const bool other = is_other(pass, comm);
    const uint32_t count = other ? comm->other_count : comm->rank_count;
    const uint32_t *ranks = other ? comm->others : comm->ranks;
    return rank < count ? ranks[rank] : QUIPU_NONE;
}

/* By the numbers of libotf2. */
static uint32_t collective_of(uint64_t operation) {
    static const uint8_t operations[] = {
        QUIPU_COLLECTIVE_BARRIER,   QUIPU_COLLECTIVE_BCAST,          QUIPU_COLLECTIVE_GATHER,
        QUIPU_COLLECTIVE_GATHERV,   QUIPU_COLLECTIVE_SCATTER,        QUIPU_COLLECTIVE_SCATTERV,
        QUIPU_COLLECTIVE_ALLGATHER, QUIPU_COLLECTIVE_ALLGATHERV,     QUIPU_COLLECTIVE_ALLTOALL,
        QUIPU_COLLECTIVE_ALLTOALLV, QUIPU_COLLECTIVE_ALLTOALLW,      QUIPU_COLLECTIVE_ALLREDUCE,
        QUIPU_COLLECTIVE_REDUCE,    QUIPU_COLLECTIVE_REDUCE_SCATTER, QUIPU_COLLECTIVE_SCAN,
        QUIPU_COLLECTIVE_EXSCAN,    QUIPU_COLLECTIVE_REDUCE_SCATTER};
    return operation < sizeof operations ? operations[operation] : QUIPU_COLLECTIVE_OTHER;
}

static uint32_t io_operation_of(uint64_t mode) {
    static const uint8_t operations[] = {QUIPU_IO_READ, QUIPU_IO_WRITE, QUIPU_IO_SYNC};
    return mode < sizeof operations ? operations[mode] : QUIPU_IO_OTHER;
}

static uint64_t meaning_of(struct quipu__otf2_pass *pass, enum quipu__otf2_meaning meaning,
                           const struct quipu_field *field, uint64_t value) {
    uint32_t number = QUIPU_NONE;
    switch (meaning) {
    case QUIPU__OTF2_IS_number:
        return value;
    case QUIPU__OTF2_IS_region:
        number = defined(pass, QUIPU__OTF2_CLASS_region, field, value);
        break;
    case QUIPU__OTF2_IS_context:
        number = defined(pass, QUIPU__OTF2_CLASS_context, field, value);
        break;
    case QUIPU__OTF2_IS_comm:
        number = group_of(pass, defined(pass, QUIPU__OTF2_CLASS_comm, field, value));
        break;
    case QUIPU__OTF2_IS_window:
        number = group_of(pass, defined(pass, QUIPU__OTF2_CLASS_window, field, value));
        break;
    case QUIPU__OTF2_IS_peer:
        number = peer_of(pass, (uint32_t)value);
        break;
    case QUIPU__OTF2_IS_handle_file:
        number = defined(pass, QUIPU__OTF2_CLASS_io_handle, field, value);
        break;
    case QUIPU__OTF2_IS_io_file:
        number = defined(pass, QUIPU__OTF2_CLASS_io_file, field, value);
        break;
    case QUIPU__OTF2_IS_marker:
        number = defined(pass, QUIPU__OTF2_CLASS_marker, field, value);
        break;
    case QUIPU__OTF2_IS_collective:
        return collective_of(value);
    case QUIPU__OTF2_IS_io_operation:
        return io_operation_of(value);
    }
    return number == QUIPU_NONE ? QUIPU_UNKNOWN : number;
}

/* ---- Events ---- */

static void set_column(struct quipu_batch *batch, uint32_t i, enum quipu_column column, uint64_t value) {
    switch (column) {
#define QUIPU_COLUMN(name, c_type, doc)                                                                        \
    case QUIPU_COLUMN_##name:                                                                                  \
        batch->name[i] = (c_type)value;                                                                        \
        break;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* An event with all columns of its kind unknown. */
static uint32_t add_event(struct quipu__otf2_pass *pass, enum quipu_kind kind, int64_t time) {
    const struct quipu_kind_info *info = quipu_kind_at(kind);
    struct quipu_batch *batch = &pass->batch->batch;
    const uint32_t event = quipu__batch_add(batch, time, kind, pass->location, pass->position);
    for (size_t i = 0; i < info->field_count; i++)
        set_column(batch, event, info->fields[i].column, QUIPU_UNKNOWN);
    return event;
}

static void add_text(struct quipu__otf2_pass *pass, uint32_t key, const char *text) {
    pass->has_failed |= !pass->common.filter->without_attributes &&
                        !quipu__batch_attribute_text(pass->batch, key, text, strlen(text));
}

/* ---- Attributes ---- */

static const char *parameter_name(const struct quipu__otf2_pass *pass, uint32_t number) {
    const struct quipu__otf2_saved *saved = &pass->own->saved[QUIPU__OTF2_TYPE_PARAMETER];
    for (size_t i = 0; i < saved->items.count; i++) {
        const struct quipu__otf2_PARAMETER *parameter = saved->items.items[i];
        if (parameter->self == number)
            return quipu__otf2_text(pass->own, parameter->name);
    }
    return NULL;
}

/* What a value stands for; NULL: itself. */
static const char *label_of(const struct quipu__otf2_pass *pass, const struct quipu_domain *domain,
                            int64_t value) {
    if (strcmp(domain->name, "string") == 0)
        return quipu__otf2_text(pass->own, (uint32_t)value);
    if (strcmp(domain->name, "parameter") == 0)
        return parameter_name(pass, (uint32_t)value);
    return domain->label_count > 0 ? quipu_label_find(domain, value) : NULL;
}

static void add_field(struct quipu__otf2_pass *pass, enum quipu__otf2_type type, uint32_t index) {
    const struct quipu_field *field = &quipu__otf2_types[type].fields[index];
    struct quipu_value value = {.key = pass->own->field_keys[type * QUIPU__OTF2_FIELDS_MOST + index],
                                .type = field->storage == QUIPU_STORE_I64 ? QUIPU_VALUE_I64 : QUIPU_VALUE_U64};
    quipu_field_get_i64(field, &pass->sink.record, &value.i);
    const char *label = label_of(pass, field->domain, value.i);
    if (label)
        add_text(pass, value.key, label);
    else
        pass->has_failed |= !quipu__batch_attribute(pass->batch, &value);
}

static void add_source(struct quipu__otf2_pass *pass, uint32_t number) {
    const struct quipu_value value = {.key = QUIPU_KEY_SOURCE, .type = QUIPU_VALUE_U32, .u = number};
    pass->has_failed |= number != QUIPU_NONE && !pass->common.filter->without_attributes &&
                        !quipu__batch_attribute(pass->batch, &value);
}

/* Values that are places in source code, by the type of the value: fields with the meaning of both. */
static bool add_source_value(struct quipu__otf2_pass *pass, const struct quipu_value *value) {
    const struct quipu_field *fields = quipu__otf2_types[QUIPU__OTF2_TYPE_CALLING_CONTEXT].fields;
    if (value->size == QUIPU__OTF2_SOURCE_REF)
        add_source(pass, defined(pass, QUIPU__OTF2_CLASS_source,
                                 &fields[QUIPU__OTF2_CALLING_CONTEXT_source_code_location], value->u));
    else if (value->size == QUIPU__OTF2_CONTEXT_REF)
        add_source(pass, defined(pass, QUIPU__OTF2_CLASS_context_source,
                                 &fields[QUIPU__OTF2_CALLING_CONTEXT_parent], value->u));
    else
        return false;
    return true;
}

static void add_values(struct quipu__otf2_pass *pass, const struct quipu_value *values) {
    const struct quipu_attribute_keys *keys = &pass->own->trace->define->definitions.attribute_keys;
    for (uint32_t i = 0; i < quipu_sized_count(values); i++) {
        struct quipu_value value = values[i];
        value.key = get(pass, QUIPU__OTF2_CLASS_attribute, value.key);
        if (value.key == QUIPU_NONE || add_source_value(pass, &value))
            continue;
        value.size = 0;
        if (keys->items[value.key].type == QUIPU_VALUE_STRING && value.type == QUIPU_VALUE_U32)
            add_text(pass, value.key, quipu__otf2_text(pass->own, (uint32_t)value.u));
        else
            pass->has_failed |= !quipu__batch_attribute(pass->batch, &value);
    }
}

static void add_attributes(struct quipu__otf2_pass *pass, enum quipu__otf2_type type) {
    const uint32_t count = quipu__otf2_types[type].field_count;
    for (uint32_t i = 0; i < count; i++)
        if (quipu__otf2_is_attribute(type, i))
            add_field(pass, type, i);
    if (quipu__otf2_types[type].group == QUIPU__OTF2_GROUP_EVENT && *quipu__otf2_attributes(&pass->sink))
        add_values(pass, *quipu__otf2_attributes(&pass->sink));
}

/* ---- One record ---- */

/* A note as Quipu writes it: the value of a parameter with that name. */
static bool add_written_note(struct quipu__otf2_pass *pass, enum quipu__otf2_type type) {
    const struct quipu__otf2_PARAMETER_STRING *record = &pass->sink.record.PARAMETER_STRING;
    const char *name =
        type == QUIPU__OTF2_TYPE_PARAMETER_STRING ? parameter_name(pass, record->parameter) : NULL;
    if (!name || strcmp(name, "note") != 0)
        return false;
    add_text(pass, QUIPU_KEY_TEXT, quipu__otf2_text(pass->own, record->value));
    if (record->attributes && !pass->common.filter->without_attributes)
        add_values(pass, record->attributes);
    return true;
}

static void add_note(struct quipu__otf2_pass *pass, enum quipu__otf2_type type, int64_t time) {
    add_event(pass, QUIPU_KIND_note, time);
    if (add_written_note(pass, type))
        return;
    add_text(pass, QUIPU_KEY_TEXT, quipu__otf2_types[type].name);
    if (!pass->common.filter->without_attributes)
        add_attributes(pass, type);
}

static uint32_t add_row(struct quipu__otf2_pass *pass, enum quipu__otf2_type type, int64_t time) {
    const struct quipu__otf2_row *row = &quipu__otf2_rows[type];
    const uint32_t event = add_event(pass, (enum quipu_kind)(row->kind - 1), time);
    if (row->operation)
        pass->batch->batch.operation[event] = row->operation - 1u;
    for (const struct quipu__otf2_column *column = row->columns; column->field < QUIPU__OTF2_FIELDS_MOST;
         column++) {
        const struct quipu_field *field = &quipu__otf2_types[type].fields[column->field];
        int64_t value = 0;
        quipu_field_get_i64(field, &pass->sink.record, &value);
        set_column(&pass->batch->batch, event, (enum quipu_column)column->column,
                   meaning_of(pass, (enum quipu__otf2_meaning)column->meaning, field, (uint64_t)value));
    }
    if (!pass->common.filter->without_attributes)
        add_attributes(pass, type);
    return event;
}

/* ---- Calls ---- */

static void enter(struct quipu__otf2_pass *pass, uint32_t region) {
    pass->has_failed |= !QUIPU__VEC_PUT(pass->own->memory, &pass->calls, region);
}

/* Calls inside end with it; one that is not active, or too far out, is not left. */
static void leave(struct quipu__otf2_pass *pass, uint32_t region) {
    const size_t count = pass->calls.count;
    const size_t least = count > QUIPU__LOOK_OUT_MOST ? count - QUIPU__LOOK_OUT_MOST : 0;
    size_t depth = count;
    while (depth > least && region != QUIPU_NONE && pass->calls.items[depth - 1] != region)
        depth--;
    pass->calls.count = depth > least ? depth - 1 : count;
}

/* Most records: without a look at the table. */
static bool add_call(struct quipu__otf2_pass *pass, enum quipu__otf2_type type, int64_t time) {
    const bool is_enter = type == QUIPU__OTF2_TYPE_ENTER;
    if ((!is_enter && type != QUIPU__OTF2_TYPE_LEAVE) || pass->sink.record.ENTER.attributes)
        return false;
    const uint32_t token = pass->sink.record.ENTER.region; /* Leave is alike */
    const uint32_t region = defined(pass, QUIPU__OTF2_CLASS_region,
                                    &quipu__otf2_types[type].fields[QUIPU__OTF2_ENTER_region], token);
    struct quipu_batch *batch = &pass->batch->batch;
    const uint32_t event = quipu__batch_add(batch, time, is_enter ? QUIPU_KIND_enter : QUIPU_KIND_leave,
                                            pass->location, pass->position);
    batch->object[event] = region;
    if (is_enter)
        enter(pass, region);
    else
        leave(pass, region);
    return true;
}

void quipu__otf2_to_model(struct quipu__otf2_pass *pass) {
    const enum quipu__otf2_type type = pass->sink.type;
    const int64_t time = (int64_t)(pass->sink.record.ENTER.timestamp - (uint64_t)pass->own->origin);
    if (QUIPU__LIKELY(add_call(pass, type, time)))
        return;
    if (!quipu__otf2_rows[type].kind) {
        add_note(pass, type, time);
        return;
    }
    pass->comm = NULL;
    const uint32_t event = add_row(pass, type, time);
    if (pass->batch->batch.kind[event] == QUIPU_KIND_enter)
        enter(pass, pass->batch->batch.object[event]);
    else if (pass->batch->batch.kind[event] == QUIPU_KIND_leave)
        leave(pass, pass->batch->batch.object[event]);
    if (special_rows[type])
        special_rows[type](pass, event);
}

void quipu__otf2_add_marker(struct quipu__otf2_pass *pass, const struct quipu__otf2_MARKER *marker) {
    union quipu__otf2_any saved = pass->sink.record;
    pass->sink.record.MARKER = *marker;
    add_row(pass, QUIPU__OTF2_TYPE_MARKER, (int64_t)(marker->timestamp - (uint64_t)pass->own->origin));
    add_text(pass, QUIPU_KEY_TEXT, marker->text ? marker->text : "");
    pass->sink.record = saved;
}

static void find_call_site(struct quipu__otf2_pass *pass, uint32_t event) {
    (void)event;
    add_source(pass,
               get(pass, QUIPU__OTF2_CLASS_call_site, pass->sink.record.CALLING_CONTEXT_ENTER.calling_context));
}

/* ---- Collective operations ---- */

static uint32_t innermost(const struct quipu__otf2_pass *pass) {
    return pass->calls.count > 0 ? pass->calls.items[pass->calls.count - 1] : QUIPU_NONE;
}

static void begin_collective(struct quipu__otf2_pass *pass, uint32_t event) {
    uint32_t *const open = pass->open_collectives;
    pass->batch->batch.object[event] = innermost(pass);
    if (quipu__otf2_begin_far(pass, event, pass->collectives++))
        return;
    pass->unended++;
    if (pass->open_count == QUIPU__OTF2_OPEN_MOST)
        memmove(open, open + 1, --pass->open_count * sizeof *open);
    open[pass->open_count++] = event;
}

/* The latest beginning with that number, or without one, that has not ended; QUIPU_NONE. */
static uint32_t take_open(struct quipu__otf2_pass *pass, uint64_t id) {
    uint32_t *const open = pass->open_collectives;
    for (uint32_t i = pass->open_count; i-- > 0;) {
        const uint32_t begin = open[i];
        if (pass->batch->batch.id[begin] != id)
            continue;
        memmove(open + i, open + i + 1, (--pass->open_count - i) * sizeof *open);
        return begin;
    }
    return QUIPU_NONE;
}

/* Its beginning is in an earlier batch. */
static uint32_t region_of_far(struct quipu__otf2_pass *pass, uint64_t id) {
    const uint32_t far = quipu__map_remove(&pass->far_of, id);
    return far != QUIPU_NONE ? pass->far.items[far].region : innermost(pass);
}

static void end_collective(struct quipu__otf2_pass *pass, uint32_t event) {
    struct quipu_batch *batch = &pass->batch->batch;
    const uint64_t id = batch->id[event];
    uint32_t begin = take_open(pass, id);
    /* There may be many that do not block. */
    if (begin == QUIPU_NONE && id != QUIPU_UNKNOWN)
        for (begin = event;
             begin > 0 && !(batch->kind[begin] == QUIPU_KIND_collective_begin && batch->id[begin] == id);)
            begin--;
    if (begin >= event || batch->kind[begin] != QUIPU_KIND_collective_begin || batch->id[begin] != id) {
        batch->object[event] = region_of_far(pass, id);
        return;
    }
    const struct quipu__otf2_far end = quipu__otf2_end_of(batch, event);
    batch->object[event] = batch->object[begin];
    pass->unended -= pass->unended > 0;
    quipu__otf2_set_end(batch, begin, &end);
}

/* ---- Transfers ---- */

static uint64_t number_in(const struct quipu__otf2_pass *pass, uint32_t field) {
    int64_t number = 0;
    quipu_field_get_i64(&quipu__otf2_types[pass->sink.type].fields[field], &pass->sink.record, &number);
    return (uint64_t)number;
}

/* Operations have numbers of their own at each window, and at each handle of a file: these stand behind the time in their records, the number in front of the
 * attributes. */
static uint64_t transfer_key(const struct quipu__otf2_pass *pass, uint32_t event) {
    const bool is_file = pass->batch->batch.kind[event] == QUIPU_KIND_io_begin ||
                         pass->batch->batch.kind[event] == QUIPU_KIND_io_end;
    const uint64_t key[] = {is_file, number_in(pass, 2),
                            number_in(pass, quipu__otf2_types[pass->sink.type].field_count - 2)};
    return quipu__hash(key, sizeof key, pass->active_of.seed);
}

static void begin_transfer(struct quipu__otf2_pass *pass, uint32_t event) {
    const struct quipu_batch *batch = &pass->batch->batch;
    const uint64_t key = transfer_key(pass, event);
    uint32_t number = pass->free_active;
    if (number != QUIPU_NONE)
        pass->free_active = pass->active.items[number].peer;
    else if (QUIPU__VEC_ADD(pass->own->memory, &pass->active))
        number = (uint32_t)pass->active.count - 1;
    if (number == QUIPU_NONE || !quipu__map_put(&pass->active_of, key, number)) {
        pass->has_failed = true;
        return;
    }
    pass->active.items[number] =
        (struct quipu__otf2_active){batch->bytes[event], batch->operation[event], batch->peer[event]};
}

static void end_transfer(struct quipu__otf2_pass *pass, uint32_t event) {
    struct quipu_batch *batch = &pass->batch->batch;
    const uint64_t key = transfer_key(pass, event);
    const uint32_t number = quipu__map_get(&pass->active_of, key);
    if (number == QUIPU_NONE)
        return;
    struct quipu__otf2_active *active = &pass->active.items[number];
    batch->operation[event] = active->operation;
    if (batch->kind[event] == QUIPU_KIND_rma_end) {
        batch->peer[event] = active->peer;
        batch->bytes[event] = active->bytes;
    } else if (batch->bytes[event] == QUIPU_UNKNOWN) {
        batch->bytes[event] = 0; /* cancelled */
    }
    active->peer = pass->free_active;
    pass->free_active = number;
    quipu__map_remove(&pass->active_of, key);
}

/* A change of the position takes no time that the trace knows. */
static void whole_operation(struct quipu__otf2_pass *pass, uint32_t event) {
    const struct quipu_batch *batch = &pass->batch->batch;
    const uint32_t end = add_event(pass, QUIPU_KIND_io_end, batch->time[event]);
    batch->object[end] = batch->object[event];
    batch->tag[end] = batch->tag[event];
    batch->value[end] = batch->value[event];
    batch->operation[end] = batch->operation[event];
}

/* ---- Values ---- */

static uint64_t bits_of(const struct quipu_value *value) {
    uint64_t bits = value->u;
    if (value->type == QUIPU_VALUE_F64)
        memcpy(&bits, &value->f, sizeof bits);
    return bits;
}

/* The event that is there is that of the first member. */
static void each_member(struct quipu__otf2_pass *pass, uint32_t event) {
    struct quipu_batch *batch = &pass->batch->batch;
    const struct quipu__otf2_METRIC *record = &pass->sink.record.METRIC;
    const uint32_t index =
        defined(pass, QUIPU__OTF2_CLASS_metric,
                &quipu__otf2_types[QUIPU__OTF2_TYPE_METRIC].fields[QUIPU__OTF2_METRIC_metric], record->metric);
    const struct quipu__otf2_metric *metric =
        index < pass->own->metrics.count ? &pass->own->metrics.items[index] : NULL;
    const int64_t time = batch->time[event];
    const uint32_t count = quipu_sized_count(record->values);
    for (uint32_t i = 0; i < count && i < pass->most; i++) {
        const uint32_t added = i == 0 ? event : add_event(pass, QUIPU_KIND_metric, time);
        batch->object[added] = metric && i < metric->count ? metric->members[i] : QUIPU_NONE;
        batch->value[added] = bits_of(&record->values[i]);
    }
}

/* ---- Gaps ---- */

static void measure_flush(struct quipu__otf2_pass *pass, uint32_t event) {
    const struct quipu__otf2_BUFFER_FLUSH *record = &pass->sink.record.BUFFER_FLUSH;
    pass->batch->batch.value[event] =
        record->stop_time < record->timestamp ? 0 : record->stop_time - record->timestamp;
}

static void measure_off(struct quipu__otf2_pass *pass, uint32_t event) {
    enum { ON = 1 };
    struct quipu_batch *batch = &pass->batch->batch;
    if (pass->sink.record.MEASUREMENT_ON_OFF.mode != ON) {
        pass->open_gap = event;
        return;
    }
    batch->value[event] = 0; /* it ends here */
    if (pass->open_gap < event)
        batch->value[pass->open_gap] = (uint64_t)batch->time[event] - (uint64_t)batch->time[pass->open_gap];
    pass->open_gap = QUIPU_NONE;
}

/* ---- Tasks ---- */

static uint64_t task_of(const struct quipu__otf2_pass *pass) {
    const struct quipu__otf2_THREAD_TASK_CREATE *record = &pass->sink.record.THREAD_TASK_CREATE;
    if (pass->sink.type == QUIPU__OTF2_TYPE_OMP_TASK_SWITCH ||
        pass->sink.type == QUIPU__OTF2_TYPE_OMP_TASK_COMPLETE)
        return pass->sink.record.OMP_TASK_SWITCH.task;
    return (uint64_t)record->creating_thread << 32 | record->generation_number;
}

static void name_task(struct quipu__otf2_pass *pass, uint32_t event) {
    pass->batch->batch.id[event] = task_of(pass);
}

/* The task that runs pauses; the other one begins, or goes on where it has run here before. Generation 0 is the task that every thread of a
 * team runs anyway. */
static void switch_task(struct quipu__otf2_pass *pass, uint32_t event) {
    struct quipu_batch *batch = &pass->batch->batch;
    const uint64_t task = task_of(pass), before = pass->task;
    const bool is_implicit = (task & UINT32_MAX) == 0;
    pass->task = is_implicit ? QUIPU_UNKNOWN : task;
    const bool has_run = !is_implicit && quipu__map_get(&pass->tasks, task) != QUIPU_NONE;
    if (before != QUIPU_UNKNOWN) {
        batch->kind[event] = QUIPU_KIND_task_pause;
        batch->id[event] = before;
        batch->value[event] = 0;
        if (is_implicit)
            return;
        event = add_event(pass, QUIPU_KIND_task_begin, batch->time[event]);
    } else if (is_implicit) {
        batch->kind[event] = QUIPU_KIND_note;
        return;
    }
    batch->kind[event] = has_run ? QUIPU_KIND_task_resume : QUIPU_KIND_task_begin;
    batch->id[event] = task;
    batch->value[event] = 0;
    pass->has_failed |= !has_run && !quipu__map_put(&pass->tasks, task, 0);
}

static void end_task(struct quipu__otf2_pass *pass, uint32_t event) {
    const uint64_t task = task_of(pass);
    pass->batch->batch.id[event] = task;
    pass->batch->batch.value[event] = 0;
    pass->task = pass->task == task ? QUIPU_UNKNOWN : pass->task;
    quipu__map_remove(&pass->tasks, task);
}

/* ---- Program ---- */

static void name_program(struct quipu__otf2_pass *pass, uint32_t event) {
    const struct quipu__otf2_PROGRAM_BEGIN *record = &pass->sink.record.PROGRAM_BEGIN;
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", quipu__otf2_text(pass->own, record->name));
    (void)event;
    for (uint32_t i = 0; i < quipu_sized_count(record->arguments) && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %s",
                                 quipu__otf2_text(pass->own, record->arguments[i]));
    add_text(pass, QUIPU_KEY_TEXT, text);
}
