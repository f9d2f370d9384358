/* from_model.c: events of any format as an ovni trace. Every location that has events is a thread, which runs on the virtual CPU unless
 * something else is said. Regions and channels that are ovni's own become its events again; other regions become marks of one type, a
 * stack, whose values have the names of the regions; other channels become marks of types of their own. What ovni has no events for is
 * written as model_events.h says. */
#include "formats/ovni/closing.h"
#include "formats/ovni/model_events.h"
#include "formats/ovni/writer.h"

#include "core/error.h"
#include "core/text.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REGION_MARK 0
#define CHANNEL_MARKS 1 /* the first type */

/* A location that has events. */
struct thread {
    struct quipu__ovni_writer *writer;
    struct quipu__ovni_out out;
    struct quipu__ovni_closing closing;
    uint32_t location, loom;
    int64_t pid, tid, rank;
    const char *folder;
    bool has_started, has_events;
    QUIPU__VEC(uint32_t) regions; /* that were entered */
};

struct loom {
    uint32_t node; /* location, or QUIPU_NONE */
    const char *name;
    bool has_cpus; /* said in the metadata of a thread */
};

struct quipu__ovni_event_writer {
    struct quipu__ovni_writer *writer;
    const struct quipu_definitions *definitions;
    struct quipu__ovni_dictionary dictionary;
    QUIPU__VEC(struct thread *) threads; /* by location; NULL: none */
    QUIPU__VEC(struct loom) looms;
    QUIPU__VEC(uint32_t) region_rows; /* by region, row of its push + 1; 0: not looked up, QUIPU_NONE: a mark */
    QUIPU__VEC(uint8_t) is_region_used;
    QUIPU__VEC(uint8_t) channel_marks; /* by channel: type of its marks, 0: none */
    uint8_t next_mark;
    bool uses[QUIPU__OVNI_MODEL_COUNT];
    bool has_model_events;
    QUIPU__VEC(uint8_t) is_referred[QUIPU__OVNI_CLASSES]; /* by number: events of the model refer to it */
    int64_t shift; /* from nanoseconds to clocks, which are not negative */
    bool has_shift;
    uint64_t first_clock; /* of the first event of the trace */
    bool has_events;
};

/* Makes a list have an element of that number. */
#define HAS_ROOM(events, list, number)                                                                         \
    ((events)->list.count > (number) ||                                                                        \
     (QUIPU__VEC_RESERVE((events)->writer->memory, &(events)->list, (number) + 1 - (events)->list.count) &&    \
      ((events)->list.count = (number) + 1) > 0))

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
const struct quipu__capabilities quipu__ovni_capabilities = {.kinds = kinds,
                                                             .kind_count = sizeof kinds / sizeof *kinds};

/* ---- Events ---- */

/* Streams begin within an hour of each other, so a thread whose first event is later begins to run before it. */
static uint64_t begin_clock(struct thread *thread, uint64_t clock) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    if (!events->has_events)
        events->first_clock = clock;
    events->has_events = thread->has_events = true;
    const bool is_late =
        clock > events->first_clock && clock - events->first_clock > (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST;
    return is_late ? events->first_clock + (uint64_t)QUIPU__OVNI_CLOCK_GAP_MOST : clock;
}

