/* decode.c: reading lines by the record table: which record a line is, and its fields.
 *
 * This is the complete decoder: every spelling that OTF's library accepts, with the same meaning, and the same place to
 * go on after a bad line. It is slow and small; what nearly all lines look like is covered by usual.c, on the way to
 * events, and by plain.c, on the way to records. Keywords are looked up in the table of forms once: keyword.h.
 *
 * Two peculiarities of keywords explain most of the odd cases. A keyword must not be followed by a capital letter. And a
 * test for a keyword compares at the place where it starts, but skips white space even when it fails: so the first test
 * after white space always fails and the next one can succeed, which is how the long form's blanks are read.
 */
#include "formats/otf/keyword.h"

#include <string.h>

static bool is_capital(uint8_t c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

/* Values of digits plus 1; 0 for what is none. A table is a third faster than comparing. */
static const uint8_t digit_values[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16};

static int hex_digit(uint8_t c) {
    return digit_values[c] - 1;
}

/* The newline that every recognised line ends in stops all loops here. */
static void skip_blanks(struct quipu__otf_lines *lines) {
    while (is_blank(*lines->at))
        lines->at++;
}

void quipu__otf_skip_line(struct quipu__otf_lines *lines) {
    const uint8_t *newline =
        lines->at < lines->end ? memchr(lines->at, '\n', (size_t)(lines->end - lines->at)) : NULL;
    lines->at = newline ? newline + 1 : lines->end;
}

uint64_t quipu__otf_take_number(struct quipu__otf_lines *lines) {
    uint64_t value = 0;
    skip_blanks(lines);
    for (int digit; (digit = hex_digit(*lines->at)) >= 0; lines->at++)
        value = value << 4 | (uint64_t)digit;
    return value;
}

/* ---- Keywords ---- */

static bool starts_with(const struct quipu__otf_lines *lines, const uint8_t *at, const char *text, size_t len) {
    return (size_t)(lines->end - at) > len && memcmp(at, text, len) == 0;
}

static bool test_keyword(struct quipu__otf_lines *lines, const char *key) {
    const uint8_t *at = lines->at;
    skip_blanks(lines);
    while (*key && *at == (uint8_t)*key) /* the line's newline is in no key */
        at++, key++;
    if (*key || is_capital(*at))
        return false;
    lines->at = at;
    return true;
}

/* A prefix is a keyword that more of the word may follow. */
static bool test_prefix(struct quipu__otf_lines *lines, const char *prefix) {
    const uint8_t *at = lines->at;
    skip_blanks(lines);
    if (!starts_with(lines, at, prefix, strlen(prefix)))
        return false;
    lines->at = at + strlen(prefix);
    return true;
}

static bool test_older_keywords(struct quipu__otf_lines *lines, enum quipu__otf_type type,
                                const struct quipu_field *field) {
    for (uint32_t i = 0; i < quipu__otf_older_key_count; i++) {
        const struct quipu__otf_older_key *older = &quipu__otf_older_keys[i];
        if (older->type == type && older->offset == field->offset && test_keyword(lines, older->key))
            return true;
    }
    return false;
}

/* The keyword of an empty list may run together with the next field's. */
static bool test_empty_list(struct quipu__otf_lines *lines, const char *key, const char *next_key) {
    const size_t len = strlen(key), next_len = strlen(next_key);
    if (!starts_with(lines, lines->at, key, len) || !starts_with(lines, lines->at + len, next_key, next_len) ||
        is_capital(lines->at[len + next_len]))
        return false;
    lines->at += len;
    return true;
}

static bool test_field(struct quipu__otf_lines *lines, const struct quipu__otf_form *form, uint32_t index) {
    const struct quipu_field *field = &form->fields[index];
    if (test_keyword(lines, field->key) || test_keyword(lines, field->key_long) ||
        test_older_keywords(lines, form->type, field))
        return true;
    if (field->shape != QUIPU_LIST || index + 1 >= form->field_count)
        return false;
    return test_empty_list(lines, field->key, field[1].key) ||
           test_empty_list(lines, field->key_long, field[1].key_long);
}

/* ---- Which record ---- */

/* What the keywords of a kind of file start with; older.def and records.def spell them out in full. */
static const struct prefix {
    const char *key, *key_long;
    uint8_t len, long_len;
} prefixes[] = {[QUIPU__OTF_DEFINITIONS] = {"D", "DEF", 1, 3},
                [QUIPU__OTF_EVENTS] = {"", "", 0, 0},
                [QUIPU__OTF_SNAPSHOTS] = {"T", "T", 1, 1},
                [QUIPU__OTF_STATISTICS] = {"S", "SUM", 1, 3},
                [QUIPU__OTF_MARKERS] = {"M", "MARKER", 1, 6}};

static bool is_word(const char *key, const uint8_t *word, size_t len) {
    return key[0] == (char)word[0] && strncmp(key, (const char *)word, len) == 0 && key[len] == '\0';
}

static bool is_form(const struct quipu__otf_form *form, enum quipu__otf_file file, const uint8_t *word,
                    size_t len) {
    return form->file == file && (is_word(form->key + prefixes[file].len, word, len) ||
                                  is_word(form->key_long + prefixes[file].long_len, word, len));
}

/* The form whose keyword, without its prefix, is the word. */
static const struct quipu__otf_form *find_form(enum quipu__otf_file file, const uint8_t *word, size_t len) {
    for (uint32_t i = 0; i < quipu__otf_form_count; i++)
        if (is_form(&quipu__otf_forms[i], file, word, len))
            return &quipu__otf_forms[i];
    return NULL;
}

/* Behind the keywords of these events everything is skipped that a keyword or a comment's mark is made of. */
static bool skips_words(const struct quipu__otf_form *form) {
    return strchr("#ELSN", form->key[0]) || strncmp(form->key, "COP", 3) == 0;
}

static void skip_words(struct quipu__otf_lines *lines) {
    while (*lines->at == '#' || is_capital(*lines->at))
        lines->at++;
}

static enum quipu__otf_line dispatch(struct quipu__otf_lines *lines, enum quipu__otf_file file) {
    const uint8_t *word_end = lines->at + (*lines->at == '#' && file == QUIPU__OTF_EVENTS);
    while (is_capital(*word_end))
        word_end++;
    const size_t len = (size_t)(word_end - lines->at);
    lines->form = len ? find_form(file, lines->at, len) : NULL;
    if (!lines->form)
        return QUIPU__OTF_LINE_OTHER;
    lines->at = word_end;
    if (file == QUIPU__OTF_EVENTS && skips_words(lines->form))
        skip_words(lines);
    return QUIPU__OTF_LINE_RECORD;
}

/* A line of an event file that starts with T and is no RMAPut is an inline snapshot. */
static enum quipu__otf_line recognise_event(struct quipu__otf_lines *lines) {
    if (test_keyword(lines, "K") || test_keyword(lines, "KEY"))
        return QUIPU__OTF_LINE_VALUE;
    const enum quipu__otf_line line = dispatch(lines, QUIPU__OTF_EVENTS);
    if (line == QUIPU__OTF_LINE_RECORD || *lines->at != 'T')
        return line;
    lines->at++;
    return dispatch(lines, QUIPU__OTF_SNAPSHOTS);
}

static enum quipu__otf_line recognise_prefixed(struct quipu__otf_lines *lines) {
    const struct prefix *prefix = &prefixes[lines->file];
    const bool has_one = strcmp(prefix->key, prefix->key_long) == 0;
    if (test_prefix(lines, prefix->key_long) || (!has_one && test_prefix(lines, prefix->key)))
        return dispatch(lines, lines->file);
    if (test_prefix(lines, "KEY") || test_prefix(lines, "K"))
        return QUIPU__OTF_LINE_VALUE;
    return QUIPU__OTF_LINE_OTHER;
}

/* "*" and digits, with white space anywhere between. */
static bool apply_process(struct quipu__otf_lines *lines, const uint8_t *star) {
    const uint8_t *digits = star + 1;
    while (is_blank(*digits))
        digits++;
    if (*star != '*' || hex_digit(*digits) < 0)
        return false;
    lines->at = digits;
    lines->state.process = (uint32_t)quipu__otf_take_number(lines);
    return true;
}

static enum quipu__otf_line recognise_new(struct quipu__otf_lines *lines) {
    const uint8_t *first = lines->at;
    while (is_blank(*first))
        first++;
    enum quipu__otf_line line = QUIPU__OTF_LINE_EMPTY;
    if (hex_digit(*first) >= 0) {
        lines->state.time = quipu__otf_take_number(lines);
        line = QUIPU__OTF_LINE_TIME;
    } else if (apply_process(lines, first)) {
        line = QUIPU__OTF_LINE_PROCESS;
    } else if (*first != '\n') {
        if (lines->file != QUIPU__OTF_EVENTS)
            return recognise_prefixed(lines);
        lines->at = first;
        return recognise_event(lines);
    }
    quipu__otf_skip_line(lines);
    return line;
}

/* A keyword that was met before is known at once; only what follows it may have to be skipped. */
static enum quipu__otf_line recognise_keyword(struct quipu__otf_lines *lines, uint64_t keyword, unsigned len) {
    const struct quipu__otf_known *known = quipu__otf_known_of(lines->memo, keyword);
    if (!known) {
        const enum quipu__otf_line line = recognise_new(lines);
        if (line == QUIPU__OTF_LINE_RECORD)
            lines->memo->known[quipu__otf_place_of(keyword)] =
                (struct quipu__otf_known){keyword, lines->form, quipu__otf_is_plain(lines->form)};
        return line;
    }
    lines->form = known->form;
    lines->at += len;
    if (known->form->file == QUIPU__OTF_EVENTS && skips_words(known->form))
        skip_words(lines);
    return QUIPU__OTF_LINE_RECORD;
}

enum quipu__otf_line quipu__otf_recognise(struct quipu__otf_lines *lines) {
    unsigned len;
    uint64_t keyword = 0;
    const size_t left = (size_t)(lines->end - lines->at);
    if (left == 0 || !memchr(lines->at, '\n', left))
        return QUIPU__OTF_LINE_MORE;
    if (lines->memo && left >= sizeof keyword)
        keyword = quipu__otf_keyword_at(lines->at, &len);
    return keyword ? recognise_keyword(lines, keyword, len) : recognise_new(lines);
}

/* ---- Fields ---- */

static void store_number(const struct quipu_field *field, void *data, uint64_t value) {
    quipu__store_i64(field, data, (int64_t)value);
}

/* A text that goes on behind its line. It is looked into before more of it is waited for. */
static enum quipu__otf_parse look_into_text(const struct quipu__otf_lines *lines, const uint8_t *newline,
                                            const uint8_t *quote, struct quipu__scratch *scratch) {
    if (!lines->watches_texts || !newline)
        return QUIPU__OTF_PARSED;
    switch (quipu__otf_look_into_text(lines, newline, quote, scratch)) {
    case QUIPU__OTF_TEXT_IS_OPEN:
        return QUIPU__OTF_OPEN;
    case QUIPU__OTF_TEXT_NO_ROOM:
        return QUIPU__OTF_NO_ROOM;
    case QUIPU__OTF_TEXT_GOES_ON:
        break;
    }
    return QUIPU__OTF_PARSED;
}

static enum quipu__otf_parse parse_text(struct quipu__otf_lines *lines, const struct quipu_field *field,
                                        struct quipu__scratch *scratch, void *data) {
    skip_blanks(lines);
    if (*lines->at != '"')
        return QUIPU__OTF_BAD;
    const uint8_t *text = lines->at + 1;
    const uint8_t *const newline = memchr(text, '\n', (size_t)(lines->end - text));
    const uint8_t *quote = newline ? memchr(text, '"', (size_t)(newline - text)) : NULL;
    if (!quote) {
        const uint8_t *more = newline ? newline : text;
        quote = memchr(more, '"', (size_t)(lines->end - more));
        const enum quipu__otf_parse result = look_into_text(lines, newline, quote, scratch);
        if (result != QUIPU__OTF_PARSED)
            return result;
    }
    if (!quote || !memchr(quote, '\n', (size_t)(lines->end - quote)))
        return lines->ended ? QUIPU__OTF_BAD : QUIPU__OTF_CUT;
    const char *copy = quipu__scratch_text(scratch, (const char *)text, (size_t)(quote - text));
    if (!copy)
        return QUIPU__OTF_NO_ROOM;
    *(const char **)quipu__member(field, data) = copy;
    lines->at = quote + 1;
    return QUIPU__OTF_PARSED;
}

static bool is_in_list(uint8_t c) {
    return hex_digit(c) >= 0 || is_blank(c) || c == ',';
}

/* As many numbers as there are commas in the run of digits, blanks and commas. A comma may be missing between them, and
 * then what is left of the run is not part of the list. */
static enum quipu__otf_parse parse_list(struct quipu__otf_lines *lines, const struct quipu_field *field,
                                        struct quipu__scratch *scratch, void *data) {
    uint32_t count = 0;
    for (const uint8_t *at = lines->at; is_in_list(*at); at++)
        count += *at == ',';
    uint32_t *list = quipu__scratch_sized(scratch, count, sizeof *list);
    if (!list)
        return QUIPU__OTF_NO_ROOM;
    *(const uint32_t **)quipu__member(field, data) = list;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (uint32_t)quipu__otf_take_number(lines);
        skip_blanks(lines);
        lines->at += *lines->at == ',';
    }
    return QUIPU__OTF_PARSED;
}

