/* keyed_decode.c: reading lines by the record table: which record a line is, and its fields.
 *
 * This is the complete decoder: it defines every accepted spelling, its meaning, and where to continue after a malformed
 * line. It is slow and small; keyed_scan.h takes nearly all lines.
 *
 * Two peculiarities of keywords explain most strange cases. A keyword must not be followed by a capital letter. A test for a
 * keyword compares where it starts, but skips white space even when it fails: so the first test after white space always
 * fails and the next one can succeed, which is how the long form's blanks are read.
 */
#include "schema/keyed_scan.h"
#include "schema/keyed_text.h"

#include <assert.h>
#include <string.h>

/* ==== What is not closed ==== */

/* Texts without their closing quote.
 *
 *     #"random comment2        the quote is damaged
 *     998                      so the text seems to go on ...
 *     *3
 *     E3fa
 *     #"another one"           ... to the next quote, here or many records later
 *
 * A text may continue on the next lines, though no writer writes such texts. It has lost its quote if one of the lines that
 * it would swallow, up to the one with the next quote, is a record exactly as the encoder writes it. Lines of numbers do not
 * count: they occur in texts too.
 */

/* The struct of any record. */
#define RECORD_BYTES 128

/* Whether the encoder spells the record so, in the short form or in the long one. */
static enum quipu__keyed_result is_canonical(const struct quipu__keyed_lines *line, const uint8_t *begin,
                                             const void *data, struct quipu__memory *memory) {
    enum quipu__keyed_result result = QUIPU__KEYED_DECODED;
    for (int long_form = 0; long_form < 2 && result == QUIPU__KEYED_DECODED; long_form++) {
        struct quipu__buffer text;
        quipu__buffer_init(&text, memory, 0);
        quipu__keyed_encode(&text, &line->grammar->schema->types[line->form->type], data, long_form != 0);
        if (text.failed)
            result = QUIPU__KEYED_NO_ROOM;
        else if (text.len == (size_t)(line->end - begin) && memcmp(text.data, begin, text.len) == 0)
            result = QUIPU__KEYED_UNCLOSED;
        quipu__buffer_release(&text);
    }
    return result;
}

/* Examines one line with its newline. */
static enum quipu__keyed_result look_at_line(const struct quipu__keyed_lines *lines, const uint8_t *begin,
                                             const uint8_t *end, struct quipu__scratch *scratch) {
    struct quipu__keyed_lines line = {.grammar = lines->grammar,
                                      .kind = lines->kind,
                                      .p = begin,
                                      .end = end,
                                      .ended = true,
                                      .state = lines->state};
    uint64_t data[RECORD_BYTES / sizeof(uint64_t)];
    if ((*begin < 'A' || *begin > 'Z') && *begin != (uint8_t)lines->grammar->comment_mark)
        return QUIPU__KEYED_DECODED;
    if (quipu__keyed_recognise(&line) != QUIPU__KEYED_RECORD)
        return QUIPU__KEYED_DECODED;
    assert(lines->grammar->schema->types[line.form->type].size <= sizeof data);
    switch (quipu__keyed_decode(&line, line.form, scratch, data, NULL)) {
    case QUIPU__KEYED_DECODED:
        return is_canonical(&line, begin, data, scratch->memory);
    case QUIPU__KEYED_NO_ROOM:
        return QUIPU__KEYED_NO_ROOM;
    case QUIPU__KEYED_MALFORMED:
    case QUIPU__KEYED_UNCLOSED:
    case QUIPU__KEYED_CUT:
        break;
    }
    return QUIPU__KEYED_DECODED;
}

/* Whether a text without a quote in its line has lost it: one of the lines that it would swallow is a record exactly as the
 * encoder spells it. newline ends the text's line; quote is the next quote, NULL when there is none before lines->end. */
static enum quipu__keyed_result keyed_find_text_end(const struct quipu__keyed_lines *lines,
                                                    const uint8_t *newline, const uint8_t *quote,
                                                    struct quipu__scratch *scratch) {
    const uint8_t *begin = newline + 1, *const last = quote ? quote : lines->end;
    enum quipu__keyed_result result = QUIPU__KEYED_DECODED;
    while (begin < last && result == QUIPU__KEYED_DECODED) {
        const uint8_t *end = memchr(begin, '\n', (size_t)(lines->end - begin));
        if (!end)
            break;
        result = look_at_line(lines, begin, end + 1, scratch);
        begin = end + 1;
    }
    return result;
}

