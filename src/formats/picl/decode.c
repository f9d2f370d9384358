/* decode.c: the complete decoder; see decode.h. One text is made of the lines that belong together, usually one; a record is
 * parsed from a text, and what is left of the text decides what the deviation is. */
#include "formats/picl/decode.h"

#include "formats/picl/fast_line.h"

#include <stdio.h>

void quipu__picl_decoder_init(struct quipu__picl_decoder *decoder, struct quipu__memory *memory,
                              const struct quipu__picl_scope *scope) {
    *decoder = (struct quipu__picl_decoder){
        .memory = memory,
        .scope = scope,
        .line = 1,
        .expected = {.whole = 1, .location = 1}}; /* which nothing is under a mask of 0 */
    quipu__buffer_init(&decoder->joined, memory, 0);
    quipu__buffer_init(&decoder->spaced, memory, 0);
}

void quipu__picl_decoder_release(struct quipu__picl_decoder *decoder) {
    quipu__buffer_release(&decoder->joined);
    quipu__buffer_release(&decoder->spaced);
    QUIPU__VEC_RELEASE(decoder->memory, &decoder->values);
}

/* ---- One record ---- */

enum parsed { PARSED, ENDED, BAD, NO_MEMORY };

/* A record that is being parsed from [at, end). */
struct parser {
    struct quipu__picl_decoder *decoder;
    struct quipu__picl_record *record;
    const uint8_t *at, *end;
    enum quipu__picl_rule rule;   /* BAD: what is wrong; ENDED: what is wrong when nothing follows */
    enum quipu__picl_rule notice; /* an accepted deviation, or QUIPU__PICL_RULE_COUNT */
};

static enum parsed bad(struct parser *parser, enum quipu__picl_rule rule) {
    parser->rule = rule;
    return BAD;
}

static enum parsed ended(struct parser *parser, enum quipu__picl_rule rule) {
    parser->rule = rule;
    return ENDED;
}

/* The next run of characters other than white space; NULL at the end. */
static const uint8_t *take_token(struct parser *parser, size_t *len) {
    const uint8_t *at = parser->at;
    const uint8_t *const first = quipu__picl_take_token(&at, parser->end, len);
    if (*len == 0)
        return NULL;
    parser->at = at;
    return first;
}

static enum parsed parse_integer(struct parser *parser, enum quipu__picl_rule rule, int64_t *out) {
    size_t len;
    bool is_too_large;
    const uint8_t *token = take_token(parser, &len);
    if (!token)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    if (quipu__picl_read_integer(token, token + len, out, &is_too_large) != len)
        return bad(parser, rule);
    return is_too_large ? bad(parser, QUIPU__PICL_RULE_LARGE_INTEGER) : PARSED;
}

static enum parsed parse_time(struct parser *parser) {
    struct quipu__picl_record *record = parser->record;
    double seconds;
    record->time_text = take_token(parser, &record->time_len);
    if (!record->time_text)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    const uint8_t *const text = record->time_text;
    if (quipu__picl_read_decimal(text, text + record->time_len, &record->time) != record->time_len)
        return bad(parser, QUIPU__PICL_RULE_NO_TIME);
    if (record->time.exponent > 0 && !quipu__picl_to_double(text, record->time_len, &seconds))
        return bad(parser, QUIPU__PICL_RULE_NO_TIME);
    return PARSED;
}

static enum parsed parse_head(struct parser *parser) {
    struct quipu__picl_record *record = parser->record;
    enum parsed parsed = parse_integer(parser, QUIPU__PICL_RULE_NO_RECORD_TYPE, &record->record_type);
    if (parsed == PARSED)
        parsed = parse_integer(parser, QUIPU__PICL_RULE_NO_INTEGER, &record->event_type);
    if (parsed == PARSED)
        parsed = parse_time(parser);
    if (parsed == PARSED)
        parsed = parse_integer(parser, QUIPU__PICL_RULE_NO_INTEGER, &record->processor);
    if (parsed == PARSED)
        parsed = parse_integer(parser, QUIPU__PICL_RULE_NO_INTEGER, &record->process);
    if (parsed == PARSED)
        parsed = parse_integer(parser, QUIPU__PICL_RULE_NO_INTEGER, &record->count);
    return parsed == PARSED && record->count < 0 ? bad(parser, QUIPU__PICL_RULE_NEGATIVE_COUNT) : parsed;
}

