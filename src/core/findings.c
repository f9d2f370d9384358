/* findings.c: the list of findings. Texts live in an arena; each rule keeps its first QUIPU_FINDINGS_KEPT places, so
 * that a trace that is damaged everywhere does not fill the memory: it is bounded by the number of rules, however many
 * findings there are.
 *
 * First means by source, then by time of finding. Threads that share a pass take the sources in ascending order, so a
 * late finding displaces a kept one only while the source before it is still being read: that happens a few hundred
 * times at most. */
#include "core/findings.h"

#include "core/error.h"
#include "core/os.h"
#include "core/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rule_count {
    const struct quipu_rule *rule;
    uint64_t count;
    uint32_t last_source; /* of those that are kept */
};

struct kept {
    struct quipu_finding finding;
    uint32_t source; /* 0 for all that was found by one thread */
    uint64_t turn;   /* grows with every finding */
};

/* A thread that shares a pass, and the source that it reads. */
struct seat {
    uint64_t thread;
    uint32_t source; /* 0: nobody sits here yet */
};

struct quipu_findings {
    struct quipu__memory *memory;
    struct quipu__arena texts;
    struct quipu__lock *lock;
    QUIPU__VEC(struct kept) kept;
    QUIPU__VEC(struct rule_count) rules;
    uint64_t totals[QUIPU_ERROR_FINDING + 1];
    uint64_t turn;
    struct seat *seats; /* while threads share a pass */
    uint32_t seat_count;
};

static const char *const severity_names[] = {"info", "remark", "notice", "data-loss", "error"};

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
    quipu__release(memory, findings->seats, findings->seat_count * sizeof *findings->seats);
    quipu__arena_release(&findings->texts);
    quipu__lock_free(findings->lock);
    quipu__release(memory, findings, sizeof *findings);
}

void quipu__findings_clear(struct quipu_findings *findings) {
    findings->kept.count = findings->rules.count = 0;
    findings->turn = 0;
    memset(findings->totals, 0, sizeof findings->totals);
    quipu__arena_clear(&findings->texts);
}

/* Counts one more; NULL when memory is out. */
static struct rule_count *count_rule(struct quipu_findings *findings, const struct quipu_rule *rule) {
    struct rule_count *found = NULL;
    findings->totals[rule->severity]++;
    for (size_t i = 0; i < findings->rules.count && !found; i++)
        if (findings->rules.items[i].rule == rule)
            found = &findings->rules.items[i];
    if (!found)
        found = QUIPU__VEC_ADD(findings->memory, &findings->rules);
    if (found) {
        found->rule = rule;
        found->count++;
    }
    return found;
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
        const char *last = findings->kept.items[findings->kept.count - 2].finding.file;
        if (last && file && strcmp(last, file) == 0)
            return last;
    }
    return keep_text(findings, file);
}

