/* settings.c: see settings.h. */
#include "analysis/shared/settings.h"

#include "analysis/shared/unknown_names.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"
#include "model/where.h"

#include <string.h>

uint64_t quipu__number_setting(const struct quipu__fold_start *start, const char *name) {
    const char *value = quipu__settings_value(&start->settings, name);
    uint64_t number = 0;
    if (value)
        quipu__parse_u64(value, strlen(value), &number);
    return number;
}

/* ---- Bins ---- */

enum { BINS_MOST = 1 << 20 };

enum quipu_status quipu__bins_setting(const struct quipu__fold_start *start, uint32_t *out,
                                      struct quipu_error *err) {
    const uint64_t bins = quipu__number_setting(start, "bins");
    if (bins == 0 || bins > BINS_MOST)
        return quipu__fail(err, QUIPU_MISUSE, "there are 1 to %d bins", BINS_MOST);
    *out = (uint32_t)bins;
    return QUIPU_OK;
}

int64_t quipu__bin_start(int64_t from, uint64_t length, uint32_t bins, uint64_t bin) {
    uint64_t rest;
    return (int64_t)((uint64_t)from + quipu__scale_down(length, bin, bins, &rest));
}

/* ==== What is reported ==== */

/* NULL, too, when the analysis has no such option. */
static const char *value_of(const struct quipu__settings *settings, const char *name) {
    for (size_t i = 0; i < settings->option_count; i++)
        if (strcmp(settings->options[i].name, name) == 0)
            return quipu__settings_value(settings, name);
    return NULL;
}

/* ---- Times ---- */

static int64_t time_of(const struct quipu__fold_start *start, const char *value, int64_t otherwise) {
    if (!value || strcmp(value, "end") == 0)
        return otherwise;
    return quipu_clock_ns(&start->definitions->clock, quipu__setting_time(value));
}

static bool is_region(const struct quipu_definitions *definitions, uint32_t region, const char *name) {
    return region < definitions->regions.count && strcmp(definitions->regions.items[region].name, name) == 0;
}

/* From the first enter to the last leave. */
static void widen(const struct quipu__fold_start *start, const struct quipu_batch *batch, const char *name,
                  struct quipu__reported *out) {
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!is_region(start->definitions, batch->object[i], name))
            continue;
        const int64_t time = quipu_clock_ns(&start->definitions->clock, batch->time[i]);
        if (batch->kind[i] == QUIPU_KIND_enter)
            out->since = time < out->since ? time : out->since;
        else
            out->until = time > out->until ? time : out->until;
    }
}

/* A call that nothing leaves lasts until the end. */
static enum quipu_status find_region(struct quipu_reader *reader, const struct quipu__fold_start *start,
                                     const char *name, struct quipu__reported *out, struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    uint32_t region = 0;
    while (region < start->definitions->regions.count && !is_region(start->definitions, region, name))
        region++;
    if (region == start->definitions->regions.count)
        return quipu__no_region(start->definitions, name, err);
    selection.kinds = QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave);
    selection.without_attributes = true;
    out->since = INT64_MAX;
    out->until = INT64_MIN;
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK)
        widen(start, batch, name, out);
    if (status == QUIPU_END && out->since == INT64_MAX)
        return quipu__fail(err, QUIPU_MISUSE, "--roi: nothing enters \"%s\"", name);
    out->until = out->until > out->since ? out->until : INT64_MAX;
    return status == QUIPU_END ? QUIPU_OK : status;
}

/* Gives a window no end, INT64_MAX, where the last events are at its end. */
static enum quipu_status open_end(struct quipu_reader *reader, int64_t ticks, int64_t *end,
                                  struct quipu_error *err) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    bool has_events = false, goes_on = false;
    if (*end == INT64_MAX)
        return QUIPU_OK;
    selection.from = ticks;
    selection.without_attributes = true;
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    while (status == QUIPU_OK && !goes_on &&
           (status = quipu_reader_next_batch(reader, &batch, err)) == QUIPU_OK) {
        has_events = true;
        for (uint32_t i = 0; i < batch->count; i++)
            goes_on |= batch->time[i] > ticks;
    }
    if (has_events && !goes_on)
        *end = INT64_MAX;
    return status == QUIPU_END ? QUIPU_OK : status;
}

static enum quipu_status find_times(struct quipu_reader *reader, const struct quipu__fold_start *start,
                                    struct quipu__reported *out, struct quipu_error *err) {
    const char *since = value_of(&start->settings, "since"), *until = value_of(&start->settings, "until");
    const char *roi = value_of(&start->settings, "roi");
    if (roi && (since || until))
        return quipu__fail(err, QUIPU_MISUSE, "--roi and --since or --until exclude each other");
    out->has_times = roi || since || until;
    out->since = time_of(start, since, INT64_MIN);
    out->until = time_of(start, until, INT64_MAX);
    if (out->since >= out->until)
        return quipu__fail(err, QUIPU_MISUSE, "--since is not before --until");
    if (roi && strcmp(roi, "all") != 0)
        return find_region(reader, start, roi, out, err);
    return until ? open_end(reader, quipu__setting_time(until), &out->until, err) : QUIPU_OK;
}

/* ---- Locations ---- */

/* Whether a mark stands at a location or at one that it is part of. */
static bool is_part(const struct quipu_locations *locations, const bool *marks, uint32_t location) {
    for (uint32_t depth = 0; location < locations->count && depth < locations->count; depth++) {
        if (marks[location])
            return true;
        location = locations->items[location].parent;
    }
    return false;
}

