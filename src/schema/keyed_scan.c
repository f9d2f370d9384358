/* keyed_scan.c: builds the fast scanner from the rows, and reads lines with optional numbers. */
#include "schema/keyed_scan.h"

/* ---- Patterns ---- */

static bool is_number(const struct quipu_field *field) {
    return field->shape == QUIPU_ONE &&
           (field->storage == QUIPU_STORE_U32 || field->storage == QUIPU_STORE_U64);
}

/* Whether a form consists only of numbers, the first without a keyword, and has all fields of its record: older forms may
 * lack some. */
static bool is_of_numbers(const struct quipu__keyed_grammar *grammar, const struct quipu__keyed_form *form) {
    uint32_t numbers = 0;
    while (numbers < form->field_count && is_number(&form->fields[numbers]))
        numbers++;
    return numbers == grammar->schema->types[form->type].field_count && numbers <= QUIPU__KEYED_NUMBERS &&
           (numbers == 0 || form->fields[0].key[0] == '\0');
}

/* Sets the text between two numbers; false when it is too long. */
static bool set_end(struct quipu__keyed_end *end, const char *text, bool is_long) {
    const bool has_blanks = is_long && text[0] != '\n';
    const size_t len = strlen(text), all = len + 2u * has_blanks;
    if (all > sizeof end->text)
        return false;
    memset(end->text, ' ', all);
    memcpy(end->text + has_blanks, text, len);
    end->len = (unsigned)all;
    end->mask = quipu__keyed_first_bytes(end->len);
    return true;
}

/* The number of required numbers. One without a keyword is always there, except in empty records. */
static uint8_t count_required(const struct quipu__keyed_form *form) {
    uint8_t count = 0;
    while (count < form->field_count &&
           (form->fields[count].wire == QUIPU__PRESENCE_ALWAYS || form->fields[count].key[0] == '\0'))
        count++;
    return count;
}

/* A newline ends the last required number; the keywords of optional ones have their own entries. */
static bool set_ends(struct quipu__keyed_pattern *pattern) {
    const struct quipu_field *fields = pattern->form->fields;
    pattern->is_short_ends = true;
    pattern->pair_count = pattern->required == 2 || pattern->required == 4 ? pattern->required / 2 : 0;
    for (unsigned i = 0; i < pattern->count; i++) {
        const struct quipu_field *next = &fields[i < pattern->required ? i + 1 : i];
        const char *key = pattern->is_long ? next->key_long : next->key;
        if (i + 1u == pattern->required)
            key = "\n";
        if (!set_end(&pattern->ends[i], key, pattern->is_long))
            return false;
        if (i >= pattern->required)
            continue;
        pattern->is_short_ends &= pattern->ends[i].len <= 8;
        if (pattern->ends[i].len != 1)
            pattern->pair_count = 0;
    }
    return true;
}

static void set_members(struct quipu__keyed_pattern *pattern) {
    for (unsigned i = 0; i < pattern->count; i++) {
        pattern->offsets[i] = pattern->form->fields[i].offset;
        pattern->is_wide[i] = pattern->form->fields[i].storage == QUIPU_STORE_U64;
    }
}

/* Makes the pattern of a form that starts with a keyword; false when there can be none. */
static bool make_pattern(const struct quipu__keyed_grammar *grammar, const struct quipu__keyed_form *form,
                         const char *key, bool is_long, struct quipu__keyed_pattern *pattern) {
    const size_t len = strlen(key);
    *pattern = (struct quipu__keyed_pattern){.form = form, .type = form->type, .is_long = is_long};
    if (!is_of_numbers(grammar, form) || len + is_long > sizeof pattern->keyword)
        return false;
    memcpy(pattern->keyword, key, len);
    memcpy(pattern->keyword + len, " ", is_long);
    pattern->keyword_len = (uint8_t)(len + is_long);
    pattern->count = (uint8_t)form->field_count;
    pattern->required = count_required(form);
    set_members(pattern);
    return set_ends(pattern);
}

/* ---- The scanner ---- */

static bool is_of_kind(const struct quipu__keyed_grammar *grammar, const struct quipu__keyed_form *form,
                       uint8_t kind) {
    return form->kind == kind || form->kind == grammar->kinds[kind].inline_kind;
}

