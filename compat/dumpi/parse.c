/* parse.c: one call from text, line by line by its page of the sheet. The text says where lists end; the codec wants
 * them as sized memory, so they are gathered in a scratch. Labels in parentheses are not looked at. */
#include "parse.h"

#include <string.h>

/* Where the parsing of a call is. The first trouble stays; all later takes fail. */
struct cursor {
    struct quipu__undumpi_parser *parser;
    const char *at, *end;
    enum quipu__undumpi_parsed state; /* CALL: all is well so far */
};

static bool fail(struct cursor *cursor, enum quipu__undumpi_parsed state, const char *expected) {
    if (cursor->state == QUIPU__UNDUMPI_CALL) {
        cursor->state = state;
        cursor->parser->expected = expected;
        cursor->parser->at = cursor->at;
    }
    return false;
}

/* ---- Pieces ---- */

/* Whether a text comes next. At the end of the window that is not known. */
static inline bool is_next(struct cursor *cursor, const char *text, size_t len) {
    const size_t left = (size_t)(cursor->end - cursor->at);
    if (QUIPU__LIKELY(left >= len))
        return memcmp(cursor->at, text, len) == 0;
    if (memcmp(cursor->at, text, left) == 0)
        fail(cursor, QUIPU__UNDUMPI_SHORT, text);
    return false;
}

static inline bool skip(struct cursor *cursor, const char *text, size_t len) {
    if (!is_next(cursor, text, len))
        return false;
    cursor->at += len;
    return true;
}

static inline bool match(struct cursor *cursor, const char *text, size_t len) {
    return skip(cursor, text, len) || fail(cursor, QUIPU__UNDUMPI_BROKEN, text);
}

#define SKIP(cursor, literal) skip((cursor), "" literal, sizeof(literal) - 1)
#define MATCH(cursor, literal) match((cursor), "" literal, sizeof(literal) - 1)

/* The rest of the line. */
static inline bool take_line_end(struct cursor *cursor) {
    const char *line_end = cursor->at < cursor->end && *cursor->at == '\n'
                               ? cursor->at
                               : memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    if (!line_end)
        return fail(cursor, QUIPU__UNDUMPI_SHORT, "the end of the line");
    cursor->at = line_end + 1;
    return true;
}

/* A decimal number with a sign; 0 when there is none. Numbers out of range wrap, as those that are printed do. */
static inline int64_t take_number(struct cursor *cursor) {
    const bool is_negative = cursor->at < cursor->end && *cursor->at == '-';
    const char *at = cursor->at + is_negative;
    const char *const first = at;
    uint64_t value = 0;
    for (; at < cursor->end && (unsigned char)(*at - '0') < 10; at++)
        value = value * 10 + (unsigned char)(*at - '0');
    if (QUIPU__UNLIKELY(at == cursor->end)) {
        fail(cursor, QUIPU__UNDUMPI_SHORT, "a number");
        return 0;
    }
    if (at == first) {
        fail(cursor, QUIPU__UNDUMPI_BROKEN, "a number");
        return 0;
    }
    cursor->at = at;
    return (int64_t)(is_negative ? 0 - value : value);
}

/* Seconds, a point and nanoseconds. */
static inline int64_t take_time(struct cursor *cursor) {
    const int64_t seconds = take_number(cursor);
    MATCH(cursor, ".");
    const int64_t nanoseconds = take_number(cursor);
    return (int64_t)((uint64_t)seconds * 1000000000u + (uint64_t)nanoseconds);
}

/* ---- Lists ---- */

static void *take_memory(struct cursor *cursor, uint32_t count, size_t size) {
    void *memory = quipu__scratch_sized(&cursor->parser->scratch, count, size);
    if (!memory)
        fail(cursor, QUIPU__UNDUMPI_NO_MEMORY, "memory");
    return memory;
}

