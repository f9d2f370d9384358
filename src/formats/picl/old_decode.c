/* old_decode.c: see format.h. Each line is a record; a line that is not is reported and affects no other line. */
#include "formats/picl/format.h"

#include "core/bounded.h"

const struct quipu__picl_old_row quipu__picl_old_rows[QUIPU__PICL_OLD_KEYS] = {
#define OLD(key, keyword, labels) [key] = {keyword, labels},
#include "formats/picl/old_format.def"
#undef OLD
};

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
};

static const uint8_t *take_token(struct cursor *cursor, size_t *len) {
    return quipu__picl_take_token(&cursor->at, cursor->end, len);
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
    return QUIPU__VEC_PUT(cursor->decoder->memory, &cursor->old->values, *value);
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

/* The text after one blank. */
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

/* A length and that many numbers; a negative length: there were too many to write. The library damages long ones. */
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
    struct cursor cursor = {decoder, old, record, record->text, end, QUIPU__PICL_RULE_COUNT};
    old->values.count = 0;
    const bool is_record = take_key(&cursor) && take_head(&cursor) && take_fields(&cursor);
    record->values = old->values.items;
    record->value_count = (uint32_t)old->values.count;
    if (quipu__memory_is_out(decoder->memory))
        return QUIPU__PICL_NO_MEMORY;
    if (is_record)
        note_spelling(&cursor);
    else
        report_old(&cursor, cursor.rule);
    return is_record ? QUIPU__PICL_RECORD : QUIPU__PICL_NOTHING;
}

/* ---- What a record is in the new format ----
 *
 * Nodes become processors with one process each; the host's number changes. Where the old format has one record with two times, the
 * new one has two records. */

/* A field by its place, from 1; 0 ends a list of them. */
enum { NOTHING, MISSING = -1 };

enum when {
    AT_START,
    AT_END /* the time that the first two fields say */
};

/* A record of integers that a key becomes. */
static const struct row {
    int key;
    int64_t record_type, event_type;
    enum when when;
    int fields[7]; /* the data; MISSING is a number that is not known */
} rows[] = {
    {1, QUIPU__PICL_ENTRY, -901, AT_START, {NOTHING}},
    {1, QUIPU__PICL_MARK, -904, AT_START, {1, 2, 3}},
    {2, QUIPU__PICL_MARK, -11, AT_START, {NOTHING}},
    {3, QUIPU__PICL_ENTRY, -503, AT_START, {NOTHING}},
    {3, QUIPU__PICL_EXIT, -503, AT_START, {1, MISSING}},
    {4, QUIPU__PICL_MARK, -21, AT_START, {3, 2, 1}},
    {6, QUIPU__PICL_MARK, -51, AT_START, {MISSING, MISSING, MISSING, 3, 2, 1}},
    {7, QUIPU__PICL_ENTRY, -52, AT_START, {1}},
    {8, QUIPU__PICL_EXIT, -52, AT_START, {3, 2, 1}},
    {10, QUIPU__PICL_MARK, -402, AT_START, {NOTHING}},
    {13, QUIPU__PICL_MARK, -12, AT_START, {NOTHING}},
    {14, QUIPU__PICL_MARK, -904, AT_START, {1, 2, 3}},
    {17, QUIPU__PICL_MARK, -913, AT_START, {NOTHING}},
    {18, QUIPU__PICL_ENTRY, -912, AT_START, {NOTHING}},
    {18, QUIPU__PICL_EXIT, -912, AT_END, {NOTHING}},
    {19, QUIPU__PICL_EXIT, -901, AT_START, {NOTHING}},
    {23, QUIPU__PICL_MARK, -401, AT_START, {NOTHING}},
    {24, QUIPU__PICL_ENTRY, -903, AT_START, {NOTHING}},
    {24, QUIPU__PICL_EXIT, -903, AT_END, {NOTHING}},
};

static int64_t field_of(const struct quipu__picl_old_record *record, int field) {
    return field > 0 && (uint32_t)field <= record->value_count ? record->values[field - 1].i : -1;
}

static struct quipu__picl_decimal microseconds(int64_t value) {
    const uint64_t magnitude = quipu__magnitude(value);
    return (struct quipu__picl_decimal){magnitude, -6, value < 0, false};
}

/* Adds a record without data. */
static struct quipu__picl_record *add(struct quipu__picl_old_decoder *old,
                                      const struct quipu__picl_old_record *from, int64_t record_type,
                                      int64_t event_type) {
    struct quipu__picl_record *record = &old->converted[old->converted_count++];
    *record = (struct quipu__picl_record){.record_type = record_type,
                                          .event_type = event_type,
                                          .processor = from->node == QUIPU__PICL_OLD_HOST ? QUIPU__PICL_HOST
                                                                                          : from->node,
                                          .process = QUIPU__PICL_ALL,
                                          .time = microseconds(from->time_us),
                                          .is_fast = true,
                                          .text = from->text,
                                          .len = from->len,
                                          .byte = from->byte,
                                          .line = from->line};
    return record;
}

