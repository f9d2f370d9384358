/* model.c: the rules of model_rules.def over batches in stream order.
 *
 * The state is the active calls and a time per location and two counts per key of messages; both have ceilings, above which
 * the rules see less but never say something wrong.
 */
#include "check/model.h"

#include "core/error.h"
#include "core/text.h"
#include "model/event.h"
#include "state/calls.h"

#include <quipu/check.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum rule_number {
#define RULE(name, ...) RULE_##name,
#include "check/model_rules.def"
#undef RULE
};

static const struct quipu_rule rules[] = {
#define RULE(name, id, severity, text, sentence, advice) {id, QUIPU_##severity, text, advice, sentence},
#include "check/model_rules.def"
#undef RULE
};

const struct quipu_rule *quipu_model_rules(size_t *count) {
    *count = sizeof rules / sizeof *rules;
    return rules;
}

/* The same for formats whose own rules replace them: then they only inform. */
static const struct quipu_rule informing_rules[] = {
#define RULE(name, id, severity, text, sentence, advice) {id, QUIPU_INFO, text, advice, sentence},
#include "check/model_rules.def"
#undef RULE
};

static const struct quipu_rule *rule_at(const struct quipu__model_check *check, enum rule_number rule) {
    const char *id = rules[rule].id;
    const bool is_replaced = check->replaced_rules && quipu__has_word(check->replaced_rules, id, strlen(id));
    return is_replaced ? &informing_rules[rule] : &rules[rule];
}

/* A program does not nest deeper than this; a damaged trace may seem to. */
enum { DEPTH_MOST = 1 << 12 };

static void report_leave(void *context, const struct quipu__transition *end,
                         const struct quipu__interval *innermost);

void quipu__model_check_init(struct quipu__model_check *check, const struct quipu_reader *reader,
                             struct quipu__memory *memory, struct quipu_findings *findings) {
    *check = (struct quipu__model_check){
        .reader = reader,
        .definitions = quipu_reader_definitions(reader),
        .memory = memory,
        .findings = findings,
    };
    const struct quipu__tracker_options calls = {.definitions = check->definitions,
                                                 .interval_classes = QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call),
                                                 .report = report_leave,
                                                 .context = check};
    quipu__tracker_init(&check->calls, memory, &calls);
    quipu__message_table_init(&check->messages, memory);
}

void quipu__model_check_release(struct quipu__model_check *check) {
    QUIPU__VEC_RELEASE(check->memory, &check->locations);
    quipu__tracker_release(&check->calls);
    quipu__message_table_release(&check->messages);
}

/* ---- Where ---- */

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

static const char *group_name(const struct quipu__model_check *check, uint32_t group) {
    return group < check->definitions->groups.count ? check->definitions->groups.items[group].name : "unknown";
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
        const uint64_t limit = check->limits[field->refers];
        if (limit == QUIPU_UNKNOWN)
            continue;
        const uint32_t number = reference(batch, event, field->column);
        if (number == QUIPU_NONE || number < limit)
            continue;
        const struct quipu__where where = where_of(check, batch, event, field->name);
        quipu__find(check->findings, rule_at(check, RULE_UNDEFINED), &where, "",
                    "%s %" PRIu32 " (%" PRIu64 " defined)", field->name, number, limit);
    }
}

/* ---- Times ---- */

static void check_time(struct quipu__model_check *check, struct quipu__check_location *location,
                       const struct quipu_batch *batch, uint32_t event) {
    const int64_t time = batch->time[event];
    if (location->stream == batch->stream + 1 && time < location->last) {
        const struct quipu__where where = where_of(check, batch, event, "time");
        char previous[24];
        snprintf(previous, sizeof previous, "%" PRId64, location->last);
        quipu__find(check->findings, rule_at(check, RULE_TIME_BACK), &where, previous, "%" PRId64 " at %s",
                    time, location_name(check, batch->location[event]));
    }
    location->last = time;
    location->stream = batch->stream + 1;
}

/* ---- Regions ---- */

static void enter(struct quipu__model_check *check, struct quipu__check_location *location,
                  const struct quipu_batch *batch, uint32_t event, uint32_t state) {
    const uint32_t depth = quipu__active_at(&check->calls, state, QUIPU__INTERVAL_call).count;
    if (location->beyond > 0 || depth >= DEPTH_MOST ||
        !quipu__tracker_enter(&check->calls, batch, event, state))
        location->beyond++;
}

/* What was entered without a region is left by any leave. */
static void leave(struct quipu__model_check *check, struct quipu__check_location *location,
                  const struct quipu_batch *batch, uint32_t event, uint32_t state) {
    if (location->beyond > 0) {
        location->beyond--;
        return;
    }
    if (quipu__tracker_leave(&check->calls, batch->object[event], state))
        return;
    const uint32_t innermost = quipu__active_at(&check->calls, state, QUIPU__INTERVAL_call).newest;
    check->batch = batch;
    check->event = event;
    if (innermost != QUIPU_NONE && quipu__interval_at(&check->calls, innermost)->key[1] == QUIPU_UNKNOWN)
        quipu__tracker_remove(&check->calls, innermost);
    else
        quipu__gate_knows(quipu__tracker_add_event(&check->calls, batch, event, 0));
}

