/* single_file.c: see single_file.h. */
#include "formats/single_file.h"

#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>

/* ==== Slices ==== */

#define DRAWN_CLASSES                                                                                          \
    (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_collective) |             \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_one_sided) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_io_operation) |      \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_request) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_task) |                \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_stack) | QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_channel_value) | \
     QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_cpu))

/* Tracks of classes without channels: above all numbers of channels. */
enum { FIRST_CLASS_KEY = 0x7fffff00, VALUE_BIT = 1u << 31 };

static void slices_init(struct quipu__slices *slices, struct quipu__memory *memory) {
    *slices = (struct quipu__slices){.memory = memory};
    quipu__map_init(&slices->free_of, memory);
    quipu__buffer_init(&slices->name, memory, 0);
}

static void slices_release(struct quipu__slices *slices) {
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
    if (!QUIPU__VEC_PUT(slices->memory, &slices->tracks, *track))
        return QUIPU_NONE;
    return (uint32_t)slices->tracks.count - 1;
}

/* A channel's slices lie inside each other or follow each other: its one track is never in use. */
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

/* A task by its type, which other events have shown before, and its number. */
static const char *task_name(struct quipu__slices *slices, const struct quipu__event_columns *columns) {
    const char *type = quipu__name_of(slices->definitions, QUIPU_REFERS_TASK_TYPE, columns->object);
    return number_name(slices, type ? type : "task", columns->id);
}

/* The location of an interval: of what its slice is named after on the track of a CPU. */
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

/* Draws what an event begins and ends; stream as in quipu__tracker_add_event. Returns whether it did. False in failed when memory is
 * out. */