static enum quipu__otf_parse parse_value(struct quipu__otf_lines *lines, const struct quipu_field *field,
                                         struct quipu__scratch *scratch, void *data) {
    if (field->shape == QUIPU_LIST)
        return parse_list(lines, field, scratch, data);
    if (field->storage == QUIPU_STORE_STRING)
        return parse_text(lines, field, scratch, data);
    store_number(field, data, quipu__otf_take_number(lines));
    return QUIPU__OTF_PARSED;
}

/* A text that may be missing, and is: nothing is consumed but white space. One that begins must end. */
static bool lacks_text(const struct quipu__otf_lines *lines, const struct quipu_field *field) {
    return field->storage == QUIPU_STORE_STRING && field->wire == QUIPU__OTF_MISSING && *lines->at != '"';
}

/* Whether a part may be absent although something else stands in its place. Of the loose parts, which are a text and a
 * number, the first thing must be one of them; what follows may be anything. */
static bool may_be_absent(const struct quipu__otf_form *form, uint32_t index, const void *data) {
    const struct quipu_field *field = &form->fields[index];
    if (field->wire != QUIPU__OTF_LOOSE)
        return field->wire == QUIPU__OTF_MISSING;
    return field->storage == QUIPU_STORE_STRING ||
           *(const char *const *)quipu__member_const(&form->fields[index - 1], data) != NULL;
}

