/* fast_events.c: the fast path to events: lines of the common spelling, straight from the window into the columns.
 *
 * Nearly all lines of an event file are time lines, process lines and seven kinds of records without optional parts. And
 * nearly all of these come in threes: a time with as many digits as the one before, the same process again, a function that
 * is entered or left. read_triples reads those; read_lines reads the others one at a time, and determines what the next
 * triples must look like. The scanner (schema/keyed_scan.h) knows the spelling of lines; here their numbers become events.
 * Everything else is left to the caller.
 */
#include "formats/otf/format.h"

struct fast {
    struct quipu__otf_pass *pass;
    struct quipu_batch *batch;
    const struct quipu__keyed_scanner *scanner;
    const uint8_t *p, *limit; /* the current line, and where the end of the window is too close */
    uint64_t offset;          /* of p = NULL: the byte offset of a line is offset + p */
    int64_t time;
    uint32_t location;
    uint32_t process;
    quipu_kinds kinds;       /* requested kinds */
    uint64_t lines, records; /* numbers read */
    struct quipu__keyed_seen seen;
    uint64_t group_token; /* the communicator seen last, QUIPU_UNKNOWN for none, and its number */
    uint32_t group;
};

/* The number of a token that was met before; QUIPU_NONE for others, for values that are not tokens and for 0, which means
 * none unless it is defined. */
QUIPU__INLINE uint32_t known_number(const struct quipu__otf_pass *pass, enum quipu__otf_class class_of,
                                    uint64_t token) {
    if (QUIPU__UNLIKELY(token > UINT32_MAX))
        return QUIPU_NONE;
    const uint32_t number = quipu__otf_defined(pass->own, class_of, (uint32_t)token);
    if (QUIPU__LIKELY(number != QUIPU_NONE) || token == 0)
        return number;
    return quipu__tokens_get(&pass->events->late[class_of], token);
}

/* The number of a communicator: most often that of the one before. */
QUIPU__INLINE uint32_t group_number(struct fast *f, uint64_t token) {
    if (token == f->group_token)
        return f->group;
    f->group = known_number(f->pass, QUIPU__OTF_CLASS_process_group, token);
    f->group_token = f->group == QUIPU_NONE ? QUIPU_UNKNOWN : token;
    return f->group;
}

/* ---- State lines ---- */

QUIPU__INLINE bool read_time(struct fast *f) {
    uint64_t time;
    const uint8_t *const behind = quipu__keyed_time_line(f->p, &f->seen, &time);
    if (QUIPU__UNLIKELY(!behind || time > INT64_MAX || (int64_t)time < f->time ||
                        (int64_t)time >= f->pass->next_due))
        return false;
    f->time = (int64_t)time;
    f->p = behind;
    f->lines++;
    return true;
}

/* A new process is left to the complete decoder, which compares it with the master control file. */
QUIPU__INLINE bool read_process(struct fast *f) {
    bool is_new;
    const uint8_t *const behind = quipu__keyed_process_line(f->p, &f->seen, &is_new);
    if (QUIPU__UNLIKELY(!behind))
        return false;
    if (is_new) {
        const uint32_t location = quipu__tokens_get(&f->pass->located, f->seen.process);
        if (location == QUIPU_NONE)
            return false;
        f->location = location;
        f->process = f->seen.process;
    }
    f->p = behind;
    f->lines++;
    return true;
}

/* ---- Records ---- */

/* Adds the event of a record. An event that is not requested is also stored, but the next one overwrites it. */
QUIPU__INLINE uint32_t add_event(struct fast *f, enum quipu_kind kind, enum quipu__otf_type type) {
    f->pass->records_of[type]++;
    f->records++;
    f->lines++;
    const uint32_t event = quipu__batch_add(f->batch, f->time, kind, f->location, f->offset + (uintptr_t)f->p);
    f->batch->count = event + (uint32_t)(f->kinds >> kind & 1);
    return event;
}

/* Which of the two it is depends on the program, so it is computed without a branch: a misprediction would cost more than
 * all the rest. */
