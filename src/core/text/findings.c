/* findings.c: the list of findings. Texts live in an arena; of each rule the first QUIPU_FINDINGS_LISTED are listed, so
 * a trace that is damaged everywhere does not fill the memory: memory is bounded by the number of rules, however many
 * findings there are.
 *
 * First means by source, then in the order of finding. Threads that share a pass take the sources in ascending order, so
 * a late finding displaces a listed one only while the source before it is still being read: that happens a few hundred
 * times at most. */
#include "core/text/findings.h"

#include "core/error.h"
#include "core/os.h"
#include "core/memory/pack.h"
#include "core/memory/vec.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <inttypes.h>
#include <string.h>

struct rule_count {
    const struct quipu_rule *rule;
    uint64_t count;
    uint32_t last_source; /* of those that are listed */
};

struct listed {
    struct quipu_finding finding;
    uint32_t source; /* 0 for everything that one thread found */
    uint64_t order;  /* grows with every finding */
};

/* A thread that shares a pass, and the source that it reads. */
struct thread_source {
    uint64_t thread;
    uint32_t source; /* 0: not in use yet */
};

struct quipu_findings {
    struct quipu__memory *memory;
    struct quipu__arena texts;
    struct quipu__lock *lock;
    QUIPU__VEC(struct listed) listed;
    QUIPU__VEC(struct rule_count) rules;
    uint64_t totals[QUIPU_ERROR_FINDING + 1];
    uint64_t order;
    struct thread_source *threads; /* while threads share a pass */
    uint32_t thread_count;
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
    QUIPU__VEC_RELEASE(memory, &findings->listed);
    QUIPU__VEC_RELEASE(memory, &findings->rules);
    quipu__release(memory, findings->threads, findings->thread_count * sizeof *findings->threads);
    quipu__arena_release(&findings->texts);
    quipu__lock_free(findings->lock);
    quipu__release(memory, findings, sizeof *findings);
}

void quipu__findings_clear(struct quipu_findings *findings) {
    findings->listed.count = findings->rules.count = 0;
    findings->order = 0;
    memset(findings->totals, 0, sizeof findings->totals);
    quipu__arena_clear(&findings->texts);
}

static struct rule_count *count_of(struct quipu_findings *findings, const struct quipu_rule *rule) {
    for (size_t i = 0; i < findings->rules.count; i++)
        if (findings->rules.items[i].rule == rule)
            return &findings->rules.items[i];
    return NULL;
}

/* Counts one more; NULL when memory is out. */
static struct rule_count *count_rule(struct quipu_findings *findings, const struct quipu_rule *rule) {
    struct rule_count *found = count_of(findings, rule);
    findings->totals[rule->severity]++;
    if (!found)
        found = QUIPU__VEC_ADD(findings->memory, &findings->rules);
    if (found) {
        found->rule = rule;
        found->count++;
    }
    return found;
}

static const char *copy_text(struct quipu_findings *findings, const char *text) {
    if (!text || !text[0])
        return "";
    const char *copy = quipu__arena_text(&findings->texts, text, strlen(text));
    return copy ? copy : "";
}

/* Successive findings are mostly about the same file: its name is copied once. */
static const char *copy_file(struct quipu_findings *findings, const char *file) {
    if (findings->listed.count > 1) {
        const char *last = findings->listed.items[findings->listed.count - 2].finding.file;
        if (last && file && strcmp(last, file) == 0)
            return last;
    }
    return copy_text(findings, file);
}

