/* ascii2dumpi.c: writes a DUMPI file from the text that dumpi2ascii prints.
 *
 * Options and exit codes are those of the original, and so are the order of the sections and that the biases are the
 * seconds of the first call. Unlike there, everything in the text comes over: the version, functions and their names,
 * counters, negative numbers, strings and lists of all kinds. Where the original aborts, in a call whose text is
 * broken, this one says where, leaves the call out, goes on and ends with 4.
 *
 * Seconds are stored in 16 bits after the bias. When some lie before those of the first call, everything is read a
 * second time with a lower bias.
 */
#include "command.h"
#include "parse.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_USAGE = 1, EXIT_NO_OUTPUT_NAME = 2, EXIT_UNREADABLE = 3, EXIT_BROKEN = 4 };

#define WINDOW ((size_t)256 << 10)
#define NS_PER_SECOND INT64_C(1000000000)
#define SIZES_LIMIT 65536 /* numbers of datatypes have 16 bits */

struct options {
    const char *out;
    char **paths;
    int path_count;
};

struct numbers {
    int32_t *at;
    size_t count, capacity;
};

/* What the text says apart from calls. */
struct sections {
    struct quipu__arena arena;
    struct quipu__dumpi_header header;
    struct numbers mesh_sizes, mesh_coordinates, sizes;
    QUIPU__VEC(struct quipu__dumpi_pair) pairs;
    QUIPU__VEC(const char *) counters;
    QUIPU__VEC(struct quipu__dumpi_label) labels;
    uint32_t called[QUIPU__DUMPI_SLOTS], ignored[QUIPU__DUMPI_SLOTS];
    bool has_version, has_footer;
};

struct conversion {
    const struct options *options;
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__undumpi_parser parser;
    struct quipu__undumpi_writer writer;
    struct sections sections;
    struct quipu_sink sink;
    bool has_begun;                   /* the first call was written */
    bool is_skipping;                 /* after a broken call: lines are not complained of */
    bool is_quiet;                    /* the second time */
    uint32_t pairs_due, counters_due; /* lines that still belong to a list */
    int64_t cpu_bias, wall_bias;      /* seconds */
    int64_t cpu_least, wall_least;    /* seconds that occur */
    int64_t cpu_most, wall_most;
    uint32_t recorded[QUIPU__DUMPI_SLOTS]; /* calls that were written */
    uint64_t recognised;                   /* calls and lines */
    const char *path;
    uint64_t line;
    int code;
};

/* ---- Complaints ---- */

static void complain(struct conversion *conversion, uint64_t line, const char *what, const char *detail,
                     size_t len) {
    if (conversion->is_quiet)
        return;
    if (len > 80)
        len = 80;
    fprintf(stderr, "ascii2dumpi: %s:%llu: %s: %.*s\n", conversion->path, (unsigned long long)line, what,
            (int)len, detail);
}

static uint64_t count_lines(const char *at, const char *end) {
    uint64_t lines = 0;
    for (; at < end; at++)
        lines += *at == '\n';
    return lines;
}

/* ---- Lines that are no calls ---- */

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

/* A sized copy that lives as long as the sections. */
static const char *keep(struct conversion *conversion, const char *at, const char *end) {
    const size_t len = (size_t)(end - at);
    struct quipu_sized *head = quipu__arena_alloc(&conversion->sections.arena, sizeof *head + len + 1);
    if (!head)
        return NULL;
    *head = (struct quipu_sized){.count = (uint32_t)len};
    char *text = (char *)(head + 1);
    memcpy(text, at, len);
    text[len] = '\0';
    return text;
}

static bool take_version(struct conversion *conversion, struct line *line) {
    int64_t numbers[3];
    for (int i = 0; i < 3; i++)
        if ((i > 0 && !skip(line, ".")) || !take_number(line, &numbers[i]) || numbers[i] < 0 ||
            numbers[i] > 255)
            return false;
    struct quipu__dumpi_header *header = &conversion->sections.header;
    header->version = (uint8_t)numbers[0];
    header->subversion = (uint8_t)numbers[1];
    header->subsubversion = (uint8_t)numbers[2];
    conversion->sections.has_version = true;
    return true;
}

