/* sections.c: the lines of a text that belong to no call: taken one by one, and written as sections at the end. */
#include "sections.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIZES_LIMIT 65536 /* numbers of datatypes have 16 bits */

/* ---- Lines ---- */

struct line {
    const char *at, *end; /* without its line break */
};

static bool skip(struct line *line, const char *text) {
    const size_t len = strlen(text);
    if ((size_t)(line->end - line->at) < len || memcmp(line->at, text, len) != 0)
        return false;
    line->at += len;
    return true;
}

static bool take_number(struct line *line, int64_t *out) {
    const bool is_negative = line->at < line->end && *line->at == '-';
    const char *at = line->at + is_negative;
    uint64_t value = 0;
    if (at == line->end || *at < '0' || *at > '9')
        return false;
    for (; at < line->end && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    line->at = at;
    *out = (int64_t)(is_negative ? 0 - value : value);
    return true;
}

/* Sized memory that lives as long as the sections, with a zero byte at its end; NULL when memory is out. */
static void *keep_elements(struct quipu__undumpi_sections *sections, const void *elements, size_t count,
                           size_t size) {
    struct quipu_sized *head = quipu__arena_alloc(&sections->arena, sizeof *head + count * size + 1);
    if (!head)
        return NULL;
    *head = (struct quipu_sized){.count = (uint32_t)count};
    char *copy = (char *)(head + 1);
    if (count > 0)
        memcpy(copy, elements, count * size);
    copy[count * size] = '\0';
    return copy;
}

static const char *copy(struct quipu__undumpi_sections *sections, const char *at, const char *end) {
    return keep_elements(sections, at, (size_t)(end - at), 1);
}

static bool take_version(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t numbers[3];
    for (int i = 0; i < 3; i++)
        if ((i > 0 && !skip(line, ".")) || !take_number(line, &numbers[i]) || numbers[i] < 0 ||
            numbers[i] > 255)
            return false;
    struct quipu__dumpi_header *header = &sections->header;
    header->version = (uint8_t)numbers[0];
    header->subversion = (uint8_t)numbers[1];
    header->subsubversion = (uint8_t)numbers[2];
    sections->has_version = true;
    return true;
}

/* "Fri Feb  4 00:05:56 2011" in the local zone. */
static bool take_starttime(struct quipu__undumpi_sections *sections, struct line *line) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[64], month[4];
    struct tm date = {.tm_isdst = -1};
    snprintf(text, sizeof text, "%.*s", (int)(line->end - line->at), line->at);
    if (sscanf(text, "%*3s %3s %d %d:%d:%d %d", month, &date.tm_mday, &date.tm_hour, &date.tm_min, &date.tm_sec,
               &date.tm_year) != 6)
        return false;
    const char *found = strstr(months, month);
    if (!found)
        return false;
    date.tm_mon = (int)(found - months) / 3;
    date.tm_year -= 1900;
    sections->header.starttime = (uint64_t)mktime(&date);
    return true;
}

static bool take_hostname(struct quipu__undumpi_sections *sections, struct line *line) {
    return (sections->header.hostname = copy(sections, line->at, line->end)) != NULL;
}

static bool take_username(struct quipu__undumpi_sections *sections, struct line *line) {
    return (sections->header.username = copy(sections, line->at, line->end)) != NULL;
}

/* The number of dimensions follows from the lists. */
static bool take_meshdim(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t number;
    (void)sections;
    return take_number(line, &number);
}

static bool take_numbers(struct quipu__undumpi_sections *sections, struct line *line,
                         struct quipu__undumpi_numbers *numbers) {
    int64_t number;
    while (!skip(line, "]")) {
        skip(line, ", ");
        int32_t *slot = take_number(line, &number) ? QUIPU__VEC_ADD(sections->memory, numbers) : NULL;
        if (!slot)
            return false;
        *slot = (int32_t)number;
    }
    return true;
}

static bool take_meshsize(struct quipu__undumpi_sections *sections, struct line *line) {
    return take_numbers(sections, line, &sections->mesh_sizes);
}

static bool take_meshcrd(struct quipu__undumpi_sections *sections, struct line *line) {
    return take_numbers(sections, line, &sections->mesh_coordinates);
}

