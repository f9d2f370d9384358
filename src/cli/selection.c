/* selection.c: see selection.h. Names and numbers of the command line become numbers of definitions. */
#include "selection.h"

#include "report.h"
#include "times.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ---- */

/* Calls choose_name for each name of a comma-separated list, which it cuts apart. */
static enum exit_code each_name(char *list, enum exit_code (*choose_name)(void *context, const char *name),
                                void *context) {
    enum exit_code code = EXIT_FINE;
    for (char *name = list + strspn(list, ","), *end; *name && code == EXIT_FINE;
         name = end + strspn(end, ",")) {
        end = name + strcspn(name, ",");
        if (*end)
            *end++ = '\0';
        code = choose_name(context, name);
    }
    return code;
}

enum exit_code each_given_name(const struct arguments *arguments, unsigned id,
                               enum exit_code (*choose_name)(void *context, const char *name), void *context) {
    enum exit_code code = EXIT_FINE;
    for (size_t i = 0; i < arguments->given_count && code == EXIT_FINE; i++) {
        if (arguments->given[i].option->id != id)
            continue;
        if (strspn(arguments->given[i].value, ",") == strlen(arguments->given[i].value))
            return report_usage("--%s needs a name between its commas", arguments->given[i].option->long_name);
        char *list = strdup(arguments->given[i].value);
        if (!list)
            return report_no_memory();
        code = each_name(list, choose_name, context);
        free(list);
    }
    return code;
}

static const char *kind_name_at(const void *list, size_t index) {
    (void)list;
    return quipu_kind_at((enum quipu_kind)index)->name;
}

static enum exit_code report_no_kind(const char *name) {
    return report_unknown("kind or family of events", name,
                          nearest_name(name, kind_name_at, NULL, QUIPU_KIND_COUNT), "");
}

static enum exit_code take_kind(void *context, const char *name) {
    quipu_kinds *kinds = context, found = 0;
    for (int i = 0; i < QUIPU_KIND_COUNT; i++) {
        const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)i);
        if (strcmp(kind->name, name) == 0 || strcmp(kind->family, name) == 0)
            found |= QUIPU_KIND_BIT(i);
    }
    *kinds |= found;
    return found ? EXIT_FINE : report_no_kind(name);
}

/* A choice among definitions: a mark per number. */
struct choice {
    const struct quipu_definitions *definitions;
    bool *marks;
};

bool name_matches(const char *name, const char *pattern) {
    return strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0;
}

/* "7" or "0-3". */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last) {
    if (!take_digits(&text, INT64_MAX, first))
        return false;
    *last = *first;
    if (*text == '-') {
        text++;
        if (!take_digits(&text, INT64_MAX, last))
            return false;
    }
    return *text == '\0' && *first <= *last;
}

static bool is_in(int64_t number, uint64_t first, uint64_t last) {
    return number >= 0 && (uint64_t)number >= first && (uint64_t)number <= last;
}

enum { CANDIDATES_BYTES = 512 };

static enum exit_code report_missing(const char *what, const char *name, const struct quipu_nearest *nearest) {
    char near[CANDIDATES_BYTES];
    return report_usage("the trace has no %s \"%s\"%s", what, name,
                        quipu_nearest_text(nearest, near, sizeof near));
}

/* A rank, or a number, is none that is mistyped: what there is says more. */
static enum exit_code report_no_location(const struct quipu_locations *locations, const char *name) {
    struct quipu_nearest nearest = quipu_nearest_to(name);
    int64_t least = INT64_MAX, most = -1;
    const bool by_rank = strncmp(name, "rank:", 5) == 0;
    for (uint32_t i = 0; i < locations->count; i++) {
        const int64_t number = by_rank ? locations->items[i].rank : (int64_t)i;
        least = number >= 0 && number < least ? number : least;
        most = number > most ? number : most;
        quipu_nearest_add(&nearest, locations->items[i].name);
    }
    const bool is_number = by_rank || (*name && strspn(name, "0123456789-") == strlen(name));
    if (!is_number || most < 0)
        return report_missing("location", name, &nearest);
    return report_usage("the trace has no location \"%s\"; its %s are %" PRId64 " to %" PRId64, name,
                        by_rank ? "ranks" : "locations", least, most);
}

static enum exit_code take_location(void *context, const char *name) {
    const struct choice *choice = context;
    const struct quipu_locations *locations = &choice->definitions->locations;
    bool found = false;
    for (uint32_t i = 0; i < locations->count; i++)
        if (name_matches(locations->items[i].name, name))
            found = choice->marks[i] = true;
    uint64_t first, last;
    const bool by_rank = strncmp(name, "rank:", 5) == 0;
    if (!found && parse_range(by_rank ? name + 5 : name, &first, &last))
        for (uint32_t i = 0; i < locations->count; i++)
            if (is_in(by_rank ? locations->items[i].rank : (int64_t)i, first, last))
                found = choice->marks[i] = true;
    return found ? EXIT_FINE : report_no_location(locations, name);
}

static bool is_process(const struct quipu_location *location) {
    return location->kind == QUIPU_LOCATION_PROCESS || location->rank >= 0;
}

