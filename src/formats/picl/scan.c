/* scan.c: the one pass that opening makes over a trace. It collects what a pass over events needs to know beforehand: aliases
 * and subsets, labels, processes and where their records lie, event types, file names, how exact the times are. */
#include "formats/picl/format.h"

#include "core/error.h"
#include "formats/picl/fast_line.h"

/* State of the scan that nothing else needs. */
struct scan {
    struct quipu__picl_trace *own;
    struct quipu__picl_walk walk;
    struct quipu__picl_record record;
    int64_t processor, process; /* of the last record */
    uint32_t last;              /* its process */
    uint32_t decimals;          /* most that a time has */
    uint64_t seconds;           /* as large as the largest time, or half as much again */
    struct {
        uint32_t decimals;
        uint64_t mantissa;
    } largest;                       /* times up to this one say nothing new */
    struct quipu__picl_decimal time; /* of the last event of any process */
    QUIPU__VEC(int64_t) peers;       /* processors that messages name */
    struct quipu__map peer_numbers;  /* the same as a set */
    uint8_t has_event[QUIPU__PICL_EVENT_LIMIT];
    uint8_t has_user_event[QUIPU__PICL_EVENT_LIMIT];
    uint64_t begin, line; /* of the step */
};

/* ---- Processes ---- */

static uint64_t key_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process) {
    const int64_t pair[2] = {processor, process};
    const bool is_small =
        processor >= INT32_MIN && processor <= INT32_MAX && process >= INT32_MIN && process <= INT32_MAX;
    return is_small ? (uint64_t)(uint32_t)processor << 32 | (uint32_t)process
                    : quipu__hash(pair, sizeof pair, own->process_numbers.seed);
}

uint32_t quipu__picl_process_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process) {
    return quipu__map_get(&own->process_numbers, key_of(own, processor, process));
}

uint32_t quipu__picl_peer_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process) {
    const uint32_t exact =
        process == QUIPU__PICL_ALL ? QUIPU_NONE : quipu__picl_process_of(own, processor, process);
    return exact != QUIPU_NONE ? exact : quipu__map_get(&own->processors, (uint64_t)processor);
}

static uint32_t add_process(struct scan *scan, int64_t processor, int64_t process) {
    struct quipu__picl_trace *own = scan->own;
    const uint32_t number = (uint32_t)own->processes.count;
    struct quipu__picl_process *added = QUIPU__VEC_ADD(own->trace->memory, &own->processes);
    if (!added || !quipu__map_put(&own->process_numbers, key_of(own, processor, process), number))
        return QUIPU_NONE;
    added->processor = processor;
    added->process = process;
    if (quipu__map_get(&own->processors, (uint64_t)processor) == QUIPU_NONE)
        quipu__gate_knows(quipu__map_put(&own->processors, (uint64_t)processor, number));
    return number;
}

/* The process of the record, which is added when it is new. */
static uint32_t process_of(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    if (scan->last != QUIPU_NONE && record->processor == scan->processor && record->process == scan->process)
        return scan->last;
    uint32_t process = quipu__picl_process_of(scan->own, record->processor, record->process);
    if (process == QUIPU_NONE)
        process = add_process(scan, record->processor, record->process);
    quipu__gate_knows(process != QUIPU_NONE);
    scan->processor = record->processor;
    scan->process = record->process;
    scan->last = process;
    return process;
}

/* ---- Spans ---- */

/* The lines of the step belong to these. */
static void extend(struct scan *scan, quipu__picl_spans *spans) {
    const uint64_t end = quipu__picl_walk_offset(&scan->walk);
    struct quipu__picl_span *last = spans->count > 0 ? &spans->items[spans->count - 1] : NULL;
    if (last && (last->end == scan->begin || spans->count == QUIPU__PICL_SPANS_MOST)) {
        last->end = end;
        return;
    }
    quipu__gate_knows(QUIPU__VEC_PUT(scan->own->trace->memory, spans,
                                     (struct quipu__picl_span){scan->begin, end, scan->line}));
}

/* ---- Times ---- */

