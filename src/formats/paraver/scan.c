/* scan.c: what opening finds in the lines: threads, types, regions, communicators, and the events that
 * lines tell out of their turn. */
#include "formats/paraver/format.h"

#include "core/error.h"
#include "core/memory/sort.h"
#include "formats/paraver/regions.h"

#include <string.h>

struct scan {
    struct quipu__paraver_trace *own;
    struct quipu__paraver_lines lines;
    struct quipu__scratch scratch;
    struct quipu__paraver_record record;
    int64_t last; /* time of the latest event */
};

/* ---- Threads ---- */

/* Larger numbers are no numbers of threads; and these fit into a key. */
enum { APPLICATIONS_MOST = 1 << 15, NUMBERS_MOST = 1 << 24 };

static bool key_of(int64_t application, int64_t task, int64_t thread, uint64_t *key) {
    const bool is_known = application >= 1 && application <= APPLICATIONS_MOST && task >= 1 &&
                          task <= NUMBERS_MOST && thread >= 1 && thread <= NUMBERS_MOST;
    *key = is_known ? (uint64_t)application << 50 | (uint64_t)task << 25 | (uint64_t)thread : 0;
    return is_known;
}

uint32_t quipu__paraver_thread_of(const struct quipu__paraver_trace *own, int64_t application, int64_t task,
                                  int64_t thread) {
    uint64_t key;
    return key_of(application, task, thread, &key) ? quipu__map_get(&own->thread_of, key) : QUIPU_NONE;
}

static bool add_thread(struct quipu__paraver_trace *own, const struct quipu__paraver_thread *thread) {
    uint64_t key;
    const uint32_t number = (uint32_t)own->threads.count;
    struct quipu__paraver_thread *added = key_of(thread->application, thread->task, thread->thread, &key)
                                              ? QUIPU__VEC_ADD(own->trace->memory, &own->threads)
                                              : NULL;
    if (!added || !quipu__map_put(&own->thread_of, key, number))
        return false;
    *added = *thread;
    added->substream = QUIPU_NONE;
    added->process =
        thread->thread == 1 ? number : quipu__paraver_thread_of(own, thread->application, thread->task, 1);
    return true;
}

/* Threads of a header that nothing else speaks of are believed up to here, and beyond that as far as there are bytes for them. */
enum { BELIEVED = 1 << 16 };

static bool add_task(void *context, const struct quipu__paraver_header_task *task) {
    struct quipu__paraver_trace *own = context;
    bool is_done = true;
    for (int64_t i = 1; i <= task->threads && is_done; i++) {
        const struct quipu__paraver_thread thread = {.application = task->application,
                                                     .task = task->task,
                                                     .thread = i,
                                                     .node = task->node,
                                                     .is_in_header = true};
        if (own->threads.count >= BELIEVED && own->threads.count >= own->trace->bytes_total)
            return true;
        is_done = add_thread(own, &thread);
    }
    return is_done;
}

/* The thread of a line, which is added when the header does not have it; QUIPU_NONE: it cannot be. */
static uint32_t use_thread(struct quipu__paraver_trace *own, int64_t application, int64_t task,
                           int64_t number) {
    struct quipu__paraver_thread thread = {.application = application, .task = task, .thread = 1};
    uint64_t key;
    if (!key_of(application, task, number, &key))
        return QUIPU_NONE;
    if (quipu__map_get(&own->thread_of, key) != QUIPU_NONE)
        return quipu__map_get(&own->thread_of, key);
    if (quipu__paraver_thread_of(own, application, task, 1) == QUIPU_NONE && !add_thread(own, &thread))
        return QUIPU_NONE;
    thread.thread = number;
    return number == 1 || add_thread(own, &thread) ? quipu__map_get(&own->thread_of, key) : QUIPU_NONE;
}

/* ---- Types and regions ---- */

/* The types of a collective operation's columns; those from 50100001 on are Extrae's. */
static const struct {
    int64_t number;
    const char *label; /* that it must have; NULL: any */
    uint8_t column;
} columns[] = {{50100001, NULL, QUIPU_COLUMN_bytes},
               {50100002, NULL, QUIPU_COLUMN_value},
               {50100003, NULL, QUIPU_COLUMN_peer},
               {50100004, NULL, QUIPU_COLUMN_group},
               {2000, "Collective operation", QUIPU_COLUMN_operation},
               {2001, "Collective operation: root", QUIPU_COLUMN_object}};

