/* why.c: where the time of all locations went that is not useful: an account of what is lost, by its causes in the efficiency and by what locations
 * did instead. Both add up to the same, to the nanosecond; the findings are what they did, the largest first, as far as clocks let it be told.
 *
 * The run time on an ideal network comes from efficiency, waits and their causes from waits: in one reading, behind another one of efficiency that looks
 * for the region of interest, the communication of waits tells both what happens. */
#include "analysis/why/why.h"

#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/os.h"

#include <string.h>

static void add_match(void *context, const struct quipu__message_end *send,
                      const struct quipu__message_end *receive) {
    struct quipu__why *why = context;
    if (send->location != receive->location)
        quipu__clock_pairs_add(&why->clocks, send->location, receive->location,
                               quipu__bounded_difference(receive->time, send->time));
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__why *why = context;
    if (quipu__wait_patterns[wait->pattern].synchronises)
        return;
    struct quipu__other_wait *other = QUIPU__VEC_ADD(&why->memory, &why->others);
    if (other)
        *other = (struct quipu__other_wait){wait->from, wait->to, wait->location, wait->path,
                                            wait->pattern == QUIPU__WAIT_IO ? QUIPU__WHY_OF_IO_WAIT
                                                                            : QUIPU__WHY_OF_COMPLETION};
}

/* ---- Waiting for processors ---- */

static uint32_t delay_metric(const struct quipu_definitions *definitions) {
    uint32_t metric = 0;
    while (metric < definitions->metrics.count &&
           strcmp(definitions->metrics.items[metric].name, QUIPU__RUN_DELAY) != 0)
        metric++;
    return metric < definitions->metrics.count ? metric : QUIPU_NONE;
}

static struct quipu__run_delay *delay_of(struct quipu__why *why, uint32_t location) {
    const size_t known = why->delays.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(&why->memory, &why->delays, location + 1 - known))
            return NULL;
        why->delays.count = (size_t)location + 1;
    }
    return &why->delays.items[location];
}

/* A value is given soon after a location has got its processor back: so what it is more than the one before was lost in the call that the location
 * is in, or, if that has just begun, outside of calls. */
static void add_delay(struct quipu__why *why, struct quipu__run_delay *delay, int64_t value, int64_t time) {
    const int64_t more = quipu__bounded_difference(value, delay->value);
    const int64_t inside = quipu__why_overlap(delay->time, time, why->efficiency->begin, why->efficiency->end);
    if (delay->is_known && more > 0 && inside > 0) {
        const int64_t lost = more < inside ? more : inside;
        const bool is_in_call = delay->is_in_call && delay->enter < time;
        int64_t *total = is_in_call ? &why->off_processor : &why->off_processor_outside;
        *total = quipu__bounded_sum(*total, lost);
        why->off_processor_calls += is_in_call;
    }
    why->has_delays |= delay->is_known;
    delay->value = value;
    delay->time = time;
    delay->is_known = true;
}

static void add_delays(struct quipu__why *why, const struct quipu_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint8_t kind = batch->kind[i];
        const bool is_value = kind == QUIPU_KIND_metric && batch->object[i] == why->delay_metric;
        if ((!is_value && kind != QUIPU_KIND_enter && kind != QUIPU_KIND_leave) ||
            !quipu__reports(&why->reported, batch->location[i]))
            continue;
        struct quipu__run_delay *delay = delay_of(why, batch->location[i]);
        const int64_t time = quipu__communication_ns(&why->waits->states.communication, batch->time[i]);
        if (delay && is_value)
            add_delay(why, delay, (int64_t)batch->value[i], time);
        else if (delay)
            *delay = (struct quipu__run_delay){delay->value, delay->time, time, delay->is_known,
                                               kind == QUIPU_KIND_enter};
    }
}

/* ---- Time of processors ---- */

