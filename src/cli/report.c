/* report.c: errors, findings and remarks on standard error. Texts of traces are escaped, so that a name in a file
 * cannot send commands to the terminal. */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define FINDINGS_SHOWN 3

/* Exit codes of failures, by minus their status. */
static const unsigned char exit_of_status[] = {
    [-QUIPU_IO] = EXIT_UNREADABLE,      [-QUIPU_NOT_FOUND] = EXIT_UNREADABLE,
    [-QUIPU_EXISTS] = EXIT_OUTPUT,      [-QUIPU_TRUNCATED] = EXIT_UNREADABLE,
    [-QUIPU_CORRUPT] = EXIT_UNREADABLE, [-QUIPU_UNKNOWN_FORMAT] = EXIT_UNREADABLE,
    [-QUIPU_UNSUPPORTED] = EXIT_USAGE,  [-QUIPU_NOT_REPRESENTABLE] = EXIT_NO,
    [-QUIPU_LIMIT] = EXIT_LIMIT,        [-QUIPU_NO_MEMORY] = EXIT_LIMIT,
    [-QUIPU_MISUSE] = EXIT_USAGE,       [-QUIPU_OUTPUT] = EXIT_OUTPUT,
    [-QUIPU_STOPPED] = EXIT_NO,
};

/* Each byte becomes four at most. */
enum { TEXT_BYTES = 1024, ESCAPED_BYTES = 4 * TEXT_BYTES };

/* Prints text as people can read it, and a newline. */
static void print_line(const char *text) {
    char escaped[ESCAPED_BYTES];
    fprintf(stderr, "%s\n", quipu_text_escape(text, escaped, sizeof escaped));
}

static void print_formatted(const char *format, va_list values) {
    char text[TEXT_BYTES];
    vsnprintf(text, sizeof text, format, values);
    fputs("quipu: ", stderr);
    print_line(text);
}

enum exit_code report_usage(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_formatted(format, values);
    va_end(values);
    return EXIT_USAGE;
}

enum exit_code report_unknown(const char *what, const char *name, const char *near, const char *otherwise) {
    if (near)
        return report_usage("unknown %s \"%s\"; did you mean %s?", what, name, near);
    return report_usage("unknown %s \"%s\"%s", what, name, otherwise);
}

enum exit_code report_no_memory(void) {
    fputs("quipu: memory is out\n", stderr);
    return EXIT_LIMIT;
}

static void print_advice(const char *text) {
    if (!text[0])
        return;
    fputs("  ", stderr);
    print_line(text);
}

enum exit_code report_error(const struct quipu_error *err) {
    char text[TEXT_BYTES];
    fputs("quipu: ", stderr);
    print_line(quipu_error_text(err, text, sizeof text));
    print_advice(err->advice);
    const size_t index = (size_t) - (int)err->status;
    return index < sizeof exit_of_status ? (enum exit_code)exit_of_status[index] : EXIT_UNREADABLE;
}

void report_remark(const struct arguments *arguments, const char *format, ...) {
    if (option_given(arguments, OPTION_quiet))
        return;
    va_list values;
    va_start(values, format);
    print_formatted(format, values);
    va_end(values);
}

void report_budget(const struct arguments *arguments, enum exit_code code) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    const uint64_t spilled = arguments->budget ? quipu_budget_spilled(arguments->budget) : 0;
    if (code == EXIT_LIMIT && arguments->budget && quipu_budget_status(arguments->budget, &err) != QUIPU_OK) {
        print_advice(err.message);
        print_advice(err.advice);
    }
    if (spilled > 0 && option_given(arguments, OPTION_verbose))
        report_remark(arguments, "%.1f MB of memory in a temporary file", (double)spilled * 1e-6);
}

void report_findings(const struct arguments *arguments, const struct quipu_findings *findings,
                     const char *path) {
    const bool verbose = option_given(arguments, OPTION_verbose);
    uint64_t total = 0, shown = 0;
    for (int severity = verbose ? QUIPU_INFO : QUIPU_NOTICE; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    if (total == 0 || option_given(arguments, OPTION_quiet))
        return;
    for (size_t i = 0; i < quipu_findings_count(findings) && (verbose || shown < FINDINGS_SHOWN); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (finding->rule->severity < QUIPU_NOTICE && !verbose)
            continue;
        char text[TEXT_BYTES];
        fprintf(stderr, "quipu: %s: ", quipu_severity_name(finding->rule->severity));
        print_line(quipu_finding_text(finding, text, sizeof text));
        shown++;
    }
    if (total > shown)
        fprintf(stderr, "quipu: %" PRIu64 " more like these\n", total - shown);
    char escaped[ESCAPED_BYTES];
    fprintf(stderr, "  run \"quipu check %s\" to see everything\n",
            quipu_text_escape(path, escaped, sizeof escaped));
}

enum exit_code exit_of_trace(const struct quipu_reader *reader) {
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    if (quipu_reader_unreadable(reader) > 0)
        return EXIT_UNREADABLE;
    return quipu_findings_total(findings, QUIPU_DATA_LOSS) > 0 ||
                   quipu_findings_total(findings, QUIPU_ERROR_FINDING) > 0
               ? EXIT_DAMAGED
               : EXIT_FINE;
}