static bool slices_add(struct quipu__slices *slices, const struct quipu_definitions *definitions,
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

/* ==== The file ==== */

/* Writes what is in the buffer: put_batch and finish do so by themselves. */
static enum quipu_status single_file_flush(struct quipu__single_file *own, struct quipu_error *err) {
    if (own->out.failed)
        return quipu__no_memory(err, own->out.len);
    const enum quipu_status status = quipu__file_write(own->file, own->out.data, own->out.len, err);
    own->out.len = 0;
    return status;
}

/* ---- Options ---- */

const struct quipu_option quipu__single_file_options[QUIPU__SINGLE_FILE_OPTIONS] = {
    {.name = "snapshots",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc = "write records that repeat what is active, too"},
    {.name = "statistics",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = "no|yes",
     .default_value = "no",
     .doc = "write cumulative statistics, too"}};

static bool is_wanted(const struct quipu__single_file *own, uint8_t kind) {
    return (kind != QUIPU_KIND_snapshot || own->has_snapshots) &&
           (kind != QUIPU_KIND_summary || own->has_statistics);
}

/* ---- Numbers of processes ---- */

static bool has_rank(const struct quipu_location *location) {
    return location->rank >= 0 && location->rank < INT32_MAX;
}

/* Several jobs may have the same ranks: then ranks are not used. */
static void choose_pids(struct quipu__single_file *own, const struct quipu_definitions *definitions) {
    struct quipu__map ranks;
    own->has_pids = own->has_ranks = true;
    own->first_pid = 1;
    quipu__map_init(&ranks, own->memory);
    for (uint32_t i = 0; i < definitions->locations.count && own->has_ranks; i++) {
        const struct quipu_location *location = &definitions->locations.items[i];
        if (quipu__process_of(definitions, i) != i || !has_rank(location))
            continue;
        const uint32_t rank = (uint32_t)location->rank;
        own->has_ranks = quipu__map_get(&ranks, rank) == QUIPU_NONE && quipu__map_put(&ranks, rank, i);
        own->first_pid = rank >= own->first_pid ? rank + 1 : own->first_pid;
    }
    quipu__map_release(&ranks);
}

uint32_t quipu__single_file_pid(struct quipu__single_file *own, const struct quipu_definitions *definitions,
                                uint32_t location) {
    const uint32_t process = quipu__process_of(definitions, location);
    if (!own->has_pids)
        choose_pids(own, definitions);
    if (own->has_ranks && process < definitions->locations.count &&
        has_rank(&definitions->locations.items[process]))
        return (uint32_t)definitions->locations.items[process].rank;
    return own->first_pid + process;
}

/* ---- The target ---- */

static void begin_slice(void *context, const struct quipu__drawn_slice *slice) {
    struct quipu__single_file *own = context;
    own->functions->begin_slice(own, slice);
}

static void end_slice(void *context, const struct quipu__drawn_slice *slice) {
    struct quipu__single_file *own = context;
    own->functions->end_slice(own, slice);
}

static void init_slices(struct quipu__single_file *own, struct quipu__memory *memory) {
    slices_init(&own->slices, memory);
    own->slices.begin = begin_slice;
    own->slices.end = end_slice;
    own->slices.context = own;
}

enum quipu_status quipu__single_file_create(struct quipu__output_trace *output,
                                            const struct quipu__single_file_functions *functions,
                                            struct quipu_error *err) {
    struct quipu__single_file *own = quipu__alloc_zero(output->memory, functions->size);
    if (!own)
        return quipu__no_memory(err, functions->size);
    own->functions = functions;
    own->memory = output->memory;
    own->dropped = output->dropped;
    quipu__buffer_init(&own->out, output->memory, 0);
    quipu__matcher_init(&own->messages, output->memory, NULL);
    init_slices(own, output->memory);
    own->has_snapshots = quipu__settings_say_yes(&output->settings, quipu__single_file_options[0].name);
    own->has_statistics = quipu__settings_say_yes(&output->settings, quipu__single_file_options[1].name);
    if (functions->init)
        functions->init(own);
    output->own = own;
    const enum quipu_status status = quipu__outputs_add(output->outputs, output->path, 0, &own->file, err);
    if (status != QUIPU_OK)
        quipu__single_file_abandon(output);
    return status;
}

static bool has_cpus(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        if (definitions->locations.items[i].kind == QUIPU_LOCATION_CPU)
            return true;
    return false;
}

/* The ends of messages share numbers under a key, and threads of many streams alternate on a CPU, so both need
 * time order. */
enum quipu_order quipu__single_file_order_of(const struct quipu_definitions *definitions) {
    return (quipu__has_threads(definitions) && definitions->groups.count > 0) || has_cpus(definitions)
               ? QUIPU_ORDER_TIME
               : QUIPU_ORDER_STREAM;
}

static bool is_message(uint8_t kind) {
    return kind == QUIPU_KIND_send || kind == QUIPU_KIND_recv;
}

static void put_event(struct quipu__single_file *own, const struct quipu_batch *batch, uint32_t i,
                      uint32_t stream) {
    const uint8_t kind = batch->kind[i];
    if (!is_wanted(own, kind)) {
        own->dropped[kind]++;
        return;
    }
    const uint64_t message = quipu__matcher_number(&own->messages, batch, i);
    own->left = kind == QUIPU_KIND_leave && batch->object[i] == QUIPU_NONE
                    ? quipu__slices_innermost(&own->slices, batch->location[i])
                    : batch->object[i];
    if (!slices_add(&own->slices, own->definitions, batch, i, stream) || is_message(kind))
        own->functions->put_event(own, own->definitions, own->event, message);
}

enum quipu_status quipu__single_file_put_batch(struct quipu__output_trace *output,
                                               const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    const bool is_merged = quipu__single_file_order_of(output->definitions) == QUIPU_ORDER_TIME;
    uint32_t cursor = 0;
    own->definitions = own->messages.locations.definitions = output->definitions;
    own->functions->put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct quipu_event event;
        quipu__batch_event(batch, i, &cursor, &event);
        own->event = &event;
        put_event(own, batch, i, is_merged ? 0 : batch->stream);
    }
    own->event = NULL;
    if (own->slices.failed)
        return quipu__no_memory(err, sizeof(struct quipu__slice_track));
    return single_file_flush(own, err);
}

enum quipu_status quipu__single_file_put_marks(struct quipu__output_trace *output,
                                               const struct quipu__marks *marks, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    enum quipu_status status = QUIPU_OK;
    own->definitions = output->definitions;
    own->functions->put_definitions(own, output->definitions);
    for (uint32_t i = 0; i < marks->tracks.count; i++)
        own->functions->put_mark_track(own, &marks->tracks.items[i], i);
    for (size_t i = 0; i < marks->items.count && status == QUIPU_OK; i++) {
        const struct quipu__mark *mark = &marks->items.items[i];
        own->functions->put_mark(own, mark, &marks->tracks.items[mark->track]);
        status = single_file_flush(own, err);
    }
    return status;
}

/* A trace without events still has definitions. */
enum quipu_status quipu__single_file_finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__single_file *own = output->own;
    if (output->definitions)
        own->functions->put_definitions(own, output->definitions);
    if (own->functions->put_end)
        own->functions->put_end(own);
    return single_file_flush(own, err);
}

void quipu__single_file_abandon(struct quipu__output_trace *output) {
    struct quipu__single_file *own = output->own;
    if (own->functions->release)
        own->functions->release(own);
    quipu__buffer_release(&own->out);
    quipu__matcher_release(&own->messages);
    slices_release(&own->slices);
    quipu__release(output->memory, own, own->functions->size);
    output->own = NULL;
}

const struct quipu__capabilities quipu__single_file_capabilities = {.everything = true, .attributes = true};