/* Formats that record it give it with the beginning of a call. */
static bool find_cpu_keys(const struct quipu_definitions *definitions, uint32_t keys[2]) {
    static const char *const names[] = {"cpu_start", "cpu_stop"};
    keys[0] = keys[1] = QUIPU_NONE;
    for (uint32_t i = 0; i < definitions->attribute_keys.count; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(definitions->attribute_keys.items[i].name, names[k]) == 0)
                keys[k] = i;
    return keys[0] != QUIPU_NONE && keys[1] != QUIPU_NONE;
}

static struct quipu__cpu_call *cpu_call_of(struct quipu__why *why, uint32_t location) {
    const size_t known = why->cpu_calls.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(&why->memory, &why->cpu_calls, location + 1 - known))
            return NULL;
        why->cpu_calls.count = (size_t)location + 1;
    }
    return &why->cpu_calls.items[location];
}

/* Moves on to the attributes of an event, and behind them. */
static struct quipu__cpu_call begin_cpu_call(const struct quipu__why *why, const struct quipu_batch *batch,
                                             uint32_t event, uint32_t *attribute, int64_t time) {
    int64_t times[2] = {0, 0};
    int found = 0;
    for (; *attribute < batch->attribute_count && batch->attributes[*attribute].event <= event; ++*attribute)
        for (int k = 0; k < 2; k++) {
            const struct quipu_attribute *it = &batch->attributes[*attribute];
            if (it->event != event || it->value.key != why->cpu_keys[k])
                continue;
            times[k] = it->value.i;
            found++;
        }
    return (struct quipu__cpu_call){time, quipu__bounded_difference(times[1], times[0]), found == 2};
}

static void end_cpu_call(struct quipu__why *why, struct quipu__cpu_call *call, int64_t time) {
    const int64_t length = quipu__bounded_difference(time, call->enter);
    const int64_t inside = quipu__why_overlap(call->enter, time, why->efficiency->begin, why->efficiency->end);
    const int64_t off = quipu__bounded_difference(length, call->busy);
    why->has_cpu_times |= call->is_known;
    const bool counts = call->is_known && call->busy >= 0 && call->busy < length / 2 && inside > 0;
    call->is_known = false;
    if (!counts)
        return;
    why->off_processor = quipu__bounded_sum(why->off_processor, off < inside ? off : inside);
    why->off_processor_calls++;
}

static void add_cpu_times(struct quipu__why *why, const struct quipu_batch *batch) {
    uint32_t attribute = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const bool is_enter = batch->kind[i] == QUIPU_KIND_enter;
        if ((!is_enter && batch->kind[i] != QUIPU_KIND_leave) ||
            !quipu__reports(&why->reported, batch->location[i]))
            continue;
        struct quipu__cpu_call *call = cpu_call_of(why, batch->location[i]);
        const int64_t time = quipu__communication_ns(&why->waits->states.communication, batch->time[i]);
        if (call && is_enter)
            *call = begin_cpu_call(why, batch, i, &attribute, time);
        else if (call)
            end_cpu_call(why, call, time);
    }
}

/* ==== Who is told what happens ==== */

/* Of time outside of communication calls efficiency, of all time waits. */
static void tell_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    const struct quipu__why *why = context;
    const struct quipu__call_stack *stack = quipu__why_stack(why, location);
    if (stack->calls[stack->depth].outermost == 0)
        why->replaying.step(why->replaying.context, location, path, from, to);
    why->waiting.step(why->waiting.context, location, path, from, to);
}

static uint32_t tell_end(void *context, struct quipu__message_end *end) {
    const struct quipu__why *why = context;
    (void)why->waiting.end(why->waiting.context, end);
    return why->replaying.end(why->replaying.context, end);
}

#define TELL_BOTH(what, type_of_item)                                                                          \
    static void tell_##what(void *context, const struct type_of_item *item) {                                  \
        const struct quipu__why *why = context;                                                                \
        why->replaying.what(why->replaying.context, item);                                                     \
        why->waiting.what(why->waiting.context, item);                                                         \
    }
