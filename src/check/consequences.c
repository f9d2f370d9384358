/* consequences.c: see consequences.h.
 *
 * Some rules compare a record with what was there before it or elsewhere: a leave with its enter, a send with its receive, a
 * number with its definition. They are broken by what is lost as well as by the program. Where something is lost, their
 * findings are marked, since the two look the same until the damage is repaired; without it, the first of them in
 * a file is a problem of its own, and what follows in that file is not. The marks change neither counts nor verdict. */
#include "check/consequences.h"

#include "core/text.h"

#include <string.h>

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

void quipu__mark_consequences(struct quipu_findings *findings, const char *dependent_rules,
                              const char *replaced_rules) {
    const struct consequences all = {findings, dependent_rules, replaced_rules};
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        if (is_dependent(&all, finding) || has_rule(replaced_rules, finding))
            quipu__findings_mark(findings, i, has_cause(&all, finding));
    }
}
