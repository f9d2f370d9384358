/* cmd_cat.c: quipu cat: events in time order, or native records in file order. */
#include "times.h"
#include "job.h"
#include "report.h"
#include "selection.h"

#include <stdlib.h>
#include <string.h>

struct lines {
    struct job *job;
    struct quipu_sink sink;
    bool json;
    uint64_t limit;
};

/* ---- Events ---- */

/* Names of fields, which are ours. */
struct fields {
    char **names;
    size_t count;
};

static enum exit_code add_field(void *context, const char *name) {
    struct fields *fields = context;
    char **names = realloc(fields->names, (fields->count + 1) * sizeof *names);
    if (!names)
        return report_no_memory();
    fields->names = names;
    names[fields->count] = strdup(name);
    return names[fields->count++] ? EXIT_FINE : report_no_memory();
}

static void fields_release(struct fields *fields) {
    for (size_t i = 0; i < fields->count; i++)
        free(fields->names[i]);
    free(fields->names);
}

/* The place of a word among the choices of an option, which are in the order of an enum; 0 when it is not given. */
static unsigned choice_of(const struct arguments *arguments, enum option_id id) {
    const char *word = option_text(arguments, id);
    unsigned number = 0;
    if (!word)
        return 0;
    for (const char *list = command_option(arguments->command, id)->argument; *list; number++) {
        const size_t len = strcspn(list, "|");
        if (strlen(word) == len && memcmp(word, list, len) == 0)
            return number;
        list += len + (list[len] == '|');
    }
    return 0;
}

static enum quipu_status print_events(const struct lines *lines, struct quipu_printer *printer) {
    struct job *job = lines->job;
    struct quipu_event event;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t count = 0; status == QUIPU_OK && count < lines->limit; count++) {
        status = quipu_reader_next(job->reader, &event, &job->err);
        if (status == QUIPU_OK)
            status = quipu_printer_put(printer, &event, &job->err);
    }
    return status;
}

/* What was printed before something failed is delivered too. */
static enum quipu_status end_printing(struct quipu_printer *printer, enum quipu_status status,
                                      struct job *job) {
    const enum quipu_status flushed = quipu_printer_flush(printer, status < 0 ? NULL : &job->err);
    quipu_printer_free(printer);
    return status < 0 || flushed == QUIPU_OK ? status : flushed;
}

static enum quipu_status write_events(const struct lines *lines, const struct fields *fields) {
    struct job *job = lines->job;
    struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
    struct quipu_printer *printer;
    options.json = lines->json;
    options.time = (enum quipu_time_style)choice_of(job->arguments, OPTION_time);
    options.unit = (enum quipu_time_unit)choice_of(job->arguments, OPTION_unit);
    options.fields = (const char *const *)fields->names;
    options.field_count = fields->count;
    options.allocator = quipu_budget_allocator(job->arguments->budget);
    const enum quipu_status status =
        quipu_printer_new(quipu_reader_definitions(job->reader), &options, lines->sink, &printer, &job->err);
    return status == QUIPU_OK ? end_printing(printer, print_events(lines, printer), job) : status;
}

static enum exit_code print_selected(const struct lines *lines) {
    struct fields fields = {NULL, 0};
    const enum exit_code code = each_given_name(lines->job->arguments, OPTION_fields, add_field, &fields);
    if (code == EXIT_FINE)
        job_set(lines->job, write_events(lines, &fields));
    fields_release(&fields);
    return code == EXIT_FINE ? lines->job->code : code;
}

static enum exit_code select_events(struct job *job) {
    struct selected selected;
    enum exit_code code = selected_init(&selected, job);
    selected.selection.order = QUIPU_ORDER_TIME;
    if (code == EXIT_FINE && quipu_reader_select(job->reader, &selected.selection, &job->err) != QUIPU_OK)
        code = report_error(&job->err);
    selected_release(&selected);
    return code;
}

/* ---- Records ---- */

/* A mark per record type that is printed. */
struct record_types {
    const struct quipu_schema *schema;
    bool *marks;
};

static const char *record_name_at(const void *list, size_t index) {
    return ((const struct quipu_schema *)list)->types[index].name;
}

static enum exit_code mark_type(void *context, const char *name) {
    const struct record_types *types = context;
    const struct quipu_schema *schema = types->schema;
    bool found = false;
    for (size_t i = 0; i < schema->type_count; i++)
        if (name_matches(schema->types[i].name, name))
            found = types->marks[i] = true;
    return found ? EXIT_FINE
                 : report_unknown("record type", name,
                                  nearest_name(name, record_name_at, schema, schema->type_count),
                                  "; \"quipu schema FORMAT\" lists them");
}

