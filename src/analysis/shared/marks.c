/* marks.c: see marks.h. A wait is a slice at the location that waits; a flow from a slice of no length where the other one
 * comes reaches its end. The critical path is a slice for each of its segments, with a flow from each to the next. */
#include "analysis/shared/marks.h"

#include "analysis/shared/cells.h"
#include "core/error.h"

#include <string.h>

enum drawn { DRAWN_WAITS, DRAWN_AWAITED, DRAWN_PATH, DRAWN_KINDS };

static const char *const drawn_names[DRAWN_KINDS] = {"waits", "awaited", "critical path"};

/* ---- Tracks ---- */

static uint32_t add_track(struct quipu__mark_search *search, uint64_t key, enum drawn drawn,
                          uint32_t location) {
    struct quipu__mark_track *track = QUIPU__VEC_ADD(search->memory, &search->marks.tracks);
    const uint32_t number = (uint32_t)(search->marks.tracks.count - 1);
    if (!track)
        return QUIPU_NONE;
    *track = (struct quipu__mark_track){drawn_names[drawn], location, quipu__map_get(&search->track_of, key),
                                        INT64_MIN};
    return quipu__map_put(&search->track_of, key, number) ? number : QUIPU_NONE;
}

/* A track where nothing is drawn from a time on. */
static uint32_t take_track(struct quipu__mark_search *search, enum drawn drawn, uint32_t location, int64_t from,
                           int64_t to) {
    const uint64_t key = (uint64_t)location << 8 | (uint64_t)drawn;
    uint32_t number = quipu__map_get(&search->track_of, key);
    while (number != QUIPU_NONE && search->marks.tracks.items[number].reached > from)
        number = search->marks.tracks.items[number].next;
    if (number == QUIPU_NONE)
        number = add_track(search, key, drawn, location);
    if (number != QUIPU_NONE)
        search->marks.tracks.items[number].reached = to;
    return number;
}

/* ---- Slices ---- */

static bool is_selected(const struct quipu_selection *selection, uint32_t location) {
    bool is_listed = !selection || !selection->locations;
    for (uint32_t i = 0; !is_listed && i < selection->location_count; i++)
        is_listed = selection->locations[i] == location;
    return is_listed;
}

/* Cuts a slice to what is selected; false when nothing is left. */
static bool cut(const struct quipu__mark_search *search, uint32_t location, int64_t *from, int64_t *to) {
    const struct quipu_selection *selection = search->selection;
    const struct quipu_clock *clock = &search->located.definitions->clock;
    const bool was_empty = *from == *to;
    if (!selection)
        return true;
    if (selection->from != INT64_MIN && quipu_clock_ns(clock, selection->from) > *from)
        *from = quipu_clock_ns(clock, selection->from);
    if (selection->to != INT64_MAX && quipu_clock_ns(clock, selection->to) < *to)
        *to = quipu_clock_ns(clock, selection->to);
    return is_selected(selection, location) && (*from < *to || (was_empty && *from == *to));
}

/* A new mark with name and times; NULL when it is not selected, or memory is out. */
static struct quipu__mark *add_mark(struct quipu__mark_search *search, enum drawn drawn, uint32_t location,
                                    int64_t from, int64_t to) {
    if (location == QUIPU_NONE || !cut(search, location, &from, &to))
        return NULL;
    const uint32_t track = take_track(search, drawn, location, from, to);
    struct quipu__mark *mark =
        track == QUIPU_NONE ? NULL : QUIPU__VEC_ADD(search->memory, &search->marks.items);
    if (mark)
        *mark = (struct quipu__mark){.from = from, .to = to, .track = track};
    return mark;
}

static uint32_t location_at(const struct quipu__mark_search *search, const struct quipu_table *table,
                            size_t row, const char *name, const char *id) {
    const char *text = quipu__answer_text(table, row, name);
    return text ? quipu__located_find(&search->located, text, (uint64_t)quipu__answer_number(table, row, id))
                : QUIPU_NONE;
}

/* ---- Waits ---- */

