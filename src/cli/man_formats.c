/* man_formats.c: the manual pages quipu-FORMAT(5): what can be done with a format and what records it has, from the
 * formats' own tables. "quipu schema FORMAT" prints the same in full. */
#include "generate.h"

#include "roff.h"

#include <quipu/quipu.h>

static void put_abilities(FILE *out, uint32_t abilities) {
#define ABILITY(name, bit, doc)                                                                                \
    if (abilities & QUIPU_CAN_##bit) {                                                                         \
        fputs(".TP\n.B " #name "\n", out);                                                                     \
        roff_sentence(out, doc);                                                                               \
    }
#include "abilities.def"
#undef ABILITY
}

static void put_field(FILE *out, const struct quipu_field *field) {
    fputs(".TP\n\\fB", out);
    roff_text(out, field->name);
    fputs("\\fR (", out);
    roff_text(out, field->domain->name);
    fputs(field->shape == QUIPU_LIST ? ", list)\n" : ")\n", out);
    roff_sentence(out, field->doc);
}

static void put_type(FILE *out, const struct quipu_record_type *type) {
    fputs(".SS ", out);
    roff_text(out, type->name);
    fputc('\n', out);
    roff_sentence(out, type->doc);
    for (size_t i = 0; i < type->field_count; i++)
        put_field(out, &type->fields[i]);
}

static void put_options(FILE *out, const struct quipu_format *format) {
    fputs(".SH OPTIONS\nWhat\n.B \\-\\-set\nof the commands that write can set:\n", out);
    for (size_t i = 0; i < format->option_count; i++) {
        const struct quipu_option *option = &format->options[i];
        fputs(".TP\n\\fB", out);
        roff_text(out, option->name);
        fputs("\\fR=\\fI", out);
        roff_text(out, option->argument);
        fputs("\\fR\n", out);
        roff_sentence(out, option->doc);
        if (option->default_value)
            fprintf(out, "The default is %s.\n", option->default_value);
    }
}

static void put_records(FILE *out, const struct quipu_schema *schema) {
    fputs(".SH RECORDS\n", out);
    if (schema->common)
        put_type(out, schema->common);
    for (size_t i = 0; i < schema->type_count; i++)
        put_type(out, &schema->types[i]);
}

static void write_format_page(FILE *out, const char *page, const void *subject) {
    const struct quipu_format *format = subject;
    roff_head(out, page, 5, format->title);
    fputs(".SH DESCRIPTION\nWhat\n.BR quipu (1)\ncan do with traces of this format:\n", out);
    put_abilities(out, format->abilities);
    fputs(".SH FILES\nIts files end in ", out);
    roff_sentence(out, format->suffixes);
    if (format->option_count > 0)
        put_options(out, format);
    if (format->schema)
        put_records(out, format->schema);
    fputs(".SH SEE ALSO\n.BR quipu (1),\n.BR quipu\\-schema (1)\n", out);
}

enum exit_code generate_man_formats(const char *folder) {
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < quipu_format_count() && code == EXIT_FINE; i++) {
        char page[64];
        snprintf(page, sizeof page, "quipu-%s", quipu_format_at(i)->name);
        code = roff_page(folder, page, 5, write_format_page, quipu_format_at(i));
    }
    return code;
}
