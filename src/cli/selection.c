/* selection.c: see selection.h. Names and numbers of the command line become numbers of definitions. */
#include "selection.h"

#include "report.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- Times ---- */

#define NS_PER_SECOND 1000000000

/* Digits at *at as a number, which stays below a limit. */
static bool take_digits(const char **at, uint64_t limit, uint64_t *out) {
    const char *start = *at;
    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++) {
        if (*out > limit / 10)
            return false;
        *out = *out * 10 + (uint64_t)(**at - '0');
    }
    return *at > start && *out <= limit;
}

/* Digits after the point as a count of a unit that has ns nanoseconds; what is below a nanosecond is cut off. */
static uint64_t take_fraction(const char **at, uint64_t ns) {
    uint64_t fraction = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        ns /= 10;
        fraction += (uint64_t)(**at - '0') * ns;
    }
    return fraction;
}

static uint64_t ns_of_unit(const char *unit) {
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", NS_PER_SECOND}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].ns;
    return 0;
}

bool parse_time(const char *text, const struct quipu_clock *clock, int64_t *out) {
    const bool negative = *text == '-';
    const char *at = text + negative;
    uint64_t number, fraction = 0;
    if (*at < '0' || *at > '9' || !take_digits(&at, INT64_MAX, &number))
        return false;
    const char *unit = at + strspn(at, ".0123456789");
    if (*unit) {
        const uint64_t ns = ns_of_unit(unit);
        if (ns == 0 || number > INT64_MAX / ns)
            return false;
        if (*at == '.') {
            at++;
            fraction = take_fraction(&at, ns);
        }
        number = (uint64_t)quipu_clock_ticks(clock, (int64_t)(number * ns + fraction));
    }
    if (at != unit)
        return false;
    *out = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static enum exit_code take_time(const struct arguments *arguments, enum option_id id,
                                const struct quipu_clock *clock, int64_t *out) {
    const char *text = option_text(arguments, id);
    if (!text || parse_time(text, clock, out))
        return EXIT_FINE;
    return report_usage("--%s needs a time such as 1200 (ticks) or 1.5ms, not \"%s\"",
                        command_option(arguments->command, id)->long_name, text);
}

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

/* Calls choose_name for each comma-separated name of each time an option is given. */
static enum exit_code each_given_name(const struct arguments *arguments, unsigned id,
                                      enum exit_code (*choose_name)(void *context, const char *name),
                                      void *context) {
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

/* A name matches itself and patterns with * and ?. */
static bool matches(const char *name, const char *pattern) {
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

static enum exit_code take_location(void *context, const char *name) {
    const struct choice *choice = context;
    const struct quipu_locations *locations = &choice->definitions->locations;
    bool found = false;
    for (uint32_t i = 0; i < locations->count; i++)
        if (matches(locations->items[i].name, name))
            found = choice->marks[i] = true;
    uint64_t first, last;
    const bool by_rank = strncmp(name, "rank:", 5) == 0;
    if (!found && parse_range(by_rank ? name + 5 : name, &first, &last))
        for (uint32_t i = 0; i < locations->count; i++)
            if (is_in(by_rank ? locations->items[i].rank : (int64_t)i, first, last))
                found = choice->marks[i] = true;
    return found ? EXIT_FINE : report_usage("the trace has no location \"%s\"", name);
}

static enum exit_code take_region(void *context, const char *name) {
    const struct choice *choice = context;
    const struct quipu_regions *regions = &choice->definitions->regions;
    bool found = false;
    for (uint32_t i = 0; i < regions->count; i++)
        if (matches(regions->items[i].name, name))
            found = choice->marks[i] = true;
    return found ? EXIT_FINE : report_usage("the trace has no region \"%s\"", name);
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
    return choose(arguments, option->id, definitions, definitions->locations.count, take_location, out,
                  out_count);
}

bool selection_given(const struct arguments *arguments) {
    return option_given(arguments, OPTION_since) || option_given(arguments, OPTION_until) ||
           option_given(arguments, OPTION_kind) || option_given(arguments, OPTION_location) ||
           option_given(arguments, OPTION_region) || option_given(arguments, OPTION_no_attributes);
}

enum exit_code selected_init(struct selected *selected, const struct arguments *arguments,
                             const struct quipu_definitions *definitions) {
    static const struct quipu_selection everything = QUIPU_SELECTION_INIT;
    *selected = (struct selected){.selection = everything};
    struct quipu_selection *selection = &selected->selection;
    enum exit_code code = take_time(arguments, OPTION_since, &definitions->clock, &selection->from);
    if (code == EXIT_FINE)
        code = take_time(arguments, OPTION_until, &definitions->clock, &selection->to);
    if (code == EXIT_FINE && option_given(arguments, OPTION_since) && option_given(arguments, OPTION_until) &&
        selection->from >= selection->to)
        code = report_usage("--since %s is not before --until %s", option_text(arguments, OPTION_since),
                            option_text(arguments, OPTION_until));
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
    selection->without_attributes = option_given(arguments, OPTION_no_attributes);
    selected->any = selection_given(arguments);
    return code;
}

void selected_release(struct selected *selected) {
    free(selected->locations);
    free(selected->regions);
}