/* Unmarks all that a list does not have. */
static void narrow_to_list(const struct quipu_definitions *definitions, const char *list, bool has_members,
                           bool *marks, bool *listed) {
    const uint32_t count = definitions->locations.count;
    memset(listed, false, count);
    quipu__setting_mark_locations(list, listed, count);
    for (uint32_t i = 0; i < count; i++)
        marks[i] &= has_members ? is_part(&definitions->locations, listed, i) : listed[i];
}

/* What happens somewhere cannot be asked for: only places are chosen. */
static enum quipu_status narrow_to_where(const struct quipu__fold_start *start, const char *text, bool *marks,
                                         struct quipu__memory *memory, struct quipu_error *err) {
    struct quipu__where_clause *where;
    enum quipu_status status = quipu__where_new(memory, text, start->definitions, &where, err);
    for (size_t i = 0; status == QUIPU_OK && i < where->tests.count; i++)
        if (where->tests.items[i].subject != QUIPU__WHERE_LOCATION)
            status = quipu__where_refuse(
                text, where->tests.items[i].offset,
                "locations are chosen here, by location, rank, process, host, pid and tid only", err);
    for (uint32_t i = 0; status == QUIPU_OK && i < start->definitions->locations.count; i++) {
        const struct quipu__where_event subject = {.kind = QUIPU_KIND_COUNT, .location = i};
        marks[i] &= quipu__where_truth(where, &subject) == QUIPU__TRUE;
    }
    quipu__where_free(where);
    return status;
}

static bool has_meters(const struct quipu_definitions *definitions) {
    bool has_one = false;
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        has_one |= quipu__is_meter(definitions, i);
    return has_one;
}

static enum quipu_status find_locations(const struct quipu__fold *fold, const struct quipu__fold_start *start,
                                        struct quipu__memory *memory, struct quipu__reported *out,
                                        struct quipu_error *err) {
    const char *location = value_of(&start->settings, "location"),
               *processes = value_of(&start->settings, "processes"),
               *where = fold->narrows_events ? NULL : value_of(&start->settings, "where");
    const uint32_t count = start->definitions->locations.count;
    const bool is_asked = location || processes || where;
    if ((!is_asked && !has_meters(start->definitions)) || count == 0)
        return QUIPU_OK;
    out->marks = quipu__alloc(memory, count);
    bool *listed = quipu__alloc(memory, count);
    out->location_count = count;
    if (out->marks && listed) {
        for (uint32_t i = 0; i < count; i++)
            out->marks[i] = is_asked || !quipu__is_meter(start->definitions, i);
        if (location)
            narrow_to_list(start->definitions, location, false, out->marks, listed);
        if (processes)
            narrow_to_list(start->definitions, processes, true, out->marks, listed);
    }
    quipu__release(memory, listed, count);
    if (!out->marks || !listed)
        return quipu__no_memory(err, count);
    return where ? narrow_to_where(start, where, out->marks, memory, err) : QUIPU_OK;
}

/* ---- Both ---- */

enum quipu_status quipu__reported_find(struct quipu_reader *reader, const struct quipu__fold *fold,
                                       const struct quipu__fold_start *start, struct quipu__memory *memory,
                                       struct quipu_selection *selection, struct quipu__reported *out,
                                       struct quipu_error *err) {
    *out = (struct quipu__reported){.since = INT64_MIN, .until = INT64_MAX};
    enum quipu_status status = open_end(reader, selection->to, &selection->to, err);
    if (status != QUIPU_OK || !fold->is_selective)
        return status;
    status = find_locations(fold, start, memory, out, err);
    return status == QUIPU_OK ? find_times(reader, start, out, err) : status;
}

/* ---- Ends of messages and operations ---- */

enum quipu_status quipu__where_of_ends(struct quipu__memory *memory, const char *text,
                                       const struct quipu_definitions *definitions, quipu_kinds kinds,
                                       const char *too_early, const char *never,
                                       struct quipu__where_clause **out, struct quipu_error *err) {
    *out = NULL;
    if (!text)
        return QUIPU_OK;
    const enum quipu_status status = quipu__where_new(memory, text, definitions, out, err);
    if (status != QUIPU_OK)
        return status;
    for (size_t i = 0; i < (*out)->tests.count; i++)
        if ((*out)->tests.items[i].subject == QUIPU__WHERE_DURATION)
            return quipu__where_refuse(text, (*out)->tests.items[i].offset, too_early, err);
    return (quipu__where_kinds(*out) & kinds) != 0 ? QUIPU_OK : quipu__where_refuse(text, 0, never, err);
}

bool quipu__end_is_chosen(const struct quipu__where_clause *where,
                          const struct quipu__communication *communication, const struct quipu_batch *batch,
                          uint32_t event) {
    if (!where)
        return true;
    const uint32_t location = batch->location[event];
    const struct quipu__call_stack *stack = &communication->stacks.items[location];
    const struct quipu__where_event subject = {.batch = batch,
                                               .event = event,
                                               .kind = batch->kind[event],
                                               .location = location,
                                               .is_in_call = stack->depth > 0,
                                               .region = stack->calls[stack->depth].region};
    return quipu__where_truth(where, &subject) == QUIPU__TRUE;
}