/* How many of a byte there are up to another one: lists are measured before they are parsed. */
static uint32_t count_until(struct cursor *cursor, char counted, char last) {
    const char *end = memchr(cursor->at, last, (size_t)(cursor->end - cursor->at));
    uint32_t count = 0;
    if (!end) {
        fail(cursor, QUIPU__UNDUMPI_SHORT, "the end of a list");
        return 0;
    }
    for (const char *at = cursor->at; at < end; at++)
        count += *at == counted;
    return count;
}

/* "[1, 2]", "[]" or "<IGNORED>". */
static const void *take_numbers(struct cursor *cursor, unsigned bytes) {
    if (SKIP(cursor, "<IGNORED>\n") || !MATCH(cursor, "[") || SKIP(cursor, "]\n"))
        return NULL;
    const uint32_t count = count_until(cursor, ',', '\n') + 1;
    uint8_t *numbers = take_memory(cursor, count, bytes);
    for (uint32_t i = 0; i < count && cursor->state == QUIPU__UNDUMPI_CALL; i++) {
        if (i > 0)
            MATCH(cursor, ", ");
        quipu__store_bits(numbers + (size_t)i * bytes, bytes, (uint64_t)take_number(cursor));
    }
    MATCH(cursor, "]\n");
    return numbers;
}

/* Rows, each on a line, and a bracket on the line of the next argument. */
static const void *take_ranges(struct cursor *cursor) {
    if (!MATCH(cursor, "[") || SKIP(cursor, "]"))
        return NULL;
    uint32_t count = 1;
    const char *line = cursor->at;
    while ((line = memchr(line, '\n', (size_t)(cursor->end - line))) && ++line < cursor->end && *line == ',')
        count++;
    if (!line || line == cursor->end) {
        fail(cursor, QUIPU__UNDUMPI_SHORT, "the end of the ranges");
        return NULL;
    }
    struct quipu__dumpi_range *ranges = take_memory(cursor, count, sizeof *ranges);
    for (uint32_t i = 0; i < count && cursor->state == QUIPU__UNDUMPI_CALL; i++) {
        if (i > 0)
            MATCH(cursor, ", ");
        MATCH(cursor, "[");
        ranges[i].first = (int32_t)take_number(cursor);
        MATCH(cursor, ", ");
        ranges[i].last = (int32_t)take_number(cursor);
        MATCH(cursor, ", ");
        ranges[i].stride = (int32_t)take_number(cursor);
        MATCH(cursor, "]\n");
    }
    MATCH(cursor, "]");
    return ranges;
}

static const void *take_statuses(struct cursor *cursor) {
    if (SKIP(cursor, "<IGNORED>\n") || !MATCH(cursor, "["))
        return NULL;
    const uint32_t count = count_until(cursor, '{', '\n');
    struct quipu__dumpi_status *statuses = take_memory(cursor, count, sizeof *statuses);
    for (uint32_t i = 0; i < count && cursor->state == QUIPU__UNDUMPI_CALL; i++) {
        if (i > 0)
            MATCH(cursor, ", ");
        MATCH(cursor, "{bytes=");
        statuses[i].bytes = (int32_t)take_number(cursor);
        MATCH(cursor, ", cancelled=");
        statuses[i].cancelled = (int8_t)take_number(cursor);
        MATCH(cursor, ", source=");
        statuses[i].source = (int32_t)take_number(cursor);
        MATCH(cursor, ", tag=");
        statuses[i].tag = (int32_t)take_number(cursor);
        MATCH(cursor, ", error=");
        statuses[i].error = (int8_t)take_number(cursor);
        MATCH(cursor, "}");
    }
    MATCH(cursor, "]\n");
    return statuses;
}

/* ---- Texts ---- */

static const char *keep_text(struct cursor *cursor, const char *text, const char *end) {
    const char *copy = quipu__scratch_text(&cursor->parser->scratch, text, (size_t)(end - text));
    if (!copy)
        fail(cursor, QUIPU__UNDUMPI_NO_MEMORY, "memory");
    return copy;
}

