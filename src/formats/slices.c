/* slices.c: see single_file.h. */
#include "formats/single_file.h"

#include "model/event.h"

#include <inttypes.h>

#define DRAWN_CLASSES                                                                                          \
    (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_collective) |             \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_one_sided) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation) |      \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_request) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_task) |                \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_value) | \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_cpu))

/* Keys of classes without channels, above all numbers of channels. */
enum { FIRST_CLASS_KEY = 0x7fffff00, VALUE_BIT = 1u << 31 };

void quipu__slices_init(struct quipu__slices *slices, struct quipu__memory *memory) {
    *slices = (struct quipu__slices){.memory = memory};
    quipu__map_init(&slices->free_of, memory);
    quipu__buffer_init(&slices->name, memory, 0);
}

void quipu__slices_release(struct quipu__slices *slices) {
    if (slices->is_started)
        quipu__tracker_release(&slices->tracker);
    quipu__map_release(&slices->free_of);
    quipu__buffer_release(&slices->name);
    QUIPU__VEC_RELEASE(slices->memory, &slices->tracks);
}

/* ---- Tracks ---- */

static bool has_channel(enum quipu__interval_class interval_class) {
    return interval_class == QUIPU__INTERVAL_channel_stack || interval_class == QUIPU__INTERVAL_channel_value;
}

static uint64_t group_of(const struct quipu__slice_track *track) {
    const bool is_value = track->interval_class == QUIPU__INTERVAL_channel_value;
    uint32_t key = is_value ? VALUE_BIT | track->channel : track->channel;
    if (!has_channel(track->interval_class))
        key = FIRST_CLASS_KEY + track->interval_class;
    return (uint64_t)track->location << 32 | key;
}

static uint32_t add_track(struct quipu__slices *slices, const struct quipu__slice_track *track) {
    struct quipu__slice_track *added = QUIPU__VEC_ADD(slices->memory, &slices->tracks);
    if (!added)
        return QUIPU_NONE;
    *added = *track;
    return (uint32_t)slices->tracks.count - 1;
}

/* A channel's slices nest or follow each other: its single track is always free. */
static uint32_t take_track(struct quipu__slices *slices, const struct quipu__slice_track *wanted) {
    const uint64_t group = group_of(wanted);
    const uint32_t known = quipu__map_get(&slices->free_of, group);
    const bool is_known = known != QUIPU_NONE && known > 0;
    const uint32_t number = is_known ? known - 1 : add_track(slices, wanted);
    if (number == QUIPU_NONE || (has_channel(wanted->interval_class) && is_known))
        return number;
    uint32_t next = is_known ? slices->tracks.items[number].next_free : 0;
    if (has_channel(wanted->interval_class))
        next = number + 1;
    return quipu__map_put(&slices->free_of, group, next) ? number : QUIPU_NONE;
}

static void give_track_back(struct quipu__slices *slices, uint32_t number) {
    struct quipu__slice_track *track = &slices->tracks.items[number];
    if (has_channel(track->interval_class))
        return;
    const uint64_t group = group_of(track);
    track->next_free = quipu__map_get(&slices->free_of, group);
    slices->failed |= !quipu__map_put(&slices->free_of, group, number + 1);
}

const char *quipu__slice_track_name(const struct quipu__slices *slices, uint32_t number) {
    static const char *const names[QUIPU__INTERVAL_CLASSES] = {[QUIPU__INTERVAL_collective] = "collectives",
                                                               [QUIPU__INTERVAL_one_sided] = "one-sided",
                                                               [QUIPU__INTERVAL_io_operation] = "I/O",
                                                               [QUIPU__INTERVAL_request] = "requests",
                                                               [QUIPU__INTERVAL_task] = "tasks",
                                                               [QUIPU__INTERVAL_channel_stack] = "states",
                                                               [QUIPU__INTERVAL_channel_value] = "states",
                                                               [QUIPU__INTERVAL_cpu] = "threads"};
    const struct quipu__slice_track *track = &slices->tracks.items[number];
    const char *channel = quipu__name_of(slices->definitions, QUIPU_REFERS_CHANNEL, track->channel);
    return channel && has_channel(track->interval_class) ? channel : names[track->interval_class];
}

/* ---- Names ---- */

static const char *number_name(struct quipu__slices *slices, const char *what, uint64_t number) {
    slices->name.len = 0;
    quipu__put_format(&slices->name, "%s %" PRIu64, what, number);
    quipu__put_u8(&slices->name, '\0');
    slices->failed |= slices->name.failed;
    return slices->name.failed ? what : (const char *)slices->name.data;
}

static const char *state_name(struct quipu__slices *slices, uint32_t channel, uint64_t value) {
    const struct quipu_definitions *definitions = slices->definitions;
    const char *label = channel < definitions->channels.count
                            ? quipu_channel_label(&definitions->channels.items[channel], (int64_t)value)
                            : NULL;
    return label ? label : number_name(slices, "value", value);
}

/* The name of a task: its type, known from earlier events, and its number. */
static const char *task_name(struct quipu__slices *slices, const struct quipu__event_columns *columns) {
    const char *type = quipu__name_of(slices->definitions, QUIPU_REFERS_TASK_TYPE, columns->object);
    return number_name(slices, type ? type : "task", columns->id);
}

