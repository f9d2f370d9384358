/* findings.c: see findings.h. */
#include "check/findings.h"

#include <inttypes.h>

/* ---- JSON ---- */

static void put_number(struct quipu__buffer *out, const char *key, uint64_t value) {
    quipu__put_format(out, ", \"%s\": ", key);
    if (value == QUIPU_UNKNOWN)
        quipu__put_text(out, "null");
    else
        quipu__put_u64(out, value);
}

static void put_string(struct quipu__buffer *out, const char *key, const char *text) {
    quipu__put_format(out, ", \"%s\": ", key);
    quipu__put_json(out, text, strlen(text));
}

static void put_finding(struct quipu__buffer *out, const struct quipu_finding *finding) {
    quipu__put_format(out, "{\"rule\": \"%s\", \"severity\": \"%s\"", finding->rule->id,
                      quipu_severity_name(finding->rule->severity));
    put_string(out, "file", finding->file);
    put_number(out, "byte", finding->byte);
    put_number(out, "line", finding->line);
    put_number(out, "record", finding->record);
    put_string(out, "type", finding->type);
    put_string(out, "field", finding->field);
    put_string(out, "found", finding->found);
    put_string(out, "expected", finding->expected);
    put_string(out, "text", finding->rule->text);
    quipu__put_text(out, "}");
}

void quipu__put_findings_json(struct quipu__buffer *out, const struct quipu_findings *findings) {
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        quipu__put_text(out, i ? ",\n" : "\n");
        put_finding(out, quipu_findings_at(findings, i));
    }
}

void quipu__put_totals_json(struct quipu__buffer *out, const struct quipu_findings *findings) {
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++) {
        const struct quipu_rule *rule = quipu_findings_rule_at(findings, i);
        quipu__put_format(out, "%s{\"rule\": \"%s\", \"severity\": \"%s\"", i ? ",\n" : "\n", rule->id,
                          quipu_severity_name(rule->severity));
        put_number(out, "count", quipu_findings_total_of(findings, rule));
        quipu__put_text(out, "}");
    }
}

/* ---- Text ---- */

static uint64_t findings_total(const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    return total;
}

/* How many findings of a rule were not kept. */
static void put_rest(struct quipu__buffer *out, const struct quipu_findings *findings,
                     const struct quipu_rule *rule) {
    const uint64_t total = quipu_findings_total_of(findings, rule);
    uint64_t kept = 0;
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        kept += quipu_findings_at(findings, i)->rule == rule;
    if (total > kept)
        quipu__put_format(out, "%s: %" PRIu64 " more findings of this rule: %s [%s]\n",
                          quipu_severity_name(rule->severity), total - kept, rule->text, rule->id);
}

uint64_t quipu__put_findings_text(struct quipu__buffer *out, const struct quipu_findings *findings) {
    char line[1024];
    const uint64_t total = findings_total(findings);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        quipu_finding_text(finding, line, sizeof line);
        quipu__put_format(out, "%s: ", quipu_severity_name(finding->rule->severity));
        quipu__put_escaped(out, line, strlen(line));
        quipu__put_text(out, "\n");
    }
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        put_rest(out, findings, quipu_findings_rule_at(findings, i));
    return total;
}