static enum quipu_status put(void *context, const char *code, uint64_t clock, const uint8_t *payload,
                             uint32_t len, struct quipu_error *err) {
    struct thread *thread = context;
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

static void store(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static enum quipu_status put_mark(struct thread *thread, const char *code, uint64_t clock, int64_t value,
                                  uint8_t type, struct quipu_error *err) {
    uint8_t payload[12];
    store(payload, (uint64_t)value, 8);
    store(payload + 8, type, 4);
    return put(thread, code, clock, payload, sizeof payload, err);
}

/* The thread begins to run with its first event. */
static enum quipu_status begin(struct thread *thread, uint64_t clock, int32_t cpu, struct quipu_error *err) {
    uint8_t payload[16] = {0};
    if (thread->has_started && thread->closing.state != QUIPU__OVNI_THREAD_DEAD)
        return QUIPU_OK;
    thread->has_started = true;
    store(payload, (uint32_t)cpu, 4);
    store(payload + 4, UINT32_MAX, 4); /* no creator */
    return put(thread, "OHx", clock, payload, sizeof payload, err);
}

/* ---- Places ---- */

static const struct quipu_location *location_at(const struct quipu__ovni_event_writer *events,
                                                uint32_t number) {
    return number < events->definitions->locations.count ? &events->definitions->locations.items[number] : NULL;
}

/* The location, or the nearest above it, of a kind; QUIPU_NONE when there is none. */
static uint32_t find_above(const struct quipu__ovni_event_writer *events, uint32_t number,
                           enum quipu_location_kind kind) {
    for (unsigned depth = 0; depth < 64; depth++) {
        const struct quipu_location *location = location_at(events, number);
        if (!location)
            return QUIPU_NONE;
        if (location->kind == kind)
            return number;
        number = location->parent;
    }
    return QUIPU_NONE;
}

static const char *loom_name(struct quipu__ovni_event_writer *events, uint32_t node) {
    const struct quipu_location *location = location_at(events, node);
    const char *name = location && location->name[0] ? location->name : "node";
    const size_t prefix = sizeof QUIPU__OVNI_LOOM_PREFIX - 1;
    if (strncmp(name, QUIPU__OVNI_LOOM_PREFIX, prefix) == 0 && name[prefix])
        name += prefix;
    char *copy = quipu__arena_text(&events->writer->arena, name, strlen(name));
    for (char *at = copy; at && *at; at++)
        if (*at == '/' || (unsigned char)*at < ' ')
            *at = '_';
    return copy;
}

static uint32_t find_loom(struct quipu__ovni_event_writer *events, uint32_t location) {
    const uint32_t node = find_above(events, location, QUIPU_LOCATION_NODE);
    for (uint32_t i = 0; i < events->looms.count; i++)
        if (events->looms.items[i].node == node)
            return i;
    const char *name = loom_name(events, node);
    struct loom *loom = name ? QUIPU__VEC_ADD(events->writer->memory, &events->looms) : NULL;
    if (!loom)
        return QUIPU_NONE;
    *loom = (struct loom){.node = node, .name = name};
    return (uint32_t)(events->looms.count - 1);
}

static bool is_folder_used(const struct quipu__ovni_event_writer *events, const char *folder) {
    for (size_t i = 0; i < events->threads.count; i++)
        if (events->threads.items[i] && strcmp(events->threads.items[i]->folder, folder) == 0)
            return true;
    return false;
}

static const char *thread_folder(struct quipu__ovni_event_writer *events, const struct thread *thread) {
    const char *loom = events->looms.items[thread->loom].name;
    const size_t size = strlen(loom) + 100;
    char *folder = quipu__arena_alloc(&events->writer->arena, size);
    if (folder)
        snprintf(folder, size,
                 QUIPU__OVNI_LOOM_PREFIX "%s/" QUIPU__OVNI_PROCESS_PREFIX "%" PRId64
                                         "/" QUIPU__OVNI_THREAD_PREFIX "%" PRId64,
                 loom, thread->pid, thread->tid);
    return folder;
}

/* A number that is known, else the one in a name that a folder of ovni would have, such as "thread.7"; 0: none. */
static int64_t number_of(int64_t number, const char *name, const char *prefix) {
    const size_t len = strlen(prefix);
    const char *digits = strncmp(name, prefix, len) == 0 ? name + len : "";
    if (number <= 0 && !quipu__parse_i64(digits, strlen(digits), &number))
        return 0;
    return number > 0 && number <= INT32_MAX ? number : 0;
}

static void name_thread(struct quipu__ovni_event_writer *events, struct thread *thread) {
    const struct quipu_location *own = location_at(events, thread->location);
    const uint32_t number = find_above(events, thread->location, QUIPU_LOCATION_PROCESS);
    const struct quipu_location *process = number != QUIPU_NONE ? location_at(events, number) : own;
    const int64_t fallback = number != QUIPU_NONE ? (int64_t)number + 1 : (int64_t)thread->location + 1;
    thread->rank = process->rank;
    const int64_t pid = number_of(process->pid, process->name, QUIPU__OVNI_PROCESS_PREFIX);
    const int64_t tid = number_of(own->tid, own->name, QUIPU__OVNI_THREAD_PREFIX);
    thread->pid = pid > 0 ? pid : fallback;
    thread->tid = process == own ? thread->pid : tid > 0 ? tid : (int64_t)thread->location + 1;
    thread->folder = thread_folder(events, thread);
    if (thread->folder && is_folder_used(events, thread->folder)) {
        thread->tid = INT64_C(1000000000) + thread->location;
        thread->folder = thread_folder(events, thread);
    }
}

static enum quipu_status open_thread(struct quipu__ovni_event_writer *events, uint32_t location,
                                     struct thread **out, struct quipu_error *err) {
    struct thread *thread = quipu__arena_alloc(&events->writer->arena, sizeof *thread);
    if (!thread)
        return quipu__no_memory(err, sizeof *thread);
    *thread =
        (struct thread){.writer = events->writer, .location = location, .loom = find_loom(events, location)};
    quipu__ovni_closing_init(&thread->closing, events->writer->memory, &events->dictionary);
    if (thread->loom == QUIPU_NONE)
        return quipu__no_memory(err, 0);
    name_thread(events, thread);
    if (!thread->folder)
        return quipu__no_memory(err, 0);
    char relative[600];
    snprintf(relative, sizeof relative, "%s/" QUIPU__OVNI_STREAM_FILE, thread->folder);
    events->threads.items[location] = thread;
    *out = thread;
    return quipu__ovni_begin_out(events->writer, relative, true, false, &thread->out, err);
}

static enum quipu_status find_thread(struct quipu__ovni_event_writer *events, uint32_t location,
                                     struct thread **out, struct quipu_error *err) {
    if (!HAS_ROOM(events, threads, location))
        return quipu__no_memory(err, location);
    *out = events->threads.items[location];
    return *out ? QUIPU_OK : open_thread(events, location, out, err);
}

/* ---- CPUs ---- */

/* The virtual CPU is called "vCPU 0.*", and in a merged trace by the name of its own trace before that. */
static bool is_cpu_of(const struct quipu_location *location, uint32_t node) {
    return location->kind == QUIPU_LOCATION_CPU && location->parent == node &&
           !quipu__ends_with(location->name, ".*");
}

/* The index of a CPU in its loom; -1 for the virtual one. */
static int32_t cpu_index(const struct quipu__ovni_event_writer *events, uint32_t cpu, uint32_t node) {
    int32_t index = 0;
    const struct quipu_location *wanted = location_at(events, cpu);
    if (!wanted || !is_cpu_of(wanted, node))
        return -1;
    for (uint32_t i = 0; i < cpu; i++)
        index += is_cpu_of(&events->definitions->locations.items[i], node);
    return index;
}

/* The CPUs of a loom: those that are known, or one. */
static json_t *cpus_of(const struct quipu__ovni_event_writer *events, uint32_t node, bool *is_starved) {
    json_t *list = json_array();
    for (uint32_t i = 0; i <= events->definitions->locations.count; i++) {
        const struct quipu_location *location = location_at(events, i);
        const bool is_last = !location && json_array_size(list) == 0;
        if (!is_last && (!location || !is_cpu_of(location, node)))
            continue;
        const char *dot = location ? strrchr(location->name, '.') : NULL;
        const size_t index = json_array_size(list);
        json_t *cpu = json_object();
        const double physical = dot ? (double)strtol(dot + 1, NULL, 10) : (double)index;
        quipu__ovni_json_set(cpu, "index", json_real((double)index), is_starved);
        quipu__ovni_json_set(cpu, "phyid", json_real(physical), is_starved);
        quipu__ovni_json_append(list, cpu, is_starved);
        if (*is_starved)
            break;
    }
    return list;
}

/* ---- Regions ---- */

/* Names of MPI's functions mean the same in all formats; other names only where they come from the same channel. */
static bool may_be(const struct quipu_region *region, const struct quipu__ovni_event_row *row) {
    return row->channel == QUIPU__OVNI_CHANNEL_mpi_function ||
           strcmp(quipu__ovni_channels[row->channel].title, region->group) == 0;
}

/* The event of ovni that enters a region; NULL: it becomes a mark. */
static const struct quipu__ovni_event_row *row_of(struct quipu__ovni_event_writer *events, uint32_t region) {
    if (!HAS_ROOM(events, region_rows, region))
        return NULL;
    uint32_t *known = &events->region_rows.items[region];
    const struct quipu_region *definition =
        region < events->definitions->regions.count ? &events->definitions->regions.items[region] : NULL;
    for (uint32_t i = 0; *known == 0 && definition && i < quipu__ovni_event_count; i++) {
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

static enum quipu_status put_region(struct thread *thread, uint32_t region, bool enters, uint64_t clock,
                                    struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu__ovni_event_row *row = row_of(events, region);
    if (row)
        return put(thread, enters ? row->code : pop_code(row), clock, NULL, 0, err);
    if (!HAS_ROOM(events, is_region_used, region))
        return quipu__no_memory(err, region);
    events->is_region_used.items[region] = true;
    return put_mark(thread, enters ? "OM[" : "OM]", clock, (int64_t)region + 1, REGION_MARK, err);
}

static uint32_t channel_of(struct quipu__ovni_event_writer *events, uint32_t region) {
    const struct quipu__ovni_event_row *row = row_of(events, region);
    return row ? row->channel : QUIPU__OVNI_CHANNEL_none;
}

static enum quipu_status enter(struct thread *thread, uint32_t region, uint64_t clock,
                               struct quipu_error *err) {
    uint32_t *top = QUIPU__VEC_ADD(thread->writer->memory, &thread->regions);
    if (!top)
        return quipu__no_memory(err, sizeof *top);
    *top = region;
    return put_region(thread, region, true, clock, err);
}

/* Stacks are left in order: what was entered later on the same stack is left and entered again. QUIPU_END when the region was not
 * entered. */
static enum quipu_status leave(struct thread *thread, uint32_t region, uint64_t clock,
                               struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    size_t index = thread->regions.count;
    while (index > 0 && region != QUIPU_NONE && thread->regions.items[index - 1] != region)
        index--;
    if (index == 0)
        return QUIPU_END;
    const uint32_t channel = channel_of(events, thread->regions.items[--index]);
    enum quipu_status status = QUIPU_OK;
    for (size_t i = thread->regions.count; i-- > index && status == QUIPU_OK;)
        if (channel_of(events, thread->regions.items[i]) == channel)
            status = put_region(thread, thread->regions.items[i], false, clock, err);
    for (size_t i = index + 1; i < thread->regions.count && status == QUIPU_OK; i++)
        if (channel_of(events, thread->regions.items[i]) == channel)
            status = put_region(thread, thread->regions.items[i], true, clock, err);
    memmove(&thread->regions.items[index], &thread->regions.items[index + 1],
            (thread->regions.count - index - 1) * sizeof *thread->regions.items);
    thread->regions.count--;
    return status;
}

/* ---- Channels ---- */

static const struct quipu_channel *channel_at(const struct quipu__ovni_event_writer *events, uint32_t number) {
    return number < events->definitions->channels.count ? &events->definitions->channels.items[number] : NULL;
}

/* QUIPU_END: it cannot be written. */
static enum quipu_status set_state(struct thread *thread, int64_t state, uint64_t clock,
                                   struct quipu_error *err) {
    static const char *const codes[] = {[QUIPU__OVNI_THREAD_RUNNING] = "OHr",
                                        [QUIPU__OVNI_THREAD_PAUSED] = "OHp",
                                        [QUIPU__OVNI_THREAD_DEAD] = "OHe",
                                        [QUIPU__OVNI_THREAD_COOLING] = "OHc",
                                        [QUIPU__OVNI_THREAD_WARMING] = "OHw"};
    if (state == thread->closing.state)
        return QUIPU_OK;
    if (state <= 0 || state >= QUIPU__OVNI_THREAD_STATES)
        return QUIPU_END;
    return put(thread, codes[state], clock, NULL, 0, err);
}

/* What changes of a channel are in ovni: effects on it, and the events of a mark. */
static const struct channel_change {
    uint8_t effect, paired_effect;
    char mark[4];
} channel_changes[] = {
    [QUIPU_KIND_state_push] = {QUIPU__OVNI_PUSH, QUIPU__OVNI_SWITCH_OUT, "OM["},
    [QUIPU_KIND_state_pop] = {QUIPU__OVNI_POP, QUIPU__OVNI_SWITCH_IN, "OM]"},
    [QUIPU_KIND_state_set] = {QUIPU__OVNI_SET, QUIPU__OVNI_FLUSH_END, "OM="},
};

/* The event of ovni that does this to a channel of its own. */
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
    if (!HAS_ROOM(events, channel_marks, channel))
        return 0;
    if (!events->channel_marks.items[channel] && events->next_mark < QUIPU__OVNI_MARK_TYPES)
        events->channel_marks.items[channel] = events->next_mark++;
    return events->channel_marks.items[channel];
}

static enum quipu_status put_channel(struct thread *thread, const struct quipu_event *event, uint64_t clock,
                                     struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu_channel *channel = channel_at(events, event->object);
    const enum quipu_kind kind = (enum quipu_kind)event->kind;
    const int64_t value = (int64_t)event->value;
    if (!channel)
        return QUIPU_END;
    if (strcmp(channel->name, "thread state") == 0 && kind == QUIPU_KIND_state_set)
        return set_state(thread, value, clock, err);
    const struct quipu__ovni_event_row *row = own_row(channel, kind, value);
    if (row)
        return put(thread, row->code, clock, NULL, 0, err);
    const uint8_t mark =
        value != 0 && channel->is_stack == (kind != QUIPU_KIND_state_set) ? mark_of(events, event->object) : 0;
    if (!mark)
        return QUIPU_END;
    return put_mark(thread, channel_changes[kind].mark, clock, value, mark, err);
}

/* ---- Events of the model ---- */

/* False when memory is out. */
static bool refer(struct quipu__ovni_event_writer *events, enum quipu_refers refers, uint64_t number) {
    const enum quipu__ovni_class definition_class = quipu__ovni_class_of(refers);
    if (definition_class == QUIPU__OVNI_CLASSES || number >= quipu__count_of(events->definitions, refers))
        return true;
    if (!HAS_ROOM(events, is_referred[definition_class], (uint32_t)number))
        return false;
    events->is_referred[definition_class].items[number] = true;
    return true;
}

static enum quipu_status put_model_event(struct thread *thread, const struct quipu_event *event, uint64_t clock,
                                         struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)event->kind);
    const char code[4] = {'O', 'U', quipu__ovni_character_of(event->kind), '\0'};
    uint8_t payload[QUIPU__OVNI_FIELDS_BYTES];
    for (size_t i = 0; i < kind->field_count; i++)
        if (!refer(events, kind->fields[i].refers, (uint64_t)quipu_event_get(event, kind->fields[i].column)))
            return quipu__no_memory(err, 0);
    events->has_model_events = true;
    return put(thread, code, clock, payload, quipu__ovni_encode_fields(event, payload), err);
}

/* ---- Batches ---- */

static enum quipu_status move_to(struct thread *thread, const struct quipu_event *event, uint64_t clock,
                                 struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = thread->writer->events;
    const int32_t cpu = cpu_index(events, event->peer, events->looms.items[thread->loom].node);
    uint8_t payload[4];
    if (event->object != QUIPU_NONE && event->object != thread->location)
        return QUIPU_END; /* of another thread */
    if (!thread->has_started || thread->closing.state == QUIPU__OVNI_THREAD_DEAD)
        return begin(thread, clock, cpu, err);
    store(payload, (uint32_t)cpu, 4);
    return put(thread, "OAs", clock, payload, sizeof payload, err);
}

/* A thread of which nothing else is known runs for no time when it is said to begin or end. */
static void note_life(struct thread *thread, uint64_t clock) {
    if (!thread->has_started)
        thread->closing.clock = clock;
}

/* QUIPU_END: it cannot be written. */
static enum quipu_status put_event(struct thread *thread, const struct quipu_event *event, uint64_t clock,
                                   struct quipu_error *err) {
    note_life(thread, clock);
    if (event->kind == QUIPU_KIND_location_begin)
        return QUIPU_OK; /* begins with what follows */
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

/* What makes the first time at least 0; clocks of the trace that count from an origin go on counting from it. */
static int64_t shift_for(const struct quipu_clock *clock, int64_t first_ns) {
    const bool is_in_ns = clock->ticks_per_second == UINT64_C(1000000000) && clock->per_seconds <= 1;
    const int64_t origin = is_in_ns && clock->origin > 0 && clock->origin < INT64_MAX / 2 ? clock->origin : 0;
    const int64_t least = first_ns < -INT64_MAX ? INT64_MAX : -first_ns;
    return first_ns < 0 && origin < least ? least : origin;
}

/* A time before that of the first event can be before 0, where ovni has no time. */
static uint64_t clock_of(struct quipu__ovni_event_writer *events, const struct quipu_event *event) {
    const struct quipu_clock *clock = &events->definitions->clock;
    const int64_t ns = quipu_clock_ns(clock, event->time);
    if (!events->has_shift)
        events->shift = shift_for(clock, ns);
    events->has_shift = true;
    const bool is_before = ns < 0 && (uint64_t)events->shift < 0 - (uint64_t)ns;
    events->writer->output->approximated[event->kind] += is_before;
    return is_before ? 0 : (uint64_t)ns + (uint64_t)events->shift;
}

static enum quipu_status create_events(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    writer->events = quipu__alloc_zero(writer->memory, sizeof *writer->events);
    if (!writer->events)
        return quipu__no_memory(err, sizeof *writer->events);
    writer->events->writer = writer;
    writer->events->next_mark = CHANNEL_MARKS;
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
        struct thread *thread = NULL;
        quipu__batch_event(batch, i, &cursor, &event);
        if (!is_capable(event.kind) || event.location >= output->definitions->locations.count) {
            output->dropped[event.kind]++;
            continue;
        }
        status = find_thread(writer->events, event.location, &thread, err);
        if (status == QUIPU_OK)
            status = put_event(thread, &event, clock_of(writer->events, &event), err);
        output->dropped[event.kind] += status == QUIPU_END;
        status = status == QUIPU_END ? QUIPU_OK : status;
    }
    return status;
}

/* ---- Metadata ---- */

static void set_mark(json_t *marks, unsigned type, const char *title, bool is_stack, json_t *labels,
                     bool *is_starved) {
    json_t *mark = json_object();
    char key[8];
    snprintf(key, sizeof key, "%u", type);
    quipu__ovni_json_set(mark, "title", quipu__ovni_json_text(title), is_starved);
    quipu__ovni_json_set(mark, "chan_type", json_string(is_stack ? "stack" : "single"), is_starved);
    quipu__ovni_json_set(mark, "labels", labels, is_starved);
    quipu__ovni_json_set(marks, key, mark, is_starved);
}

static void set_label(json_t *labels, int64_t value, const char *text, bool *is_starved) {
    char key[24], cut[QUIPU__OVNI_LABEL_MOST + 1];
    snprintf(key, sizeof key, "%" PRId64, value);
    snprintf(cut, sizeof cut, "%s", text);
    quipu__ovni_json_set(labels, key, quipu__ovni_json_text(cut), is_starved);
}

static json_t *marks_of(const struct quipu__ovni_event_writer *events, bool *is_starved) {
    json_t *marks = json_object(), *regions = json_object();
    for (size_t i = 0; i < events->is_region_used.count; i++)
        if (events->is_region_used.items[i] && i < events->definitions->regions.count)
            set_label(regions, (int64_t)i + 1, events->definitions->regions.items[i].name, is_starved);
    set_mark(marks, REGION_MARK, "Regions", true, regions, is_starved);
    for (size_t i = 0; i < events->channel_marks.count; i++) {
        const struct quipu_channel *channel = channel_at(events, (uint32_t)i);
        if (!events->channel_marks.items[i] || !channel)
            continue;
        json_t *labels = json_object();
        for (uint32_t k = 0; k < channel->label_count; k++)
            set_label(labels, channel->labels[k].value, channel->labels[k].text, is_starved);
        set_mark(marks, events->channel_marks.items[i], channel->name, channel->is_stack, labels, is_starved);
    }
    return marks;
}

/* How many ranks there are when all processes with events have one; 0 else. */
static int64_t rank_count(const struct quipu__ovni_event_writer *events) {
    int64_t count = 0;
    for (size_t i = 0; i < events->threads.count; i++) {
        const struct thread *thread = events->threads.items[i];
        if (thread && thread->rank < 0)
            return 0;
        if (thread && thread->rank >= count)
            count = thread->rank + 1;
    }
    return count;
}

/* What the process of a thread says, in the terms of older layouts. */
static void put_process(struct quipu__ovni_event_writer *events, const struct thread *thread, json_t *process,
                        bool *is_starved) {
    struct loom *loom = &events->looms.items[thread->loom];
    const int64_t ranks = rank_count(events);
    quipu__ovni_json_set(process, "app_id", json_real(1), is_starved);
    if (ranks > 0) {
        quipu__ovni_json_set(process, "rank", json_real((double)thread->rank), is_starved);
        quipu__ovni_json_set(process, "nranks", json_real((double)ranks), is_starved);
    }
    if (!loom->has_cpus)
        quipu__ovni_json_set(process, "cpus", cpus_of(events, loom->node, is_starved), is_starved);
    loom->has_cpus = true;
}

static json_t *requirements_of(const struct quipu__ovni_event_writer *events, bool *is_starved) {
    json_t *require = json_object();
    for (uint32_t i = 0; i < QUIPU__OVNI_MODEL_COUNT; i++)
        if (events->uses[i] || i == QUIPU__OVNI_MODEL_ovni)
            quipu__ovni_json_set(require, quipu__ovni_models[i].name,
                                 json_string(quipu__ovni_models[i].version), is_starved);
    if (events->has_model_events)
        quipu__ovni_json_set(require, QUIPU__OVNI_OWN_MODEL, json_string(QUIPU__OVNI_OWN_VERSION), is_starved);
    return require;
}

/* Streams say themselves which location and process they are. */
static void forget_streams(struct quipu__ovni_event_writer *events) {
    for (uint32_t i = 0; i < events->threads.count; i++) {
        const uint32_t numbers[] = {i, find_above(events, i, QUIPU_LOCATION_PROCESS)};
        for (unsigned k = 0; events->threads.items[i] && k < 2; k++)
            if (numbers[k] < events->is_referred[QUIPU__OVNI_CLASS_locations].count)
                events->is_referred[QUIPU__OVNI_CLASS_locations].items[numbers[k]] = false;
    }
}

static json_t *definitions_of_class(const struct quipu__ovni_event_writer *events,
                                    enum quipu__ovni_class definition_class, bool *is_starved) {
    json_t *list = json_object();
    for (uint32_t i = 0; i < events->is_referred[definition_class].count; i++) {
        char key[16];
        if (!events->is_referred[definition_class].items[i])
            continue;
        snprintf(key, sizeof key, "%" PRIu32, i);
        quipu__ovni_json_set(list, key, quipu__ovni_definition(events->definitions, definition_class, i),
                             is_starved);
    }
    return list;
}

/* False when memory is out. */
static bool refer_all(struct quipu__ovni_event_writer *events, const uint32_t *locations, uint32_t count) {
    bool has_memory = true;
    for (uint32_t i = 0; i < count && has_memory; i++)
        has_memory = refer(events, QUIPU_REFERS_LOCATION, locations[i]);
    return has_memory;
}

/* Groups refer to locations; marks that are regions have names only. */
static bool refer_more(struct quipu__ovni_event_writer *events) {
    bool has_memory = true;
    for (uint32_t i = 0; i < events->is_referred[QUIPU__OVNI_CLASS_groups].count; i++) {
        const struct quipu_group *group = &events->definitions->groups.items[i];
        if (!events->is_referred[QUIPU__OVNI_CLASS_groups].items[i])
            continue;
        has_memory = has_memory && refer_all(events, group->members, group->member_count);
        if (group->remote_members)
            has_memory = has_memory && refer_all(events, group->remote_members, group->remote_member_count);
    }
    for (uint32_t i = 0; i < events->is_region_used.count; i++)
        if (events->is_region_used.items[i])
            has_memory = has_memory && refer(events, QUIPU_REFERS_REGION, i);
    return has_memory;
}

/* What readers need for events of the model: of each stream who it is, and definitions with the first one. */
static void set_model(struct quipu__ovni_event_writer *events, const struct thread *thread, bool is_first,
                      json_t *quipu, bool *is_starved) {
    const uint32_t process = find_above(events, thread->location, QUIPU_LOCATION_PROCESS);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_VERSION_KEY, json_string(QUIPU__OVNI_OWN_VERSION), is_starved);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_PROCESS_KEY,
                         json_real(process == QUIPU_NONE ? thread->location : process), is_starved);
    if (process != QUIPU_NONE && process != thread->location)
        quipu__ovni_json_set(quipu, QUIPU__OVNI_LOCATION_KEY, json_real(thread->location), is_starved);
    if (!is_first)
        return;
    json_t *definitions = json_object();
    *is_starved |= !refer_more(events);
    forget_streams(events);
    for (unsigned definition_class = 0; definition_class < QUIPU__OVNI_CLASSES; definition_class++)
        quipu__ovni_json_set(definitions, quipu__ovni_class_keys[definition_class],
                             definitions_of_class(events, (enum quipu__ovni_class)definition_class, is_starved),
                             is_starved);
    quipu__ovni_json_set(quipu, QUIPU__OVNI_DEFINITIONS_KEY, definitions, is_starved);
}