static bool take_keyval_count(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t number;
    if (!take_number(line, &number) || number < 0 || number > INT32_MAX)
        return false;
    sections->keyvals_due = (uint32_t)number;
    return true;
}

static bool take_counter_count(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t number;
    if (!take_number(line, &number) || number < 0 || number > INT32_MAX)
        return false;
    sections->counters_due = (uint32_t)number;
    sections->counters.count = 0; /* names met in calls are no longer needed */
    return true;
}

static bool take_address(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t address;
    if (!take_number(line, &address) || !skip(line, " has label "))
        return false;
    struct quipu__dumpi_label *label = QUIPU__VEC_ADD(sections->memory, &sections->labels);
    if (!label)
        return false;
    *label = (struct quipu__dumpi_label){(uint64_t)address, copy(sections, line->at, line->end)};
    return label->name != NULL;
}

static bool take_size(struct quipu__undumpi_sections *sections, struct line *line) {
    int64_t number, size;
    if (!take_number(line, &number) || number < 0 || number >= SIZES_LIMIT)
        return false;
    while (line->at < line->end && !skip(line, ") has size "))
        line->at++;
    if (!take_number(line, &size))
        return false;
    while (sections->sizes.count <= (size_t)number) {
        const int32_t *slot = QUIPU__VEC_ADD(sections->memory, &sections->sizes);
        if (!slot)
            return false;
    }
    sections->sizes.items[number] = (int32_t)size;
    return true;
}

/* Lines by how they begin. */
static const struct {
    const char *begin;
    bool (*parse)(struct quipu__undumpi_sections *sections, struct line *line);
} line_forms[] = {
    {"version=", take_version},
    {"starttime=", take_starttime},
    {"hostname=", take_hostname},
    {"username=", take_username},
    {"meshdim=", take_meshdim},
    {"meshsize=[", take_meshsize},
    {"meshcrd=[", take_meshcrd},
    {"Total keyvals: ", take_keyval_count},
    {"Performance counters: ", take_counter_count},
    {"Function address ", take_address},
    {"Datatype ", take_size},
};

static bool take_pair(struct quipu__undumpi_sections *sections, const struct line *line) {
    const char *equals = memchr(line->at, '=', (size_t)(line->end - line->at));
    struct quipu__dumpi_pair *pair = equals ? QUIPU__VEC_ADD(sections->memory, &sections->keyvals) : NULL;
    if (!pair)
        return false;
    *pair = (struct quipu__dumpi_pair){copy(sections, line->at, equals), copy(sections, equals + 1, line->end)};
    return pair->key && pair->value;
}

static bool add_counter(struct quipu__undumpi_sections *sections, const char *at, const char *end) {
    const char **name = QUIPU__VEC_ADD(sections->memory, &sections->counters);
    return name && (*name = copy(sections, at, end)) != NULL;
}

bool quipu__undumpi_sections_name_counters(struct quipu__undumpi_sections *sections, const char *const *names) {
    if (sections->counters.count > 0)
        return true;
    for (uint32_t i = 0; i < quipu_sized_count(names); i++)
        if (!add_counter(sections, names[i], names[i] + quipu_sized_count(names[i])))
            return false;
    return true;
}

/* "MPI_Send called 3 times and ignored 0 times" */
static bool take_count(struct quipu__undumpi_sections *sections, struct line line) {
    const char *name = line.at;
    const char *name_end = memchr(name, ' ', (size_t)(line.end - name));
    int64_t called, ignored;
    line.at = name_end ? name_end : line.end;
    if (!skip(&line, " called ") || !take_number(&line, &called) || !skip(&line, " times and ignored ") ||
        !take_number(&line, &ignored))
        return false;
    for (uint32_t id = 0; id < QUIPU__DUMPI_SLOTS; id++) {
        if (!quipu__undumpi_is_text(quipu__undumpi_function_name(id), name, (size_t)(name_end - name)))
            continue;
        sections->called[id] = (uint32_t)called;
        sections->ignored[id] = (uint32_t)ignored;
        return sections->has_footer = true;
    }
    return false;
}