/* Compares two decimal numbers: -1, 0 or 1. Exact unless one of them has more digits than it keeps. */
static int compare(const struct quipu__picl_decimal *a, const struct quipu__picl_decimal *b) {
    int64_t left, right;
    if (a->exponent == b->exponent && a->is_negative == b->is_negative && !a->is_cut && !b->is_cut) {
        const int order = (a->mantissa > b->mantissa) - (a->mantissa < b->mantissa);
        return a->is_negative ? -order : order;
    }
    const uint32_t decimals_a = quipu__picl_decimals_of(a), decimals_b = quipu__picl_decimals_of(b);
    uint32_t decimals = decimals_a > decimals_b ? decimals_a : decimals_b;
    for (decimals = decimals < 18 ? decimals : 18;; decimals--) {
        const bool is_left_exact = quipu__picl_to_ticks(a, decimals, &left);
        const bool is_right_exact = quipu__picl_to_ticks(b, decimals, &right);
        const bool is_cut =
            left == INT64_MAX || left == -INT64_MAX || right == INT64_MAX || right == -INT64_MAX;
        if ((is_left_exact && is_right_exact) || decimals == 0 || !is_cut)
            return (left > right) - (left < right);
    }
}

static void note_time(struct scan *scan) {
    const struct quipu__picl_decimal *time = &scan->record.time;
    const uint32_t decimals = quipu__picl_decimals_of(time);
    int64_t seconds;
    if (decimals == scan->largest.decimals && time->exponent <= 0 && time->mantissa <= scan->largest.mantissa)
        return;
    scan->largest.decimals = decimals;
    scan->largest.mantissa =
        time->mantissa + time->mantissa / 2; /* and so the next look is some records away */
    scan->decimals = decimals > scan->decimals ? decimals : scan->decimals;
    quipu__picl_to_ticks(time, 0, &seconds);
    const uint64_t exact = (uint64_t)(seconds < 0 ? -seconds : seconds);
    const uint64_t magnitude = exact + exact / 2 + 2;
    scan->seconds = magnitude > scan->seconds ? magnitude : scan->seconds;
}

/* So many decimals that all times fit 62 bits. */
static uint32_t choose_decimals(const struct scan *scan) {
    uint32_t decimals = scan->decimals < QUIPU__PICL_DECIMALS_MOST ? scan->decimals : QUIPU__PICL_DECIMALS_MOST;
    while (decimals > 0 && scan->seconds > ((uint64_t)1 << 62) / quipu__picl_power_of_ten(decimals))
        decimals--;
    return decimals;
}

/* ---- Definitions ---- */

static void note_alias(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    const struct quipu__picl_alias alias = {record->byte,          record->values[0].i, record->event_type,
                                            record->processor,     record->process,     record->values[1].data,
                                            record->values[1].size};
    quipu__gate_knows(quipu__picl_add_alias(&scan->own->scope, &alias));
}

static void note_subset(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    struct quipu__picl_subset subset = {record->byte, record->record_type, 0, NULL, record->value_count - 1};
    int64_t *members = quipu__alloc(scan->own->trace->memory, (subset.member_count + 1) * sizeof *members);
    quipu__gate_knows(members != NULL);
    if (!members)
        return;
    quipu__picl_integer(record, 0, &subset.identifier);
    for (uint32_t i = 1; i < record->value_count; i++)
        quipu__picl_integer(record, i, &members[i - 1]);
    subset.members = members;
    quipu__gate_knows(quipu__picl_add_subset(&scan->own->scope, &subset));
    quipu__release(scan->own->trace->memory, members, (subset.member_count + 1) * sizeof *members);
}

static void note_label(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    struct quipu__picl_trace *own = scan->own;
    if (record->value_count == 0 || record->is_fast || record->values[0].type != QUIPU_VALUE_STRING ||
        own->labels.count == QUIPU__PICL_DEFINITIONS_MOST)
        return;
    const size_t len = record->values[0].size;
    struct quipu__picl_label *label = QUIPU__VEC_ADD(own->trace->memory, &own->labels);
    const char *text = quipu__arena_text(&own->arena, record->values[0].data, len);
    quipu__gate_knows(label && text);
    if (label)
        *label = (struct quipu__picl_label){record->event_type, record->processor, record->process, text, len};
}

/* ---- Events ---- */

static void note_event_type(struct scan *scan, int64_t event) {
    struct quipu__picl_trace *own = scan->own;
    if (event > -QUIPU__PICL_EVENT_LIMIT && event < QUIPU__PICL_EVENT_LIMIT) {
        uint8_t *has_event = event < 0 ? &scan->has_event[-event] : &scan->has_user_event[event];
        if (*has_event)
            return;
        *has_event = 1;
    } else if (quipu__map_get(&own->regions, (uint64_t)event) != QUIPU_NONE) {
        return;
    }
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->events, event) &&
                      quipu__map_put(&own->regions, (uint64_t)event, (uint32_t)own->events.count));
}

