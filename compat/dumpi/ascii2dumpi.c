/* ascii2dumpi.c: writes a DUMPI file from the text that dumpi2ascii prints.
 *
 * Options and exit codes are those of the original, and so are the order of the sections and that the biases are the
 * seconds of the first call. Unlike there, everything in the text is converted: the version, functions and their names,
 * counters, negative numbers, strings and lists of all kinds. Where the original aborts, in a call whose text is
 * broken, this one says where, leaves the call out, goes on and ends with 4; likewise when times cannot be kept.
 *
 * Seconds are stored in 16 bits after the bias. When some lie before those of the first call, everything is read a
 * second time with a lower bias.
 */
#include "command.h"
#include "parse.h"
#include "sections.h"
#include "writer.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 1, EXIT_NO_OUTPUT_NAME = 2, EXIT_UNREADABLE = 3, EXIT_BROKEN = 4 };

#define WINDOW ((size_t)256 << 10)
#define NS_PER_SECOND INT64_C(1000000000)

struct options {
    const char *out;
    char **paths;
    int path_count;
};

struct conversion {
    const struct options *options;
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__undumpi_parser parser;
    struct quipu__undumpi_writer writer;
    struct quipu__undumpi_sections sections;
    struct quipu_sink sink;
    bool has_started;              /* the first call was written */
    bool is_skipping;              /* after a broken call: lines are not complained of */
    bool is_quiet;                 /* the second time */
    int64_t cpu_bias, wall_bias;   /* seconds */
    int64_t cpu_least, wall_least; /* seconds that occur */
    int64_t cpu_most, wall_most;
    uint64_t recognised; /* calls and lines */
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

/* ---- Calls ---- */

static int64_t seconds_of(int64_t time) {
    return time / NS_PER_SECOND - (time % NS_PER_SECOND < 0);
}

static bool begin(struct conversion *conversion) {
    const enum quipu_status status =
        quipu__undumpi_writer_init(&conversion->writer, quipu__undumpi_sections_version(&conversion->sections),
                                   (int32_t)conversion->cpu_bias, (int32_t)conversion->wall_bias);
    conversion->writer.sink = conversion->sink;
    conversion->has_started = true;
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

static bool write_call(struct conversion *conversion) {
    struct quipu__undumpi_parser *parser = &conversion->parser;
    struct quipu__dumpi_call *call = &parser->call;
    if (!conversion->has_started) {
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
        conversion->sections.recorded[id]++;
    return quipu__undumpi_sections_name_counters(&conversion->sections, parser->counters) &&
           quipu__undumpi_writer_put_call(&conversion->writer, parser->type, call, &parser->data) == QUIPU_OK;
}

/* ---- The text ---- */

static void give_up(struct conversion *conversion, int code, const char *message) {
    fprintf(stderr, "ascii2dumpi: %s\n", message);
    conversion->code = code;
}

static void broken_call(struct conversion *conversion, const char *at, const char *end) {
    const struct quipu__undumpi_parser *parser = &conversion->parser;
    const char *line_at = parser->at >= at && parser->at < end ? parser->at : at;
    char expected[64];
    snprintf(expected, sizeof expected, "expected %.40s, found", parser->expected);
    expected[strcspn(expected, "\n")] = '\0';
    const char *line_end = memchr(line_at, '\n', (size_t)(end - line_at));
    complain(conversion, conversion->line + count_lines(at, line_at), expected, line_at,
             (size_t)((line_end ? line_end : end) - line_at));
    conversion->is_skipping = true;
    conversion->code = EXIT_BROKEN;
}

/* Handles the line at the beginning of the window as one that begins no call. False: the line is not complete. */
static bool handle_line(struct conversion *conversion, struct quipu__input *input) {
    const char *at = (const char *)input->at;
    const char *line_end = memchr(at, '\n', (size_t)(input->end - input->at));
    if (!line_end && !input->ended)
        return false;
    const char *const end = line_end ? line_end : (const char *)input->end;
    if (quipu__undumpi_sections_take(&conversion->sections, at, end)) {
        conversion->is_skipping = false;
        conversion->recognised++;
    } else if (!conversion->is_skipping) {
        complain(conversion, conversion->line, "this line is not understood", at, (size_t)(end - at));
    }
    conversion->line++;
    input->at = (const uint8_t *)(line_end ? line_end + 1 : end);
    return true;
}

/* Handles what is at the beginning of the window. False: more of it is needed. */
static bool handle(struct conversion *conversion, struct quipu__input *input) {
    const char *at = (const char *)input->at, *end = (const char *)input->end, *next;
    const bool in_list = quipu__undumpi_sections_in_list(&conversion->sections);
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

/* ---- One conversion ---- */

static bool finish(struct conversion *conversion) {
    if (conversion->wall_bias == INT64_MAX)
        conversion->wall_bias = conversion->cpu_bias = 0;
    if (!conversion->has_started && !begin(conversion))
        return false;
    quipu__undumpi_writer_end_calls(&conversion->writer);
    quipu__undumpi_sections_write(&conversion->sections, &conversion->writer);
    return quipu__undumpi_writer_finish(&conversion->writer) == QUIPU_OK;
}

static void release(struct conversion *conversion) {
    quipu__undumpi_sections_release(&conversion->sections);
    quipu__undumpi_parser_release(&conversion->parser);
    if (conversion->has_started)
        quipu__undumpi_writer_release(&conversion->writer);
    quipu__files_release(&conversion->files);
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
    quipu__undumpi_sections_init(&conversion->sections, &conversion->memory);
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
    return options->path_count > 0 && conversion->has_started &&
           (conversion->cpu_least < conversion->cpu_bias || conversion->wall_least < conversion->wall_bias);
}

static bool fits(int64_t seconds) {
    return seconds >= INT32_MIN && seconds <= INT32_MAX;
}

/* Whether all times that were met can be kept: 16 bits of seconds behind a bias of 32. */
static bool can_store_times(const struct conversion *conversion) {
    return !conversion->has_started || conversion->recognised == 0 || conversion->wall_least == INT64_MAX ||
           (fits(conversion->cpu_bias) && fits(conversion->wall_bias) &&
            conversion->cpu_least >= conversion->cpu_bias && conversion->wall_least >= conversion->wall_bias &&
            conversion->cpu_most - conversion->cpu_bias <= UINT16_MAX &&
            conversion->wall_most - conversion->wall_bias <= UINT16_MAX);
}

static int refuse_times(void) {
    fprintf(
        stderr,
        "ascii2dumpi: some times are not kept: they lie farther apart than 65535 seconds or beyond 68 years, "
        "or, in a text from a pipe, before the first call\n");
    return EXIT_BROKEN;
}

static int convert(const struct options *options, int64_t cpu_bias, int64_t wall_bias) {
    static struct conversion conversion;
    struct quipu_error error = QUIPU_ERROR_INIT;
    struct quipu_output *output;
    if (!start(&conversion, options, cpu_bias, wall_bias) ||
        quipu_output_open(options->out, true, NULL, &output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("ascii2dumpi", options->out, &error);
        return QUIPU__UNDUMPI_EXIT_OUTPUT;
    }
    conversion.sink = quipu_output_sink(output);
    read_all(&conversion);
    const int64_t cpu_least = conversion.cpu_least, wall_least = conversion.wall_least;
    if (needs_lower_bias(&conversion) && !conversion.is_quiet) {
        quipu_output_discard(output);
        release(&conversion);
        return convert(options, cpu_least, wall_least);
    }
    int code = conversion.code;
    const bool is_wanted = conversion.recognised > 0 && (code == EXIT_SUCCESS || code == EXIT_BROKEN);
    if (!is_wanted) {
        quipu_output_discard(output);
    } else if (!finish(&conversion) || quipu_output_close(output, &error) != QUIPU_OK) {
        quipu__undumpi_complain("ascii2dumpi", options->out, &error);
        code = QUIPU__UNDUMPI_EXIT_OUTPUT;
    }
    if (code == EXIT_SUCCESS && !can_store_times(&conversion))
        code = refuse_times();
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