/* ---- Descriptors ---- */

/* A text in quotes at parser->at, on one line, followed by white space or the end. */
static bool take_quoted(struct parser *parser, struct quipu_value *out) {
    const uint8_t *const first = parser->at + 1;
    const size_t left = parser->at < parser->end ? (size_t)(parser->end - first) : 0;
    const uint8_t *close = left > 0 && first[-1] == '"' ? memchr(first, '"', left) : NULL;
    if (!close || memchr(first, '\n', (size_t)(close - first)))
        return false;
    if (close + 1 < parser->end && !quipu__picl_is_space(close[1]))
        return false;
    *out = (struct quipu_value){
        .type = QUIPU_VALUE_STRING, .size = (uint32_t)(close - first), .data = (const char *)first};
    parser->at = close + 1;
    return true;
}

/* Sets the record's descriptor, and the control string without its quotes. */
static enum parsed parse_descriptor(struct parser *parser, const char **control, size_t *len) {
    struct quipu__picl_record *record = parser->record;
    struct quipu_value *descriptor = &record->descriptor;
    parser->at = quipu__picl_skip_space(parser->at, parser->end);
    if (parser->at == parser->end)
        return ended(parser, QUIPU__PICL_RULE_NO_DESCRIPTOR);
    if (take_quoted(parser, descriptor)) {
        *control = descriptor->data;
        *len = descriptor->size;
        descriptor->data--;
        descriptor->size += 2;
        return PARSED;
    }
    descriptor->type = QUIPU_VALUE_I64;
    const enum parsed parsed = parse_integer(parser, QUIPU__PICL_RULE_BAD_DESCRIPTOR, &descriptor->i);
    if (parsed != PARSED)
        return parsed;
    *control = quipu__picl_find_control(parser->decoder->scope, descriptor->i, record->event_type,
                                        record->processor, record->process, record->byte, len);
    return *control ? PARSED : bad(parser, QUIPU__PICL_RULE_UNDEFINED_DESCRIPTOR);
}

/* A control string, compiled; those that are short are kept. NULL when it is not well-formed. */
static const struct quipu__picl_control *control_of(struct quipu__picl_decoder *decoder, const char *text,
                                                    size_t len) {
    uint32_t hash = (uint32_t)len;
    for (size_t i = 0; i < len && i < sizeof decoder->controls->text; i++)
        hash = hash * 31 + (uint8_t)text[i];
    if (len == 0 || len > sizeof decoder->controls->text)
        return quipu__picl_compile(text, len, &decoder->control) ? &decoder->control : NULL;
    const size_t slot = hash % QUIPU__PICL_CONTROLS;
    if (decoder->controls[slot].len == len && memcmp(decoder->controls[slot].text, text, len) == 0)
        return &decoder->controls[slot].control;
    memcpy(decoder->controls[slot].text, text, len);
    decoder->controls[slot].len = len;
    if (quipu__picl_compile(decoder->controls[slot].text, len, &decoder->controls[slot].control))
        return &decoder->controls[slot].control;
    decoder->controls[slot].len = 0;
    return NULL;
}

/* ---- Data ---- */

static bool ends_here(const struct parser *parser, const uint8_t *at) {
    return at == parser->end || quipu__picl_is_space(*at);
}

/* n characters, each but the last followed by a blank. */
static bool are_spaced(const struct parser *parser, const uint8_t *at, size_t n) {
    if ((size_t)(parser->end - at) < n || (size_t)(parser->end - at) - n < n - 1)
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        if (at[2 * i + 1] != ' ')
            return false;
    return ends_here(parser, at + 2 * n - 1);
}