/* "Fri Feb  4 00:05:56 2011" in the local zone. */
static bool take_starttime(struct conversion *conversion, struct line *line) {
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
    conversion->sections.header.starttime = (uint64_t)mktime(&date);
    return true;
}

static bool take_hostname(struct conversion *conversion, struct line *line) {
    return (conversion->sections.header.hostname = keep(conversion, line->at, line->end)) != NULL;
}

static bool take_username(struct conversion *conversion, struct line *line) {
    return (conversion->sections.header.username = keep(conversion, line->at, line->end)) != NULL;
}

/* The number of dimensions follows from the lists. */
static bool take_meshdim(struct conversion *conversion, struct line *line) {
    int64_t number;
    (void)conversion;
    return take_number(line, &number);
}

static bool take_numbers(struct conversion *conversion, struct line *line, struct numbers *numbers) {
    int64_t number;
    while (!skip(line, "]")) {
        skip(line, ", ");
        int32_t *slot = take_number(line, &number) ? QUIPU__VEC_ADD(&conversion->memory, numbers) : NULL;
        if (!slot)
            return false;
        *slot = (int32_t)number;
    }
    return true;
}

static bool take_meshsize(struct conversion *conversion, struct line *line) {
    return take_numbers(conversion, line, &conversion->sections.mesh_sizes);
}

static bool take_meshcrd(struct conversion *conversion, struct line *line) {
    return take_numbers(conversion, line, &conversion->sections.mesh_coordinates);
}

static bool take_keyval_count(struct conversion *conversion, struct line *line) {
    int64_t number;
    if (!take_number(line, &number) || number < 0 || number > INT32_MAX)
        return false;
    conversion->pairs_due = (uint32_t)number;
    return true;
}

static bool take_counter_count(struct conversion *conversion, struct line *line) {
    int64_t number;
    if (!take_number(line, &number) || number < 0 || number > INT32_MAX)
        return false;
    conversion->counters_due = (uint32_t)number;
    conversion->sections.counters.count = 0; /* names met in calls are no longer needed */
    return true;
}

static bool take_address(struct conversion *conversion, struct line *line) {
    int64_t address;
    if (!take_number(line, &address) || !skip(line, " has label "))
        return false;
    struct quipu__dumpi_label *label = QUIPU__VEC_ADD(&conversion->memory, &conversion->sections.labels);
    if (!label)
        return false;
    *label = (struct quipu__dumpi_label){(uint64_t)address, keep(conversion, line->at, line->end)};
    return label->name != NULL;
}

static bool take_size(struct conversion *conversion, struct line *line) {
    struct sections *sections = &conversion->sections;
    int64_t number, size;
    if (!take_number(line, &number) || number < 0 || number >= SIZES_LIMIT)
        return false;
    while (line->at < line->end && !skip(line, ") has size "))
        line->at++;
    if (!take_number(line, &size))
        return false;
    while (sections->sizes.count <= (size_t)number) {
        const int32_t *slot = QUIPU__VEC_ADD(&conversion->memory, &sections->sizes);
        if (!slot)
            return false;
    }
    sections->sizes.at[number] = (int32_t)size;
    return true;
}

/* Lines by how they begin. */
static const struct {
    const char *begin;
    bool (*take)(struct conversion *conversion, struct line *line);
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

static bool take_pair(struct conversion *conversion, const struct line *line) {
    const char *equals = memchr(line->at, '=', (size_t)(line->end - line->at));
    struct quipu__dumpi_pair *pair =
        equals ? QUIPU__VEC_ADD(&conversion->memory, &conversion->sections.pairs) : NULL;
    if (!pair)
        return false;
    *pair =
        (struct quipu__dumpi_pair){keep(conversion, line->at, equals), keep(conversion, equals + 1, line->end)};
    return pair->key && pair->value;
}

static bool add_counter(struct conversion *conversion, const char *at, const char *end) {
    const char **name = QUIPU__VEC_ADD(&conversion->memory, &conversion->sections.counters);
    return name && (*name = keep(conversion, at, end)) != NULL;
}

/* "MPI_Send called 3 times and ignored 0 times" */
static bool take_count(struct conversion *conversion, struct line line) {
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
        conversion->sections.called[id] = (uint32_t)called;
        conversion->sections.ignored[id] = (uint32_t)ignored;
        return conversion->sections.has_footer = true;
    }
    return false;
}