/* The location of an interval, after which its slice is named on the track of a CPU. */
static uint32_t location_of(const struct quipu__slices *slices, const struct quipu__interval *interval) {
    return slices->tracker.states.items[interval->state].location;
}

static const char *slice_name(struct quipu__slices *slices, const struct quipu__interval *interval,
                              const struct quipu__event_columns *columns) {
    const struct quipu_definitions *definitions = slices->definitions;
    const char *name = NULL;
    switch ((enum quipu__interval_class)interval->list) {
    case QUIPU__INTERVAL_collective:
        name = quipu__name_of(definitions, QUIPU_REFERS_REGION, columns->object);
        name = name ? name : quipu__name_of(definitions, QUIPU_REFERS_COLLECTIVE, columns->operation);
        break;
    case QUIPU__INTERVAL_one_sided:
        name = quipu__name_of(definitions, QUIPU_REFERS_RMA_OPERATION, columns->operation);
        break;
    case QUIPU__INTERVAL_io_operation:
        name = quipu__name_of(definitions, QUIPU_REFERS_IO_OPERATION, columns->operation);
        break;
    case QUIPU__INTERVAL_task:
        return task_name(slices, columns);
    case QUIPU__INTERVAL_cpu:
        name = quipu__name_of(definitions, QUIPU_REFERS_LOCATION, location_of(slices, interval));
        break;
    case QUIPU__INTERVAL_channel_stack:
    case QUIPU__INTERVAL_channel_value:
        return state_name(slices, columns->object, columns->value);
    default:
        break;
    }
    return name ? name : quipu_kind_at((enum quipu_kind)interval->kind)->name;
}

/* ---- What the tracker says ---- */

static void began(void *context, struct quipu__interval *interval) {
    struct quipu__slices *slices = context;
    const struct quipu__event_columns *columns = quipu__interval_columns(&slices->tracker, interval);
    const enum quipu__interval_class interval_class = (enum quipu__interval_class)interval->list;
    const bool is_on_cpu = interval_class == QUIPU__INTERVAL_cpu;
    interval->count = QUIPU_NONE;
    if (is_on_cpu && columns->peer >= slices->definitions->locations.count)
        return; /* an unknown one */
    const struct quipu__slice_track wanted = {
        .location = is_on_cpu ? columns->peer : location_of(slices, interval),
        .channel = has_channel(interval_class) ? columns->object : QUIPU_NONE,
        .interval_class = interval_class};
    const uint32_t track = take_track(slices, &wanted);
    interval->count = track;
    slices->failed |= track == QUIPU_NONE;
    if (track == QUIPU_NONE)
        return;
    const struct quipu__drawn_slice slice = {track, slice_name(slices, interval, columns), false};
    slices->begin(slices->context, &slice);
    slices->has_drawn = true;
}

static void removed(void *context, const struct quipu__interval *interval) {
    struct quipu__slices *slices = context;
    if (interval->count >= slices->tracks.count)
        return;
    const struct quipu__drawn_slice slice = {
        (uint32_t)interval->count,
        slice_name(slices, interval, quipu__interval_columns(&slices->tracker, interval)),
        quipu__kind_ends(slices->kind, (enum quipu__interval_class)interval->list)};
    slices->end(slices->context, &slice);
    give_track_back(slices, slice.track);
    slices->has_drawn = true;
}

uint32_t quipu__slices_innermost(const struct quipu__slices *slices, uint32_t location) {
    const uint32_t state = slices->is_started ? quipu__tracker_latest(&slices->tracker, location) : QUIPU_NONE;
    const uint32_t call = state == QUIPU_NONE
                              ? QUIPU_NONE
                              : quipu__active_at(&slices->tracker, state, QUIPU__INTERVAL_call).newest;
    return call == QUIPU_NONE ? QUIPU_NONE : (uint32_t)quipu__interval_at(&slices->tracker, call)->key[1];
}

static void start(struct quipu__slices *slices) {
    struct quipu__tracker_options options = quipu__event_tracker_options(slices->definitions, DRAWN_CLASSES);
    options.ends = 0;
    options.began = began;
    options.removed = removed;
    options.context = slices;
    quipu__tracker_init(&slices->tracker, slices->memory, &options);
    slices->is_started = true;
}

/* A location that ends leaves its CPU. */
static void leave_cpu(struct quipu__slices *slices, uint32_t location, uint32_t stream) {
    const uint32_t state = quipu__tracker_locate(&slices->tracker, location, stream);
    const uint32_t cpu = state == QUIPU_NONE
                             ? QUIPU_NONE
                             : quipu__active_at(&slices->tracker, state, QUIPU__INTERVAL_cpu).newest;
    if (cpu != QUIPU_NONE)
        quipu__tracker_remove(&slices->tracker, cpu);
}

bool quipu__slices_add(struct quipu__slices *slices, const struct quipu_definitions *definitions,
                       const struct quipu_batch *batch, uint32_t event, uint32_t stream) {
    slices->definitions = definitions;
    slices->kind = (enum quipu_kind)batch->kind[event];
    slices->has_drawn = false;
    if (!slices->is_started)
        start(slices);
    if (slices->kind == QUIPU_KIND_location_end) {
        leave_cpu(slices, batch->location[event], stream);
        return false;
    }
    slices->failed |= !quipu__tracker_add_event(&slices->tracker, batch, event, stream);
    return slices->has_drawn;
}