enum { FIRST_COUNTER = 42000000, LAST_COUNTER = 44999999 };

static struct quipu__paraver_used_type type_by_number(const struct quipu__paraver_trace *own, int64_t number) {
    const struct quipu__paraver_named_type *named = quipu__paraver_named(&own->labels, number);
    struct quipu__paraver_used_type type = {.number = number, .definition = QUIPU_NONE};
    enum quipu_region_role role;
    if (quipu__paraver_role_of(number, named ? named->name : NULL, &role)) {
        type.use = QUIPU__PARAVER_USE_REGION;
        type.role = (uint8_t)role;
        return type;
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].number == number &&
            (!columns[i].label || (named && strcmp(named->name, columns[i].label) == 0))) {
            type.use = QUIPU__PARAVER_USE_COLLECTIVE;
            type.column = columns[i].column;
            return type;
        }
    type.use = number >= FIRST_COUNTER && number <= LAST_COUNTER ? QUIPU__PARAVER_USE_COUNTER
                                                                 : QUIPU__PARAVER_USE_METRIC;
    if (type.use == QUIPU__PARAVER_USE_METRIC && named &&
        quipu__paraver_names_of(&own->labels, number).count > 0)
        type.use = QUIPU__PARAVER_USE_CHANNEL;
    return type;
}

static uint32_t use_type(struct quipu__paraver_trace *own, int64_t number) {
    const uint32_t known = quipu__paraver_type_of(own, number);
    if (known != QUIPU_NONE)
        return known;
    struct quipu__paraver_used_type *type = QUIPU__VEC_ADD(own->trace->memory, &own->types);
    if (!type || !quipu__map_put(&own->type_of, (uint64_t)number, (uint32_t)own->types.count - 1))
        return QUIPU_NONE;
    *type = type_by_number(own, number);
    own->has_regions |= type->use == QUIPU__PARAVER_USE_REGION;
    return (uint32_t)own->types.count - 1;
}

/* Numbers by their hash; those that share it follow each other. */
static uint32_t find_region(const struct quipu__paraver_trace *own, uint32_t type, int64_t value,
                            uint64_t *hash) {
    const int64_t key[2] = {type, value};
    uint32_t number;
    *hash = quipu__hash(key, sizeof key, own->region_of.seed);
    while ((number = quipu__map_get(&own->region_of, *hash)) != QUIPU_NONE &&
           (own->regions.items[number].type != type || own->regions.items[number].value != value))
        ++*hash;
    return number;
}

uint32_t quipu__paraver_region_of(const struct quipu__paraver_trace *own, uint32_t type, int64_t value) {
    uint64_t hash;
    return find_region(own, type, value, &hash);
}

static uint32_t use_region(struct quipu__paraver_trace *own, uint32_t type, int64_t value) {
    uint64_t hash;
    const uint32_t known = find_region(own, type, value, &hash);
    if (known != QUIPU_NONE)
        return known;
    struct quipu__paraver_used_region *region = QUIPU__VEC_ADD(own->trace->memory, &own->regions);
    if (!region || !quipu__map_put(&own->region_of, hash, (uint32_t)own->regions.count - 1))
        return QUIPU_NONE;
    region->type = type;
    region->value = value;
    return (uint32_t)own->regions.count - 1;
}

/* ---- Lines ---- */

static bool add_displaced_event(struct scan *scan, enum quipu_kind kind, int64_t time, uint32_t thread,
                                uint32_t item, bool is_late) {
    struct quipu__paraver_displaced *event = QUIPU__VEC_ADD(scan->own->trace->memory, &scan->own->displaced);
    if (!event)
        return false;
    *event =
        (struct quipu__paraver_displaced){time, scan->lines.offset, thread, item, 0, (uint8_t)kind, is_late};
    return true;
}

