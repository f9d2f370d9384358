/* check.c: runs all rules over a whole trace, and gives the verdict. */
#include "check/findings.h"
#include "core/error.h"
#include "core/memory/buffer.h"
#include "core/memory/pack.h"
#include "core/memory/vec.h"
#include "core/text.h"
#include "core/text/findings.h"
#include "model/event.h"
#include "state/calls.h"
#include "state/events.h"
#include "trace/shared_reading.h"

#include <quipu/check.h>
#include <quipu/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ==== The rules of the model ==== */

/* The rules that hold for every trace. */

enum { QUIPU__REFERS_COUNT = QUIPU_REFERS_STATISTIC + 1 };

/* What is known of one location while its events go by. */
struct quipu__check_location {
    int64_t last;    /* time of its last event in this stream */
    uint32_t stream; /* that stream + 1; 0 before the first event */
    uint64_t beyond; /* regions entered beyond the greatest depth */

    /* At the end: calls that were not left, and the region of the oldest one, QUIPU_NONE when it is not known. */
    uint64_t unfinished;
    uint32_t oldest;
};

/* The fields of a kind that hold the number of a definition. */
struct quipu__references {
    const struct quipu_kind_field *fields; /* all of the kind */
    uint32_t mask;                         /* bit i: field i is one */
};

struct quipu__model_check {
    const struct quipu_reader *reader;
    const struct quipu_definitions *definitions;
    struct quipu__memory *memory;
    const struct quipu__trace *trace; /* says where findings go */
    const char *replaced_rules;       /* see struct quipu__reading; may be NULL */
    QUIPU__VEC(struct quipu__check_location) locations;
    uint64_t limits[QUIPU__REFERS_COUNT]; /* number of definitions of each class, while a batch is checked */
    struct quipu__references references[QUIPU_KIND_COUNT];
    struct quipu__tracker calls;
    struct quipu__matcher messages;
    const struct quipu_batch *batch; /* batch of the event being checked */
    uint32_t event;
};

/* The rules of model_rules.def over batches in stream order.
 *
 * The state is the active calls and a time per location, and two counts per key of messages; both have ceilings, beyond which the rules
 * notice less but never report anything wrong.
 */

enum rule_number {
#define RULE(name, ...) RULE_##name,
#include "check/model_rules.def"
#undef RULE
};

static const struct quipu_rule rules_of_model[] = {
#define RULE(name, id, severity, text, sentence, advice) {id, QUIPU_##severity, text, advice, sentence},
#include "check/model_rules.def"
#undef RULE
};

const struct quipu_rule *quipu_model_rules(size_t *count) {
    *count = sizeof rules_of_model / sizeof *rules_of_model;
    return rules_of_model;
}

/* The same for formats whose own rules replace them: these only inform. */
static const struct quipu_rule informing_rules[] = {
#define RULE(name, id, severity, text, sentence, advice) {id, QUIPU_INFO, text, advice, sentence},
#include "check/model_rules.def"
#undef RULE
};

static const struct quipu_rule *rule_at(const struct quipu__model_check *check, enum rule_number rule) {
    const char *id = rules_of_model[rule].id;
    const bool is_replaced = check->replaced_rules && quipu__has_word(check->replaced_rules, id, strlen(id));
    return is_replaced ? &informing_rules[rule] : &rules_of_model[rule];
}

/* Programs do not nest calls deeper than this; damaged traces may seem to. */
enum { DEPTH_MOST = 1 << 12 };

static void report_leave(void *context, const struct quipu__transition *end,
                         const struct quipu__interval *innermost);

static void know_references(struct quipu__references references[QUIPU_KIND_COUNT]) {
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        references[kind].fields = info->fields;
        for (size_t i = 0; i < info->field_count; i++)
            if (info->fields[i].refers != QUIPU_REFERS_NOTHING)
                references[kind].mask |= UINT32_C(1) << i;
    }
}