/* NULL when memory is out. */
static json_t *metadata_of(struct quipu__ovni_event_writer *events, const struct thread *thread,
                           bool is_first) {
    bool is_starved = false;
    json_t *process = json_object();
    put_process(events, thread, process, &is_starved);
    json_t *metadata =
        quipu__ovni_upgrade(process, NULL, events->looms.items[thread->loom].name, thread->pid, thread->tid);
    json_t *ovni = json_object_get(metadata, "ovni");
    quipu__ovni_json_set(ovni, "require", requirements_of(events, &is_starved), &is_starved);
    json_t *quipu = is_first || events->has_model_events ? json_object() : NULL;
    if (is_first) {
        quipu__ovni_json_set(ovni, "mark", marks_of(events, &is_starved), &is_starved);
        quipu__ovni_json_set(quipu, QUIPU__OVNI_REGION_MARK_KEY, json_real(REGION_MARK), &is_starved);
    }
    if (events->has_model_events)
        set_model(events, thread, is_first, quipu, &is_starved);
    if (is_first || events->has_model_events)
        quipu__ovni_json_set(metadata, QUIPU__OVNI_OWN_KEY, quipu, &is_starved);
    json_decref(process);
    if (!is_starved)
        return metadata;
    json_decref(metadata);
    return NULL;
}

