/* labels.c: the names of types, values and states (.pcf) and of rows (.row). Lines that say nothing of these are passed over, as Paraver
 * does. */
#include "formats/paraver/format.h"

#include "core/bisect.h"
#include "core/files/stored.h"
#include "core/memory/sort.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 14 };

/* ---- Finding them ---- */

/* The path of a file beside the trace, which has its name with another suffix; NULL in *out when there is none. What cannot be looked at may
 * be there: reading it says more. */
static enum quipu_status find_beside(struct quipu__paraver_labels *labels, struct quipu__trace *trace,
                                     const char *suffix, const char **out, struct quipu_error *err) {
    size_t len = quipu__stored_len(trace->path);
    *out = NULL;
    if (quipu__path_kind(trace->path, NULL) == QUIPU__PATH_OTHER)
        return QUIPU_OK;
    len -= len > 4 && memcmp(trace->path + len - 4, ".prv", 4) == 0 ? 4 : 0;
    char *path = quipu__arena_alloc(&labels->arena, len + strlen(suffix) + 1);
    if (!path)
        return quipu__no_memory(err, len);
    memcpy(path, trace->path, len);
    memcpy(path + len, suffix, strlen(suffix) + 1);
    const enum quipu__path_kind kind = quipu__stored_find(path, NULL, NULL);
    if (kind == QUIPU__PATH_MISSING || kind == QUIPU__PATH_DIRECTORY)
        return QUIPU_OK;
    *out = quipu__stored_path(&labels->arena, path);
    return *out ? quipu__trace_add_file(trace, *out, err) : (enum quipu_status)quipu__no_memory(err, len);
}

/* ---- Words ---- */

static void skip_blanks(const char **at, const char *end) {
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

static size_t take_word(const char **at, const char *end, const char **word) {
    skip_blanks(at, end);
    *word = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    return (size_t)(*at - *word);
}

static bool take_number(const char **at, const char *end, int64_t *out) {
    const char *word;
    const size_t len = take_word(at, end, &word);
    return quipu__parse_i64(word, len, out);
}

/* The rest of a line; NULL when memory is out. */
static const char *take_name(struct quipu__paraver_labels *labels, const char *at, const char *end) {
    skip_blanks(&at, end);
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return quipu__arena_text(&labels->arena, at, (size_t)(end - at));
}

/* ---- Types and values ---- */

enum section { SECTION_OTHER, SECTION_STATES, SECTION_TYPES, SECTION_VALUES };

struct parser {
    struct quipu__paraver_labels *labels;
    enum section section;
    size_t level, left;
};

static bool is_word(const char *text, size_t len, const char *word) {
    return len == strlen(word) && memcmp(text, word, len) == 0;
}

/* Types of one section, and states, have their values together. */
static bool begin_block(struct parser *parser) {
    struct quipu__paraver_labels *labels = parser->labels;
    struct quipu__paraver_names *block = QUIPU__VEC_ADD(labels->arena.memory, &labels->blocks);
    if (!block)
        return false;
    block->first = (uint32_t)labels->values.count;
    if (parser->section == SECTION_STATES)
        labels->states = (uint32_t)labels->blocks.count;
    return true;
}

/* False when memory is out. */
static bool begins_section(struct parser *parser, const char *text, size_t len, bool *out) {
    static const struct {
        const char *name;
        enum section section;
    } sections[] = {{"DEFAULT_OPTIONS", SECTION_OTHER}, {"DEFAULT_SEMANTIC", SECTION_OTHER},
                    {"STATES", SECTION_STATES},         {"STATES_COLOR", SECTION_OTHER},
                    {"EVENT_TYPE", SECTION_TYPES},      {"VALUES", SECTION_VALUES},
                    {"GRADIENT_COLOR", SECTION_OTHER},  {"GRADIENT_NAMES", SECTION_OTHER}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!is_word(text, len, sections[i].name))
            continue;
        *out = true;
        parser->section = sections[i].section;
        return (parser->section != SECTION_TYPES && parser->section != SECTION_STATES) || begin_block(parser);
    }
    return true;
}

static bool add_value(struct parser *parser, int64_t value, const char *name) {
    struct quipu__paraver_labels *labels = parser->labels;
    if (labels->blocks.count == 0 || labels->values.count >= UINT32_MAX)
        return true; /* values of nothing */
    struct quipu_value_label *label = QUIPU__VEC_ADD(labels->arena.memory, &labels->values);
    if (!label)
        return false;
    *label = (struct quipu_value_label){value, name};
    labels->blocks.items[labels->blocks.count - 1].count++;
    return true;
}

/* False when memory is out. A state: NUMBER NAME; a type: GRADIENT NUMBER NAME; a value: NUMBER NAME. */
static bool parse_pcf(struct parser *parser, const char *at, const char *end) {
    struct quipu__paraver_labels *labels = parser->labels;
    const char *line = at, *word;
    int64_t gradient, number;
    bool is_section = false;
    const size_t len = take_word(&line, end, &word);
    if (!begins_section(parser, word, len, &is_section))
        return false;
    if (is_section || parser->section == SECTION_OTHER)
        return true;
    if ((parser->section == SECTION_TYPES && !take_number(&at, end, &gradient)) ||
        !take_number(&at, end, &number))
        return true;
    const char *name = take_name(labels, at, end);
    if (!name)
        return false;
    if (parser->section != SECTION_TYPES)
        return add_value(parser, number, name);
    struct quipu__paraver_named_type *type = QUIPU__VEC_ADD(labels->arena.memory, &labels->types);
    if (type)
        *type = (struct quipu__paraver_named_type){number, name, (uint32_t)labels->blocks.count - 1};
    return type != NULL;
}

