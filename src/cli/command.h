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
struct quipu_analysis;
struct quipu_option;
struct quipu_setting;

/* ---- Options ---- */

/* Those that commands share. The options of a single analysis have no name here: their ids come after these. */
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
    OPTION_KINDS,      /* kinds of events and their families */
    OPTION_FIELDS,     /* what is known of events */
    OPTION_COLUMN,     /* of the tables of an analysis */
    OPTION_TABLE,      /* of an analysis */
    OPTION_FORMAT,     /* that can be read */
    OPTION_TARGET,     /* format that can be written */
    OPTION_EXPRESSION, /* quipu/where.h */
    OPTION_SETTING,    /* option of a format: NAME=VALUE */
    OPTION_OUTPUT      /* file to write */
};

struct option {
    unsigned id; /* enum option_id, or more */
    const char *long_name;
    char short_name; /* 0: none */
    enum option_kind kind;
    const char *argument;
    const char *doc;
    const struct quipu_analysis *analysis; /* of the command; NULL in others */
    const struct quipu_option *own; /* what it is in the analysis that declares it; NULL for shared options */
};

/* Calls visit for each word that may stand for an argument of that option: its choices, formats, kinds, columns, settings. */
void option_words(const struct option *option, void (*visit)(void *context, const char *word), void *context);

/* ---- Commands ---- */

enum operand_kind { OPERAND_NOTHING, OPERAND_FILES, OPERAND_FORMATS, OPERAND_COMMANDS };

struct command {
    const char *name;
    const char *operands;
    int operands_least, operands_most;
    enum operand_kind operand_kind;
    bool hidden;
    const char *doc, *details, *examples;
    enum exit_code (*execute)(const struct arguments *arguments);
    const struct quipu_analysis *analysis; /* that it answers by; NULL: none */
    struct option *options;
    size_t option_count;
};

/* All commands in the order of help; commands_init makes them of commands.def, options.def and the library's analyses. */
extern struct command *commands;
extern size_t command_count;
enum exit_code commands_init(void);

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);

/* Names for nearest_name, whose list is not looked at. */
const char *command_name_at(const void *list, size_t index);

/* The option of a command, or NULL. */
const struct option *command_option(const struct command *command, enum option_id id);

/* The option that a word of the command line begins with, --NAME, --NAME=VALUE or -LETTER..., or NULL. */
const struct option *command_option_of(const struct command *command, const char *word);

/* ---- A parsed command line ---- */

struct given_option {
    const struct option *option;
    const char *value; /* "" for flags */
};

struct arguments {
    const struct command *command;
    struct given_option *given;
    size_t given_count;
    struct quipu_setting *settings; /* --set */
    size_t setting_count;
    char **operands;
    int operand_count;
    struct quipu_budget *budget;       /* --max-memory, for everything that the command opens */
    struct quipu_transport *transport; /* to processes that share the answer; NULL: there are none */
};

/* Parses what follows the command's name. On failure says why on standard error. */
enum exit_code arguments_parse(const struct command *command, int argc, char **argv, struct arguments *out);
void arguments_release(struct arguments *arguments);

/* The ceiling of the command's memory; 0 is the default. */
size_t memory_of(const struct arguments *arguments);

/* The value that was given last, or NULL. */
const char *option_text(const struct arguments *arguments, unsigned id);
static inline bool option_given(const struct arguments *arguments, enum option_id id) {
    return option_text(arguments, id) != NULL;
}

/* The value as a number; otherwise when it is not given. The parser has checked it. */
uint64_t option_number(const struct arguments *arguments, enum option_id id, uint64_t otherwise);

/* A number with or without a unit, which has been checked. */
uint64_t size_of(const char *text);

/* The name among the count names of a list that is nearest to a mistyped one, or NULL when none is near. */
const char *nearest_name(const char *typed, const char *(*name_at)(const void *list, size_t index),
                         const void *list, size_t count);

#endif