/* The place of a closing text such as "\"\n". A text may hold quotes and line breaks of its own, so what closes it is
 * followed by the begin of the line that is due. */
static const char *find_close(struct cursor *cursor, const char *close, const struct quipu__undumpi_text *due) {
    const size_t len = strlen(close);
    for (const char *at = cursor->at;; at++) {
        at = memchr(at, close[0], (size_t)(cursor->end - at));
        if (!at || (size_t)(cursor->end - at) < len + due->len) {
            fail(cursor, QUIPU__UNDUMPI_SHORT, close);
            return NULL;
        }
        if (memcmp(at, close, len) == 0 && memcmp(at + len, due->at, due->len) == 0)
            return at;
    }
}

static const char *take_text(struct cursor *cursor, const struct quipu__undumpi_text *due) {
    const char *close = find_close(cursor, "\"\n", due);
    if (!close)
        return NULL;
    const char *text = keep_text(cursor, cursor->at, close);
    cursor->at = close + 2;
    return text;
}

/* The quoted texts up to a closing bracket at end, with a separator between them; two passes: count, keep. */
static const char *const *split_texts(struct cursor *cursor, const char *end, const char *separator) {
    const size_t len = strlen(separator);
    const char **texts = NULL;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        const char *text = cursor->at + 1;
        for (const char *at = text; at < end; at++) {
            const bool is_last = at + 1 == end;
            if (*at != '"' || (!is_last && ((size_t)(end - at) < len || memcmp(at, separator, len) != 0)))
                continue;
            if (texts)
                texts[count] = keep_text(cursor, text, at);
            count++;
            text = at + len;
            at += len - 1;
        }
        if (pass == 0 && !(texts = take_memory(cursor, count, sizeof *texts)))
            return NULL;
    }
    return texts;
}

static const char *const *take_texts(struct cursor *cursor, const char *separator,
                                     const struct quipu__undumpi_text *due) {
    if (SKIP(cursor, "<IGNORED>\n") || !MATCH(cursor, "["))
        return NULL;
    const char *close = find_close(cursor, "]\n", due);
    if (!close)
        return NULL;
    const char *const *texts = close > cursor->at ? split_texts(cursor, close, separator) : NULL;
    cursor->at = close + 2;
    return texts;
}

/* "[["a""b"], [], ["c"]]" */
static const void *take_argument_lists(struct cursor *cursor, const struct quipu__undumpi_text *due) {
    if (SKIP(cursor, "<IGNORED>\n") || !MATCH(cursor, "["))
        return NULL;
    const char *close = find_close(cursor, "]\n", due);
    if (!close)
        return NULL;
    uint32_t count = 1;
    for (const char *at = cursor->at; at + 4 <= close; at++)
        count += memcmp(at, "], [", 4) == 0;
    struct quipu__dumpi_texts *lists = take_memory(cursor, count, sizeof *lists);
    for (uint32_t i = 0; lists && i < count && MATCH(cursor, "["); i++) {
        const char *end = cursor->at;
        while (end < close && *end != ']')
            end++;
        while (end + 1 < close && memcmp(end, "], [", 4) != 0)
            end++;
        lists[i].texts = end > cursor->at ? split_texts(cursor, end, "\"\"") : NULL;
        cursor->at = i + 1 < count ? end + 3 : close;
    }
    MATCH(cursor, "]\n");
    return lists;
}

/* ---- Lines ---- */

static void store_list(const struct quipu__undumpi_line *line, uint8_t *data, const void *list) {
    memcpy(data + line->member, &list, sizeof list);
}

/* "n]=" after the prefix of a list; n is the value of another argument. */
static bool take_length(struct cursor *cursor) {
    take_number(cursor);
    return MATCH(cursor, "]");
}