/* ---- Rows ---- */

/* LEVEL NAME SIZE N, then so many names. */
static bool parse_row(struct parser *parser, const char *at, const char *end) {
    static const char *const levels[QUIPU__PARAVER_LEVELS] = {"NODE", "TASK", "THREAD"};
    struct quipu__paraver_labels *labels = parser->labels;
    const char *line = at, *word;
    int64_t size;
    if (parser->left > 0) {
        parser->left--;
        if (parser->level == QUIPU__PARAVER_LEVELS)
            return true;
        const char **name = QUIPU__VEC_ADD(labels->arena.memory, &labels->rows[parser->level]);
        if (name)
            *name = take_name(labels, at, end);
        return name && *name;
    }
    size_t len = take_word(&line, end, &word);
    if (!is_word(word, len, "LEVEL"))
        return true;
    len = take_word(&line, end, &word);
    parser->level = 0;
    while (parser->level < QUIPU__PARAVER_LEVELS && !is_word(word, len, levels[parser->level]))
        parser->level++;
    take_word(&line, end, &word);
    parser->left = take_number(&line, end, &size) && size > 0 ? (size_t)size : 0;
    return true;
}

/* ---- Reading them ---- */

static enum quipu_status read_file(struct parser *parser, struct quipu__trace *trace, const char *path,
                                   bool (*parse)(struct parser *parser, const char *at, const char *end),
                                   struct quipu_error *err) {
    struct quipu__paraver_lines lines = {0};
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    enum quipu_status status =
        quipu__input_open(trace->files, path, QUIPU__CODEC_DETECT, WINDOW, &lines.input, &trouble);
    while (status == QUIPU_OK) {
        status = quipu__paraver_next_line(&lines, &trouble);
        if (status == QUIPU_OK && lines.len > 0 && lines.text[0] != '#' &&
            !parse(parser, lines.text, lines.text + lines.len))
            status = quipu__no_memory(&trouble, lines.len);
    }
    quipu__input_close(lines.input);
    if (status == QUIPU_IO || status == QUIPU_NOT_FOUND) {
        quipu__find_unreadable(trace->findings, path, &trouble);
        return QUIPU_OK;
    }
    if (status < 0 && err)
        *err = trouble;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static int by_value(const void *left, const void *right) {
    const struct quipu_value_label *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_number(const void *left, const void *right) {
    const struct quipu__paraver_named_type *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

enum quipu_status quipu__paraver_read_labels(struct quipu__paraver_labels *labels, struct quipu__trace *trace,
                                             struct quipu_error *err) {
    struct parser parser = {.labels = labels};
    quipu__arena_init(&labels->arena, trace->memory);
    enum quipu_status status = find_beside(labels, trace, ".pcf", &labels->pcf, err);
    if (status == QUIPU_OK)
        status = find_beside(labels, trace, ".row", &labels->row, err);
    if (status == QUIPU_OK && labels->pcf)
        status = read_file(&parser, trace, labels->pcf, parse_pcf, err);
    if (status == QUIPU_OK && labels->row)
        status = read_file(&parser, trace, labels->row, parse_row, err);
    bool is_sorted = quipu__sort(trace->memory, labels->types.items, labels->types.count,
                                 sizeof *labels->types.items, by_number);
    for (size_t i = 0; i < labels->blocks.count && is_sorted; i++) {
        const struct quipu__paraver_names *names = &labels->blocks.items[i];
        is_sorted = names->count < 2 || quipu__sort(trace->memory, labels->values.items + names->first,
                                                    names->count, sizeof *labels->values.items, by_value);
    }
    return status == QUIPU_OK && !is_sorted ? (enum quipu_status)quipu__no_memory(err, labels->values.count)
                                            : status;
}

void quipu__paraver_release_labels(struct quipu__paraver_labels *labels) {
    struct quipu__memory *memory = labels->arena.memory;
    if (!memory)
        return;
    QUIPU__VEC_RELEASE(memory, &labels->types);
    QUIPU__VEC_RELEASE(memory, &labels->values);
    QUIPU__VEC_RELEASE(memory, &labels->blocks);
    for (size_t i = 0; i < QUIPU__PARAVER_LEVELS; i++)
        QUIPU__VEC_RELEASE(memory, &labels->rows[i]);
    quipu__arena_release(&labels->arena);
}

const struct quipu__paraver_named_type *quipu__paraver_named(const struct quipu__paraver_labels *labels,
                                                             int64_t type) {
    size_t first = 0;
    QUIPU__BISECT(first, labels->types.count, i, labels->types.items[i].number < type);
    const bool is_named = first < labels->types.count && labels->types.items[first].number == type;
    return is_named ? &labels->types.items[first] : NULL;
}

struct quipu__paraver_names quipu__paraver_names_of(const struct quipu__paraver_labels *labels, int64_t type) {
    const struct quipu__paraver_named_type *named = quipu__paraver_named(labels, type);
    return named ? labels->blocks.items[named->block] : (struct quipu__paraver_names){0, 0, 0};
}

const char *quipu__paraver_label(const struct quipu__paraver_labels *labels, struct quipu__paraver_names names,
                                 int64_t value) {
    const struct quipu_value_label wanted = {value, NULL},
                                   *found = names.count == 0
                                                ? NULL
                                                : bsearch(&wanted, labels->values.items + names.first,
                                                          names.count, sizeof wanted, by_value);
    return found ? found->text : NULL;
}
