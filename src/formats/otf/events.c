/* events.c: batches of events.
 *
 * Nearly all lines of an event file are time lines, process lines and five kinds of records without
 * optional parts. read_usual takes them straight from the window into the columns. Whatever is not exactly that it leaves
 * to the complete decoder, one record at a time: read_one. Both keep the same state, so they alternate freely.
 *
 * Markers carry their own times and their file is in no order: they are all read first and sorted.
 */
#include "formats/otf/format.h"

#include "core/error.h"
#include "formats/otf/hex.h"

#include <inttypes.h>
#include <stdlib.h>

/* Events that one record makes at most. */
#define EVENTS_PER_RECORD 2

/* The longest usual line: RECEIVE, four numbers of 16 digits and their keywords, and what reading a number looks at. */
#define LINE_MOST (8 + 4 * 16 + 17 + QUIPU__OTF_HEX_BYTES)

/* With a time line and a process line before it. */
#define LINES_MOST (17 + 18 + LINE_MOST)

/* ---- Time and place ---- */

static const char *type_name(enum quipu__otf_type type) {
    return quipu__otf_schema.types[type].name;
}

static void report_time(struct quipu__otf_pass *pass, uint64_t time, enum quipu__otf_type type, uint64_t at) {
    if (time > INT64_MAX)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_TIME_RANGE, at, type_name(type), "time", "%" PRIx64, time);
    if (pass->state.time == QUIPU__OTF_NO_TIME || time >= pass->state.time)
        return;
    pass->is_unsorted = true;
    quipu__otf_find_here(pass, time == 0 ? QUIPU__OTF_RULE_BACK_TO_ZERO : QUIPU__OTF_RULE_UNSORTED, at,
                         type_name(type), "time", "%" PRIx64 " after %" PRIx64, time, pass->state.time);
}

/* The location of a process; its first use in a pass is compared with the master control file. */
static uint32_t location_of(struct quipu__otf_pass *pass, uint32_t process, uint64_t at) {
    const struct quipu__otf_trace *own = pass->own;
    const uint32_t known = quipu__tokens_get(&pass->late[QUIPU__OTF_CLASS_process], process);
    const bool is_mapped_file = pass->part->file != QUIPU__OTF_MARKERS && own->has_mapping;
    if (known != QUIPU_NONE)
        return known;
    const uint32_t stream = quipu__map_get(&own->mapping, process);
    if (is_mapped_file && stream == QUIPU_NONE)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_WRONG_STREAM, at, "", "process",
                             "process %" PRIu32 " belongs to no stream", process);
    else if (is_mapped_file && stream != pass->part->id)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_WRONG_STREAM, at, "", "process",
                             "process %" PRIu32 " belongs to stream %" PRIx32, process, stream);
    return quipu__otf_pass_number(pass, QUIPU__OTF_CLASS_process, process);
}

static int64_t model_time(uint64_t time) {
    return time > INT64_MAX ? INT64_MAX : (int64_t)time;
}

/* Takes over what the state lines say. False when they have not said enough for an event. */
static bool use_state(struct quipu__otf_pass *pass, enum quipu__otf_type type, uint64_t at) {
    const struct quipu__otf_state state = pass->lines.state;
    if (!pass->has_state) {
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_NO_STATE, at, type_name(type), "", " ");
        return false;
    }
    if (state.time != pass->state.time) {
        report_time(pass, state.time, type, at);
        pass->time = model_time(state.time);
    }
    if (state.process != pass->state.process || pass->location == QUIPU_NONE)
        pass->location = location_of(pass, state.process, at);
    pass->state = state;
    return true;
}

/* ---- One record by the complete decoder ---- */

static void count_record(struct quipu__otf_pass *pass, enum quipu__otf_type type) {
    pass->pass.records++;
    pass->records_of[type]++;
    pass->index++;
}

/* Makes the record at hand events, after those that were due before it. It stays at hand when they need all room. */
static enum quipu_status give_record(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                     struct quipu_error *err) {
    if (pass->next_due <= pass->time)
        quipu__otf_give_due(pass, pass->time, &batch->batch);
    pass->has_record = quipu__batch_left(batch) < EVENTS_PER_RECORD;
    return pass->has_record ? QUIPU_OK : quipu__otf_to_model(pass, pass->type, pass->at, batch, err);
}

