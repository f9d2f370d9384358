/* model.c: the rules of model_rules.def over batches in stream order.
 *
 * The state is a stack of regions and a time per location and two counts per class of messages; both have ceilings,
 * above which the rules see less but never say something wrong.
 */
#include "check/model.h"

#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>

enum rule_number {
#define RULE(name, id, severity, text, advice) RULE_##name,
#include "check/model_rules.def"
#undef RULE
};

static const struct quipu_rule rules[] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice},
#include "check/model_rules.def"
#undef RULE
};

/* A program does not nest deeper than this; a damaged trace may seem to. */
enum { STACK_MOST = 1 << 12 };

void quipu__model_check_init(struct quipu__model_check *check, const struct quipu_reader *reader,
                             struct quipu__memory *memory, struct quipu_findings *findings) {
    *check = (struct quipu__model_check){
        .reader = reader,
        .definitions = quipu_reader_definitions(reader),
        .memory = memory,
        .findings = findings,
    };
    quipu__message_table_init(&check->table, memory);
}

void quipu__model_check_release(struct quipu__model_check *check) {
    for (size_t i = 0; i < check->locations.count; i++)
        QUIPU__VEC_RELEASE(check->memory, &check->locations.items[i].stack);
    QUIPU__VEC_RELEASE(check->memory, &check->locations);
    quipu__message_table_release(&check->table);
}

/* ---- Places ---- */

static struct quipu__where where_of(const struct quipu__model_check *check, const struct quipu_batch *batch,
                                    uint32_t event, const char *field) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = quipu_reader_stream_at(check->reader, batch->stream)->path;
    where.byte = batch->byte_offset[event];
    where.type = quipu_kind_at((enum quipu_kind)batch->kind[event])->name;
    where.field = field;
    return where;
}

static const char *location_name(const struct quipu__model_check *check, uint32_t location) {
    return location < check->definitions->locations.count ? check->definitions->locations.items[location].name
                                                          : "unknown";
}

static const char *region_name(const struct quipu__model_check *check, uint32_t region) {
    return region < check->definitions->regions.count ? check->definitions->regions.items[region].name
                                                      : "unknown";
}

static bool may_overlap(const struct quipu__model_check *check, uint32_t region) {
    return region < check->definitions->regions.count &&
           check->definitions->regions.items[region].nesting == QUIPU_NESTING_FREE;
}

/* ---- References ---- */

/* The number in one of the columns that hold references; unknown for the others. */
static uint32_t reference(const struct quipu_batch *batch, uint32_t event, enum quipu_column column) {
    switch (column) {
    case QUIPU_COLUMN_object:
        return batch->object[event];
    case QUIPU_COLUMN_peer:
        return batch->peer[event];
    case QUIPU_COLUMN_group:
        return batch->group[event];
    case QUIPU_COLUMN_value:
        return batch->value[event] < QUIPU_NONE ? (uint32_t)batch->value[event] : QUIPU_NONE;
    default:
        return QUIPU_NONE;
    }
}

static void check_references(struct quipu__model_check *check, const struct quipu_batch *batch,
                             uint32_t event) {
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)batch->kind[event]);
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct quipu_kind_field *field = &kind->fields[i];
        const uint64_t limit = quipu__count_of(check->definitions, field->refers);
        if (limit == QUIPU_UNKNOWN)
            continue;
        const uint32_t number = reference(batch, event, field->column);
        if (number == QUIPU_NONE || number < limit)
            continue;
        const struct quipu__where where = where_of(check, batch, event, field->name);
        quipu__find(check->findings, &rules[RULE_UNDEFINED], &where, "", "number %" PRIu32 " of %" PRIu64,
                    number, limit);
    }
}

/* ---- Times ---- */

static void check_time(struct quipu__model_check *check, struct quipu__check_location *location,
                       const struct quipu_batch *batch, uint32_t event) {
    const int64_t time = batch->time[event];
    if (location->stream == batch->stream + 1 && time < location->last) {
        const struct quipu__where where = where_of(check, batch, event, "time");
        quipu__find(check->findings, &rules[RULE_TIME_BACK], &where, "a time that is not before the last one",
                    "%lld after %lld at %s", (long long)time, (long long)location->last,
                    location_name(check, batch->location[event]));
    }
    location->last = time;
    location->stream = batch->stream + 1;
}

/* ---- Regions ---- */

static void enter(struct quipu__model_check *check, struct quipu__check_location *location, uint32_t region) {
    uint32_t *top = NULL;
    if (location->stack.count < STACK_MOST && location->beyond == 0)
        top = QUIPU__VEC_ADD(check->memory, &location->stack);
    if (top)
        *top = region;
    else
        location->beyond++;
}

/* Takes regions off the stack until the given one is off; nothing when it is not there. */
static void unwind(struct quipu__check_location *location, uint32_t region) {
    for (size_t i = location->stack.count; i-- > 0;)
        if (location->stack.items[i] == region) {
            location->stack.count = i;
            return;
        }
}

