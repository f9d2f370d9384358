/* from_model.c: events of any format as an ovni trace. Every location with events is a thread, which runs on the virtual CPU unless the
 * trace says otherwise. Regions and channels that are ovni's own become its events again; other regions become marks of one type, a stack,
 * whose values have the names of the regions; other channels become marks with separate types. Events that have no counterpart in ovni are
 * written as model_events.h says. */
#include "formats/ovni/from_model.h"

#include "core/error.h"
#include "model/event.h"
#include "state/tracker.h"

#include <stdio.h>
#include <string.h>

/* The columns of all fields of a kind. */
enum {
#define QUIPU_KIND(name, family, doc) COLUMNS_OF_##name = 0
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc) | QUIPU__COLUMN(column)
#define QUIPU_KIND_END(name) ,
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

#define KIND(name, columns)                                                                                    \
    { QUIPU_KIND_##name, columns }
#define MODEL_EVENT(character, name) KIND(name, COLUMNS_OF_##name),
static const struct quipu__kind_capability kinds[] = {
    KIND(enter, QUIPU__COLUMN(object)),
    KIND(leave, QUIPU__COLUMN(object)),
    KIND(state_set, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)),
    KIND(state_push, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)),
    KIND(state_pop, QUIPU__COLUMN(object) | QUIPU__COLUMN(value)),
    KIND(location_begin, 0),
    KIND(location_end, 0),
    KIND(affinity, QUIPU__COLUMN(peer)),
#include "formats/ovni/model_events.def"
};
#undef KIND
const struct quipu__capabilities quipu__ovni_capabilities = {
    .kinds = kinds,
    .kind_count = sizeof kinds / sizeof *kinds,
    .definitions = QUIPU__DEFINES(locations) | QUIPU__DEFINES(regions) | QUIPU__DEFINES(groups) |
                   QUIPU__DEFINES(files) | QUIPU__DEFINES(metrics) | QUIPU__DEFINES(channels) |
                   QUIPU__DEFINES_FIELD(locations, name) | QUIPU__DEFINES_FIELD(regions, group) |
                   QUIPU__DEFINES_FIELD(groups, name) | QUIPU__DEFINES_FIELD(files, group) |
                   QUIPU__DEFINES_FIELD(metrics, group) | QUIPU__DEFINES_FIELD(metrics, unit)};

/* ---- Events ---- */

