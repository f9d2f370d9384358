/* timeline_layers.c: waits and the critical path. The analyses that find them read all of the trace, once; what they answer is retained as stretches in the order
 * of time, and a window shows those in it: each by itself, or, where there are too many, the part of each pixel that they take. */
#include "picture/timeline.h"

#include "core/bisect.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"

#include <quipu/analysis.h>

enum { STRETCHES_MOST = 2500, PIXELS_MOST = 400 };

/* Which analysis finds a layer, and in which columns. */
static const struct source {
    const char *analysis, *setting, *table, *why;
} sources[QUIPU__VIEW_LAYERS] = {[QUIPU__VIEW_WAITS] = {"waits", "list", NULL, "pattern"},
                                 [QUIPU__VIEW_PATH] = {"critical-path", NULL, "segments", "reason"}};

void quipu__view_layers_release(struct quipu_view *view) {
    for (unsigned i = 0; i < QUIPU__VIEW_LAYERS; i++) {
        struct quipu__view_layer *layer = &view->layers[i];
        for (size_t k = 0; k < layer->labels.count; k++)
            quipu__release(&view->memory, layer->labels.items[k], strlen(layer->labels.items[k]) + 1);
        QUIPU__VEC_RELEASE(&view->memory, &layer->labels);
        QUIPU__VEC_RELEASE(&view->memory, &layer->stretches);
        quipu__map_release(&layer->label_of);
        *layer = (struct quipu__view_layer){0};
    }
}

/* ---- Reading a table ---- */

struct columns {
    const struct quipu_table *table;
    size_t from, to, location, location_id, peer, peer_id, why, region;
};

static struct columns columns_of(const struct quipu_table *table, const struct source *source) {
    return (struct columns){.table = table,
                            .from = quipu_table_column_find(table, "from_ns"),
                            .to = quipu_table_column_find(table, "to_ns"),
                            .location = quipu_table_column_find(table, "location"),
                            .location_id = quipu_table_column_find(table, "location_id"),
                            .peer = quipu_table_column_find(table, "peer"),
                            .peer_id = quipu_table_column_find(table, "peer_id"),
                            .why = quipu_table_column_find(table, source->why),
                            .region = quipu_table_column_find(table, "region")};
}

static const struct quipu_table *find_table(const struct quipu_tables *tables, const struct source *source) {
    for (size_t i = 0; i < quipu_tables_count(tables); i++)
        if (!source->table || strcmp(quipu_table_name(quipu_tables_at(tables, i)), source->table) == 0)
            return quipu_tables_at(tables, i);
    return NULL;
}

/* Names and the format's numbers tell locations; several formats number threads of each process from 0. */
static uint64_t location_key(const struct quipu__map *map, const char *name, int64_t native_id) {
    return quipu__hash(name, strlen(name), map->seed) ^ (uint64_t)native_id * UINT64_C(0x9e3779b97f4a7c15);
}

static void map_locations(struct quipu_view *view, struct quipu__map *map) {
    quipu__map_init(map, &view->memory);
    for (size_t i = 0; i < view->members.count; i++) {
        const uint32_t number = view->members.items[i].location;
        const struct quipu_location *location = &view->definitions->locations.items[number];
        quipu__gate_knows(
            quipu__map_put(map, location_key(map, location->name, (int64_t)location->native_id), number));
    }
}

static uint32_t location_at(const struct columns *columns, const struct quipu__map *map, size_t row,
                            size_t name, size_t id) {
    if (name == SIZE_MAX || id == SIZE_MAX || quipu_table_at(columns->table, row, name)->is_null)
        return QUIPU_NONE;
    const char *text = quipu_table_at(columns->table, row, name)->text;
    const struct quipu_cell *cell = quipu_table_at(columns->table, row, id);
    return quipu__map_get(map, location_key(map, text, cell->is_null ? 0 : cell->i));
}

static uint32_t label_at(struct quipu_view *view, struct quipu__view_layer *layer,
                         const struct columns *columns, size_t row, size_t column) {
    if (column == SIZE_MAX || quipu_table_at(columns->table, row, column)->is_null)
        return QUIPU_NONE;
    const char *text = quipu_table_at(columns->table, row, column)->text;
    const size_t size = strlen(text) + 1;
    const uint64_t key = quipu__hash(text, size, layer->label_of.seed);
    uint32_t number = quipu__map_get(&layer->label_of, key);
    if (number != QUIPU_NONE)
        return number;
    number = (uint32_t)layer->labels.count;
    char **label = QUIPU__VEC_ADD(&view->memory, &layer->labels);
    if (!label)
        return QUIPU_NONE;
    *label = quipu__alloc(&view->memory, size);
    if (!*label) {
        layer->labels.count--;
        return QUIPU_NONE;
    }
    memcpy(*label, text, size);
    quipu__gate_knows(quipu__map_put(&layer->label_of, key, number));
    return number;
}

