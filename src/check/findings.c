/* findings.c: see findings.h. */
#include "check/findings.h"

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

/* ---- Text ---- */

static uint64_t findings_total(const struct quipu_findings *findings) {
    uint64_t total = 0;
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        total += quipu_findings_total(findings, (enum quipu_severity)severity);
    return total;
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
    if (total > quipu_findings_count(findings))
        quipu__put_format(out, "... and %llu more like them\n",
                          (unsigned long long)(total - quipu_findings_count(findings)));
    return total;
}