/* Streams begin within an hour of each other, so a thread whose first event is later begins to run before it. */
static uint64_t begin_clock(struct quipu__ovni_written_thread *thread, uint64_t clock) {
    const struct quipu__ovni_event_writer *events = thread->writer->events;
    thread->has_events = true;
    const bool is_late =
        clock > events->first_clock && clock - events->first_clock > (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST;
    return is_late ? events->first_clock + (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST : clock;
}

static enum quipu_status put(void *context, const char *code, uint64_t clock, const uint8_t *payload,
                             uint32_t len, struct quipu_error *err) {
    struct quipu__ovni_written_thread *thread = context;
    if (!thread->has_events)
        clock = begin_clock(thread, clock);
    thread->writer->events->uses[quipu__ovni_model_of((uint8_t)code[0])] = true;
    if (!quipu__ovni_closing_note(&thread->closing, code, clock, payload, len))
        return quipu__no_memory(err, 0);
    const bool is_jumbo = len > QUIPU__OVNI_PAYLOAD_MOST;
    const uint8_t size_code = (uint8_t)(len ? len - 1 : 0);
    return quipu__ovni_put_event(thread->writer, &thread->out, is_jumbo ? QUIPU__OVNI_JUMBO_CODE : size_code,
                                 code, clock, payload, len, err);
}

/* When something ends at the end of a part, its thread may be paused or out of its CPU. */
static enum quipu_status put_end(struct quipu__ovni_written_thread *thread, enum quipu_kind kind,
                                 const char *code, uint64_t clock, const uint8_t *payload, uint32_t len,
                                 struct quipu_error *err) {
    uint64_t count;
    const enum quipu_status status =
        quipu__ovni_prepare_event(&thread->closing, code, clock, put, thread, &count, err);
    thread->writer->output->approximated[kind] += count > 0;
    return status == QUIPU_OK ? put(thread, code, clock, payload, len, err) : status;
}

static void store(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Changes of a channel in ovni: effects on it, and the events of a mark. */
static const struct channel_change {
    uint8_t effect, paired_effect;
    char mark[4];
} channel_changes[] = {
    [QUIPU_KIND_state_push] = {QUIPU__OVNI_PUSH, QUIPU__OVNI_SWITCH_OUT, "OM["},
    [QUIPU_KIND_state_pop] = {QUIPU__OVNI_POP, QUIPU__OVNI_SWITCH_IN, "OM]"},
    [QUIPU_KIND_state_set] = {QUIPU__OVNI_SET, QUIPU__OVNI_FLUSH_END, "OM="},
};

/* change: what happens to the mark; kind: the event that says so. */
static enum quipu_status put_mark(struct quipu__ovni_written_thread *thread, enum quipu_kind change,
                                  enum quipu_kind kind, uint64_t clock, int64_t value, uint8_t type,
                                  struct quipu_error *err) {
    const char *code = channel_changes[change].mark;
    uint8_t payload[12];
    store(payload, (uint64_t)value, 8);
    store(payload + 8, type, 4);
    return change == QUIPU_KIND_state_pop ? put_end(thread, kind, code, clock, payload, sizeof payload, err)
                                          : put(thread, code, clock, payload, sizeof payload, err);
}

/* The thread begins to run with its first event. */
static enum quipu_status begin(struct quipu__ovni_written_thread *thread, uint64_t clock, int32_t cpu,
                               struct quipu_error *err) {
    uint8_t payload[16] = {0};
    if (thread->has_started && thread->closing.state != QUIPU__OVNI_THREAD_DEAD)
        return QUIPU_OK;
    thread->has_started = true;
    store(payload, (uint32_t)cpu, 4);
    store(payload + 4, UINT32_MAX, 4); /* no creator */
    return put(thread, "OHx", clock, payload, sizeof payload, err);
}

/* ---- Threads ---- */

static enum quipu_status open_thread(struct quipu__ovni_event_writer *events, uint32_t location,
                                     struct quipu__ovni_written_thread **out, struct quipu_error *err) {
    struct quipu__ovni_written_thread *thread = quipu__arena_alloc(&events->writer->arena, sizeof *thread);
    if (!thread)
        return quipu__no_memory(err, sizeof *thread);
    *thread = (struct quipu__ovni_written_thread){.writer = events->writer, .location = location};
    thread->values[QUIPU__OVNI_CHANNEL_nosv_idle] = QUIPU__OVNI_PROGRESSING;
    thread->values[QUIPU__OVNI_CHANNEL_nanos6_idle] = QUIPU__OVNI_PROGRESSING;
    quipu__ovni_closing_init(&thread->closing, events->writer->memory, &events->dictionary);
    if (!quipu__ovni_assign_thread(events, thread))
        return quipu__no_memory(err, 0);
    char relative[600];
    snprintf(relative, sizeof relative, "%s/" QUIPU__OVNI_STREAM_FILE, thread->folder);
    events->threads.items[location] = thread;
    *out = thread;
    return quipu__ovni_begin_out(events->writer, relative, true, false, &thread->out, err);
}

static enum quipu_status find_thread(struct quipu__ovni_event_writer *events, uint32_t location,
                                     struct quipu__ovni_written_thread **out, struct quipu_error *err) {
    if (!QUIPU__OVNI_HAS_ROOM(events, threads, location))
        return quipu__no_memory(err, location);
    *out = events->threads.items[location];
    return *out ? QUIPU_OK : open_thread(events, location, out, err);
}

/* ---- Regions ---- */

/* Names of MPI functions mean the same in all formats; other names only if they come from the same channel. */
static bool may_be(const struct quipu_region *region, const struct quipu__ovni_event_row *row) {
    return row->channel == QUIPU__OVNI_CHANNEL_mpi_function ||
           strcmp(quipu__ovni_channels[row->channel].title, region->group) == 0;
}

/* The event of ovni that enters a region; NULL: it becomes a mark, which has no label where the region is not known. */
static const struct quipu__ovni_event_row *row_of(struct quipu__ovni_event_writer *events, uint32_t region) {
    if (region >= events->definitions->regions.count || !QUIPU__OVNI_HAS_ROOM(events, region_rows, region))
        return NULL;
    uint32_t *known = &events->region_rows.items[region];
    const struct quipu_region *definition = &events->definitions->regions.items[region];
    for (uint32_t i = 0; *known == 0 && i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        if (row->effect != QUIPU__OVNI_PUSH || !may_be(definition, row))
            continue;
        const char *text = quipu__ovni_value_text(row->channel, row->value);
        if (text && strcmp(text, definition->name) == 0)
            *known = i + 1;
    }
    if (*known == 0)
        *known = QUIPU_NONE;
    return *known == QUIPU_NONE ? NULL : &quipu__ovni_events[*known - 1];
}

static const char *pop_code(const struct quipu__ovni_event_row *push) {
    for (size_t i = 0; i < quipu__ovni_event_count; i++)
        if (quipu__ovni_events[i].effect == QUIPU__OVNI_POP && quipu__ovni_events[i].channel == push->channel &&
            quipu__ovni_events[i].value == push->value)
            return quipu__ovni_events[i].code;
    return push->code;
}

static enum quipu_status put_region(struct quipu__ovni_written_thread *thread, uint32_t region, bool enters,
                                    uint64_t clock, struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu__ovni_event_row *row = row_of(events, region);
    if (row)
        return enters ? put(thread, row->code, clock, NULL, 0, err)
                      : put_end(thread, QUIPU_KIND_leave, pop_code(row), clock, NULL, 0, err);
    if (region < events->definitions->regions.count) {
        if (!QUIPU__OVNI_HAS_ROOM(events, is_region_used, region))
            return quipu__no_memory(err, region);
        events->is_region_used.items[region] = true;
        events->has_roles |= events->definitions->regions.items[region].role != QUIPU_REGION_FUNCTION;
    }
    return put_mark(thread, enters ? QUIPU_KIND_state_push : QUIPU_KIND_state_pop,
                    enters ? QUIPU_KIND_enter : QUIPU_KIND_leave, clock, (int64_t)region + 1,
                    QUIPU__OVNI_REGION_MARK, err);
}

static uint32_t channel_of(struct quipu__ovni_event_writer *events, uint32_t region) {
    const struct quipu__ovni_event_row *row = row_of(events, region);
    return row ? row->channel : QUIPU__OVNI_CHANNEL_none;
}

/* Whether the call around an active one, on its channel, is of the same function, where a channel does not take the value that it has: one in
 * the other is one for ovni. */
static bool is_within_same(const struct quipu__ovni_written_thread *thread, size_t index) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu__ovni_event_row *row = row_of(events, thread->regions.items[index]);
    if (!row || quipu__ovni_channels[row->channel].duplicates == QUIPU__OVNI_DUPLICATES_ALLOW)
        return false;
    const size_t least = index > QUIPU__LOOK_OUT_MOST ? index - QUIPU__LOOK_OUT_MOST : 0;
    for (size_t i = index; i-- > least;)
        if (channel_of(events, thread->regions.items[i]) == row->channel)
            return row_of(events, thread->regions.items[i]) == row;
    return false;
}

/* An active call begins or ends. */
static enum quipu_status put_call(struct quipu__ovni_written_thread *thread, size_t index, bool enters,
                                  uint64_t clock, struct quipu_error *err) {
    if (!is_within_same(thread, index))
        return put_region(thread, thread->regions.items[index], enters, clock, err);
    thread->writer->output->approximated[enters ? QUIPU_KIND_enter : QUIPU_KIND_leave]++;
    return QUIPU_OK;
}

static enum quipu_status enter(struct quipu__ovni_written_thread *thread, uint32_t region, uint64_t clock,
                               struct quipu_error *err) {
    if (!QUIPU__VEC_PUT(thread->writer->memory, &thread->regions, region))
        return quipu__no_memory(err, sizeof(uint32_t));
    return put_call(thread, thread->regions.count - 1, true, clock, err);
}

/* The index among the active calls of the innermost call of a region, or of the innermost call of all; their number when there is none, or
 * it is too far out. */
static size_t find_call(const struct quipu__ovni_written_thread *thread, uint32_t region) {
    const size_t count = thread->regions.count;
    const size_t least = count > QUIPU__LOOK_OUT_MOST ? count - QUIPU__LOOK_OUT_MOST : 0;
    for (size_t i = count; i-- > least;)
        if (region == QUIPU_NONE || thread->regions.items[i] == region)
            return i;
    return count;
}

/* Most calls to enter again when one around them is left. If there are more, they end with it, like nested calls: otherwise a program that
 * leaves deep calls from the outermost on would be written many times over. */
enum { ENTERED_AGAIN_MOST = 16 };

/* Forgets calls on a channel, from an index among the active ones on. */
static void drop_channel(struct quipu__ovni_written_thread *thread, size_t first, uint32_t channel) {
    size_t left = first;
    for (size_t i = first; i < thread->regions.count; i++)
        if (channel_of(thread->writer->events, thread->regions.items[i]) != channel)
            thread->regions.items[left++] = thread->regions.items[i];
    thread->regions.count = left;
}

/* Stacks are left in order: what was entered later on the same stack is left and entered again. QUIPU_END when the region was not
 * entered. */
static enum quipu_status leave(struct quipu__ovni_written_thread *thread, uint32_t region, uint64_t clock,
                               struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const size_t index = find_call(thread, region);
    if (index == thread->regions.count)
        return QUIPU_END;
    const uint32_t channel = channel_of(events, thread->regions.items[index]);
    enum quipu_status status = QUIPU_OK;
    size_t left = 0;
    for (size_t i = thread->regions.count; i-- > index && status == QUIPU_OK;)
        if (channel_of(events, thread->regions.items[i]) == channel) {
            status = put_call(thread, i, false, clock, err);
            left++;
        }
    if (left > ENTERED_AGAIN_MOST + 1)
        drop_channel(thread, index + 1, channel);
    thread->regions.count--;
    memmove(&thread->regions.items[index], &thread->regions.items[index + 1],
            (thread->regions.count - index) * sizeof *thread->regions.items);
    for (size_t i = index; i < thread->regions.count && status == QUIPU_OK; i++)
        if (channel_of(events, thread->regions.items[i]) == channel)
            status = put_call(thread, i, true, clock, err);
    return status;
}

/* ---- Channels ---- */

/* QUIPU_END: it cannot be written. */
static enum quipu_status set_state(struct quipu__ovni_written_thread *thread, int64_t state, uint64_t clock,
                                   struct quipu_error *err) {
    static const char *const codes[] = {[QUIPU__OVNI_THREAD_RUNNING] = "OHr",
                                        [QUIPU__OVNI_THREAD_PAUSED] = "OHp",
                                        [QUIPU__OVNI_THREAD_DEAD] = "OHe",
                                        [QUIPU__OVNI_THREAD_COOLING] = "OHc",
                                        [QUIPU__OVNI_THREAD_WARMING] = "OHw"};
    const uint8_t before = thread->closing.state;
    enum quipu_status status = QUIPU_OK;
    if (state == before)
        return QUIPU_OK;
    if (state <= 0 || state >= QUIPU__OVNI_THREAD_STATES)
        return QUIPU_END;
    if (state == QUIPU__OVNI_THREAD_WARMING && before != QUIPU__OVNI_THREAD_PAUSED)
        status = put(thread, codes[QUIPU__OVNI_THREAD_PAUSED], clock, NULL, 0, err);
    return status == QUIPU_OK ? put(thread, codes[state], clock, NULL, 0, err) : status;
}

/* The event of ovni that does this to one of its own channels. */
static const struct quipu__ovni_event_row *own_row(const struct quipu_channel *channel, enum quipu_kind kind,
                                                   int64_t value) {
    const bool begins_flush = kind == QUIPU_KIND_state_set && value != 0;
    const uint8_t effects[2] = {channel_changes[kind].effect, begins_flush
                                                                  ? (uint8_t)QUIPU__OVNI_FLUSH_BEGIN
                                                                  : channel_changes[kind].paired_effect};
    for (size_t i = 0; i < quipu__ovni_event_count; i++) {
        const struct quipu__ovni_event_row *row = &quipu__ovni_events[i];
        if (row->channel == QUIPU__OVNI_CHANNEL_none ||
            strcmp(quipu__ovni_channels[row->channel].title, channel->name) != 0)
            continue;
        if (row->effect == effects[1] || (row->effect == effects[0] && row->value == value))
            return row;
    }
    return NULL;
}

/* The type of the marks of a channel; 0 when there are too many channels. */
static uint8_t mark_of(struct quipu__ovni_event_writer *events, uint32_t channel) {
    if (!QUIPU__OVNI_HAS_ROOM(events, channel_marks, channel))
        return 0;
    if (!events->channel_marks.items[channel] && events->next_mark < QUIPU__OVNI_MARK_TYPES)
        events->channel_marks.items[channel] = events->next_mark++;
    return events->channel_marks.items[channel];
}

/* ovni has no event that sets a channel to the value that it already has; a cut trace, which begins with the values of its channels, may
 * contain such events. */
static enum quipu_status set_value(struct quipu__ovni_written_thread *thread,
                                   const struct quipu__ovni_event_row *row, uint8_t value, uint64_t clock,
                                   struct quipu_error *err) {
    if (thread->values[row->channel] == value)
        return QUIPU_OK;
    thread->values[row->channel] = value;
    return put(thread, row->code, clock, NULL, 0, err);
}

static enum quipu_status put_channel(struct quipu__ovni_written_thread *thread, const struct quipu_event *event,
                                     uint64_t clock, struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu_channel *channel = quipu__ovni_channel_at(events, event->object);
    const enum quipu_kind kind = (enum quipu_kind)event->kind;
    const int64_t value = (int64_t)event->value;
    if (!channel)
        return QUIPU_END;
    if (strcmp(channel->name, "thread state") == 0 && kind == QUIPU_KIND_state_set)
        return set_state(thread, value, clock, err);
    const struct quipu__ovni_event_row *row = own_row(channel, kind, value);
    if (row && kind == QUIPU_KIND_state_set)
        return set_value(thread, row, value == 0 ? 0 : (uint8_t)row->value, clock, err);
    if (row && kind == QUIPU_KIND_state_pop)
        return put_end(thread, kind, row->code, clock, NULL, 0, err);
    if (row)
        return put(thread, row->code, clock, NULL, 0, err);
    const uint8_t mark =
        value != 0 && channel->is_stack == (kind != QUIPU_KIND_state_set) ? mark_of(events, event->object) : 0;
    if (!mark)
        return QUIPU_END;
    return put_mark(thread, kind, kind, clock, value, mark, err);
}

/* ---- Events of the model ---- */

static enum quipu_status put_model_event(struct quipu__ovni_written_thread *thread,
                                         const struct quipu_event *event, uint64_t clock,
                                         struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const char code[4] = {'O', 'U', quipu__ovni_character_of(event->kind), '\0'};
    uint8_t payload[QUIPU__OVNI_FIELDS_BYTES];
    if (!quipu__ovni_refer_fields(events, event))
        return quipu__no_memory(err, 0);
    events->has_model_events = true;
    return put(thread, code, clock, payload, quipu__ovni_encode_fields(event, payload), err);
}

/* ---- Batches ---- */

static enum quipu_status move_to(struct quipu__ovni_written_thread *thread, const struct quipu_event *event,
                                 uint64_t clock, struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    uint8_t payload[4];
    if (!quipu__ovni_list_cpus(events))
        return quipu__no_memory(err, 0);
    const int32_t cpu = quipu__ovni_cpu_index(events, event->peer, events->looms.items[thread->loom].node);
    if (event->object != QUIPU_NONE && event->object != thread->location)
        return QUIPU_END; /* of another thread */
    if (!thread->has_started || thread->closing.state == QUIPU__OVNI_THREAD_DEAD)
        return begin(thread, clock, cpu, err);
    store(payload, (uint32_t)cpu, 4);
    return put(thread, "OAs", clock, payload, sizeof payload, err);
}

/* A thread that only begins or ends runs for no time then; that is written last, though it may come first. */
static void note_life(struct quipu__ovni_written_thread *thread, uint64_t clock) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    if (!events->has_events)
        events->first_clock = clock;
    events->has_events = true;
    if (!thread->has_started)
        thread->closing.clock = clock;
}

/* QUIPU_END: it cannot be written. */
static enum quipu_status put_event(struct quipu__ovni_written_thread *thread, const struct quipu_event *event,
                                   uint64_t clock, struct quipu_error *err) {
    note_life(thread, clock);
    if (event->kind == QUIPU_KIND_location_begin)
        return QUIPU_OK; /* begins with the next event */
    if (event->kind == QUIPU_KIND_affinity)
        return move_to(thread, event, clock, err);
    if (event->kind == QUIPU_KIND_location_end)
        return thread->has_started ? set_state(thread, QUIPU__OVNI_THREAD_DEAD, clock, err) : QUIPU_OK;
    const enum quipu_status status = begin(thread, clock, -1, err);
    if (status != QUIPU_OK)
        return status;
    if (event->kind == QUIPU_KIND_enter)
        return enter(thread, event->object, clock, err);
    if (quipu__ovni_character_of(event->kind))
        return put_model_event(thread, event, clock, err);
    return event->kind == QUIPU_KIND_leave ? leave(thread, event->object, clock, err)
                                           : put_channel(thread, event, clock, err);
}

/* The shift that makes the first time at least 0; clocks that count from an origin keep it. */
static int64_t shift_for(const struct quipu_clock *clock, int64_t first_ns) {
    const bool is_in_ns = clock->ticks_per_second == UINT64_C(1000000000) && clock->per_seconds <= 1;
    const int64_t origin = is_in_ns && clock->origin > 0 && clock->origin < INT64_MAX / 2 ? clock->origin : 0;
    const int64_t least = first_ns < -INT64_MAX ? INT64_MAX : -first_ns;
    return first_ns < 0 && origin < least ? least : origin;
}

/* Clocks go from 0 to 2^63 - 1; a time before the first event, or after the end of the range, gets its limit, and one before the latest
 * of its thread that. */
static uint64_t clock_of(const struct quipu__ovni_written_thread *thread, const struct quipu_event *event) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu_clock *clock = &events->definitions->clock;
    const int64_t ns = quipu_clock_ns(clock, event->time);
    if (!events->has_shift)
        events->shift = shift_for(clock, ns);
    events->has_shift = true;
    const bool is_before = ns < 0 && (uint64_t)events->shift < 0 - (uint64_t)ns;
    const uint64_t moved = is_before ? 0 : (uint64_t)ns + (uint64_t)events->shift;
    const uint64_t least = thread->has_events ? thread->closing.clock : 0;
    const bool is_after = moved > INT64_MAX;
    events->writer->output->approximated[event->kind] += is_before || is_after || moved < least;
    if (moved < least)
        return least;
    return is_after ? INT64_MAX : moved;
}

