/* check.c: all rules over all of a trace, and the verdict. */
#include "check/findings.h"
#include "check/model.h"
#include "core/memory/buffer.h"
#include "core/error.h"
#include "core/text/findings.h"
#include "core/text.h"
#include "trace/reader.h"

#include <quipu/check.h>

#include <string.h>

/* ==== Consequences ====
 *
 * Some rules compare a record with what was there before it or elsewhere: a leave with its enter, a send with its receive,
 * a number with its definition. They are broken by what is lost as well as by the program. Where something is lost, their
 * findings are marked, since the two look the same until the damage is repaired; without it, the first of them in a file
 * is a problem of its own, and what follows in that file is not. The marks change neither counts nor verdict. */

/* Those of model_rules.def that depend on other records. */
static const char model_rules[] = "model.wrong-leave model.overlap model.leave-only model.enter-only "
                                  "model.send-only model.receive-only model.undefined model.too-many-messages";

struct consequences {
    struct quipu_findings *findings;
    const char *dependent_rules, *replaced_rules;
};

static bool has_rule(const char *words, const struct quipu_finding *finding) {
    return words && quipu__has_word(words, finding->rule->id, strlen(finding->rule->id));
}

static bool is_dependent(const struct consequences *all, const struct quipu_finding *finding) {
    return has_rule(model_rules, finding) || has_rule(all->dependent_rules, finding);
}

static bool is_of_model(const struct quipu_finding *finding) {
    return strncmp(finding->rule->id, "model.", 6) == 0;
}

/* What has no offset is about more than one file. */
static bool is_same_file(const struct quipu_finding *a, const struct quipu_finding *b) {
    return a->byte == QUIPU_UNKNOWN || b->byte == QUIPU_UNKNOWN || strcmp(a->file, b->file) == 0;
}

/* Of two about the same record the more severe one is first, of equal ones the one that was found first; a rule finds its
 * own again and again. */
static bool is_before(const struct quipu_finding *a, const struct quipu_finding *b) {
    if (a->byte != b->byte)
        return a->byte < b->byte;
    return a->rule->severity != b->rule->severity ? a->rule->severity > b->rule->severity : a < b;
}

/* A record that breaks several of the rules that depend on others has one thing wrong. */
static bool is_same_record(const struct quipu_finding *a, const struct quipu_finding *b) {
    return a->rule->severity >= QUIPU_NOTICE && a->rule->severity >= b->rule->severity && a->byte == b->byte &&
           a->byte != QUIPU_UNKNOWN && strcmp(a->file, b->file) == 0;
}

/* What the format's own rules have found is not said again by rules of the model. Errors follow from what is lost in their own
 * file, lesser findings from what is lost anywhere; a loss never follows from a mere error. */
static bool is_cause(const struct consequences *all, const struct quipu_finding *cause,
                     const struct quipu_finding *finding) {
    if (cause->rule == finding->rule)
        return false;
    if (has_rule(all->replaced_rules, finding))
        return cause->rule->severity >= QUIPU_NOTICE && !is_of_model(cause);
    if (cause->rule->severity < QUIPU_DATA_LOSS)
        return is_same_record(cause, finding) && is_before(cause, finding);
    if (finding->rule->severity == QUIPU_DATA_LOSS && cause->rule->severity != QUIPU_DATA_LOSS)
        return false;
    if (finding->rule->severity >= QUIPU_DATA_LOSS && !is_same_file(cause, finding))
        return false;
    return !is_dependent(all, cause) || (is_same_file(cause, finding) && is_before(cause, finding));
}

static bool has_cause(const struct consequences *all, const struct quipu_finding *finding) {
    for (size_t i = 0; i < quipu_findings_count(all->findings); i++)
        if (is_cause(all, quipu_findings_at(all->findings, i), finding))
            return true;
    return false;
}

/* Marks them. The words are identifiers of rules with blanks between them and may be NULL: those of the format that what is
 * lost elsewhere can break, and those of the model that rules of the format stand for. */
static void mark_consequences(struct quipu_findings *findings, const char *dependent_rules,
                              const char *replaced_rules) {
    const struct consequences all = {findings, dependent_rules, replaced_rules};
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (is_dependent(&all, finding) || has_rule(replaced_rules, finding))
            quipu__findings_mark(findings, i, has_cause(&all, finding));
    }
}

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
    mark_consequences(trace->findings, trace->format->reading->dependent_rules,
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