/* ==== Decoding ==== */

static bool is_capital(uint8_t c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

/* Values of digits plus 1; 0 for other bytes. A table is a third faster than comparing. */
static const uint8_t digit_values[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16};

static int hex_digit(uint8_t c) {
    return digit_values[c] - 1;
}

/* The newline that every recognised line ends in stops all loops here. */
void quipu__keyed_skip_blanks(struct quipu__keyed_lines *lines) {
    while (is_blank(*lines->p))
        lines->p++;
}

void quipu__keyed_skip_line(struct quipu__keyed_lines *lines) {
    const uint8_t *newline =
        lines->p < lines->end ? memchr(lines->p, '\n', (size_t)(lines->end - lines->p)) : NULL;
    lines->p = newline ? newline + 1 : lines->end;
}

uint64_t quipu__keyed_take_number(struct quipu__keyed_lines *lines) {
    uint64_t value = 0;
    quipu__keyed_skip_blanks(lines);
    for (int digit; (digit = hex_digit(*lines->p)) >= 0; lines->p++)
        value = value << 4 | (uint64_t)digit;
    return value;
}

bool quipu__keyed_take_mark(struct quipu__keyed_lines *lines, char mark) {
    quipu__keyed_skip_blanks(lines);
    if (*lines->p != (uint8_t)mark)
        return false;
    lines->p++;
    return true;
}

void quipu__keyed_skip_words(struct quipu__keyed_lines *lines) {
    while (*lines->p == (uint8_t)lines->grammar->comment_mark || is_capital(*lines->p))
        lines->p++;
}

/* ---- Keywords ---- */

static bool starts_with(const struct quipu__keyed_lines *lines, const uint8_t *p, const char *text,
                        size_t len) {
    return (size_t)(lines->end - p) > len && memcmp(p, text, len) == 0;
}

static bool test_keyword(struct quipu__keyed_lines *lines, const char *key) {
    const uint8_t *p = lines->p;
    quipu__keyed_skip_blanks(lines);
    while (*key && *p == (uint8_t)*key) /* no key contains the line's newline */
        p++, key++;
    if (*key || is_capital(*p))
        return false;
    lines->p = p;
    return true;
}

bool quipu__keyed_take_keyword(struct quipu__keyed_lines *lines, const struct quipu__keyed_spelling *keyword) {
    return test_keyword(lines, keyword->key) || test_keyword(lines, keyword->key_long);
}

/* A prefix is a keyword after which the word may continue. */
static bool test_prefix(struct quipu__keyed_lines *lines, const char *prefix) {
    const uint8_t *p = lines->p;
    quipu__keyed_skip_blanks(lines);
    if (!starts_with(lines, p, prefix, strlen(prefix)))
        return false;
    lines->p = p + strlen(prefix);
    return true;
}

static bool test_older_keywords(struct quipu__keyed_lines *lines, uint16_t type,
                                const struct quipu_field *field) {
    for (uint32_t i = 0; i < lines->grammar->older_key_count; i++) {
        const struct quipu__keyed_older_key *older = &lines->grammar->older_keys[i];
        if (older->type == type && older->offset == field->offset && test_keyword(lines, older->key))
            return true;
    }
    return false;
}

/* The keyword of an empty list may run together with the next field's. */
static bool test_empty_list(struct quipu__keyed_lines *lines, const char *key, const char *next_key) {
    const size_t len = strlen(key), next_len = strlen(next_key);
    if (!starts_with(lines, lines->p, key, len) || !starts_with(lines, lines->p + len, next_key, next_len) ||
        is_capital(lines->p[len + next_len]))
        return false;
    lines->p += len;
    return true;
}

static bool test_field(struct quipu__keyed_lines *lines, const struct quipu__keyed_form *form, uint32_t index) {
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

static bool is_word(const char *key, const uint8_t *word, size_t len) {
    return key[0] == (char)word[0] && strncmp(key, (const char *)word, len) == 0 && key[len] == '\0';
}

/* The form whose keyword, without its prefix, is the word; NULL when there is none. */
static const struct quipu__keyed_form *find_form(const struct quipu__keyed_grammar *grammar, uint8_t kind,
                                                 const uint8_t *word, size_t len) {
    const struct quipu__keyed_kind *row = &grammar->kinds[kind];
    const size_t prefix = strlen(row->prefix), prefix_long = strlen(row->prefix_long);
    for (uint32_t i = 0; i < grammar->form_count; i++) {
        const struct quipu__keyed_form *form = &grammar->forms[i];
        if (form->kind == kind &&
            (is_word(form->key + prefix, word, len) || is_word(form->key_long + prefix_long, word, len)))
            return form;
    }
    return NULL;
}

/* A word is a capital or a mark, then capitals. */
static enum quipu__keyed_line dispatch(struct quipu__keyed_lines *lines, uint8_t kind) {
    const struct quipu__keyed_grammar *grammar = lines->grammar;
    const uint8_t *word_end = lines->p + (*lines->p == (uint8_t)grammar->comment_mark);
    while (is_capital(*word_end))
        word_end++;
    const size_t len = (size_t)(word_end - lines->p);
    lines->form = len ? find_form(grammar, kind, lines->p, len) : NULL;
    if (!lines->form)
        return QUIPU__KEYED_OTHER;
    lines->p = word_end;
    if (grammar->skips_words[lines->form->type])
        quipu__keyed_skip_words(lines);
    return QUIPU__KEYED_RECORD;
}

/* Kinds without a prefix: a line that is not one of theirs may be of their inline kind. */
static enum quipu__keyed_line recognise_bare(struct quipu__keyed_lines *lines) {
    const struct quipu__keyed_grammar *grammar = lines->grammar;
    const uint8_t inline_kind = grammar->kinds[lines->kind].inline_kind;
    if (quipu__keyed_take_keyword(lines, grammar->value))
        return QUIPU__KEYED_VALUE;
    const enum quipu__keyed_line line = dispatch(lines, lines->kind);
    if (line == QUIPU__KEYED_RECORD || inline_kind == QUIPU__KEYED_NO_KIND ||
        *lines->p != (uint8_t)grammar->kinds[inline_kind].prefix[0])
        return line;
    lines->p++;
    return dispatch(lines, inline_kind);
}

static enum quipu__keyed_line recognise_prefixed(struct quipu__keyed_lines *lines) {
    const struct quipu__keyed_grammar *grammar = lines->grammar;
    const struct quipu__keyed_kind *kind = &grammar->kinds[lines->kind];
    const bool has_one = strcmp(kind->prefix, kind->prefix_long) == 0;
    if (test_prefix(lines, kind->prefix_long) || (!has_one && test_prefix(lines, kind->prefix)))
        return dispatch(lines, lines->kind);
    if (test_prefix(lines, grammar->value->key_long) || test_prefix(lines, grammar->value->key))
        return QUIPU__KEYED_VALUE;
    return QUIPU__KEYED_OTHER;
}

/* The mark and digits, with white space anywhere between. */
static bool apply_process(struct quipu__keyed_lines *lines, const uint8_t *mark) {
    if (*mark != (uint8_t)lines->grammar->process_mark)
        return false;
    const uint8_t *digits = mark + 1;
    while (is_blank(*digits))
        digits++;
    if (hex_digit(*digits) < 0)
        return false;
    lines->p = digits;
    lines->state.process = (uint32_t)quipu__keyed_take_number(lines);
    return true;
}

static enum quipu__keyed_line recognise_any(struct quipu__keyed_lines *lines) {
    const uint8_t *first = lines->p;
    while (is_blank(*first))
        first++;
    enum quipu__keyed_line line = QUIPU__KEYED_EMPTY;
    if (hex_digit(*first) >= 0) {
        const uint64_t time = quipu__keyed_take_number(lines);
        lines->state.time = time == QUIPU__KEYED_NO_TIME ? time - 1 : time; /* that value means none */
        line = QUIPU__KEYED_TIME;
    } else if (apply_process(lines, first)) {
        line = QUIPU__KEYED_PROCESS;
    } else if (*first != '\n') {
        if (lines->grammar->kinds[lines->kind].prefix[0])
            return recognise_prefixed(lines);
        lines->p = first;
        return recognise_bare(lines);
    }
    quipu__keyed_skip_line(lines);
    return line;
}

/* A keyword that the scanner knows needs no search; only what follows it may have to be skipped. */
static bool recognise_known(struct quipu__keyed_lines *lines) {
    unsigned len;
    if (!lines->scanner || lines->end - lines->p < 8)
        return false;
    const uint64_t word = quipu__keyed_word(lines->p, &len);
    const struct quipu__keyed_slot *slot = word ? quipu__keyed_find(lines->scanner, word) : NULL;
    if (!slot)
        return false;
    lines->form = slot->form;
    lines->p += len;
    if (lines->grammar->skips_words[slot->form->type])
        quipu__keyed_skip_words(lines);
    return true;
}

enum quipu__keyed_line quipu__keyed_recognise(struct quipu__keyed_lines *lines) {
    const size_t left = (size_t)(lines->end - lines->p);
    if (left == 0 || !memchr(lines->p, '\n', left))
        return QUIPU__KEYED_MORE;
    return recognise_known(lines) ? QUIPU__KEYED_RECORD : recognise_any(lines);
}

/* ---- Fields ---- */

/* The quote that ends a text, NULL when there is none. A text that continues after its line is examined before more of it is
 * requested. */
static enum quipu__keyed_result find_quote(const struct quipu__keyed_lines *lines, const uint8_t *text,
                                           struct quipu__scratch *scratch, const uint8_t **quote) {
    const uint8_t *const newline = memchr(text, '\n', (size_t)(lines->end - text));
    *quote = newline ? memchr(text, '"', (size_t)(newline - text)) : NULL;
    if (*quote)
        return QUIPU__KEYED_DECODED;
    const uint8_t *more = newline ? newline : text;
    *quote = memchr(more, '"', (size_t)(lines->end - more));
    if (!lines->watches_texts || !newline)
        return QUIPU__KEYED_DECODED;
    return keyed_find_text_end(lines, newline, *quote, scratch);
}

static enum quipu__keyed_result decode_text(struct quipu__keyed_lines *lines, const struct quipu_field *field,
                                            struct quipu__scratch *scratch, void *data) {
    quipu__keyed_skip_blanks(lines);
    if (*lines->p != '"')
        return QUIPU__KEYED_MALFORMED;
    const uint8_t *text = lines->p + 1, *quote;
    const enum quipu__keyed_result result = find_quote(lines, text, scratch, &quote);
    if (result != QUIPU__KEYED_DECODED)
        return result;
    if (!quote || !memchr(quote, '\n', (size_t)(lines->end - quote)))
        return lines->ended ? QUIPU__KEYED_MALFORMED : QUIPU__KEYED_CUT;
    const char *copy = quipu__scratch_text(scratch, (const char *)text, (size_t)(quote - text));
    if (!copy)
        return QUIPU__KEYED_NO_ROOM;
    *(const char **)quipu__member(field, data) = copy;
    lines->p = quote + 1;
    return QUIPU__KEYED_DECODED;
}

bool quipu__keyed_is_in_list(uint8_t c) {
    return hex_digit(c) >= 0 || is_blank(c) || c == ',';
}

/* As many numbers as there are commas in the run of digits, blanks and commas. If a comma between numbers is missing, the
 * remaining ones are not part of the list. */
static enum quipu__keyed_result decode_list(struct quipu__keyed_lines *lines, const struct quipu_field *field,
                                            struct quipu__scratch *scratch, void *data) {
    uint32_t count = 0;
    for (const uint8_t *p = lines->p; quipu__keyed_is_in_list(*p); p++)
        count += *p == ',';
    uint32_t *list = quipu__scratch_sized(scratch, count, sizeof *list);
    if (!list)
        return QUIPU__KEYED_NO_ROOM;
    *(const uint32_t **)quipu__member(field, data) = list;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (uint32_t)quipu__keyed_take_number(lines);
        quipu__keyed_take_mark(lines, ',');
    }
    return QUIPU__KEYED_DECODED;
}

static enum quipu__keyed_result decode_value(struct quipu__keyed_lines *lines, const struct quipu_field *field,
                                             struct quipu__scratch *scratch, void *data) {
    if (field->shape == QUIPU_LIST)
        return decode_list(lines, field, scratch, data);
    if (field->storage == QUIPU_STORE_STRING)
        return decode_text(lines, field, scratch, data);
    quipu__store_i64(field, data, (int64_t)quipu__keyed_take_number(lines));
    return QUIPU__KEYED_DECODED;
}

/* Whether an optional text is missing: then only white space is consumed. A text that begins must end. */
static bool lacks_text(const struct quipu__keyed_lines *lines, const struct quipu_field *field) {
    return field->storage == QUIPU_STORE_STRING && field->wire == QUIPU__PRESENCE_MISSING && *lines->p != '"';
}

/* Writers cannot leave out a text, so a copy has an empty one: a missing text is read as empty. */
static enum quipu__keyed_result take_no_text(const struct quipu__keyed_lines *lines,
                                             const struct quipu_field *field, struct quipu__scratch *scratch,
                                             void *data) {
    const char *const empty = lines->watches_texts ? quipu__scratch_text(scratch, "", 0) : NULL;
    *(const char **)quipu__member(field, data) = empty;
    return empty || !lines->watches_texts ? QUIPU__KEYED_DECODED : QUIPU__KEYED_NO_ROOM;
}

/* Whether a part may be absent although something else is in its place. Loose parts are a text and a number: the first thing
 * must be one of them; anything may follow. */
static bool may_be_absent(const struct quipu__keyed_form *form, uint32_t index, const void *data) {
    const struct quipu_field *field = &form->fields[index];
    if (field->wire != QUIPU__PRESENCE_LOOSE)
        return field->wire == QUIPU__PRESENCE_MISSING;
    return field->storage == QUIPU_STORE_STRING ||
           *(const char *const *)quipu__member_const(&form->fields[index - 1], data) != NULL;
}

/* Optional parts end at the newline; a keyword that is not theirs is an error unless the table says otherwise. */
static enum quipu__keyed_result decode_field(struct quipu__keyed_lines *lines,
                                             const struct quipu__keyed_form *form, uint32_t index,
                                             struct quipu__scratch *scratch, void *data) {
    const struct quipu_field *field = &form->fields[index];
    if (field->wire != QUIPU__PRESENCE_ALWAYS && *lines->p == '\n')
        return lacks_text(lines, field) ? take_no_text(lines, field, scratch, data) : QUIPU__KEYED_DECODED;
    if (field->key[0] && !test_field(lines, form, index))
        return may_be_absent(form, index, data) ? QUIPU__KEYED_DECODED : QUIPU__KEYED_MALFORMED;
    const enum quipu__keyed_result result = decode_value(lines, field, scratch, data);
    return result == QUIPU__KEYED_MALFORMED && lacks_text(lines, field)
               ? take_no_text(lines, field, scratch, data)
               : result;
}

/* Lenient kinds: after the first missing keyword no further one is consumed, so numbers read as 0, and only the text must be
 * there. */
static enum quipu__keyed_result decode_lenient_field(struct quipu__keyed_lines *lines,
                                                     const struct quipu__keyed_form *form, uint32_t index,
                                                     struct quipu__scratch *scratch, void *data,
                                                     bool *has_keywords) {
    const struct quipu_field *field = &form->fields[index];
    if (field->key[0] && *has_keywords)
        *has_keywords = test_field(lines, form, index);
    return decode_value(lines, field, scratch, data);
}

enum quipu__keyed_result quipu__keyed_decode(struct quipu__keyed_lines *lines,
                                             const struct quipu__keyed_form *form,
                                             struct quipu__scratch *scratch, void *data,
                                             const struct quipu_field **fault) {
    const bool is_lenient = lines->grammar->kinds[form->kind].is_lenient;
    bool has_keywords = true;
    memset(data, 0, lines->grammar->schema->types[form->type].size);
    for (uint32_t i = 0; i < form->field_count; i++) {
        const enum quipu__keyed_result result =
            is_lenient ? decode_lenient_field(lines, form, i, scratch, data, &has_keywords)
                       : decode_field(lines, form, i, scratch, data);
        if (result == QUIPU__KEYED_DECODED)
            continue;
        if (fault)
            *fault = &form->fields[i];
        return result;
    }
    quipu__keyed_skip_blanks(lines);
    lines->rest = *lines->p == '\n' || *lines->p == '\r' ? NULL : lines->p;
    quipu__keyed_skip_line(lines);
    return QUIPU__KEYED_DECODED;
}
