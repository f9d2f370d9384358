/* reader.c: one pass over one file: its lines as records, in file order.
 *
 * Nothing in a file gets lost: unknown and malformed lines are records of type UnknownRecord that hold the whole line. A malformed
 * line affects no other line.
 */
#include "formats/otf/format.h"

#include "core/error.h"
#include "core/text.h"

#include <inttypes.h>

/* ---- Opening and closing ---- */

enum { RECORDS_OF_BYTES = QUIPU__OTF_TYPE_COUNT * sizeof(uint64_t) };

static void init_pass(struct quipu__otf_pass *pass, const struct quipu__pass *common) {
    struct quipu__memory *memory = common->trace->memory;
    pass->pass = *common;
    pass->own = common->trace->own;
    pass->stream_file = &pass->own->stream_files.items[common->stream];
    pass->path = common->trace->streams.items[common->stream].path;
    pass->records_of = common->records_of;
    pass->lines = quipu__otf_lines_of(pass->own, pass->stream_file->file);
    if (pass->lines.scanner)
        pass->twins = quipu__keyed_twins_of(pass->lines.scanner, QUIPU__OTF_Enter, QUIPU__OTF_Leave);
    pass->line = 1;
    quipu__reorder_init(&pass->due, memory, QUIPU__OTF_DUE_LIMIT);
    pass->next_due = quipu__reorder_due(&pass->due);
    pass->location = QUIPU_NONE;
    pass->state = pass->lines.state;
    quipu__scratch_init(&pass->scratch, memory);
    quipu__otf_values_init(&pass->values, memory);
    quipu__arena_init(&pass->texts, memory);
    quipu__tokens_init(&pass->located, memory);
}

enum quipu_status quipu__otf_pass_open(const struct quipu__pass *common, struct quipu__pass **out,
                                       struct quipu_error *err) {
    const struct quipu_stream *stream = &common->trace->streams.items[common->stream];
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    *out = NULL;
    if (stream->missing)
        return QUIPU_END;
    struct quipu__otf_pass *pass = quipu__alloc_zero(common->trace->memory, sizeof *pass);
    if (!pass)
        return quipu__no_memory(err, sizeof *pass);
    init_pass(pass, common);
    if (!common->records_of)
        pass->records_of = pass->own_records_of = quipu__alloc_zero(common->trace->memory, RECORDS_OF_BYTES);
    enum quipu_status status = pass->records_of ? QUIPU_OK : quipu__no_memory(&trouble, RECORDS_OF_BYTES);
    if (status == QUIPU_OK)
        status = quipu__otf_open_file(pass->own, common->stream, common->window, &pass->input, &pass->packed,
                                      &pass->packed_size, &trouble);
    if (status == QUIPU_OK)
        status = quipu__otf_search(pass, &trouble);
    if (status == QUIPU_OK) {
        *out = &pass->pass;
        return QUIPU_OK;
    }
    quipu__otf_pass_close(&pass->pass);
    if (err && status == QUIPU_NO_MEMORY)
        *err = trouble;
    if (status == QUIPU_NO_MEMORY)
        return status;
    quipu__otf_lose_file(common->trace->own, common->stream, status, &trouble);
    return QUIPU_END;
}

void quipu__otf_pass_close(struct quipu__pass *base) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    struct quipu__memory *memory = pass->own->trace->memory;
    quipu__input_close(pass->input);
    quipu__release(memory, pass->packed, pass->packed_size);
    quipu__scratch_release(&pass->scratch);
    quipu__otf_values_release(&pass->values);
    quipu__arena_release(&pass->texts);
    quipu__tokens_release(&pass->located);
    if (pass->events) {
        for (unsigned i = 0; i < QUIPU__OTF_CLASS_COUNT; i++)
            quipu__tokens_release(&pass->events->late[i]);
        quipu__tracker_release(&pass->events->active);
        quipu__tracker_release(&pass->events->before);
        quipu__release(memory, pass->events, sizeof *pass->events);
    }
    quipu__release(memory, pass->own_records_of, pass->own_records_of ? RECORDS_OF_BYTES : 0);
    quipu__reorder_release(&pass->due);
    QUIPU__VEC_RELEASE(memory, &pass->marker_events);
    quipu__release(memory, pass, sizeof *pass);
}