static void model_check_init(struct quipu__model_check *check, struct quipu_reader *reader) {
    const struct quipu__trace *trace = quipu__reader_trace(reader);
    *check = (struct quipu__model_check){
        .reader = reader,
        .definitions = quipu_reader_definitions(reader),
        .memory = trace->memory,
        .trace = trace,
        .replaced_rules = trace->format->reading->replaced_rules,
    };
    const struct quipu__tracker_options calls = {.definitions = check->definitions,
                                                 .interval_classes = QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call),
                                                 .report = report_leave,
                                                 .context = check};
    quipu__tracker_init(&check->calls, check->memory, &calls);
    quipu__matcher_init(&check->messages, check->memory, check->definitions);
    know_references(check->references);
}

static void model_check_release(struct quipu__model_check *check) {
    QUIPU__VEC_RELEASE(check->memory, &check->locations);
    quipu__tracker_release(&check->calls);
    quipu__matcher_release(&check->messages);
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
    const struct quipu__references *references = &check->references[batch->kind[event]];
    for (uint32_t left = references->mask; left != 0; left &= left - 1) {
        const struct quipu_kind_field *field = &references->fields[quipu__trailing_zeros(left)];
        const uint64_t limit = check->limits[field->refers];
        const uint32_t number = reference(batch, event, field->column);
        if (number == QUIPU_NONE || number < limit)
            continue;
        const struct quipu__where where = where_of(check, batch, event, field->name);
        quipu__find(check->trace->findings, rule_at(check, RULE_UNDEFINED), &where, "",
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
        quipu__find(check->trace->findings, rule_at(check, RULE_TIME_BACK), &where, previous,
                    "%" PRId64 " at %s", time, location_name(check, batch->location[event]));
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

/* Any leave ends a call that was entered without a region. */
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

/* Reports a leave that is not that of the innermost call. */
static void report_leave(void *context, const struct quipu__transition *end,
                         const struct quipu__interval *innermost) {
    const struct quipu__model_check *check = context;
    const uint32_t region = check->batch->object[check->event];
    const struct quipu__where where = where_of(check, check->batch, check->event, "region");
    const enum rule_number wrong = may_overlap(check, region) ? RULE_OVERLAP : RULE_WRONG_LEAVE;
    (void)end;
    quipu__find(check->trace->findings, rule_at(check, innermost ? wrong : RULE_LEAVE_ONLY), &where,
                innermost ? region_name(check, (uint32_t)innermost->key[1]) : "", "%s at %s",
                region_name(check, region), location_name(check, check->batch->location[check->event]));
}

/* ---- Messages ---- */

/* A receive that names no sender takes a left-over send; if none is left, that is not a finding, since its sender may not be traced. */
static void check_pair(struct quipu__model_check *check, const struct quipu__message_count *counts) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    if (counts->sent == counts->received || counts->key.sender == QUIPU_NONE)
        return;
    const bool is_sent = counts->sent > counts->received;
    const uint64_t count = is_sent ? counts->sent - counts->received : counts->received - counts->sent;
    char counted[64];
    snprintf(counted, sizeof counted, "%" PRIu64 " sent, %" PRIu64 " received", counts->sent, counts->received);
    quipu__find(check->trace->findings, rule_at(check, is_sent ? RULE_SEND_ONLY : RULE_RECEIVE_ONLY), &where,
                counted, "%" PRIu64 " unmatched %s%s: %s → %s, tag %" PRId64 ", communicator %s", count,
                is_sent ? "send" : "receive", count == 1 ? "" : "s", location_name(check, counts->key.sender),
                location_name(check, counts->key.receiver), counts->key.tag,
                group_name(check, counts->key.communicator));
}

/* ---- All of them ---- */

/* Makes a state for each location defined so far. */
static enum quipu_status know_locations(struct quipu__model_check *check, struct quipu_error *err) {
    const uint32_t count = check->definitions->locations.count;
    while (check->locations.count < count) {
        const struct quipu__check_location *added = QUIPU__VEC_ADD(check->memory, &check->locations);
        if (!added)
            return quipu__no_memory(err, count * sizeof *added);
    }
    return QUIPU_OK;
}

QUIPU__INLINE void check_event(struct quipu__model_check *check, const struct quipu_batch *batch,
                               uint32_t event) {
    check_references(check, batch, event);
    if (batch->location[event] >= check->locations.count) {
        const struct quipu__where where = where_of(check, batch, event, "location");
        quipu__find(check->trace->findings, rule_at(check, RULE_UNDEFINED), &where, "", "location %u",
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
        quipu__matcher_count(&check->messages, batch, event);
        break;
    default:
        break;
    }
}

/* Checks the events of a batch in stream order. */
static enum quipu_status model_check_batch(struct quipu__model_check *check, const struct quipu_batch *batch,
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
    for (size_t i = 0; i < check->messages.keys.count; i++)
        check_pair(check, &check->messages.keys.items[i]);
    if (check->messages.is_full)
        quipu__find(check->trace->findings, rule_at(check, RULE_TOO_MANY), &where, "", "more than %zu",
                    check->messages.keys.count);
}

/* Notes what is still active at a location. */
static void end_location(struct quipu__model_check *check, uint32_t number) {
    struct quipu__check_location *location = &check->locations.items[number];
    const uint32_t state = quipu__tracker_latest(&check->calls, number);
    location->oldest = QUIPU_NONE;
    if (state == QUIPU_NONE)
        return;
    const struct quipu__interval_list calls = quipu__active_at(&check->calls, state, QUIPU__INTERVAL_call);
    location->unfinished = calls.count + location->beyond;
    if (calls.count > 0)
        location->oldest = (uint32_t)quipu__interval_at(&check->calls, calls.oldest)->key[1];
}

static void check_active_calls(const struct quipu__model_check *check, uint32_t number) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    const struct quipu__check_location *location = &check->locations.items[number];
    const uint64_t count = location->unfinished;
    if (count > 0)
        quipu__find(check->trace->findings, rule_at(check, RULE_ENTER_ONLY), &where,
                    region_name(check, location->oldest), "%s: %" PRIu64 " region%s",
                    location_name(check, number), count, count == 1 ? "" : "s");
}

/* Checks what is left over at the end. */
static enum quipu_status model_check_end(struct quipu__model_check *check, struct quipu_error *err) {
    for (uint32_t i = 0; i < check->locations.count; i++)
        check_active_calls(check, i);
    if (!quipu__matcher_reconcile(&check->messages))
        return quipu__no_memory(err, check->messages.keys.count * sizeof *check->messages.keys.items);
    check_messages(check);
    return QUIPU_OK;
}

/* ==== The check ==== */

/* ==== Consequences ====
 *
 * Some rules compare a record with something before it or elsewhere: a leave with its enter, a send with its receive, a number with its
 * definition. Lost data break them as well as programs do. If something is lost, their findings are marked, since the two look the same
 * until the damage is repaired; if nothing is lost, the first of them in a file is a problem of its own, and later ones in that file are
 * marked. The marks change neither counts nor verdict. */

/* Those of model_rules.def that depend on other records. */
static const char model_rules[] = "model.wrong-leave model.overlap model.leave-only model.enter-only "
                                  "model.send-only model.receive-only model.undefined model.too-many-messages";

struct consequences {
    struct quipu_findings *findings;
    const char *dependent_rules, *replaced_rules;
};

static bool has_rule(const char *words, const struct quipu_finding *finding) {
    return words && quipu__has_word(words, finding->rule->id, strlen(finding->rule->id));
}

static bool is_dependent(const struct consequences *all, const struct quipu_finding *finding) {
    return has_rule(model_rules, finding) || has_rule(all->dependent_rules, finding);
}

static bool is_of_model(const struct quipu_finding *finding) {
    return strncmp(finding->rule->id, "model.", 6) == 0;
}

/* A finding without an offset is about more than one file. */
static bool is_same_file(const struct quipu_finding *a, const struct quipu_finding *b) {
    return a->byte == QUIPU_UNKNOWN || b->byte == QUIPU_UNKNOWN || strcmp(a->file, b->file) == 0;
}

/* Of two findings about the same record the more severe one is first, of equally severe ones the one found first; a rule may find the same
 * thing repeatedly. */
static bool is_before(const struct quipu_finding *a, const struct quipu_finding *b) {
    if (a->byte != b->byte)
        return a->byte < b->byte;
    return a->rule->severity != b->rule->severity ? a->rule->severity > b->rule->severity : a < b;
}

/* A record that breaks several dependent rules has one thing wrong. */
static bool is_same_record(const struct quipu_finding *a, const struct quipu_finding *b) {
    return a->rule->severity >= QUIPU_NOTICE && a->rule->severity >= b->rule->severity && a->byte == b->byte &&
           a->byte != QUIPU_UNKNOWN && strcmp(a->file, b->file) == 0;
}

/* Rules of the model do not repeat what the format's own rules have found. Errors follow from losses in their own file, lesser findings
 * from losses anywhere; a loss never follows from a mere error. */
static bool is_cause(const struct consequences *all, const struct quipu_finding *cause,
                     const struct quipu_finding *finding) {
    if (cause->rule == finding->rule)
        return false;
    if (has_rule(all->replaced_rules, finding))
        return cause->rule->severity >= QUIPU_NOTICE && !is_of_model(cause);
    if (cause->rule->severity < QUIPU_DATA_LOSS)
        return is_same_record(cause, finding) && is_before(cause, finding);
    if (finding->rule->severity == QUIPU_DATA_LOSS && cause->rule->severity != QUIPU_DATA_LOSS)
        return false;
    if (finding->rule->severity >= QUIPU_DATA_LOSS && !is_same_file(cause, finding))
        return false;
    return !is_dependent(all, cause) || (is_same_file(cause, finding) && is_before(cause, finding));
}

static bool has_cause(const struct consequences *all, const struct quipu_finding *finding) {
    for (size_t i = 0; i < quipu_findings_count(all->findings); i++)
        if (is_cause(all, quipu_findings_at(all->findings, i), finding))
            return true;
    return false;
}

/* Marks consequences. The words are identifiers of rules, separated by blanks, and may be NULL: rules of the format that losses elsewhere
 * can break, and rules of the model that rules of the format replace. */
static void mark_consequences(struct quipu_findings *findings, const char *dependent_rules,
                              const char *replaced_rules) {
    const struct consequences all = {findings, dependent_rules, replaced_rules};
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (is_dependent(&all, finding) || has_rule(replaced_rules, finding))
            quipu__findings_mark(findings, i, has_cause(&all, finding));
    }
}

/* ---- Checking ---- */

static void end_locations(struct quipu__model_check *check) {
    for (uint32_t i = 0; i < check->locations.count; i++)
        end_location(check, i);
}

/* Reads all events, so that the format's own rules see all records and the model's see all events. */
static enum quipu_status read_all(struct quipu_reader *reader, struct quipu__model_check *check,
                                  struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        status = model_check_batch(check, batch, err);
        if (status != QUIPU_OK)
            return status;
    }
    end_locations(check);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* The format's rules about streams by themselves. */
static enum quipu_status check_streams(struct quipu__trace *trace, uint32_t first, uint32_t end,
                                       struct quipu_error *err) {
    const struct quipu__reading *reading = trace->format->reading;
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = first; reading->check_stream && i < end && status == QUIPU_OK; i++)
        status = reading->check_stream(trace, i, err);
    return status;
}