static enum exit_code record_types_init(struct record_types *types, const struct job *job) {
    const struct arguments *arguments = job->arguments;
    const struct quipu_format *format = quipu_reader_format(job->reader);
    *types = (struct record_types){format->schema, calloc(format->schema->type_count, sizeof *types->marks)};
    if (!types->marks)
        return report_no_memory();
    enum exit_code code = each_given_name(arguments, OPTION_record_type, mark_type, types);
    for (uint32_t i = 0; i < format->schema->type_count; i++) {
        types->marks[i] |= !option_given(arguments, OPTION_record_type);
        if (option_given(arguments, OPTION_no_definitions) && quipu_format_defines(format, i))
            types->marks[i] = false;
    }
    return code;
}

static enum quipu_status put_records(const struct lines *lines, const struct record_types *types,
                                     struct quipu_printer *printer) {
    struct job *job = lines->job;
    struct quipu_record record;
    enum quipu_status status = QUIPU_OK;
    for (uint64_t count = 0; status == QUIPU_OK && count < lines->limit;) {
        status = quipu_reader_next_record(job->reader, &record, &job->err);
        if (status != QUIPU_OK || !types->marks[record.type - types->schema->types])
            continue;
        count++;
        status = quipu_printer_put_record(printer, types->schema, &record, &job->err);
    }
    return status;
}

static enum quipu_status write_records(const struct lines *lines, const struct record_types *types) {
    struct job *job = lines->job;
    struct quipu_printer_options options = QUIPU_PRINTER_OPTIONS_INIT;
    struct quipu_printer *printer;
    options.json = lines->json;
    options.allocator = quipu_budget_allocator(job->arguments->budget);
    const enum quipu_status status =
        quipu_printer_new(quipu_reader_definitions(job->reader), &options, lines->sink, &printer, &job->err);
    return status == QUIPU_OK ? end_printing(printer, put_records(lines, types, printer), job) : status;
}

static enum exit_code print_records(const struct lines *lines) {
    struct record_types types;
    const enum exit_code code = record_types_init(&types, lines->job);
    if (code == EXIT_FINE)
        job_set(lines->job, write_records(lines, &types));
    free(types.marks);
    return code == EXIT_FINE ? lines->job->code : code;
}

/* ---- The command ---- */

/* Records are what a file holds: what selects and shows events means nothing to them, and the other way round. */
static enum exit_code check_options(const struct arguments *arguments) {
    static const enum option_id of_events[] = {OPTION_since, OPTION_until,  OPTION_duration, OPTION_location,
                                               OPTION_kind,  OPTION_region, OPTION_where,    OPTION_with_index,
                                               OPTION_time,  OPTION_unit,   OPTION_fields},
                                of_records[] = {OPTION_record_type, OPTION_no_definitions};
    const bool records = option_given(arguments, OPTION_records);
    const enum option_id *const refused = records ? of_events : of_records;
    const size_t count =
        records ? sizeof of_events / sizeof *of_events : sizeof of_records / sizeof *of_records;
    for (size_t i = 0; i < count; i++)
        if (option_given(arguments, refused[i]))
            return report_usage(records ? "--%s is about events and cannot be used with --records"
                                        : "--%s is about records and needs --records",
                                command_option(arguments->command, refused[i])->long_name);
    return EXIT_FINE;
}

static enum exit_code print_lines(struct job *job) {
    const bool records = option_given(job->arguments, OPTION_records);
    struct printing printing;
    enum exit_code code = records ? EXIT_FINE : select_events(job);
    if (code == EXIT_FINE)
        code = printing_begin(&printing, job->arguments);
    if (code != EXIT_FINE)
        return code;
    const struct lines lines = {job, printing.sink, option_given(job->arguments, OPTION_json),
                                option_number(job->arguments, OPTION_limit, UINT64_MAX)};
    code = records ? print_records(&lines) : print_selected(&lines);
    const bool is_empty = quipu_reader_delivered(job->reader) == 0 && lines.limit > 0;
    code = printing_end(&printing, code);
    if (code == EXIT_FINE && is_empty && selection_given(job->arguments))
        report_nothing(job, "nothing selected");
    return code;
}

enum exit_code command_cat(const struct arguments *arguments) {
    struct job job;
    enum exit_code code = check_options(arguments);
    if (code != EXIT_FINE)
        return code;
    if (job_begin(&job, arguments, arguments->operands[0]) == EXIT_FINE)
        job.code = print_lines(&job);
    return job_end(&job);
}