/* ---- The end of a part ---- */

/* Reports what a pass knows only at the end. Key-values before an unfinished line belong to its record. */
static void report_end(struct quipu__otf_pass *pass) {
    const uint64_t end = quipu__input_offset(pass->input);
    if (pass->has_ended)
        return;
    pass->has_ended = true;
    if (pass->input->damaged)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_BROKEN_BLOCK, end, "", "", "%" PRIu64 " bytes were readable",
                             end);
    else if (end == 0 && quipu__otf_has_state_lines(pass->stream_file->file))
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_EMPTY_FILE, 0, "", "", " ");
    if (pass->values.count > 0 && !pass->values_used && !pass->is_cut)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_STRAY_VALUE, end, "", "", "%zu at the end",
                             pass->values.count);
}

/* ---- Lines ---- */

/* Reads more so that the line at the beginning of the window is complete. QUIPU_LIMIT when it is too long. */
static enum quipu_status read_on(struct quipu__otf_pass *pass, struct quipu_error *err) {
    return quipu__input_widen(pass->input, err);
}

static uint64_t count_newlines(const uint8_t *at, const uint8_t *end) {
    uint64_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        count++;
    }
    return count;
}

/* Turns the line from the window's beginning to end into an UnknownRecord. */
static bool take_unknown(struct quipu__otf_pass *pass, const uint8_t *end) {
    const uint8_t *at = pass->input->at;
    const size_t len = (size_t)(end - at) - (end > at && end[-1] == '\n');
    pass->data.UnknownRecord.text = quipu__scratch_text(&pass->scratch, (const char *)at, len);
    return pass->data.UnknownRecord.text != NULL;
}

/* What one step over the text gave. */
enum step { STEP_RECORD, STEP_NOTHING, STEP_CUT, STEP_NO_ROOM };

static enum step take_value(struct quipu__otf_pass *pass, uint64_t offset) {
    struct quipu__otf_value_line value;
    if (quipu__otf_decode_value(&pass->lines, &value) != QUIPU__KEYED_DECODED) {
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_BAD_LINE, offset, "KeyValue", "", " ");
        quipu__keyed_skip_line(&pass->lines);
        return take_unknown(pass, pass->lines.p) ? STEP_RECORD : STEP_NO_ROOM;
    }
    switch (quipu__otf_values_add(&pass->values, &value)) {
    case QUIPU__OTF_VALUE_ADDED:
        return STEP_NOTHING;
    case QUIPU__OTF_VALUE_AGAIN:
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_VALUE_AGAIN, offset, "KeyValue", "key", "key %" PRIu32,
                             value.key);
        return STEP_NOTHING;
    case QUIPU__OTF_VALUE_NO_ROOM:
        break;
    }
    return STEP_NO_ROOM;
}

static void report_rest(struct quipu__otf_pass *pass, uint64_t offset, enum quipu__otf_type type) {
    const char *rest = (const char *)pass->lines.rest;
    const size_t len = strcspn(rest, "\n");
    quipu__otf_find_here(pass, QUIPU__OTF_RULE_REST_OF_LINE, offset, quipu__otf_schema.types[type].name, "",
                         "%.*s", len < 40 ? (int)len : 40, rest);
}

static enum step take_record(struct quipu__otf_pass *pass, uint64_t offset, enum quipu__otf_type *type) {
    const struct quipu_field *fault = NULL;
    const enum quipu__keyed_result result =
        quipu__keyed_decode(&pass->lines, pass->lines.form, &pass->scratch, &pass->data, &fault);
    *type = (enum quipu__otf_type)pass->lines.form->type;
    if (result == QUIPU__KEYED_DECODED && pass->lines.rest)
        report_rest(pass, offset, *type);
    if (result == QUIPU__KEYED_DECODED)
        return STEP_RECORD;
    if (result != QUIPU__KEYED_MALFORMED && result != QUIPU__KEYED_UNCLOSED)
        return result == QUIPU__KEYED_CUT ? STEP_CUT : STEP_NO_ROOM;
    const enum quipu__otf_rule rule =
        result == QUIPU__KEYED_UNCLOSED ? QUIPU__OTF_RULE_OPEN_TEXT : QUIPU__OTF_RULE_BAD_LINE;
    quipu__otf_find_here(
        pass, rule, offset, quipu__otf_schema.types[*type].name, fault->name, "%.40s",
        (const char *)(take_unknown(pass, pass->lines.p) ? pass->data.UnknownRecord.text : ""));
    *type = QUIPU__OTF_UnknownRecord;
    quipu__keyed_skip_line(&pass->lines);
    return take_unknown(pass, pass->lines.p) ? STEP_RECORD : STEP_NO_ROOM;
}

