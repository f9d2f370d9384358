/* old_decode.c: see old_decode.h. A line is a record; a line that is none is reported and costs only itself. */
#include "formats/picl/old_decode.h"

const struct quipu__picl_old_row quipu__picl_old_rows[QUIPU__PICL_OLD_KEYS] = {
#define OLD(key, keyword, labels) [key] = {keyword, labels},
#include "formats/picl/old_format.def"
#undef OLD
};

void quipu__picl_old_release(struct quipu__picl_old_decoder *old, struct quipu__memory *memory) {
    QUIPU__VEC_RELEASE(memory, &old->values);
}

const char *quipu__picl_next_label(const char *labels, struct quipu__picl_old_label *out) {
    while (*labels == ' ')
        labels++;
    *out = (struct quipu__picl_old_label){.text = labels, .values = 1, .is_stored = true};
    while ((*labels >= 'a' && *labels <= 'z') || *labels == '_')
        labels++;
    out->len = (size_t)(labels - out->text);
    if (*labels >= '0' && *labels <= '9')
        out->values = (uint32_t)(*labels++ - '0');
    if (*labels == '-') {
        out->is_stored = false;
        labels++;
    }
    return out->len > 0 ? labels : NULL;
}

/* ---- Tokens ---- */

struct cursor {
    struct quipu__picl_decoder *decoder;
    struct quipu__picl_old_decoder *old;
    struct quipu__picl_old_record *record;
    const uint8_t *at, *end;
    enum quipu__picl_rule rule; /* what is wrong; QUIPU__PICL_RULE_COUNT: nothing */
    bool has_no_memory;
};

static const uint8_t *take_token(struct cursor *cursor, size_t *len) {
    const uint8_t *const first = quipu__picl_skip_space(cursor->at, cursor->end);
    const uint8_t *p = first;
    while (p < cursor->end && !quipu__picl_is_space(*p))
        p++;
    *len = (size_t)(p - first);
    cursor->at = p;
    return first;
}

static bool fail(struct cursor *cursor, enum quipu__picl_rule rule) {
    cursor->rule = rule;
    return false;
}

static bool take_integer(struct cursor *cursor, int64_t *out) {
    size_t len;
    bool is_too_large;
    const uint8_t *token = take_token(cursor, &len);
    if (len == 0)
        return fail(cursor, QUIPU__PICL_RULE_OLD_FIELD_COUNT);
    if (quipu__picl_read_integer(token, token + len, out, &is_too_large) != len || is_too_large)
        return fail(cursor, QUIPU__PICL_RULE_OLD_NO_INTEGER);
    return true;
}

static bool take_word(struct cursor *cursor, const char *word, size_t word_len) {
    size_t len;
    const uint8_t *token = take_token(cursor, &len);
    if (len == word_len && memcmp(token, word, len) == 0)
        return true;
    return fail(cursor, len == 0 ? QUIPU__PICL_RULE_OLD_FIELD_COUNT : QUIPU__PICL_RULE_OLD_NO_INTEGER);
}

static bool add_value(struct cursor *cursor, const struct quipu_value *value) {
    struct quipu_value *added = QUIPU__VEC_ADD(cursor->decoder->memory, &cursor->old->values);
    cursor->has_no_memory |= !added;
    if (added)
        *added = *value;
    return added != NULL;
}

static bool add_integer(struct cursor *cursor, int64_t integer) {
    const struct quipu_value value = {.type = QUIPU_VALUE_I64, .i = integer};
    return add_value(cursor, &value);
}

/* Integers up to the end of the line. */
static bool take_rest(struct cursor *cursor) {
    int64_t integer;
    while (quipu__picl_skip_space(cursor->at, cursor->end) < cursor->end)
        if (!take_integer(cursor, &integer) || !add_integer(cursor, integer))
            return false;
    return true;
}

/* ---- Fields ---- */