static struct quipu_value text_of(const uint8_t *at, size_t len) {
    return (struct quipu_value){.type = QUIPU_VALUE_STRING, .size = (uint32_t)len, .data = (const char *)at};
}

/* Room for that many values after the existing ones. */
static struct quipu_value *room_for(struct quipu__picl_decoder *decoder, size_t count) {
    if (!QUIPU__VEC_RESERVE(decoder->memory, &decoder->values, count + 1))
        return NULL;
    return decoder->values.items;
}

/* Character data: one separator, then as many bytes as the count says. */
static enum parsed parse_characters(struct parser *parser) {
    struct quipu__picl_record *record = parser->record;
    struct quipu__picl_decoder *decoder = parser->decoder;
    const uint8_t *at = parser->at;
    struct quipu_value *value = room_for(decoder, 1);
    if (!value)
        return NO_MEMORY;
    if (at == parser->end)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    at += at[0] == '\r' && parser->end - at > 1 && at[1] == '\n' ? 2 : 1;
    const size_t left = (size_t)(parser->end - at);
    if ((uint64_t)record->count > left)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    const size_t n = (size_t)record->count;
    parser->at = at + n;
    *value = text_of(at, n);
    record->value_count = 1;
    if (ends_here(parser, parser->at))
        return PARSED;
    if (!are_spaced(parser, at, n))
        return bad(parser, QUIPU__PICL_RULE_BAD_VALUE);
    decoder->spaced.len = 0;
    for (size_t i = 0; i < n; i++)
        quipu__put_u8(&decoder->spaced, at[2 * i]);
    if (decoder->spaced.failed)
        return NO_MEMORY;
    *value = text_of(decoder->spaced.data, n);
    parser->at = at + 2 * n - 1;
    parser->notice = QUIPU__PICL_RULE_SPACED_CHARACTERS;
    return PARSED;
}

/* Where a structure begins: after white space, or after one character of it if a character comes first. */
static const uint8_t *structure_at(const struct parser *parser, const struct quipu__picl_control *control,
                                   const uint8_t *at) {
    if (!control->begins_with_char)
        return quipu__picl_skip_space(at, parser->end);
    const bool is_pair = parser->end - at > 1 && at[0] == '\r' && at[1] == '\n';
    return at == parser->end || !quipu__picl_is_space(*at) ? at : at + 1 + is_pair;
}

static enum parsed parse_structures(struct parser *parser, const struct quipu__picl_control *control,
                                    uint64_t count) {
    struct quipu__picl_record *record = parser->record;
    const uint8_t *at = parser->at;
    const size_t left = (size_t)(parser->end - at);
    if (count > left || count * control->stored > left)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    struct quipu_value *values = room_for(parser->decoder, (size_t)count * control->stored);
    if (!values)
        return NO_MEMORY;
    record->value_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        at = structure_at(parser, control, at);
        const enum quipu__picl_match match =
            quipu__picl_read_structure(control, &at, parser->end, values + record->value_count);
        if (match == QUIPU__PICL_ENDED)
            return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
        if (match != QUIPU__PICL_MATCHED || !ends_here(parser, at))
            return bad(parser, match == QUIPU__PICL_TOO_LARGE ? QUIPU__PICL_RULE_LARGE_INTEGER
                                                              : QUIPU__PICL_RULE_BAD_VALUE);
        record->value_count += control->stored;
    }
    parser->at = at;
    return PARSED;
}

/* Some writers count values instead of structures. */
static enum parsed parse_values(struct parser *parser, const struct quipu__picl_control *control) {
    const uint64_t count = (uint64_t)parser->record->count;
    const uint8_t *const at = parser->at;
    const enum parsed parsed = parse_structures(parser, control, count);
    const enum quipu__picl_rule rule = parser->rule;
    if (parsed == PARSED || parsed == NO_MEMORY || control->stored < 2 || count != control->stored)
        return parsed;
    parser->at = at;
    const enum parsed once = parse_structures(parser, control, 1);
    if (once == NO_MEMORY)
        return once;
    if (once == PARSED && quipu__picl_skip_space(parser->at, parser->end) == parser->end) {
        parser->notice = QUIPU__PICL_RULE_COUNTS_VALUES;
        return PARSED;
    }
    parser->rule = rule;
    return parsed;
}