static enum quipu_status read_one(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                  struct quipu_error *err) {
    const enum quipu_status status = quipu__otf_next_line(pass, &pass->type, &pass->at, err);
    if (status != QUIPU_OK)
        return status;
    if (use_state(pass, pass->type, pass->at)) {
        pass->common.keyvalues = quipu__otf_values_list(&pass->values, &pass->scratch);
        const enum quipu_status given = give_record(pass, batch, err);
        count_record(pass, pass->type);
        return given;
    }
    count_record(pass, pass->type);
    return QUIPU_OK;
}

/* ---- The usual lines ---- */

enum line { LINE_OTHER, LINE_TIME, LINE_PROCESS, LINE_REGION, LINE_SEND, LINE_RECV, LINE_COUNTER };
static const uint8_t line_of[256] = {
    ['0'] = LINE_TIME, ['1'] = LINE_TIME,    ['2'] = LINE_TIME,   ['3'] = LINE_TIME,   ['4'] = LINE_TIME,
    ['5'] = LINE_TIME, ['6'] = LINE_TIME,    ['7'] = LINE_TIME,   ['8'] = LINE_TIME,   ['9'] = LINE_TIME,
    ['a'] = LINE_TIME, ['b'] = LINE_TIME,    ['c'] = LINE_TIME,   ['d'] = LINE_TIME,   ['e'] = LINE_TIME,
    ['f'] = LINE_TIME, ['*'] = LINE_PROCESS, ['E'] = LINE_REGION, ['L'] = LINE_REGION, ['S'] = LINE_SEND,
    ['R'] = LINE_RECV, ['C'] = LINE_COUNTER};

/* What the loop keeps in registers. */
struct usual {
    struct quipu__otf_pass *pass;
    struct quipu_batch *batch;
    const uint8_t *p; /* the line at hand */
    uint64_t offset;  /* of p = NULL: the place of a line is offset + p */
    int64_t time;
    uint32_t location;
    uint32_t process;
    uint64_t star, star_mask; /* the last process line, when it fits into a word */
    unsigned star_len;
};

/* The number of a token that was met before; QUIPU_NONE for others and for values that are no token. */
QUIPU__INLINE uint32_t known_number(const struct quipu__otf_pass *pass, enum quipu__otf_class class_of,
                                    uint64_t token) {
    if (QUIPU__UNLIKELY(token > UINT32_MAX))
        return QUIPU_NONE;
    const uint32_t number = quipu__otf_defined(pass->own, class_of, (uint32_t)token);
    return QUIPU__LIKELY(number != QUIPU_NONE) ? number : quipu__tokens_get(&pass->late[class_of], token);
}

/* A number that the text end follows: its length with that text, 0 when it is none. */
QUIPU__INLINE unsigned read_until(const uint8_t *p, const char *end, unsigned end_len, uint64_t *out) {
    const unsigned count = quipu__otf_read_hex_until(p, end[0] == ' ', out);
    return QUIPU__LIKELY(count && memcmp(p + count, end, end_len) == 0) ? count + end_len : 0;
}
#define READ_UNTIL(p, end, out) read_until(p, end, sizeof end - 1, out)

QUIPU__INLINE bool usual_time(struct usual *u) {
    uint64_t time;
    const unsigned len = READ_UNTIL(u->p, "\n", &time);
    if (QUIPU__UNLIKELY(!len || time > INT64_MAX || (int64_t)time < u->time ||
                        (int64_t)time >= u->pass->next_due))
        return false;
    u->time = (int64_t)time;
    u->p += len;
    return true;
}

/* Most process lines repeat the one before: that is seen without reading the number. */
QUIPU__INLINE bool usual_process(struct usual *u) {
    uint64_t process;
    const uint64_t word = quipu__load_le64(u->p);
    if (QUIPU__LIKELY((word & u->star_mask) == u->star)) {
        u->p += u->star_len;
        return true;
    }
    const unsigned len = READ_UNTIL(u->p + 1, "\n", &process);
    const uint32_t location = len && process < QUIPU__OTF_NO_PROCESS
                                  ? quipu__tokens_get(&u->pass->late[QUIPU__OTF_CLASS_process], process)
                                  : QUIPU_NONE;
    if (location == QUIPU_NONE)
        return false;
    u->location = location;
    u->process = (uint32_t)process;
    u->star_len = len + 1;
    u->star_mask = len + 1 < 8 ? ((uint64_t)1 << 8 * (len + 1)) - 1 : UINT64_MAX;
    u->star = len + 1 <= 8 ? word & u->star_mask : 0; /* no line begins with a NUL */
    u->p += u->star_len;
    return true;
}