/* ---- Sharing ----
 *
 * Each process reads its streams, applies the format's rules about them, and hands on what it knows of locations and messages. What is over at the end,
 * and rules about the trace as a whole, are for rank 0. A process must read everything when a location has events in the streams of
 * several, or there are more keys of messages than can be kept: then the order of streams decides. */

static const struct quipu__known_rules known_of_model[] = {
    {rules_of_model, sizeof rules_of_model / sizeof *rules_of_model, &known_of_model[1]},
    {informing_rules, sizeof informing_rules / sizeof *informing_rules, NULL},
};

struct shared_check {
    struct quipu__model_check *check;
    struct quipu_reader *reader;
    struct quipu_findings *found; /* by the format's rules about streams */
    bool is_alone;                /* one process has read everything */
};

static enum quipu_status consume(void *context, const struct quipu_batch *batch, struct quipu_error *err) {
    return model_check_batch(context, batch, err);
}

/* Findings of the format's rules come behind all others. */
static enum quipu_status check_share(struct shared_check *shared, const struct quipu__stream_range *range,
                                     struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(shared->reader);
    struct quipu_findings *before = trace->findings;
    trace->findings = trace->files->findings = shared->found;
    const enum quipu_status status = check_streams(trace, range->first, range->end, err);
    trace->findings = trace->files->findings = before;
    return status;
}

