/* findings.c: the list of findings. Texts live in an arena; each rule keeps its first QUIPU_FINDINGS_KEPT places, so
 * that a trace that is damaged everywhere does not fill the memory. */
#include "core/findings.h"

#include "core/error.h"
#include "core/os.h"
#include "core/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct rule_count {
    const struct quipu_rule *rule;
    uint64_t count;
};

struct quipu_findings {
    struct quipu__memory *memory;
    struct quipu__arena texts;
    struct quipu__lock *lock;
    QUIPU__VEC(struct quipu_finding) kept;
    QUIPU__VEC(struct rule_count) rules;
    uint64_t totals[QUIPU_ERROR_FINDING + 1];
};

static const char *const severity_names[] = {"info", "notice", "data-loss", "error"};

const char *quipu_severity_name(enum quipu_severity severity) {
    return severity_names[severity];
}

enum quipu_status quipu__findings_new(struct quipu__memory *memory, struct quipu_findings **out,
                                      struct quipu_error *err) {
    struct quipu_findings *findings = quipu__alloc_zero(memory, sizeof *findings);
    struct quipu__lock *lock = quipu__lock_new();
    *out = NULL;
    if (!findings || !lock) {
        quipu__release(memory, findings, sizeof *findings);
        quipu__lock_free(lock);
        return quipu__no_memory(err, sizeof *findings);
    }
    findings->memory = memory;
    findings->lock = lock;
    quipu__arena_init(&findings->texts, memory);
    *out = findings;
    return QUIPU_OK;
}

void quipu__findings_free(struct quipu_findings *findings) {
    if (!findings)
        return;
    struct quipu__memory *memory = findings->memory;
    QUIPU__VEC_RELEASE(memory, &findings->kept);
    QUIPU__VEC_RELEASE(memory, &findings->rules);
    quipu__arena_release(&findings->texts);
    quipu__lock_free(findings->lock);
    quipu__release(memory, findings, sizeof *findings);
}

void quipu__findings_clear(struct quipu_findings *findings) {
    findings->kept.count = findings->rules.count = 0;
    memset(findings->totals, 0, sizeof findings->totals);
    quipu__arena_clear(&findings->texts);
}

/* Counts one more; gives the number of that rule's findings before it. */
static uint64_t count_rule(struct quipu_findings *findings, const struct quipu_rule *rule) {
    findings->totals[rule->severity]++;
    for (size_t i = 0; i < findings->rules.count; i++)
        if (findings->rules.at[i].rule == rule)
            return findings->rules.at[i].count++;
    struct rule_count *added = QUIPU__VEC_ADD(findings->memory, &findings->rules);
    if (added)
        *added = (struct rule_count){rule, 1};
    return 0;
}

static const char *keep_text(struct quipu_findings *findings, const char *text) {
    if (!text || !text[0])
        return "";
    const char *copy = quipu__arena_text(&findings->texts, text, strlen(text));
    return copy ? copy : "";
}

/* Successive findings are mostly about the same file: its name is kept once. */
static const char *keep_file(struct quipu_findings *findings, const char *file) {
    if (findings->kept.count > 1) {
        const char *last = findings->kept.at[findings->kept.count - 2].file;
        if (file && strcmp(last, file) == 0)
            return last;
    }
    return keep_text(findings, file);
}

void quipu__find(struct quipu_findings *findings, const struct quipu_rule *rule,
                 const struct quipu__place *place, const char *expected, const char *found, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);

    quipu__lock_take(findings->lock);
    struct quipu_finding *kept = NULL;
    if (count_rule(findings, rule) < QUIPU_FINDINGS_KEPT)
        kept = QUIPU__VEC_ADD(findings->memory, &findings->kept);
    if (kept) {
        kept->rule = rule;
        kept->file = keep_file(findings, place->file);
        kept->byte = place->byte;
        kept->line = place->line;
        kept->record = place->record;
        kept->type = keep_text(findings, place->type);
        kept->field = keep_text(findings, place->field);
        kept->found = keep_text(findings, strcmp(text, " ") == 0 ? "" : text);
        kept->expected = keep_text(findings, expected);
    }
    quipu__lock_give(findings->lock);
}

uint64_t quipu__findings_of(const struct quipu_findings *findings, const struct quipu_rule *rule) {
    for (size_t i = 0; i < findings->rules.count; i++)
        if (findings->rules.at[i].rule == rule)
            return findings->rules.at[i].count;
    return 0;
}

size_t quipu_findings_count(const struct quipu_findings *findings) {
    return findings->kept.count;
}

const struct quipu_finding *quipu_findings_at(const struct quipu_findings *findings, size_t index) {
    return &findings->kept.at[index];
}

uint64_t quipu_findings_total(const struct quipu_findings *findings, enum quipu_severity severity) {
    return findings->totals[severity];
}
