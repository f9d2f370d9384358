/* rows.c: which rows a timeline has, and what they are called: of locations, processes or hosts, or of all together. */
#include "analysis/timeline/timeline.h"

#include "analysis/shared/cells.h"
#include "analysis/shared/hosts.h"

/* The location that the row of a location is called by. */
static uint32_t row_location(const struct quipu__timeline *timeline, struct quipu__hosts *hosts,
                             uint32_t location) {
    if (quipu__timeline_is_by(timeline, "process"))
        return quipu__process_of(timeline->definitions, location);
    if (quipu__timeline_is_by(timeline, "host"))
        return quipu__host_first(hosts, location);
    return quipu__timeline_is_by(timeline, "all") ? 0 : location;
}

bool quipu__timeline_number_rows(struct quipu__timeline *timeline) {
    struct quipu__hosts hosts;
    struct quipu__map row_of;
    uint32_t most = 0;
    quipu__hosts_init(&hosts, &timeline->memory, timeline->definitions);
    quipu__map_init(&row_of, &timeline->memory);
    for (uint32_t i = 0; i < timeline->locations.count; i++) {
        struct quipu__timeline_location *location = &timeline->locations.items[i];
        location->row = location->has_events ? row_location(timeline, &hosts, i) : QUIPU_NONE;
        if (!location->has_events || quipu__map_get(&row_of, location->row) != QUIPU_NONE)
            continue;
        quipu__gate_knows(quipu__map_put(&row_of, location->row, 0));
        most = location->row > most ? location->row : most;
    }
    for (uint32_t i = 0; i <= most && row_of.count > 0; i++) {
        if (quipu__map_get(&row_of, i) == QUIPU_NONE)
            continue;
        uint32_t *row = QUIPU__VEC_ADD(&timeline->memory, &timeline->rows);
        quipu__gate_knows(row && quipu__map_put(&row_of, i, (uint32_t)(timeline->rows.count - 1)));
        if (row)
            *row = i;
    }
    for (uint32_t i = 0; i < timeline->locations.count; i++)
        if (timeline->locations.items[i].has_events)
            timeline->locations.items[i].row = quipu__map_get(&row_of, timeline->locations.items[i].row);
    quipu__map_release(&row_of);
    quipu__hosts_release(&hosts);
    return quipu__memory_status(&timeline->memory, NULL) == QUIPU_OK;
}

void quipu__timeline_put_row(const struct quipu__timeline *timeline, struct quipu_table *table,
                             uint32_t location) {
    if (quipu__timeline_is_by(timeline, "location") || quipu__timeline_is_by(timeline, "process")) {
        quipu__table_put_location(table, 0, timeline->definitions, location);
        return;
    }
    quipu__table_put_text(
        table, 0,
        quipu__timeline_is_by(timeline, "host") ? quipu__host_name(timeline->definitions, location) : NULL);
    quipu__table_put_null(table, 1);
}
