/* clock.c: whether clocks of locations agree: messages that are received before they are sent, the offsets that the shortest messages
 * suggest, and how far a controlled logical clock moves events. A second reading counts what the offsets leave. */
#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/clock/amortisation.h"
#include "analysis/clock/lines.h"
#include "analysis/replay/dependences.h"
#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "model/time_shifts.h"
#include "state/unneeded_calls.h"

#include <inttypes.h>
#include <string.h>

/* How clocks are corrected, one after the other. */
struct clock_methods {
    bool by_offsets, by_lines, by_messages; /* constants; lines; the controlled logical clock */
};

/* The events of a location that have their place in the schedule, and its time there. */
struct clock_progress {
    uint64_t events;
    int64_t time;
};

struct clock {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication communication;
    struct quipu__schedule schedule; /* the controlled logical clock */
    struct quipu__clock_pairs pairs;
    QUIPU__VEC(struct quipu__clock_offset) offsets; /* by location */
    struct quipu__clock_lines lines;
    int64_t least;                        /* that a message takes, ns */
    uint64_t collective_violations, left; /* left: violations after the offsets */
    struct quipu__schedule correction;    /* the same of the times that are to be written */
    struct quipu__time_shifts shifts;     /* of them */
    struct clock_methods methods;         /* how they are corrected */
    struct quipu__decimal decay;
    int64_t window; /* before a jump, over which it is spread; 0: it is not */
    struct quipu__clock_amortisation amortisation;
    int64_t lift; /* what is added to all of them, so that none is before time 0 */
    QUIPU__VEC(struct clock_progress) progress; /* by location; where no times are to be written */
    struct quipu__unneeded_calls computing;
    bool has_counted; /* the event has its place in the schedule */
    bool is_second, retimes;
};

/* ---- Messages ---- */

static void add_message(struct clock *clock, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    const int64_t slack =
        quipu__bounded_difference(quipu__bounded_difference(receive->time, send->time), clock->least);
    struct quipu__clock_pair *pair =
        quipu__clock_pairs_add(&clock->pairs, send->location, receive->location, slack);
    if (pair && clock->methods.by_lines)
        quipu__clock_hull_add(&pair->hull, &clock->memory, send->time, slack);
}

static int64_t offset_of(const struct clock *clock, uint32_t location) {
    return location < clock->offsets.count ? quipu__clock_offset_ns(&clock->offsets.items[location]) : 0;
}

static int64_t corrected(const struct clock *clock, const struct quipu__message_end *end) {
    return quipu__bounded_sum(end->time, offset_of(clock, end->location));
}

/* The logical clock that the reading is for; NULL: none. */
static struct quipu__schedule *schedule_of(struct clock *clock) {
    if (!clock->is_second)
        return &clock->schedule;
    return clock->methods.by_messages ? &clock->correction : NULL;
}

static bool amortises(const struct clock *clock) {
    return clock->is_second && clock->window > 0;
}

static void depend(struct clock *clock, const struct quipu__message_end *send,
                   const struct quipu__message_end *receive) {
    struct quipu__schedule *schedule = schedule_of(clock);
    if (!schedule)
        return;
    if (send->location != receive->location && amortises(clock))
        quipu__clock_amortisation_message(&clock->amortisation, send->mark, receive->mark);
    if (send->location != receive->location)
        quipu__schedule_depend(schedule, receive->mark, send->mark, schedule->distance);
    quipu__schedule_close(schedule, receive->mark);
    quipu__schedule_drop(schedule, send->mark);
}

static void add_matched(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct clock *clock = context;
    const bool is_between = send->location != receive->location;
    if (is_between && clock->is_second)
        clock->left += corrected(clock, receive) < quipu__bounded_sum(corrected(clock, send), clock->least);
    else if (is_between)
        add_message(clock, send, receive);
    depend(clock, send, receive);
}

static void add_unmatched(void *context, const struct quipu__message_end *receive) {
    struct clock *clock = context;
    struct quipu__schedule *schedule = schedule_of(clock);
    if (schedule)
        quipu__schedule_close(schedule, receive->mark);
}

/* ---- The logical clock ---- */