/* A number and a control string in quotes, whatever the descriptor says. */
static enum parsed parse_alias(struct parser *parser) {
    struct quipu__picl_record *record = parser->record;
    struct quipu_value *values = room_for(parser->decoder, 2);
    if (!values)
        return NO_MEMORY;
    const enum parsed parsed = parse_integer(parser, QUIPU__PICL_RULE_BAD_ALIAS, &values[0].i);
    if (parsed != PARSED)
        return parsed;
    parser->at = quipu__picl_skip_space(parser->at, parser->end);
    if (parser->at == parser->end)
        return ended(parser, QUIPU__PICL_RULE_SHORT_RECORD);
    values[0].type = QUIPU_VALUE_I64;
    if (values[0].i < 0 || record->count != 1 || !take_quoted(parser, &values[1]))
        return bad(parser, QUIPU__PICL_RULE_BAD_ALIAS);
    record->value_count = 2;
    return control_of(parser->decoder, values[1].data, values[1].size)
               ? PARSED
               : bad(parser, QUIPU__PICL_RULE_BAD_DESCRIPTOR);
}

static enum parsed parse_data(struct parser *parser) {
    const char *text;
    size_t len;
    const enum parsed parsed = parse_descriptor(parser, &text, &len);
    if (parsed != PARSED)
        return parsed;
    const struct quipu__picl_control *control = control_of(parser->decoder, text, len);
    if (!control)
        return bad(parser, QUIPU__PICL_RULE_BAD_DESCRIPTOR);
    if (parser->record->record_type == QUIPU__PICL_ALIAS)
        return parse_alias(parser);
    return control->is_characters ? parse_characters(parser) : parse_values(parser, control);
}

/* ---- Rules of single records ---- */

static bool is_pair(const struct quipu_value *pair) {
    const bool is_event = pair[0].type == QUIPU_VALUE_I64;
    return is_event && pair[1].type != QUIPU_VALUE_STRING;
}

static bool is_paired(const struct quipu_value *values, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i += 2)
        if (!is_pair(&values[i]))
            return false;
    return count % 2 == 0;
}

/* What the record type asks of the data. */
static enum parsed judge(struct parser *parser) {
    const struct quipu__picl_record *record = parser->record;
    const struct quipu_value *values = parser->decoder->values.items;
    switch (record->record_type) {
    case QUIPU__PICL_ALIAS:
        return record->count == 1 ? PARSED : bad(parser, QUIPU__PICL_RULE_BAD_ALIAS);
    case QUIPU__PICL_PROCESSOR_SUBSET:
    case QUIPU__PICL_PROCESS_SUBSET:
    case QUIPU__PICL_EVENT_SUBSET:
        return record->value_count > 0 && values[0].type == QUIPU_VALUE_I64
                   ? PARSED
                   : bad(parser, QUIPU__PICL_RULE_NO_SUBSET);
    case QUIPU__PICL_TIMES:
    case QUIPU__PICL_COUNTS:
    case QUIPU__PICL_VOLUMES:
    case QUIPU__PICL_RECEIVED_VOLUMES:
    case QUIPU__PICL_SIZES:
        return is_paired(values, record->value_count) ? PARSED : bad(parser, QUIPU__PICL_RULE_UNPAIRED_VALUES);
    default:
        return PARSED;
    }
}

/* Parses one record from [at, end). */
static enum parsed parse(struct parser *parser) {
    struct quipu__picl_record *record = parser->record;
    record->text = quipu__picl_skip_space(parser->at, parser->end);
    record->byte = parser->decoder->text_byte + (uint64_t)(record->text - parser->decoder->text);
    record->value_count = 0;
    record->is_fast = false;
    record->descriptor = (struct quipu_value){.type = QUIPU_VALUE_STRING};
    parser->notice = QUIPU__PICL_RULE_COUNT;
    enum parsed parsed = parse_head(parser);
    if (parsed == PARSED && record->count > 0)
        parsed = parse_data(parser);
    if (parsed == PARSED)
        parsed = judge(parser);
    record->values = parser->decoder->values.items;
    record->len = (size_t)(parser->at - record->text);
    return parsed;
}