/* Two halves that carry the same sign. */
static bool take_time(struct cursor *cursor, int64_t *out) {
    int64_t seconds, microseconds;
    if (!take_integer(cursor, &seconds) || !take_integer(cursor, &microseconds))
        return false;
    if (microseconds < -999999 || microseconds > 999999 || (seconds < 0 && microseconds > 0) ||
        (seconds > 0 && microseconds < 0) || seconds > INT64_MAX / 2000000 || seconds < -(INT64_MAX / 2000000))
        return fail(cursor, QUIPU__PICL_RULE_OLD_MICROSECONDS);
    *out = seconds * 1000000 + microseconds;
    return true;
}

static bool take_head(struct cursor *cursor) {
    struct quipu__picl_old_record *record = cursor->record;
    if (record->is_verbose && !take_word(cursor, "clock", 5))
        return fail(cursor, QUIPU__PICL_RULE_OLD_NO_INTEGER);
    if (!take_time(cursor, &record->time_us))
        return false;
    if (record->is_verbose && !take_word(cursor, "node", 4))
        return fail(cursor, QUIPU__PICL_RULE_OLD_NO_INTEGER);
    return take_integer(cursor, &record->node);
}

/* The text behind one blank. */
static bool take_message(struct cursor *cursor) {
    cursor->at += cursor->at < cursor->end;
    const struct quipu_value text = {.type = QUIPU_VALUE_STRING,
                                     .size = (uint32_t)(cursor->end - cursor->at),
                                     .data = (const char *)cursor->at};
    cursor->at = cursor->end;
    return add_value(cursor, &text);
}

static bool report_old(const struct cursor *cursor, enum quipu__picl_rule rule) {
    char found[61];
    const size_t len = cursor->record->len < sizeof found - 1 ? cursor->record->len : sizeof found - 1;
    memcpy(found, cursor->record->text, len);
    found[len] = '\0';
    if (cursor->decoder->report)
        cursor->decoder->report(cursor->decoder->context, rule, cursor->record->line, cursor->record->byte,
                                found);
    return true;
}

/* A length and so many numbers; a negative one: there were too many to write. The library damages long ones. */
static bool take_marks(struct cursor *cursor) {
    static const char sentence[] = "integer array of size";
    int64_t size;
    cursor->at = quipu__picl_skip_space(cursor->at, cursor->end);
    if (cursor->record->is_verbose && (size_t)(cursor->end - cursor->at) > sizeof sentence - 1 &&
        memcmp(cursor->at, sentence, sizeof sentence - 1) == 0) {
        cursor->at = cursor->end;
        return report_old(cursor, QUIPU__PICL_RULE_OLD_MARKS);
    }
    if ((cursor->record->is_verbose && !take_word(cursor, "size", 4)) || !take_integer(cursor, &size))
        return false;
    const bool has_label = cursor->record->is_verbose && size >= 0;
    if ((has_label && !take_word(cursor, "array", 5)) || !take_rest(cursor))
        return false;
    return size < 0 || (uint64_t)size == cursor->old->values.count ||
           report_old(cursor, QUIPU__PICL_RULE_OLD_MARKS);
}

/* Key 3 has two words in front of its value in the verbose spelling. */
static bool take_load(struct cursor *cursor) {
    size_t len;
    if (cursor->record->is_verbose) {
        take_token(cursor, &len);
        take_token(cursor, &len);
    }
    return take_rest(cursor) &&
           (cursor->old->values.count == 1 || fail(cursor, QUIPU__PICL_RULE_OLD_FIELD_COUNT));
}

/* Key 2 of a host has two numbers whose meaning is not known. */
static bool take_open(struct cursor *cursor) {
    if (!take_rest(cursor))
        return false;
    if (cursor->old->values.count == 2)
        return report_old(cursor, QUIPU__PICL_RULE_OLD_HOST_OPEN);
    return cursor->old->values.count == 0 || fail(cursor, QUIPU__PICL_RULE_OLD_FIELD_COUNT);
}

