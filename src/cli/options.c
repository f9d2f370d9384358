/* options.c: what options may be given, and parsing a command line by them. */
#include "command.h"

#include "report.h"

#include <quipu/quipu.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Finding ---- */

static bool is_word(const char *word, const char *name, size_t len) {
    return strlen(word) == len && memcmp(word, name, len) == 0;
}

static const struct option *find_long(const struct command *command, const char *name, size_t len) {
    for (size_t i = 0; i < command->option_count; i++)
        if (is_word(command->options[i].long_name, name, len))
            return &command->options[i];
    return NULL;
}

static const struct option *find_short(const struct command *command, char name) {
    for (size_t i = 0; i < command->option_count && name; i++)
        if (command->options[i].short_name == name)
            return &command->options[i];
    return NULL;
}

const struct option *command_option_of(const struct command *command, const char *word) {
    return word[0] == '-' && word[1] == '-' ? find_long(command, word + 2, strcspn(word + 2, "="))
                                            : find_short(command, word[1]);
}

/* ---- Arguments of options ---- */

static void visit_choices(const char *list, void (*visit)(void *context, const char *word), void *context) {
    char word[32];
    for (size_t len; *list; list += len + (list[len] == '|')) {
        len = strcspn(list, "|");
        snprintf(word, sizeof word, "%.*s", (int)len, list);
        visit(context, word);
    }
}

static void visit_formats(uint32_t ability, void (*visit)(void *context, const char *word), void *context) {
    for (size_t i = 0; i < quipu_format_count(); i++)
        if (quipu_format_at(i)->abilities & ability)
            visit(context, quipu_format_at(i)->name);
}

static void visit_settings_of(const struct quipu_option *option, void (*visit)(void *context, const char *word),
                              void *context) {
    char word[96];
    const char *value = option->kind == QUIPU_OPTION_CHOICE ? option->argument : "";
    do {
        const size_t len = strcspn(value, "|");
        snprintf(word, sizeof word, "%s=%.*s", option->name, (int)len, value);
        visit(context, word);
        value += len + (value[len] == '|');
    } while (*value);
}

static void visit_settings(void (*visit)(void *context, const char *word), void *context) {
    for (size_t i = 0; i < quipu_format_count(); i++)
        for (size_t k = 0; k < quipu_format_at(i)->option_count; k++)
            visit_settings_of(&quipu_format_at(i)->options[k], visit, context);
}

/* Each family before its kinds, but those that are called like a kind. */
static void visit_kinds(void (*visit)(void *context, const char *word), void *context) {
    const char *family = "";
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        if (strcmp(kind->family, family) != 0 && quipu_kind_find(kind->family) == QUIPU_KIND_COUNT)
            visit(context, kind->family);
        visit(context, kind->name);
        family = kind->family;
    }
}

static bool has_field(const struct quipu_kind_info *kind, const char *name) {
    for (size_t i = 0; i < kind->field_count; i++)
        if (strcmp(kind->fields[i].name, name) == 0)
            return true;
    return false;
}

static bool is_field_before(int kind, const char *name) {
    for (int before = 0; before < kind; before++)
        if (has_field(quipu_kind_at((enum quipu_kind)before), name))
            return true;
    return false;
}

/* What all events have, and the fields of kinds, each name once. */
static void visit_fields(void (*visit)(void *context, const char *word), void *context) {
    for (size_t i = 0; quipu_printer_column_at(i); i++)
        visit(context, quipu_printer_column_at(i));
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        for (size_t i = 0; i < info->field_count; i++)
            if (!is_field_before(kind, info->fields[i].name))
                visit(context, info->fields[i].name);
    }
}