static void add_stretch(struct quipu_view *view, struct quipu__view_layer *layer, const struct columns *columns,
                        const struct quipu__map *map, size_t row) {
    struct quipu__view_stretch stretch = {
        .from = quipu__view_shown(view, quipu_table_at(columns->table, row, columns->from)->i),
        .to = quipu__view_shown(view, quipu_table_at(columns->table, row, columns->to)->i),
        .location = location_at(columns, map, row, columns->location, columns->location_id),
        .peer = location_at(columns, map, row, columns->peer, columns->peer_id),
        .why = label_at(view, layer, columns, row, columns->why),
        .region = label_at(view, layer, columns, row, columns->region)};
    const int64_t length = stretch.to - stretch.from;
    layer->longest = length > layer->longest ? length : layer->longest;
    quipu__gate_knows(QUIPU__VEC_PUT(&view->memory, &layer->stretches, stretch));
}

static int by_from(const void *a, const void *b) {
    const struct quipu__view_stretch *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static enum quipu_status read_stretches(struct quipu_view *view, struct quipu__view_layer *layer,
                                        const struct source *source, const struct quipu_table *table,
                                        struct quipu_error *err) {
    struct quipu__map map;
    if (!table)
        return QUIPU_OK;
    const struct columns columns = columns_of(table, source);
    map_locations(view, &map);
    for (size_t row = 0; row < quipu_table_row_count(table); row++)
        add_stretch(view, layer, &columns, &map, row);
    quipu__map_release(&map);
    if (layer->stretches.count > 0)
        quipu__gate_knows(quipu__sort(&view->memory, layer->stretches.items, layer->stretches.count,
                                      sizeof *layer->stretches.items, by_from));
    layer->is_known = true;
    return quipu__memory_status(&view->memory, err);
}

static enum quipu_status find_layer(struct quipu_view *view, unsigned number, struct quipu_error *err) {
    const struct source *source = &sources[number];
    struct quipu__view_layer *layer = &view->layers[number];
    const struct quipu_setting setting = {source->setting, "yes"};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables = NULL;
    if (layer->is_known)
        return QUIPU_OK;
    options.settings = &setting;
    options.setting_count = source->setting != NULL;
    quipu__map_init(&layer->label_of, &view->memory);
    const struct quipu_table *known = number == QUIPU__VIEW_PATH ? view->path : NULL;
    enum quipu_status status =
        known ? QUIPU_OK : quipu_analysis_run(view->reader, source->analysis, &options, &tables, err);
    if (status == QUIPU_OK)
        status = read_stretches(view, layer, source, known ? known : find_table(tables, source), err);
    quipu_tables_free(tables);
    if (status != QUIPU_OK)
        quipu__view_layers_release(view);
    return status;
}

/* ---- Showing ---- */

struct shown {
    struct quipu__view_answer *answer;
    const struct quipu__view_layer *layer;
    int64_t from, to;
    size_t first, end; /* of the stretches that may be in it */
};

static size_t first_from(const struct quipu__view_layer *layer, int64_t time) {
    size_t low = 0;
    QUIPU__BISECT(low, layer->stretches.count, i, layer->stretches.items[i].from < time);
    return low;
}

static uint32_t row_of(const struct shown *shown, const struct quipu__view_stretch *stretch) {
    return stretch->to > shown->from && stretch->from < shown->to
               ? quipu__view_asked_row(shown->answer->asked, stretch->location)
               : QUIPU_NONE;
}

static void put_number(struct quipu__view_answer *answer, uint32_t number) {
    quipu__json_i64(&answer->json, NULL, number == QUIPU_NONE ? -1 : (int64_t)number);
}

/* location, from, to, why, region, peer */
static void put_stretch(const struct shown *shown, const struct quipu__view_stretch *stretch) {
    struct quipu__view_answer *answer = shown->answer;
    quipu__json_open(&answer->json, NULL, QUIPU__JSON_LIST);
    quipu__json_i64(&answer->json, NULL, stretch->location);
    quipu__json_i64(&answer->json, NULL, stretch->from - answer->view->begin);
    quipu__json_i64(&answer->json, NULL, stretch->to - answer->view->begin);
    put_number(answer, stretch->why);
    put_number(answer, stretch->region);
    put_number(answer, stretch->peer);
    quipu__json_close(&answer->json);
}

/* Time in each pixel, by row and pixel. */
static void add_time(const struct shown *shown, const struct quipu__view_stretch *stretch, int64_t length,
                     int64_t *times) {
    const int64_t from = stretch->from > shown->from ? stretch->from : shown->from,
                  to = stretch->to < shown->to ? stretch->to : shown->to;
    for (int64_t time = from, next; time < to; time = next) {
        const int64_t pixel = (time - shown->from) / length,
                      end = quipu__bounded_sum(shown->from, quipu__bounded_product(length, pixel + 1));
        next = end < to ? end : to;
        times[pixel] += next - time;
    }
}

static void put_shares(const struct shown *shown, const int64_t *times, size_t pixels, int64_t length) {
    struct quipu__view_answer *answer = shown->answer;
    quipu__json_i64(&answer->json, "pixel", length);
    quipu__json_open(&answer->json, "rows", QUIPU__JSON_LINES);
    for (uint32_t row = 0; row < answer->asked->row_count; row++) {
        quipu__json_open(&answer->json, NULL, QUIPU__JSON_OBJECT);
        quipu__json_i64(&answer->json, "row", answer->asked->rows[row]);
        quipu__json_open(&answer->json, "percent", QUIPU__JSON_LIST);
        for (size_t i = 0; i < pixels; i++)
            quipu__json_i64(&answer->json, NULL,
                            (int64_t)((double)times[row * pixels + i] * 100 / (double)length + 0.5));
        quipu__json_close(&answer->json);
        quipu__json_close(&answer->json);
    }
    quipu__json_close(&answer->json);
}

static enum quipu_status add_up(const struct shown *shown, struct quipu_error *err) {
    struct quipu__view_answer *answer = shown->answer;
    const uint64_t asked = answer->asked->pixels;
    const size_t pixels = asked >= 1 && asked < PIXELS_MOST ? (size_t)asked : PIXELS_MOST;
    const int64_t length = (shown->to - shown->from) / (int64_t)pixels + 1;
    const size_t size = answer->asked->row_count * pixels * sizeof(int64_t);
    int64_t *times = quipu__alloc_zero(&answer->view->memory, size);
    if (!times)
        return quipu__no_memory(err, size);
    for (size_t i = shown->first; i < shown->end; i++) {
        const uint32_t row = row_of(shown, &shown->layer->stretches.items[i]);
        if (row != QUIPU_NONE)
            add_time(shown, &shown->layer->stretches.items[i], length, times + row * pixels);
    }
    put_shares(shown, times, pixels, length);
    quipu__release(&answer->view->memory, times, size);
    return QUIPU_OK;
}

static void put_labels(const struct shown *shown) {
    quipu__json_open(&shown->answer->json, "labels", QUIPU__JSON_LIST);
    for (size_t i = 0; i < shown->layer->labels.count; i++)
        quipu__view_put_name(shown->answer, NULL, shown->layer->labels.items[i]);
    quipu__json_close(&shown->answer->json);
}

static enum quipu_status show(struct quipu__view_answer *answer, unsigned number, struct quipu_error *err) {
    const struct quipu_view *view = answer->view;
    const enum quipu_status status = find_layer(answer->view, number, err);
    if (status != QUIPU_OK)
        return status;
    struct shown shown = {.answer = answer, .layer = &view->layers[number]};
    shown.from = quipu__view_time(view, answer->asked->from);
    shown.to = quipu__view_time(view, answer->asked->to);
    shown.to = shown.to < view->end ? shown.to : view->end;
    shown.from = shown.from < shown.to ? shown.from : shown.to;
    shown.first = first_from(shown.layer, quipu__bounded_difference(shown.from, shown.layer->longest));
    shown.end = first_from(shown.layer, shown.to);
    uint64_t count = 0;
    for (size_t i = shown.first; i < shown.end; i++)
        count += row_of(&shown, &shown.layer->stretches.items[i]) != QUIPU_NONE;
    quipu__json_i64(&answer->json, "from", shown.from - view->begin);
    quipu__json_i64(&answer->json, "to", shown.to - view->begin);
    quipu__json_u64(&answer->json, "count", count);
    if (count > STRETCHES_MOST)
        return add_up(&shown, err);
    put_labels(&shown);
    quipu__json_open(&answer->json, "stretches", QUIPU__JSON_LINES);
    for (size_t i = shown.first; i < shown.end; i++)
        if (row_of(&shown, &shown.layer->stretches.items[i]) != QUIPU_NONE)
            put_stretch(&shown, &shown.layer->stretches.items[i]);
    quipu__json_close(&answer->json);
    return QUIPU_OK;
}

enum quipu_status quipu__view_waits(struct quipu__view_answer *answer, struct quipu_error *err) {
    return show(answer, QUIPU__VIEW_WAITS, err);
}

enum quipu_status quipu__view_path(struct quipu__view_answer *answer, struct quipu_error *err) {
    return show(answer, QUIPU__VIEW_PATH, err);
}