/* NULL when memory is out. */
static struct clock_progress *progress_of(struct clock *clock, uint32_t location) {
    const size_t known = clock->progress.count;
    if (QUIPU__LIKELY(location < known))
        return &clock->progress.items[location];
    if (!QUIPU__VEC_RESERVE(&clock->memory, &clock->progress, location + 1 - known))
        return NULL;
    clock->progress.count = (size_t)location + 1;
    return &clock->progress.items[location];
}

/* Events between those that are tied to other locations keep their distances: they are one advance. In front of an event that is, all before
 * it get their place, and so many more from itself on. Who wants new times of all of them has given them their place one by one. */
static void catch_up(struct clock *clock, uint32_t location, uint64_t more) {
    const struct quipu__call_stack *stack = &clock->communication.stacks.items[location];
    struct clock_progress *progress = clock->retimes ? NULL : progress_of(clock, location);
    if (!progress)
        return;
    uint64_t events = stack->events + more > progress->events ? stack->events + more - progress->events : 0;
    const int64_t amount = quipu__bounded_difference(stack->last, progress->time);
    progress->time = stack->last;
    progress->events += events;
    for (; events > UINT32_MAX; events -= UINT32_MAX)
        quipu__schedule_advance(&clock->schedule, location, 0, UINT32_MAX, 0);
    if (amount != 0 || events > 0)
        quipu__schedule_advance(&clock->schedule, location, amount, (uint32_t)events, 0);
}

static uint32_t condition_here(struct clock *clock, uint32_t location, int64_t time) {
    struct quipu__schedule *schedule = schedule_of(clock);
    if (!schedule)
        return QUIPU_NONE;
    catch_up(clock, location, 0);
    if (location < clock->progress.count)
        clock->progress.items[location].events++;
    const uint32_t condition = quipu__schedule_condition(schedule, location);
    quipu__schedule_open(schedule, condition);
    quipu__schedule_await(schedule, condition, 1, time);
    clock->has_counted = true;
    return condition;
}

static uint32_t mark_here(struct clock *clock, uint32_t location) {
    struct quipu__schedule *schedule = schedule_of(clock);
    if (!schedule)
        return QUIPU_NONE;
    catch_up(clock, location, 1);
    return quipu__schedule_publish(schedule, location, 0, false);
}

static uint32_t add_end(void *context, struct quipu__message_end *end) {
    return end->is_send ? mark_here(context, end->location) : condition_here(context, end->location, end->time);
}

static uint32_t begin_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return mark_here(context, collective->sides[side].location);
}

static uint32_t end_collective(void *context, const struct quipu__collective *collective, uint32_t side) {
    return condition_here(context, collective->sides[side].location, collective->sides[side].end);
}

/* Where times have to prove that all have waited for each other they cannot be wrong. */
static void close_collective(void *context, const struct quipu__collective *collective) {
    struct clock *clock = context;
    const bool counts = collective->is_evaluated && !collective->is_proven;
    if (!clock->is_second && counts)
        clock->collective_violations += quipu__collective_violations(&clock->memory, collective, clock->least);
    if (amortises(clock) && counts)
        quipu__clock_amortisation_collective(&clock->amortisation, collective);
    if (schedule_of(clock))
        quipu__collective_depend(schedule_of(clock), collective, counts);
}

/* Events that wait for others are counted where they wait. */
static bool waits(uint8_t kind) {
    return kind == QUIPU_KIND_recv || kind == QUIPU_KIND_collective_end;
}

/* The time of a location before the logical clock. */
static int64_t corrected_time(const struct clock *clock, uint32_t location, int64_t time) {
    if (!clock->is_second)
        return time;
    if (clock->methods.by_lines)
        return quipu__bounded_sum(quipu__clock_lines_time(&clock->lines, location, time), clock->lift);
    return quipu__bounded_sum(
        quipu__bounded_sum(time, clock->methods.by_offsets ? offset_of(clock, location) : 0), clock->lift);
}