#define TELL_BOTH_OF_PAIR(what)                                                                                \
    static void tell_##what(void *context, const struct quipu__message_end *send,                              \
                            const struct quipu__message_end *receive) {                                        \
        const struct quipu__why *why = context;                                                                \
        why->replaying.what(why->replaying.context, send, receive);                                            \
        why->waiting.what(why->waiting.context, send, receive);                                                \
    }
TELL_BOTH(unmatched, quipu__message_end)
TELL_BOTH(call_known, quipu__communication_call)
TELL_BOTH(collective, quipu__collective)
TELL_BOTH_OF_PAIR(matched)
TELL_BOTH_OF_PAIR(completed)
TELL_BOTH_OF_PAIR(probed)

static void tell_left(void *context, struct quipu__communication_call *call) {
    const struct quipu__why *why = context;
    why->waiting.call_left(why->waiting.context, call);
}

/* What only efficiency wants to know; what it returns are the marks. */
static void tell_outermost_enter(void *context, uint32_t location, uint32_t path, int64_t time) {
    const struct quipu__why *why = context;
    why->replaying.outermost_enter(why->replaying.context, location, path, time);
}

static void tell_outermost_leave(void *context, uint32_t location, uint32_t path, int64_t time) {
    const struct quipu__why *why = context;
    why->replaying.outermost_leave(why->replaying.context, location, path, time);
}

static uint32_t tell_used(void *context, const struct quipu__communication_call *call) {
    const struct quipu__why *why = context;
    return why->replaying.call_used(why->replaying.context, call);
}

static void tell_forgotten(void *context, const struct quipu__communication_call *call) {
    const struct quipu__why *why = context;
    why->replaying.call_forgotten(why->replaying.context, call);
}

static uint32_t tell_send_completes(void *context, const struct quipu__message_end *send, int64_t time) {
    const struct quipu__why *why = context;
    return why->replaying.send_completes(why->replaying.context, send, time);
}

static void tell_send_unmatched(void *context, const struct quipu__message_end *send) {
    const struct quipu__why *why = context;
    why->replaying.send_unmatched(why->replaying.context, send);
}

static uint32_t tell_begin(void *context, const struct quipu__collective *collective, uint32_t side) {
    const struct quipu__why *why = context;
    return why->replaying.collective_begins(why->replaying.context, collective, side);
}

static uint32_t tell_collective_end(void *context, const struct quipu__collective *collective, uint32_t side) {
    const struct quipu__why *why = context;
    return why->replaying.collective_ends(why->replaying.context, collective, side);
}

static const struct quipu__communication_listener tells_both = {
    .step = tell_step,
    .outermost_enter = tell_outermost_enter,
    .outermost_leave = tell_outermost_leave,
    .end = tell_end,
    .matched = tell_matched,
    .completed = tell_completed,
    .probed = tell_probed,
    .unmatched = tell_unmatched,
    .call_used = tell_used,
    .call_forgotten = tell_forgotten,
    .call_left = tell_left,
    .call_known = tell_call_known,
    .send_completes = tell_send_completes,
    .send_unmatched = tell_send_unmatched,
    .collective_begins = tell_begin,
    .collective_ends = tell_collective_end,
    .collective = tell_collective,
    .has_finalize = true,
};

/* From the reading on that both need. */
static void tell_both(struct quipu__why *why) {
    struct quipu__communication *communication = &why->waits->states.communication;
    why->replaying = why->efficiency->communication->listener;
    why->waiting = communication->listener;
    communication->listener = tells_both;
    communication->listener.context = why;
    why->efficiency->communication = communication;
}

/* Whether efficiency reads by itself: to look for the region of interest, or once more. */
static bool reads_alone(const struct quipu__why *why) {
    return why->efficiency->communication == &why->efficiency->own;
}

/* ==== The fold ==== */

