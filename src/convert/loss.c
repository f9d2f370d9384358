/* loss.c: judging how records are converted, and counting. */
#include "convert/loss.h"

#include "core/error.h"

#include <string.h>

/* ---- Judging ---- */

static bool add_field(struct quipu_conversion_report *loss, struct quipu__loss_type *row, const char *name,
                      enum quipu__record_outcome outcome, const char *reason) {
    struct quipu__loss_field *field = QUIPU__VEC_ADD(&loss->memory, &row->fields);
    if (field)
        *field = (struct quipu__loss_field){name, outcome, reason, QUIPU_UNKNOWN};
    return field != NULL;
}

/* What becomes of a field when events of these kinds can be written. */
static struct quipu__loss_field judge_outcome(const struct quipu__field_outcome *outcome, quipu_kinds kinds,
                                              const struct quipu__capabilities *capabilities) {
    struct quipu__loss_field lost = {.outcome = QUIPU__RECORD_DROPPED, .reason = outcome->reason};
    switch (outcome->outcome) {
    case QUIPU__OUTCOME_DROPPED:
        return lost;
    case QUIPU__OUTCOME_ATTRIBUTE:
        lost.reason = "{target} has no attributes";
        lost.outcome = capabilities->attributes ? QUIPU__RECORD_EXACT : QUIPU__RECORD_DROPPED;
        return lost;
    case QUIPU__OUTCOME_EXACT:
    case QUIPU__OUTCOME_APPROXIMATED:
        break;
    }
    if ((outcome->column != QUIPU_COLUMN_COUNT && !quipu__keeps_column(capabilities, kinds, outcome->column)) ||
        !quipu__keeps_statistic(capabilities, outcome->statistics)) {
        lost.reason = "not representable in {target}";
        return lost;
    }
    lost.outcome = outcome->outcome == QUIPU__OUTCOME_EXACT ? QUIPU__RECORD_EXACT : QUIPU__RECORD_APPROXIMATED;
    return lost;
}

/* What the mapping says of a field; fields that it does not list are attributes, or part of a definition. */
static struct quipu__field_outcome outcome_of(const struct quipu__mapping *mapping, uint16_t field) {
    for (size_t i = 0; i < mapping->field_count; i++)
        if (mapping->fields[i].field == field)
            return mapping->fields[i];
    const enum quipu__outcome outcome =
        mapping->is_definition ? QUIPU__OUTCOME_EXACT : QUIPU__OUTCOME_ATTRIBUTE;
    return (struct quipu__field_outcome){field, outcome, QUIPU_COLUMN_COUNT, "", 0};
}

static bool judge_fields(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                         const struct quipu__mapping *mapping, const struct quipu__capabilities *capabilities) {
    for (uint16_t i = 0; i < row->type->field_count; i++) {
        const struct quipu__field_outcome outcome = outcome_of(mapping, i);
        const struct quipu__loss_field lost = judge_outcome(&outcome, row->kinds, capabilities);
        if (lost.outcome == QUIPU__RECORD_EXACT)
            continue;
        row->outcome = QUIPU__RECORD_APPROXIMATED;
        if (!add_field(loss, row, row->type->fields[i].name, lost.outcome, lost.reason))
            return false;
    }
    return true;
}

/* Whether a record consists of figures of which none can be written. */
static bool loses_all_figures(const struct quipu__mapping *mapping,
                              const struct quipu__capabilities *capabilities) {
    uint32_t statistics = 0;
    for (size_t i = 0; i < mapping->field_count; i++)
        statistics |= mapping->fields[i].statistics;
    return !quipu__keeps_statistic(capabilities, statistics);
}

static bool judge_type(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                       const struct quipu__mapping *mapping, const struct quipu__capabilities *capabilities) {
    row->kinds = mapping->kinds & quipu__capable_kinds(capabilities);
    row->missing = mapping->kinds & ~row->kinds;
    if (mapping->is_definition)
        return judge_fields(loss, row, mapping, capabilities);
    if (loses_all_figures(mapping, capabilities)) {
        row->outcome = QUIPU__RECORD_DROPPED;
        return add_field(loss, row, "*", QUIPU__RECORD_DROPPED, "{target} has no such statistics");
    }
    if (row->kinds == 0) {
        row->outcome = QUIPU__RECORD_DROPPED;
        return add_field(loss, row, "*", QUIPU__RECORD_DROPPED,
                         mapping->kinds ? "{target} has no equivalent of {kinds}" : "not an event");
    }
    if (row->kinds != mapping->kinds) {
        row->outcome = QUIPU__RECORD_APPROXIMATED;
        if (!add_field(loss, row, "*", QUIPU__RECORD_APPROXIMATED, "{target} has no equivalent of {kinds}"))
            return false;
    }
    return judge_fields(loss, row, mapping, capabilities);
}

