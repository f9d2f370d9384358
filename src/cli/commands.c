/* commands.c: the commands and the options that each of them has: those of the tables, and those of the library's analyses. */
#include "command.h"

#include "report.h"

#include <quipu/quipu.h>

#include <stdlib.h>
#include <string.h>

#define MANY INT32_MAX
#define SHOWN false
#define HIDDEN true

#define COMMAND(name, ...) enum exit_code command_##name(const struct arguments *arguments);
#include "commands.def"
#undef COMMAND

static const struct command rows[] = {
#define COMMAND(name, operands, least, most, kind, visibility, doc, details, examples)                         \
    {#name,   operands, least,          most, OPERAND_##kind, visibility, doc,                                 \
     details, examples, command_##name, NULL, NULL,           0},
#include "commands.def"
#undef COMMAND
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* Who has a shared option: a bit per row of commands.def, and more for kinds of analyses. */
enum row {
#define COMMAND(name, ...) ROW_##name,
#include "commands.def"
#undef COMMAND
    ROW_SELECTIVE,
    ROW_SORTED,
    ROW_TABLES,
    ROW_RETIMING,
    ROW_SHARED
};
#define ON(command) (UINT32_C(1) << ROW_##command)
#define ON_SELECTIVE (UINT32_C(1) << ROW_SELECTIVE)
#define ON_SORTED (UINT32_C(1) << ROW_SORTED)
#define ON_TABLES (UINT32_C(1) << ROW_TABLES)
#define ON_RETIMING (UINT32_C(1) << ROW_RETIMING)
#define ON_SHARED (UINT32_C(1) << ROW_SHARED)
#define ALL UINT32_MAX

static const struct {
    struct option option;
    uint32_t rows;
} shared_options[OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, kind, argument, commands, doc)                                       \
    {{OPTION_##id, long_name, short_name, OPTION_##kind, argument, doc, NULL, NULL}, commands},
#include "options.def"
#undef OPTION
};

struct command *commands;
size_t command_count;

/* ---- Making ---- */

static struct option option_of_analysis(const struct quipu_option *own, unsigned id) {
    static const enum option_kind kinds[] = {
        [QUIPU_OPTION_CHOICE] = OPTION_CHOICE,  [QUIPU_OPTION_NUMBER] = OPTION_NUMBER,
        [QUIPU_OPTION_SIZE] = OPTION_SIZE,      [QUIPU_OPTION_TIME] = OPTION_TIME,
        [QUIPU_OPTION_LOCATIONS] = OPTION_LIST, [QUIPU_OPTION_TEXT] = OPTION_TEXT,
        [QUIPU_OPTION_FLAG] = OPTION_FLAG,
    };
    return (struct option){.id = id,
                           .long_name = own->name,
                           .short_name = own->letter,
                           .kind = kinds[own->kind],
                           .argument = own->argument,
                           .doc = own->doc,
                           .own = own};
}

/* The options of an analysis come first in its help. */
static enum exit_code add_options(struct command *command, uint32_t row_bits) {
    const struct quipu_analysis *analysis = command->analysis;
    const size_t own_count = analysis ? analysis->option_count : 0;
    command->options = calloc(OPTION_COUNT + own_count, sizeof *command->options);
    if (!command->options)
        return report_no_memory();
    for (size_t i = 0; i < own_count; i++)
        command->options[command->option_count++] =
            option_of_analysis(&analysis->options[i], OPTION_COUNT + (unsigned)i);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if ((shared_options[i].rows & row_bits) != 0) {
            struct option *option = &command->options[command->option_count++];
            *option = shared_options[i].option;
            option->analysis = analysis;
        }
    return EXIT_FINE;
}

/* Words of a name are joined by hyphens, which identifiers cannot have. */
static char *hyphenated(const char *name) {
    char *copy = strdup(name);
    for (char *at = copy; at && (at = strchr(at, '_'));)
        *at = '-';
    return copy;
}

static enum exit_code add_command(const struct command *row) {
    commands[command_count] = *row;
    commands[command_count].name = hyphenated(row->name);
    if (!commands[command_count].name)
        return report_no_memory();
    return add_options(&commands[command_count++], UINT32_C(1) << (row - rows));
}

static enum exit_code add_analysis(const struct quipu_analysis *analysis) {
    struct command *command = &commands[command_count++];
    const uint32_t row_bits = ON(analysis) | (analysis->needs_everything ? 0 : ON_SELECTIVE) |
                              (analysis->sort ? ON_SORTED : 0) | (analysis->table_count > 1 ? ON_TABLES : 0) |
                              (analysis->gives_times ? ON_RETIMING : 0) |
                              (quipu_analysis_can_share(analysis) ? ON_SHARED : 0);
    *command = rows[ROW_analysis];
    command->name = analysis->name;
    command->doc = analysis->doc;
    command->details = analysis->details;
    command->examples = analysis->examples;
    command->analysis = analysis;
    if (analysis->relates) {
        command->operands = "FILE...";
        command->operands_most = MANY;
    }
    return add_options(command, row_bits);
}

static enum exit_code add_analyses(void) {
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < quipu_analysis_count() && code == EXIT_FINE; i++)
        code = add_analysis(quipu_analysis_at(i));
    return code;
}

enum exit_code commands_init(void) {
    commands = calloc(ROW_COUNT - 1 + quipu_analysis_count(), sizeof *commands);
    enum exit_code code = commands ? EXIT_FINE : report_no_memory();
    for (size_t i = 0; i < ROW_COUNT && code == EXIT_FINE; i++)
        code = i == ROW_analysis ? add_analyses() : add_command(&rows[i]);
    return code;
}

/* ---- Finding ---- */

const struct command *command_find(const char *name) {
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const char *command_name_at(const void *list, size_t index) {
    (void)list;
    return commands[index].name;
}

const struct option *command_option(const struct command *command, enum option_id id) {
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].id == (unsigned)id)
            return &command->options[i];
    return NULL;
}

const char *nearest_name(const char *typed, const char *(*name_at)(const void *list, size_t index),
                         const void *list, size_t count) {
    struct quipu_nearest nearest = quipu_nearest_to(typed);
    for (size_t i = 0; i < count; i++)
        quipu_nearest_add(&nearest, name_at(list, i));
    return nearest.count > 0 ? nearest.names[0] : NULL;
}