static enum quipu_status begin_both(struct quipu__why *why, const struct quipu__fold_start *start,
                                    struct quipu_error *err) {
    const struct quipu__network network = {.model = &quipu__ideal_network};
    const struct quipu__fold *waits = quipu__fold_find("waits");
    void *fold_state = NULL;
    enum quipu_status status = quipu__network_replay_begin(start, &network, &why->efficiency, err);
    why->waits_settings[0] = (struct quipu_setting){"causes", "yes"};
    why->waits_settings[1] =
        (struct quipu_setting){"eager-limit", quipu__settings_value(&start->settings, "eager-limit")};
    why->waits_start = *start;
    why->waits_start.reported = NULL; /* each wait may be the cause of others */
    if (status == QUIPU_OK)
        status = quipu__fold_settings(waits, why->waits_settings, 2, &why->waits_start.settings, err);
    if (status != QUIPU_OK)
        return status;
    status = waits->begin(&why->waits_start, &fold_state, err);
    why->waits = fold_state;
    if (status == QUIPU_OK)
        why->waits->listener = &why->listener;
    if (status == QUIPU_OK && !why->efficiency->looks_for_region)
        tell_both(why);
    return status;
}

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__why *why = quipu__fold_state(start, sizeof *why, state);
    if (!why)
        return quipu__no_memory(err, sizeof *why);
    why->definitions = start->definitions;
    why->reported = quipu__reported_of(start);
    why->listener = (struct quipu__waits_listener){why, add_match, add_wait};
    quipu__clock_pairs_init(&why->clocks, &why->memory);
    find_cpu_keys(why->definitions, why->cpu_keys);
    why->delay_metric = delay_metric(why->definitions);
    return begin_both(why, start, err);
}

/* Times of processors and call sites are attributes. */
static bool needs_attributes(const struct quipu_definitions *definitions) {
    uint32_t keys[2];
    return find_cpu_keys(definitions, keys) || definitions->has_call_sites;
}

/* They are not read while only the region of interest is looked for. */
static void select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection) {
    const bool has_times = quipu__settings_value(settings, "since") ||
                           quipu__settings_value(settings, "until") || quipu__settings_value(settings, "roi");
    selection->without_attributes =
        !needs_attributes(definitions) || quipu__network_replay_reads_twice(has_times, definitions);
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct quipu__why *why = state;
    return why->efficiency->looks_for_region ? quipu__network_replay_unneeded(why->efficiency) : NULL;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__why *why = state;
    if (reads_alone(why))
        return quipu__network_replay_consume(why->efficiency, batch, err);
    if (why->delay_metric != QUIPU_NONE)
        add_delays(why, batch);
    else if (why->cpu_keys[0] != QUIPU_NONE && why->cpu_keys[1] != QUIPU_NONE)
        add_cpu_times(why, batch);
    enum quipu_status status = quipu__fold_find("waits")->consume(why->waits, batch, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&why->efficiency->memory, err);
    return status == QUIPU_OK ? quipu__memory_status(&why->memory, err) : status;
}

static bool next_pass(void *state, struct quipu_selection *selection) {
    struct quipu__why *why = state;
    const bool was_first = why->efficiency->looks_for_region;
    const bool goes_on = quipu__network_replay_next_pass(why->efficiency, selection);
    selection->without_attributes = !was_first || !needs_attributes(why->definitions);
    if (goes_on && was_first)
        tell_both(why);
    return goes_on;
}

