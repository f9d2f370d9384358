/* options.c: what can be asked of a profile. */
#include "analysis/profile/profile.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

const struct quipu_option quipu__profile_options[QUIPU__PROFILE_OPTIONS] = {
    {.name = "by",
     .kind = QUIPU_OPTION_CHOICE,
     .argument = QUIPU__PROFILE_BY,
     .doc =
         "a row per region at each location (default), process or host, or at all; per group of regions; per "
         "location, with its time in MPI; per path of calls; per region in each phase between annotations; of "
         "the "
         "time outside of any call, per pair of calls around it; per place in the source code that calls it"},
    {.name = "tree",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc =
         "the paths of calls as a tree, calls below those that make them; --sort orders calls of one caller"},
    {.name = "within",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "only calls of regions of this name, in which * and ? stand for anything, and what they call"},
    {.name = "begin",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "only from annotations (markers, regions that users mark) of this name on, up to those of --end, "
            "at each location"},
    {.name = "end",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "REGION",
     .doc = "names the annotations that end what --begin begins"},
    {.name = "top",
     .kind = QUIPU_OPTION_NUMBER,
     .argument = "N",
     .doc = "only the N first rows; of a tree the N first of all paths, and those that lead to them"},
    {.name = "points",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "[NAME=]N,N...",
     .doc =
         "what several traces differ in, a number for each, such as size=100,200,400; default p, the number of "
         "locations",
     .relates = true},
    {.name = "extra-p",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "print the profiles of several traces as input of Extra-P, which looks for the laws by which they "
            "grow",
     .relates = true},
};

/* The place of a word in QUIPU__PROFILE_BY. */
static enum quipu__profile_by by_of(const char *word) {
    unsigned by = 0;
    for (const char *words = QUIPU__PROFILE_BY; word && *words; by++) {
        const size_t len = strcspn(words, "|");
        if (len == strlen(word) && memcmp(words, word, len) == 0)
            return (enum quipu__profile_by)by;
        words += len + (words[len] == '|');
    }
    return QUIPU__PROFILE_BY_location;
}

/* Whether the calls around a call matter. */
static bool needs_scope(const struct quipu__settings *settings) {
    const enum quipu__profile_by by = by_of(quipu__settings_value(settings, "by"));
    return by == QUIPU__PROFILE_BY_path || by == QUIPU__PROFILE_BY_phase || by == QUIPU__PROFILE_BY_between ||
           by == QUIPU__PROFILE_BY_callsite || quipu__settings_say_yes(settings, "tree") ||
           quipu__settings_value(settings, "within") || quipu__settings_value(settings, "begin");
}

static enum quipu_status check(const struct quipu__settings *settings, struct quipu_error *err) {
    const char *by = quipu__settings_value(settings, "by");
    if (quipu__settings_say_yes(settings, "tree") && by && strcmp(by, "path") != 0)
        return quipu__fail(err, QUIPU_MISUSE, "a tree is of paths: --tree does not go with --by %s", by);
    if (quipu__settings_value(settings, "end") && !quipu__settings_value(settings, "begin"))
        return quipu__fail(err, QUIPU_MISUSE, "--end needs --begin, which names what it ends");
    if (by_of(by) == QUIPU__PROFILE_BY_between &&
        (quipu__settings_value(settings, "within") || quipu__settings_value(settings, "begin")))
        return quipu__fail(err, QUIPU_MISUSE,
                           "--by between is of what is outside of calls: --within and --begin name calls");
    return QUIPU_OK;
}

enum quipu_status quipu__profile_read_options(struct quipu__profile *profile,
                                              const struct quipu__fold_start *start, struct quipu_error *err) {
    const struct quipu__settings *settings = &start->settings;
    const char *top = quipu__settings_value(settings, "top");
    const enum quipu_status status = check(settings, err);
    if (status != QUIPU_OK)
        return status;
    profile->is_tree = quipu__settings_say_yes(settings, "tree");
    profile->by = profile->is_tree ? QUIPU__PROFILE_BY_path : by_of(quipu__settings_value(settings, "by"));
    profile->top = top ? strtoull(top, NULL, 10) : UINT64_MAX;
    profile->sort = start->sort;
    return needs_scope(settings) ? quipu__profile_scope_new(profile, settings, err) : QUIPU_OK;
}

/* Markers may be annotations; call sites are attributes. */
void quipu__profile_select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                           struct quipu_selection *selection) {
    (void)definitions;
    if (needs_scope(settings))
        selection->kinds |= QUIPU_KIND_BIT(QUIPU_KIND_marker);
    selection->without_attributes = by_of(quipu__settings_value(settings, "by")) != QUIPU__PROFILE_BY_callsite;
}

/* Checkpoints have no paths. */
bool quipu__profile_can_resume(const struct quipu__settings *settings) {
    return !needs_scope(settings);
}