/* A keyword is a word of capitals alone. */
static uint64_t word_of(const char *key) {
    uint8_t text[8] = {0};
    unsigned len;
    if (strlen(key) > 7)
        return 0;
    memcpy(text, key, strlen(key));
    const uint64_t word = quipu__keyed_word(text, &len);
    return len == strlen(key) ? word : 0;
}

/* Of forms with the same keyword the first one counts, as in the decoder. */
static void add_keyword(struct quipu__keyed_scanner *scanner, const struct quipu__keyed_form *form,
                        const char *key, bool is_long) {
    const uint64_t word = word_of(key);
    if (!word || quipu__keyed_find(scanner, word))
        return;
    size_t i = quipu__keyed_hash(word);
    while (scanner->slots[i].word)
        i = (i + 1) % QUIPU__KEYED_SLOTS;
    struct quipu__keyed_pattern *pattern = &scanner->patterns[scanner->pattern_count];
    const bool has_pattern = make_pattern(scanner->grammar, form, key, is_long, pattern);
    scanner->slots[i] = (struct quipu__keyed_slot){word, form, has_pattern ? pattern : NULL};
    scanner->pattern_count += has_pattern;
    if (has_pattern && key[1] == '\0')
        scanner->letters[key[0] - 'A'] = pattern;
}

static size_t scanner_bytes(const struct quipu__keyed_grammar *grammar, uint8_t kind) {
    size_t forms = 0;
    for (uint32_t i = 0; i < grammar->form_count; i++)
        forms += is_of_kind(grammar, &grammar->forms[i], kind);
    return sizeof(struct quipu__keyed_scanner) + (2 * forms + 1) * sizeof(struct quipu__keyed_pattern);
}

struct quipu__keyed_scanner *quipu__keyed_scanner_new(struct quipu__memory *memory,
                                                      const struct quipu__keyed_grammar *grammar,
                                                      uint8_t kind) {
    struct quipu__keyed_scanner *scanner = quipu__alloc_zero(memory, scanner_bytes(grammar, kind));
    if (!scanner)
        return NULL;
    scanner->grammar = grammar;
    scanner->kind = kind;
    for (uint32_t i = 0; i < grammar->form_count; i++) {
        const struct quipu__keyed_form *form = &grammar->forms[i];
        if (!is_of_kind(grammar, form, kind))
            continue;
        add_keyword(scanner, form, form->key, false);
        add_keyword(scanner, form, form->key_long, true);
    }
    return scanner;
}

void quipu__keyed_scanner_free(struct quipu__memory *memory, struct quipu__keyed_scanner *scanner) {
    if (scanner)
        quipu__release(memory, scanner, scanner_bytes(scanner->grammar, scanner->kind));
}

const struct quipu__keyed_pattern *quipu__keyed_pattern_of(const struct quipu__keyed_scanner *scanner,
                                                           uint16_t type, bool long_form) {
    const struct quipu_record_type *row = &scanner->grammar->schema->types[type];
    const uint64_t word = word_of(long_form ? row->key_long : row->key);
    const struct quipu__keyed_slot *slot = word ? quipu__keyed_find(scanner, word) : NULL;
    return slot && slot->form->type == type ? slot->pattern : NULL;
}

/* 0 when there is none. */
static uint8_t letter_of(const struct quipu__keyed_scanner *scanner, uint16_t type) {
    const struct quipu__keyed_pattern *pattern = quipu__keyed_pattern_of(scanner, type, false);
    return pattern && pattern->keyword_len == 1 && pattern->required == 1 ? pattern->keyword[0] : 0;
}

struct quipu__keyed_twins quipu__keyed_twins_of(const struct quipu__keyed_scanner *scanner, uint16_t first,
                                                uint16_t second) {
    const uint8_t letters[2] = {letter_of(scanner, first), letter_of(scanner, second)};
    struct quipu__keyed_twins twins = {.are_there = letters[0] && letters[1]};
    memset(twins.of_letter, QUIPU__KEYED_NEITHER, sizeof twins.of_letter);
    for (unsigned i = 0; i < 2 && twins.are_there; i++)
        twins.of_letter[letters[i]] = (uint8_t)i;
    return twins;
}

