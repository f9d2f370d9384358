/* waits_table.c: the tables of waits. */
#include "analysis/cells.h"
#include "analysis/matching_table.h"
#include "analysis/path_text.h"
#include "analysis/waits.h"
#include "core/error.h"
#include "core/sort.h"

static const struct quipu_table_column columns[] = {
    {"pattern", QUIPU_TYPE_TEXT, "", "why it waits"},
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread that waits"},
    QUIPU__ID_COLUMN("location_id"),
    {"region", QUIPU_TYPE_TEXT, "", "region of the call that waits"},
    {"peer", QUIPU_TYPE_TEXT, "", "name of the process or thread that it waits for"},
    QUIPU__ID_COLUMN("peer_id"),
    {"time_ns", QUIPU_TYPE_I64, "ns", "how long, all instances together"},
    {"share_percent", QUIPU_TYPE_F64, "%", "the same, of the time of all locations"},
    {"instances", QUIPU_TYPE_U64, "", "how often"},
    {"max_ns", QUIPU_TYPE_I64, "ns", "the longest one"},
    {"communicator", QUIPU_TYPE_TEXT, "", "communicator"},
    {"path", QUIPU_TYPE_TEXT, "", "the call that waits and those around it"},
};

static const struct quipu_table_column delay_columns[] = {
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread that makes others wait"},
    QUIPU__ID_COLUMN("location_id"),
    {"region", QUIPU_TYPE_TEXT, "", "region in which it spends more time than they"},
    {"short_ns", QUIPU_TYPE_I64, "ns", "waiting of those that wait for it"},
    {"long_ns", QUIPU_TYPE_I64, "ns", "waiting of those that wait for others which wait for it"},
    {"path", QUIPU_TYPE_TEXT, "", "the region and those around it"},
};

static const struct quipu_table_column instance_columns[] = {
    {"from_ns", QUIPU_TYPE_TIME, "ns", "when it begins to wait"},
    {"to_ns", QUIPU_TYPE_TIME, "ns", "when it ends"},
    {"time_ns", QUIPU_TYPE_I64, "ns", "how long"},
    {"pattern", QUIPU_TYPE_TEXT, "", "why it waits"},
    {"location", QUIPU_TYPE_TEXT, "", "name of the process or thread that waits"},
    QUIPU__ID_COLUMN("location_id"),
    {"region", QUIPU_TYPE_TEXT, "", "region of the call that waits"},
    {"peer", QUIPU_TYPE_TEXT, "", "name of the process or thread that it waits for"},
    QUIPU__ID_COLUMN("peer_id"),
    {"communicator", QUIPU_TYPE_TEXT, "", "communicator"},
};

const struct quipu_analysis_table quipu__waits_tables[QUIPU__WAITS_TABLES] = {
    {"waits", "a row per pattern, location, path, communicator and peer; --by adds up", columns,
     sizeof columns / sizeof *columns},
    QUIPU__MATCHING_TABLE,
    {"delays", "with --causes: where waiting comes from", delay_columns,
     sizeof delay_columns / sizeof *delay_columns},
    {"instances", "with --list: each wait", instance_columns,
     sizeof instance_columns / sizeof *instance_columns},
};

/* For sorting, which has no context. */
struct sorted_row {
    const struct quipu__waits *waits;
    const struct quipu__wait_row *row;
    uint32_t position; /* of its path */
};

static int compare_numbers(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_names(const struct sorted_row *x, const struct sorted_row *y, enum quipu__wait_key key,
                         enum quipu_refers refers) {
    return quipu__names_compare(x->waits->definitions, refers, x->row->keys[key], y->row->keys[key]);
}

static int compare_paths(const struct sorted_row *x, const struct sorted_row *y) {
    const uint32_t a = x->row->keys[QUIPU__WAIT_BY_path], b = y->row->keys[QUIPU__WAIT_BY_path];
    if (a == QUIPU_NONE || b == QUIPU_NONE)
        return compare_names(x, y, QUIPU__WAIT_BY_region, QUIPU_REFERS_REGION);
    return compare_numbers(x->position, y->position);
}

static int compare_rows(const void *a, const void *b) {
    const struct sorted_row *x = a, *y = b;
    if (x->row->time != y->row->time)
        return x->row->time > y->row->time ? -1 : 1;
    const int orders[] = {
        compare_numbers(x->row->keys[QUIPU__WAIT_BY_pattern], y->row->keys[QUIPU__WAIT_BY_pattern]),
        compare_names(x, y, QUIPU__WAIT_BY_location, QUIPU_REFERS_LOCATION),
        compare_paths(x, y),
        compare_names(x, y, QUIPU__WAIT_BY_communicator, QUIPU_REFERS_GROUP),
        compare_names(x, y, QUIPU__WAIT_BY_peer, QUIPU_REFERS_LOCATION),
        compare_numbers(x->row->keys[QUIPU__WAIT_BY_location], y->row->keys[QUIPU__WAIT_BY_location]),
        compare_numbers(x->row->keys[QUIPU__WAIT_BY_peer], y->row->keys[QUIPU__WAIT_BY_peer]),
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i] != 0)
            return orders[i];
    return (x->row > y->row) - (x->row < y->row);
}