/* Optional parts end at the newline; a keyword that is not theirs is an error unless the table says otherwise. */
static enum quipu__otf_parse parse_field(struct quipu__otf_lines *lines, const struct quipu__otf_form *form,
                                         uint32_t index, struct quipu__scratch *scratch, void *data) {
    const struct quipu_field *field = &form->fields[index];
    if (field->wire != QUIPU__OTF_ALWAYS && *lines->at == '\n')
        return QUIPU__OTF_PARSED;
    if (field->key[0] && !test_field(lines, form, index))
        return may_be_absent(form, index, data) ? QUIPU__OTF_PARSED : QUIPU__OTF_BAD;
    const enum quipu__otf_parse result = parse_value(lines, field, scratch, data);
    return result == QUIPU__OTF_BAD && lacks_text(lines, field) ? QUIPU__OTF_PARSED : result;
}

/* OTF's parser of marker lines does not look at its keyword tests one by one: after the first missing keyword none is
 * consumed any more, so that numbers read as 0, and only the text must be there. */
static enum quipu__otf_parse parse_marker_field(struct quipu__otf_lines *lines,
                                                const struct quipu__otf_form *form, uint32_t index,
                                                struct quipu__scratch *scratch, void *data,
                                                bool *has_keywords) {
    const struct quipu_field *field = &form->fields[index];
    if (field->key[0] && *has_keywords)
        *has_keywords = test_field(lines, form, index);
    return parse_value(lines, field, scratch, data);
}