static enum quipu_status read_share(void *context, const struct quipu__stream_range *range, bool *must_repeat,
                                    struct quipu_error *err) {
    struct shared_check *shared = context;
    void *states[] = {shared->check};
    const struct quipu__worker_pool worker = {
        .consume = consume, .states = states, .thread_count = 1, .must_repeat = must_repeat};
    const enum quipu_status status = quipu__reader_read_range(shared->reader, range, &worker, err);
    *must_repeat |= shared->check->messages.is_full;
    if (*must_repeat && (status == QUIPU_OK || status == QUIPU_END))
        return QUIPU_OK;
    end_locations(shared->check);
    return status == QUIPU_OK ? check_share(shared, range, err) : status;
}

static bool is_known(const struct quipu__model_check *check, uint32_t location) {
    return location < check->locations.count && check->locations.items[location].stream > 0;
}

/* The first location from there on of which something is known, or no longer is. */
static uint32_t next_change(const struct quipu__model_check *check, uint32_t from, bool known) {
    while (from < check->locations.count && is_known(check, from) == known)
        from++;
    return from;
}

/* Which locations have events, as ranges; then those with calls that were not left. */
static void save_locations(const struct quipu__model_check *check, struct quipu__buffer *out) {
    const uint32_t count = (uint32_t)check->locations.count;
    uint64_t unfinished = 0;
    for (uint32_t first = next_change(check, 0, false), end; first < count;
         first = next_change(check, end, false)) {
        end = next_change(check, first, true);
        quipu__pack_u64(out, end - first);
        quipu__pack_u64(out, first);
    }
    quipu__pack_u64(out, 0);
    for (uint32_t i = 0; i < count; i++)
        unfinished += check->locations.items[i].unfinished > 0;
    quipu__pack_u64(out, unfinished);
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__check_location *location = &check->locations.items[i];
        if (location->unfinished == 0)
            continue;
        quipu__pack_u64(out, i);
        quipu__pack_u64(out, location->unfinished);
        quipu__pack_u64(out, (uint32_t)(location->oldest + 1));
    }
}