/* The time of all locations together; the largest number where 64 bits do not hold it. */
static uint64_t total_time(const struct quipu__communication *communication) {
    uint64_t total = 0;
    for (size_t i = 0; i < communication->stacks.count; i++) {
        const uint64_t longer = total + (uint64_t)communication->stacks.items[i].last -
                                (uint64_t)communication->stacks.items[i].first;
        total = longer >= total ? longer : UINT64_MAX;
    }
    return total;
}

static enum quipu_status put_row(const struct quipu__waits *waits, const struct quipu__wait_row *row,
                                 uint64_t total, struct quipu__buffer *path, struct quipu_table *table,
                                 struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(waits->definitions);
    const uint32_t pattern = row->keys[QUIPU__WAIT_BY_pattern], number = row->keys[QUIPU__WAIT_BY_path];
    const struct quipu__communication *communication = &waits->states.communication;
    const bool has_path = number != QUIPU_NONE;
    if (has_path)
        quipu__path_text(&communication->paths, waits->definitions, number, path);
    quipu__cells_put_text(&cells, pattern == QUIPU_NONE ? NULL : quipu__wait_patterns[pattern].text);
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, row->keys[QUIPU__WAIT_BY_location]);
    quipu__cells_put_name(&cells, QUIPU_REFERS_REGION, row->keys[QUIPU__WAIT_BY_region]);
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, row->keys[QUIPU__WAIT_BY_peer]);
    quipu__cells_put_i64(&cells, row->time);
    quipu__cells_put_ratio(&cells, 100 * (uint64_t)row->time, total, 2);
    quipu__cells_put_u64(&cells, row->instances);
    quipu__cells_put_i64(&cells, row->most);
    quipu__cells_put_name(&cells, QUIPU_REFERS_GROUP, row->keys[QUIPU__WAIT_BY_communicator]);
    quipu__cells_put_text(&cells, has_path && !path->failed ? (const char *)path->data : NULL);
    return quipu_table_add(table, cells.items, err);
}

/* Rows in their order. False when memory is out. */
static bool sort_rows(struct quipu__waits *waits, struct sorted_row *sorted) {
    const struct quipu__call_paths *paths = &waits->states.communication.paths;
    uint32_t *positions = quipu__path_text_positions(paths, waits->definitions);
    if (!positions)
        return false;
    for (size_t i = 0; i < waits->rows.count; i++) {
        const struct quipu__wait_row *row = &waits->rows.items[i];
        const uint32_t path = row->keys[QUIPU__WAIT_BY_path];
        sorted[i] = (struct sorted_row){waits, row, path == QUIPU_NONE ? 0 : positions[path]};
    }
    quipu__call_path_positions_release(paths, positions);
    return quipu__sort(&waits->memory, sorted, waits->rows.count, sizeof *sorted, compare_rows);
}

static enum quipu_status put_rows(struct quipu__waits *waits, struct quipu_table *table,
                                  struct quipu_error *err) {
    const size_t count = waits->rows.count, bytes = count * sizeof(struct sorted_row);
    struct sorted_row *sorted = count > 0 ? quipu__alloc(&waits->memory, bytes) : NULL;
    if (!sorted)
        return quipu__memory_status(&waits->memory, err);
    struct quipu__buffer path;
    quipu__buffer_init(&path, &waits->memory, 0);
    enum quipu_status status = sort_rows(waits, sorted) ? QUIPU_OK : quipu__memory_status(&waits->memory, err);
    const uint64_t total = total_time(&waits->states.communication);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_row(waits, sorted[i].row, total, &path, table, err);
    quipu__buffer_release(&path);
    quipu__release(&waits->memory, sorted, bytes);
    return status;
}

/* ---- Causes ---- */

/* For sorting, which has no context. */
struct sorted_cost {
    const struct quipu__waits *waits;
    const struct quipu__delay_cost *cost;
};

static int compare_costs(const void *a, const void *b) {
    const struct sorted_cost *x = a, *y = b;
    const struct quipu_definitions *definitions = x->waits->definitions;
    const int64_t left = x->cost->direct + x->cost->indirect, right = y->cost->direct + y->cost->indirect;
    if (left != right)
        return left > right ? -1 : 1;
    const int order =
        quipu__names_compare(definitions, QUIPU_REFERS_LOCATION, x->cost->location, y->cost->location);
    if (order != 0)
        return order;
    const uint32_t *positions = x->waits->delays.positions;
    const int by_path = compare_numbers(positions[x->cost->path], positions[y->cost->path]);
    return by_path != 0 ? by_path : compare_numbers(x->cost->location, y->cost->location);
}