static bool take_line(struct conversion *conversion, struct line line) {
    if (conversion->pairs_due > 0) {
        conversion->pairs_due--;
        return take_pair(conversion, &line);
    }
    if (conversion->counters_due > 0) {
        conversion->counters_due--;
        return skip(&line, "    ") && add_counter(conversion, line.at, line.end);
    }
    for (size_t i = 0; i < sizeof line_forms / sizeof *line_forms; i++)
        if (skip(&line, line_forms[i].begin))
            return line_forms[i].take(conversion, &line);
    return take_count(conversion, line);
}

/* ---- Calls ---- */

static int64_t seconds_of(int64_t time) {
    return time / NS_PER_SECOND - (time % NS_PER_SECOND < 0);
}

/* A version whose records have another form is kept only when it is known before them. */
static uint32_t output_version(const struct sections *sections) {
    const struct quipu__dumpi_header *header = &sections->header;
    return sections->has_version
               ? QUIPU__DUMPI_VERSION(header->version, header->subversion, header->subsubversion)
               : QUIPU__DUMPI_NEWEST;
}

static bool begin(struct conversion *conversion) {
    const enum quipu_status status =
        quipu__undumpi_writer_init(&conversion->writer, output_version(&conversion->sections),
                                   (int32_t)conversion->cpu_bias, (int32_t)conversion->wall_bias);
    conversion->writer.sink = conversion->sink;
    conversion->has_begun = true;
    return status == QUIPU_OK;
}

static void note_seconds(int64_t start, int64_t stop, int64_t *least, int64_t *most) {
    const int64_t first = seconds_of(start), last = seconds_of(stop);
    const int64_t low = first < last ? first : last, high = first < last ? last : first;
    if (low < *least)
        *least = low;
    if (high > *most)
        *most = high;
}

/* Counters that no section names have the names in the first call that has some. */
static bool name_counters(struct conversion *conversion) {
    const char *const *names = conversion->parser.counters;
    if (conversion->sections.counters.count > 0)
        return true;
    for (uint32_t i = 0; i < quipu_sized_count(names); i++)
        if (!add_counter(conversion, names[i], names[i] + quipu_sized_count(names[i])))
            return false;
    return true;
}

static bool write_call(struct conversion *conversion) {
    struct quipu__undumpi_parser *parser = &conversion->parser;
    struct quipu__dumpi_call *call = &parser->call;
    if (!conversion->has_begun) {
        if (conversion->wall_bias == INT64_MAX) {
            conversion->cpu_bias = seconds_of(call->cpu_start);
            conversion->wall_bias = seconds_of(call->wall_start);
        }
        if (!begin(conversion))
            return false;
    }
    note_seconds(call->cpu_start, call->cpu_stop, &conversion->cpu_least, &conversion->cpu_most);
    note_seconds(call->wall_start, call->wall_stop, &conversion->wall_least, &conversion->wall_most);
    call->mask = QUIPU__DUMPI_MASK_STATUS | QUIPU__DUMPI_MASK_CPU | QUIPU__DUMPI_MASK_WALL |
                 QUIPU__DUMPI_MASK_THREAD | (call->counters ? QUIPU__DUMPI_MASK_COUNTERS : 0);
    const uint32_t id = quipu__dumpi_types[parser->type].id;
    if (id < QUIPU__DUMPI_SLOTS)
        conversion->recorded[id]++;
    return name_counters(conversion) &&
           quipu__undumpi_writer_put_call(&conversion->writer, parser->type, call, &parser->data) == QUIPU_OK;
}

/* ---- The text ---- */

static void give_up(struct conversion *conversion, int code, const char *message) {
    fprintf(stderr, "ascii2dumpi: %s\n", message);
    conversion->code = code;
}