/* The time since the event before is kept, as far as the clock runs as fast as others. */
static void advance(struct clock *clock, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const struct quipu__communication *communication = &clock->communication;
    const uint32_t location = batch->location[event];
    const bool is_known =
        location < communication->stacks.count && communication->stacks.items[location].has_events;
    const int64_t before = is_known ? communication->stacks.items[location].last : time;
    const int64_t now = corrected_time(clock, location, time > before ? time : before);
    clock->has_counted = !waits(batch->kind[event]);
    quipu__schedule_advance(schedule_of(clock), location,
                            is_known ? quipu__bounded_difference(now, corrected_time(clock, location, before))
                                     : now,
                            clock->has_counted ? 1 : 0, time);
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

/* Adds the method with this name; false when there is none. */
static bool add_method(struct clock_methods *methods, const char *name, size_t len) {
    const struct {
        const char *name;
        bool *method;
    } rows[] = {
        {"offset", &methods->by_offsets}, {"linear", &methods->by_lines}, {"clc", &methods->by_messages}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != len || strncmp(rows[i].name, name, len) != 0)
            continue;
        *rows[i].method = true;
        return true;
    }
    return false;
}

/* The methods of a list such as "offset,clc"; false when it has other words, or two that say the same. */
static bool parse_methods(const char *text, struct clock_methods *out) {
    while (*text) {
        const size_t len = strcspn(text, ",");
        if (!add_method(out, text, len))
            return false;
        text += len + (text[len] == ',');
    }
    return (out->by_offsets || out->by_lines || out->by_messages) && !(out->by_offsets && out->by_lines);
}

static enum quipu_status set_amortisation(struct clock *clock, const struct quipu__fold_start *start,
                                          struct quipu_error *err) {
    const uint64_t window = quipu__number_setting(start, "amortise");
    if (window == 0)
        return QUIPU_OK;
    if (!clock->methods.by_messages)
        return quipu__fail(err, QUIPU_MISUSE,
                           "--amortise spreads what clc moves; clocks are corrected without clc");
    clock->window =
        window < QUIPU__AMORTISATION_WINDOW_MOST ? (int64_t)window : QUIPU__AMORTISATION_WINDOW_MOST;
    quipu__clock_amortisation_init(&clock->amortisation, &clock->memory, &clock->correction, clock->window);
    return QUIPU_OK;
}

/* Times are written in ticks, rounded up: a message that takes whole ticks at least still takes them then. */
static int64_t whole_ticks_ns(const struct quipu_clock *clock, int64_t ns) {
    return quipu_clock_ns(clock, quipu_clock_ticks(clock, ns));
}

static enum quipu_status set_correction(struct clock *clock, const struct quipu__fold_start *start,
                                        struct quipu_error *err) {
    const char *methods = quipu__settings_value(&start->settings, "correct");
    const char *gamma = quipu__settings_value(&start->settings, "gamma");
    clock->retimes = start->retimes;
    quipu__time_shifts_init(&clock->shifts, &clock->memory);
    quipu__schedule_init(&clock->correction, &clock->memory);
    clock->correction.distance = whole_ticks_ns(&clock->definitions->clock, clock->least);
    clock->correction.shifts = &clock->shifts;
    if (!methods != !start->retimes)
        return quipu__fail(err, QUIPU_MISUSE, "--correct and -o OUTPUT need each other");
    if (methods && !parse_methods(methods, &clock->methods))
        return quipu__fail(err, QUIPU_MISUSE,
                           "clocks are corrected by offset or linear, by clc, or by one and clc, such as "
                           "linear,clc, not by \"%s\"",
                           methods);
    if (!quipu__parse_decimal(gamma, strlen(gamma), &clock->decay) ||
        clock->decay.numerator > clock->decay.denominator)
        return quipu__fail(err, QUIPU_MISUSE, "--gamma takes a number from 0 to 1, such as 0.99, not \"%s\"",
                           gamma);
    clock->correction.decay = clock->decay.numerator == clock->decay.denominator ? NULL : &clock->decay;
    return set_amortisation(clock, start, err);
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct clock *clock = quipu__fold_state(start, sizeof *clock, state);
    if (!clock)
        return quipu__no_memory(err, sizeof *clock);
    clock->definitions = start->definitions;
    clock->least = (int64_t)quipu__number_setting(start, "l-min");
    quipu__schedule_init(&clock->schedule, &clock->memory);
    clock->schedule.distance = clock->least;
    quipu__clock_pairs_init(&clock->pairs, &clock->memory);
    quipu__clock_lines_init(&clock->lines, &clock->memory);
    const enum quipu_status status = set_correction(clock, start, err);
    if (status != QUIPU_OK)
        return status;
    return init_communication(clock) &&
                   quipu__unneeded_calls_init(&clock->computing, &clock->memory, start->definitions,
                                              QUIPU__REGION_ACCESSES_FILES)
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *clock);
}

