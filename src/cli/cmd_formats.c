/* cmd_formats.c: quipu formats: what can be done with which format, and the same table for the README. */
#include "generate.h"
#include "job.h"
#include "report.h"
#include "show.h"

#define ABILITY(name, bit, doc) {#name, QUIPU_TYPE_TEXT, "", doc},
static const struct quipu_table_column columns[] = {
    {"format", QUIPU_TYPE_TEXT, "", "name, as --to and --from-format take it"},
    {"title", QUIPU_TYPE_TEXT, "", "what it is"},
    {"suffixes", QUIPU_TYPE_TEXT, "", "endings of its files"},
#include "abilities.def"
    {"options", QUIPU_TYPE_TEXT, "", "what --set can set of its output"},
};
#undef ABILITY

static const uint32_t ability_bits[] = {
#define ABILITY(name, bit, doc) QUIPU_CAN_##bit,
#include "abilities.def"
#undef ABILITY
};

#define COLUMN_COUNT (sizeof columns / sizeof columns[0])
#define ABILITY_COUNT (sizeof ability_bits / sizeof ability_bits[0])
#define OPTIONS_COLUMN (COLUMN_COUNT - 1)
#define FIRST_ABILITY (OPTIONS_COLUMN - ABILITY_COUNT)

/* "long=no|yes", one behind the other. */
static void list_options(const struct quipu_format *format, char *out, size_t size) {
    out[0] = '\0';
    for (size_t i = 0, len = 0; i < format->option_count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s=%s", i ? " " : "", format->options[i].name,
                                format->options[i].argument);
}

static enum quipu_status add_row(struct quipu_table *table, const struct quipu_format *format,
                                 struct quipu_error *err) {
    struct quipu_cell cells[COLUMN_COUNT] = {
        {.text = format->name}, {.text = format->title}, {.text = format->suffixes}};
    for (size_t i = 0; i < ABILITY_COUNT; i++)
        cells[FIRST_ABILITY + i].text = format->abilities & ability_bits[i] ? "yes" : "no";
    char options[256];
    list_options(format, options, sizeof options);
    cells[OPTIONS_COLUMN].text = options;
    return quipu_table_add(table, cells, err);
}

/* The table of formats; the caller frees it. */
static enum quipu_status make_table(struct quipu_table **out, struct quipu_error *err) {
    enum quipu_status status = quipu_table_new("formats", columns, COLUMN_COUNT, out, err);
    for (size_t i = 0; i < quipu_format_count() && status == QUIPU_OK; i++)
        status = add_row(*out, quipu_format_at(i), err);
    return status;
}

enum exit_code command_formats(const struct arguments *arguments) {
    struct printing printing;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_table *table = NULL;
    enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    enum quipu_status status = make_table(&table, &err);
    const struct quipu_table *const shown[] = {table};
    const struct quipu_render_options render = render_options_of(arguments);
    if (status == QUIPU_OK)
        status = quipu_table_write(shown, 1, &render, printing.sink, &err);
    if (status != QUIPU_OK)
        code = report_error(&err);
    quipu_table_free(table);
    return printing_end(&printing, code);
}

/* A cell: what divides cells is escaped. */
static void put_cell(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_markdown(const struct quipu_table *table, FILE *out) {
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        fprintf(out, "%s%s", i ? " | " : "| ", columns[i].name);
    fputs(" |\n", out);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        fputs(i < FIRST_ABILITY || i == OPTIONS_COLUMN ? "|---" : "|:-:", out);
    fputs("|\n", out);
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            fputs(i ? " | " : "| ", out);
            put_cell(out, quipu_table_at(table, row, i)->text);
        }
        fputs(" |\n", out);
    }
}

enum exit_code generate_readme_formats(FILE *out) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_table *table = NULL;
    enum exit_code code = EXIT_FINE;
    if (make_table(&table, &err) == QUIPU_OK)
        put_markdown(table, out);
    else
        code = report_error(&err);
    quipu_table_free(table);
    return code;
}