/* ---- Optional numbers ---- */

/* At the end of the line a number without digits is 0. */
static const uint8_t *take_number(const uint8_t *p, uint64_t *number) {
    const unsigned len = quipu__hex_read_until(p, true, number);
    if (len == 0 && *p != '\n')
        return NULL;
    if (len == 0)
        *number = 0;
    return p + len;
}

static const uint8_t *skip_key(const uint8_t *p, const struct quipu__keyed_end *key) {
    return memcmp(p, key->text, key->len) == 0 ? p + key->len : NULL;
}

const uint8_t *quipu__keyed_numbers_of_any(const struct quipu__keyed_pattern *pattern, const uint8_t *p,
                                           uint64_t *numbers) {
    const struct quipu_field *fields = pattern->form->fields;
    p += pattern->keyword_len;
    if (pattern->is_long && p[-1] != ' ')
        return NULL;
    for (unsigned i = 0; i < pattern->count; i++) {
        numbers[i] = 0;
        if (*p == '\n' && fields[i].wire != QUIPU__PRESENCE_ALWAYS)
            continue;
        if (i > 0)
            p = skip_key(p, &pattern->ends[i < pattern->required ? i - 1 : i]);
        p = p ? take_number(p, &numbers[i]) : NULL;
        if (!p)
            return NULL;
    }
    return *p == '\n' ? p + 1 : NULL;
}

/* ---- One line after the other ---- */

static const uint8_t *take_time(struct quipu__keyed_lines *lines, const uint8_t *p) {
    uint64_t time;
    p = quipu__keyed_time_line(p, &lines->seen, &time);
    if (!p || time == QUIPU__KEYED_NO_TIME)
        return NULL;
    lines->state.time = time;
    return p;
}

static const uint8_t *take_process(struct quipu__keyed_lines *lines, const uint8_t *p) {
    bool is_new;
    p = quipu__keyed_process_line(p, &lines->seen, &is_new);
    if (p)
        lines->state.process = lines->seen.process;
    return p;
}

/* Moves to the next line that begins with a capital or has another spelling; NULL when that is not a record. */
static const uint8_t *take_states(struct quipu__keyed_lines *lines, uint64_t *count) {
    const uint8_t mark = (uint8_t)lines->grammar->process_mark;
    const uint8_t *p = lines->p;
    while (p && lines->end - p >= QUIPU__KEYED_LINE && !(*p >= 'A' && *p <= 'Z')) {
        lines->p = p;
        p = *p == mark ? take_process(lines, p) : take_time(lines, p);
        *count += p != NULL;
    }
    lines->p = p ? p : lines->p;
    return p && lines->end - p >= QUIPU__KEYED_LINE ? p : NULL;
}

/* The place of the next record. */
static const uint8_t *take_head(struct quipu__keyed_lines *lines, uint64_t *count) {
    uint64_t time;
    if (!lines->scanner || lines->end - lines->p < 2 * QUIPU__KEYED_LINE)
        return lines->scanner ? take_states(lines, count) : NULL;
    const uint8_t *const record = quipu__keyed_take_head(lines->p, &lines->seen, &time);
    if (!record || time == QUIPU__KEYED_NO_TIME || !(*record >= 'A' && *record <= 'Z'))
        return take_states(lines, count);
    lines->state = (struct quipu__keyed_state){time, lines->seen.process};
    lines->p = record;
    *count += 2;
    return record;
}

const struct quipu__keyed_pattern *quipu__keyed_next(struct quipu__keyed_lines *lines,
                                                     uint64_t numbers[QUIPU__KEYED_NUMBERS],
                                                     const uint8_t **first, uint64_t *count) {
    *first = take_head(lines, count);
    const struct quipu__keyed_pattern *pattern =
        *first ? quipu__keyed_pattern_at(lines->scanner, *first) : NULL;
    const uint8_t *behind = pattern ? quipu__keyed_record_of_any(pattern, *first, numbers) : NULL;
    if (!behind)
        return NULL;
    lines->p = behind;
    ++*count;
    return pattern;
}