static void broken_call(struct conversion *conversion, const char *at, const char *end) {
    const struct quipu__undumpi_parser *parser = &conversion->parser;
    const char *place = parser->at >= at && parser->at < end ? parser->at : at;
    char expected[64];
    snprintf(expected, sizeof expected, "expected %.40s, found", parser->expected);
    expected[strcspn(expected, "\n")] = '\0';
    const char *line_end = memchr(place, '\n', (size_t)(end - place));
    complain(conversion, conversion->line + count_lines(at, place), expected, place,
             (size_t)((line_end ? line_end : end) - place));
    conversion->is_skipping = true;
    conversion->code = EXIT_BROKEN;
}

/* Handles the line at the beginning of the window as one that begins no call. False: the line is not complete. */
static bool handle_line(struct conversion *conversion, struct quipu__input *input) {
    const char *at = (const char *)input->at;
    const char *line_end = memchr(at, '\n', (size_t)(input->end - input->at));
    if (!line_end && !input->ended)
        return false;
    const struct line line = {at, line_end ? line_end : (const char *)input->end};
    if (take_line(conversion, line)) {
        conversion->is_skipping = false;
        conversion->recognised++;
    } else if (!conversion->is_skipping) {
        complain(conversion, conversion->line, "this line is not understood", at, (size_t)(line.end - line.at));
    }
    conversion->line++;
    input->at = (const uint8_t *)(line_end ? line_end + 1 : line.end);
    return true;
}

/* Handles what is at the beginning of the window. False: more of it is needed. */
static bool handle(struct conversion *conversion, struct quipu__input *input) {
    const char *at = (const char *)input->at, *end = (const char *)input->end, *next;
    const bool in_list = conversion->pairs_due > 0 || conversion->counters_due > 0;
    switch (in_list ? QUIPU__UNDUMPI_OTHER : quipu__undumpi_parse_call(&conversion->parser, at, end, &next)) {
    case QUIPU__UNDUMPI_CALL:
        conversion->line += count_lines(at, next);
        conversion->is_skipping = false;
        conversion->recognised++;
        input->at = (const uint8_t *)next;
        if (!write_call(conversion))
            give_up(conversion, QUIPU__UNDUMPI_EXIT_OUTPUT, "the output could not be written");
        return true;
    case QUIPU__UNDUMPI_SHORT:
        if (!input->ended)
            return false;
        broken_call(conversion, at, end);
        return handle_line(conversion, input);
    case QUIPU__UNDUMPI_BROKEN:
        broken_call(conversion, at, end);
        return handle_line(conversion, input);
    case QUIPU__UNDUMPI_NO_MEMORY:
        give_up(conversion, EXIT_BROKEN, "memory is out");
        return true;
    default:
        return handle_line(conversion, input);
    }
}

static void read_text(struct conversion *conversion, struct quipu__input *input) {
    struct quipu_error error = QUIPU_ERROR_INIT;
    size_t need = 1;
    conversion->line = 1;
    while (conversion->code == EXIT_SUCCESS || conversion->code == EXIT_BROKEN) {
        if (input->at < input->end && need == 1) {
            if (!handle(conversion, input))
                need = (size_t)(input->end - input->at) * 2;
            continue;
        }
        if (quipu__input_more(input, need, &error) != QUIPU_OK) {
            quipu__undumpi_complain("ascii2dumpi", conversion->path, &error);
            conversion->code = EXIT_UNREADABLE;
            return;
        }
        need = 1;
        if (input->at == input->end)
            return;
    }
}

static void read_all(struct conversion *conversion) {
    static char standard_input[] = "-";
    char *default_path = standard_input;
    const int count = conversion->options->path_count ? conversion->options->path_count : 1;
    char **paths = conversion->options->path_count ? conversion->options->paths : &default_path;
    for (int i = 0; i < count && (conversion->code == EXIT_SUCCESS || conversion->code == EXIT_BROKEN); i++) {
        struct quipu_error error = QUIPU_ERROR_INIT;
        struct quipu__input *input;
        conversion->path = paths[i];
        if (quipu__input_open(&conversion->files, paths[i], QUIPU__CODEC_DETECT, WINDOW, &input, &error) !=
            QUIPU_OK) {
            quipu__undumpi_complain("ascii2dumpi", paths[i], &error);
            conversion->code = EXIT_UNREADABLE;
            return;
        }
        read_text(conversion, input);
        quipu__input_close(input);
    }
}

/* ---- Sections ---- */