static enum quipu_status add_locations(struct quipu__model_check *check, struct quipu__slice *from,
                                       bool *must_repeat, struct quipu_error *err) {
    const enum quipu_status status = know_locations(check, err);
    const uint64_t count = check->locations.count;
    if (status != QUIPU_OK)
        return status;
    for (uint64_t length; (length = quipu__unpack_up_to(from, count)) > 0 && !from->failed;) {
        const uint64_t first = quipu__unpack_up_to(from, count - length);
        for (uint64_t i = first; i < first + length && !from->failed; i++) {
            *must_repeat |= is_known(check, (uint32_t)i);
            check->locations.items[i].stream = 1;
        }
    }
    for (uint64_t left = quipu__unpack_up_to(from, count); left > 0 && !from->failed; left--) {
        const uint64_t number = quipu__unpack_u64(from);
        from->failed |= number >= count;
        if (from->failed)
            break;
        check->locations.items[number].unfinished = quipu__unpack_u64(from);
        check->locations.items[number].oldest = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX) - 1;
    }
    return QUIPU_OK;
}

static void save_messages(const struct quipu__matcher *messages, struct quipu__buffer *out) {
    quipu__pack_u64(out, messages->keys.count);
    for (size_t i = 0; i < messages->keys.count; i++) {
        const struct quipu__message_count *counts = &messages->keys.items[i];
        quipu__pack_u64(out, counts->key.sender);
        quipu__pack_u64(out, counts->key.receiver);
        quipu__pack_u64(out, counts->key.communicator);
        quipu__pack_i64(out, counts->key.tag);
        quipu__pack_u64(out, counts->sent);
        quipu__pack_u64(out, counts->received);
    }
}

static void add_messages(struct quipu__matcher *messages, struct quipu__slice *from, bool *must_repeat) {
    for (uint64_t left = quipu__unpack_up_to(from, QUIPU__MESSAGE_KEYS_MOST); left > 0 && !from->failed;
         left--) {
        struct quipu__message_key key = {.tag = 0};
        key.sender = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
        key.receiver = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
        key.communicator = (uint32_t)quipu__unpack_up_to(from, UINT32_MAX);
        key.tag = quipu__unpack_i64(from);
        const uint64_t sent = quipu__unpack_u64(from), received = quipu__unpack_u64(from);
        const uint32_t number = from->failed ? QUIPU_NONE : quipu__matcher_number_of(messages, &key);
        *must_repeat |= number == QUIPU_NONE;
        if (number == QUIPU_NONE)
            break;
        messages->keys.items[number].sent += sent;
        messages->keys.items[number].received += received;
    }
}