/* The other side of a message is a process even if it has no records. */
static void note_peer(struct scan *scan, const struct quipu__picl_layout *layout) {
    const int index = quipu__picl_field_index(layout, QUIPU__PICL_PROCESSOR);
    int64_t processor;
    if (index < 0 || !quipu__picl_integer(&scan->record, (uint32_t)index, &processor) || processor < 0)
        return;
    if (quipu__map_get(&scan->peer_numbers, (uint64_t)processor) != QUIPU_NONE)
        return;
    quipu__gate_knows(QUIPU__VEC_PUT(scan->own->trace->memory, &scan->peers, processor) &&
                      quipu__map_put(&scan->peer_numbers, (uint64_t)processor, 0));
}

/* Peers that have no records are processes whose number is not known. */
static void add_peers(struct scan *scan) {
    for (size_t i = 0; i < scan->peers.count; i++)
        if (quipu__map_get(&scan->own->processors, (uint64_t)scan->peers.items[i]) == QUIPU_NONE)
            quipu__gate_knows(add_process(scan, scan->peers.items[i], QUIPU__PICL_ALL) != QUIPU_NONE);
}

static void note_file(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    struct quipu__picl_trace *own = scan->own;
    if (record->is_fast || record->value_count == 0 || record->values[0].type != QUIPU_VALUE_STRING)
        return;
    const uint64_t hash = quipu__hash(record->values[0].data, record->values[0].size, own->files.seed);
    if (quipu__map_get(&own->files, hash) != QUIPU_NONE)
        return;
    const char *name = quipu__arena_text(&own->arena, record->values[0].data, record->values[0].size);
    const struct quipu_file file = {.native_id = QUIPU_UNKNOWN, .name = name, .group = ""};
    const uint32_t number = name ? quipu__add_file(own->trace->define, &file) : QUIPU_NONE;
    quipu__gate_knows(number != QUIPU_NONE && quipu__map_put(&own->files, hash, number));
}

/* What events of a type refer to. */
static void note_references(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    const struct quipu__picl_event *event = quipu__picl_row_of(scan->own, record->event_type);
    if (!event)
        return;
    const struct quipu__picl_layout *layout = quipu__picl_layout_of_peer(event, record->record_type);
    if (layout)
        note_peer(scan, layout);
    else if (event->mapping == QUIPU__PICL_MAPPING_POST && record->record_type == QUIPU__PICL_ENTRY)
        note_peer(scan, event->entry);
    else if (event->mapping == QUIPU__PICL_MAPPING_FILE_OPEN && record->record_type == QUIPU__PICL_ENTRY)
        note_file(scan);
}

static void note_marker(struct scan *scan) {
    struct quipu__picl_trace *own = scan->own;
    const uint64_t type = (uint64_t)scan->record.record_type;
    if (quipu__map_get(&own->markers, type) != QUIPU_NONE)
        return;
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->marker_types, (int64_t)type) &&
                      quipu__map_put(&own->markers, type, (uint32_t)own->marker_types.count - 1));
}

/* Sets may have other sets inside of them. */
static void note_relative(struct scan *scan) {
    struct quipu__picl_trace *own = scan->own;
    for (size_t i = 0; i < own->relatives.count; i++)
        if (own->relatives.items[i] == scan->record.event_type)
            return;
    if (scan->record.event_type == QUIPU__PICL_ALL || own->relatives.count == QUIPU__PICL_RELATIVES_MOST)
        return;
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->relatives, scan->record.event_type));
    note_event_type(scan, scan->record.event_type);
}

static void note_statistics(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    int64_t event;
    note_relative(scan);
    for (uint32_t i = 0; i < record->value_count; i += 2)
        if (quipu__picl_integer(record, i, &event))
            note_event_type(scan, event);
}

/* Notes whether the file is in time order so far. Statistics follow what they are about, messages precede it. */
static void note_order(struct scan *scan) {
    if (scan->own->is_sorted && scan->time.exponent != INT32_MIN)
        scan->own->is_sorted = compare(&scan->time, &scan->record.time) <= 0;
    scan->time = scan->record.time;
}

/* A record that belongs to a process. */
static void note_owned(struct scan *scan) {
    const int64_t type = scan->record.record_type;
    const uint32_t number = process_of(scan);
    if (number == QUIPU_NONE)
        return;
    struct quipu__picl_process *process = &scan->own->processes.items[number];
    process->is_traced = true;
    extend(scan, &process->spans);
    scan->own->has_messages |= type == QUIPU__PICL_MESSAGE;
    if (type >= QUIPU__PICL_EXIT && type <= QUIPU__PICL_MARK) {
        note_order(scan);
        note_event_type(scan, scan->record.event_type);
        note_references(scan);
    } else if (type >= 0) {
        note_order(scan);
        note_marker(scan);
    } else if (type <= QUIPU__PICL_TIMES && type >= QUIPU__PICL_SIZES) {
        note_statistics(scan);
    }
}