static void put_integer(struct quipu__picl_record *record, int64_t value) {
    record->integers[record->value_count++] = value;
    record->count = record->value_count;
}

static void add_row(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from,
                    const struct row *row) {
    struct quipu__picl_record *record = add(old, from, row->record_type, row->event_type);
    if (row->when == AT_END)
        record->time = microseconds(field_of(from, 1) * 1000000 + field_of(from, 2));
    for (size_t i = 0; row->fields[i] != NOTHING; i++)
        put_integer(record, field_of(from, row->fields[i]));
}

/* Blocks that the library itself brackets have negative types. */
static int64_t event_of_block(int64_t type) {
    static const int64_t of_library[] = {-402, -785, -785, -790, -786};
    if (type >= 0)
        return type;
    return type >= -5 ? of_library[-type - 1] : -1;
}

static void add_block(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from,
                      int64_t record_type) {
    struct quipu__picl_record *record = add(old, from, record_type, event_of_block(field_of(from, 1)));
    for (int field = 2; record->event_type >= 0 && field <= 3; field++)
        put_integer(record, field_of(from, field));
}

static struct quipu_value integer(int64_t value) {
    return (struct quipu_value){.type = QUIPU_VALUE_I64, .i = value};
}

/* A record whose data are count values in structures of so many. */
static void add_values(struct quipu__picl_record *record, const struct quipu_value *values, uint32_t count,
                       uint32_t of_structure, const char *descriptor) {
    record->is_fast = false;
    record->values = values;
    record->value_count = count;
    record->count = count / of_structure;
    record->descriptor = (struct quipu_value){
        .type = QUIPU_VALUE_STRING, .size = (uint32_t)strlen(descriptor), .data = descriptor};
}

static void add_time(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    const double seconds = ((double)field_of(from, 1) * 1e6 + (double)field_of(from, 2)) / 1e6;
    old->statistics[0] = integer(-1011);
    old->statistics[1] = (struct quipu_value){.type = QUIPU_VALUE_F64, .f = seconds};
    add_values(add(old, from, QUIPU__PICL_TIMES, -1), old->statistics, 2, 2, "\"%d%lf\"");
}

/* Messages and bytes received and sent. */
static void add_counts(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    for (int volume = 0; volume < 2; volume++) {
        struct quipu__picl_record *record =
            add(old, from, volume ? QUIPU__PICL_VOLUMES : QUIPU__PICL_COUNTS, QUIPU__PICL_ALL);
        for (int side = 0; side < 2; side++) {
            put_integer(record, side ? -1012 : -1013);
            put_integer(record, field_of(from, 1 + 2 * side + volume));
        }
        record->count = 2;
    }
}

static void add_text(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    if (from->value_count == 0 || from->values[0].size == 0)
        return;
    struct quipu__picl_record *record = add(old, from, QUIPU__PICL_MESSAGE, -911);
    add_values(record, from->values, 1, 1, "");
    record->descriptor = integer(QUIPU__PICL_CHARACTERS);
    record->count = from->values[0].size;
}

static void add_marks(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *from) {
    struct quipu__picl_record *record = add(old, from, 0, QUIPU__PICL_ALL);
    if (from->value_count == 0)
        return;
    add_values(record, from->values, from->value_count, 1, "");
    record->descriptor = integer(QUIPU__PICL_INTEGERS);
}

void quipu__picl_old_to_new(struct quipu__picl_old_decoder *old, const struct quipu__picl_old_record *record) {
    old->converted_count = old->converted_next = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].key == record->key)
            add_row(old, record, &rows[i]);
    if (record->key == QUIPU__PICL_OLD_COMPSTATS)
        add_time(old, record);
    else if (record->key == QUIPU__PICL_OLD_COMMSTATS)
        add_counts(old, record);
    else if (record->key == QUIPU__PICL_OLD_MARK)
        add(old, record, QUIPU__PICL_MARK, field_of(record, 1));
    else if (record->key == QUIPU__PICL_OLD_MESSAGE)
        add_text(old, record);
    else if (record->key == QUIPU__PICL_OLD_BLOCK_BEGIN)
        add_block(old, record, QUIPU__PICL_ENTRY);
    else if (record->key == QUIPU__PICL_OLD_BLOCK_END)
        add_block(old, record, QUIPU__PICL_EXIT);
    else if (record->key == QUIPU__PICL_OLD_MARKS)
        add_marks(old, record);
}