static enum quipu_status save(void *context, struct quipu__buffer *out, struct quipu_error *err) {
    const struct shared_check *shared = context;
    (void)err;
    save_locations(shared->check, out);
    save_messages(&shared->check->messages, out);
    quipu__findings_save(shared->found, out);
    return QUIPU_OK;
}

static enum quipu_status load_found(const struct shared_check *shared, struct quipu_findings *findings,
                                    struct quipu__slice *from, struct quipu_error *err) {
    const struct quipu_format *format = quipu_reader_format(shared->reader);
    const struct quipu__known_rules known = {format->rules, format->rule_count, NULL};
    return quipu__findings_load(findings, from, &known, err);
}

static enum quipu_status add(void *context, struct quipu__slice *from, bool *must_repeat,
                             struct quipu_error *err) {
    const struct shared_check *shared = context;
    const enum quipu_status status = add_locations(shared->check, from, must_repeat, err);
    if (status == QUIPU_OK)
        add_messages(&shared->check->messages, from, must_repeat);
    return status == QUIPU_OK && !from->failed && !*must_repeat ? load_found(shared, shared->found, from, err)
                                                                : status;
}

/* Adds what the format's rules have found to what the reader has. */
static enum quipu_status show_found(const struct shared_check *shared, struct quipu_error *err) {
    struct quipu__buffer bytes;
    quipu__buffer_init(&bytes, shared->check->memory, 0);
    quipu__findings_save(shared->found, &bytes);
    struct quipu__slice from = quipu__slice_of(bytes.data, bytes.len);
    const enum quipu_status status =
        bytes.failed ? quipu__no_memory(err, bytes.len)
                     : load_found(shared, quipu__reader_trace(shared->reader)->findings, &from, err);
    quipu__buffer_release(&bytes);
    return status;
}

/* ---- Reading ---- */

/* Begins again, with everything. */
static enum quipu_status read_again(struct shared_check *shared, struct quipu_error *err) {
    model_check_release(shared->check);
    model_check_init(shared->check, shared->reader);
    quipu_reader_rewind(shared->reader);
    shared->is_alone = true;
    return read_all(shared->reader, shared->check, err);
}

static enum quipu_status read_events(struct shared_check *shared, struct quipu_error *err) {
    const struct quipu__shared_reader sharing = {
        .context = shared, .rules = &known_of_model[0], .read = read_share, .save = save, .add = add};
    bool must_repeat;
    shared->is_alone = !quipu__reader_sharing(shared->reader)->transport;
    if (shared->is_alone)
        return read_all(shared->reader, shared->check, err);
    const enum quipu_status status = quipu__read_shared(shared->reader, &sharing, &must_repeat, err);
    return status == QUIPU_OK && must_repeat ? read_again(shared, err) : status;
}

/* Applies all rules but those that a program requires. QUIPU_END: another process has the answer. */
static enum quipu_status apply_rules(struct shared_check *shared, struct quipu_error *err) {
    struct quipu__trace *trace = quipu__reader_trace(shared->reader);
    enum quipu_status status = read_events(shared, err);
    if (status == QUIPU_OK)
        status = model_check_end(shared->check, err);
    if (status == QUIPU_OK)
        status = shared->is_alone ? check_streams(trace, 0, (uint32_t)trace->streams.count, err)
                                  : show_found(shared, err);
    if (status == QUIPU_OK && trace->format->reading->check)
        status = trace->format->reading->check(trace, err);
    return status;
}

static enum quipu_status check_all(struct quipu_reader *reader, const struct quipu_progress *progress,
                                   struct quipu_error *err) {
    struct quipu__model_check check;
    struct shared_check shared = {.check = &check, .reader = reader};
    enum quipu_status status = quipu__findings_new(quipu__reader_trace(reader)->memory, &shared.found, err);
    if (status != QUIPU_OK)
        return status;
    model_check_init(&check, reader);
    const struct quipu_progress before = quipu__reader_watch(reader, progress);
    status = apply_rules(&shared, err);
    quipu__reader_unwatch(reader, before);
    model_check_release(&check);
    quipu__findings_free(shared.found);
    return status;
}