static int compare_listed(const void *left, const void *right) {
    const struct listed *a = left, *b = right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* The last of a rule's listed findings. */
static struct listed *last_of(struct quipu_findings *findings, const struct quipu_rule *rule) {
    struct listed *last = NULL;
    for (size_t i = 0; i < findings->listed.count; i++) {
        struct listed *listed = &findings->listed.items[i];
        if (listed->finding.rule == rule && (!last || compare_listed(listed, last) > 0))
            last = listed;
    }
    return last;
}

/* The entry of the calling thread, or the first unused one; NULL when there is none. */
static struct thread_source *entry_of_caller(struct quipu_findings *findings) {
    const uint64_t thread = quipu__thread_self();
    for (uint32_t i = 0; i < findings->thread_count; i++)
        if (findings->threads[i].source == 0 || findings->threads[i].thread == thread)
            return &findings->threads[i];
    return NULL;
}

static uint32_t source_of_caller(struct quipu_findings *findings) {
    const struct thread_source *entry = entry_of_caller(findings);
    return entry ? entry->source : 0;
}

/* Where a finding of that rule and source goes; NULL when it is only counted. */
static struct listed *where_for(struct quipu_findings *findings, struct rule_count *rule, uint32_t source) {
    struct listed *where = NULL;
    if (!rule)
        return NULL;
    const bool is_full = rule->count > QUIPU_FINDINGS_LISTED;
    if (!is_full)
        where = QUIPU__VEC_ADD(findings->memory, &findings->listed);
    else if (source < rule->last_source)
        where = last_of(findings, rule->rule);
    if (!where)
        return NULL;
    *where = (struct listed){.finding = {.rule = rule->rule}, .source = source, .order = findings->order++};
    if (is_full)
        rule->last_source = last_of(findings, rule->rule)->source;
    else if (source > rule->last_source)
        rule->last_source = source;
    return where;
}

static void fill(struct quipu_findings *findings, struct quipu_finding *listed,
                 const struct quipu__where *where, const char *expected, const char *found) {
    listed->file = copy_file(findings, where->file);
    listed->byte = where->byte;
    listed->line = where->line;
    listed->record = where->record;
    listed->type = copy_text(findings, where->type);
    listed->field = copy_text(findings, where->field);
    listed->found = copy_text(findings, strcmp(found, " ") == 0 ? "" : found);
    listed->expected = copy_text(findings, expected);
}

static void add(struct quipu_findings *findings, const struct quipu_rule *rule,
                const struct quipu__where *where, const char *expected, const char *found, va_list arguments) {
    struct listed *listed = where_for(findings, count_rule(findings, rule), source_of_caller(findings));
    if (listed) {
        char text[256];
        vsnprintf(text, sizeof text, found, arguments);
        fill(findings, &listed->finding, where, expected, text);
    }
}

/* Most findings of a trace that is damaged everywhere are only counted, so only those that are listed get their text. */
void quipu__find(struct quipu_findings *findings, const struct quipu_rule *rule,
                 const struct quipu__where *where, const char *expected, const char *found, ...) {
    va_list arguments;
    va_start(arguments, found);
    quipu__lock_take(findings->lock);
    add(findings, rule, where, expected, found, arguments);
    quipu__lock_give(findings->lock);
    va_end(arguments);
}

static const struct quipu_rule unreadable_rule = {
    "file.unreadable", QUIPU_DATA_LOSS, "unreadable file; the other files of the trace are read",
    "check the file's permissions and the disk, and where links lead", NULL};

static const struct quipu_rule compression_rule = {
    "file.compression", QUIPU_ERROR_FINDING, "the compressed data is damaged or breaks off",
    "get the file again; what stands in front of the damage is delivered", NULL};

static const struct quipu_rule shrunk_rule = {"file.shrunk", QUIPU_DATA_LOSS,
                                              "the file has become shorter while the trace was read",
                                              "read the trace when nothing changes it any more", NULL};

/* What a rule about files has found about this file; NULL: nothing so far. */
static struct listed *find_listed(struct quipu_findings *findings, const struct quipu_rule *rule,
                                  const char *path) {
    for (size_t i = 0; i < findings->listed.count; i++) {
        struct listed *listed = &findings->listed.items[i];
        if (listed->finding.rule == rule && strcmp(listed->finding.file, path) == 0)
            return listed;
    }
    return NULL;
}

/* For a file that several sources read, by several threads at the same time: it belongs to the first of them, as with one thread. */
static void find_once(struct quipu_findings *findings, const struct quipu_rule *rule,
                      const struct quipu__where *where, const char *expected, const char *found, ...) {
    va_list arguments;
    va_start(arguments, found);
    quipu__lock_take(findings->lock);
    struct listed *listed = find_listed(findings, rule, where->file);
    const uint32_t source = source_of_caller(findings);
    if (!listed)
        add(findings, rule, where, expected, found, arguments);
    else if (source < listed->source) {
        listed->source = source;
        listed->order = findings->order++;
        count_of(findings, rule)->last_source = last_of(findings, rule)->source;
    }
    quipu__lock_give(findings->lock);
    va_end(arguments);
}

void quipu__find_unreadable(struct quipu_findings *findings, const char *path,
                            const struct quipu_error *trouble) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = path;
    where.byte = trouble->byte;
    find_once(findings, &unreadable_rule, &where, "", "%s%s%s", trouble->message,
              trouble->advice[0] ? "; " : "", trouble->advice);
}

void quipu__find_broken_compression(struct quipu_findings *findings, const char *path, uint64_t bytes) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.file = path;
    find_once(findings, &compression_rule, &where, "", "%" PRIu64 " bytes were readable", bytes);
}