/* By name or by rank; where no process has a rank by number. */
static enum exit_code take_process(void *context, const char *name) {
    const struct choice *choice = context;
    const struct quipu_locations *locations = &choice->definitions->locations;
    bool found = false, has_ranks = false;
    uint64_t first, last;
    for (uint32_t i = 0; i < locations->count; i++) {
        has_ranks |= locations->items[i].rank >= 0;
        if (is_process(&locations->items[i]) && name_matches(locations->items[i].name, name))
            found = choice->marks[i] = true;
    }
    const bool is_range =
        !found && parse_range(strncmp(name, "rank:", 5) == 0 ? name + 5 : name, &first, &last);
    for (uint32_t i = 0; is_range && i < locations->count; i++)
        if (is_process(&locations->items[i]) &&
            is_in(has_ranks ? locations->items[i].rank : (int64_t)i, first, last))
            found = choice->marks[i] = true;
    return found ? EXIT_FINE : report_no_location(locations, name);
}

static enum exit_code take_region(void *context, const char *name) {
    const struct choice *choice = context;
    const struct quipu_regions *regions = &choice->definitions->regions;
    bool found = false;
    for (uint32_t i = 0; i < regions->count; i++)
        if (name_matches(regions->items[i].name, name))
            found = choice->marks[i] = true;
    if (found)
        return EXIT_FINE;
    struct quipu_nearest nearest = quipu_nearest_to(name);
    for (uint32_t i = 0; i < regions->count; i++)
        quipu_nearest_add(&nearest, regions->items[i].name);
    return report_missing("region", name, &nearest);
}

/* Turns a list option into ascending numbers of definitions. */
static enum exit_code choose(const struct arguments *arguments, unsigned id,
                             const struct quipu_definitions *definitions, uint32_t count,
                             enum exit_code (*choose_name)(void *context, const char *name), uint32_t **out,
                             uint32_t *out_count) {
    struct choice choice = {definitions, calloc((size_t)count + 1, sizeof *choice.marks)};
    *out = malloc(((size_t)count + 1) * sizeof **out);
    enum exit_code code =
        choice.marks && *out ? each_given_name(arguments, id, choose_name, &choice) : report_no_memory();
    for (uint32_t i = 0; code == EXIT_FINE && i < count; i++)
        if (choice.marks[i])
            (*out)[(*out_count)++] = i;
    free(choice.marks);
    return code;
}

enum exit_code locations_of(const struct arguments *arguments, const struct option *option,
                            const struct quipu_definitions *definitions, uint32_t **out, uint32_t *out_count) {
    *out_count = 0;
    const bool has_processes = option->own && strcmp(option->own->name, "processes") == 0;
    return choose(arguments, option->id, definitions, definitions->locations.count,
                  has_processes ? take_process : take_location, out, out_count);
}

bool selection_given(const struct arguments *arguments) {
    static const enum option_id selecting[] = {OPTION_since, OPTION_until,        OPTION_duration,
                                               OPTION_kind,  OPTION_location,     OPTION_region,
                                               OPTION_where, OPTION_no_attributes};
    for (size_t i = 0; i < sizeof selecting / sizeof *selecting; i++)
        if (option_given(arguments, selecting[i]))
            return true;
    return false;
}

static void remark_where(void *context, const char *text) {
    const struct job *job = context;
    report_remark(job->arguments, "--where: %s", text);
}

enum exit_code report_where(struct job *job, const char *expression) {
    job_set(job, quipu_where_remarks(expression, quipu_reader_definitions(job->reader), remark_where, job,
                                     &job->err));
    return job->code;
}

enum exit_code selected_init(struct selected *selected, struct job *job) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    const struct arguments *arguments = job->arguments;
    const struct quipu_definitions *definitions = quipu_reader_definitions(job->reader);
    *selected = (struct selected){.selection = everything};
    struct quipu_selection *selection = &selected->selection;
    enum exit_code code = take_window(job, &selection->from, &selection->to);
    if (code == EXIT_FINE && option_given(arguments, OPTION_kind)) {
        selection->kinds = 0;
        code = each_given_name(arguments, OPTION_kind, take_kind, &selection->kinds);
    }
    if (code == EXIT_FINE && option_given(arguments, OPTION_location))
        code = choose(arguments, OPTION_location, definitions, definitions->locations.count, take_location,
                      &selected->locations, &selection->location_count);
    if (code == EXIT_FINE && option_given(arguments, OPTION_region))
        code = choose(arguments, OPTION_region, definitions, definitions->regions.count, take_region,
                      &selected->regions, &selection->region_count);
    selection->locations = selected->locations;
    selection->regions = selected->regions;
    selection->where = option_text(arguments, OPTION_where);
    selection->without_attributes = option_given(arguments, OPTION_no_attributes);
    selected->any = selection_given(arguments);
    return code == EXIT_FINE && selection->where ? report_where(job, selection->where) : code;
}

void selected_release(struct selected *selected) {
    free(selected->locations);
    free(selected->regions);
}