/* A sized list for the codec. NULL when it is empty or memory is out. */
static void *list_of(struct conversion *conversion, const void *elements, size_t count, size_t size) {
    void *list = count ? quipu__scratch_sized(&conversion->parser.scratch, (uint32_t)count, size) : NULL;
    if (list)
        memcpy(list, elements, count * size);
    return list;
}

#define LIST_OF(conversion, vec) list_of((conversion), (vec).at, (vec).count, sizeof *(vec).at)

static void write_header(struct conversion *conversion) {
    struct sections *sections = &conversion->sections;
    struct quipu__dumpi_header *header = &sections->header;
    const uint32_t written = conversion->writer.codec->version;
    if (output_version(sections) < QUIPU__UNDUMPI_STEADY_VERSION || !sections->has_version) {
        header->version = (uint8_t)(written >> 16);
        header->subversion = (uint8_t)(written >> 8);
        header->subsubversion = (uint8_t)written;
    }
    header->meshcrd = LIST_OF(conversion, sections->mesh_coordinates);
    header->meshsize = LIST_OF(conversion, sections->mesh_sizes);
    quipu__undumpi_writer_put_section(&conversion->writer, QUIPU__DUMPI_TYPE_header, header);
}

/* Without counts in the text those of the calls that were written. */
static void write_footer(struct conversion *conversion) {
    const uint32_t *called =
        conversion->sections.has_footer ? conversion->sections.called : conversion->recorded;
    const struct quipu__dumpi_footer footer = {
        .magic = QUIPU__DUMPI_FOOTER_MAGIC,
        .called = list_of(conversion, called, QUIPU__DUMPI_SLOTS, sizeof *called),
        .ignored = list_of(conversion, conversion->sections.ignored, QUIPU__DUMPI_SLOTS, sizeof *called),
    };
    quipu__undumpi_writer_put_section(&conversion->writer, QUIPU__DUMPI_TYPE_footer, &footer);
}

static void write_lists(struct conversion *conversion) {
    struct sections *sections = &conversion->sections;
    struct quipu__undumpi_writer *writer = &conversion->writer;
    const struct quipu__dumpi_keyvals keyvals = {.keyvals = LIST_OF(conversion, sections->pairs)};
    const struct quipu__dumpi_counters counters = {.names = LIST_OF(conversion, sections->counters)};
    const struct quipu__dumpi_sizes sizes = {.sizes = LIST_OF(conversion, sections->sizes)};
    const struct quipu__dumpi_addresses addresses = {.addresses = LIST_OF(conversion, sections->labels)};
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_keyvals, &keyvals);
    if (sections->counters.count > 0)
        quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_counters, &counters);
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_sizes, &sizes);
    quipu__undumpi_writer_put_section(writer, QUIPU__DUMPI_TYPE_addresses, &addresses);
}

static bool finish(struct conversion *conversion) {
    if (conversion->wall_bias == INT64_MAX)
        conversion->wall_bias = conversion->cpu_bias = 0;
    if (!conversion->has_begun && !begin(conversion))
        return false;
    quipu__scratch_reset(&conversion->parser.scratch);
    quipu__undumpi_writer_end_calls(&conversion->writer);
    write_header(conversion);
    write_footer(conversion);
    write_lists(conversion);
    return quipu__undumpi_writer_finish(&conversion->writer) == QUIPU_OK;
}

/* ---- One conversion ---- */

static void release(struct conversion *conversion) {
    struct sections *sections = &conversion->sections;
    struct quipu__memory *memory = &conversion->memory;
    QUIPU__VEC_RELEASE(memory, &sections->mesh_sizes);
    QUIPU__VEC_RELEASE(memory, &sections->mesh_coordinates);
    QUIPU__VEC_RELEASE(memory, &sections->sizes);
    QUIPU__VEC_RELEASE(memory, &sections->pairs);
    QUIPU__VEC_RELEASE(memory, &sections->counters);
    QUIPU__VEC_RELEASE(memory, &sections->labels);
    quipu__arena_release(&sections->arena);
    quipu__undumpi_parser_release(&conversion->parser);
    if (conversion->has_begun)
        quipu__undumpi_writer_release(&conversion->writer);
}