enum quipu__otf_parse quipu__otf_parse(struct quipu__otf_lines *lines, const struct quipu__otf_form *form,
                                       struct quipu__scratch *scratch, void *data,
                                       const struct quipu_field **fault) {
    bool has_keywords = true;
    memset(data, 0, quipu__otf_schema.types[form->type].size);
    for (uint32_t i = 0; i < form->field_count; i++) {
        const enum quipu__otf_parse result =
            form->file == QUIPU__OTF_MARKERS ? parse_marker_field(lines, form, i, scratch, data, &has_keywords)
                                             : parse_field(lines, form, i, scratch, data);
        if (result == QUIPU__OTF_PARSED)
            continue;
        if (fault)
            *fault = &form->fields[i];
        return result;
    }
    quipu__otf_skip_line(lines);
    return QUIPU__OTF_PARSED;
}

/* ---- Key-values ---- */

/* Pairs of digits. One digit at the end is read, as the lower half of a byte, but no byte of its own: a length that
 * follows may still count it. */
static enum quipu__otf_parse parse_bytes(struct quipu__otf_lines *lines, struct quipu__otf_value_line *out) {
    skip_blanks(lines);
    for (int high, low; (high = hex_digit(lines->at[0])) >= 0; out->count++, lines->at += 2) {
        if (out->count == QUIPU__OTF_CHUNK)
            return QUIPU__OTF_BAD;
        low = hex_digit(lines->at[1]);
        out->bytes[out->count] = (uint8_t)(low < 0 ? high : high << 4 | low);
        if (low < 0) {
            lines->at++;
            break;
        }
    }
    out->left = out->count;
    if (*lines->at == '\n')
        return QUIPU__OTF_PARSED;
    if (!test_keyword(lines, "L") && !test_keyword(lines, "LEN"))
        return QUIPU__OTF_PARSED; /* as many as there are; the rest of the line does not count */
    out->left = (uint32_t)quipu__otf_take_number(lines);
    return QUIPU__OTF_PARSED;
}

