/* loss.c: decides how records are converted, and counts them. */
#include "convert/loss.h"

#include "core/error.h"

#include <string.h>

/* ---- Judging ---- */

/* Notes an outcome of a type's records, or of one of its fields. False when memory is out. */
static bool loss_add_field(struct quipu_conversion_report *loss, struct quipu__loss_type *row, const char *name,
                           enum quipu__record_outcome outcome, const char *reason, uint64_t count) {
    return QUIPU__VEC_PUT(&loss->memory, &row->fields,
                          (struct quipu__loss_field){name, outcome, reason, count});
}

static bool add_field(struct quipu_conversion_report *loss, struct quipu__loss_type *row, const char *name,
                      enum quipu__record_outcome outcome, const char *reason) {
    return loss_add_field(loss, row, name, outcome, reason, QUIPU_UNKNOWN);
}

/* The outcome of a field when events of these kinds can be written, and may have attributes. */
static struct quipu__loss_field judge_outcome(const struct quipu__field_outcome *outcome, quipu_kinds kinds,
                                              bool has_attributes,
                                              const struct quipu__capabilities *capabilities) {
    struct quipu__loss_field lost = {.outcome = QUIPU__RECORD_DROPPED, .reason = outcome->reason};
    switch (outcome->outcome) {
    case QUIPU__OUTCOME_DROPPED:
        return lost;
    case QUIPU__OUTCOME_ATTRIBUTE:
        lost.reason = "{target} has no attributes";
        lost.outcome =
            capabilities->attributes || !has_attributes ? QUIPU__RECORD_EXACT : QUIPU__RECORD_DROPPED;
        return lost;
    case QUIPU__OUTCOME_EXACT:
    case QUIPU__OUTCOME_RESPELLED:
    case QUIPU__OUTCOME_APPROXIMATED:
        break;
    }
    if ((outcome->column != QUIPU_COLUMN_COUNT && !quipu__keeps_column(capabilities, kinds, outcome->column)) ||
        !quipu__keeps_statistic(capabilities, outcome->statistics)) {
        lost.reason = "not representable in {target}";
        return lost;
    }
    static const enum quipu__record_outcome outcomes[] = {
        [QUIPU__OUTCOME_EXACT] = QUIPU__RECORD_EXACT,
        [QUIPU__OUTCOME_RESPELLED] = QUIPU__RECORD_RESPELLED,
        [QUIPU__OUTCOME_APPROXIMATED] = QUIPU__RECORD_APPROXIMATED,
    };
    lost.outcome = outcomes[outcome->outcome];
    return lost;
}