static enum quipu_status create_events(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    writer->events = quipu__alloc_zero(writer->memory, sizeof *writer->events);
    if (!writer->events)
        return quipu__no_memory(err, sizeof *writer->events);
    writer->events->writer = writer;
    quipu__map_init(&writer->events->loom_of, writer->memory);
    quipu__map_init(&writer->events->ranked_nodes, writer->memory);
    quipu__map_init(&writer->events->folders, writer->memory);
    quipu__map_init(&writer->events->first_cpu, writer->memory);
    quipu__map_init(&writer->events->last_cpu, writer->memory);
    writer->events->next_mark = QUIPU__OVNI_CHANNEL_MARKS;
    quipu__ovni_dictionary_init(&writer->events->dictionary);
    writer->events->definitions = writer->output->definitions;
    return QUIPU_OK;
}

static bool is_capable(uint8_t kind) {
    return (quipu__capable_kinds(&quipu__ovni_capabilities) >> kind & 1) != 0;
}

enum quipu_status quipu__ovni_put_batch(struct quipu__output_trace *output, const struct quipu_batch *batch,
                                        struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__ovni_writer_of(output);
    enum quipu_status status = writer->events ? QUIPU_OK : create_events(writer, err);
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK; i++) {
        struct quipu_event event;
        struct quipu__ovni_written_thread *thread = NULL;
        quipu__batch_event(batch, i, &cursor, &event);
        if (!is_capable(event.kind) || event.location >= output->definitions->locations.count) {
            output->dropped[event.kind]++;
            continue;
        }
        status = find_thread(writer->events, event.location, &thread, err);
        if (status == QUIPU_OK)
            status = put_event(thread, &event, clock_of(thread, &event), err);
        output->dropped[event.kind] += status == QUIPU_END;
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    return status;
}

