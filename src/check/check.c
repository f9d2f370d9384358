/* check.c: all rules over all of a trace, and the verdict. */
#include "check/consequences.h"
#include "check/findings.h"
#include "check/model.h"
#include "core/buffer.h"
#include "core/error.h"
#include "trace/reader.h"

#include <quipu/check.h>

#include <string.h>

/* ---- Checking ---- */

/* Reads all events, so that the format's own rules see all records and the model's see all events. */
static enum quipu_status read_all(struct quipu_reader *reader, struct quipu__model_check *check,
                                  struct quipu_error *err) {
    const struct quipu_batch *batch;
    enum quipu_status status;
    while ((status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        status = quipu__model_check_batch(check, batch, err);
        if (status != QUIPU_OK)
            return status;
    }
    if (status != QUIPU_END)
        return status;
    return quipu__model_check_end(check, err);
}

static enum quipu_verdict verdict_of(const struct quipu_findings *findings) {
    if (quipu_findings_total(findings, QUIPU_ERROR_FINDING) || quipu_findings_total(findings, QUIPU_DATA_LOSS))
        return QUIPU_VERDICT_REJECT;
    return quipu_findings_total(findings, QUIPU_NOTICE) ? QUIPU_VERDICT_WARN : QUIPU_VERDICT_OK;
}

/* The set of rules with that name; QUIPU_UNSUPPORTED when the format has none. */
static enum quipu_status find_rules(const struct quipu__format *format, const char *name,
                                    const struct quipu__rule_set **out, struct quipu_error *err) {
    const struct quipu__reading *reading = format->reading;
    *out = NULL;
    for (size_t i = 0; name && i < reading->rule_set_count; i++)
        if (strcmp(reading->rule_sets[i].name, name) == 0)
            *out = &reading->rule_sets[i];
    if (!name || *out)
        return QUIPU_OK;
    quipu__fail(err, QUIPU_UNSUPPORTED, "%s has no set of rules \"%s\"", format->info.name, name);
    quipu__advise(err, "leave out --rules");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu_check(struct quipu_reader *reader, const struct quipu_progress *progress,
                              struct quipu_check_result *out, struct quipu_error *err) {
    return quipu_check_rules(reader, NULL, progress, out, err);
}

enum quipu_status quipu_check_rules(struct quipu_reader *reader, const char *rules,
                                    const struct quipu_progress *progress, struct quipu_check_result *out,
                                    struct quipu_error *err) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    struct quipu__trace *trace = quipu__reader_trace(reader);
    struct quipu__model_check check;
    *out = (struct quipu_check_result){QUIPU_VERDICT_REJECT, 0};
    const struct quipu__rule_set *further;
    enum quipu_status status = find_rules(trace->format, rules, &further, err);
    if (status == QUIPU_OK)
        status = quipu_reader_select(reader, &everything, err);
    if (status != QUIPU_OK)
        return status;
    quipu__model_check_init(&check, reader, trace->memory, trace->findings);
    check.replaced_rules = trace->format->reading->replaced_rules;
    const struct quipu_progress before = quipu__reader_watch(reader, progress);
    status = read_all(reader, &check, err);
    quipu__reader_unwatch(reader, before);
    quipu__model_check_release(&check);
    if (status == QUIPU_OK && trace->format->reading->check)
        status = trace->format->reading->check(trace, err);
    if (status == QUIPU_OK && further)
        status = further->check(trace, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(trace->memory, err);
    quipu__mark_consequences(trace->findings, trace->format->reading->dependent_rules,
                             trace->format->reading->replaced_rules);
    if (status == QUIPU_OK)
        *out = (struct quipu_check_result){verdict_of(trace->findings), quipu_reader_records(reader)};
    return status;
}

/* ---- Showing ---- */

const char *quipu__verdict_name(enum quipu_verdict verdict) {
    static const char *const names[] = {"ok", "warn", "reject"};
    return names[verdict];
}

static void put_json(struct quipu__buffer *out, const struct quipu_check_result *result,
                     const struct quipu_findings *findings, const char *path) {
    struct quipu__json json = quipu__json_init(out);
    quipu__json_open(&json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_head(&json);
    if (path)
        quipu__json_text(&json, "path", path);
    quipu__json_text(&json, "verdict", quipu__verdict_name(result->verdict));
    quipu__json_u64(&json, "records", result->records);
    quipu__put_findings_json(&json, "findings", findings);
    quipu__put_totals_json(&json, "totals", findings);
    quipu__json_close(&json);
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

static void put_text(struct quipu__buffer *out, const struct quipu_check_result *result,
                     const struct quipu_findings *findings, const struct quipu_check_print *options) {
    if (options->all)
        quipu__put_findings_text(out, findings);
    else
        quipu__put_rules_text(out, findings, options->remedy);
    const uint64_t total = quipu__findings_total(findings);
    quipu__put_format(out, "%s: %llu record%s, %llu finding%s\n", quipu__verdict_name(result->verdict),
                      (unsigned long long)result->records, plural(result->records), (unsigned long long)total,
                      plural(total));
}

enum quipu_status quipu_check_write(const struct quipu_check_result *result,
                                    const struct quipu_findings *findings,
                                    const struct quipu_check_print *options, struct quipu_sink sink,
                                    struct quipu_error *err) {
    static const struct quipu_check_print defaults = {false, false, NULL, NULL};
    struct quipu__printing printing;
    options = options ? options : &defaults;
    quipu__printing_begin(&printing, sink, err);
    if (options->json)
        put_json(&printing.out, result, findings, options->path);
    else
        put_text(&printing.out, result, findings, options);
    return quipu__printing_end(&printing);
}
