/* cmd_diff.c: quipu diff: what differs between two traces, beyond noise. */
#include "report.h"
#include "show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Conditions ---- */

/* What counts as a difference; texts of --budget are made here. */
struct conditions {
    const char **items;
    size_t count;
    char *budget[2];
};

/* What may not get slower. */
static const char *const budgeted[2] = {"runtime.time", "phases.median"};

static enum exit_code add_budget(struct conditions *conditions, const char *percent) {
    const size_t digits = strspn(percent, "0123456789.");
    if (digits == 0 || percent[digits] != '\0')
        return report_usage("--budget takes a percentage such as 5 or 2.5, not \"%s\"", percent);
    const size_t size = strlen(percent) + 32;
    for (int i = 0; i < 2; i++) {
        conditions->budget[i] = malloc(size);
        if (!conditions->budget[i])
            return report_no_memory();
        snprintf(conditions->budget[i], size, "%s > %s%%", budgeted[i], percent);
        conditions->items[conditions->count++] = conditions->budget[i];
    }
    return EXIT_FINE;
}

static enum exit_code conditions_init(struct conditions *conditions, const struct arguments *arguments) {
    const char *budget = option_text(arguments, OPTION_budget);
    *conditions =
        (struct conditions){calloc(arguments->given_count + 2, sizeof *conditions->items), 0, {NULL, NULL}};
    if (!conditions->items)
        return report_no_memory();
    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option->id == OPTION_fail_if)
            conditions->items[conditions->count++] = arguments->given[i].value;
    return budget ? add_budget(conditions, budget) : EXIT_FINE;
}

static void conditions_release(struct conditions *conditions) {
    for (int i = 0; i < 2; i++)
        free(conditions->budget[i]);
    free(conditions->items);
}

/* ---- Comparing ---- */

static void show_differences(struct job *job, const struct quipu_tables *tables, bool differ) {
    const struct quipu_render_options render = answer_options_of(job->arguments);
    enum exit_code code = show_tables(job, tables, &render);
    if (code == EXIT_FINE && quipu_table_row_count(quipu_tables_at(tables, 0)) == 0)
        report_remark(job->arguments, "nothing differs beyond noise");
    if (code == EXIT_FINE && quipu_tables_note(tables)[0])
        report_remark(job->arguments, "%s", quipu_tables_note(tables));
    job->code = code == EXIT_FINE && differ ? EXIT_NO : code;
}

static void compare(struct job *a, struct job *b, const struct conditions *conditions) {
    struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
    struct quipu_tables *tables;
    bool differ;
    options.levels = option_text(a->arguments, OPTION_level);
    options.threshold = option_text(a->arguments, OPTION_threshold);
    options.conditions = conditions->items;
    options.condition_count = conditions->count;
    const enum quipu_status status = quipu_compare(a->reader, b->reader, &options, &tables, &differ, &a->err);
    job_set(a, status);
    if (status == QUIPU_OK)
        show_differences(a, tables, differ);
    quipu_tables_free(tables);
}

static enum exit_code compare_both(struct job *a, struct job *b) {
    struct conditions conditions;
    a->code = conditions_init(&conditions, a->arguments);
    if (a->code == EXIT_FINE)
        compare(a, b, &conditions);
    conditions_release(&conditions);
    return a->code;
}

enum exit_code command_diff(const struct arguments *arguments) {
    struct job a, b;
    if (job_begin(&a, arguments, arguments->operands[0]) != EXIT_FINE)
        return job_end(&a);
    if (job_begin(&b, arguments, arguments->operands[1]) == EXIT_FINE)
        a.code = compare_both(&a, &b);
    const enum exit_code answer = a.code;
    a.code = EXIT_FINE;
    const enum exit_code traces = worse_exit(job_end(&a), job_end(&b));
    return worse_exit(traces, answer);
}
