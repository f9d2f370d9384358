/* man.c: the manual pages quipu.1 and quipu-COMMAND.1, from the tables of commands and options. */
#include "generate.h"

#include "layout.h"
#include "report.h"

#include <errno.h>
#include <string.h>

/* Text for roff: hyphens and backslashes are spelled out, and no line begins with a dot or quote. */
static void put_roff(FILE *out, const char *text, size_t len) {
    for (size_t i = 0; i < len && text[i]; i++) {
        if (text[i] == '-' || text[i] == '\\')
            fputs(text[i] == '-' ? "\\-" : "\\e", out);
        else if (text[i] == '\n')
            fputs("\n.PP\n", out), i += text[i + 1] == '\n';
        else if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n'))
            fprintf(out, "\\&%c", text[i]);
        else
            fputc(text[i], out);
    }
}

static void put_text(FILE *out, const char *text) {
    put_roff(out, text, strlen(text));
}

static void put_head(FILE *out, const char *page, const char *doc) {
    fprintf(out, ".TH \"%s\" 1 \"\" \"quipu %s\" \"Quipu\"\n.SH NAME\n", page, quipu_version());
    put_text(out, page);
    fputs(" \\- ", out);
    put_text(out, doc);
    fputs("\n", out);
}

static void put_exit_codes(FILE *out) {
    fputs(".SH EXIT STATUS\n", out);
#define EXIT_CODE(name, number, doc) fputs(".TP\n.B " #number "\n" doc "\n", out);
#include "exit_codes.def"
#undef EXIT_CODE
}

static void put_environment(FILE *out) {
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nNo colours when it is set and not empty.\n"
          ".TP\n.B COLUMNS\nWidth of the terminal, when it cannot be asked.\n",
          out);
}

static void put_option(FILE *out, const struct option *option) {
    fputs(".TP\n", out);
    if (option->short_name)
        fprintf(out, "\\fB\\-%c\\fR, ", option->short_name);
    fputs("\\fB\\-\\-", out);
    put_text(out, option->long_name);
    fputs("\\fR", out);
    if (option->argument[0]) {
        fputs(" \\fI", out);
        put_text(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_text(out, option->doc);
    fputs(".\n", out);
}

static void put_examples(FILE *out, const struct command *command) {
    fputs(".SH EXAMPLES\n", out);
    for (struct layout_example example = {.rest = command->examples}; layout_next_example(&example);) {
        fputs(".TP\n\\fB", out);
        put_roff(out, example.command, example.command_len);
        fputs("\\fR\n", out);
        put_roff(out, example.doc, example.doc_len);
        fputs(".\n", out);
    }
}

static void write_command_page(FILE *out, const struct command *command) {
    char page[64];
    snprintf(page, sizeof page, "quipu-%s", command->name);
    put_head(out, page, command->doc);
    fprintf(out, ".SH SYNOPSIS\n.B quipu %s\n[\\fIOPTION\\fR...] ", command->name);
    put_text(out, command->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    put_text(out, command->details);
    fputs("\n.SH OPTIONS\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_applies(&options[i], command))
            put_option(out, &options[i]);
    put_examples(out, command);
    put_exit_codes(out);
    put_environment(out);
    fputs(".SH SEE ALSO\n.BR quipu (1)\n", out);
}

static void write_main_page(FILE *out) {
    put_head(out, "quipu", "read, check, convert and analyse event traces of parallel programs");
    fputs(".SH SYNOPSIS\n.B quipu\n.I FILE\n.br\n.B quipu\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
          "[\\fIOPERAND\\fR...]\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (commands[i].hidden)
            continue;
        fprintf(out, ".TP\n.BR quipu\\-%s (1)\n", commands[i].name);
        put_text(out, commands[i].doc);
        fputs(".\n", out);
    }
    fputs(".SH FORMATS\n", out);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        fprintf(out, ".TP\n.B %s\n", quipu_format_at(i)->name);
        put_text(out, quipu_format_at(i)->title);
        fputs(".\n", out);
    }
    put_exit_codes(out);
    put_environment(out);
}

static enum exit_code write_page(const char *folder, const struct command *command) {
    char path[1024];
    snprintf(path, sizeof path, "%s/quipu%s%s.1", folder, command ? "-" : "", command ? command->name : "");
    FILE *out = fopen(path, "w");
    if (!out) {
        report_usage("%s: %s", path, strerror(errno));
        return EXIT_OUTPUT;
    }
    if (command)
        write_command_page(out, command);
    else
        write_main_page(out);
    if (fclose(out) == 0)
        return EXIT_FINE;
    report_usage("%s: %s", path, strerror(errno));
    return EXIT_OUTPUT;
}

enum exit_code generate_man(const char *folder) {
    enum exit_code code = write_page(folder, NULL);
    for (size_t i = 0; i < COMMAND_COUNT && code == EXIT_FINE; i++)
        if (!commands[i].hidden)
            code = write_page(folder, &commands[i]);
    return code;
}