QUIPU__INLINE bool read_region(struct fast *f, const struct quipu__keyed_pattern *pattern, bool enters,
                               unsigned function) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS] = {0};
    const enum quipu_kind kind = enters ? QUIPU_KIND_enter : QUIPU_KIND_leave;
    const enum quipu__otf_type type = enters ? QUIPU__OTF_Enter : QUIPU__OTF_Leave;
    const uint8_t *const behind = quipu__keyed_record(pattern, f->p, numbers);
    const uint32_t region =
        behind ? known_number(f->pass, QUIPU__OTF_CLASS_function, numbers[function]) : QUIPU_NONE;
    if (QUIPU__UNLIKELY(region == QUIPU_NONE))
        return false;
    f->batch->object[add_event(f, kind, type)] = region;
    f->p = behind;
    return true;
}

/* Leaves whatever was entered last. */
QUIPU__INLINE bool read_leave(struct fast *f, const struct quipu__keyed_pattern *pattern) {
    const uint8_t *const end = f->p + pattern->keyword_len;
    if (QUIPU__LIKELY(*end != '\n') || (pattern->is_long && end[-1] != ' '))
        return read_region(f, pattern, false, QUIPU__OTF_Leave_function);
    f->batch->object[add_event(f, QUIPU_KIND_leave, QUIPU__OTF_Leave)] = QUIPU_NONE;
    f->p = end + 1;
    return true;
}

/* Which number of a message's record is what. */
struct message_numbers {
    unsigned peer, bytes, tag, group;
};

#define NUMBERS_OF(record, peer)                                                                               \
    (struct message_numbers) {                                                                                 \
        QUIPU__OTF_##record##_##peer, QUIPU__OTF_##record##_length, QUIPU__OTF_##record##_type,                \
            QUIPU__OTF_##record##_group                                                                        \
    }

/* Sends and receives share one path, for the same reason as regions. */
QUIPU__INLINE bool read_message(struct fast *f, const struct quipu__keyed_pattern *pattern) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    const bool sends = pattern->type == QUIPU__OTF_SendMsg;
    const struct message_numbers of = sends ? NUMBERS_OF(SendMsg, receiver) : NUMBERS_OF(RecvMsg, sendProc);
    const uint8_t *const behind = quipu__keyed_record(pattern, f->p, numbers);
    if (QUIPU__UNLIKELY(!behind || (numbers[of.bytes] | numbers[of.tag]) > UINT32_MAX))
        return false;
    const uint32_t peer = known_number(f->pass, QUIPU__OTF_CLASS_process, numbers[of.peer]);
    const uint32_t group = group_number(f, numbers[of.group]);
    if (QUIPU__UNLIKELY(peer == QUIPU_NONE || group == QUIPU_NONE))
        return false;
    const uint32_t event = add_event(f, sends ? QUIPU_KIND_send : QUIPU_KIND_recv,
                                     sends ? QUIPU__OTF_SendMsg : QUIPU__OTF_RecvMsg);
    f->batch->peer[event] = peer;
    f->batch->group[event] = group;
    f->batch->tag[event] = (int64_t)numbers[of.tag];
    f->batch->bytes[event] = numbers[of.bytes];
    f->batch->id[event] = QUIPU_UNKNOWN;
    f->p = behind;
    return true;
}

QUIPU__INLINE bool read_counter(struct fast *f, const struct quipu__keyed_pattern *pattern) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS] = {0};
    const uint8_t *const behind = quipu__keyed_record(pattern, f->p, numbers);
    const uint32_t metric =
        behind ? known_number(f->pass, QUIPU__OTF_CLASS_counter, numbers[QUIPU__OTF_Counter_counter])
               : QUIPU_NONE;
    if (QUIPU__UNLIKELY(metric == QUIPU_NONE))
        return false;
    const uint32_t event = add_event(f, QUIPU_KIND_metric, QUIPU__OTF_Counter);
    f->batch->object[event] = metric;
    f->batch->value[event] = quipu__otf_metric_value(f->pass->own, metric, numbers[QUIPU__OTF_Counter_value]);
    f->p = behind;
    return true;
}

#define BEGIN(field) QUIPU__OTF_BeginCollectiveOperation_##field

