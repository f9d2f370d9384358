/* help.c: quipu help, and --help of the program and of its commands, wrapped at 80 columns. */
#include "help.h"

#include "report.h"
#include "topics.h"

#include <quipu/format.h>

#include <string.h>

#define WIDTH 80

/* Prints words from a column on, indenting new lines, up to the end of the text or of its paragraph. Returns
 * what comes after. */
static const char *put_wrapped(FILE *out, const char *text, int position, int indent) {
    const int start = position;
    while (*text && *text != '\n') {
        const int len = (int)strcspn(text, " \n");
        if (position > indent && position > start && position + 1 + len > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            position = indent;
        } else if (position > start || (position > indent && position != start)) {
            fputc(' ', out);
            position++;
        }
        fwrite(text, 1, (size_t)len, out);
        position += len;
        text += len;
        text += *text == ' ';
    }
    fputc('\n', out);
    return text;
}

/* A head, and a text that starts in a column and is wrapped there. */
static void put_entry(FILE *out, const char *head, const char *text, int column) {
    int position = fprintf(out, "  %s", head);
    if (position + 2 > column) {
        fputc('\n', out);
        position = 0;
    }
    fprintf(out, "%*s", column - position, "");
    put_wrapped(out, text, column, column);
}

/* Wrapped paragraphs; empty lines in the text separate them. */
static void put_paragraphs(FILE *out, const char *text) {
    while (*text) {
        text = put_wrapped(out, text, 0, 0);
        if (*text)
            fputc('\n', out);
        text += strspn(text, "\n");
    }
}

/* ---- Commands ---- */

bool help_next_example(struct help_example *example) {
    if (!*example->rest)
        return false;
    const char *line = example->rest, *mark = strstr(line, " # ");
    const size_t len = strcspn(line, "\n");
    example->command = line;
    example->command_len = (size_t)(mark - line);
    example->doc = mark + 3;
    example->doc_len = len - example->command_len - 3;
    example->rest = line + len + (line[len] == '\n');
    return true;
}

static void write_option(const struct option *option, FILE *out) {
    char head[64];
    const char *equals = option->argument[0] ? " " : "";
    if (option->short_name)
        snprintf(head, sizeof head, "-%c, --%s%s%s", option->short_name, option->long_name, equals,
                 option->argument);
    else
        snprintf(head, sizeof head, "    --%s%s%s", option->long_name, equals, option->argument);
    put_entry(out, head, option->doc, 32);
}

static void write_examples(const struct command *command, FILE *out) {
    fputs("\nExamples:\n", out);
    for (struct help_example example = {.rest = command->examples}; help_next_example(&example);)
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
            put_entry(out, head, option->doc, 32);
        }
    }
}

void help_write_command(const struct command *command, FILE *out) {
    fprintf(out, "quipu %s: %s\n\nUsage: quipu %s [OPTION...] %s\n\n", command->name, command->doc,
            command->name, command->operands);
    put_paragraphs(out, command->details);
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
            put_entry(out, commands[i].name, commands[i].doc, 17);
    fputs("\nTopics of \"quipu help\":\n", out);
    for (size_t i = 0; i < topic_count; i++)
        put_entry(out, topics[i].name, topics[i].doc, 17);
    fputs("\nExit codes:\n", out);
#define EXIT_CODE(name, number, doc) put_entry(out, #number, doc, 6);
#include "exit_codes.def"
#undef EXIT_CODE
    fputs("\n\"quipu COMMAND --help\" explains a command, \"quipu --version\" prints the version.\n", out);
}

/* ---- Topics ---- */

static void put_lines(FILE *out, const char *text) {
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        fprintf(out, "  %.*s\n", (int)len, text);
    }
}

static void put_section(void *context, const struct topic_section *section) {
    FILE *out = context;
    switch (section->type) {
    case TOPIC_PARAGRAPH:
        put_paragraphs(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_HEADING:
        fprintf(out, "\n%s:\n", section->text);
        break;
    case TOPIC_LINES:
        put_lines(out, section->text);
        fputc('\n', out);
        break;
    case TOPIC_ENTRY:
        put_entry(out, section->head, section->text, 14);
        break;
    }
}

static void write_topic(const struct topic *topic, FILE *out) {
    fprintf(out, "%s: %s\n\n", topic->name, topic->doc);
    topic->visit(put_section, out);
}

/* ---- The command ---- */

enum exit_code command_help(const struct arguments *arguments) {
    if (arguments->operand_count == 0) {
        help_write(stdout);
        return EXIT_FINE;
    }
    const char *name = arguments->operands[0];
    const struct command *command = command_find(name);
    const struct topic *topic = topic_find(name);
    if (topic) {
        write_topic(topic, stdout);
        return EXIT_FINE;
    }
    if (!command)
        return report_unknown("command", name, nearest_name(name, command_name_at, NULL, command_count), "");
    help_write_command(command, stdout);
    return EXIT_FINE;
}
