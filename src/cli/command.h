/* command.h: commands, options and a parsed command line. Everything comes from commands.def and options.def. */
#ifndef QUIPU_CLI_COMMAND_H
#define QUIPU_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
#define EXIT_CODE(name, number, doc) EXIT_##name = (number),
#include "exit_codes.def"
#undef EXIT_CODE
};

struct arguments;

/* ---- Commands ---- */

enum command_id {
#define COMMAND(name, ...) COMMAND_##name,
#include "commands.def"
#undef COMMAND
    COMMAND_COUNT
};

enum operand_kind { OPERAND_NOTHING, OPERAND_FILES, OPERAND_FORMATS, OPERAND_COMMANDS };

struct command {
    const char *name;
    const char *operands;
    int operands_least, operands_most;
    enum operand_kind operand_kind;
    bool hidden;
    const char *doc, *details, *examples;
    enum exit_code (*run)(const struct arguments *arguments);
};

extern const struct command commands[COMMAND_COUNT];

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);

/* ---- Options ---- */

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "options.def"
#undef OPTION
    OPTION_COUNT
};

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_CHOICE,
    OPTION_NUMBER,
    OPTION_SIZE, /* a number with K, M or G */
    OPTION_TIME,
    OPTION_KINDS,  /* kinds of events and their families */
    OPTION_COLUMN, /* of a profile */
    OPTION_FORMAT, /* that can be read */
    OPTION_TARGET, /* format that can be written */
    OPTION_OUTPUT  /* file to write */
};

struct option {
    const char *long_name;
    char short_name; /* 0: none */
    enum option_kind kind;
    const char *argument;
    uint32_t commands; /* bit per command */
    const char *doc;
};

extern const struct option options[OPTION_COUNT];

static inline bool option_applies(const struct option *option, const struct command *command) {
    return (option->commands >> (command - commands) & 1) != 0;
}

/* Calls visit for each word that may stand for an argument of that option: its choices, formats, kinds. */
void option_words(const struct option *option, void (*visit)(void *context, const char *word), void *context);

/* ---- A parsed command line ---- */

struct given_option {
    enum option_id id;
    const char *value; /* "" for flags */
};

struct arguments {
    const struct command *command;
    struct given_option *given;
    size_t given_count;
    char **operands;
    int operand_count;
    struct quipu_budget *budget; /* --max-memory, for everything that the command opens */
};

/* Parses what follows the command's name. On failure says why on standard error. */
enum exit_code arguments_parse(const struct command *command, int argc, char **argv, struct arguments *out);
void arguments_release(struct arguments *arguments);

/* The ceiling of the command's memory; 0 is the default. */
size_t memory_of(const struct arguments *arguments);

/* The value that was given last, or NULL. */
const char *option_text(const struct arguments *arguments, enum option_id id);
static inline bool option_given(const struct arguments *arguments, enum option_id id) {
    return option_text(arguments, id) != NULL;
}

/* The value as a number; otherwise when it is not given. The parser has checked it. */
uint64_t option_number(const struct arguments *arguments, enum option_id id, uint64_t otherwise);

/* ---- Help ---- */

void help_write(FILE *out);
void help_write_command(const struct command *command, FILE *out);

/* The name among count names that is nearest to a mistyped one, or NULL when none is near. */
const char *nearest_name(const char *typed, const char *(*name_at)(size_t index), size_t count);

#endif