void quipu__find_shrunk(struct quipu_findings *findings, const char *path, uint64_t bytes, uint64_t before) {
    struct quipu__where where = QUIPU__WHERE_INIT;
    char expected[24];
    snprintf(expected, sizeof expected, "%" PRIu64, before);
    where.file = path;
    find_once(findings, &shrunk_rule, &where, expected, "%" PRIu64 " bytes", bytes);
}

void quipu__findings_copy_unreadable(const struct quipu_findings *from, struct quipu_findings *into) {
    for (size_t i = 0; i < from->listed.count; i++) {
        const struct quipu_finding *finding = &from->listed.items[i].finding;
        struct quipu_error trouble = QUIPU_ERROR_INIT;
        if (finding->rule == &shrunk_rule) {
            const struct quipu__where where = {.file = finding->file,
                                               .byte = finding->byte,
                                               .line = finding->line,
                                               .record = finding->record,
                                               .type = "",
                                               .field = ""};
            find_once(into, &shrunk_rule, &where, finding->expected, "%s", finding->found);
        }
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
    assert(!findings->threads); /* not shared already */
    findings->threads = quipu__alloc_zero(findings->memory, thread_count * sizeof *findings->threads);
    findings->thread_count = findings->threads ? thread_count : 0;
    return findings->threads != NULL;
}

void quipu__findings_begin(struct quipu_findings *findings, uint32_t source) {
    quipu__lock_take(findings->lock);
    struct thread_source *entry = entry_of_caller(findings);
    if (entry)
        *entry = (struct thread_source){quipu__thread_self(), source};
    quipu__lock_give(findings->lock);
}

void quipu__findings_end_sharing(struct quipu_findings *findings) {
    if (findings->listed.count > 0)
        qsort(findings->listed.items, findings->listed.count, sizeof *findings->listed.items, compare_listed);
    findings->order = 0;
    for (size_t i = 0; i < findings->listed.count; i++) {
        findings->listed.items[i].source = 0;
        findings->listed.items[i].order = findings->order++;
    }
    for (size_t i = 0; i < findings->rules.count; i++)
        findings->rules.items[i].last_source = 0;
    quipu__release(findings->memory, findings->threads, findings->thread_count * sizeof *findings->threads);
    findings->threads = NULL;
    findings->thread_count = 0;
}

void quipu__findings_mark(struct quipu_findings *findings, size_t index, bool is_consequence) {
    assert(index < findings->listed.count);
    findings->listed.items[index].finding.is_consequence = is_consequence;
}

/* ---- As bytes ----
 *
 *     number of rules, { identifier, severity, findings }, number of listed findings, { rule, byte, line, record, texts }
 *
 * Rules are in the order of their first findings. Texts end in a NUL, which their length counts.
 */

enum { TEXTS = 5 };

static void save_text(struct quipu__buffer *out, const char *text) {
    quipu__pack_bytes(out, text, strlen(text) + 1);
}

static void save_listed(const struct quipu_findings *findings, const struct quipu_finding *finding,
                        struct quipu__buffer *out) {
    const char *const texts[TEXTS] = {finding->file, finding->type, finding->field, finding->found,
                                      finding->expected};
    size_t rule = 0;
    while (findings->rules.items[rule].rule != finding->rule)
        rule++;
    quipu__pack_u64(out, rule);
    quipu__pack_u64(out, finding->byte);
    quipu__pack_u64(out, finding->line);
    quipu__pack_u64(out, finding->record);
    for (size_t i = 0; i < TEXTS; i++)
        save_text(out, texts[i]);
}

void quipu__findings_save(const struct quipu_findings *findings, struct quipu__buffer *out) {
    quipu__pack_u64(out, findings->rules.count);
    for (size_t i = 0; i < findings->rules.count; i++) {
        const struct rule_count *counted = &findings->rules.items[i];
        save_text(out, counted->rule->id);
        quipu__pack_u64(out, counted->rule->severity);
        quipu__pack_u64(out, counted->count);
    }
    quipu__pack_u64(out, findings->listed.count);
    for (size_t i = 0; i < findings->listed.count; i++)
        save_listed(findings, &findings->listed.items[i].finding, out);
}

static const char *load_text(struct quipu__slice *from) {
    const struct quipu__slice text = quipu__unpack_bytes(from);
    from->failed |= from->failed || quipu__slice_left(&text) == 0 || text.end[-1] != '\0';
    return from->failed ? "" : (const char *)text.at;
}

/* One of the rules above whose findings are about a file, once; NULL: another one. */
static const struct quipu_rule *rule_about_file(const char *id) {
    static const struct quipu_rule *const rules[] = {&unreadable_rule, &compression_rule, &shrunk_rule};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i]->id, id) == 0)
            return rules[i];
    return NULL;
}

