/* clock.c: whether clocks of locations agree: messages that are received before they are sent, the offsets that the shortest messages
 * suggest, and how far a controlled logical clock moves events. A second reading counts what the offsets leave. */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/clock_offsets.h"
#include "analysis/dependences.h"
#include "analysis/settings.h"
#include "core/error.h"
#include "state/communication.h"

struct clock {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__schedule schedule; /* the controlled logical clock */
    struct quipu__clock_pairs pairs;
    QUIPU__VEC(struct quipu__clock_offset) offsets; /* by location */
    int64_t least;                                  /* that a message takes, ns */
    uint64_t collective_violations, left;           /* left: violations after the offsets */
    bool has_counted;                               /* the event has its place in the schedule */
    bool is_second;
};

/* ---- Messages ---- */

static void add_message(struct clock *clock, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    const int64_t slack = receive->time - send->time - clock->least;
    struct quipu__clock_pair *pair = quipu__clock_pair_of(&clock->pairs, send->location, receive->location);
    if (!pair)
        return;
    pair->messages++;
    pair->violations += slack < 0;
    pair->worst = -slack > pair->worst ? -slack : pair->worst;
    pair->least = slack < pair->least ? slack : pair->least;
}

static int64_t corrected(const struct clock *clock, const struct quipu__message_end *end) {
    return end->time + (end->location < clock->offsets.count
                            ? quipu__clock_offset_ns(&clock->offsets.items[end->location])
                            : 0);
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct clock *clock = context;
    const bool is_between = send->location != receive->location;
    if (clock->is_second) {
        clock->left += is_between && corrected(clock, receive) < corrected(clock, send) + clock->least;
        return;
    }
    if (is_between) {
        add_message(clock, send, receive);
        quipu__schedule_depend(&clock->schedule, receive->mark, send->mark);
    }
    quipu__schedule_close(&clock->schedule, receive->mark);
    quipu__schedule_drop(&clock->schedule, send->mark);
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    struct clock *clock = context;
    if (!clock->is_second)
        quipu__schedule_close(&clock->schedule, receive->mark);
}

/* ---- The logical clock ---- */

static uint32_t condition_here(struct clock *clock, uint32_t location) {
    if (clock->is_second)
        return QUIPU_NONE;
    const uint32_t condition = quipu__schedule_condition(&clock->schedule, location);
    quipu__schedule_open(&clock->schedule, condition);
    quipu__schedule_await(&clock->schedule, condition, 1);
    clock->has_counted = true;
    return condition;
}

static uint32_t mark_here(struct clock *clock, uint32_t location) {
    return clock->is_second ? QUIPU_NONE : quipu__schedule_publish(&clock->schedule, location, 0);
}

static uint32_t add_end(void *context, const struct quipu__message_end *end) {
    return end->is_send ? mark_here(context, end->location) : condition_here(context, end->location);
}

static uint32_t begin_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return mark_here(context, collective->sides[side].location);
}

static uint32_t end_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return condition_here(context, collective->sides[side].location);
}

static void close_collective(void *context, const struct quipu__collective *collective) {
    struct clock *clock = context;
    if (clock->is_second)
        return;
    if (collective->is_evaluated)
        clock->collective_violations += quipu__collective_violations(collective, clock->least);
    quipu__collective_depend(&clock->schedule, collective, collective->is_evaluated);
}

/* Events that wait for others are counted where they wait. */
static bool waits(uint8_t kind) {
    return kind == QUIPU_KIND_recv || kind == QUIPU_KIND_collective_end;
}

/* The time since the event before is kept. */
static void advance(struct clock *clock, const struct quipu_batch *batch, uint32_t event) {
    const struct quipu__communication *communication = &clock->communication;
    const uint32_t location = batch->location[event];
    const int64_t time = quipu__communication_ns(communication, batch->time[event]);
    const bool is_known =
        location < communication->stacks.count && communication->stacks.items[location].has_events;
    const int64_t before = is_known ? communication->stacks.items[location].last : 0;
    clock->has_counted = !waits(batch->kind[event]);
    quipu__schedule_advance(&clock->schedule, location, !is_known || time > before ? time - before : 0,
                            clock->has_counted ? 1 : 0);
}

/* ---- The fold ---- */

static bool init_communication(struct clock *clock) {
    const struct quipu__communication_listener listener = {.context = clock,
                                                           .end = add_end,
                                                           .matched = add_matched,
                                                           .unmatched = add_unmatched,
                                                           .collective_begins = begin_collective,
                                                           .collective_ends = end_collective,
                                                           .collective = close_collective};
    return quipu__communication_init(&clock->communication, &clock->memory, clock->definitions, &listener);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct clock *clock = *state = quipu__alloc_zero(&memory, sizeof *clock);
    if (!clock)
        return quipu__no_memory(err, sizeof *clock);
    clock->memory = memory;
    clock->definitions = start->definitions;
    clock->least = (int64_t)quipu__number_setting(start, "l-min");
    quipu__schedule_init(&clock->schedule, &clock->memory);
    clock->schedule.distance = clock->least;
    quipu__clock_pairs_init(&clock->pairs, &clock->memory);
    return init_communication(clock) ? QUIPU_OK : quipu__no_memory(err, sizeof *clock);
}