static bool start(struct conversion *conversion, const struct options *options, int64_t cpu_bias,
                  int64_t wall_bias) {
    struct quipu_error error = QUIPU_ERROR_INIT;
    *conversion = (struct conversion){
        .options = options,
        .is_quiet = wall_bias != INT64_MAX,
        .cpu_bias = cpu_bias,
        .wall_bias = wall_bias,
        .cpu_least = INT64_MAX,
        .wall_least = INT64_MAX,
        .cpu_most = INT64_MIN,
        .wall_most = INT64_MIN,
    };
    quipu__memory_init(&conversion->memory, NULL, 0);
    quipu__files_init(&conversion->files, &conversion->memory, 1);
    quipu__arena_init(&conversion->sections.arena, &conversion->memory);
    return quipu__undumpi_parser_init(&conversion->parser, &conversion->memory, &error) == QUIPU_OK;
}

/* True when seconds lie before the bias, and the text can be read again. */
static bool needs_lower_bias(const struct conversion *conversion) {
    const struct options *options = conversion->options;
    if (conversion->code != EXIT_SUCCESS && conversion->code != EXIT_BROKEN)
        return false;
    for (int i = 0; i < options->path_count; i++)
        if (strcmp(options->paths[i], "-") == 0)
            return false;
    return options->path_count > 0 && conversion->has_begun &&
           (conversion->cpu_least < conversion->cpu_bias || conversion->wall_least < conversion->wall_bias);
}

static void check_span(struct conversion *conversion) {
    if (conversion->has_begun &&
        (conversion->cpu_most - conversion->cpu_bias > UINT16_MAX ||
         conversion->wall_most - conversion->wall_bias > UINT16_MAX ||
         conversion->cpu_least < conversion->cpu_bias || conversion->wall_least < conversion->wall_bias))
        fprintf(stderr, "ascii2dumpi: some times cannot be kept: they lie before those of the first call of a "
                        "text from a pipe, or farther apart than 65535 seconds\n");
}

static int convert(const struct options *options, int64_t cpu_bias, int64_t wall_bias) {
    static struct conversion conversion;
    struct quipu_error error = QUIPU_ERROR_INIT;
    struct quipu_output *output;
    if (!start(&conversion, options, cpu_bias, wall_bias) ||
        quipu_output_open(options->out, true, &output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("ascii2dumpi", options->out, &error);
        return QUIPU__UNDUMPI_EXIT_OUTPUT;
    }
    conversion.sink = quipu_output_sink(output);
    read_all(&conversion);
    const int64_t cpu_least = conversion.cpu_least, wall_least = conversion.wall_least;
    if (needs_lower_bias(&conversion) && !conversion.is_quiet) {
        quipu_output_discard(output);
        release(&conversion);
        const int code = convert(options, cpu_least, wall_least);
        return code;
    }
    int code = conversion.code;
    const bool is_wanted = conversion.recognised > 0 && (code == EXIT_SUCCESS || code == EXIT_BROKEN);
    if (!is_wanted) {
        quipu_output_discard(output);
    } else if (!finish(&conversion) || quipu_output_close(output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("ascii2dumpi", options->out, &error);
        code = QUIPU__UNDUMPI_EXIT_OUTPUT;
    }
    check_span(&conversion);
    release(&conversion);
    return code;
}

/* ---- Command ---- */

static int usage(void) {
    fprintf(stderr, "usage: ascii2dumpi [-h|--help] [-v|--verbose] -o|--out FILE [TEXT...]\n"
                    "Writes a DUMPI file from texts of dumpi2ascii, or from standard input.\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    static const struct option long_options[] = {
        {"help", no_argument, NULL, 'h'},
        {"verbose", no_argument, NULL, 'v'},
        {"out", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {NULL, NULL, 0};
    int option;
    while ((option = getopt_long(argc, argv, "hvo:", long_options, NULL)) != -1) {
        if (option == 'o')
            options.out = optarg;
        else if (option != 'v')
            return usage();
    }
    if (!options.out) {
        fprintf(stderr, "ascii2dumpi: no output file: give one with -o\n");
        return EXIT_NO_OUTPUT_NAME;
    }
    options.paths = argv + optind;
    options.path_count = argc - optind;
    return convert(&options, INT64_MAX, INT64_MAX);
}