static bool read_collective_begin(struct fast *f, const struct quipu__keyed_pattern *pattern) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS] = {0};
    struct quipu_batch *batch = f->batch;
    const uint32_t event = batch->count;
    const uint8_t *const behind = quipu__keyed_record(pattern, f->p, numbers);
    if (!behind || numbers[BEGIN(collOp)] > UINT32_MAX)
        return false;
    batch->location[event] = f->location;
    batch->object[event] =
        quipu__tokens_get(&f->pass->events->late[QUIPU__OTF_CLASS_collop], numbers[BEGIN(collOp)]);
    batch->group[event] = group_number(f, numbers[BEGIN(procGroup)]);
    batch->peer[event] = known_number(f->pass, QUIPU__OTF_CLASS_process, numbers[BEGIN(rootProc)]);
    batch->id[event] = numbers[BEGIN(matchingId)];
    batch->bytes[event] = numbers[BEGIN(sent)];
    batch->value[event] = numbers[BEGIN(received)];
    const bool has_root = batch->peer[event] != QUIPU_NONE || numbers[BEGIN(rootProc)] == 0;
    if (batch->object[event] == QUIPU_NONE || batch->group[event] == QUIPU_NONE || !has_root ||
        !quipu__otf_begin_collective(f->pass, batch, event))
        return false;
    add_event(f, QUIPU_KIND_collective_begin, QUIPU__OTF_BeginCollectiveOperation);
    f->p = behind;
    return true;
}

static bool read_collective_end(struct fast *f, const struct quipu__keyed_pattern *pattern) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS] = {0};
    struct quipu_batch *batch = f->batch;
    const uint32_t event = batch->count;
    const uint8_t *const behind = quipu__keyed_record(pattern, f->p, numbers);
    if (!behind)
        return false;
    batch->location[event] = f->location;
    batch->id[event] = numbers[QUIPU__OTF_EndCollectiveOperation_matchingId];
    if (!quipu__otf_end_collective(f->pass, batch, event))
        return false;
    add_event(f, QUIPU_KIND_collective_end, QUIPU__OTF_EndCollectiveOperation);
    f->p = behind;
    return true;
}

QUIPU__INLINE bool read_record(struct fast *f) {
    const struct quipu__keyed_pattern *const pattern = quipu__keyed_pattern_at(f->scanner, f->p);
    if (QUIPU__UNLIKELY(!pattern))
        return false;
    switch ((enum quipu__otf_type)pattern->type) {
    case QUIPU__OTF_Enter:
        return read_region(f, pattern, true, QUIPU__OTF_Enter_function);
    case QUIPU__OTF_Leave:
        return read_leave(f, pattern);
    case QUIPU__OTF_SendMsg:
    case QUIPU__OTF_RecvMsg:
        return read_message(f, pattern);
    case QUIPU__OTF_Counter:
        return read_counter(f, pattern);
    case QUIPU__OTF_BeginCollectiveOperation:
        return read_collective_begin(f, pattern);
    case QUIPU__OTF_EndCollectiveOperation:
        return read_collective_end(f, pattern);
    default:
        return false;
    }
}

static bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') < 10 || (uint8_t)(c - 'a') < 6;
}

/* Both state lines, when they look like those before. */
QUIPU__INLINE bool read_head(struct fast *f) {
    uint64_t time;
    const uint8_t *const behind = quipu__keyed_take_head(f->p, &f->seen, &time);
    if (!behind || time > INT64_MAX || (int64_t)time < f->time || (int64_t)time >= f->pass->next_due)
        return false;
    f->time = (int64_t)time;
    f->p = behind;
    f->lines += 2;
    return true;
}

/* A time line, a process line and a record, or those of them that are there. False when the next line is another one. */
QUIPU__INLINE bool read_lines(struct fast *f) {
    if (QUIPU__LIKELY(read_head(f)))
        return read_record(f);
    if (is_digit(*f->p) && !read_time(f))
        return false;
    if (*f->p == QUIPU__OTF_PROCESS_MARK && !read_process(f))
        return false;
    return is_digit(*f->p) || read_record(f);
}

