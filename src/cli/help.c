/* help.c: --help of the program and of its commands, and guessing what a mistyped name was meant to be. */
#include "command.h"

#include "layout.h"
#include "topics.h"

#include <quipu/format.h>

#include <string.h>

/* ---- Nearest name ---- */

const char *nearest_name(const char *typed, const char *(*name_at)(const void *list, size_t index),
                         const void *list, size_t count) {
    struct quipu_nearest nearest = quipu_nearest_to(typed);
    for (size_t i = 0; i < count; i++)
        quipu_nearest_add(&nearest, name_at(list, i));
    return nearest.count > 0 ? nearest.names[0] : NULL;
}

/* ---- Help ---- */

static void write_option(const struct option *option, FILE *out) {
    char head[64];
    const char *equals = option->argument[0] ? " " : "";
    if (option->short_name)
        snprintf(head, sizeof head, "-%c, --%s%s%s", option->short_name, option->long_name, equals,
                 option->argument);
    else
        snprintf(head, sizeof head, "    --%s%s%s", option->long_name, equals, option->argument);
    layout_entry(out, head, option->doc, 32);
}

static void write_examples(const struct command *command, FILE *out) {
    fputs("\nExamples:\n", out);
    for (struct layout_example example = {.rest = command->examples}; layout_next_example(&example);)
        fprintf(out, "  %.*s\n      %.*s\n", (int)example.command_len, example.command, (int)example.doc_len,
                example.doc);
}

/* What --set can set, format by format. */
static void write_settings(FILE *out) {
    char head[96];
    fputs("\nOptions of formats, for --set:\n", out);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        for (size_t k = 0; k < format->option_count; k++) {
            const struct quipu_option *option = &format->options[k];
            snprintf(head, sizeof head, "%s: %s=%s", format->name, option->name, option->argument);
            layout_entry(out, head, option->doc, 32);
        }
    }
}

void help_write_command(const struct command *command, FILE *out) {
    fprintf(out, "quipu %s: %s\n\nUsage: quipu %s [OPTION...] %s\n\n", command->name, command->doc,
            command->name, command->operands);
    layout_paragraphs(out, command->details);
    fputs("\nOptions:\n", out);
    for (size_t i = 0; i < command->option_count; i++)
        write_option(&command->options[i], out);
    if (command_option(command, OPTION_set))
        write_settings(out);
    write_examples(command, out);
}

void help_write(FILE *out) {
    fputs("quipu reads, checks, converts and analyses event traces of parallel programs.\n\n"
          "Usage: quipu FILE\n"
          "       quipu COMMAND [OPTION...] [OPERAND...]\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            layout_entry(out, commands[i].name, commands[i].doc, 17);
    fputs("\nTopics of \"quipu help\":\n", out);
    for (size_t i = 0; i < topic_count; i++)
        layout_entry(out, topics[i].name, topics[i].doc, 17);
    fputs("\nExit codes:\n", out);
#define EXIT_CODE(name, number, doc) layout_entry(out, #number, doc, 6);
#include "exit_codes.def"
#undef EXIT_CODE
    fputs("\n\"quipu COMMAND --help\" explains a command, \"quipu --version\" prints the version.\n", out);
}