/* The name of a function is that of the section of names, which has it too. */
static void take_name(struct cursor *cursor, const struct quipu__undumpi_text *due) {
    const char *close = MATCH(cursor, " (\"") ? find_close(cursor, "\")\n", due) : NULL;
    if (close)
        cursor->at = close + 3;
}

/* What follows the prefix; due is the begin of the line after this one. */
static void take_rest(struct cursor *cursor, const struct quipu__undumpi_line *line, uint8_t *data,
                      const struct quipu__undumpi_text *due) {
    switch ((enum quipu__undumpi_form)line->form) {
    case QUIPU__UNDUMPI_NUMBER:
        quipu__store_bits(data + line->member, line->bytes, (uint64_t)take_number(cursor));
        take_line_end(cursor);
        break;
    case QUIPU__UNDUMPI_HANDLE:
        quipu__store_bits(data + line->member, line->bytes, (uint64_t)take_number(cursor));
        MATCH(cursor, "]\n");
        break;
    case QUIPU__UNDUMPI_FUNCTION:
        quipu__store_bits(data + line->member, line->bytes, (uint64_t)take_number(cursor));
        take_name(cursor, due);
        break;
    case QUIPU__UNDUMPI_NUMBERS:
        if (take_length(cursor) && MATCH(cursor, "="))
            store_list(line, data, take_numbers(cursor, line->bytes));
        break;
    case QUIPU__UNDUMPI_RANGES:
        if (take_length(cursor) && MATCH(cursor, "[3]="))
            store_list(line, data, take_ranges(cursor));
        break;
    case QUIPU__UNDUMPI_STATUS:
        store_list(line, data, take_statuses(cursor));
        break;
    case QUIPU__UNDUMPI_STATUSES:
        if (take_length(cursor) && MATCH(cursor, "="))
            store_list(line, data, take_statuses(cursor));
        break;
    case QUIPU__UNDUMPI_TEXT:
        store_list(line, data, take_text(cursor, due));
        break;
    case QUIPU__UNDUMPI_TEXTS:
        if (take_length(cursor) && MATCH(cursor, "="))
            store_list(line, data, take_texts(cursor, "\", \"", due));
        break;
    case QUIPU__UNDUMPI_ARGUMENTS:
        store_list(line, data, take_texts(cursor, "\"\"", due));
        break;
    case QUIPU__UNDUMPI_ARGUMENT_LISTS:
        if (take_length(cursor) && MATCH(cursor, "[-2]="))
            store_list(line, data, take_argument_lists(cursor, due));
        break;
    }
}

/* ---- The frame ---- */

/* "Perfcounters: [A=1, B=2]", if there is such a line. counters is NULL where they are named first. */
static void take_counters(struct cursor *cursor, struct quipu__dumpi_counter **counters, bool out) {
    if (!SKIP(cursor, "Perfcounters: ["))
        return;
    const uint32_t count = count_until(cursor, '=', '\n');
    const char **names = out ? NULL : take_memory(cursor, count, sizeof *names);
    if (!out)
        *counters = take_memory(cursor, count, sizeof **counters);
    for (uint32_t i = 0; i < count && cursor->state == QUIPU__UNDUMPI_CALL; i++) {
        const char *equals = memchr(cursor->at, '=', (size_t)(cursor->end - cursor->at));
        if (names)
            names[i] = keep_text(cursor, cursor->at, equals);
        cursor->at = equals + 1;
        const int64_t value = take_number(cursor);
        if (!out)
            (*counters)[i] = (struct quipu__dumpi_counter){value, 0};
        else if (i < quipu_sized_count(*counters))
            (*counters)[i].out = value;
        if (i + 1 < count)
            MATCH(cursor, ", ");
    }
    MATCH(cursor, "]\n");
    if (names)
        cursor->parser->counters = names;
}

static inline void take_times(struct cursor *cursor, int64_t *wall, int64_t *cpu, uint16_t *thread) {
    *wall = take_time(cursor);
    MATCH(cursor, ", cputime ");
    *cpu = take_time(cursor);
    MATCH(cursor, " seconds in thread ");
    *thread = (uint16_t)take_number(cursor);
    MATCH(cursor, ".\n");
}

