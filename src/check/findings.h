/* findings.h: showing lists of findings, the same way in every report. */
#ifndef QUIPU_CHECK_FINDINGS_H
#define QUIPU_CHECK_FINDINGS_H

#include "core/buffer.h"

/* Findings as the elements of a JSON list, without its brackets. */
void quipu__put_findings_json(struct quipu__buffer *out, const struct quipu_findings *findings);

/* For each rule of which there are findings, how many: the elements of a JSON list, without its brackets. */
void quipu__put_totals_json(struct quipu__buffer *out, const struct quipu_findings *findings);

/* A line for each finding, and one for each rule of which not all were kept. Returns how many there are in all. */
uint64_t quipu__put_findings_text(struct quipu__buffer *out, const struct quipu_findings *findings);

#endif
