/* cmd_complete.c: quipu complete, which the completions of shells ask: what may stand next on a command line. A line each, a word and, behind
 * a tab, what it means; "./" stands for names of files. Shells leave out what does not begin as the word that is being typed. */
#include "report.h"

#include <quipu/quipu.h>

#include <string.h>
#include <unistd.h>

/* What is being typed: its last part, and what stands before that, which each answer repeats: "--kind=send,". */
struct typed {
    const char *before;
    int before_len;
};

static void put_word(void *context, const char *word) {
    const struct typed *typed = context;
    printf("%.*s%s\n", typed->before_len, typed->before, word);
}

/* ---- Names of definitions ---- */

/* Invisible characters must not reach the line that is being typed. */
static void put_name(struct typed *typed, const char *name) {
    char escaped[1024];
    put_word(typed, quipu_text_escape(name, escaped, sizeof escaped));
}

static void put_regions(struct typed *typed, const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        put_name(typed, definitions->regions.items[i].name);
}

static void put_locations(struct typed *typed, const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        put_name(typed, definitions->locations.items[i].name);
}

/* Those of the first trace on the command line. */
static enum exit_code complete_name(const struct arguments *arguments, struct typed *typed, bool is_region) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    int i = 1;
    while (i < arguments->operand_count - 1 && access(arguments->operands[i], F_OK) != 0)
        i++;
    if (i >= arguments->operand_count - 1)
        return EXIT_FINE;
    if (quipu_reader_open(arguments->operands[i], NULL, &reader, &err) != QUIPU_OK)
        return report_error(&err);
    const enum exit_code code = exit_of_trace(reader);
    (is_region ? put_regions : put_locations)(typed, quipu_reader_definitions(reader));
    quipu_reader_close(reader);
    return code;
}

/* ---- Arguments of options ---- */

/* Several words with commas between them. */
static bool is_list(const struct option *option) {
    return option->kind == OPTION_KINDS || option->kind == OPTION_FIELDS || option->kind == OPTION_LIST;
}

static enum exit_code complete_argument(const struct arguments *arguments, const struct option *option,
                                        const char *word, const char *value) {
    const char *comma = is_list(option) ? strrchr(value, ',') : NULL;
    struct typed typed = {word, (int)((comma ? comma + 1 : value) - word)};
    const bool is_region = option->id == OPTION_region || strcmp(option->argument, "REGION") == 0;
    if (is_region || option->id == OPTION_location)
        return complete_name(arguments, &typed, is_region);
    if (option->kind == OPTION_OUTPUT)
        puts("./");
    option_words(option, put_word, &typed);
    return EXIT_FINE;
}

/* ---- Commands, options and operands ---- */

static void complete_commands(void) {
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            printf("%s\t%s\n", commands[i].name, commands[i].doc);
}

static void complete_options(const struct command *command) {
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        printf("--%s\t%s\n", option->long_name, option->doc);
        if (option->short_name)
            printf("-%c\t%s\n", option->short_name, option->doc);
    }
}

static void complete_operand(const struct command *command) {
    if (command->operand_kind == OPERAND_FILES)
        puts("./");
    if (command->operand_kind == OPERAND_COMMANDS)
        complete_commands();
    for (size_t i = 0; command->operand_kind == OPERAND_FORMATS && i < quipu_format_count(); i++)
        if (quipu_format_at(i)->schema)
            printf("%s\t%s\n", quipu_format_at(i)->name, quipu_format_at(i)->title);
}

/* A word of a command, which is the one behind before. */
static enum exit_code complete_word(const struct arguments *arguments, const struct command *command,
                                    const char *before, const char *word) {
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    const struct option *own = equals ? command_option_of(command, word) : NULL;
    const struct option *option =
        before[0] == '-' && !strchr(before, '=') ? command_option_of(command, before) : NULL;
    if (option && option->kind != OPTION_FLAG)
        return complete_argument(arguments, option, word, word);
    if (own && own->kind != OPTION_FLAG)
        return complete_argument(arguments, own, word, equals + 1);
    if (word[0] == '-')
        complete_options(command);
    else
        complete_operand(command);
    return EXIT_FINE;
}

enum exit_code command_complete(const struct arguments *arguments) {
    const int count = arguments->operand_count;
    char *const *words = arguments->operands;
    const char *word = count > 0 ? words[count - 1] : "";
    const struct command *command = NULL;
    for (int i = 0; i < count - 1 && !command; i++)
        command = command_find(words[i]);
    if (command)
        return complete_word(arguments, command, words[count - 2], word);
    if (word[0] == '-') {
        puts("--help\texplain the command\n--version\tprint the version");
    } else {
        complete_commands();
        puts("./");
    }
    return EXIT_FINE;
}