/* ---- Triples ---- */

/* Kinds of calls are wanted both or neither, and then events are overwritten: step is how far each one counts. */
QUIPU__LOOP void read_triples(struct fast *f, uint32_t step) {
    const struct quipu__tokens *const functions =
        &f->pass->own->definition_classes[QUIPU__OTF_CLASS_function].tokens;
    const struct quipu__keyed_seen *const seen = &f->seen;
    const struct quipu__keyed_twins *const twins = &f->pass->twins;
    const uint32_t location = f->location;
    const int64_t next_due = f->pass->next_due;
    const struct quipu_batch batch = *f->batch;
    size_t count = batch.count;
    uint64_t calls = 0, leaves = 0;
    int64_t now = f->time;
    const uint8_t *p = f->p;
    while (p < f->limit && count < batch.capacity) {
        struct quipu__keyed_triple triple;
        const uint8_t *const behind = quipu__keyed_take_triple(p, seen, twins, false, &triple);
        if (!behind)
            break;
        const int64_t time = (int64_t)triple.time;
        if (time < now || time >= next_due || triple.number >= functions->table_size)
            break;
        const uint32_t region = functions->table[triple.number];
        if (region == QUIPU_NONE)
            break;
        batch.time[count] = time;
        batch.kind[count] = triple.is_second ? QUIPU_KIND_leave : QUIPU_KIND_enter;
        batch.location[count] = location;
        batch.byte_offset[count] = f->offset + (uintptr_t)triple.record;
        batch.object[count] = region;
        count += step;
        leaves += triple.is_second;
        calls++;
        now = time;
        p = behind;
    }
    f->pass->records_of[QUIPU__OTF_Enter] += calls - leaves;
    f->pass->records_of[QUIPU__OTF_Leave] += leaves;
    f->batch->count = (uint32_t)count;
    f->records += calls;
    f->lines += 3 * calls;
    f->time = now;
    f->p = p;
}

/* ---- The loop ---- */

void quipu__otf_read_fast(struct quipu__otf_pass *pass, struct quipu__batch *batch) {
    struct quipu__input *input = pass->input;
    if (input->end - input->at < 2 * QUIPU__KEYED_LINE && !input->ended)
        (void)quipu__input_more(input, 2 * QUIPU__KEYED_LINE,
                                NULL); /* a failure comes again with the next line */
    const uint8_t *const limit = quipu__input_limit(input, QUIPU__KEYED_LINE);
    if (input->at >= limit || pass->state.time > INT64_MAX || pass->location == QUIPU_NONE)
        return;
    const uint32_t first = batch->batch.count, most = batch->batch.capacity;
    const struct quipu__keyed_scanner *const scanner = pass->lines.scanner;
    struct fast f = {.pass = pass,
                     .batch = &batch->batch,
                     .scanner = scanner,
                     .p = input->at,
                     .limit = limit,
                     .offset = input->end_offset - (uintptr_t)input->end,
                     .time = pass->time,
                     .location = pass->location,
                     .process = pass->state.process,
                     .kinds = pass->pass.filter->kinds,
                     .seen = QUIPU__KEYED_NOTHING_SEEN,
                     .group_token = QUIPU_UNKNOWN,
                     .group = QUIPU_NONE};
    const bool wants_enter = (f.kinds >> QUIPU_KIND_enter & 1) != 0;
    const bool wants_leave = (f.kinds >> QUIPU_KIND_leave & 1) != 0;
    const bool has_triples = pass->twins.are_there && wants_enter == wants_leave;
    while (f.p < f.limit && batch->batch.count < most && read_lines(&f))
        if (QUIPU__LIKELY(has_triples))
            read_triples(&f, wants_enter);
    input->at = f.p;
    pass->line += f.lines;
    pass->time = f.time;
    pass->location = f.location;
    pass->state = (struct quipu__keyed_state){(uint64_t)f.time, f.process};
    pass->lines.state = pass->state;
    pass->pass.records += f.records;
    pass->index += f.records;
    if (!quipu__filter_is_of_kinds(pass->pass.filter))
        quipu__batch_select(batch, first, pass->pass.filter);
}