static bool judge(struct quipu_conversion_report *loss, const struct quipu__format *source,
                  const struct quipu__capabilities *capabilities) {
    bool fits = true;
    for (uint32_t i = 0; i < loss->type_count && fits; i++) {
        struct quipu__loss_type *row = &loss->types[i];
        *row = (struct quipu__loss_type){
            .type = &source->info.schema->types[i], .first_stream = QUIPU_NONE, .first_record = QUIPU_UNKNOWN};
        fits = !capabilities || judge_type(loss, row, source->reading->mapping(i), capabilities);
    }
    return fits;
}

enum quipu_status quipu__loss_new(const struct quipu__trace *trace, const struct quipu__format *target,
                                  struct quipu_conversion_report **out, struct quipu_error *err) {
    const struct quipu__format *source = trace->format;
    struct quipu__memory memory;
    quipu__memory_like(&memory, trace->memory);
    *out = NULL;
    struct quipu_conversion_report *loss = quipu__alloc_zero(&memory, sizeof *loss);
    if (!loss)
        return quipu__no_memory(err, sizeof *loss);
    loss->memory = memory;
    loss->target = target;
    const uint32_t count = (uint32_t)source->info.schema->type_count;
    loss->types = quipu__alloc_zero(&loss->memory, count * sizeof *loss->types);
    loss->type_count = loss->types ? count : 0;
    if (!loss->types || !judge(loss, source, target ? target->writing->capabilities : NULL)) {
        quipu_conversion_report_free(loss);
        return quipu__no_memory(err, count * sizeof *loss->types);
    }
    *out = loss;
    return QUIPU_OK;
}

void quipu_conversion_report_free(struct quipu_conversion_report *loss) {
    if (!loss)
        return;
    for (uint32_t i = 0; i < loss->type_count; i++)
        QUIPU__VEC_RELEASE(&loss->memory, &loss->types[i].fields);
    quipu__release(&loss->memory, loss->types, loss->type_count * sizeof *loss->types);
    struct quipu__memory last = loss->memory;
    quipu__release(&last, loss, sizeof *loss);
}

void quipu_conversion_report_set_unrecorded(struct quipu_conversion_report *loss,
                                            const struct quipu_unrecorded *items, size_t count) {
    loss->unrecorded = items;
    loss->unrecorded_count = count;
}

/* ---- Counting ---- */

void quipu__loss_meet(struct quipu_conversion_report *loss, const struct quipu_record *record) {
    struct quipu__loss_type *row = &loss->types[record->type - loss->types[0].type];
    if (row->first_stream != QUIPU_NONE)
        return;
    row->first_stream = record->stream;
    row->first_record = record->index;
}

bool quipu__loss_has_firsts(const struct quipu_conversion_report *loss) {
    for (uint32_t i = 0; i < loss->type_count; i++)
        if (loss->types[i].outcome != QUIPU__RECORD_EXACT && loss->types[i].first_stream == QUIPU_NONE)
            return false;
    return true;
}

void quipu__loss_count(struct quipu_conversion_report *loss, const struct quipu_reader *reader) {
    loss->is_counted = true;
    for (uint32_t i = 0; i < loss->type_count; i++) {
        struct quipu__loss_type *row = &loss->types[i];
        row->total = quipu_reader_records_of(reader, i);
        row->exact = row->outcome == QUIPU__RECORD_EXACT ? row->total : 0;
        row->approximated = row->outcome == QUIPU__RECORD_APPROXIMATED ? row->total : 0;
        row->dropped = row->outcome == QUIPU__RECORD_DROPPED ? row->total : 0;
        for (size_t k = 0; k < row->fields.count; k++)
            row->fields.items[k].count = row->total;
    }
}

void quipu__loss_select(struct quipu_conversion_report *loss, const struct quipu_selection *selection,
                        const struct quipu_batch *batch) {
    loss->is_part = true;
    loss->without_attributes = selection->without_attributes;
    for (uint32_t i = 0; i < batch->count; i++)
        loss->selected[batch->kind[i]]++;
}