/* ---- Ending ---- */

static enum quipu_status close_thread(struct quipu__ovni_written_thread *thread, struct quipu_error *err) {
    uint64_t count;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && thread->regions.count > 0 &&
           thread->closing.state == QUIPU__OVNI_THREAD_RUNNING) {
        status = leave(thread, QUIPU_NONE, thread->closing.clock, err);
        thread->writer->output->approximated[QUIPU_KIND_enter]++; /* the call seems to end here */
    }
    return status == QUIPU_OK ? quipu__ovni_close_stream(&thread->closing, put, thread, &count, err) : status;
}

static enum quipu_status write_metadata(struct quipu__ovni_written_thread *thread, bool is_first,
                                        struct quipu_error *err) {
    char relative[600];
    snprintf(relative, sizeof relative, "%s/" QUIPU__OVNI_STREAM_METADATA, thread->folder);
    json_t *metadata = quipu__ovni_metadata_of(thread->writer->events, thread, is_first);
    const enum quipu_status status = quipu__ovni_write_json(thread->writer, relative, metadata, err);
    json_decref(metadata);
    return status;
}

enum quipu_status quipu__ovni_end_events(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__ovni_writer *writer = quipu__ovni_writer_of(output);
    struct quipu__ovni_event_writer *events = writer->events;
    enum quipu_status status = QUIPU_OK;
    bool is_first = true;
    if (!events)
        return QUIPU_OK;
    for (size_t i = 0; i < events->threads.count && status == QUIPU_OK; i++)
        if (events->threads.items[i])
            status = close_thread(events->threads.items[i], err);
    if (!quipu__ovni_list_cpus(events))
        return quipu__no_memory(err, 0);
    for (size_t i = 0; i < events->threads.count && status == QUIPU_OK; i++) {
        if (!events->threads.items[i])
            continue;
        status = write_metadata(events->threads.items[i], is_first, err);
        is_first = false;
    }
    return status;
}