QUIPU__INLINE uint32_t usual_event(const struct usual *u, enum quipu_kind kind, enum quipu__otf_type type) {
    u->pass->records_of[type]++;
    return quipu__batch_add(u->batch, u->time, kind, u->location, u->offset + (uintptr_t)u->p);
}

/* E<function> and L<function>, or the same behind the long keywords. Which of the two it is depends on the program, so
 * it is computed rather than asked: a wrong guess of the processor would cost more than all the rest. */
QUIPU__INLINE bool usual_region(struct usual *u, unsigned key_len) {
    uint64_t function;
    const bool enters = *u->p == 'E';
    const enum quipu_kind kind = enters ? QUIPU_KIND_enter : QUIPU_KIND_leave;
    const enum quipu__otf_type type = enters ? QUIPU__OTF_Enter : QUIPU__OTF_Leave;
    const unsigned len = READ_UNTIL(u->p + key_len, "\n", &function);
    const uint32_t region = len ? known_number(u->pass, QUIPU__OTF_CLASS_function, function) : QUIPU_NONE;
    if (QUIPU__UNLIKELY(region == QUIPU_NONE))
        return false;
    u->batch->object[usual_event(u, kind, type)] = region;
    u->p += key_len + len;
    return true;
}

/* Leaves whatever was entered last. */
QUIPU__INLINE bool usual_leave(struct usual *u, unsigned key_len) {
    if (*u->p != 'L')
        return false;
    u->batch->object[usual_event(u, QUIPU_KIND_leave, QUIPU__OTF_Leave)] = QUIPU_NONE;
    u->p += key_len + 1;
    return true;
}

/* <peer> L <length> T <tag> C <communicator>, behind a keyword of that length. */
QUIPU__INLINE bool usual_message(struct usual *u, unsigned key_len, bool long_form, enum quipu_kind kind,
                                 enum quipu__otf_type type) {
    uint64_t process, length, tag, communicator;
    const uint8_t *p = u->p + key_len;
    const unsigned process_len = long_form ? READ_UNTIL(p, " LEN ", &process) : READ_UNTIL(p, "L", &process);
    p += process_len;
    const unsigned length_len = !process_len ? 0
                                : long_form  ? READ_UNTIL(p, " TAG ", &length)
                                             : READ_UNTIL(p, "T", &length);
    p += length_len;
    const unsigned tag_len = !length_len ? 0
                             : long_form ? READ_UNTIL(p, " COMM ", &tag)
                                         : READ_UNTIL(p, "C", &tag);
    p += tag_len;
    const unsigned communicator_len = tag_len ? READ_UNTIL(p, "\n", &communicator) : 0;
    if (QUIPU__UNLIKELY(!communicator_len || (length | tag) > UINT32_MAX))
        return false;
    const uint32_t peer = known_number(u->pass, QUIPU__OTF_CLASS_process, process);
    const uint32_t group = known_number(u->pass, QUIPU__OTF_CLASS_process_group, communicator);
    if (QUIPU__UNLIKELY(peer == QUIPU_NONE || group == QUIPU_NONE))
        return false;
    const uint32_t event = usual_event(u, kind, type);
    u->batch->peer[event] = peer;
    u->batch->group[event] = group;
    u->batch->tag[event] = (int64_t)tag;
    u->batch->bytes[event] = length;
    u->batch->id[event] = QUIPU_UNKNOWN;
    u->p = p + communicator_len;
    return true;
}

/* CNT<counter>V<value> */
QUIPU__INLINE bool usual_counter(struct usual *u, unsigned key_len, bool long_form) {
    uint64_t counter, value;
    const uint8_t *p = u->p + key_len;
    const unsigned counter_len = long_form ? READ_UNTIL(p, " VALUE ", &counter) : READ_UNTIL(p, "V", &counter);
    const unsigned value_len = counter_len ? READ_UNTIL(p + counter_len, "\n", &value) : 0;
    const uint32_t metric = value_len ? known_number(u->pass, QUIPU__OTF_CLASS_counter, counter) : QUIPU_NONE;
    if (QUIPU__UNLIKELY(metric == QUIPU_NONE))
        return false;
    const uint32_t event = usual_event(u, QUIPU_KIND_metric, QUIPU__OTF_Counter);
    u->batch->object[event] = metric;
    u->batch->value[event] = quipu__otf_metric_value(u->pass->own, metric, value);
    u->p = p + counter_len + value_len;
    return true;
}

/* True when the line begins so; the length is that of the keyword with its blank. */
#define STARTS(u, key) (memcmp((u)->p, key, sizeof key - 1) == 0)
#define LENGTH(key) (sizeof key - 1)

