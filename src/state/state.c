/* state.c: the tracker of quipu/state.h. */
#include "core/error.h"
#include "state/events.h"

#include <quipu/state.h>

struct quipu_tracker {
    struct quipu__memory memory;
    struct quipu__tracker tracker;
    bool is_merged;
};

enum quipu_status quipu_tracker_new(const struct quipu_definitions *definitions,
                                    const struct quipu_tracker_options *options, struct quipu_tracker **out,
                                    struct quipu_error *err) {
    static const struct quipu_tracker_options defaults = QUIPU_TRACKER_OPTIONS_INIT;
    const struct quipu_tracker_options *given = options ? options : &defaults;
    struct quipu__tracker_options all = quipu__event_tracker_options(definitions, QUIPU__INTERVAL_ALL);
    struct quipu__memory memory;
    quipu__memory_of(&memory, given->allocator, given->memory_limit);
    struct quipu_tracker *tracker = *out = quipu__alloc_zero(&memory, sizeof *tracker);
    if (!tracker)
        return quipu__no_memory(err, sizeof *tracker);
    all.has_messages = true;
    tracker->memory = memory;
    tracker->is_merged = given->is_merged;
    quipu__tracker_init(&tracker->tracker, &tracker->memory, &all);
    return QUIPU_OK;
}

void quipu_tracker_free(struct quipu_tracker *tracker) {
    if (!tracker)
        return;
    quipu__tracker_release(&tracker->tracker);
    struct quipu__memory memory = tracker->memory;
    quipu__release(&memory, tracker, sizeof *tracker);
}

enum quipu_status quipu_tracker_add(struct quipu_tracker *tracker, const struct quipu_batch *batch,
                                    struct quipu_error *err) {
    const uint32_t stream = tracker->is_merged ? 0 : batch->stream;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__tracker_add_event(&tracker->tracker, batch, i, stream))
            return quipu__no_memory(err, tracker->memory.used);
    return QUIPU_OK;
}

enum quipu_status quipu_tracker_reconcile(struct quipu_tracker *tracker, struct quipu_error *err) {
    return quipu__tracker_reconcile(&tracker->tracker) ? QUIPU_OK : quipu__no_memory(err, tracker->memory.used);
}

/* ---- Asking ---- */

static void fill(const struct quipu__tracker *tracker, const struct quipu__interval *interval,
                 struct quipu_active_interval *out) {
    const struct quipu__location_state *state = &tracker->states.items[interval->state];
    const struct quipu__event_columns *columns = quipu__interval_columns(tracker, interval);
    out->interval_class = quipu__interval_rows[interval->list].name;
    out->begin = (struct quipu_event){.time = interval->time,
                                      .kind = (uint8_t)interval->kind,
                                      .location = state->location,
                                      .stream = state->stream,
                                      .byte_offset = QUIPU_UNKNOWN};
#define QUIPU_COLUMN(name, c_type, doc) out->begin.name = columns->name;
#include <quipu/columns.def>
#undef QUIPU_COLUMN
}

/* The position has the number of the last interval given plus 1, 0 before the first of a class. */
bool quipu_tracker_next(const struct quipu_tracker *tracker, struct quipu_tracker_position *position,
                        struct quipu_active_interval *out) {
    const struct quipu__tracker *all = &tracker->tracker;
    while (position->state < all->states.count) {
        const struct quipu__interval_list *list =
            &all->states.items[position->state].lists[position->interval_class];
        const uint32_t number =
            position->number == 0 ? list->oldest : quipu__interval_at(all, position->number - 1)->newer;
        position->number = number + 1; /* 0 after the last one */
        if (number != QUIPU_NONE) {
            fill(all, quipu__interval_at(all, number), out);
            return true;
        }
        if (++position->interval_class == QUIPU__INTERVAL_CLASSES) {
            position->interval_class = 0;
            position->state++;
        }
    }
    return false;
}

bool quipu_tracker_next_messages(const struct quipu_tracker *tracker, size_t *position,
                                 struct quipu_messages_in_flight *out) {
    const struct quipu__matcher *matcher = &tracker->tracker.matcher;
    while (*position < matcher->keys.count) {
        const size_t number = (*position)++;
        const struct quipu__message_key *key = &matcher->keys.items[number].key;
        const struct quipu__in_flight in_flight = quipu__matcher_at(matcher, number);
        if (in_flight.messages == 0)
            continue;
        *out = (struct quipu_messages_in_flight){
            key->sender,     key->receiver,       key->communicator, key->tag,      in_flight.messages,
            in_flight.bytes, in_flight.has_first, in_flight.first,   in_flight.last};
        return true;
    }
    return false;
}