/* Whether it could be a record of some version: text without control characters. */
static bool is_text(const uint8_t *at, size_t len) {
    for (size_t i = 0, step; i < len; i += step) {
        uint32_t code;
        step = quipu__utf8_decode(at + i, len - i, &code);
        if (step == 0 || (code < ' ' && code != '\t' && code != '\r'))
            return false;
    }
    return true;
}

static enum step take_other(struct quipu__otf_pass *pass, uint64_t offset) {
    const uint8_t *const start = pass->input->at;
    quipu__keyed_skip_line(&pass->lines);
    if (!take_unknown(pass, pass->lines.p))
        return STEP_NO_ROOM;
    const size_t len = (size_t)(pass->lines.p - start) - (pass->lines.p > start && pass->lines.p[-1] == '\n');
    quipu__otf_find_here(pass, is_text(start, len) ? QUIPU__OTF_RULE_UNKNOWN_LINE : QUIPU__OTF_RULE_BAD_LINE,
                         offset, "", "", "%.40s", pass->data.UnknownRecord.text);
    return STEP_RECORD;
}

/* The lines of the master control file: those without meaning are unknown records. */
static enum step take_master_line(struct quipu__otf_pass *pass, enum quipu__otf_type *type) {
    *type = QUIPU__OTF_UnknownRecord;
    if (pass->lines.p == pass->lines.end ||
        !memchr(pass->lines.p, '\n', (size_t)(pass->lines.end - pass->lines.p)))
        return STEP_CUT;
    switch (quipu__otf_parse_master(&pass->lines, &pass->scratch, &pass->data)) {
    case QUIPU__OTF_MASTER_STREAM:
        *type = QUIPU__OTF_MasterStream;
        return STEP_RECORD;
    case QUIPU__OTF_MASTER_SERVERS:
        *type = QUIPU__OTF_MasterServers;
        return STEP_RECORD;
    case QUIPU__OTF_MASTER_OTHER:
    case QUIPU__OTF_MASTER_MALFORMED:
        return take_unknown(pass, pass->lines.p) ? STEP_RECORD : STEP_NO_ROOM;
    case QUIPU__OTF_MASTER_NO_ROOM:
        break;
    }
    return STEP_NO_ROOM;
}

/* Consecutive empty lines are one finding: a hole in a file may be read as gigabytes of them. */
static enum step take_empty_lines(struct quipu__otf_pass *pass, uint64_t offset) {
    const uint8_t *const second = pass->lines.p;
    while (pass->lines.p < pass->lines.end && *pass->lines.p == '\n')
        pass->lines.p++;
    if (pass->lines.p == second)
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_EMPTY_LINE, offset, "", "", " ");
    else
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_EMPTY_LINE, offset, "", "", "%zu in succession",
                             (size_t)(pass->lines.p - second) + 1);
    quipu__otf_values_clear(&pass->values);
    return STEP_NOTHING;
}

static enum step take_line(struct quipu__otf_pass *pass, uint64_t offset, enum quipu__otf_type *type) {
    *type = QUIPU__OTF_UnknownRecord;
    if (pass->stream_file->file == QUIPU__OTF_MASTER)
        return take_master_line(pass, type);
    switch (quipu__keyed_recognise(&pass->lines)) {
    case QUIPU__KEYED_MORE:
        return STEP_CUT;
    case QUIPU__KEYED_TIME:
    case QUIPU__KEYED_PROCESS:
        return STEP_NOTHING;
    case QUIPU__KEYED_EMPTY:
        return take_empty_lines(pass, offset);
    case QUIPU__KEYED_VALUE:
        return take_value(pass, offset);
    case QUIPU__KEYED_RECORD:
        return take_record(pass, offset, type);
    case QUIPU__KEYED_OTHER:
        break;
    }
    return take_other(pass, offset);
}