QUIPU__INLINE bool usual_record(struct usual *u) {
    const bool long_form = u->p[1] >= 'A' && u->p[1] <= 'Z';
    switch ((enum line)line_of[*u->p]) {
    case LINE_REGION:
        if (QUIPU__UNLIKELY(long_form)) {
            const unsigned key_len = LENGTH("ENTER ");
            if (!STARTS(u, "ENTER ") && !STARTS(u, "LEAVE "))
                return false;
            return u->p[key_len] == '\n' ? usual_leave(u, key_len) : usual_region(u, key_len);
        }
        return u->p[1] == '\n' ? usual_leave(u, 1) : usual_region(u, 1);
    case LINE_SEND:
        if (QUIPU__LIKELY(!long_form))
            return usual_message(u, 1, false, QUIPU_KIND_send, QUIPU__OTF_SendMsg);
        return STARTS(u, "SEND ") &&
               usual_message(u, LENGTH("SEND "), true, QUIPU_KIND_send, QUIPU__OTF_SendMsg);
    case LINE_RECV:
        if (QUIPU__LIKELY(!long_form))
            return usual_message(u, 1, false, QUIPU_KIND_recv, QUIPU__OTF_RecvMsg);
        return STARTS(u, "RECEIVE ") &&
               usual_message(u, LENGTH("RECEIVE "), true, QUIPU_KIND_recv, QUIPU__OTF_RecvMsg);
    case LINE_COUNTER:
        if (STARTS(u, "CNT"))
            return usual_counter(u, LENGTH("CNT"), false);
        return STARTS(u, "COUNTER ") && usual_counter(u, LENGTH("COUNTER "), true);
    case LINE_TIME:
    case LINE_PROCESS:
    case LINE_OTHER:
        break;
    }
    return false;
}

/* A time line, a process line and a record, or what there is of them. *lines is set to how many they are; false when the
 * next line is of another sort. */
QUIPU__INLINE bool usual_lines(struct usual *u, uint64_t *lines) {
    if (line_of[*u->p] == LINE_TIME) {
        if (!usual_time(u))
            return false;
        ++*lines;
    }
    if (*u->p == '*') {
        if (!usual_process(u))
            return false;
        ++*lines;
    }
    if (QUIPU__UNLIKELY(line_of[*u->p] == LINE_TIME))
        return true;
    const bool is_usual = usual_record(u);
    *lines += is_usual;
    return is_usual;
}

/* Reads usual lines until there is one of another sort, the window is nearly used up or the batch is full. */
static void read_usual(struct quipu__otf_pass *pass, struct quipu_batch *batch) {
    struct quipu__input *input = pass->input;
    if (input->end - input->at < 2 * LINES_MOST && !input->ended)
        quipu__input_more(input, 2 * LINES_MOST, NULL); /* a failure comes again with the next line */
    if (input->end - input->at < LINES_MOST || pass->state.time > INT64_MAX || pass->location == QUIPU_NONE)
        return;
    const uint8_t *const limit = input->end - LINES_MOST;
    const uint32_t first = batch->count, most = batch->capacity;
    struct usual u = {.pass = pass,
                      .batch = batch,
                      .p = input->at,
                      .offset = input->end_offset - (uintptr_t)input->end,
                      .time = pass->time,
                      .location = pass->location,
                      .process = pass->state.process,
                      .star = 1}; /* no line begins so */
    uint64_t lines = 0;
    while (u.p < limit && batch->count < most && usual_lines(&u, &lines))
        continue;
    input->at = u.p;
    pass->line += lines;
    pass->time = u.time;
    pass->location = u.location;
    pass->state = (struct quipu__otf_state){(uint64_t)u.time, u.process};
    pass->lines.state = pass->state;
    pass->pass.records += batch->count - first;
    pass->index += batch->count - first;
}

/* ---- Markers ---- */

static bool keep_spot(struct quipu__otf_pass *pass, uint64_t at) {
    const struct quipu__otf_Marker *marker = &pass->data.Marker;
    struct quipu__otf_spot *spot = QUIPU__VEC_ADD(pass->own->trace->memory, &pass->spots);
    const uint32_t len = quipu_sized_count(marker->text);
    uint8_t *text = spot ? quipu__arena_alloc(&pass->texts, sizeof(struct quipu_sized) + len + 1u) : NULL;
    if (!text)
        return false;
    *(struct quipu_sized *)(void *)text = (struct quipu_sized){len, 0};
    text += sizeof(struct quipu_sized);
    memcpy(text, marker->text, len + 1u);
    *spot = (struct quipu__otf_spot){.time = model_time(marker->time),
                                     .token = marker->token,
                                     .process = marker->process,
                                     .at = at,
                                     .text = (const char *)text};
    return true;
}

