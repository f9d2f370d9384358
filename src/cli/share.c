/* share.c: parts of an answer in files, and of a table.
 *
 *     "quipu state 1"  newline  I/N  newline  number of words  newline  words, each with a NUL  what the library hands on
 *
 * The words are the command and its options without those of the part, then the path of the trace. So quipu merge-states runs the same
 * command, as a process that only gathers.
 */
#include "share.h"

#include "conversion.h"
#include "ending.h"
#include "report.h"

#include <quipu/quipu.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing a part ---- */

bool share_is_of_part(const struct option *option) {
    return option->id == OPTION_part || option->id == OPTION_output || option->id == OPTION_force;
}

/* A sink that remembers its failure, so that a writer may ask once. */
struct writing {
    struct quipu_sink sink;
    enum quipu_status status;
    struct quipu_error *err;
};

static void put(struct writing *writing, const void *data, size_t size) {
    if (writing->status == QUIPU_OK)
        writing->status = writing->sink.write(writing->sink.context, data, size, writing->err);
}

static void put_word(struct writing *writing, const char *word) {
    put(writing, word, strlen(word) + 1);
}

static void put_option(struct writing *writing, const struct given_option *given) {
    put(writing, "--", 2);
    put(writing, given->option->long_name, strlen(given->option->long_name));
    if (given->option->kind != OPTION_FLAG)
        put(writing, "=", 1);
    put_word(writing, given->value);
}

static void put_head(struct writing *writing, const struct arguments *arguments) {
    char text[64];
    size_t words = 3; /* the command, "--" and the trace */
    for (size_t i = 0; i < arguments->given_count; i++)
        words += !share_is_of_part(arguments->given[i].option);
    const struct quipu_transport *transport = arguments->transport;
    const int len = snprintf(text, sizeof text, STATE_MAGIC "%" PRIu32 "/%" PRIu32 "\n%zu\n", transport->rank,
                             transport->size - 1, words);
    put(writing, text, (size_t)len);
    put_word(writing, arguments->command->name);
    for (size_t i = 0; i < arguments->given_count; i++)
        if (!share_is_of_part(arguments->given[i].option))
            put_option(writing, &arguments->given[i]);
    put_word(writing, "--");
    put_word(writing, arguments->operands[0]);
}

static enum quipu_status write_part(void *context, uint32_t to, const void *data, size_t size,
                                    struct quipu_error *err) {
    const struct part *part = context;
    const struct arguments *arguments = part->arguments;
    struct quipu_output *output;
    (void)to;
    const enum quipu_status status =
        quipu_output_open(option_text(arguments, OPTION_output), option_given(arguments, OPTION_force),
                          ending_guard(), &output, err);
    if (status != QUIPU_OK)
        return status;
    struct writing writing = {quipu_output_sink(output), QUIPU_OK, err};
    put_head(&writing, arguments);
    put(&writing, data, size);
    if (writing.status == QUIPU_OK)
        return quipu_output_close(output, err);
    quipu_output_discard(output);
    return writing.status;
}

/* ---- What is shared ---- */

/* "2/7". False when it is no part. */
static bool parse_part(const char *text, uint32_t *part, uint32_t *count) {
    unsigned long numbers[2];
    char *end;
    for (unsigned i = 0; i < 2; i++) {
        if (*text < '0' || *text > '9')
            return false;
        errno = 0;
        numbers[i] = strtoul(text, &end, 10);
        if (errno != 0 || numbers[i] == 0 || numbers[i] >= UINT32_MAX || *end != (i == 0 ? '/' : '\0'))
            return false;
        text = end + 1;
    }
    *part = (uint32_t)numbers[0];
    *count = (uint32_t)numbers[1];
    return *part <= *count;
}

static enum exit_code begin_part(struct part *part, struct arguments *arguments, const char *text) {
    uint32_t number, count;
    const char *output = option_text(arguments, OPTION_output);
    if (!parse_part(text, &number, &count))
        return report_usage("--part needs I/N, part I of N from 1, not \"%s\"", text);
    if (!output || strcmp(output, "-") == 0)
        return report_usage("--part needs -o FILE");
    *part = (struct part){
        .transport = {.rank = number, .size = count + 1, .only_gathers = true, .send = write_part},
        .arguments = arguments};
    part->transport.context = part;
    arguments->transport = &part->transport;
    return EXIT_FINE;
}

static bool is_table(const struct arguments *arguments) {
    return strcmp(arguments->command->name, "table") == 0;
}

char *share_path(const struct arguments *arguments) {
    const char *text = option_text(arguments, OPTION_output);
    const int digits = snprintf(NULL, 0, "%" PRIu32, arguments->transport->size - 1);
    const size_t size = strlen(text) * (size_t)(digits + 1) + 1;
    char *path = calloc(1, size);
    for (size_t len = 0; path && *text; text++)
        if (strncmp(text, RANK_IN_NAME, strlen(RANK_IN_NAME)) == 0) {
            len += (size_t)snprintf(path + len, size - len, "%0*" PRIu32, digits, arguments->transport->rank);
            text += strlen(RANK_IN_NAME) - 1;
        } else {
            path[len++] = *text;
        }
    return path;
}

/* A table is written in parts, each into a file of its own; which tables can be, the library knows. */
static enum exit_code check_parts(const struct arguments *arguments) {
    const char *output = option_text(arguments, OPTION_output);
    if (!strstr(output, RANK_IN_NAME))
        return report_usage(
            "each process writes a part of the table: -o needs %s in the name, such as part-%s.csv",
            RANK_IN_NAME, RANK_IN_NAME);
    if (option_given(arguments, OPTION_limit))
        return report_usage("--limit counts all rows: run \"quipu table\"");
    return EXIT_FINE;
}

/* An index is made by processes that talk to each other; --verify has nothing to divide. */
static bool is_divided(const struct arguments *arguments) {
    const struct command *command = arguments->command;
    if (command_option(command, OPTION_part))
        return true;
    if (is_table(arguments))
        return arguments->operand_count == 2 && option_given(arguments, OPTION_output);
    if (strcmp(command->name, "convert") == 0 || strcmp(command->name, "merge") == 0)
        return true;
    return strcmp(command->name, "index") == 0 ? !option_given(arguments, OPTION_verify)
                                               : command->analysis && !writes_trace(arguments);
}

enum exit_code share_check(struct part *part, struct arguments *arguments, struct quipu_transport *transport) {
    const struct command *command = arguments->command;
    const char *text = option_text(arguments, OPTION_part);
    arguments->transport = transport;
    if (!text && !transport)
        return EXIT_FINE;
    if (!is_divided(arguments))
        return report_usage("%s is for one process: run \"quipu %s\"", command->name, command->name);
    if (arguments->operand_count != 1 && !is_table(arguments))
        return report_usage("several processes read one trace, not %d", arguments->operand_count);
    if (strcmp(arguments->operands[arguments->operand_count - 1], "-") == 0)
        return report_usage("several processes cannot read standard input");
    if (is_table(arguments) && check_parts(arguments) != EXIT_FINE)
        return EXIT_USAGE;
    if (text && transport)
        return report_usage("--part is for one process that knows no others");
    return text ? begin_part(part, arguments, text) : EXIT_FINE;
}