/* One byte: a single digit is the low half, and digits after the first two do not count. */
static uint64_t take_char(struct quipu__otf_lines *lines) {
    skip_blanks(lines);
    const int high = hex_digit(lines->at[0]), low = high < 0 ? -1 : hex_digit(lines->at[1]);
    return high < 0 ? 0 : low < 0 ? (uint64_t)high : (uint64_t)(high << 4 | low);
}

static enum quipu__otf_parse parse_number_value(struct quipu__otf_lines *lines,
                                                struct quipu__otf_value_line *out) {
    if (out->type == QUIPU_VALUE_CHAR) {
        out->u = take_char(lines);
        return QUIPU__OTF_PARSED;
    }
    const uint64_t number = quipu__otf_take_number(lines);
    switch ((enum quipu_value_type)out->type) {
    case QUIPU_VALUE_I8:
        return out->i = (int8_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_U8:
        return out->u = (uint8_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_I16:
        return out->i = (int16_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_U16:
        return out->u = (uint16_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_I32:
        return out->i = (int32_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_U32:
        return out->u = (uint32_t)number, QUIPU__OTF_PARSED;
    case QUIPU_VALUE_F32:
        return out->f = quipu__otf_float_from_bits((uint32_t)number), QUIPU__OTF_PARSED;
    default: /* 64 bits of any kind */
        return out->u = number, QUIPU__OTF_PARSED;
    }
}

enum quipu__otf_parse quipu__otf_parse_value(struct quipu__otf_lines *lines,
                                             struct quipu__otf_value_line *out) {
    memset(out, 0, sizeof *out);
    if (lines->file == QUIPU__OTF_EVENTS)
        skip_words(lines);
    out->key = (uint32_t)quipu__otf_take_number(lines);
    if (!test_keyword(lines, "Y") && !test_keyword(lines, "TYPE"))
        return QUIPU__OTF_BAD;
    const uint32_t type = (uint32_t)quipu__otf_take_number(lines);
    if (type > QUIPU_VALUE_BYTES || (!test_keyword(lines, "V") && !test_keyword(lines, "VALUE")))
        return QUIPU__OTF_BAD;
    out->type = (uint8_t)type;
    const enum quipu__otf_parse result =
        type == QUIPU_VALUE_BYTES ? parse_bytes(lines, out) : parse_number_value(lines, out);
    if (result == QUIPU__OTF_PARSED)
        quipu__otf_skip_line(lines);
    return result;
}

/* ---- The master control file ---- */

static bool take_mark(struct quipu__otf_lines *lines, uint8_t mark) {
    skip_blanks(lines);
    if (*lines->at != mark)
        return false;
    lines->at++;
    return true;
}

/* "i servers : mode : bits", behind the i. */
static enum quipu__otf_master_line parse_servers(struct quipu__otf_lines *lines,
                                                 struct quipu__otf_MasterServers *servers) {
    memset(servers, 0, sizeof *servers);
    servers->servers = (uint32_t)quipu__otf_take_number(lines);
    const bool has_mode = take_mark(lines, ':');
    if (has_mode)
        servers->mode = (uint32_t)quipu__otf_take_number(lines);
    const bool has_bits = has_mode && take_mark(lines, ':');
    if (has_bits)
        servers->streamBits = (uint32_t)quipu__otf_take_number(lines);
    const bool is_good = has_bits && (servers->mode == 1 || servers->mode == 2);
    return is_good ? QUIPU__OTF_MASTER_SERVERS : QUIPU__OTF_MASTER_BAD;
}

/* "stream : process , process"; a process that is missing between the marks is process 0. */
static enum quipu__otf_master_line parse_mapping(struct quipu__otf_lines *lines, struct quipu__scratch *scratch,
                                                 struct quipu__otf_MasterStream *mapping) {
    uint32_t room = 1, count = 0;
    mapping->stream = (uint32_t)quipu__otf_take_number(lines);
    if (!take_mark(lines, ':'))
        return QUIPU__OTF_MASTER_OTHER;
    for (const uint8_t *at = lines->at; is_in_list(*at); at++)
        room += *at == ',';
    uint32_t *processes = quipu__scratch_sized(scratch, room, sizeof *processes);
    if (!processes)
        return QUIPU__OTF_MASTER_NO_ROOM;
    do {
        processes[count++] = (uint32_t)quipu__otf_take_number(lines);
    } while (take_mark(lines, ',') && count < room);
    ((struct quipu_sized *)(void *)processes)[-1].count = count;
    mapping->processes = processes;
    return QUIPU__OTF_MASTER_STREAM;
}

enum quipu__otf_master_line quipu__otf_parse_master(struct quipu__otf_lines *lines,
                                                    struct quipu__scratch *scratch,
                                                    union quipu__otf_any *data) {
    skip_blanks(lines);
    const bool is_servers = *lines->at == 'i';
    lines->at += is_servers;
    const enum quipu__otf_master_line line = is_servers ? parse_servers(lines, &data->MasterServers)
                                                        : parse_mapping(lines, scratch, &data->MasterStream);
    quipu__otf_skip_line(lines);
    return line;
}