static enum parsed parse_at(struct quipu__picl_decoder *decoder, const uint8_t *at, const uint8_t *end,
                            struct quipu__picl_record *record, struct parser *parser) {
    *parser = (struct parser){.decoder = decoder, .record = record, .at = at, .end = end};
    return parse(parser);
}

static bool is_blank(const uint8_t *at, const uint8_t *end) {
    return quipu__picl_skip_space(at, end) == end;
}

/* Whether [at, end) consists of complete records. */
static enum parsed are_records(struct quipu__picl_decoder *decoder, const uint8_t *at, const uint8_t *end) {
    struct quipu__picl_record record;
    struct parser parser = {.at = at};
    enum parsed parsed = PARSED;
    while (parsed == PARSED && !is_blank(parser.at, end))
        parsed = parse_at(decoder, parser.at, end, &record, &parser);
    return parsed;
}

/* ---- Lines ---- */

static void report(const struct quipu__picl_decoder *decoder, enum quipu__picl_rule rule, uint64_t byte,
                   const uint8_t *at, const uint8_t *end) {
    char found[61];
    if (!decoder->report)
        return;
    at = quipu__picl_skip_space(at, end);
    const size_t len = (size_t)(end - at) < sizeof found - 1 ? (size_t)(end - at) : sizeof found - 1;
    memcpy(found, at, len);
    found[len] = '\0';
    decoder->report(decoder->context, rule, decoder->line, byte, found);
}

/* One line of the window: [at, end) without its end, and where the next one begins. All carriage returns before the
 * end are part of it: were one left, it would stand there in what is written, and be gone when that is read. */
struct line {
    const uint8_t *at, *end, *behind;
    bool has_carriage_return;
};

/* False when it does not end in the window and there is more to come, or nothing is left. */
static bool line_at(const struct quipu__picl_decoder *decoder, const uint8_t *at, struct line *out) {
    const uint8_t *newline = at < decoder->end ? memchr(at, '\n', (size_t)(decoder->end - at)) : NULL;
    if (at == decoder->end || (!newline && !decoder->ended))
        return false;
    out->at = at;
    out->end = newline ? newline : decoder->end;
    out->behind = newline ? newline + 1 : decoder->end;
    const uint8_t *const end = out->end;
    while (out->end > at && out->end[-1] == '\r')
        out->end--;
    out->has_carriage_return = out->end < end;
    return true;
}

/* The address of a backslash that ends a text, or NULL. */
static const uint8_t *backslash_of(const uint8_t *at, const uint8_t *end) {
    while (end > at && quipu__picl_is_space(end[-1]))
        end--;
    return end > at && end[-1] == '\\' ? end - 1 : NULL;
}

/* Adds the next line to the current ones. cut: how much of them stays, instead of a newline after all of them. */
static enum parsed join_line(struct quipu__picl_decoder *decoder, const struct line *line, const uint8_t *cut) {
    const size_t length = (size_t)((cut ? cut : decoder->text_end) - decoder->text);
    if (decoder->line_count == 1) {
        decoder->joined.len = 0;
        quipu__put(&decoder->joined, decoder->text, length);
    }
    decoder->joined.len = length;
    if (!cut)
        quipu__put_u8(&decoder->joined, '\n');
    quipu__put(&decoder->joined, line->at, (size_t)(line->end - line->at));
    if (decoder->joined.failed)
        return NO_MEMORY;
    decoder->text = decoder->joined.data;
    decoder->text_end = decoder->joined.data + decoder->joined.len;
    decoder->behind = line->behind;
    decoder->line_count++;
    return PARSED;
}