static enum quipu_status put_cost(const struct quipu__waits *waits, const struct quipu__delay_cost *cost,
                                  struct quipu__buffer *path, struct quipu_table *table,
                                  struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(waits->definitions);
    const struct quipu__call_paths *paths = &waits->states.communication.paths;
    if (cost->direct == 0 && cost->indirect == 0)
        return QUIPU_OK;
    quipu__path_text(paths, waits->definitions, cost->path, path);
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, cost->location);
    quipu__cells_put_name(&cells, QUIPU_REFERS_REGION, quipu__call_path_region(paths, cost->path));
    quipu__cells_put_i64(&cells, cost->direct);
    quipu__cells_put_i64(&cells, cost->indirect);
    quipu__cells_put_text(&cells, path->failed ? NULL : (const char *)path->data);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status put_costs(struct quipu__waits *waits, struct quipu_table *table,
                                   struct quipu_error *err) {
    const size_t count = waits->delays.costs.count, bytes = count * sizeof(struct sorted_cost);
    struct sorted_cost *sorted = count > 0 ? quipu__alloc(&waits->memory, bytes) : NULL;
    if (!sorted)
        return quipu__memory_status(&waits->memory, err);
    struct quipu__buffer path;
    quipu__buffer_init(&path, &waits->memory, 0);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted_cost){waits, &waits->delays.costs.items[i]};
    enum quipu_status status = quipu__sort(&waits->memory, sorted, count, sizeof *sorted, compare_costs)
                                   ? QUIPU_OK
                                   : quipu__memory_status(&waits->memory, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_cost(waits, sorted[i].cost, &path, table, err);
    quipu__buffer_release(&path);
    quipu__release(&waits->memory, sorted, bytes);
    return status;
}

static enum quipu_status finish_causes(struct quipu__waits *waits, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__analysis_table_new(&quipu__waits_tables[2], tables, &table, err);
    if (status != QUIPU_OK)
        return status;
    return quipu__delays_finish(&waits->delays) ? put_costs(waits, table, err)
                                                : quipu__no_memory(err, waits->memory.used);
}

enum quipu_status quipu__waits_add_rows(struct quipu__waits *waits, struct quipu_tables *tables,
                                        struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__analysis_table_new(&quipu__waits_tables[0], tables, &table, err);
    return status == QUIPU_OK ? put_rows(waits, table, err) : status;
}

static int compare_instances(const void *a, const void *b) {
    const struct quipu__wait *x = a, *y = b;
    const int64_t numbers[][2] = {{x->from, y->from},
                                  {x->location, y->location},
                                  {x->to, y->to},
                                  {(int64_t)x->pattern, (int64_t)y->pattern},
                                  {x->peer, y->peer}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i][0] != numbers[i][1])
            return numbers[i][0] < numbers[i][1] ? -1 : 1;
    return 0;
}

static enum quipu_status put_instance(const struct quipu__waits *waits, const struct quipu__wait *wait,
                                      struct quipu_table *table, struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(waits->definitions);
    quipu__cells_put_i64(&cells, wait->from);
    quipu__cells_put_i64(&cells, wait->to);
    quipu__cells_put_i64(&cells, wait->to - wait->from);
    quipu__cells_put_text(&cells, quipu__wait_patterns[wait->pattern].text);
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, wait->location);
    quipu__cells_put_name(&cells, QUIPU_REFERS_REGION,
                          quipu__call_path_region(&waits->states.communication.paths, wait->path));
    quipu__cells_put_name_and_id(&cells, QUIPU_REFERS_LOCATION, wait->peer);
    quipu__cells_put_name(&cells, QUIPU_REFERS_GROUP, wait->group);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status finish_list(struct quipu__waits *waits, struct quipu_tables *tables,
                                     struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__analysis_table_new(&quipu__waits_tables[3], tables, &table, err);
    if (status == QUIPU_OK && !quipu__sort(&waits->memory, waits->list.items, waits->list.count,
                                           sizeof *waits->list.items, compare_instances))
        status = quipu__memory_status(&waits->memory, err);
    for (size_t i = 0; i < waits->list.count && status == QUIPU_OK; i++)
        status = put_instance(waits, &waits->list.items[i], table, err);
    return status;
}

static enum quipu_status finish_answer(struct quipu__waits *waits, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    if (waits->has_list)
        return finish_list(waits, tables, err);
    return waits->has_causes ? finish_causes(waits, tables, err) : quipu__waits_add_rows(waits, tables, err);
}

enum quipu_status quipu__waits_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__waits *waits = state;
    quipu__wait_states_finish(&waits->states);
    quipu__io_waits_finish(&waits->io);
    quipu__communication_note(&waits->states.communication, tables);
    quipu__posts_note(&waits->states.communication, tables);
    enum quipu_status status = finish_answer(waits, tables, err);
    if (status == QUIPU_OK)
        status = quipu__matching_table_add(&waits->states.communication, &quipu__waits_tables[1], tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&waits->memory, err) : status;
}