static enum quipu_verdict verdict_of(const struct quipu_findings *findings) {
    if (quipu_findings_total(findings, QUIPU_ERROR_FINDING) || quipu_findings_total(findings, QUIPU_DATA_LOSS))
        return QUIPU_VERDICT_REJECT;
    return quipu_findings_total(findings, QUIPU_NOTICE) ? QUIPU_VERDICT_WARN : QUIPU_VERDICT_OK;
}

/* The set of rules with that name; QUIPU_UNSUPPORTED when the format has none. */
static enum quipu_status find_rules(const struct quipu__format *format, const char *name,
                                    const struct quipu__rule_set **out, struct quipu_error *err) {
    const struct quipu__reading *reading = format->reading;
    *out = NULL;
    for (size_t i = 0; name && i < reading->rule_set_count; i++)
        if (strcmp(reading->rule_sets[i].name, name) == 0)
            *out = &reading->rule_sets[i];
    if (!name || *out)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no set of rules \"%s\"", format->info.name, name);
    quipu__advise(err, "leave out --rules");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu_check(struct quipu_reader *reader, const struct quipu_progress *progress,
                              struct quipu_check_result *out, struct quipu_error *err) {
    return quipu_check_rules(reader, NULL, progress, out, err);
}

enum quipu_status quipu_check_rules(struct quipu_reader *reader, const char *rules,
                                    const struct quipu_progress *progress, struct quipu_check_result *out,
                                    struct quipu_error *err) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    struct quipu__trace *trace = quipu__reader_trace(reader);
    *out = (struct quipu_check_result){QUIPU_VERDICT_REJECT, 0};
    const struct quipu__rule_set *further;
    enum quipu_status status = find_rules(trace->format, rules, &further, err);
    if (status == QUIPU_OK)
        status = quipu_reader_select(reader, &everything, err);
    if (status != QUIPU_OK)
        return status;
    status = check_all(reader, progress, err);
    if (status == QUIPU_OK && further)
        status = further->check(trace, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(trace->memory, err);
    mark_consequences(trace->findings, trace->format->reading->dependent_rules,
                      trace->format->reading->replaced_rules);
    if (status == QUIPU_OK)
        *out = (struct quipu_check_result){verdict_of(trace->findings), quipu_reader_records(reader)};
    return status;
}

/* ---- Showing ---- */

const char *quipu__verdict_name(enum quipu_verdict verdict) {
    static const char *const names[] = {"ok", "warn", "reject"};
    return names[verdict];
}

static void put_json(struct quipu__buffer *out, const struct quipu_check_result *result,
                     const struct quipu_findings *findings, const char *path) {
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    if (path)
        quipu__json_text(&json, "path", path);
    quipu__json_text(&json, "verdict", quipu__verdict_name(result->verdict));
    quipu__json_u64(&json, "records", result->records);
    quipu__put_findings_json(&json, "findings", findings);
    quipu__put_totals_json(&json, "totals", findings);
    quipu__json_close(&json);
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void put_text(struct quipu__buffer *out, const struct quipu_check_result *result,
                     const struct quipu_findings *findings, const struct quipu_check_print *options) {
    if (options->all)
        quipu__put_findings_text(out, findings);
    else
        quipu__put_rules_text(out, findings, options->remedy);
    const uint64_t total = quipu__findings_total(findings);
    quipu__put_format(out, "%s: %llu record%s, %llu finding%s\n", quipu__verdict_name(result->verdict),
                      (unsigned long long)result->records, plural(result->records), (unsigned long long)total,
                      plural(total));
}

enum quipu_status quipu_check_write(const struct quipu_check_result *result,
                                    const struct quipu_findings *findings,
                                    const struct quipu_check_print *options, struct quipu_sink sink,
                                    struct quipu_error *err) {
    static const struct quipu_check_print defaults = {false, false, NULL, NULL};
    struct quipu__printing printing;
    options = options ? options : &defaults;
    quipu__printing_begin(&printing, sink, err);
    if (options->json)
        put_json(&printing.out, result, findings, options->path);
    else
        put_text(&printing.out, result, findings, options);
    return quipu__printing_end(&printing);
}