/* Whether a line begins a record, complete or not, so that it does not continue another one. */
static bool begins_record(struct quipu__picl_decoder *decoder, const struct line *line) {
    struct quipu__picl_record record;
    struct parser parser = {.decoder = decoder, .at = line->at, .end = line->end};
    int64_t number;
    if (is_blank(line->at, line->end))
        return false;
    if (are_records(decoder, line->at, line->end) == PARSED)
        return true;
    for (unsigned i = 0; i < 6; i++) {
        size_t len;
        bool is_too_large;
        const uint8_t *token = take_token(&parser, &len);
        if (!token)
            return false;
        if (i != 2 && quipu__picl_read_integer(token, token + len, &number, &is_too_large) != len)
            return false;
        if (i == 2 && (quipu__picl_read_decimal(token, token + len, &record.time) != len ||
                       (!memchr(token, '.', len) && !memchr(token, 'e', len) && !memchr(token, 'E', len))))
            return false;
    }
    return true;
}

/* Extends the current lines by all that a backslash adds. */
static enum quipu__picl_decoded join_backslashes(struct quipu__picl_decoder *decoder, bool *is_joined) {
    const uint8_t *cut;
    while ((cut = backslash_of(decoder->text, decoder->text_end)) != NULL &&
           decoder->line_count <= QUIPU__PICL_CONTINUATIONS_MOST) {
        struct line line;
        if (!line_at(decoder, decoder->behind, &line))
            return decoder->ended ? QUIPU__PICL_RECORD : QUIPU__PICL_CUT;
        if (join_line(decoder, &line, cut) != PARSED)
            return QUIPU__PICL_NO_MEMORY;
        *is_joined = true;
    }
    return QUIPU__PICL_RECORD;
}

/* Extends the current lines until they hold a record. QUIPU__PICL_RECORD: parsed says what they are. */
static enum quipu__picl_decoded complete_text(struct quipu__picl_decoder *decoder, struct parser *parser,
                                              struct quipu__picl_record *record, enum parsed *parsed,
                                              bool *has_backslash) {
    uint32_t continuations = 0;
    for (;;) {
        struct line line;
        const enum quipu__picl_decoded joined = join_backslashes(decoder, has_backslash);
        if (joined != QUIPU__PICL_RECORD)
            return joined;
        *parsed = parse_at(decoder, decoder->text, decoder->text_end, record, parser);
        if (*parsed == NO_MEMORY)
            return QUIPU__PICL_NO_MEMORY;
        if (*parsed != ENDED || continuations == QUIPU__PICL_CONTINUATIONS_MOST)
            return QUIPU__PICL_RECORD;
        const enum quipu__picl_rule rule = parser->rule;
        if (!line_at(decoder, decoder->behind, &line)) {
            const bool is_last = decoder->ended && decoder->behind == decoder->end;
            return is_last ? QUIPU__PICL_RECORD : QUIPU__PICL_CUT;
        }
        const bool begins = begins_record(decoder, &line);
        parser->rule = rule;
        if (begins)
            return QUIPU__PICL_RECORD;
        if (join_line(decoder, &line, NULL) != PARSED)
            return QUIPU__PICL_NO_MEMORY;
        continuations++;
    }
}

/* Leaves the current lines. */
static void leave_text(struct quipu__picl_decoder *decoder) {
    decoder->at = decoder->behind;
    decoder->line += decoder->line_count;
    decoder->next = NULL;
}

/* ---- Steps ---- */