static bool is_event(uint8_t kind) {
    return kind != QUIPU_KIND_summary && kind != QUIPU_KIND_snapshot;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct clock *clock = state;
    for (uint32_t i = 0; i < batch->count; i++) {
        const bool is_scheduled = !clock->is_second && is_event(batch->kind[i]);
        if (is_scheduled)
            advance(clock, batch, i);
        if (!quipu__communication_add(&clock->communication, batch, i))
            return quipu__no_memory(err, clock->memory.used);
        if (is_scheduled && !clock->has_counted)
            quipu__schedule_advance(&clock->schedule, batch->location[i], 0, 1);
    }
    return quipu__memory_status(&clock->memory, err);
}

static bool find_offsets(struct clock *clock) {
    const size_t count = clock->communication.stacks.count;
    uint32_t first = 0;
    if (count == 0 || !QUIPU__VEC_RESERVE(&clock->memory, &clock->offsets, count))
        return false;
    clock->offsets.count = count;
    while (first < count && !clock->communication.stacks.items[first].has_events)
        first++;
    return first < count &&
           quipu__clock_offsets_find(&clock->pairs, first, clock->offsets.items, clock->offsets.count);
}

/* Without violations there is nothing to be seen in a second reading. */
static bool next_pass(void *state, struct quipu_selection *selection) {
    struct clock *clock = state;
    (void)selection;
    if (clock->is_second)
        return false;
    quipu__communication_finish(&clock->communication);
    clock->is_second = true;
    if (!find_offsets(clock))
        return false;
    quipu__communication_release(&clock->communication);
    quipu__gate_knows(init_communication(clock));
    return true;
}

static void release(void *state) {
    struct clock *clock = state;
    quipu__communication_release(&clock->communication);
    quipu__schedule_release(&clock->schedule);
    quipu__clock_pairs_release(&clock->pairs);
    QUIPU__VEC_RELEASE(&clock->memory, &clock->offsets);
    struct quipu__memory memory = clock->memory;
    quipu__release(&memory, clock, sizeof *clock);
}

/* ---- The tables ---- */

static const struct quipu_table_column clock_columns[] = {
    {"messages", QUIPU_TYPE_U64, "", "matched messages between locations"},
    {"violations", QUIPU_TYPE_U64, "", "those that are received too early"},
    {"worst_ns", QUIPU_TYPE_I64, "ns", "the most that one is received too early"},
    {"collective_violations", QUIPU_TYPE_U64, "",
     "ends of collective operations before those began that they wait for"},
    {"violations_after_offsets", QUIPU_TYPE_U64, "",
     "violations that are left when clocks are moved by the offsets"},
    {"clc_largest_ns", QUIPU_TYPE_I64, "ns",
     "how far a controlled logical clock moves an event at most; null when events depend on each other in a "
     "circle"},
    {"clc_changed_events", QUIPU_TYPE_U64, "", "events that it moves"},
    {"clc_end_ns", QUIPU_TYPE_I64, "ns", "when the last event is then"},
};
static const struct quipu_table_column pair_columns[] = {
    {"sender", QUIPU_TYPE_TEXT, "", "location that sends"},
    {"sender_id", QUIPU_TYPE_I64, "", "the format's own number of it"},
    {"receiver", QUIPU_TYPE_TEXT, "", "location that receives"},
    {"receiver_id", QUIPU_TYPE_I64, "", "the format's own number of it"},
    {"messages", QUIPU_TYPE_U64, "", "messages from the one to the other"},
    {"violations", QUIPU_TYPE_U64, "", "those that are received too early"},
    {"worst_ns", QUIPU_TYPE_I64, "ns", "the most that one is received too early"},
};
static const struct quipu_table_column offset_columns[] = {
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread"},
    {"location_id", QUIPU_TYPE_I64, "", "the format's own number of it"},
    {"offset_ns", QUIPU_TYPE_I64, "ns", "what is to be added to its clock"},
    {"corridor_ns", QUIPU_TYPE_I64, "ns", "how uncertain that is"},
};

enum { CLOCK, PAIRS, OFFSETS, TABLES };
#define SHAPE(name, doc, columns)                                                                              \
    { name, doc, columns, sizeof columns / sizeof *columns }
static const struct quipu_analysis_table tables[TABLES] = {
    SHAPE("clock", "whether clocks agree", clock_columns),
    SHAPE("clock_pairs", "a row per sender and receiver with violations", pair_columns),
    SHAPE("offsets", "a row per location that messages lead to in both directions", offset_columns),
};

