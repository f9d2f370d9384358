/* loss_events.c: what the events say about their records: which kinds occur at all, and from how many records a target takes all, some or no events.
 * Records from which it takes none are dropped, whatever happens to other records of their type.
 *
 * Events say where their record is, not which type it has. If each type has its own region, the type follows from the region that they enter.
 * Otherwise, if several types begin with the same kind of event, those that the tables drop completely get their share first, and then the first
 * ones. */
#include "convert/loss.h"

#include <string.h>

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
    uint32_t i = *at;
    for (; i < batch->count && batch->location[i] < known; i++) {
        struct quipu__loss_record *record = &records[batch->location[i]];
        const uint8_t kind = batch->kind[i];
        const bool is_taken = (taken >> kind & 1) != 0;
        if (record->is_set && record->byte_offset == batch->byte_offset[i]) {
            record->has_taken |= is_taken;
            record->has_missing |= !is_taken;
            continue;
        }
        if (QUIPU__UNLIKELY(record->has_missing) && !end_record(loss, record))
            return false;
        *record = (struct quipu__loss_record){
            batch->byte_offset[i], batch->object[i], kind, true, is_taken, !is_taken};
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
    return done && quipu__loss_judge(loss);
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
    return !is_split || quipu__loss_add_field(loss, row, "*", QUIPU__RECORD_DROPPED, reason, records->without);
}

static void remove_note(struct quipu__loss_type *row) {
    row->fields.count--;
    memmove(&row->fields.items[0], &row->fields.items[1], row->fields.count * sizeof row->fields.items[0]);
}

static enum quipu__record_outcome outcome_of(const struct quipu__loss_type *row) {
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
    quipu__loss_move(row, QUIPU__RECORD_DROPPED, records.without);
    quipu__loss_move(row, QUIPU__RECORD_APPROXIMATED, records.with_some);
    row->outcome = outcome_of(row);
    for (size_t i = 1; i < row->fields.count; i++)
        row->fields.items[i].count = row->total - records.without;
    if (records.without + records.with_some > 0)
        return name_shares(loss, row, &records);
    remove_note(row);
    return true;
}

bool quipu__loss_share_events(struct quipu_conversion_report *loss) {
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
