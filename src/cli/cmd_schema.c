/* cmd_schema.c: quipu schema: the reference page of a format. */
#include "job.h"
#include "report.h"

static const char *format_name_at(const void *list, size_t index) {
    (void)list;
    return quipu_format_at(index)->name;
}

enum exit_code command_schema(const struct arguments *arguments) {
    const char *name = arguments->operands[0];
    const struct quipu_format *format = quipu_format_find(name);
    if (!format)
        return report_unknown("format", name, nearest_name(name, format_name_at, NULL, quipu_format_count()),
                              "; \"quipu formats\" lists them");
    if (!format->schema)
        return report_usage("%s is only written, so it has no record types here", name);
    struct printing printing;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum exit_code code = printing_begin(&printing, arguments);
    if (code != EXIT_FINE)
        return code;
    if (quipu_schema_write(format->schema, option_given(arguments, OPTION_json), printing.sink, &err) !=
        QUIPU_OK)
        code = report_error(&err);
    return printing_end(&printing, code);
}