static const struct quipu_rule *find_rule(const struct quipu__known_rules *known, const char *id,
                                          enum quipu_severity severity) {
    for (; known; known = known->more)
        for (size_t i = 0; i < known->count; i++)
            if (known->items[i].severity == severity && strcmp(known->items[i].id, id) == 0)
                return &known->items[i];
    return NULL;
}

/* What is left to count of each rule. */
struct loaded_rules {
    struct rule_count *items;
    size_t count;
};

static void load_rules(struct loaded_rules *rules, struct quipu__slice *from,
                       const struct quipu__known_rules *known) {
    for (size_t i = 0; i < rules->count && !from->failed; i++) {
        const char *id = load_text(from);
        const enum quipu_severity severity =
            (enum quipu_severity)quipu__unpack_up_to(from, QUIPU_ERROR_FINDING);
        rules->items[i].count = quipu__unpack_u64(from);
        const struct quipu_rule *own = rule_about_file(id);
        rules->items[i].rule = own || from->failed ? own : find_rule(known, id, severity);
        from->failed |= !rules->items[i].rule;
    }
}

static void load_listed(struct quipu_findings *findings, struct loaded_rules *rules,
                        struct quipu__slice *from) {
    const uint64_t number = quipu__unpack_u64(from);
    struct quipu__where where = QUIPU__WHERE_INIT;
    where.byte = quipu__unpack_u64(from);
    where.line = quipu__unpack_u64(from);
    where.record = quipu__unpack_u64(from);
    where.file = load_text(from);
    where.type = load_text(from);
    where.field = load_text(from);
    const char *found = load_text(from), *expected = load_text(from);
    from->failed |= number >= rules->count || rules->items[number].count == 0;
    if (from->failed)
        return;
    struct rule_count *rule = &rules->items[number];
    rule->count--;
    if (rule_about_file(rule->rule->id) != rule->rule || !find_listed(findings, rule->rule, where.file))
        quipu__find(findings, rule->rule, &where, expected, "%s", found[0] ? found : " ");
}

/* Counts findings that are not listed. */
static void count_more(struct quipu_findings *findings, const struct rule_count *more) {
    struct rule_count *counted = more->count > 0 ? count_rule(findings, more->rule) : NULL;
    if (!counted)
        return;
    counted->count += more->count - 1;
    findings->totals[more->rule->severity] += more->count - 1;
}

enum quipu_status quipu__findings_load(struct quipu_findings *findings, struct quipu__slice *from,
                                       const struct quipu__known_rules *known, struct quipu_error *err) {
    struct loaded_rules rules = {.count = (size_t)quipu__unpack_up_to(from, quipu__slice_left(from))};
    const size_t bytes = (rules.count + 1) * sizeof *rules.items;
    rules.items = quipu__alloc_zero(findings->memory, bytes);
    if (!rules.items)
        return quipu__no_memory(err, bytes);
    load_rules(&rules, from, known);
    const uint64_t listed = quipu__unpack_up_to(from, quipu__slice_left(from));
    for (uint64_t i = 0; i < listed && !from->failed; i++)
        load_listed(findings, &rules, from);
    for (size_t i = 0; i < rules.count && !from->failed; i++)
        count_more(findings, &rules.items[i]);
    quipu__release(findings->memory, rules.items, bytes);
    return from->failed ? quipu__fail(err, QUIPU_CORRUPT, "the list of findings cannot be right") : QUIPU_OK;
}

/* ---- Looking at them ---- */

enum quipu_status quipu__findings_status(const struct quipu_findings *findings, struct quipu_error *err) {
    return quipu__memory_status(findings->memory, err);
}

size_t quipu_findings_count(const struct quipu_findings *findings) {
    return findings->listed.count;
}

const struct quipu_finding *quipu_findings_at(const struct quipu_findings *findings, size_t index) {
    assert(index < findings->listed.count);
    return &findings->listed.items[index].finding;
}

uint64_t quipu_findings_total(const struct quipu_findings *findings, enum quipu_severity severity) {
    return findings->totals[severity];
}

size_t quipu_findings_rule_count(const struct quipu_findings *findings) {
    return findings->rules.count;
}

const struct quipu_rule *quipu_findings_rule_at(const struct quipu_findings *findings, size_t index) {
    assert(index < findings->rules.count);
    return findings->rules.items[index].rule;
}

uint64_t quipu_findings_total_of(const struct quipu_findings *findings, const struct quipu_rule *rule) {
    for (size_t i = 0; i < findings->rules.count; i++)
        if (findings->rules.items[i].rule == rule)
            return findings->rules.items[i].count;
    return 0;
}