/* States say nothing that regions do not. */
static bool scan_state(struct scan *scan) {
    const struct quipu__prv_record_state *state = &scan->record.any.state;
    const uint32_t thread = use_thread(scan->own, state->application, state->task, state->thread);
    if (scan->own->has_regions || thread == QUIPU_NONE || state->end <= state->begin)
        return true;
    const uint32_t region = use_region(scan->own, QUIPU_NONE, state->state);
    return region != QUIPU_NONE &&
           add_displaced_event(scan, QUIPU_KIND_enter, state->begin, thread, region, true) &&
           add_displaced_event(scan, QUIPU_KIND_leave, state->end, thread, region, false);
}

static bool scan_event(struct scan *scan) {
    struct quipu__paraver_trace *own = scan->own;
    const struct quipu__prv_record_event *event = &scan->record.any.event;
    if (use_thread(own, event->application, event->task, event->thread) == QUIPU_NONE)
        return true;
    own->is_sorted = own->is_sorted && event->time >= scan->last;
    scan->last = event->time;
    for (uint32_t i = 0; i < quipu_sized_count(event->values); i++) {
        const struct quipu__prv_record_typed_value *typed_value = &event->values[i];
        const uint32_t type = use_type(own, typed_value->type);
        if (type == QUIPU_NONE)
            return false;
        if (own->types.items[type].use == QUIPU__PARAVER_USE_REGION && typed_value->value != 0 &&
            use_region(own, type, typed_value->value) == QUIPU_NONE)
            return false;
    }
    return true;
}

/* A receive that was posted before its call began has a event for that. */
static bool scan_message(struct scan *scan) {
    struct quipu__paraver_trace *own = scan->own;
    const struct quipu__prv_record_message *message = &scan->record.any.message;
    const uint32_t from = use_thread(own, message->application, message->task, message->thread),
                   to = use_thread(own, message->receiver_application, message->receiver_task,
                                   message->receiver_thread),
                   number = (uint32_t)own->messages.count;
    if (from == QUIPU_NONE || to == QUIPU_NONE)
        return true;
    struct quipu__paraver_message *added = QUIPU__VEC_ADD(own->trace->memory, &own->messages);
    if (!added || number == QUIPU_NONE)
        return false;
    *added = (struct quipu__paraver_message){message->bytes, message->tag, from, to};
    const bool is_posted = message->logical_receive < message->physical_receive;
    return add_displaced_event(scan, QUIPU_KIND_send, message->physical_send, from, number,
                               message->logical_send >= message->physical_send) &&
           (!is_posted ||
            add_displaced_event(scan, QUIPU_KIND_recv_post, message->logical_receive, to, number, true)) &&
           add_displaced_event(scan, QUIPU_KIND_recv, message->physical_receive, to, number, !is_posted);
}

static bool scan_communicator(struct scan *scan) {
    struct quipu__paraver_trace *own = scan->own;
    const struct quipu__prv_record_communicator *record = &scan->record.any.communicator;
    const uint32_t count = quipu_sized_count(record->members);
    struct quipu__paraver_communicator *communicator = QUIPU__VEC_ADD(own->trace->memory, &own->communicators);
    struct quipu_sized *members =
        quipu__arena_alloc(&own->labels.arena, sizeof *members + count * sizeof *record->members);
    if (!communicator || !members)
        return false;
    members->count = count;
    memcpy(members + 1, record->members, count * sizeof *record->members);
    *communicator = (struct quipu__paraver_communicator){
        record->application, record->id, (const int64_t *)(const void *)(members + 1), scan->lines.number};
    return true;
}

static uint64_t ticks_per_second(const char *unit) {
    if (strcmp(unit, "_ns") == 0)
        return 1000000000;
    return strcmp(unit, "_ms") == 0 ? 1000 : 1000000;
}

/* Only the first header counts. */
static bool scan_header(struct scan *scan) {
    struct quipu__paraver_trace *own = scan->own;
    const struct quipu__prv_record_header *header = &scan->record.any.header;
    const char *end;
    if (own->has_header)
        return true;
    own->has_header = true;
    own->announced = header->communicators;
    own->ticks_per_second = ticks_per_second(header->unit);
    quipu__paraver_each_task(header->applications, &end, add_task, own);
    for (size_t i = 0; i < own->threads.count; i++)
        if (own->threads.items[i].application > own->applications)
            own->applications = own->threads.items[i].application;
    return true;
}