/* The rest of the window without a newline: the end of the file, or a line that is too long. Opening has already reported problems
 * in lines of the master control file. */
static enum quipu_status take_rest(struct quipu__otf_pass *pass, enum quipu__otf_rule rule, uint64_t offset,
                                   enum quipu__otf_type *type, struct quipu_error *err) {
    const uint8_t *end = pass->input->end;
    const size_t len = (size_t)(end - pass->input->at);
    const bool done = take_unknown(pass, end);
    if (pass->stream_file->file != QUIPU__OTF_MASTER)
        quipu__otf_find_here(pass, rule, offset, "", "", "%zu bytes", len);
    *type = QUIPU__OTF_UnknownRecord;
    pass->input->at = end;
    pass->line++;
    return done ? QUIPU_OK : quipu__no_memory(err, len);
}

/* A line does not end in the window: reads more, or gives the rest at the end. */
static enum quipu_status complete_line(struct quipu__otf_pass *pass, uint64_t offset,
                                       enum quipu__otf_type *type, bool *is_record, struct quipu_error *err) {
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    *is_record = false;
    if (!pass->input->ended) {
        const enum quipu_status status = read_on(pass, &trouble);
        *is_record = status == QUIPU_LIMIT;
        if (status == QUIPU_LIMIT)
            return take_rest(pass, QUIPU__OTF_RULE_LONG_LINE, offset, type, err);
        if (status == QUIPU_NO_MEMORY && err)
            *err = trouble;
        if (status != QUIPU_OK && status != QUIPU_NO_MEMORY) {
            trouble.byte = offset;
            quipu__otf_lose_file(pass->own, pass->pass.stream, status, &trouble);
            return QUIPU_END;
        }
        return status;
    }
    if (pass->input->at == pass->input->end)
        return QUIPU_END;
    *is_record = pass->is_cut = true;
    return take_rest(pass, QUIPU__OTF_RULE_UNFINISHED_LINE, offset, type, err);
}

/* Process ffffffff and time ffffffffffffffff mean "none" until both have been something else. */
static void note_state(struct quipu__otf_pass *pass) {
    pass->has_state |=
        pass->lines.state.time != QUIPU__KEYED_NO_TIME && pass->lines.state.process != QUIPU__KEYED_NO_PROCESS;
}

/* Reads a time line and a process line as before and a function that is entered or left: nearly all lines of most files, with half
 * the instructions of take_canonical. */
static bool take_triple(struct quipu__otf_pass *pass, enum quipu__otf_type *type, uint64_t *offset) {
    struct quipu__input *input = pass->input;
    struct quipu__keyed_lines *lines = &pass->lines;
    struct quipu__keyed_triple triple;
    if (!pass->twins.are_there || !pass->has_state || input->end - input->at < 2 * QUIPU__KEYED_LINE)
        return false;
    const uint8_t *const behind =
        quipu__keyed_take_triple(input->at, &lines->seen, &pass->twins, false, &triple);
    if (!behind || triple.time == QUIPU__KEYED_NO_TIME)
        return false;
    *type = triple.is_second ? QUIPU__OTF_Leave : QUIPU__OTF_Enter;
    if (triple.is_second)
        pass->data.Leave = (struct quipu__otf_Leave){.function = triple.number};
    else
        pass->data.Enter = (struct quipu__otf_Enter){.function = triple.number};
    *offset = quipu__input_offset(input) + (uint64_t)(triple.record - input->at);
    lines->state = (struct quipu__keyed_state){triple.time, lines->seen.process};
    input->at = lines->p = behind;
    pass->line += 3;
    pass->values_used = true;
    return true;
}

/* Reads the canonical ones of the next lines. True when a record was among them. */
static bool take_canonical(struct quipu__otf_pass *pass, enum quipu__otf_type *type, uint64_t *offset) {
    struct quipu__input *input = pass->input;
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    const uint8_t *first;
    const struct quipu__keyed_pattern *pattern = quipu__keyed_next(&pass->lines, numbers, &first, &pass->line);
    if (!pass->has_state)
        note_state(pass);
    input->at = pass->lines.p;
    if (!pattern)
        return false;
    quipu__keyed_store(pattern, numbers, &pass->data);
    *type = (enum quipu__otf_type)pattern->type;
    *offset = quipu__input_offset(input) - (uint64_t)(input->at - first);
    pass->values_used = true;
    return true;
}