static bool has_column(const struct quipu_analysis_table *table, const char *name) {
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

/* Tables may share columns. */
static void visit_columns(const struct quipu_analysis *analysis, void (*visit)(void *context, const char *word),
                          void *context) {
    for (size_t i = 0; i < analysis->table_count; i++)
        for (size_t k = 0; k < analysis->tables[i].column_count; k++) {
            const char *name = analysis->tables[i].columns[k].name;
            bool is_known = false;
            for (size_t before = 0; before < i; before++)
                is_known |= has_column(&analysis->tables[before], name);
            if (!is_known)
                visit(context, name);
        }
}

/* Tables that options shape differently have one name, each behind the one before. */
static void visit_tables(const struct quipu_analysis *analysis, void (*visit)(void *context, const char *word),
                         void *context) {
    for (size_t i = 0; i < analysis->table_count; i++)
        if (i == 0 || strcmp(analysis->tables[i].name, analysis->tables[i - 1].name) != 0)
            visit(context, analysis->tables[i].name);
}

void option_words(const struct option *option, void (*visit)(void *context, const char *word), void *context) {
    if (option->kind == OPTION_CHOICE)
        visit_choices(option->argument, visit, context);
    if (option->kind == OPTION_COLUMN)
        visit_columns(option->analysis, visit, context);
    if (option->kind == OPTION_TABLE)
        visit_tables(option->analysis, visit, context);
    if (option->kind == OPTION_KINDS)
        visit_kinds(visit, context);
    if (option->kind == OPTION_FIELDS)
        visit_fields(visit, context);
    if (option->kind == OPTION_FORMAT)
        visit_formats(QUIPU_CAN_READ, visit, context);
    if (option->kind == OPTION_SETTING)
        if (option->id == OPTION_set)
            visit_settings(visit, context);
    if (option->kind == OPTION_TARGET)
        visit_formats(QUIPU_CAN_WRITE | QUIPU_CAN_WRITE_RECORDS, visit, context);
}

/* A whole text as a number, with a unit when units are allowed: steps of 1024, K as Ki and KiB. */
static bool parse_number(const char *text, bool has_units, uint64_t *out) {
    static const char units[] = "KMGT";
    uint64_t number = 0;
    const char *end = text;
    for (; *end >= '0' && *end <= '9'; end++) {
        if (number > (UINT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (uint64_t)(*end - '0');
    }
    const char *unit = has_units && *end && end > text ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? (unsigned)(unit - units + 1) * 10 : 0;
    *out = number << shift;
    end += unit != NULL;
    end += unit && *end == 'i' ? 1 + (end[1] == 'B') : 0;
    return end > text && *end == '\0' && number <= UINT64_MAX >> shift;
}

struct word_search {
    const char *word;
    bool found;
};

static void compare_word(void *context, const char *word) {
    struct word_search *search = context;
    search->found |= strcmp(search->word, word) == 0;
}

static void print_word(void *context, const char *word) {
    (void)context;
    fprintf(stderr, " %s", word);
}

static enum exit_code check_expression(const struct option *option, const char *value) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    const enum quipu_status status = quipu_where_check(value, &err);
    if (status == QUIPU_OK)
        return EXIT_FINE;
    if (status == QUIPU_NO_MEMORY || status == QUIPU_LIMIT)
        return report_error(&err);
    return report_usage("--%s: %s", option->long_name, err.message);
}

static enum exit_code check_value(const struct option *option, const char *value) {
    uint64_t number;
    struct word_search search = {value, false};
    if (option->kind != OPTION_FLAG && value[0] == '\0')
        return report_usage("--%s needs %s, not an empty text", option->long_name, option->argument);
    switch (option->kind) {
    case OPTION_NUMBER:
    case OPTION_SIZE:
        if (parse_number(value, option->kind == OPTION_SIZE, &number))
            return EXIT_FINE;
        return report_usage("--%s needs a number%s, not \"%s\"", option->long_name,
                            strcmp(option->argument, "NS") == 0 ? " of nanoseconds" : "", value);
    case OPTION_CHOICE:
    case OPTION_COLUMN:
    case OPTION_TABLE:
    case OPTION_FORMAT:
    case OPTION_TARGET:
        option_words(option, compare_word, &search);
        if (search.found)
            return EXIT_FINE;
        report_usage("--%s cannot be \"%s\"", option->long_name, value);
        fprintf(stderr, "  it can be:");
        option_words(option, print_word, NULL);
        fputc('\n', stderr);
        return EXIT_USAGE;
    case OPTION_EXPRESSION:
        return check_expression(option, value);
    case OPTION_SETTING:
        if (strchr(value, '=') && value[0] != '=')
            return EXIT_FINE;
        return report_usage("--%s needs NAME=VALUE, not \"%s\"", option->long_name, value);
    default:
        return EXIT_FINE;
    }
}

/* ---- Parsing ---- */

/* The name is a copy, the value a part of the text. */
static enum exit_code keep_setting(struct arguments *arguments, const char *text) {
    const size_t len = strcspn(text, "=");
    char *name = strndup(text, len);
    if (!name)
        return report_no_memory();
    arguments->settings[arguments->setting_count++] = (struct quipu_setting){name, text + len + 1};
    return EXIT_FINE;
}

struct parser {
    struct arguments *out;
    int argc, index;
    char **argv;
};

static enum exit_code give(struct parser *parser, const struct option *option, const char *value) {
    const enum exit_code code = check_value(option, value);
    struct arguments *out = parser->out;
    out->given[out->given_count++] = (struct given_option){option, value};
    return code == EXIT_FINE && option->kind == OPTION_SETTING ? keep_setting(out, value) : code;
}

/* The argument of an option: attached to it, or the next word. */
static enum exit_code give_next(struct parser *parser, const struct option *option, const char *attached) {
    if (!attached && parser->index + 1 >= parser->argc)
        return report_usage("--%s needs %s", option->long_name, option->argument);
    return give(parser, option, attached ? attached : parser->argv[++parser->index]);
}

/* ---- Unknown options ---- */

static const char *option_name_at(const void *list, size_t index) {
    return ((const struct option *)list)[index].long_name;
}

/* Whoever spells such a name right means it. */
static bool is_option_of_another(const char *name) {
    for (size_t i = 0; i < command_count; i++)
        if (find_long(&commands[i], name, strlen(name)))
            return true;
    return false;
}

static enum exit_code refuse_option(const struct command *command, const char *name, size_t len) {
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)(len < 60 ? len : 60), name);
    const char *near = nearest_name(typed, option_name_at, command->options, command->option_count);
    if (near && !is_option_of_another(typed))
        return report_usage("%s has no option --%s; did you mean --%s?", command->name, typed, near);
    return report_usage("%s has no option --%s", command->name, typed);
}