static int compare_kept(const void *left, const void *right) {
    const struct kept *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

/* The one of a rule's kept findings that comes last. */
static struct kept *last_of(struct quipu_findings *findings, const struct quipu_rule *rule) {
    struct kept *last = NULL;
    for (size_t i = 0; i < findings->kept.count; i++) {
        struct kept *kept = &findings->kept.items[i];
        if (kept->finding.rule == rule && (!last || compare_kept(kept, last) > 0))
            last = kept;
    }
    return last;
}

/* The seat of the calling thread, or the first free one; NULL when there is none. */
static struct seat *seat_of_caller(struct quipu_findings *findings) {
    const uint64_t thread = quipu__thread_self();
    for (uint32_t i = 0; i < findings->seat_count; i++)
        if (findings->seats[i].source == 0 || findings->seats[i].thread == thread)
            return &findings->seats[i];
    return NULL;
}

static uint32_t source_of_caller(struct quipu_findings *findings) {
    const struct seat *seat = seat_of_caller(findings);
    return seat ? seat->source : 0;
}

/* Where a finding of that rule and source goes; NULL when it is only counted. */
static struct kept *where_for(struct quipu_findings *findings, struct rule_count *rule, uint32_t source) {
    struct kept *where = NULL;
    if (!rule)
        return NULL;
    const bool is_full = rule->count > QUIPU_FINDINGS_KEPT;
    if (!is_full)
        where = QUIPU__VEC_ADD(findings->memory, &findings->kept);
    else if (source < rule->last_source)
        where = last_of(findings, rule->rule);
    if (!where)
        return NULL;
    *where = (struct kept){.finding = {.rule = rule->rule}, .source = source, .turn = findings->turn++};
    if (is_full)
        rule->last_source = last_of(findings, rule->rule)->source;
    else if (source > rule->last_source)
        rule->last_source = source;
    return where;
}

static void fill(struct quipu_findings *findings, struct quipu_finding *kept, const struct quipu__where *where,
                 const char *expected, const char *found) {
    kept->file = keep_file(findings, where->file);
    kept->byte = where->byte;
    kept->line = where->line;
    kept->record = where->record;
    kept->type = keep_text(findings, where->type);
    kept->field = keep_text(findings, where->field);
    kept->found = keep_text(findings, strcmp(found, " ") == 0 ? "" : found);
    kept->expected = keep_text(findings, expected);
}

/* Most findings of a trace that is damaged everywhere are only counted, so only those that are kept get their text. */
void quipu__find(struct quipu_findings *findings, const struct quipu_rule *rule,
                 const struct quipu__where *where, const char *expected, const char *found, ...) {
    quipu__lock_take(findings->lock);
    struct kept *kept = where_for(findings, count_rule(findings, rule), source_of_caller(findings));
    if (kept) {
        char text[256];
        va_list arguments;
        va_start(arguments, found);
        vsnprintf(text, sizeof text, found, arguments);
        va_end(arguments);
        fill(findings, &kept->finding, where, expected, text);
    }
    quipu__lock_give(findings->lock);
}

static const struct quipu_rule unreadable_rule = {"file.unreadable", QUIPU_DATA_LOSS,
                                                  "unreadable file; the other files of the trace are read",
                                                  "check the file's permissions and the disk"};

/* The finding that a file is unreadable, or NULL. */
static const struct quipu_finding *find_unreadable(struct quipu_findings *findings, const char *path) {
    const struct quipu_finding *found = NULL;
    quipu__lock_take(findings->lock);
    for (size_t i = 0; i < findings->kept.count && !found; i++)
        if (findings->kept.items[i].finding.rule == &unreadable_rule &&
            strcmp(findings->kept.items[i].finding.file, path) == 0)
            found = &findings->kept.items[i].finding;
    quipu__lock_give(findings->lock);
    return found;
}

void quipu__find_unreadable(struct quipu_findings *findings, const char *path,
                            const struct quipu_error *trouble) {
    if (find_unreadable(findings, path))
        return;
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = path;
    where.byte = trouble->byte;
    quipu__find(findings, &unreadable_rule, &where, "", "%s", trouble->message);
}

void quipu__findings_copy_unreadable(const struct quipu_findings *from, struct quipu_findings *into) {
    for (size_t i = 0; i < from->kept.count; i++) {
        const struct quipu_finding *finding = &from->kept.items[i].finding;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        if (finding->rule != &unreadable_rule)
            continue;
        quipu__fail(&trouble, QUIPU_IO, "%s", finding->found);
        quipu__at(&trouble, NULL, finding->byte);
        quipu__find_unreadable(into, finding->file, &trouble);
    }
}

uint64_t quipu__findings_unreadable(const struct quipu_findings *findings) {
    return quipu_findings_total_of(findings, &unreadable_rule);
}

/* ---- Sharing ---- */

bool quipu__findings_share(struct quipu_findings *findings, uint32_t thread_count) {
    findings->seats = quipu__alloc_zero(findings->memory, thread_count * sizeof *findings->seats);
    findings->seat_count = findings->seats ? thread_count : 0;
    return findings->seats != NULL;
}

void quipu__findings_begin(struct quipu_findings *findings, uint32_t source) {
    quipu__lock_take(findings->lock);
    struct seat *seat = seat_of_caller(findings);
    if (seat)
        *seat = (struct seat){quipu__thread_self(), source};
    quipu__lock_give(findings->lock);
}

void quipu__findings_settle(struct quipu_findings *findings) {
    if (findings->kept.count > 0)
        qsort(findings->kept.items, findings->kept.count, sizeof *findings->kept.items, compare_kept);
    findings->turn = 0;
    for (size_t i = 0; i < findings->kept.count; i++) {
        findings->kept.items[i].source = 0;
        findings->kept.items[i].turn = findings->turn++;
    }
    for (size_t i = 0; i < findings->rules.count; i++)
        findings->rules.items[i].last_source = 0;
    quipu__release(findings->memory, findings->seats, findings->seat_count * sizeof *findings->seats);
    findings->seats = NULL;
    findings->seat_count = 0;
}

/* ---- Looking at them ---- */

enum quipu_status quipu__findings_status(const struct quipu_findings *findings, struct quipu_error *err) {
    return quipu__memory_status(findings->memory, err);
}

size_t quipu_findings_count(const struct quipu_findings *findings) {
    return findings->kept.count;
}

const struct quipu_finding *quipu_findings_at(const struct quipu_findings *findings, size_t index) {
    return &findings->kept.items[index].finding;
}

uint64_t quipu_findings_total(const struct quipu_findings *findings, enum quipu_severity severity) {
    return findings->totals[severity];
}

size_t quipu_findings_rule_count(const struct quipu_findings *findings) {
    return findings->rules.count;
}

const struct quipu_rule *quipu_findings_rule_at(const struct quipu_findings *findings, size_t index) {
    return findings->rules.items[index].rule;
}

uint64_t quipu_findings_total_of(const struct quipu_findings *findings, const struct quipu_rule *rule) {
    for (size_t i = 0; i < findings->rules.count; i++)
        if (findings->rules.items[i].rule == rule)
            return findings->rules.items[i].count;
    return 0;
}