/* False when memory is out. */
static bool scan_line(struct scan *scan) {
    quipu__scratch_reset(&scan->scratch);
    const enum quipu__paraver_decoded decoded =
        quipu__paraver_decode(&scan->lines, &scan->scratch, &scan->record);
    if (decoded != QUIPU__PARAVER_RECORD)
        return decoded != QUIPU__PARAVER_NO_MEMORY;
    switch (scan->record.type) {
    case QUIPU__PRV_TYPE_header:
        return scan_header(scan);
    case QUIPU__PRV_TYPE_intercommunicator:
        scan->own->intercommunicators++;
        return true;
    case QUIPU__PRV_TYPE_communicator:
        return scan_communicator(scan);
    case QUIPU__PRV_TYPE_state:
        return scan_state(scan);
    case QUIPU__PRV_TYPE_event:
        return scan_event(scan);
    case QUIPU__PRV_TYPE_message:
        return scan_message(scan);
    default:
        return true;
    }
}

/* ---- Displaced events in order ---- */

static int by_order(const void *left, const void *right) {
    const struct quipu__paraver_displaced *a = left, *b = right;
    if (a->substream != b->substream)
        return a->substream < b->substream ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (int)a->is_late - (int)b->is_late;
}

/* Substreams: one, or one for each thread. */
static void choose_substreams(struct quipu__paraver_trace *own) {
    own->substreams = own->is_sorted || own->threads.count == 0 ? 1 : (uint32_t)own->threads.count;
    for (uint32_t i = 0; i < own->threads.count; i++)
        own->threads.items[i].substream = own->is_sorted ? 0 : i;
}

static bool sort_displaced(struct quipu__paraver_trace *own) {
    size_t count = 0;
    for (size_t i = 0; i < own->displaced.count; i++) {
        struct quipu__paraver_displaced *event = &own->displaced.items[i];
        const bool is_state = event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave;
        if (is_state && own->has_regions)
            continue;
        event->substream = own->threads.items[event->thread].substream;
        own->displaced.items[count++] = *event;
    }
    own->displaced.count = count;
    if (!quipu__sort(own->trace->memory, own->displaced.items, count, sizeof *own->displaced.items, by_order) ||
        !QUIPU__VEC_RESERVE(own->trace->memory, &own->first_displaced, own->substreams + 1))
        return false;
    own->first_displaced.count = own->substreams + 1;
    for (size_t i = 0, next = 0; i < own->first_displaced.count; i++) {
        while (next < count && own->displaced.items[next].substream < i)
            next++;
        own->first_displaced.items[i] = next;
    }
    return true;
}

/* ---- The scan ---- */

enum quipu_status quipu__paraver_scan(struct quipu__paraver_trace *own, struct quipu_error *err) {
    enum { WINDOW = 1 << 18 };
    struct quipu__trace *trace = own->trace;
    struct scan scan = {.own = own, .last = INT64_MIN};
    own->is_sorted = true;
    own->announced = -1;
    own->ticks_per_second = 1000000000;
    quipu__scratch_init(&scan.scratch, trace->memory);
    enum quipu_status status =
        quipu__input_open(trace->files, trace->path, QUIPU__CODEC_DETECT, WINDOW, &scan.lines.input, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(scan.lines.input, 1, err);
    if (status == QUIPU_OK)
        trace->bytes_total = scan.lines.input->size;
    while (status == QUIPU_OK) {
        status = quipu__paraver_next_line(&scan.lines, err);
        if (status == QUIPU_OK && !scan_line(&scan))
            status = quipu__no_memory(err, scan.lines.len);
    }
    quipu__input_close(scan.lines.input);
    quipu__scratch_release(&scan.scratch);
    if (status != QUIPU_END)
        return status;
    choose_substreams(own);
    return sort_displaced(own) ? QUIPU_OK : (enum quipu_status)quipu__no_memory(err, own->displaced.count);
}