/* The current record is complete: examines what follows it in its text. */
static enum quipu__picl_decoded look_behind(struct quipu__picl_decoder *decoder, const struct parser *parser,
                                            struct quipu__picl_record *record, bool is_known) {
    const uint8_t *const behind = parser->at;
    if (parser->notice != QUIPU__PICL_RULE_COUNT)
        report(decoder, parser->notice, record->byte, record->text, behind);
    if (is_blank(behind, decoder->text_end)) {
        leave_text(decoder);
        return QUIPU__PICL_RECORD;
    }
    decoder->next = behind;
    if (is_known)
        return QUIPU__PICL_RECORD;
    struct parser again;
    const enum parsed rest = are_records(decoder, behind, decoder->text_end);
    if (rest == NO_MEMORY || parse_at(decoder, record->text, decoder->text_end, record, &again) == NO_MEMORY)
        return QUIPU__PICL_NO_MEMORY;
    const uint64_t byte = decoder->text_byte + (uint64_t)(behind - decoder->text);
    report(decoder, rest == PARSED ? QUIPU__PICL_RULE_SEVERAL_RECORDS : QUIPU__PICL_RULE_LEFT_OVER, byte,
           behind, decoder->text_end);
    if (rest != PARSED)
        leave_text(decoder);
    return QUIPU__PICL_RECORD;
}

/* A record after another one on the same line. */
static enum quipu__picl_decoded decode_next(struct quipu__picl_decoder *decoder,
                                            struct quipu__picl_record *record) {
    struct parser parser;
    record->line = decoder->line;
    const enum parsed parsed = parse_at(decoder, decoder->next, decoder->text_end, record, &parser);
    if (parsed == NO_MEMORY)
        return QUIPU__PICL_NO_MEMORY;
    if (parsed == PARSED)
        return look_behind(decoder, &parser, record, true);
    report(decoder, parser.rule, record->byte, record->text, decoder->text_end);
    leave_text(decoder);
    return QUIPU__PICL_NOTHING;
}

static void report_lines(const struct quipu__picl_decoder *decoder, bool has_backslash,
                         uint32_t lines_of_record) {
    if (has_backslash)
        report(decoder, QUIPU__PICL_RULE_BACKSLASH, decoder->text_byte, decoder->text, decoder->text_end);
    else if (lines_of_record > 1)
        report(decoder, QUIPU__PICL_RULE_SEVERAL_LINES, decoder->text_byte, decoder->text, decoder->text_end);
}

/* Makes the line at at the current text. */
static enum quipu__picl_decoded begin_text(struct quipu__picl_decoder *decoder) {
    struct line line;
    if (!line_at(decoder, decoder->at, &line))
        return QUIPU__PICL_CUT;
    decoder->text_byte = decoder->offset - (uint64_t)(decoder->end - decoder->at);
    decoder->text = line.at;
    decoder->text_end = line.end;
    decoder->behind = line.behind;
    decoder->line_count = 1;
    if (line.has_carriage_return && !decoder->has_carriage_return)
        report(decoder, QUIPU__PICL_RULE_CARRIAGE_RETURN, decoder->text_byte, line.at, line.end);
    decoder->has_carriage_return |= line.has_carriage_return;
    if (!is_blank(line.at, line.end))
        return QUIPU__PICL_RECORD;
    leave_text(decoder);
    return QUIPU__PICL_NOTHING;
}

enum quipu__picl_decoded quipu__picl_decode(struct quipu__picl_decoder *decoder,
                                            struct quipu__picl_record *record) {
    struct parser parser;
    enum parsed parsed;
    bool has_backslash = false;
    if (decoder->next)
        return decode_next(decoder, record);
    if (quipu__picl_take_fast_line(decoder, record))
        return QUIPU__PICL_RECORD;
    record->line = decoder->line;
    enum quipu__picl_decoded step = begin_text(decoder);
    if (step == QUIPU__PICL_RECORD)
        step = complete_text(decoder, &parser, record, &parsed, &has_backslash);
    if (step != QUIPU__PICL_RECORD)
        return step;
    report_lines(decoder, has_backslash, decoder->line_count);
    if (memchr(decoder->text, 0, (size_t)(decoder->text_end - decoder->text))) {
        parsed = BAD;
        parser.rule = QUIPU__PICL_RULE_NUL_BYTE;
    }
    if (parsed == PARSED)
        return look_behind(decoder, &parser, record, false);
    report(decoder, parser.rule, decoder->text_byte, decoder->text, decoder->text_end);
    leave_text(decoder);
    return QUIPU__PICL_NOTHING;
}
