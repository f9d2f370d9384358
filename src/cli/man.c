/* man.c: the manual pages quipu(1), quipu-COMMAND(1), quipu-TOPIC(1) and quipu-FORMAT(5): what a format can do and what records it has.
 * They come from the tables of commands, options, topics and formats; "quipu schema FORMAT" prints the records in full. */
#include "generate.h"

#include "ending.h"
#include "help.h"
#include "report.h"
#include "topics.h"

#include <quipu/quipu.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

/* Text with hyphens and backslashes spelled out, so that no line begins with a request. An empty line separates paragraphs. */
static void put_text(FILE *out, const char *text, size_t len) {
    bool at_start = true;
    for (size_t i = 0; i < len; i++) {
        const char c = text[i];
        if (at_start && (c == '.' || c == '\''))
            fputs("\\&", out);
        at_start = c == '\n';
        if (c == '-')
            fputs("\\-", out);
        else if (c == '\\')
            fputs("\\e", out);
        else if (c == '\n')
            fputs("\n.PP\n", out), i += strspn(text + i, "\n") - 1;
        else
            fputc(c, out);
    }
}

/* Writes what roff reads, with a text in place of each %s. */
static void put(FILE *out, const char *format, ...) {
    va_list texts;
    va_start(texts, format);
    for (; *format; format++) {
        if (format[0] != '%' || format[1] != 's') {
            fputc(*format, out);
            continue;
        }
        const char *text = va_arg(texts, const char *);
        put_text(out, text, strlen(text));
        format++;
    }
    va_end(texts);
}

/* ---- Files ---- */

typedef void write_page(FILE *out, const char *page, const void *subject);

/* Writes a page that is complete in memory: files appear as a whole or not at all. */
static enum exit_code save_page(const char *path, const char *text, size_t len) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_output *output;
    if (quipu_output_open(path, true, ending_guard(), &output, &err) != QUIPU_OK)
        return report_error(&err);
    const struct quipu_sink sink = quipu_output_sink(output);
    if (sink.write(sink.context, text, len, &err) != QUIPU_OK) {
        quipu_output_discard(output);
        return report_error(&err);
    }
    return quipu_output_close(output, &err) == QUIPU_OK ? EXIT_FINE : report_error(&err);
}

/* Lets write make a page and saves it as FOLDER/quipu[-NAME].SECTION, in place of what was there. The page fills text, whose size is
 * limited: streams over growing memory do not tell when there is no more of it. */
static enum exit_code make_page(const char *folder, const char *name, int section, write_page *write,
                                const void *subject) {
    enum { PAGE_MOST = 1 << 20 };
    char path[1024], page[64];
    snprintf(page, sizeof page, "quipu%s%s", name[0] ? "-" : "", name);
    snprintf(path, sizeof path, "%s/%s.%d", folder, page, section);
    char *text = malloc(PAGE_MOST);
    FILE *out = text ? fmemopen(text, PAGE_MOST, "w") : NULL;
    if (out)
        write(out, page, subject);
    const bool is_whole = out && fflush(out) == 0 && !ferror(out);
    const long len = is_whole ? ftell(out) : -1;
    if (out)
        fclose(out);
    const enum exit_code code = len >= 0 ? save_page(path, text, (size_t)len) : report_no_memory();
    free(text);
    return code;
}

/* ---- Parts of pages ---- */

/* Title line and NAME section. */
static void put_head(FILE *out, const char *page, int section, const char *doc) {
    fprintf(out, ".TH \"%s\" %d \"\" \"quipu %s\" \"Quipu\"\n", page, section, quipu_version());
    put(out, ".SH NAME\n%s \\- %s\n", page, doc);
}

static const struct {
    const char *command, *name, *doc;
} variables[] = {
#define VARIABLE(command, name, doc) {command, #name, doc},
#include "environment.def"
#undef VARIABLE
};

/* Exit codes and variables of a command. */
static void put_ends(FILE *out, const char *command) {
    fputs(".SH EXIT STATUS\n", out);
#define EXIT_CODE(name, number, doc) put(out, ".TP\n.B " #number "\n%s.\n", doc);
#include "exit_codes.def"
#undef EXIT_CODE
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (variables[i].command[0] == '\0' || strcmp(variables[i].command, command) == 0)
            put(out, ".TP\n.B %s\n%s.\n", variables[i].name, variables[i].doc);
}

/* ---- Commands ---- */

static void put_option(FILE *out, const struct option *option) {
    const char letter[] = {option->short_name, '\0'};
    put(out, ".TP\n");
    if (option->short_name)
        put(out, "\\fB\\-%s\\fR, ", letter);
    put(out, "\\fB\\-\\-%s\\fR", option->long_name);
    if (option->argument[0])
        put(out, " \\fI%s\\fR", option->argument);
    put(out, "\n%s.\n", option->doc);
}

static void put_examples(FILE *out, const struct command *command) {
    fputs(".SH EXAMPLES\n", out);
    for (struct help_example example = {.rest = command->examples}; help_next_example(&example);) {
        fputs(".TP\n\\fB", out);
        put_text(out, example.command, example.command_len);
        fputs("\\fR\n", out);
        put_text(out, example.doc, example.doc_len);
        fputs(".\n", out);
    }
}

static void write_command(FILE *out, const char *page, const void *subject) {
    const struct command *command = subject;
    put_head(out, page, 1, command->doc);
    fprintf(out, ".SH SYNOPSIS\n.B quipu %s\n", command->name);
    put(out, "[\\fIOPTION\\fR...] %s\n.SH DESCRIPTION\n%s\n.SH OPTIONS\n", command->operands, command->details);
    for (size_t i = 0; i < command->option_count; i++)
        put_option(out, &command->options[i]);
    put_examples(out, command);
    put_ends(out, command->name);
    fputs(".SH SEE ALSO\n.BR quipu (1)\n", out);
}