static void leave(struct quipu__model_check *check, struct quipu__check_location *location,
                  const struct quipu_batch *batch, uint32_t event) {
    const uint32_t region = batch->object[event];
    if (location->beyond > 0) {
        location->beyond--;
        return;
    }
    if (location->stack.count == 0) {
        const struct quipu__where where = where_of(check, batch, event, "region");
        quipu__find(check->findings, &rules[RULE_LEAVE_ONLY], &where, "", "%s at %s",
                    region_name(check, region), location_name(check, batch->location[event]));
        return;
    }
    const uint32_t top = location->stack.items[location->stack.count - 1];
    if (region == QUIPU_NONE || top == QUIPU_NONE || top == region) {
        location->stack.count--;
        return;
    }
    const struct quipu__where where = where_of(check, batch, event, "region");
    const enum rule_number rule = may_overlap(check, region) ? RULE_OVERLAP : RULE_WRONG_LEAVE;
    quipu__find(check->findings, &rules[rule], &where, region_name(check, top), "%s at %s",
                region_name(check, region), location_name(check, batch->location[event]));
    unwind(location, region);
}

/* ---- Messages ---- */

static void count_message(struct quipu__model_check *check, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_count *counts =
        quipu__message_table_find(&check->table, check->definitions, batch, event);
    if (!counts)
        return;
    if (batch->kind[event] == QUIPU_KIND_send)
        counts->sent++;
    else
        counts->received++;
}

static void check_pair(struct quipu__model_check *check, const struct quipu__message_count *counts) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    if (counts->sent == counts->received)
        return;
    const enum rule_number rule = counts->sent > counts->received ? RULE_SEND_ONLY : RULE_RECEIVE_ONLY;
    quipu__find(check->findings, &rules[rule], &where, "",
                "%llu sent and %llu received from %s to %s with tag %lld", (unsigned long long)counts->sent,
                (unsigned long long)counts->received, location_name(check, counts->key.sender),
                location_name(check, counts->key.receiver), (long long)counts->key.tag);
}

/* ---- All of them ---- */

/* Makes a state for each location that is defined by now. */
static enum quipu_status know_locations(struct quipu__model_check *check, struct quipu_error *err) {
    const uint32_t count = check->definitions->locations.count;
    while (check->locations.count < count) {
        const struct quipu__check_location *added = QUIPU__VEC_ADD(check->memory, &check->locations);
        if (!added)
            return quipu__no_memory(err, count * sizeof *added);
    }
    return QUIPU_OK;
}

static void check_event(struct quipu__model_check *check, const struct quipu_batch *batch, uint32_t event) {
    check_references(check, batch, event);
    if (batch->location[event] >= check->locations.count) {
        const struct quipu__where where = where_of(check, batch, event, "location");
        quipu__find(check->findings, &rules[RULE_UNDEFINED], &where, "", "location %u", batch->location[event]);
        return;
    }
    struct quipu__check_location *location = &check->locations.items[batch->location[event]];
    check_time(check, location, batch, event);
    switch (batch->kind[event]) {
    case QUIPU_KIND_enter:
        enter(check, location, batch->object[event]);
        break;
    case QUIPU_KIND_leave:
        leave(check, location, batch, event);
        break;
    case QUIPU_KIND_send:
    case QUIPU_KIND_recv:
        count_message(check, batch, event);
        break;
    default:
        break;
    }
}

enum quipu_status quipu__model_check_batch(struct quipu__model_check *check, const struct quipu_batch *batch,
                                           struct quipu_error *err) {
    const enum quipu_status status = know_locations(check, err);
    if (status != QUIPU_OK)
        return status;
    for (uint32_t i = 0; i < batch->count; i++)
        check_event(check, batch, i);
    return QUIPU_OK;
}

static void check_messages(struct quipu__model_check *check) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (size_t i = 0; i < check->table.list.count; i++)
        check_pair(check, &check->table.list.items[i]);
    if (check->table.is_full)
        quipu__find(check->findings, &rules[RULE_TOO_MANY], &where, "", "more than %zu",
                    check->table.list.count);
}

enum quipu_status quipu__model_check_end(struct quipu__model_check *check, struct quipu_error *err) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (size_t i = 0; i < check->locations.count; i++) {
        const struct quipu__check_location *location = &check->locations.items[i];
        const size_t open = location->stack.count + location->beyond;
        const uint32_t outermost = location->stack.count > 0 ? location->stack.items[0] : QUIPU_NONE;
        if (open > 0)
            quipu__find(check->findings, &rules[RULE_ENTER_ONLY], &where, "",
                        "%zu regions at %s, the outermost is %s", open, location_name(check, (uint32_t)i),
                        region_name(check, outermost));
    }
    if (!quipu__message_table_reconcile(&check->table, check->definitions))
        return quipu__no_memory(err, check->table.list.count * sizeof *check->table.list.items);
    check_messages(check);
    return QUIPU_OK;
}
