/* man.c: the manual pages quipu(1) and quipu-COMMAND(1), from the tables of commands and options. */
#include "generate.h"

#include "layout.h"
#include "roff.h"
#include "topics.h"

#include <quipu/quipu.h>

static void put_exit_codes(FILE *out) {
    fputs(".SH EXIT STATUS\n", out);
#define EXIT_CODE(name, number, doc)                                                                           \
    fputs(".TP\n.B " #number "\n", out);                                                                       \
    roff_sentence(out, doc);
#include "exit_codes.def"
#undef EXIT_CODE
}

static void put_environment(FILE *out) {
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B NO_COLOR\nNo colours when it is set and not empty.\n"
          ".TP\n.B CLICOLOR_FORCE\nColours even when output is no terminal, when it is set and not empty.\n"
          ".TP\n.B COLUMNS\nWidth of the terminal, when it is set.\n",
          out);
}

static void put_option(FILE *out, const struct option *option) {
    fputs(".TP\n", out);
    if (option->short_name)
        fprintf(out, "\\fB\\-%c\\fR, ", option->short_name);
    fputs("\\fB\\-\\-", out);
    roff_text(out, option->long_name);
    fputs("\\fR", out);
    if (option->argument[0]) {
        fputs(" \\fI", out);
        roff_text(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff_sentence(out, option->doc);
}

static void put_options(FILE *out, const struct command *command) {
    fputs("\n.SH OPTIONS\n", out);
    for (size_t i = 0; i < command->option_count; i++)
        put_option(out, &command->options[i]);
}

static void put_examples(FILE *out, const struct command *command) {
    fputs(".SH EXAMPLES\n", out);
    for (struct layout_example example = {.rest = command->examples}; layout_next_example(&example);) {
        fputs(".TP\n\\fB", out);
        roff_text_len(out, example.command, example.command_len);
        fputs("\\fR\n", out);
        roff_text_len(out, example.doc, example.doc_len);
        fputs(".\n", out);
    }
}

static void write_command_page(FILE *out, const char *page, const void *subject) {
    const struct command *command = subject;
    roff_head(out, page, 1, command->doc);
    fprintf(out, ".SH SYNOPSIS\n.B quipu %s\n[\\fIOPTION\\fR...] ", command->name);
    roff_text(out, command->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    roff_text(out, command->details);
    put_options(out, command);
    put_examples(out, command);
    put_exit_codes(out);
    put_environment(out);
    fputs(".SH SEE ALSO\n.BR quipu (1)\n", out);
}

static void put_commands(FILE *out) {
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < command_count; i++) {
        if (commands[i].hidden)
            continue;
        fprintf(out, ".TP\n.BR quipu\\-%s (1)\n", commands[i].name);
        roff_sentence(out, commands[i].doc);
    }
    fputs(".SH TOPICS\n", out);
    for (size_t i = 0; i < topic_count; i++) {
        fprintf(out, ".TP\n.BR quipu\\-%s (1)\n", topics[i].name);
        roff_sentence(out, topics[i].doc);
    }
}

static void put_formats(FILE *out) {
    fputs(".SH FORMATS\n", out);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        fprintf(out, ".TP\n.BR quipu\\-%s (5)\n", quipu_format_at(i)->name);
        roff_sentence(out, quipu_format_at(i)->title);
    }
}

static void write_main_page(FILE *out, const char *page, const void *subject) {
    (void)subject;
    roff_head(out, page, 1, "read, check, convert and analyse event traces of parallel programs");
    fputs(".SH SYNOPSIS\n"
          ".B quipu\n.I FILE\n.br\n"
          ".B quipu\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
          ".SH DESCRIPTION\n"
          "The first form says what a trace is, as\n.BR quipu\\-info (1)\ndoes.\n",
          out);
    put_commands(out);
    put_formats(out);
    put_exit_codes(out);
    put_environment(out);
}

enum exit_code generate_man(const char *folder) {
    enum exit_code code = roff_page(folder, "quipu", 1, write_main_page, NULL);
    for (size_t i = 0; i < command_count && code == EXIT_FINE; i++) {
        char page[64];
        snprintf(page, sizeof page, "quipu-%s", commands[i].name);
        if (!commands[i].hidden)
            code = roff_page(folder, page, 1, write_command_page, &commands[i]);
    }
    for (size_t i = 0; i < topic_count && code == EXIT_FINE; i++) {
        char page[64];
        snprintf(page, sizeof page, "quipu-%s", topics[i].name);
        code = roff_page(folder, page, 1, topic_write_page, &topics[i]);
    }
    return code;
}