/* ---- Topics ---- */

static void put_lines(FILE *out, const char *lines) {
    fputs(".PP\n.nf\n.RS\n", out);
    for (size_t len; *lines; lines += len + (lines[len] == '\n')) {
        len = strcspn(lines, "\n");
        fputs("\\&", out);
        put_text(out, lines, len);
        fputc('\n', out);
    }
    fputs(".RE\n.fi\n", out);
}

static void put_section(void *context, const struct topic_section *section) {
    switch (section->type) {
    case TOPIC_PARAGRAPH:
        put(context, ".PP\n%s\n", section->text);
        break;
    case TOPIC_HEADING:
        put(context, ".SS %s\n", section->text);
        break;
    case TOPIC_LINES:
        put_lines(context, section->text);
        break;
    case TOPIC_ENTRY:
        put(context, ".TP\n.B %s\n%s.\n", section->head, section->text);
        break;
    }
}

static void write_topic(FILE *out, const char *page, const void *subject) {
    const struct topic *topic = subject;
    put_head(out, page, 1, topic->doc);
    fputs(".SH DESCRIPTION\n", out);
    topic->visit(put_section, out);
    fputs(".SH SEE ALSO\n.BR quipu (1)\n", out);
}

/* ---- Formats ---- */

static void put_abilities(FILE *out, uint32_t abilities) {
#define ABILITY(name, bit, doc)                                                                                \
    if (abilities & QUIPU_CAN_##bit)                                                                           \
        put(out, ".TP\n.B " #name "\n%s.\n", doc);
#include "abilities.def"
#undef ABILITY
}

static void put_settings(FILE *out, const struct quipu_format *format) {
    fputs(".SH OPTIONS\nWhat\n.B \\-\\-set\nof the commands that write can set:\n", out);
    for (size_t i = 0; i < format->option_count; i++) {
        const struct quipu_option *option = &format->options[i];
        put(out, ".TP\n\\fB%s\\fR=\\fI%s\\fR\n%s.\n", option->name, option->argument, option->doc);
        if (option->default_value)
            fprintf(out, "The default is %s.\n", option->default_value);
    }
}

static void put_type(FILE *out, const struct quipu_record_type *type) {
    put(out, ".SS %s\n%s.\n", type->name, type->doc);
    for (size_t i = 0; i < type->field_count; i++) {
        const struct quipu_field *field = &type->fields[i];
        put(out, ".TP\n\\fB%s\\fR (%s%s)\n%s.\n", field->name, field->domain->name,
            field->shape == QUIPU_LIST ? ", list" : "", field->doc);
    }
}

static void put_records(FILE *out, const struct quipu_schema *schema) {
    fputs(".SH RECORDS\n", out);
    if (schema->common)
        put_type(out, schema->common);
    for (size_t i = 0; i < schema->type_count; i++)
        put_type(out, &schema->types[i]);
}

static void write_format(FILE *out, const char *page, const void *subject) {
    const struct quipu_format *format = subject;
    put_head(out, page, 5, format->title);
    fputs(".SH DESCRIPTION\nWhat\n.BR quipu (1)\ncan do with traces of this format:\n", out);
    put_abilities(out, format->abilities);
    put(out, ".SH FILES\nIts files end in %s.\n", format->suffixes);
    if (format->option_count > 0)
        put_settings(out, format);
    if (format->schema)
        put_records(out, format->schema);
    fputs(".SH SEE ALSO\n.BR quipu (1),\n.BR quipu\\-schema (1)\n", out);
}

/* ---- The page of the program, and all pages ---- */

static void put_page(FILE *out, const char *name, int section, const char *doc) {
    fprintf(out, ".TP\n.BR quipu\\-%s (%d)\n", name, section);
    put(out, "%s.\n", doc);
}

static void write_main(FILE *out, const char *page, const void *subject) {
    (void)subject;
    put_head(out, page, 1, "read, check, convert and analyse event traces of parallel programs");
    fputs(".SH SYNOPSIS\n"
          ".B quipu\n.I FILE\n.br\n"
          ".B quipu\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
          ".SH DESCRIPTION\n"
          "The first form says what a trace is, as\n.BR quipu\\-info (1)\ndoes.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            put_page(out, commands[i].name, 1, commands[i].doc);
    fputs(".SH TOPICS\n", out);
    for (size_t i = 0; i < topic_count; i++)
        put_page(out, topics[i].name, 1, topics[i].doc);
    fputs(".SH FORMATS\n", out);
    for (size_t i = 0; i < quipu_format_count(); i++)
        put_page(out, quipu_format_at(i)->name, 5, quipu_format_at(i)->title);
    put_ends(out, "");
}

enum exit_code generate_man(const char *folder) {
    enum exit_code code = make_page(folder, "", 1, write_main, NULL);
    for (size_t i = 0; i < command_count && code == EXIT_FINE; i++)
        if (!commands[i].hidden)
            code = make_page(folder, commands[i].name, 1, write_command, &commands[i]);
    for (size_t i = 0; i < topic_count && code == EXIT_FINE; i++)
        code = make_page(folder, topics[i].name, 1, write_topic, &topics[i]);
    return code;
}

enum exit_code generate_man_formats(const char *folder) {
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < quipu_format_count() && code == EXIT_FINE; i++)
        code = make_page(folder, quipu_format_at(i)->name, 5, write_format, quipu_format_at(i));
    return code;
}