/* ---- Words of the command line ---- */

static enum exit_code parse_long(struct parser *parser, const char *name) {
    const size_t len = strcspn(name, "=");
    const char *value = name[len] ? name + len + 1 : NULL;
    const struct option *option = find_long(parser->out->command, name, len);
    if (!option)
        return refuse_option(parser->out->command, name, len);
    if (option->kind != OPTION_FLAG)
        return give_next(parser, option, value);
    return value ? report_usage("--%s takes no argument", option->long_name) : give(parser, option, "");
}

static enum exit_code parse_short(struct parser *parser, const char *names) {
    for (; *names; names++) {
        const struct option *option = find_short(parser->out->command, *names);
        if (!option)
            return report_usage("%s has no option -%c", parser->out->command->name, *names);
        if (option->kind != OPTION_FLAG)
            return give_next(parser, option, names[1] ? names + 1 : NULL);
        const enum exit_code code = give(parser, option, "");
        if (code != EXIT_FINE)
            return code;
    }
    return EXIT_FINE;
}

static enum exit_code check_whole(const struct arguments *arguments) {
    const struct command *command = arguments->command;
    if (option_given(arguments, OPTION_help) || option_given(arguments, OPTION_version))
        return EXIT_FINE;
    if (arguments->operand_count < command->operands_least)
        return report_usage("%s needs %s", command->name, command->operands);
    if (arguments->operand_count > command->operands_most)
        return report_usage("%s does not know what to do with \"%s\"", command->name,
                            arguments->operands[command->operands_most]);
    if (option_given(arguments, OPTION_json) && option_given(arguments, OPTION_csv))
        return report_usage("%s prints JSON or comma-separated values: --json or --csv, not both",
                            command->name);
    return EXIT_FINE;
}

/* Letters of all words: no command line gives more options than that. */
static size_t count_letters(int argc, char **argv) {
    size_t letters = 1;
    for (int i = 0; i < argc; i++)
        letters += strlen(argv[i]);
    return letters;
}

static enum exit_code make_budget(struct arguments *arguments) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_budget_new(memory_of(arguments), NULL, &arguments->budget, &err) == QUIPU_OK &&
        quipu_budget_spill(arguments->budget, option_number(arguments, OPTION_max_temporary, 0), &err) ==
            QUIPU_OK)
        return EXIT_FINE;
    return report_error(&err);
}

enum exit_code arguments_parse(const struct command *command, int argc, char **argv, struct arguments *out) {
    *out = (struct arguments){.command = command};
    out->given = malloc(count_letters(argc, argv) * sizeof *out->given);
    out->settings = calloc((size_t)argc + 1, sizeof *out->settings);
    out->operands = malloc((size_t)(argc + 1) * sizeof *out->operands);
    if (!out->given || !out->settings || !out->operands)
        return report_no_memory();
    struct parser parser = {out, argc, 0, argv};
    bool only_operands = false;
    enum exit_code code = EXIT_FINE;
    for (; parser.index < argc && code == EXIT_FINE; parser.index++) {
        char *word = argv[parser.index];
        if (only_operands || word[0] != '-' || word[1] == '\0')
            out->operands[out->operand_count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else
            code = word[1] == '-' ? parse_long(&parser, word + 2) : parse_short(&parser, word + 1);
    }
    if (code == EXIT_FINE)
        code = check_whole(out);
    return code == EXIT_FINE ? make_budget(out) : code;
}

size_t memory_of(const struct arguments *arguments) {
    const uint64_t size = option_number(arguments, OPTION_max_memory, 0);
    return size > SIZE_MAX ? SIZE_MAX : (size_t)size;
}

void arguments_release(struct arguments *arguments) {
    quipu_budget_free(arguments->budget);
    for (size_t i = 0; i < arguments->setting_count; i++)
        free((char *)arguments->settings[i].name);
    free(arguments->settings);
    free(arguments->given);
    free(arguments->operands);
}

const char *option_text(const struct arguments *arguments, unsigned id) {
    for (size_t i = arguments->given_count; i-- > 0;)
        if (arguments->given[i].option->id == id)
            return arguments->given[i].value;
    return NULL;
}

uint64_t size_of(const char *text) {
    uint64_t number = 0;
    parse_number(text, true, &number);
    return number;
}

uint64_t option_number(const struct arguments *arguments, enum option_id id, uint64_t otherwise) {
    const char *text = option_text(arguments, id);
    uint64_t number;
    const bool is_size = id == OPTION_max_memory || id == OPTION_max_temporary;
    return text && parse_number(text, is_size, &number) ? number : otherwise;
}