static bool take_labelled(struct cursor *cursor) {
    const bool is_verbose = cursor->record->is_verbose;
    const char *labels = quipu__picl_old_rows[cursor->record->key].labels;
    struct quipu__picl_old_label label;
    int64_t integer;
    while ((labels = quipu__picl_next_label(labels, &label)) != NULL) {
        if (!label.is_stored && !is_verbose)
            continue;
        if (is_verbose && !take_word(cursor, label.text, label.len))
            return false;
        for (uint32_t i = 0; i < label.values; i++)
            if (!take_integer(cursor, &integer) || (label.is_stored && !add_integer(cursor, integer)))
                return false;
    }
    if (cursor->record->key == QUIPU__PICL_OLD_STOP && is_verbose)
        cursor->at = cursor->end; /* ": ran out of memory" */
    return quipu__picl_skip_space(cursor->at, cursor->end) == cursor->end ||
           fail(cursor, QUIPU__PICL_RULE_OLD_FIELD_COUNT);
}

static bool take_fields(struct cursor *cursor) {
    switch (cursor->record->key) {
    case QUIPU__PICL_OLD_OPEN:
        return take_open(cursor);
    case QUIPU__PICL_OLD_LOAD:
        return take_load(cursor);
    case QUIPU__PICL_OLD_MESSAGE:
        return take_message(cursor);
    case QUIPU__PICL_OLD_MARKS:
        return take_marks(cursor);
    default:
        return take_labelled(cursor);
    }
}

/* ---- Lines ---- */

static bool take_key(struct cursor *cursor) {
    struct quipu__picl_old_record *record = cursor->record;
    size_t len;
    bool is_too_large;
    const uint8_t *token = take_token(cursor, &len);
    record->is_verbose = (token[0] | 0x20) >= 'a' && (token[0] | 0x20) <= 'z';
    if (!record->is_verbose)
        return (quipu__picl_read_integer(token, token + len, &record->key, &is_too_large) == len &&
                record->key >= 1 && record->key < QUIPU__PICL_OLD_KEYS) ||
               fail(cursor, QUIPU__PICL_RULE_OLD_KEYWORD);
    for (record->key = 1; record->key < QUIPU__PICL_OLD_KEYS; record->key++) {
        const char *keyword = quipu__picl_old_rows[record->key].keyword;
        if (strlen(keyword) == len && memcmp(keyword, token, len) == 0)
            return true;
    }
    return fail(cursor, QUIPU__PICL_RULE_OLD_KEYWORD);
}

static void note_spelling(struct cursor *cursor) {
    struct quipu__picl_old_decoder *old = cursor->old;
    old->was_verbose |= cursor->record->is_verbose;
    old->was_compressed |= !cursor->record->is_verbose;
    if (old->was_verbose && old->was_compressed && !old->was_mixed) {
        old->was_mixed = true;
        report_old(cursor, QUIPU__PICL_RULE_OLD_SPELLINGS);
    }
}

enum quipu__picl_decoded quipu__picl_old_decode(struct quipu__picl_decoder *decoder,
                                                struct quipu__picl_old_decoder *old,
                                                struct quipu__picl_old_record *record) {
    const uint8_t *const at = decoder->at;
    const uint8_t *newline = at < decoder->end ? memchr(at, '\n', (size_t)(decoder->end - at)) : NULL;
    if (at == decoder->end || (!newline && !decoder->ended))
        return QUIPU__PICL_CUT;
    const uint8_t *end = newline ? newline : decoder->end;
    record->byte = decoder->offset - (uint64_t)(decoder->end - at);
    record->line = decoder->line++;
    decoder->at = newline ? newline + 1 : end;
    while (end > at && end[-1] == '\r')
        end--;
    record->text = quipu__picl_skip_space(at, end);
    record->len = (size_t)(end - record->text);
    if (record->len == 0)
        return QUIPU__PICL_NOTHING;
    struct cursor cursor = {decoder, old, record, record->text, end, QUIPU__PICL_RULE_COUNT, false};
    old->values.count = 0;
    const bool is_record = take_key(&cursor) && take_head(&cursor) && take_fields(&cursor);
    record->values = old->values.items;
    record->value_count = (uint32_t)old->values.count;
    if (cursor.has_no_memory)
        return QUIPU__PICL_NO_MEMORY;
    if (is_record)
        note_spelling(&cursor);
    else
        report_old(&cursor, cursor.rule);
    return is_record ? QUIPU__PICL_RECORD : QUIPU__PICL_NOTHING;
}
