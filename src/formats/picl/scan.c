/* scan.c: the one pass that opening makes over a trace. It collects what a pass over events needs to know beforehand: aliases
 * and subsets, labels, processes and where their records lie, event types, file names, how exact the times are. An index keeps that. */
#include "formats/picl/format.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/pack.h"
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

static uint32_t add_process(struct quipu__picl_trace *own, int64_t processor, int64_t process) {
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
        process = add_process(scan->own, record->processor, record->process);
    quipu__gate_knows(process != QUIPU_NONE);
    scan->processor = record->processor;
    scan->process = record->process;
    scan->last = process;
    return process;
}

/* ---- Spans ---- */

/* The lines of the step belong to these. A line that has more is begun by its reader, who does not leave it before its end. */
static void extend(struct scan *scan, quipu__picl_spans *spans) {
    const uint64_t end =
        quipu__picl_walk_is_inside(&scan->walk) ? scan->begin + 1 : quipu__picl_walk_offset(&scan->walk);
    struct quipu__picl_span *last = spans->count > 0 ? &spans->items[spans->count - 1] : NULL;
    if (last && (last->end >= scan->begin || spans->count == QUIPU__PICL_SPANS_MOST)) {
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
    const uint64_t exact = quipu__magnitude(seconds);
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

/* Copies the text. */
static void add_label(struct quipu__picl_trace *own, struct quipu__picl_label label) {
    label.text = quipu__arena_text(&own->arena, label.text, label.len);
    quipu__gate_knows(label.text && QUIPU__VEC_PUT(own->trace->memory, &own->labels, label));
}

static void note_label(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    if (record->value_count == 0 || record->is_fast || record->values[0].type != QUIPU_VALUE_STRING ||
        scan->own->labels.count == QUIPU__PICL_DEFINITIONS_MOST)
        return;
    add_label(scan->own, (struct quipu__picl_label){record->event_type, record->processor, record->process,
                                                    record->values[0].data, record->values[0].size});
}

/* ---- Events ---- */

static void add_event_type(struct quipu__picl_trace *own, int64_t event) {
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->events, event) &&
                      quipu__map_put(&own->regions, (uint64_t)event, (uint32_t)own->events.count));
}

static void note_event_type(struct scan *scan, int64_t event) {
    if (event > -QUIPU__PICL_EVENT_LIMIT && event < QUIPU__PICL_EVENT_LIMIT) {
        uint8_t *has_event = event < 0 ? &scan->has_event[-event] : &scan->has_user_event[event];
        if (*has_event)
            return;
        *has_event = 1;
    } else if (quipu__map_get(&scan->own->regions, (uint64_t)event) != QUIPU_NONE) {
        return;
    }
    add_event_type(scan->own, event);
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
            quipu__gate_knows(add_process(scan->own, scan->peers.items[i], QUIPU__PICL_ALL) != QUIPU_NONE);
}

static void add_file(struct quipu__picl_trace *own, const char *text, size_t len) {
    const uint64_t hash = quipu__hash(text, len, own->files.seed);
    if (quipu__map_get(&own->files, hash) != QUIPU_NONE)
        return;
    const char *name = quipu__arena_text(&own->arena, text, len);
    const struct quipu_file file = {.native_id = QUIPU_UNKNOWN, .name = name, .group = ""};
    const uint32_t number = name ? quipu__add_file(own->trace->define, &file) : QUIPU_NONE;
    quipu__gate_knows(number != QUIPU_NONE && quipu__map_put(&own->files, hash, number));
}

static void note_file(struct scan *scan) {
    const struct quipu__picl_record *record = &scan->record;
    if (!record->is_fast && record->value_count > 0 && record->values[0].type == QUIPU_VALUE_STRING)
        add_file(scan->own, record->values[0].data, record->values[0].size);
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

static void add_marker(struct quipu__picl_trace *own, int64_t type) {
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->marker_types, type) &&
                      quipu__map_put(&own->markers, (uint64_t)type, (uint32_t)own->marker_types.count - 1));
}