struct totals {
    uint64_t messages, violations, moved;
    int64_t worst, largest, end;
};

static struct totals totals_of(const struct clock *clock) {
    struct totals totals = {.end = INT64_MIN};
    for (size_t i = 0; i < clock->pairs.list.count; i++) {
        const struct quipu__clock_pair *pair = &clock->pairs.list.items[i];
        totals.messages += pair->messages;
        totals.violations += pair->violations;
        totals.worst = pair->worst > totals.worst ? pair->worst : totals.worst;
    }
    for (size_t i = 0; i < clock->schedule.locations.count; i++) {
        const struct quipu__schedule_location *location = &clock->schedule.locations.items[i];
        if (i >= clock->communication.stacks.count || !clock->communication.stacks.items[i].has_events)
            continue;
        totals.moved += location->moved;
        totals.largest = location->largest > totals.largest ? location->largest : totals.largest;
        totals.end = location->position > totals.end ? location->position : totals.end;
    }
    totals.end = totals.end == INT64_MIN ? 0 : totals.end;
    return totals;
}

static enum quipu_status put_clock(const struct clock *clock, struct quipu_table *table,
                                   struct quipu_error *err) {
    const struct totals totals = totals_of(clock);
    struct quipu__cells cells = quipu__cells_of(clock->definitions);
    quipu__cells_put_u64(&cells, totals.messages);
    quipu__cells_put_u64(&cells, totals.violations);
    quipu__cells_put_i64(&cells, totals.worst);
    quipu__cells_put_u64(&cells, clock->collective_violations);
    quipu__cells_put_u64(&cells, clock->left);
    if (quipu__schedule_is_done(&clock->schedule)) {
        quipu__cells_put_i64(&cells, totals.largest);
        quipu__cells_put_u64(&cells, totals.moved);
        quipu__cells_put_i64(&cells, totals.end);
    }
    while (cells.count < sizeof clock_columns / sizeof *clock_columns)
        quipu__cells_put_null(&cells);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status put_pairs(const struct clock *clock, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < clock->pairs.list.count && status == QUIPU_OK; i++) {
        const struct quipu__clock_pair *pair = &clock->pairs.list.items[i];
        struct quipu__cells cells = quipu__cells_of(clock->definitions);
        if (pair->violations == 0)
            continue;
        quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, pair->sender);
        quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, pair->receiver);
        quipu__cells_put_u64(&cells, pair->messages);
        quipu__cells_put_u64(&cells, pair->violations);
        quipu__cells_put_i64(&cells, pair->worst);
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

static enum quipu_status put_offsets(const struct clock *clock, struct quipu_table *table,
                                     struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < clock->offsets.count && status == QUIPU_OK; i++) {
        const struct quipu__clock_offset *offset = &clock->offsets.items[i];
        struct quipu__cells cells = quipu__cells_of(clock->definitions);
        if (!offset->is_known)
            continue;
        quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, i);
        quipu__cells_put_i64(&cells, quipu__clock_offset_ns(offset));
        quipu__cells_put_i64(&cells, offset->corridor);
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct clock *clock = state;
    struct quipu_table *made[TABLES] = {NULL};
    quipu__communication_finish(&clock->communication);
    quipu__matching_note(&clock->communication, list);
    enum quipu_status status = quipu__memory_status(&clock->memory, err);
    for (int i = 0; i < TABLES && status == QUIPU_OK; i++)
        status = quipu__analysis_table_new(&tables[i], list, &made[i], err);
    if (status == QUIPU_OK)
        status = put_clock(clock, made[CLOCK], err);
    if (status == QUIPU_OK)
        status = put_pairs(clock, made[PAIRS], err);
    return status == QUIPU_OK ? put_offsets(clock, made[OFFSETS], err) : status;
}

static const struct quipu_option options[] = {
    {.name = "l-min",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "NS",
     .default_value = "0",
     .doc = "the least time in ns that a message takes"},
};

const struct quipu__fold quipu__clock_fold = {
    .info = {.name = "clock",
             .doc = "show whether the clocks of a trace agree",
             .details = "Looks for messages that are received before they are sent, and for collective "
                        "operations that end before "
                        "those have begun that they wait for. The table \"offsets\" says by how much clocks "
                        "differ, as far as the "
                        "shortest messages in both directions tell: offset_ns is to be added to the clock of "
                        "the location, "
                        "corridor_ns is how uncertain that is. The controlled logical clock (clc) moves events "
                        "to later times "
                        "until nothing is too early, and keeps the distances of the others.",
             .examples = "quipu clock run.trace # can times be compared?\n"
                         "quipu clock run.trace --l-min 500 # no message takes less than 500 ns",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = TABLES,
             .empty_answer = "the trace has no events",
             .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_TIME,
    .begin = begin,
    .consume = consume,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
