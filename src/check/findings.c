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
    quipu__json_bool(json, "consequence", finding->is_consequence);
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
        quipu__json_text(json, "text", rule->text);
        quipu__json_text(json, "advice", rule->advice);
        quipu__json_close(json);
    }
    quipu__json_close(json);
}

/* ---- Text ---- */

uint64_t quipu__findings_total(const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    return total;
}

/* Writes how many findings of a rule are not listed. */
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

static void put_line(struct quipu__buffer *out, const struct quipu_finding *finding) {
    char line[1024];
    quipu_finding_text(finding, line, sizeof line);
    quipu__put_escaped(out, line, strlen(line));
    quipu__put_u8(out, '\n');
}

void quipu__put_findings_text(struct quipu__buffer *out, const struct quipu_findings *findings) {
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        quipu__put_format(out, "%s: ", quipu_severity_name(finding->rule->severity));
        put_line(out, finding);
    }
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        put_rest(out, findings, quipu_findings_rule_at(findings, i));
}

/* The first finding of a rule that is a problem of its own. */
static const struct quipu_finding *first_of(const struct quipu_findings *findings,
                                            const struct quipu_rule *rule) {
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (finding->rule == rule && !finding->is_consequence)
            return finding;
    }
    return NULL;
}

/* How many findings of a rule may only follow from others. Those that are not listed are assumed to be like the
 * listed ones. */
static uint64_t count_consequences(const struct quipu_findings *findings, const struct quipu_rule *rule) {
    uint64_t listed = 0, count = 0;
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        listed += finding->rule == rule;
        count += finding->rule == rule && finding->is_consequence;
    }
    return count > 0 && count == listed ? quipu_findings_total_of(findings, rule) : count;
}

/* A single finding is a line; of several the first follows their number. */
static void put_rule(struct quipu__buffer *out, const struct quipu_findings *findings,
                     const struct quipu_rule *rule, const char *remedy) {
    const struct quipu_finding *first = first_of(findings, rule);
    const uint64_t total = quipu_findings_total_of(findings, rule) - count_consequences(findings, rule);
    if (total == 0)
        return;
    quipu__put_format(out, "%s: ", quipu_severity_name(rule->severity));
    if (total > 1 || !first)
        quipu__put_format(out, "%" PRIu64 " findings: %s [%s]\n%s", total, rule->text, rule->id,
                          first ? "  first: " : "");
    if (first)
        put_line(out, first);
    if (rule->advice[0])
        quipu__put_format(out, "  %s\n", rule->advice);
    if (remedy && rule->severity >= QUIPU_DATA_LOSS) {
        quipu__put_text(out, "  remedy: ");
        quipu__put_escaped(out, remedy, strlen(remedy));
        quipu__put_u8(out, '\n');
    }
}

/* Writes which rules the consequences belong to, and how to see them. */
static void put_consequences(struct quipu__buffer *out, const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        total += count_consequences(findings, quipu_findings_rule_at(findings, i));
    if (total == 0)
        return;
    quipu__put_format(out, "%" PRIu64 " more finding%s may follow from what is above (--all lists %s):\n ",
                      total, total == 1 ? "" : "s", total == 1 ? "it" : "them");
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++) {
        const struct quipu_rule *rule = quipu_findings_rule_at(findings, i);
        const uint64_t count = count_consequences(findings, rule);
        if (count > 0)
            quipu__put_format(out, " %s (%" PRIu64 ")", rule->id, count);
    }
    quipu__put_u8(out, '\n');
}

void quipu__put_rules_text(struct quipu__buffer *out, const struct quipu_findings *findings,
                           const char *remedy) {
    for (size_t i = 0; i < quipu_findings_rule_count(findings); i++)
        put_rule(out, findings, quipu_findings_rule_at(findings, i), remedy);
    put_consequences(out, findings);
}