/* Says of some records of a type that a target did not write them, or wrote another value. */
static bool add_values(struct quipu_conversion_report *loss, struct quipu__loss_type *row, uint64_t count,
                       enum quipu__record_outcome outcome, const char *reason) {
    if (!add_field(loss, row, "*", outcome, reason))
        return false;
    row->fields.items[row->fields.count - 1].count = count;
    return true;
}

/* Moves up to *events records of a type to dropped. */
static bool drop_records(struct quipu_conversion_report *loss, struct quipu__loss_type *row, uint64_t *events) {
    uint64_t *from = row->exact ? &row->exact : &row->approximated;
    const uint64_t count = *events < *from ? *events : *from;
    if (count == 0)
        return true;
    *from -= count;
    row->dropped += count;
    *events -= count;
    return add_values(loss, row, count, QUIPU__RECORD_DROPPED, "values not representable in {target}");
}

/* The same for records that were exact and are approximated now. */
static bool change_records(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                           uint64_t *events) {
    const uint64_t count = *events < row->total ? *events : row->total;
    const uint64_t moved = count < row->exact ? count : row->exact;
    if (count == 0)
        return true;
    row->exact -= moved;
    row->approximated += moved;
    *events -= count;
    return add_values(loss, row, count, QUIPU__RECORD_APPROXIMATED,
                      "times or values that {target} cannot hold exactly");
}

/* A target counts by kind of event; when several types make that kind, the first ones get it. */
static bool transfer_events(struct quipu_conversion_report *loss, enum quipu_kind kind, uint64_t events,
                            bool (*transfer)(struct quipu_conversion_report *, struct quipu__loss_type *,
                                             uint64_t *)) {
    for (uint32_t i = 0; i < loss->type_count && events > 0; i++)
        if ((loss->types[i].kinds >> kind & 1) != 0 && !transfer(loss, &loss->types[i], &events))
            return false;
    return true;
}

bool quipu__loss_drop(struct quipu_conversion_report *loss, enum quipu_kind kind, uint64_t events) {
    return transfer_events(loss, kind, events, drop_records);
}

bool quipu__loss_change(struct quipu_conversion_report *loss, enum quipu_kind kind, uint64_t events) {
    return transfer_events(loss, kind, events, change_records);
}

/* A record that several fields of are approximated counts once. */
bool quipu__loss_approximate(struct quipu_conversion_report *loss,
                             const struct quipu__approximation *approximation) {
    struct quipu__loss_type *row = &loss->types[approximation->type - loss->types[0].type];
    const char *name = approximation->type->fields[approximation->field].name;
    const uint64_t records = approximation->records;
    const uint64_t others = records > row->approximated ? records - row->approximated : 0;
    const uint64_t count = others < row->exact ? others : row->exact;
    row->exact -= count;
    row->approximated += count;
    if (!add_field(loss, row, name, QUIPU__RECORD_APPROXIMATED, approximation->reason))
        return false;
    row->fields.items[row->fields.count - 1].count = records;
    return true;
}

uint64_t quipu_conversion_report_selected(const struct quipu_conversion_report *loss) {
    uint64_t events = loss->selected_records;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        events += loss->selected[kind];
    return loss->is_part || loss->is_part_of_records ? events : QUIPU_UNKNOWN;
}

uint64_t quipu_conversion_report_lost(const struct quipu_conversion_report *loss) {
    uint64_t lost = 0;
    for (uint32_t i = 0; i < loss->type_count; i++)
        lost += loss->types[i].approximated + loss->types[i].dropped;
    return lost;
}

uint64_t quipu_conversion_report_dropped(const struct quipu_conversion_report *loss) {
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < loss->type_count; i++)
        dropped += loss->types[i].dropped;
    return dropped;
}

bool quipu_conversion_report_lossy_at(const struct quipu_conversion_report *loss, size_t index,
                                      struct quipu_lossy_type *out) {
    for (uint32_t i = 0; i < loss->type_count; i++) {
        const struct quipu__loss_type *row = &loss->types[i];
        if (row->approximated + row->dropped == 0 || index-- > 0)
            continue;
        *out = (struct quipu_lossy_type){row->type->name, row->approximated, row->dropped};
        return true;
    }
    return false;
}

bool quipu_conversion_report_moved(const struct quipu_conversion_report *loss, struct quipu_moved_events *out) {
    *out = loss->moved_events;
    return loss->is_retimed;
}