/* What the mapping says about a field; fields that it does not list are attributes, or part of a definition. */
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
    const struct quipu__loss_events *events = &loss->events;
    const bool has_attributes =
        !events->are_known || loss->without_attributes || (events->attributed & mapping->kinds) != 0;
    for (uint16_t i = 0; i < row->type->field_count; i++) {
        const struct quipu__field_outcome outcome = outcome_of(mapping, i);
        const struct quipu__loss_field lost = judge_outcome(&outcome, row->kinds, has_attributes, capabilities);
        if (lost.outcome == QUIPU__RECORD_EXACT)
            continue;
        row->of_fields = lost.outcome == QUIPU__RECORD_RESPELLED && row->of_fields != QUIPU__RECORD_APPROXIMATED
                             ? QUIPU__RECORD_RESPELLED
                             : QUIPU__RECORD_APPROXIMATED;
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

/* Kinds of events that records of a type make: of the possible ones those that occur, if that is known. */
static quipu_kinds kinds_of(const struct quipu__loss_events *events, const struct quipu__mapping *mapping) {
    const quipu_kinds seen = events->are_known ? mapping->kinds & events->seen : 0;
    return seen ? seen : mapping->kinds;
}

/* Texts of definitions that not every target can keep. */
static const struct {
    const char *name;
    uint32_t of, bit; /* of the class and of the text in it */
} fields[] = {
#define QUIPU__DEFINITION_FIELD(plural, field, phrase, is_set)                                                 \
    {#field, QUIPU__DEFINES(plural), QUIPU__DEFINES_FIELD(plural, field)},
#include "model/definition_fields.def"
#undef QUIPU__DEFINITION_FIELD
};

/* How many definitions have a field that not every format can keep. */
static uint64_t count_field(const struct quipu_definitions *definitions, enum quipu__definition_field field) {
    uint64_t count = 0;
    switch (field) {
#define QUIPU__DEFINITION_FIELD(plural, name, phrase, is_set)                                                  \
    case QUIPU__DEFINITION_FIELD_##plural##_##name:                                                            \
        for (uint32_t i = 0; i < definitions->plural.count; i++) {                                             \
            const __typeof__(*definitions->plural.items) *it = &definitions->plural.items[i];                  \
            count += is_set;                                                                                   \
        }                                                                                                      \
        break;
#include "model/definition_fields.def"
#undef QUIPU__DEFINITION_FIELD
    case QUIPU__DEFINITION_FIELD_COUNT:
        break;
    }
    return count;
}

/* Whether records only give definitions, which are kept, a text that follows from the rest in all of them. */
static bool gives_nothing(const struct quipu_conversion_report *loss,
                          const struct quipu__capabilities *capabilities, uint32_t definitions) {
    for (unsigned f = 0; f < QUIPU__DEFINITION_FIELD_COUNT; f++)
        if (definitions == fields[f].bit)
            return quipu__keeps_definitions(capabilities, fields[f].of) &&
                   count_field(&loss->source->define->definitions, (enum quipu__definition_field)f) == 0;
    return false;
}

static bool drop_type(struct quipu_conversion_report *loss, struct quipu__loss_type *row, const char *reason) {
    row->outcome = QUIPU__RECORD_DROPPED;
    return add_field(loss, row, "*", QUIPU__RECORD_DROPPED, reason);
}

static bool judge_type(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                       const struct quipu__mapping *mapping, const struct quipu__capabilities *capabilities) {
    const quipu_kinds kinds = kinds_of(&loss->events, mapping);
    row->kinds = kinds & quipu__capable_kinds(capabilities);
    row->missing = kinds & ~row->kinds;
    row->outcome = row->of_fields = QUIPU__RECORD_EXACT;
    row->fields.count = 0;
    if (mapping->is_definition) {
        row->definitions = mapping->definitions;
        if (row->definitions == QUIPU__DEFINES_NOTHING)
            return drop_type(loss, row, "nothing in other formats stands for it");
        if (!quipu__keeps_definitions(capabilities, mapping->definitions) &&
            !gives_nothing(loss, capabilities, mapping->definitions))
            return drop_type(loss, row, "{target} has no {definitions}");
    } else if (loses_all_figures(mapping, capabilities)) {
        return drop_type(loss, row, "{target} has no such statistics");
    } else if (row->kinds == 0) {
        return drop_type(loss, row, kinds ? "{target} has no equivalent of {kinds}" : "not an event");
    }
    if (row->missing != 0 &&
        !add_field(loss, row, "*", QUIPU__RECORD_APPROXIMATED, "{target} has no equivalent of {kinds}"))
        return false;
    const bool done = judge_fields(loss, row, mapping, capabilities);
    row->outcome = row->missing != 0 ? QUIPU__RECORD_APPROXIMATED : row->of_fields;
    return done;
}

/* Which events must be examined: those that not all of their record types are converted with. */
static void need_events(struct quipu__loss_events *events, const struct quipu__loss_type *row) {
    events->are_needed |= row->missing != 0;
    if (row->kinds != 0)
        events->missing |= row->missing;
}

/* Judges all types by the tables and, once these are known, by the kinds that occur. False when memory is out. */
static bool loss_judge(struct quipu_conversion_report *loss) {
    const struct quipu__capabilities *capabilities = loss->target ? loss->target->writing->capabilities : NULL;
    bool fits = true;
    for (uint32_t i = 0; i < loss->type_count && fits && capabilities; i++) {
        fits = judge_type(loss, &loss->types[i], loss->source->format->reading->mapping(i), capabilities);
        need_events(&loss->events, &loss->types[i]);
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
    loss->source = trace;
    loss->target = target;
    const uint32_t count = (uint32_t)source->info.schema->type_count;
    loss->types = quipu__alloc_zero(&loss->memory, count * sizeof *loss->types);
    loss->type_count = loss->types ? count : 0;
    loss->events.taken = target ? quipu__capable_kinds(target->writing->capabilities) : QUIPU_ALL_KINDS;
    for (uint32_t i = 0; i < loss->type_count; i++)
        loss->types[i] = (struct quipu__loss_type){
            .type = &source->info.schema->types[i], .first_stream = QUIPU_NONE, .first_record = QUIPU_UNKNOWN};
    if (!loss->types || !loss_judge(loss)) {
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
    QUIPU__VEC_RELEASE(&loss->memory, &loss->events.of_region);
    QUIPU__VEC_RELEASE(&loss->memory, &loss->events.at_hand);
    quipu__release(&loss->memory, loss->types, loss->type_count * sizeof *loss->types);
    struct quipu__memory last = loss->memory;
    quipu__release(&last, loss, sizeof *loss);
}

void quipu_conversion_report_set_unrecorded(struct quipu_conversion_report *loss,
                                            const struct quipu_unrecorded *items, size_t count) {
    loss->unrecorded = items;
    loss->unrecorded_count = count;
}

/* ==== Events ====
 *
 * What the events say about their records: which kinds occur at all, and from how many records a target takes all, some or no events.
 * Records from which it takes none are dropped, whatever happens to other records of their type.
 *
 * Events say where their record is, not which type it has. If each type has its own region, the type follows from the region that they enter.
 * Otherwise, if several types begin with the same kind of event, those that the tables drop completely get their share first, and then the first
 * ones. */

/* ---- Seeing ---- */

void quipu__loss_begin_events(struct quipu_conversion_report *loss) {
    struct quipu__loss_events *events = &loss->events;
    const struct quipu__loss_events before = *events;
    QUIPU__VEC_RELEASE(&loss->memory, &events->of_region);
    QUIPU__VEC_RELEASE(&loss->memory, &events->at_hand);
    *events = (struct quipu__loss_events){
        .are_needed = before.are_needed, .taken = before.taken, .missing = before.missing};
}

static void count(struct quipu__loss_records *records, bool has_taken) {
    records->without += !has_taken;
    records->with_some += has_taken;
}

/* If the format says which region a type enters, records are counted by region too. */
static bool count_by_region(struct quipu_conversion_report *loss, const struct quipu__loss_record *record) {
    struct quipu__loss_events *events = &loss->events;
    const struct quipu__trace *source = loss->source;
    const size_t known = events->of_region.count, defined = source->define->definitions.regions.count;
    if (!source->format->reading->region_of_type || record->first != QUIPU_KIND_enter ||
        record->region >= defined)
        return true;
    if (record->region >= known) {
        if (!QUIPU__VEC_RESERVE(&loss->memory, &events->of_region, defined - known))
            return false;
        memset(&events->of_region.items[known], 0, (defined - known) * sizeof events->of_region.items[0]);
        events->of_region.count = defined;
    }
    count(&events->of_region.items[record->region], record->has_taken);
    return true;
}

static bool end_record(struct quipu_conversion_report *loss, const struct quipu__loss_record *record) {
    if (!record->has_missing)
        return true;
    count(&loss->events.of_kind[record->first], record->has_taken);
    return count_by_region(loss, record);
}

/* All locations that are defined. False when memory is out. */
static bool add_locations(struct quipu_conversion_report *loss) {
    struct quipu__loss_events *events = &loss->events;
    const size_t known = events->at_hand.count, defined = loss->source->define->definitions.locations.count;
    if (!QUIPU__VEC_RESERVE(&loss->memory, &events->at_hand, defined - known))
        return false;
    memset(&events->at_hand.items[known], 0, (defined - known) * sizeof events->at_hand.items[0]);
    events->at_hand.count = defined;
    return true;
}

/* Counts the events of a batch from *at on, up to one of a location that is not in the list yet. False when memory is out. */
static bool see_events(struct quipu_conversion_report *loss, const struct quipu_batch *batch, uint32_t *at) {
    struct quipu__loss_record *const records = loss->events.at_hand.items;
    const size_t known = loss->events.at_hand.count;
    const quipu_kinds taken = loss->events.taken;
    const uint32_t *const locations = batch->location, *const objects = batch->object, count = batch->count;
    const uint64_t *const byte_offsets = batch->byte_offset;
    const uint8_t *const kinds = batch->kind;
    uint32_t i = *at;
    for (; i < count && locations[i] < known; i++) {
        struct quipu__loss_record *record = &records[locations[i]];
        const uint8_t kind = kinds[i];
        const bool is_taken = (taken >> kind & 1) != 0;
        if (record->is_set && record->byte_offset == byte_offsets[i]) {
            record->has_taken |= is_taken;
            record->has_missing |= !is_taken;
            continue;
        }
        if (QUIPU__UNLIKELY(record->has_missing) && !end_record(loss, record))
            return false;
        *record = (struct quipu__loss_record){byte_offsets[i], objects[i], kind, true, is_taken, !is_taken};
    }
    *at = i;
    return true;
}

static quipu_kinds kinds_in(const struct quipu_batch *batch) {
    quipu_kinds kinds = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        kinds |= QUIPU_KIND_BIT(batch->kind[i]);
    return kinds;
}

bool quipu__loss_see(struct quipu_conversion_report *loss, const struct quipu_batch *batch) {
    struct quipu__loss_events *events = &loss->events;
    for (uint32_t i = 0; i < batch->attribute_count; i++)
        events->attributed |= QUIPU_KIND_BIT(batch->kind[batch->attributes[i].event]);
    if (!events->are_needed)
        return true;
    events->seen |= kinds_in(batch);
    for (uint32_t i = 0; events->missing != 0 && i < batch->count;) {
        if (batch->location[i] >= events->at_hand.count && !add_locations(loss))
            return false;
        if (batch->location[i] >= events->at_hand.count)
            i++; /* its location is undefined */
        else if (!see_events(loss, batch, &i))
            return false;
    }
    return true;
}

bool quipu__loss_end_events(struct quipu_conversion_report *loss) {
    struct quipu__loss_events *events = &loss->events;
    bool done = true;
    for (size_t i = 0; i < events->at_hand.count && done; i++)
        done = end_record(loss, &events->at_hand.items[i]);
    events->are_known = true;
    return done && loss_judge(loss);
}

/* ---- Sharing out ---- */

/* Claims records of a type, by the kinds that they can begin with, from the remaining ones. */
static uint64_t claim(struct quipu__loss_events *left, quipu_kinds kinds, bool has_taken, uint64_t most) {
    uint64_t taken = 0;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT && taken < most; kind++) {
        struct quipu__loss_records *records = &left->of_kind[kind];
        uint64_t *from = has_taken ? &records->with_some : &records->without;
        const uint64_t count_here = *from < most - taken ? *from : most - taken;
        if ((kinds >> kind & 1) == 0)
            continue;
        *from -= count_here;
        taken += count_here;
    }
    return taken;
}

/* The records of a type from which the target takes no event, or not all. */
static struct quipu__loss_records share_of(const struct quipu_conversion_report *loss,
                                           const struct quipu__loss_type *row,
                                           struct quipu__loss_events *left) {
    const struct quipu__reading *reading = loss->source->format->reading;
    const uint32_t region = reading->region_of_type
                                ? reading->region_of_type(loss->source, (uint32_t)(row - loss->types))
                                : QUIPU_NONE;
    struct quipu__loss_records most = {row->total, row->total};
    if (region != QUIPU_NONE)
        most =
            region < left->of_region.count ? left->of_region.items[region] : (struct quipu__loss_records){0, 0};
    const uint64_t without =
        claim(left, row->missing, false, most.without < row->total ? most.without : row->total);
    const uint64_t others = row->total - without;
    return (struct quipu__loss_records){without, claim(left, row->kinds | row->missing, true,
                                                       most.with_some < others ? most.with_some : others)};
}

/* What the tables say about the whole type holds for some of its records: the note on kinds that the target cannot take comes first. */
static bool name_shares(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                        const struct quipu__loss_records *records) {
    struct quipu__loss_field *note = &row->fields.items[0];
    const char *reason = note->reason;
    const bool is_split = records->with_some > 0 && records->without > 0;
    note->outcome = records->with_some > 0 ? QUIPU__RECORD_APPROXIMATED : QUIPU__RECORD_DROPPED;
    note->count = records->with_some > 0 ? records->with_some : records->without;
    return !is_split || loss_add_field(loss, row, "*", QUIPU__RECORD_DROPPED, reason, records->without);
}

static void remove_note(struct quipu__loss_type *row) {
    row->fields.count--;
    memmove(&row->fields.items[0], &row->fields.items[1], row->fields.count * sizeof row->fields.items[0]);
}

/* Moves up to that many records of a type to a worse outcome, the best ones first. Returns how many were moved. */
static uint64_t loss_move(struct quipu__loss_type *row, enum quipu__record_outcome to, uint64_t count) {
    uint64_t moved = 0;
    for (unsigned from = QUIPU__RECORD_EXACT; from < to; from++) {
        const uint64_t some = row->of[from] < count - moved ? row->of[from] : count - moved;
        row->of[from] -= some;
        moved += some;
    }
    row->of[to] += moved;
    return moved;
}

static enum quipu__record_outcome worst_of(const struct quipu__loss_type *row) {
    if (row->of[QUIPU__RECORD_DROPPED] == row->total)
        return QUIPU__RECORD_DROPPED;
    return row->of[QUIPU__RECORD_DROPPED] + row->of[QUIPU__RECORD_APPROXIMATED] > 0 ? QUIPU__RECORD_APPROXIMATED
                                                                                    : row->of_fields;
}

static bool share(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                  struct quipu__loss_events *left) {
    const struct quipu__loss_records records = share_of(loss, row, left);
    row->of[row->outcome] = 0;
    row->of[row->of_fields] = row->total;
    loss_move(row, QUIPU__RECORD_DROPPED, records.without);
    loss_move(row, QUIPU__RECORD_APPROXIMATED, records.with_some);
    row->outcome = worst_of(row);
    for (size_t i = 1; i < row->fields.count; i++)
        row->fields.items[i].count = row->total - records.without;
    if (records.without + records.with_some > 0)
        return name_shares(loss, row, &records);
    remove_note(row);
    return true;
}

/* Moves the counted records according to their events: those without any that the target takes, and those with some. False when memory is
 * out. */
static bool loss_share_events(struct quipu_conversion_report *loss) {
    struct quipu__loss_events left = loss->events;
    bool done = true;
    for (uint32_t i = 0; i < loss->type_count; i++)
        if (loss->types[i].outcome == QUIPU__RECORD_DROPPED)
            claim(&left, loss->types[i].missing, false, loss->types[i].total);
    for (uint32_t i = 0; i < loss->type_count && done; i++) {
        struct quipu__loss_type *row = &loss->types[i];
        const bool is_split = row->kinds != 0 && row->missing != 0 && row->total > 0;
        done = !is_split || share(loss, row, &left);
    }
    return done;
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

/* A record with several approximated fields counts once. */
static bool approximate_field(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                              const char *name, const char *reason, uint64_t records) {
    const uint64_t known = row->of[QUIPU__RECORD_APPROXIMATED];
    loss_move(row, QUIPU__RECORD_APPROXIMATED, records > known ? records - known : 0);
    return loss_add_field(loss, row, name, QUIPU__RECORD_APPROXIMATED, reason, records);
}

/* Definitions that the target keeps without a field that they have. If several types belong to their class, the first ones get the count. */
static bool lose_fields(struct quipu_conversion_report *loss) {
    const bool is_translated =
        loss->target && loss->target != loss->source->format; /* its own texts a format can keep */
    const struct quipu__capabilities *capabilities = is_translated ? loss->target->writing->capabilities : NULL;
    bool fits = true;
    for (unsigned f = 0; f < QUIPU__DEFINITION_FIELD_COUNT && capabilities; f++) {
        const bool is_lost = quipu__keeps_definitions(capabilities, fields[f].of) &&
                             !quipu__keeps_definitions(capabilities, fields[f].bit);
        uint64_t left =
            is_lost ? count_field(&loss->source->define->definitions, (enum quipu__definition_field)f) : 0;
        for (uint32_t i = 0; i < loss->type_count && left > 0 && fits; i++) {
            struct quipu__loss_type *row = &loss->types[i];
            const uint64_t count = left < row->total ? left : row->total;
            if ((row->definitions & fields[f].of) == 0 || count == 0)
                continue;
            left -= count;
            fits = approximate_field(loss, row, fields[f].name, "not representable in {target}", count);
        }
    }
    return fits;
}

bool quipu__loss_count(struct quipu_conversion_report *loss, const struct quipu_reader *reader) {
    loss->is_counted = true;
    for (uint32_t i = 0; i < loss->type_count; i++) {
        struct quipu__loss_type *row = &loss->types[i];
        row->total = quipu_reader_records_of(reader, i);
        memset(row->of, 0, sizeof row->of);
        row->of[row->outcome] = row->total;
        for (size_t k = 0; k < row->fields.count; k++)
            row->fields.items[k].count = row->total;
    }
    return (!loss->events.are_known || loss_share_events(loss)) && lose_fields(loss);
}

void quipu__loss_select(struct quipu_conversion_report *loss, const struct quipu_selection *selection,
                        const struct quipu_batch *batch) {
    loss->is_part = true;
    loss->without_attributes = selection->without_attributes;
    for (uint32_t i = 0; i < batch->count; i++)
        loss->selected[batch->kind[i]]++;
}

/* Moves up to *events records of a type to dropped. */
static bool drop_records(struct quipu_conversion_report *loss, struct quipu__loss_type *row, uint64_t *events) {
    const uint64_t count = loss_move(row, QUIPU__RECORD_DROPPED, *events);
    *events -= count;
    return count == 0 ||
           loss_add_field(loss, row, "*", QUIPU__RECORD_DROPPED, "values not representable in {target}", count);
}

/* The same for records that were exact and are approximated now. */
static bool change_records(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                           uint64_t *events) {
    const uint64_t count = *events < row->total ? *events : row->total;
    loss_move(row, QUIPU__RECORD_APPROXIMATED, count);
    *events -= count;
    return count == 0 || loss_add_field(loss, row, "*", QUIPU__RECORD_APPROXIMATED,
                                        "times or values that {target} cannot hold exactly", count);
}

/* A target counts by kind of event; if several types make that kind, the first ones get the count. */
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

bool quipu__loss_approximate(struct quipu_conversion_report *loss,
                             const struct quipu__approximation *approximation) {
    const struct quipu_record_type *type = approximation->type;
    return approximate_field(loss, &loss->types[type - loss->types[0].type],
                             type->fields[approximation->field].name, approximation->reason,
                             approximation->records);
}

uint64_t quipu_conversion_report_selected(const struct quipu_conversion_report *loss) {
    uint64_t events = loss->selected_records;
    for (uint32_t kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        events += loss->selected[kind];
    return loss->is_part || loss->is_part_of_records ? events : QUIPU_UNKNOWN;
}

static uint64_t count_of(const struct quipu_conversion_report *loss, enum quipu__record_outcome outcome) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < loss->type_count; i++)
        count += loss->types[i].of[outcome];
    return count;
}

uint64_t quipu_conversion_report_records(const struct quipu_conversion_report *loss) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < loss->type_count; i++)
        count += loss->types[i].total;
    return count;
}

uint64_t quipu_conversion_report_lost(const struct quipu_conversion_report *loss) {
    return count_of(loss, QUIPU__RECORD_APPROXIMATED) + count_of(loss, QUIPU__RECORD_DROPPED);
}

uint64_t quipu_conversion_report_dropped(const struct quipu_conversion_report *loss) {
    return count_of(loss, QUIPU__RECORD_DROPPED);
}

uint64_t quipu_conversion_report_respelled(const struct quipu_conversion_report *loss) {
    return count_of(loss, QUIPU__RECORD_RESPELLED);
}

bool quipu_conversion_report_lossy_at(const struct quipu_conversion_report *loss, size_t index,
                                      struct quipu_lossy_type *out) {
    for (uint32_t i = 0; i < loss->type_count; i++) {
        const struct quipu__loss_type *row = &loss->types[i];
        const uint64_t approximated = row->of[QUIPU__RECORD_APPROXIMATED],
                       dropped = row->of[QUIPU__RECORD_DROPPED];
        if (approximated + dropped == 0 || index-- > 0)
            continue;
        *out = (struct quipu_lossy_type){row->type->name, approximated, dropped};
        return true;
    }
    return false;
}

bool quipu_conversion_report_moved(const struct quipu_conversion_report *loss, struct quipu_moved_events *out) {
    *out = loss->moved_events;
    return loss->is_retimed;
}