static enum quipu_status close_thread(struct thread *thread, struct quipu_error *err) {
    uint64_t count;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK && thread->regions.count > 0 &&
           thread->closing.state == QUIPU__OVNI_THREAD_RUNNING)
        status = leave(thread, QUIPU_NONE, thread->closing.clock, err);
    return status == QUIPU_OK ? quipu__ovni_close_stream(&thread->closing, put, thread, &count, err) : status;
}

enum quipu_status quipu__ovni_events_finish(struct quipu__ovni_writer *writer, struct quipu_error *err) {
    struct quipu__ovni_event_writer *events = writer->events;
    enum quipu_status status = QUIPU_OK;
    bool is_first = true;
    for (size_t i = 0; events && i < events->threads.count && status == QUIPU_OK; i++)
        if (events->threads.items[i])
            status = close_thread(events->threads.items[i], err);
    for (size_t i = 0; events && i < events->threads.count && status == QUIPU_OK; i++) {
        const struct thread *thread = events->threads.items[i];
        if (!thread)
            continue;
        char relative[600];
        snprintf(relative, sizeof relative, "%s/" QUIPU__OVNI_STREAM_METADATA, thread->folder);
        json_t *metadata = metadata_of(events, thread, is_first);
        status = quipu__ovni_write_json(writer, relative, metadata, err);
        json_decref(metadata);
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
    QUIPU__VEC_RELEASE(writer->memory, &events->region_rows);
    QUIPU__VEC_RELEASE(writer->memory, &events->is_region_used);
    QUIPU__VEC_RELEASE(writer->memory, &events->channel_marks);
    for (unsigned i = 0; i < QUIPU__OVNI_CLASSES; i++)
        QUIPU__VEC_RELEASE(writer->memory, &events->is_referred[i]);
    quipu__release(writer->memory, events, sizeof *events);
    writer->events = NULL;
}