static void take_call(struct cursor *cursor, const struct quipu__undumpi_page *page) {
    struct quipu__dumpi_call *call = &cursor->parser->call;
    struct quipu__dumpi_counter *counters = NULL;
    uint8_t *data = (uint8_t *)&cursor->parser->data;
    memset(data, 0, page->type->size);
    cursor->parser->counters = NULL;
    take_times(cursor, &call->wall_start, &call->cpu_start, &call->thread);
    take_counters(cursor, &counters, false);
    for (uint32_t i = 0; i < page->line_count && cursor->state == QUIPU__UNDUMPI_CALL; i++) {
        const struct quipu__undumpi_line *line = &page->lines[i];
        if (match(cursor, line->prefix.at, line->prefix.len))
            take_rest(cursor, line, data, i + 1 < page->line_count ? &line[1].prefix : &page->returning);
    }
    match(cursor, page->returning.at, page->returning.len);
    take_times(cursor, &call->wall_stop, &call->cpu_stop, &call->thread);
    if (counters)
        take_counters(cursor, &counters, true);
    call->counters = counters;
}

/* ---- Names ---- */

static uint32_t hash_of(const char *name, size_t len) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

uint32_t quipu__undumpi_type_by_name(const struct quipu__undumpi_parser *parser, const char *name, size_t len) {
    for (uint32_t slot = hash_of(name, len);; slot++) {
        const uint16_t found = parser->slots[slot % QUIPU__UNDUMPI_NAME_SLOTS];
        if (found == 0)
            return QUIPU_NONE;
        const char *known = quipu__dumpi_types[found - 1].name;
        if (quipu__undumpi_is_text(known, name, len))
            return found - 1u;
    }
}

enum quipu_status quipu__undumpi_parser_init(struct quipu__undumpi_parser *parser, struct quipu__memory *memory,
                                             struct quipu_error *err) {
    *parser = (struct quipu__undumpi_parser){.type = QUIPU_NONE};
    quipu__scratch_init(&parser->scratch, memory);
    for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_head; type++) {
        uint32_t slot = hash_of(quipu__dumpi_types[type].name, strlen(quipu__dumpi_types[type].name));
        while (parser->slots[slot % QUIPU__UNDUMPI_NAME_SLOTS] != 0)
            slot++;
        parser->slots[slot % QUIPU__UNDUMPI_NAME_SLOTS] = (uint16_t)(type + 1);
    }
    return quipu__undumpi_sheet_init(&parser->sheet, memory, err);
}

void quipu__undumpi_parser_release(struct quipu__undumpi_parser *parser) {
    quipu__scratch_release(&parser->scratch);
    quipu__undumpi_sheet_release(&parser->sheet);
}

enum quipu__undumpi_parsed quipu__undumpi_parse_call(struct quipu__undumpi_parser *parser, const char *at,
                                                     const char *end, const char **next) {
    const char *name_end = at;
    while (name_end < end && *name_end != ' ' && *name_end != '\n')
        name_end++;
    const uint32_t type = quipu__undumpi_type_by_name(parser, at, (size_t)(name_end - at));
    if (type == QUIPU_NONE)
        return QUIPU__UNDUMPI_OTHER;
    const struct quipu__undumpi_page *page = &parser->sheet.pages[type];
    struct cursor cursor = {parser, at, end, QUIPU__UNDUMPI_CALL};
    quipu__scratch_reset(&parser->scratch);
    if (!skip(&cursor, page->entering.at, page->entering.len))
        return cursor.state == QUIPU__UNDUMPI_CALL ? QUIPU__UNDUMPI_OTHER : cursor.state;
    parser->type = type;
    take_call(&cursor, page);
    *next = cursor.at;
    return cursor.state;
}