static void check_call(struct quipu__model_check *check, struct quipu__check_location *location,
                       const struct quipu_batch *batch, uint32_t event) {
    const uint32_t state = quipu__tracker_locate(&check->calls, batch->location[event], 0);
    if (state == QUIPU_NONE)
        return;
    if (batch->kind[event] == QUIPU_KIND_enter)
        enter(check, location, batch, event, state);
    else
        leave(check, location, batch, event, state);
}

/* Of a leave that is not that of the innermost call. */
static void report_leave(void *context, const struct quipu__transition *end,
                         const struct quipu__interval *innermost) {
    const struct quipu__model_check *check = context;
    const uint32_t region = check->batch->object[check->event];
    const struct quipu__where where = where_of(check, check->batch, check->event, "region");
    const enum rule_number wrong = may_overlap(check, region) ? RULE_OVERLAP : RULE_WRONG_LEAVE;
    (void)end;
    quipu__find(check->findings, rule_at(check, innermost ? wrong : RULE_LEAVE_ONLY), &where,
                innermost ? region_name(check, (uint32_t)innermost->key[1]) : "", "%s at %s",
                region_name(check, region), location_name(check, check->batch->location[check->event]));
}

/* ---- Messages ---- */

static void count_message(struct quipu__model_check *check, const struct quipu_batch *batch, uint32_t event) {
    struct quipu__message_count *counts =
        quipu__message_table_find(&check->messages, check->definitions, batch, event);
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
    const bool is_sent = counts->sent > counts->received;
    const uint64_t count = is_sent ? counts->sent - counts->received : counts->received - counts->sent;
    char counted[64];
    snprintf(counted, sizeof counted, "%" PRIu64 " sent, %" PRIu64 " received", counts->sent, counts->received);
    quipu__find(check->findings, rule_at(check, is_sent ? RULE_SEND_ONLY : RULE_RECEIVE_ONLY), &where, counted,
                "%" PRIu64 " unmatched %s%s: %s → %s, tag %" PRId64 ", communicator %s", count,
                is_sent ? "send" : "receive", count == 1 ? "" : "s", location_name(check, counts->key.sender),
                location_name(check, counts->key.receiver), counts->key.tag,
                group_name(check, counts->key.communicator));
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
        quipu__find(check->findings, rule_at(check, RULE_UNDEFINED), &where, "", "location %u",
                    batch->location[event]);
        return;
    }
    struct quipu__check_location *location = &check->locations.items[batch->location[event]];
    check_time(check, location, batch, event);
    switch (batch->kind[event]) {
    case QUIPU_KIND_enter:
    case QUIPU_KIND_leave:
        check_call(check, location, batch, event);
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
    for (unsigned i = 0; i < QUIPU__REFERS_COUNT; i++)
        check->limits[i] = quipu__count_of(check->definitions, (enum quipu_refers)i);
    for (uint32_t i = 0; i < batch->count; i++)
        check_event(check, batch, i);
    return QUIPU_OK;
}

static void check_messages(struct quipu__model_check *check) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    for (size_t i = 0; i < check->messages.list.count; i++)
        check_pair(check, &check->messages.list.items[i]);
    if (check->messages.is_full)
        quipu__find(check->findings, rule_at(check, RULE_TOO_MANY), &where, "", "more than %zu",
                    check->messages.list.count);
}

static void check_active_calls(struct quipu__model_check *check, uint32_t location) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    const uint32_t state = quipu__tracker_latest(&check->calls, location);
    if (state == QUIPU_NONE)
        return;
    const struct quipu__interval_list calls = quipu__active_at(&check->calls, state, QUIPU__INTERVAL_call);
    const uint64_t count = calls.count + check->locations.items[location].beyond;
    if (count > 0)
        quipu__find(check->findings, rule_at(check, RULE_ENTER_ONLY), &where,
                    calls.count > 0
                        ? region_name(check, (uint32_t)quipu__interval_at(&check->calls, calls.oldest)->key[1])
                        : "unknown",
                    "%s: %" PRIu64 " region%s", location_name(check, location), count, count == 1 ? "" : "s");
}

enum quipu_status quipu__model_check_end(struct quipu__model_check *check, struct quipu_error *err) {
    for (uint32_t i = 0; i < check->locations.count; i++)
        check_active_calls(check, i);
    if (!quipu__message_table_reconcile(&check->messages, check->definitions))
        return quipu__no_memory(err, check->messages.list.count * sizeof *check->messages.list.items);
    check_messages(check);
    return QUIPU_OK;
}