static void release(void *state) {
    struct quipu__why *why = state;
    const size_t bytes = why->paths.uses.count * (QUIPU__WHY_TIMES * sizeof *why->times);
    if (why->efficiency)
        quipu__network_replay_release(why->efficiency);
    if (why->waits)
        quipu__fold_find("waits")->release(why->waits);
    quipu__clock_pairs_release(&why->clocks);
    if (why->times)
        quipu__release(&why->memory, why->times, bytes);
    QUIPU__VEC_RELEASE(&why->memory, &why->offsets);
    QUIPU__VEC_RELEASE(&why->memory, &why->others);
    QUIPU__VEC_RELEASE(&why->memory, &why->cpu_calls);
    QUIPU__VEC_RELEASE(&why->memory, &why->delays);
    QUIPU__VEC_RELEASE(&why->memory, &why->useful);
    QUIPU__VEC_RELEASE(&why->memory, &why->spent);
    QUIPU__VEC_RELEASE(&why->memory, &why->findings);
    QUIPU__VEC_RELEASE(&why->memory, &why->paths.uses);
    QUIPU__VEC_RELEASE(&why->memory, &why->names);
    QUIPU__VEC_RELEASE(&why->memory, &why->touched);
    quipu__fold_state_release(why, sizeof *why);
}

/* What the replay needs is free for the causes of waits then. */
static enum quipu_status finish_efficiency(struct quipu__why *why, struct quipu_error *err) {
    struct quipu__network_replay *efficiency = why->efficiency;
    quipu__communication_finish(efficiency->communication);
    quipu__wait_states_finish(&why->waits->states);
    why->totals = quipu__network_replay_totals(efficiency);
    why->begin = efficiency->begin;
    why->end = efficiency->end;
    const enum quipu_status status = quipu__memory_status(&efficiency->memory, err);
    quipu__network_replay_release(efficiency);
    why->efficiency = NULL;
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__why *why = state;
    enum quipu_status status = finish_efficiency(why, err);
    if (status == QUIPU_OK && !quipu__why_find(why))
        status = quipu__no_memory(err, why->waits->memory.used);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&why->memory, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&why->waits->memory, err);
    return status == QUIPU_OK ? quipu__why_put(why, tables, err) : status;
}

static const struct quipu_option options[] = {
    QUIPU__REPORTED_OPTIONS,
    QUIPU__EAGER_LIMIT_OPTION,
};

const struct quipu__fold quipu__why_fold = {
    .info =
        {.name = "why",
         .doc = "say what a program loses time to",
         .details =
             "Says how much of the time of all locations is not useful, what it is lost to, and what the "
             "locations did in "
             "it. First in sentences; then as tables, which JSON and CSV have in full. Both add up to all "
             "that is lost.\n\n"
             "The table \"account\" divides it as quipu efficiency does: imbalance, uneven work; "
             "serialisation, waiting for "
             "each other even on a network that takes no time; transfer, the network. \"spent\" says what "
             "locations did: "
             "waiting, by the location and call that make others wait, as quipu waits --causes finds them; "
             "completion and "
             "io-wait, waiting for no other location; unexplained, time in calls of MPI that no pattern "
             "explains; io, "
             "runtime, sync and idle, in regions of that use; not there, before the first event of a "
             "location or after its last one.\n\n"
             "\"findings\" are these rows, the largest first; those that are no location's fault are summed up "
             "over locations. "
             "Times of locations with clocks of their own are compared only as far as messages tell: what "
             "is no longer than "
             "what they leave open names none and is one finding, \"uncertain\". Clocks of one host are "
             "taken as one. "
             "Processes that were ready to run and had no processor, as far as the trace says (quipu record "
             "asks the system), are "
             "named before all that where no finding explains more; else behind the findings.\n\n"
             "The time between MPI_Init and MPI_Finalize counts, where all processes have both and neither "
             "--since, --until nor "
             "--roi says another one. With --location, --processes and --where it is the time of these "
             "locations "
             "only that is accounted for, whoever made them wait.",
         .examples = "quipu why run.trace # where to begin\n"
                     "quipu why run.trace --roi solve # while solving\n"
                     "quipu why run.trace --json | jq '.tables[1].rows[0]' # the largest finding",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = quipu__why_tables,
         .table_count = QUIPU__WHY_TABLES,
         .empty_answer = "the trace has no events",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .needs_attributes = true,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .select = select,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .next_pass = next_pass,
    .finish = finish,
    .release = release,
};
