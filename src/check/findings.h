/* findings.h: showing lists of findings, the same way in every report. */
#ifndef QUIPU_CHECK_FINDINGS_H
#define QUIPU_CHECK_FINDINGS_H

#include "core/text/json.h"

#include <quipu/check.h>

/* Findings as a JSON list. */
void quipu__put_findings_json(struct quipu__json *json, const char *key, const struct quipu_findings *findings);

/* The number of findings of each rule that has any: a JSON list. */
void quipu__put_totals_json(struct quipu__json *json, const char *key, const struct quipu_findings *findings);

/* A line for each finding, and one for each rule whose findings are not all listed. */
void quipu__put_findings_text(struct quipu__buffer *out, const struct quipu_findings *findings);

/* For each rule that has findings: their number, the first of them, the rule's advice, and for errors and data
 * loss the remedy, which may be NULL. */
void quipu__put_rules_text(struct quipu__buffer *out, const struct quipu_findings *findings,
                           const char *remedy);

/* "ok", "warn" or "reject". */
const char *quipu__verdict_name(enum quipu_verdict verdict);

/* How many there are in all. */
uint64_t quipu__findings_total(const struct quipu_findings *findings);

#endif