static void note(struct scan *scan) {
    note_time(scan);
    switch (scan->record.record_type) {
    case QUIPU__PICL_LABEL:
        note_label(scan);
        break;
    case QUIPU__PICL_ALIAS:
        note_alias(scan);
        break;
    case QUIPU__PICL_PROCESSOR_SUBSET:
    case QUIPU__PICL_PROCESS_SUBSET:
    case QUIPU__PICL_EVENT_SUBSET:
        note_subset(scan);
        break;
    default:
        note_owned(scan);
        return;
    }
    extend(scan, &scan->own->others);
}

/* ---- The file ---- */

static void note_report(void *context, enum quipu__picl_rule rule, uint64_t line, uint64_t byte,
                        const char *found) {
    struct scan *scan = context;
    (void)byte, (void)found;
    if (rule == QUIPU__PICL_RULE_CARRIAGE_RETURN)
        scan->own->carriage_return = line;
}

static int by_numbers(const void *a, const void *b) {
    const struct quipu__picl_process *x = a, *y = b;
    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* Puts the processes in order and counts them again. */
static void sort_processes(struct quipu__picl_trace *own) {
    struct quipu__memory *memory = own->trace->memory;
    if (own->processes.count > 0)
        qsort(own->processes.items, own->processes.count, sizeof *own->processes.items, by_numbers);
    quipu__map_release(&own->processors);
    quipu__map_init(&own->processors, memory);
    for (uint32_t i = 0; i < own->processes.count; i++) {
        const struct quipu__picl_process *process = &own->processes.items[i];
        quipu__gate_knows(
            quipu__map_put(&own->process_numbers, key_of(own, process->processor, process->process), i));
        if (quipu__map_get(&own->processors, (uint64_t)process->processor) == QUIPU_NONE)
            quipu__gate_knows(quipu__map_put(&own->processors, (uint64_t)process->processor, i));
    }
}

/* Substreams of a trace that is not sorted: a process each. */
static void list_substreams(struct quipu__picl_trace *own) {
    for (uint32_t i = 0; !own->is_sorted && i < own->processes.count; i++) {
        if (!own->processes.items[i].is_traced)
            continue;
        own->processes.items[i].substream = (uint32_t)own->substreams.count;
        quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->substreams, i));
    }
}

static enum quipu_status read_all(struct scan *scan, struct quipu_error *err) {
    const bool is_new = scan->own->variant == QUIPU__PICL_NEW_FORMAT;
    enum quipu_status status = QUIPU_OK;
    while (!quipu__memory_is_out(scan->own->trace->memory)) {
        bool is_record;
        scan->begin =
            quipu__picl_is_inside(&scan->walk.decoder) ? scan->begin : quipu__picl_walk_offset(&scan->walk);
        scan->line = scan->walk.decoder.line;
        is_record = true;
        if (!is_new || !quipu__picl_take_fast_line(&scan->walk.decoder, &scan->record))
            status = quipu__picl_walk_step(&scan->walk, &scan->record, &is_record, err);
        if (status != QUIPU_OK)
            break;
        if (is_record)
            note(scan);
        else
            extend(scan, &scan->own->others);
    }
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__picl_scan(struct quipu__picl_trace *own, struct quipu_error *err) {
    struct scan *scan = quipu__alloc_zero(own->trace->memory, sizeof *scan);
    if (!scan)
        return quipu__no_memory(err, sizeof *scan);
    scan->own = own;
    scan->last = QUIPU_NONE;
    quipu__map_init(&scan->peer_numbers, own->trace->memory);
    scan->time.exponent = INT32_MIN;
    own->is_sorted = true;
    enum quipu_status status = quipu__picl_walk_open(&scan->walk, own, QUIPU__PICL_SCAN_WINDOW, err);
    scan->walk.decoder.report = note_report;
    scan->walk.decoder.context = scan;
    if (status == QUIPU_OK)
        status = read_all(scan, err);
    own->decimals = choose_decimals(scan);
    add_peers(scan);
    sort_processes(own);
    list_substreams(own);
    if (status == QUIPU_OK)
        status = quipu__memory_status(own->trace->memory, err);
    quipu__picl_walk_close(&scan->walk);
    QUIPU__VEC_RELEASE(own->trace->memory, &scan->peers);
    quipu__map_release(&scan->peer_numbers);
    quipu__release(own->trace->memory, scan, sizeof *scan);
    return status;
}