static int compare_spots(const void *left, const void *right) {
    const struct quipu__otf_spot *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static enum quipu_status read_spots(struct quipu__otf_pass *pass, struct quipu_error *err) {
    enum quipu_status status;
    pass->markers_read = true;
    while ((status = quipu__otf_next_line(pass, &pass->type, &pass->at, err)) == QUIPU_OK) {
        if (pass->type == QUIPU__OTF_Marker && !keep_spot(pass, pass->at))
            return quipu__no_memory(err, sizeof(struct quipu__otf_spot));
        count_record(pass, pass->type);
    }
    if (status != QUIPU_END)
        return status;
    if (pass->spots.count > 0)
        qsort(pass->spots.at, pass->spots.count, sizeof *pass->spots.at, compare_spots);
    return QUIPU_OK;
}

static enum quipu_status give_spots(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                    struct quipu_error *err) {
    enum quipu_status status = pass->markers_read ? QUIPU_OK : read_spots(pass, err);
    while (status == QUIPU_OK && pass->next_spot < pass->spots.count && quipu__batch_left(batch) > 0) {
        const struct quipu__otf_spot *spot = &pass->spots.at[pass->next_spot++];
        pass->data.Marker = (struct quipu__otf_Marker){.token = spot->token, .text = spot->text};
        pass->common.keyvalues = NULL;
        pass->time = spot->time;
        pass->location = location_of(pass, spot->process, spot->at);
        status = quipu__otf_to_model(pass, QUIPU__OTF_Marker, spot->at, batch, err);
    }
    if (status != QUIPU_OK)
        return status;
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

/* ---- Batches ---- */

static enum quipu_status read_some(struct quipu__otf_pass *pass, struct quipu__batch *batch,
                                   struct quipu_error *err) {
    if (pass->part->file == QUIPU__OTF_EVENTS)
        read_usual(pass, &batch->batch);
    return quipu__batch_left(batch) >= EVENTS_PER_RECORD ? read_one(pass, batch, err) : QUIPU_OK;
}

/* Whether nothing that follows can belong to the window. */
static bool is_behind_window(const struct quipu__otf_pass *pass) {
    return pass->ends_early && !pass->is_unsorted && pass->location != QUIPU_NONE &&
           pass->pass.filter->to < INT64_MAX && pass->time >= pass->pass.filter->to;
}

enum quipu_status quipu__otf_read_begun(struct quipu__otf_pass *pass, uint64_t until, struct quipu_error *err) {
    struct quipu__batch *batch;
    enum quipu_status status = quipu__batch_new(pass->own->trace->memory, EVENTS_PER_RECORD, &batch, err);
    while (status == QUIPU_OK) {
        status = quipu__otf_next_line(pass, &pass->type, &pass->at, err);
        if (status != QUIPU_OK || pass->lines.state.time > until)
            break;
        if ((pass->type != QUIPU__OTF_BeginCollectiveOperation &&
             pass->type != QUIPU__OTF_EndCollectiveOperation) ||
            !use_state(pass, pass->type, pass->at))
            continue;
        quipu__batch_clear(batch);
        status = quipu__otf_to_model(pass, pass->type, pass->at, batch, err);
    }
    quipu__batch_free(batch);
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* What is still announced comes at the end of the stream. */
static enum quipu_status give_rest(struct quipu__otf_pass *pass, struct quipu__batch *batch) {
    quipu__otf_give_due(pass, INT64_MAX, &batch->batch);
    return batch->batch.count > 0 ? QUIPU_OK : QUIPU_END;
}

enum quipu_status quipu__otf_next_batch(struct quipu__pass *base, struct quipu__batch *batch,
                                        struct quipu_error *err) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    enum quipu_status status = QUIPU_OK;
    if (pass->part->file == QUIPU__OTF_MARKERS) {
        status = give_spots(pass, batch, err);
        base->bytes = quipu__otf_bytes(pass);
        return status;
    }
    if (pass->has_record)
        status = give_record(pass, batch, err);
    while (status == QUIPU_OK && !pass->has_record && quipu__batch_left(batch) >= EVENTS_PER_RECORD)
        status = is_behind_window(pass) ? QUIPU_END : read_some(pass, batch, err);
    base->bytes = quipu__otf_bytes(pass);
    return status == QUIPU_END ? give_rest(pass, batch) : status;
}