bool quipu__undumpi_sections_take(struct quipu__undumpi_sections *sections, const char *at, const char *end) {
    struct line line = {at, end};
    if (sections->keyvals_due > 0) {
        sections->keyvals_due--;
        return take_pair(sections, &line);
    }
    if (sections->counters_due > 0) {
        sections->counters_due--;
        return skip(&line, "    ") && add_counter(sections, line.at, line.end);
    }
    for (size_t i = 0; i < sizeof line_forms / sizeof *line_forms; i++)
        if (skip(&line, line_forms[i].begin))
            return line_forms[i].parse(sections, &line);
    return take_count(sections, line);
}

uint32_t quipu__undumpi_sections_version(const struct quipu__undumpi_sections *sections) {
    const struct quipu__dumpi_header *header = &sections->header;
    return sections->has_version
               ? QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion)
               : QUIPU__DUMPI_NEWEST;
}

/* ---- Writing ---- */

#define LIST_OF(sections, vec) keep_elements((sections), (vec).items, (vec).count, sizeof *(vec).items)

/* A version whose calls have another form is kept only when it was known before they were written. */
static void write_header(struct quipu__undumpi_sections *sections, struct quipu__undumpi_writer *writer) {
    struct quipu__dumpi_header *header = &sections->header;
    const uint32_t written = writer->codec->machine.version;
    if (quipu__undumpi_sections_version(sections) < QUIPU__UNDUMPI_STEADY_VERSION || !sections->has_version) {
        header->version = (uint8_t)(written >> 16);
        header->subversion = (uint8_t)(written >> 8);
        header->subsubversion = (uint8_t)written;
    }
    header->meshcrd = LIST_OF(sections, sections->mesh_coordinates);
    header->meshsize = LIST_OF(sections, sections->mesh_sizes);
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_header, header);
}

/* Without counts in the text those of the calls that were written. */
static void write_footer(struct quipu__undumpi_sections *sections, struct quipu__undumpi_writer *writer) {
    const uint32_t *called = sections->has_footer ? sections->called : sections->recorded;
    const struct quipu__dumpi_footer footer = {
        .magic = QUIPU__DUMPI_FOOTER_MAGIC,
        .called = keep_elements(sections, called, QUIPU__DUMPI_SLOTS, sizeof *called),
        .ignored = keep_elements(sections, sections->ignored, QUIPU__DUMPI_SLOTS, sizeof *called),
    };
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_footer, &footer);
}

static void write_lists(struct quipu__undumpi_sections *sections, struct quipu__undumpi_writer *writer) {
    const struct quipu__dumpi_keyvals keyvals = {.keyvals = LIST_OF(sections, sections->keyvals)};
    const struct quipu__dumpi_counters counters = {.names = LIST_OF(sections, sections->counters)};
    const struct quipu__dumpi_sizes sizes = {.sizes = LIST_OF(sections, sections->sizes)};
    const struct quipu__dumpi_addresses addresses = {.addresses = LIST_OF(sections, sections->labels)};
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_keyvals, &keyvals);
    if (sections->counters.count > 0)
        quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_counters, &counters);
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_sizes, &sizes);
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_addresses, &addresses);
}

void quipu__undumpi_sections_write(struct quipu__undumpi_sections *sections,
                                   struct quipu__undumpi_writer *writer) {
    write_header(sections, writer);
    write_footer(sections, writer);
    write_lists(sections, writer);
}

/* ---- Life ---- */

void quipu__undumpi_sections_init(struct quipu__undumpi_sections *sections, struct quipu__memory *memory) {
    *sections = (struct quipu__undumpi_sections){.memory = memory};
    quipu__arena_init(&sections->arena, memory);
}

void quipu__undumpi_sections_release(struct quipu__undumpi_sections *sections) {
    QUIPU__VEC_RELEASE(sections->memory, &sections->mesh_sizes);
    QUIPU__VEC_RELEASE(sections->memory, &sections->mesh_coordinates);
    QUIPU__VEC_RELEASE(sections->memory, &sections->sizes);
    QUIPU__VEC_RELEASE(sections->memory, &sections->keyvals);
    QUIPU__VEC_RELEASE(sections->memory, &sections->counters);
    QUIPU__VEC_RELEASE(sections->memory, &sections->labels);
    quipu__arena_release(&sections->arena);
}