void quipu__ovni_events_free(struct quipu__ovni_writer *writer) {
    struct quipu__ovni_event_writer *events = writer->events;
    if (!events)
        return;
    for (size_t i = 0; i < events->threads.count; i++) {
        if (!events->threads.items[i])
            continue;
        quipu__ovni_closing_release(&events->threads.items[i]->closing);
        QUIPU__VEC_RELEASE(writer->memory, &events->threads.items[i]->regions);
    }
    QUIPU__VEC_RELEASE(writer->memory, &events->threads);
    QUIPU__VEC_RELEASE(writer->memory, &events->looms);
    QUIPU__VEC_RELEASE(writer->memory, &events->cpus);
    quipu__map_release(&events->loom_of);
    quipu__map_release(&events->ranked_nodes);
    quipu__map_release(&events->folders);
    quipu__map_release(&events->first_cpu);
    quipu__map_release(&events->last_cpu);
    QUIPU__VEC_RELEASE(writer->memory, &events->region_rows);
    QUIPU__VEC_RELEASE(writer->memory, &events->is_region_used);
    QUIPU__VEC_RELEASE(writer->memory, &events->channel_marks);
    for (unsigned i = 0; i < QUIPU__OVNI_CLASSES; i++)
        QUIPU__VEC_RELEASE(writer->memory, &events->is_referred[i]);
    quipu__release(writer->memory, events, sizeof *events);
    writer->events = NULL;
}