static void add_wait(struct quipu__mark_search *search, const struct quipu_table *table, size_t row) {
    const uint32_t location = location_at(search, table, row, "location", "location_id");
    const uint32_t peer = location_at(search, table, row, "peer", "peer_id");
    const int64_t from = quipu__answer_number(table, row, "from_ns"),
                  to = quipu__answer_number(table, row, "to_ns");
    struct quipu__mark *awaited = peer == QUIPU_NONE ? NULL : add_mark(search, DRAWN_AWAITED, peer, to, to);
    const uint64_t flow = awaited ? ++search->flows : 0;
    if (awaited) {
        awaited->name = quipu__answer_text(table, row, "pattern");
        awaited->peer = quipu__answer_text(table, row, "location");
        awaited->flow_out = flow;
    }
    struct quipu__mark *wait = add_mark(search, DRAWN_WAITS, location, from, to);
    if (!wait)
        return;
    wait->name = quipu__answer_text(table, row, "pattern");
    wait->peer = quipu__answer_text(table, row, "peer");
    wait->flow_in = flow;
    wait->is_reached_at_end = true;
}

static enum quipu_status add_waits(struct quipu__mark_search *search, struct quipu_reader *reader,
                                   struct quipu_error *err) {
    const enum quipu_status status = quipu__answer(reader, "waits", "list", "yes", &search->waits, err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu_table *table = quipu__answer_table(search->waits, "instances");
    for (size_t row = 0; row < quipu_table_row_count(table); row++)
        add_wait(search, table, row);
    return quipu__memory_status(search->memory, err);
}

/* ---- The critical path ---- */

static enum quipu_status add_path(struct quipu__mark_search *search, struct quipu_reader *reader,
                                  struct quipu_error *err) {
    const enum quipu_status status = quipu__answer(reader, "critical-path", NULL, NULL, &search->path, err);
    size_t before = SIZE_MAX;
    if (status != QUIPU_OK)
        return status;
    const struct quipu_table *table = quipu__answer_table(search->path, "segments");
    for (size_t row = 0; row < quipu_table_row_count(table); row++) {
        struct quipu__mark *mark =
            add_mark(search, DRAWN_PATH, location_at(search, table, row, "location", "location_id"),
                     quipu__answer_number(table, row, "from_ns"), quipu__answer_number(table, row, "to_ns"));
        if (!mark)
            continue;
        const char *region = quipu__answer_text(table, row, "region");
        mark->name = region ? region : "outside of regions";
        if (before != SIZE_MAX)
            search->marks.items.items[before].flow_out = mark->flow_in = ++search->flows;
        before = search->marks.items.count - 1;
    }
    return quipu__memory_status(search->memory, err);
}

/* ---- Both ---- */

static const struct {
    const char *name;
    enum quipu_status (*add)(struct quipu__mark_search *search, struct quipu_reader *reader,
                             struct quipu_error *err);
} kinds[] = {{"waits", add_waits}, {"critical-path", add_path}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static size_t kind_of(const char *name, size_t len) {
    size_t kind = 0;
    while (kind < KINDS && (strlen(kinds[kind].name) != len || memcmp(kinds[kind].name, name, len) != 0))
        kind++;
    return kind;
}

enum quipu_status quipu__marks_find(struct quipu__mark_search *search, struct quipu_reader *reader,
                                    const char *list, struct quipu_error *err) {
    bool is_found[KINDS] = {false};
    enum quipu_status status = QUIPU_OK;
    quipu__located_init(&search->located, search->memory, quipu_reader_definitions(reader));
    quipu__map_init(&search->track_of, search->memory);
    /* The analyses read with the same gate, which forgets then. */
    status = quipu__memory_status(search->memory, err);
    while (*list && status == QUIPU_OK) {
        const size_t len = strcspn(list, ","), kind = kind_of(list, len);
        if (kind == KINDS)
            return quipu__fail(err, QUIPU_MISUSE,
                               "nothing to draw is called \"%.*s\": expected waits or critical-path", (int)len,
                               list);
        if (!is_found[kind])
            status = kinds[kind].add(search, reader, err);
        is_found[kind] = true;
        list += len + (list[len] == ',');
    }
    return status;
}

void quipu__marks_release(struct quipu__mark_search *search) {
    quipu__located_release(&search->located);
    quipu__map_release(&search->track_of);
    QUIPU__VEC_RELEASE(search->memory, &search->marks.tracks);
    QUIPU__VEC_RELEASE(search->memory, &search->marks.items);
    quipu_tables_free(search->waits);
    quipu_tables_free(search->path);
}