/* New times of all events are found in the order of time. */
static void select_order(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                         struct quipu_selection *selection) {
    (void)definitions;
    if (quipu__settings_value(settings, "correct"))
        selection->order = QUIPU_ORDER_TIME;
}

/* What is left after the offsets is seen at messages. */
static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct clock *clock = state;
    return clock->is_second && !clock->retimes ? &clock->computing : NULL;
}

static bool is_event(uint8_t kind) {
    return kind != QUIPU_KIND_summary && kind != QUIPU_KIND_snapshot;
}

/* What is to be added to a clock is measured in ticks. */
static void add_sync(struct clock *clock, const struct quipu_batch *batch, uint32_t event, int64_t time) {
    const int64_t correction = quipu_clock_ns(&clock->definitions->clock, (int64_t)batch->value[event]);
    quipu__clock_syncs_add(&clock->lines.syncs, batch->location[event], time, correction);
}

/* The event gets its place in the logical clock, if there is one. */
static bool take_in(struct clock *clock, const struct quipu_batch *batch, uint32_t event) {
    const int64_t time = quipu__communication_ns(&clock->communication, batch->time[event]);
    const bool counts = is_event(batch->kind[event]);
    struct quipu__schedule *schedule = counts ? schedule_of(clock) : NULL;
    if (batch->kind[event] == QUIPU_KIND_clock_sync && clock->methods.by_lines && !clock->is_second)
        add_sync(clock, batch, event, time);
    if (schedule)
        advance(clock, batch, event, time);
    if (!quipu__communication_add(&clock->communication, batch, event))
        return false;
    if (schedule && !clock->has_counted)
        quipu__schedule_advance(schedule, batch->location[event], 0, 1, time);
    if (!schedule && counts && clock->is_second && clock->retimes)
        quipu__time_shifts_add(
            &clock->shifts, batch->location[event],
            &(struct quipu__time_shift){
                1, quipu__bounded_difference(corrected_time(clock, batch->location[event], time), time),
                INT64_MAX});
    return true;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct clock *clock = state;
    bool has_memory = clock->retimes || quipu__communication_add_batch(&clock->communication, batch);
    for (uint32_t i = 0; i < batch->count && clock->retimes && has_memory; i++)
        has_memory = take_in(clock, batch, i);
    if (!has_memory)
        return quipu__no_memory(err, clock->memory.used);
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

/* Clocks are moved together where one of them would begin before time 0. */
static void find_lift(struct clock *clock) {
    const bool corrects = clock->methods.by_offsets || clock->methods.by_lines;
    int64_t least = 0;
    for (uint32_t i = 0; corrects && i < clock->communication.stacks.count; i++) {
        const struct quipu__call_stack *stack = &clock->communication.stacks.items[i];
        const int64_t first = corrected_time(clock, i, stack->first);
        if (stack->has_events && first < least)
            least = first;
    }
    clock->lift = quipu__bounded_difference(0, least);
}

static void find_lines(struct clock *clock) {
    if (clock->methods.by_lines)
        quipu__clock_lines_find(&clock->lines, &clock->pairs, clock->offsets.items, clock->offsets.count,
                                clock->least);
}

/* Whether a message may be received too early after the offsets: else there is nothing to be seen in a second reading. */
static bool may_be_left(const struct clock *clock) {
    for (size_t i = 0; i < clock->pairs.list.count; i++) {
        const struct quipu__clock_pair *pair = &clock->pairs.list.items[i];
        const int64_t slack = quipu__bounded_difference(pair->least, offset_of(clock, pair->sender));
        if (quipu__bounded_sum(slack, offset_of(clock, pair->receiver)) < 0)
            return true;
    }
    return false;
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct clock *clock = state;
    (void)selection;
    if (clock->is_second)
        return false;
    quipu__communication_finish(&clock->communication);
    for (uint32_t i = 0; i < clock->communication.stacks.count; i++)
        if (clock->communication.stacks.items[i].has_events)
            catch_up(clock, i, 0);
    quipu__schedule_flush(&clock->schedule);
    clock->is_second = true;
    if (!find_offsets(clock) || (!clock->retimes && !may_be_left(clock)))
        return false;
    find_lines(clock);
    find_lift(clock);
    quipu__communication_release(&clock->communication);
    return init_communication(clock); /* the tables ask for memory */
}

static void release(void *state) {
    struct clock *clock = state;
    quipu__communication_release(&clock->communication);
    quipu__schedule_release(&clock->schedule);
    quipu__schedule_release(&clock->correction);
    if (clock->window > 0)
        quipu__clock_amortisation_release(&clock->amortisation);
    quipu__time_shifts_release(&clock->shifts);
    quipu__clock_pairs_release(&clock->pairs);
    quipu__clock_lines_release(&clock->lines);
    QUIPU__VEC_RELEASE(&clock->memory, &clock->offsets);
    QUIPU__VEC_RELEASE(&clock->memory, &clock->progress);
    quipu__unneeded_calls_release(&clock->computing);
    quipu__fold_state_release(clock, sizeof *clock);
}

/* None when events wait for each other in a circle. */
static const struct quipu__time_shifts *shifts(const void *state) {
    const struct clock *clock = state;
    return quipu__schedule_is_done(&clock->correction) ? &clock->shifts : NULL;
}

/* ---- The tables ---- */

/* clang-format off */
#define CLOCK_TABLES(TABLE, COLUMN, END) \
    TABLE(CLOCK, "clock", "whether clocks agree") \
    COLUMN(CLOCK, messages, U64, "", "matched messages between locations") \
    COLUMN(CLOCK, violations, U64, "", "those that are received too early") \
    COLUMN(CLOCK, worst_ns, I64, "ns", "the most that one is received too early") \
    COLUMN(CLOCK, collective_violations, U64, "", "ends of collective operations before those began that they wait for") \
    COLUMN(CLOCK, violations_after_offsets, U64, "", "violations that are left when clocks are moved by the offsets") \
    COLUMN(CLOCK, clc_largest_ns, I64, "ns", "how far a controlled logical clock moves an event at most; null when events depend on each other in a circle") \
    COLUMN(CLOCK, clc_changed_events, U64, "", "events that it moves") \
    COLUMN(CLOCK, clc_end_ns, TIME, "ns", "when the last event is then") \
    END(CLOCK) \
    TABLE(PAIRS, "clock_pairs", "a row per sender and receiver with violations") \
    QUIPU__NAMED(COLUMN, PAIRS, sender, "location that sends") \
    QUIPU__NAMED(COLUMN, PAIRS, receiver, "location that receives") \
    COLUMN(PAIRS, messages, U64, "", "messages from the one to the other") \
    COLUMN(PAIRS, violations, U64, "", "those that are received too early") \
    COLUMN(PAIRS, worst_ns, I64, "ns", "the most that one is received too early") \
    END(PAIRS) \
    TABLE(OFFSETS, "offsets", "a row per location that messages lead to in both directions") \
    QUIPU__NAMED(COLUMN, OFFSETS, location, "name of the process or thread") \
    COLUMN(OFFSETS, offset_ns, I64, "ns", "what is to be added to its clock") \
    COLUMN(OFFSETS, corridor_ns, I64, "ns", "how uncertain that is; null where messages contradict each other on the way there") \
    END(OFFSETS) \
    TABLE(LINES, "lines", "with --correct linear: how clocks drift") \
    QUIPU__NAMED(COLUMN, LINES, location, "name of the process or thread") \
    QUIPU__NAMED(COLUMN, LINES, parent, "location whose clock it is compared with") \
    COLUMN(LINES, drift, F64, "", "ns to be added to its clock for each ns of the parent's, or of right time from the first clock_sync event to the last; null: messages tell no line, and the constant is used") \
    COLUMN(LINES, begin_ns, TIME, "ns", "the parent's time of its first event, or the right one") \
    COLUMN(LINES, syncs, U64, "", "clock_sync events that say what is right; 0: messages do, and there is a parent") \
    END(LINES)
/* clang-format on */
QUIPU__TABLES(CLOCK_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(CLOCK_TABLES)};

enum { TABLES = sizeof tables / sizeof *tables };

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
    const bool is_done = quipu__schedule_is_done(&clock->schedule);
    quipu__table_put_u64(table, CLOCK_messages, totals.messages);
    quipu__table_put_u64(table, CLOCK_violations, totals.violations);
    quipu__table_put_i64(table, CLOCK_worst_ns, totals.worst);
    quipu__table_put_u64(table, CLOCK_collective_violations, clock->collective_violations);
    quipu__table_put_u64(table, CLOCK_violations_after_offsets, clock->left);
    quipu__table_put_i64_if(table, CLOCK_clc_largest_ns, is_done, totals.largest);
    quipu__table_put_u64_if(table, CLOCK_clc_changed_events, is_done, totals.moved);
    quipu__table_put_time_if(table, CLOCK_clc_end_ns, is_done, totals.end);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_pairs(const struct clock *clock, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; i < clock->pairs.list.count && status == QUIPU_OK; i++) {
        const struct quipu__clock_pair *pair = &clock->pairs.list.items[i];
        if (pair->violations == 0)
            continue;
        quipu__table_put_location(table, PAIRS_sender, clock->definitions, pair->sender);
        quipu__table_put_location(table, PAIRS_receiver, clock->definitions, pair->receiver);
        quipu__table_put_u64(table, PAIRS_messages, pair->messages);
        quipu__table_put_u64(table, PAIRS_violations, pair->violations);
        quipu__table_put_i64(table, PAIRS_worst_ns, pair->worst);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status put_offsets(const struct clock *clock, struct quipu_table *table,
                                     struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < clock->offsets.count && status == QUIPU_OK; i++) {
        const struct quipu__clock_offset *offset = &clock->offsets.items[i];
        if (!offset->is_known)
            continue;
        quipu__table_put_location(table, OFFSETS_location, clock->definitions, i);
        quipu__table_put_i64(table, OFFSETS_offset_ns, quipu__clock_offset_ns(offset));
        quipu__table_put_i64_if(table, OFFSETS_corridor_ns, !offset->is_contradicted, offset->corridor);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

static enum quipu_status put_line(const struct clock *clock, uint32_t location, struct quipu_table *table,
                                  struct quipu_error *err) {
    const struct quipu__clock_line *line = &clock->lines.list.items[location];
    const int64_t first = clock->communication.stacks.items[location].first;
    quipu__table_put_location(table, LINES_location, clock->definitions, location);
    quipu__table_put_location(table, LINES_parent, clock->definitions, line->parent);
    quipu__table_put_difference(table, LINES_drift, line->scale, line->divisor, line->is_line ? line->scale : 0,
                                12);
    quipu__table_put_time(table, LINES_begin_ns, quipu__clock_line_time(line, first));
    quipu__table_put_u64(table, LINES_syncs, 0);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_synchronised(const struct clock *clock, uint32_t location,
                                          const struct quipu__location_syncs *syncs, struct quipu_table *table,
                                          struct quipu_error *err) {
    const struct quipu__clock_sync *first = &syncs->list.items[0], *last = first + syncs->list.count - 1;
    const uint64_t right = (uint64_t)(last->corrected - first->corrected);
    const bool is_one = first == last;
    quipu__table_put_location(table, LINES_location, clock->definitions, location);
    quipu__table_put_null(table, LINES_parent);
    quipu__table_put_null(table, LINES_parent_id);
    quipu__table_put_difference(table, LINES_drift, right, (uint64_t)(last->time - first->time),
                                is_one ? 1 : right, 12);
    quipu__table_put_time(table, LINES_begin_ns,
                          quipu__clock_syncs_time(&clock->lines.syncs, location,
                                                  clock->communication.stacks.items[location].first));
    quipu__table_put_u64(table, LINES_syncs, syncs->list.count);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_lines(const struct clock *clock, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (uint32_t i = 0; i < clock->lines.list.count && status == QUIPU_OK; i++) {
        const struct quipu__location_syncs *syncs = quipu__clock_syncs_find(&clock->lines.syncs, i);
        if (i < clock->communication.stacks.count && syncs)
            status = put_synchronised(clock, i, syncs, table, err);
        else if (i < clock->communication.stacks.count && clock->lines.list.items[i].parent != QUIPU_NONE)
            status = put_line(clock, i, table, err);
    }
    return status;
}

static void note_constants(const struct clock *clock, struct quipu_tables *list) {
    if (clock->lines.constants > 0)
        quipu__tables_note_add(list, "no line fits the clocks of %" PRIu64 " locations, constants are used",
                               clock->lines.constants);
}

/* Where no constant offset will do: the first links by name. */
static void note_contradictions(const struct clock *clock, struct quipu_tables *list) {
    enum { NAMED_MOST = 3 };
    char names[2][32];
    uint64_t count = 0;
    for (uint32_t i = 0; i < clock->offsets.count; i++) {
        const struct quipu__clock_offset *offset = &clock->offsets.items[i];
        if (!offset->is_known || offset->own_corridor >= 0 || ++count > NAMED_MOST)
            continue;
        quipu__tables_note_add(
            list, "no constant offset fits %s and %s: their corridor is %" PRId64 " ns wide",
            quipu__printed_name(clock->definitions, QUIPU_REFERS_LOCATION, offset->parent, names[0]),
            quipu__printed_name(clock->definitions, QUIPU_REFERS_LOCATION, i, names[1]), offset->own_corridor);
    }
    if (count > NAMED_MOST)
        quipu__tables_note_add(list, "nor do constants fit %" PRIu64 " other pairs of clocks",
                               count - NAMED_MOST);
}

static enum quipu_status finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    static enum quipu_status (*const put[TABLES])(const struct clock *, struct quipu_table *,
                                                  struct quipu_error *) = {
        [CLOCK] = put_clock, [PAIRS] = put_pairs, [OFFSETS] = put_offsets, [LINES] = put_lines};
    struct clock *clock = state;
    struct quipu_table *made[TABLES] = {NULL};
    quipu__communication_finish(&clock->communication);
    if (clock->window > 0)
        quipu__amortisation_finish(&clock->amortisation.found);
    const size_t count = clock->methods.by_lines ? TABLES : LINES;
    enum quipu_status status = quipu__matched_tables_new(&clock->communication, tables, count, list, made, err);
    note_constants(clock, list);
    note_contradictions(clock, list);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put[i](clock, made[i], err);
    return status;
}

static const struct quipu_option options[] = {
    {.name = "l-min",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "NS",
     .default_value = "0",
     .doc = "the least time in ns that a message takes"},
    {.name = "correct",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "LIST",
     .doc = "how the trace of -o is corrected: offset, a constant for each location, or linear, a line for "
            "each; clc, the "
            "logical clock; or one and clc, such as linear,clc"},
    {.name = "gamma",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "FACTOR",
     .default_value = "1",
     .doc = "how much of a distance between events clc keeps at a location that it has moved"},
    {.name = "amortise",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "NS",
     .default_value = "0",
     .doc = "how long before a jump of clc, in ns, events begin to move too, so that it is spread over them"},
};

const struct quipu__fold quipu__clock_fold = {
    .info = {.name = "clock",
             .doc = "show whether the clocks of a trace agree",
             .details =
                 "Looks for messages that are received before they are sent, and for collective "
                 "operations that end before "
                 "those have begun that they wait for. The table \"offsets\" says by how much clocks "
                 "differ, as far as the "
                 "shortest messages in both directions tell: offset_ns is to be added to the clock of "
                 "the location, "
                 "corridor_ns is how uncertain that is; it is null where messages contradict each other, so "
                 "that no "
                 "constant will do. The controlled logical clock (clc) moves events "
                 "to later times "
                 "until nothing is too early, and keeps the distances of the others. Clocks that run at "
                 "different speeds are corrected "
                 "by lines: the one that is farthest from what messages in both directions allow; "
                 "where clock_sync events say what is to be added to a clock, they are used instead. With "
                 "--amortise NS a jump of the logical clock is spread over the events of the NS before it, the "
                 "more the closer "
                 "they are, as far "
                 "as no message is then received before it is sent.\n\n"
                 "With --correct -o writes the trace with right clocks, in the format of --to or of the name, "
                 "else in its own; the answer is printed.",
             .examples = "quipu clock run.trace # can times be compared?\n"
                         "quipu clock run.trace --l-min 500 # no message takes less than 500 ns\n"
                         "quipu clock run.trace --correct clc -o right.trace # write a trace with right clocks",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = tables,
             .table_count = TABLES,
             .empty_answer = "the trace has no events",
             .needs_everything = true,
             .gives_times = true,
             .gives_times_with = "correct"},
    .kinds = QUIPU_ALL_KINDS,
    .order = QUIPU_ORDER_WINDOWS,
    .select = select_order,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
    .shifts = shifts,
};