enum quipu_status quipu__otf_next_line(struct quipu__otf_pass *pass, enum quipu__otf_type *type,
                                       uint64_t *offset, struct quipu_error *err) {
    struct quipu__input *input = pass->input;
    if (pass->values_used && pass->values.count > 0)
        quipu__otf_values_clear(&pass->values);
    pass->values_used = false;
    quipu__scratch_reset(&pass->scratch);
    if (take_triple(pass, type, offset))
        return QUIPU_OK;
    for (;;) {
        bool is_record;
        quipu__scratch_reset(&pass->scratch);
        pass->lines.p = input->at;
        pass->lines.end = input->end;
        pass->lines.ended = input->ended;
        if (take_canonical(pass, type, offset))
            return QUIPU_OK;
        *offset = quipu__input_offset(input);
        const enum step step = take_line(pass, *offset, type);
        if (step == STEP_NO_ROOM)
            return quipu__no_memory(err, sizeof pass->data);
        if (step == STEP_CUT) {
            const enum quipu_status status = complete_line(pass, *offset, type, &is_record, err);
            if (status == QUIPU_END)
                report_end(pass);
            if (status != QUIPU_OK || is_record)
                return status;
            continue;
        }
        pass->line += count_newlines(input->at, pass->lines.p);
        input->at = pass->lines.p;
        if (step == STEP_RECORD) {
            pass->values_used = true;
            return QUIPU_OK;
        }
        note_state(pass);
    }
}

/* ---- Records ---- */

/* Definitions, markers and the master file have no state lines; their records only have key-values. */
static const void *common_of(struct quipu__otf_pass *pass) {
    const bool has_state = quipu__otf_has_state_lines(pass->stream_file->file);
    pass->common.time = has_state ? pass->lines.state.time : QUIPU__KEYED_NO_TIME;
    pass->common.process = has_state ? pass->lines.state.process : QUIPU__KEYED_NO_PROCESS;
    pass->common.keyvalues =
        pass->values.count > 0 ? quipu__otf_values_list(&pass->values, &pass->scratch) : NULL;
    return has_state || pass->common.keyvalues ? &pass->common : NULL;
}

/* Whether this record, and so all later ones, are after the window of a pass that may end there. */
static bool is_behind_window(struct quipu__otf_pass *pass) {
    const uint64_t time = pass->lines.state.time, last = pass->state.time;
    if (!pass->ends_early || !pass->has_state)
        return false;
    pass->is_unsorted |= last != QUIPU__KEYED_NO_TIME && time < last;
    pass->state = pass->lines.state;
    return !pass->is_unsorted && pass->pass.filter->to < INT64_MAX &&
           time >= (uint64_t)(pass->pass.filter->to > 0 ? pass->pass.filter->to : 0);
}

enum quipu_status quipu__otf_next_record(struct quipu__pass *base, struct quipu_record *out,
                                         struct quipu_error *err) {
    struct quipu__otf_pass *pass = (struct quipu__otf_pass *)base;
    enum quipu__otf_type type;
    uint64_t offset;
    const enum quipu_status status = quipu__otf_next_line(pass, &type, &offset, err);
    base->bytes = quipu__otf_bytes(pass);
    if (status != QUIPU_OK)
        return status;
    if (is_behind_window(pass))
        return QUIPU_END;
    if (!pass->has_state && quipu__otf_has_state_lines(pass->stream_file->file))
        quipu__otf_find_here(pass, QUIPU__OTF_RULE_NO_STATE, offset, quipu__otf_schema.types[type].name, "",
                             " ");
    *out = (struct quipu_record){.type = &quipu__otf_schema.types[type],
                                 .data = &pass->data,
                                 .common = common_of(pass),
                                 .stream = base->stream,
                                 .byte_offset = offset,
                                 .line = pass->line - 1,
                                 .index = pass->index++};
    base->records++;
    pass->records_of[type]++;
    return QUIPU_OK;
}
