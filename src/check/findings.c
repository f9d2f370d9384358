/* findings.c: see findings.h. */
#include "check/findings.h"

#include <inttypes.h>

/* ---- JSON ---- */

static void put_finding(struct quipu__json *json, const struct quipu_finding *finding) {
    quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
    quipu__json_text(json, "rule", finding->rule->id);
    quipu__json_text(json, "severity", quipu_severity_name(finding->rule->severity));
    quipu__json_text(json, "file", finding->file);
    quipu__json_u64(json, "byte", finding->byte);
    quipu__json_u64(json, "line", finding->line);
    quipu__json_u64(json, "record", finding->record);
    quipu__json_text(json, "type", finding->type);
    quipu__json_text(json, "field", finding->field);
    quipu__json_text(json, "found", finding->found);
    quipu__json_text(json, "expected", finding->expected);
    quipu__json_text(json, "text", finding->rule->text);
    quipu__json_close(json);
}

void quipu__put_findings_json(struct quipu__json *json, const char *key,
                              const struct quipu_findings *findings) {
    quipu__json_open(json, key, QUIPU__JSON_LINES);
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        put_finding(json, quipu_findings_at(findings, i));
    quipu__json_close(json);
}

void quipu__put_totals_json(struct quipu__json *json, const char *key, const struct quipu_findings *findings) {
    quipu__json_open(json, key, QUIPU__JSON_LINES);
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++) {
        const struct quipu_rule *rule = quipu_findings_rule_at(findings, i);
        quipu__json_open(json, NULL, QUIPU__JSON_OBJECT);
        quipu__json_text(json, "rule", rule->id);
        quipu__json_text(json, "severity", quipu_severity_name(rule->severity));
        quipu__json_u64(json, "count", quipu_findings_total_of(findings, rule));
        quipu__json_close(json);
    }
    quipu__json_close(json);
}

/* ---- Text ---- */

static uint64_t findings_total(const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    return total;
}

/* How many findings of a rule are not listed. */
static void put_rest(struct quipu__buffer *out, const struct quipu_findings *findings,
                     const struct quipu_rule *rule) {
    const uint64_t total = quipu_findings_total_of(findings, rule);
    uint64_t listed = 0;
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        listed += quipu_findings_at(findings, i)->rule == rule;
    if (total > listed)
        quipu__put_format(out, "%s: %" PRIu64 " more finding%s of this rule: %s [%s]\n",
                          quipu_severity_name(rule->severity), total - listed, total - listed == 1 ? "" : "s",
                          rule->text, rule->id);
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