static void note_marker(struct scan *scan) {
    if (quipu__map_get(&scan->own->markers, (uint64_t)scan->record.record_type) == QUIPU_NONE)
        add_marker(scan->own, scan->record.record_type);
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
        if (!quipu__picl_walk_is_inside(&scan->walk)) {
            scan->begin = quipu__picl_walk_offset(&scan->walk);
            scan->line = scan->walk.decoder.line;
        }
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

static enum quipu_status scan_file(struct quipu__picl_trace *own, struct quipu_error *err) {
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
    if (status == QUIPU_OK)
        status = quipu__memory_status(own->trace->memory, err);
    quipu__picl_walk_close(&scan->walk);
    QUIPU__VEC_RELEASE(own->trace->memory, &scan->peers);
    quipu__map_release(&scan->peer_numbers);
    quipu__release(own->trace->memory, scan, sizeof *scan);
    return status;
}

/* ---- What an index keeps of it ---- */

static void save_spans(const quipu__picl_spans *spans, struct quipu__buffer *out) {
    quipu__pack_u64(out, spans->count);
    for (size_t i = 0; i < spans->count; i++) {
        quipu__pack_u64(out, spans->items[i].begin);
        quipu__pack_u64(out, spans->items[i].end);
        quipu__pack_u64(out, spans->items[i].line);
    }
}

static void save_scope(const struct quipu__picl_scope *scope, struct quipu__buffer *out) {
    quipu__pack_u64(out, scope->is_full);
    quipu__pack_u64(out, scope->aliases.count);
    for (size_t i = 0; i < scope->aliases.count; i++) {
        const struct quipu__picl_alias *alias = &scope->aliases.items[i];
        quipu__pack_u64(out, alias->byte);
        quipu__pack_i64(out, alias->number);
        quipu__pack_i64(out, alias->event);
        quipu__pack_i64(out, alias->processor);
        quipu__pack_i64(out, alias->process);
        quipu__pack_bytes(out, alias->control, alias->len);
    }
    quipu__pack_u64(out, scope->subsets.count);
    for (size_t i = 0; i < scope->subsets.count; i++) {
        const struct quipu__picl_subset *subset = &scope->subsets.items[i];
        quipu__pack_u64(out, subset->byte);
        quipu__pack_i64(out, subset->record_type);
        quipu__pack_i64(out, subset->identifier);
        quipu__pack_u64(out, subset->member_count);
        for (size_t k = 0; k < subset->member_count; k++)
            quipu__pack_i64(out, subset->members[k]);
    }
}

static void save_processes(const struct quipu__picl_trace *own, struct quipu__buffer *out) {
    quipu__pack_u64(out, own->processes.count);
    for (size_t i = 0; i < own->processes.count; i++) {
        const struct quipu__picl_process *process = &own->processes.items[i];
        quipu__pack_i64(out, process->processor);
        quipu__pack_i64(out, process->process);
        quipu__pack_u64(out, process->is_traced);
        save_spans(&process->spans, out);
    }
    save_spans(&own->others, out);
}

static void save_numbers(const int64_t *numbers, size_t count, struct quipu__buffer *out) {
    quipu__pack_u64(out, count);
    for (size_t i = 0; i < count; i++)
        quipu__pack_i64(out, numbers[i]);
}

static void save_names(const struct quipu__picl_trace *own, struct quipu__buffer *out) {
    const struct quipu_files *files = &own->trace->define->definitions.files;
    quipu__pack_u64(out, own->labels.count);
    for (size_t i = 0; i < own->labels.count; i++) {
        const struct quipu__picl_label *label = &own->labels.items[i];
        quipu__pack_i64(out, label->event);
        quipu__pack_i64(out, label->processor);
        quipu__pack_i64(out, label->process);
        quipu__pack_bytes(out, label->text, label->len);
    }
    quipu__pack_u64(out, files->count);
    for (uint32_t i = 0; i < files->count; i++)
        quipu__pack_bytes(out, files->items[i].name, strlen(files->items[i].name));
}

static enum quipu_status save(const struct quipu__trace *trace, struct quipu__buffer *out,
                              struct quipu_error *err) {
    const struct quipu__picl_trace *own = trace->own;
    quipu__pack_u64(out, own->decimals);
    quipu__pack_u64(out, own->is_sorted);
    quipu__pack_u64(out, own->has_messages);
    quipu__pack_u64(out, own->carriage_return);
    save_scope(&own->scope, out);
    save_processes(own, out);
    save_names(own, out);
    save_numbers(own->events.items, own->events.count, out);
    save_numbers(own->relatives.items, own->relatives.count, out);
    save_numbers(own->marker_types.items, own->marker_types.count, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

/* A count of items of at least one byte each. */
static size_t load_count(struct quipu__slice *from) {
    return (size_t)quipu__unpack_up_to(from, quipu__slice_left(from));
}

static void load_spans(struct quipu__picl_trace *own, struct quipu__slice *from, quipu__picl_spans *out) {
    for (size_t left = load_count(from); left > 0 && !from->failed; left--) {
        struct quipu__picl_span span = {.begin = quipu__unpack_u64(from)};
        span.end = quipu__unpack_u64(from);
        span.line = quipu__unpack_u64(from);
        from->failed |=
            span.begin > span.end || (out->count > 0 && span.begin < out->items[out->count - 1].end);
        quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, out, span));
    }
}

static void load_text(struct quipu__slice *from, const char **text, size_t *len) {
    const struct quipu__slice bytes = quipu__unpack_bytes(from);
    *text = bytes.at ? (const char *)bytes.at : "";
    *len = quipu__slice_left(&bytes);
}

static void load_alias(struct quipu__picl_trace *own, struct quipu__slice *from) {
    struct quipu__picl_alias alias = {.byte = quipu__unpack_u64(from)};
    alias.number = quipu__unpack_i64(from);
    alias.event = quipu__unpack_i64(from);
    alias.processor = quipu__unpack_i64(from);
    alias.process = quipu__unpack_i64(from);
    load_text(from, &alias.control, &alias.len);
    quipu__gate_knows(quipu__picl_add_alias(&own->scope, &alias));
}

static void load_subset(struct quipu__picl_trace *own, struct quipu__slice *from) {
    struct quipu__picl_subset subset = {.byte = quipu__unpack_u64(from)};
    subset.record_type = quipu__unpack_i64(from);
    subset.identifier = quipu__unpack_i64(from);
    subset.member_count = load_count(from);
    int64_t *members = quipu__alloc(own->trace->memory, (subset.member_count + 1) * sizeof *members);
    quipu__gate_knows(members != NULL);
    if (!members)
        return;
    for (size_t i = 0; i < subset.member_count; i++)
        members[i] = quipu__unpack_i64(from);
    subset.members = members;
    quipu__gate_knows(quipu__picl_add_subset(&own->scope, &subset));
    quipu__release(own->trace->memory, members, (subset.member_count + 1) * sizeof *members);
}

static void load_process(struct quipu__picl_trace *own, struct quipu__slice *from) {
    const int64_t processor = quipu__unpack_i64(from), process = quipu__unpack_i64(from);
    const uint32_t number = add_process(own, processor, process);
    if (number == QUIPU_NONE)
        return;
    own->processes.items[number].is_traced = quipu__unpack_up_to(from, 1) == 1;
    load_spans(own, from, &own->processes.items[number].spans);
}

static void load_label(struct quipu__picl_trace *own, struct quipu__slice *from) {
    struct quipu__picl_label label = {.event = quipu__unpack_i64(from)};
    label.processor = quipu__unpack_i64(from);
    label.process = quipu__unpack_i64(from);
    load_text(from, &label.text, &label.len);
    add_label(own, label);
}

static void load_file(struct quipu__picl_trace *own, struct quipu__slice *from) {
    const char *name;
    size_t len;
    load_text(from, &name, &len);
    add_file(own, name, len);
}

static void load_event_type(struct quipu__picl_trace *own, struct quipu__slice *from) {
    add_event_type(own, quipu__unpack_i64(from));
}

static void load_relative(struct quipu__picl_trace *own, struct quipu__slice *from) {
    quipu__gate_knows(QUIPU__VEC_PUT(own->trace->memory, &own->relatives, quipu__unpack_i64(from)));
}

static void load_marker(struct quipu__picl_trace *own, struct quipu__slice *from) {
    add_marker(own, quipu__unpack_i64(from));
}

static void load_list(struct quipu__picl_trace *own, struct quipu__slice *from,
                      void (*load_one)(struct quipu__picl_trace *own, struct quipu__slice *from)) {
    for (size_t left = load_count(from); left > 0 && !from->failed && !quipu__memory_is_out(own->trace->memory);
         left--)
        load_one(own, from);
}

static bool load_all(struct quipu__picl_trace *own, struct quipu__slice *from) {
    own->decimals = (uint32_t)quipu__unpack_up_to(from, QUIPU__PICL_DECIMALS_MOST);
    own->is_sorted = quipu__unpack_up_to(from, 1) == 1;
    own->has_messages = quipu__unpack_up_to(from, 1) == 1;
    own->carriage_return = quipu__unpack_u64(from);
    own->scope.is_full = quipu__unpack_up_to(from, 1) == 1;
    load_list(own, from, load_alias);
    load_list(own, from, load_subset);
    load_list(own, from, load_process);
    load_spans(own, from, &own->others);
    load_list(own, from, load_label);
    load_list(own, from, load_file);
    load_list(own, from, load_event_type);
    load_list(own, from, load_relative);
    load_list(own, from, load_marker);
    return !from->failed && quipu__slice_left(from) == 0 && own->relatives.count <= QUIPU__PICL_RELATIVES_MOST;
}

/* ---- Both ways ---- */

/* What concerns the trace as a whole and is known by now. */
static void report_opening(const struct quipu__picl_trace *own) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = own->trace->path;
    if (own->scope.is_full)
        quipu__find(own->trace->findings, &quipu__picl_rules[QUIPU__PICL_RULE_TOO_MANY], &where, "",
                    "more than %d", QUIPU__PICL_DEFINITIONS_MOST);
    where.line = own->carriage_return;
    if (own->carriage_return > 0)
        quipu__find(own->trace->findings, &quipu__picl_rules[QUIPU__PICL_RULE_CARRIAGE_RETURN], &where, "",
                    " ");
}

static enum quipu_status finish(struct quipu__picl_trace *own, struct quipu_error *err) {
    sort_processes(own);
    list_substreams(own);
    const enum quipu_status status = quipu__picl_define(own, err);
    if (status != QUIPU_OK)
        return status;
    own->trace->streams.items[0].substreams = own->substreams.count > 1 ? (uint32_t)own->substreams.count : 1;
    report_opening(own);
    return QUIPU_OK;
}

static enum quipu_status make(struct quipu__trace *trace, struct quipu_error *err) {
    const enum quipu_status status = scan_file(trace->own, err);
    return status == QUIPU_OK ? finish(trace->own, err) : status;
}

static enum quipu_status load(struct quipu__trace *trace, struct quipu__slice bytes, struct quipu_error *err) {
    const bool is_right = load_all(trace->own, &bytes);
    const enum quipu_status status = quipu__memory_status(trace->memory, err);
    if (status != QUIPU_OK)
        return status;
    return is_right ? finish(trace->own, err)
                    : quipu__fail(err, QUIPU_CORRUPT, "what an index has of %s is damaged", trace->path);
}

const struct quipu__survey quipu__picl_survey = {.make = make, .save = save, .load = load};
