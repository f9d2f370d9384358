/* waits.c: how long locations wait, in which calls, and for whom: the waits of wait_states.h added up. */
#include "analysis/waits/waits.h"

#include "analysis/shared/call_sites.h"
#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/shared/path_text.h"
#include "analysis/shared/settings.h"
#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"

#include <string.h>

static const char *const key_names[QUIPU__WAIT_KEYS] = {"pattern",  "location",     "path", "region",
                                                        "callsite", "communicator", "peer"};

/* ---- Rows ---- */

static uint32_t add_row(struct quipu__waits *waits, uint64_t hash, const uint32_t *keys) {
    struct quipu__wait_row *row = QUIPU__VEC_ADD(&waits->memory, &waits->rows);
    if (!row)
        return QUIPU_NONE;
    memcpy(row->keys, keys, sizeof row->keys);
    const uint32_t number = (uint32_t)(waits->rows.count - 1);
    return quipu__map_put(&waits->row_of, hash, number) ? number : QUIPU_NONE;
}

uint32_t quipu__waits_row(struct quipu__waits *waits, const struct quipu__wait *wait) {
    const uint32_t all[QUIPU__WAIT_KEYS] = {
        [QUIPU__WAIT_BY_pattern] = wait->pattern,
        [QUIPU__WAIT_BY_location] = wait->location,
        [QUIPU__WAIT_BY_path] = wait->path,
        [QUIPU__WAIT_BY_region] = quipu__call_path_region(&waits->states.communication.paths, wait->path),
        [QUIPU__WAIT_BY_callsite] = waits->states.communication.paths.list.items[wait->path].source,
        [QUIPU__WAIT_BY_communicator] = wait->group,
        [QUIPU__WAIT_BY_peer] = wait->peer};
    uint32_t keys[QUIPU__WAIT_KEYS], number;
    for (size_t i = 0; i < QUIPU__WAIT_KEYS; i++)
        keys[i] = waits->by[i] ? all[i] : QUIPU_NONE;
    uint64_t hash = quipu__hash(keys, sizeof keys, waits->row_of.seed);
    while ((number = quipu__map_get(&waits->row_of, hash)) != QUIPU_NONE &&
           memcmp(waits->rows.items[number].keys, keys, sizeof keys) != 0)
        hash++;
    return number == QUIPU_NONE ? add_row(waits, hash, keys) : number;
}

static void list_wait(struct quipu__waits *waits, const struct quipu__wait *wait, int64_t from, int64_t to) {
    struct quipu__wait *listed = QUIPU__VEC_ADD(&waits->memory, &waits->list);
    if (!listed)
        return;
    *listed = *wait;
    listed->from = from;
    listed->to = to;
}

static void add_wait(void *context, const struct quipu__wait *wait) {
    struct quipu__waits *waits = context;
    const int64_t from = quipu__reported_from(&waits->reported, wait->from);
    const int64_t to = quipu__reported_to(&waits->reported, wait->to);
    const bool is_wanted = to > from && quipu__reports(&waits->reported, wait->location);
    if (waits->listener)
        waits->listener->wait(waits->listener->context, wait);
    if (waits->has_causes)
        quipu__delays_add_wait(&waits->delays, wait, is_wanted ? quipu__bounded_difference(to, from) : 0);
    if (!is_wanted)
        return;
    if (waits->has_list) {
        list_wait(waits, wait, from, to);
        return;
    }
    const uint32_t number = quipu__waits_row(waits, wait);
    if (number == QUIPU_NONE)
        return;
    struct quipu__wait_row *row = &waits->rows.items[number];
    row->instances += wait->from == from; /* one that began before the window is of another one */
    const int64_t length = quipu__bounded_difference(to, from);
    row->time = quipu__bounded_sum(row->time, length);
    row->most = length > row->most ? length : row->most;
}

/* ---- Causes ---- */

static void add_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__wait_states *states = context;
    struct quipu__waits *waits = states->context;
    (void)from;
    quipu__delays_add_step(&waits->delays, location, path, to);
}

static void add_message(void *context, const struct quipu__message_end *send,
                        const struct quipu__message_end *receive) {
    struct quipu__waits *waits = context;
    quipu__delays_add_message(&waits->delays, send, receive);
}

static void add_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__waits *waits = context;
    quipu__delays_add_collective(&waits->delays, collective);
}

static void tell_match(void *context, const struct quipu__message_end *send,
                       const struct quipu__message_end *receive) {
    const struct quipu__waits *waits = context;
    if (waits->listener)
        waits->listener->matched(waits->listener->context, send, receive);
}

static void want_causes(struct quipu__waits *waits) {
    waits->has_causes = true;
    waits->states.matched = tell_match;
    waits->states.completed = add_message;
    waits->states.collective = add_collective;
    waits->states.communication.listener.step = add_step;
    waits->states.communication.calls.keeps_leaves = true;
}

/* ---- Overlap ---- */

static void add_overlap_step(void *context, uint32_t location, uint32_t path, int64_t from, int64_t to) {
    struct quipu__wait_states *states = context;
    struct quipu__waits *waits = states->context;
    quipu__overlap_add_step(&waits->overlap, location, path, from, to);
}

static uint32_t add_overlap_completion(void *context, const struct quipu__message_end *send, int64_t time) {
    struct quipu__wait_states *states = context;
    struct quipu__waits *waits = states->context;
    return send->has_request ? quipu__overlap_complete(&waits->overlap, time) : QUIPU_NONE;
}

static void add_overlap_receive(void *context, const struct quipu__message_end *send,
                                const struct quipu__message_end *receive) {
    struct quipu__waits *waits = context;
    quipu__overlap_add_receive(&waits->overlap, send, receive);
}

static void add_overlap_send(void *context, const struct quipu__message_end *send,
                             const struct quipu__message_end *receive) {
    struct quipu__waits *waits = context;
    quipu__overlap_add_send(&waits->overlap, send, receive);
}

static void add_overlap_collective(void *context, const struct quipu__collective *collective) {
    struct quipu__waits *waits = context;
    quipu__overlap_add_collective(&waits->overlap, collective);
}

static void want_overlap(struct quipu__waits *waits) {
    waits->has_overlap = true;
    waits->states.matched = add_overlap_receive;
    waits->states.completed = add_overlap_send;
    waits->states.collective = add_overlap_collective;
    waits->states.communication.listener.step = add_overlap_step;
    waits->states.communication.listener.send_completes = add_overlap_completion;
}

/* ---- Options ---- */

static enum quipu_status set_keys(struct quipu__waits *waits, const char *list, struct quipu_error *err) {
    while (*list) {
        const size_t len = strcspn(list, ",");
        size_t key = 0;
        while (key < QUIPU__WAIT_KEYS &&
               (strlen(key_names[key]) != len || memcmp(key_names[key], list, len) != 0))
            key++;
        if (key == QUIPU__WAIT_KEYS)
            return quipu__fail(err, QUIPU_MISUSE,
                               "--by takes pattern, location, path, region, callsite, communicator and peer, "
                               "separated by commas, "
                               "not \"%.*s\"",
                               (int)len, list);
        waits->by[key] = true;
        list += len + (list[len] == ',');
    }
    waits->by[QUIPU__WAIT_BY_region] |= waits->by[QUIPU__WAIT_BY_path];
    waits->by[QUIPU__WAIT_BY_callsite] |= waits->by[QUIPU__WAIT_BY_path];
    return QUIPU_OK;
}

static bool has_setting(const struct quipu__settings *settings, const char *name) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return true;
    return false;
}

/* Options that would mean nothing. */
static enum quipu_status check_options(const struct quipu__waits *waits, const struct quipu__settings *settings,
                                       struct quipu_error *err) {
    const struct {
        bool is_wanted;
        const char *name;
    } answers[] = {{waits->has_causes, "causes"}, {waits->has_list, "list"}, {waits->has_overlap, "overlap"}};
    const char *wanted = NULL;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (answers[i].is_wanted && wanted)
            return quipu__fail(err, QUIPU_MISUSE, "--%s and --%s exclude each other", wanted, answers[i].name);
        wanted = answers[i].is_wanted ? answers[i].name : wanted;
    }
    if (wanted && has_setting(settings, "by"))
        return quipu__fail(err, QUIPU_MISUSE, "--by means nothing with --%s", wanted);
    return QUIPU_OK;
}

/* ---- The fold ---- */

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__waits *waits = quipu__fold_state(start, sizeof *waits, state);
    if (!waits)
        return quipu__no_memory(err, sizeof *waits);
    waits->definitions = start->definitions;
    waits->reported = quipu__reported_of(start);
    quipu__map_init(&waits->row_of, &waits->memory);
    quipu__delays_init(&waits->delays, &waits->memory, &waits->states);
    quipu__overlap_init(&waits->overlap, &waits->memory, waits->definitions, &waits->states, &waits->reported);
    if (!quipu__unneeded_calls_init(&waits->computing, &waits->memory, start->definitions,
                                    QUIPU__REGION_ACCESSES_FILES) ||
        !quipu__wait_states_init(&waits->states, &waits->memory, start->definitions,
                                 quipu__number_setting(start, "eager-limit"), add_wait, waits))
        return quipu__no_memory(err, sizeof *waits);
    waits->computing.also = ~(QUIPU__COMMUNICATION_KINDS | QUIPU_KIND_BIT(QUIPU_KIND_io_begin) |
                              QUIPU_KIND_BIT(QUIPU_KIND_io_end) | QUIPU__NO_EVENTS);
    waits->has_list = quipu__settings_say_yes(&start->settings, "list");
    if (quipu__settings_say_yes(&start->settings, "causes"))
        want_causes(waits);
    if (quipu__settings_say_yes(&start->settings, "overlap"))
        want_overlap(waits);
    const enum quipu_status status = check_options(waits, &start->settings, err);
    return status == QUIPU_OK ? set_keys(waits, quipu__settings_value(&start->settings, "by"), err) : status;
}

/* Call sites are attributes. */
static void select(const struct quipu__settings *settings, const struct quipu_definitions *definitions,
                   struct quipu_selection *selection) {
    (void)settings;
    selection->without_attributes = !definitions->has_call_sites;
}

static const struct quipu__unneeded_calls *unneeded(const void *state) {
    const struct quipu__waits *waits = state;
    return !waits->has_causes && !waits->has_overlap ? &waits->computing : NULL;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__waits *waits = state;
    return quipu__wait_states_add(&waits->states, batch) ? quipu__memory_status(&waits->memory, err)
                                                         : quipu__no_memory(err, waits->memory.used);
}

static void release(void *state) {
    struct quipu__waits *waits = state;
    quipu__unneeded_calls_release(&waits->computing);
    quipu__delays_release(&waits->delays);
    quipu__overlap_release(&waits->overlap);
    quipu__wait_states_release(&waits->states);
    quipu__map_release(&waits->row_of);
    QUIPU__VEC_RELEASE(&waits->memory, &waits->rows);
    QUIPU__VEC_RELEASE(&waits->memory, &waits->list);
    quipu__fold_state_release(waits, sizeof *waits);
}

/* ==== The tables ==== */

/* clang-format off */
#define WAITS_TABLES(TABLE, COLUMN, END) \
    TABLE(WAITS, "waits", "a row per pattern, location, path, communicator and peer; --by adds up") \
    COLUMN(WAITS, pattern, TEXT, "", "why it waits") \
    QUIPU__NAMED(COLUMN, WAITS, location, "name of the process or thread that waits") \
    COLUMN(WAITS, region, TEXT, "", "region of the call that waits") \
    COLUMN(WAITS, callsite, TEXT, "", "file and line of the source code that makes the call, null where the trace does not say") \
    QUIPU__NAMED(COLUMN, WAITS, peer, "name of the process or thread that it waits for") \
    COLUMN(WAITS, time_ns, I64, "ns", "how long, all instances together") \
    COLUMN(WAITS, share_percent, F64, "%", "the same, of the time of all locations") \
    COLUMN(WAITS, instances, U64, "", "how often; with --since those that begin then") \
    COLUMN(WAITS, max_ns, I64, "ns", "the longest one") \
    COLUMN(WAITS, communicator, TEXT, "", "communicator") \
    COLUMN(WAITS, path, TEXT, "", "the call that waits and those around it") \
    END(WAITS) \
    QUIPU__MATCHING_TABLE(TABLE, COLUMN, END) \
    QUIPU__OVERLAP_TABLE(TABLE, COLUMN, END) \
    TABLE(DELAYS, "delays", "with --causes: where waiting comes from") \
    QUIPU__NAMED(COLUMN, DELAYS, location, "name of the process or thread that makes others wait") \
    COLUMN(DELAYS, region, TEXT, "", "region in which it spends more time than they; null outside of any") \
    COLUMN(DELAYS, between, TEXT, "", "of time outside of any region: the calls around it, where it costs most") \
    COLUMN(DELAYS, short_ns, I64, "ns", "waiting of those that wait for it") \
    COLUMN(DELAYS, long_ns, I64, "ns", "waiting of those that wait for others which wait for it") \
    COLUMN(DELAYS, path, TEXT, "", "the region and those around it") \
    END(DELAYS) \
    TABLE(INSTANCES, "instances", "with --list: each wait") \
    QUIPU__WAIT_INSTANCE_COLUMNS(COLUMN, INSTANCES) \
    END(INSTANCES)
/* clang-format on */
QUIPU__TABLES(WAITS_TABLES)
static const struct quipu_analysis_table waits_tables[] = {QUIPU__SHAPES(WAITS_TABLES)};

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
        compare_numbers(x->row->keys[QUIPU__WAIT_BY_callsite], y->row->keys[QUIPU__WAIT_BY_callsite]),
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

/* The time of all locations together but of meters, where nothing runs; the largest number where 64 bits do not hold it. */
static uint64_t total_time(const struct quipu__communication *communication) {
    uint64_t total = 0;
    for (size_t i = 0; i < communication->stacks.count; i++) {
        if (quipu__is_meter(communication->definitions, i))
            continue;
        const uint64_t longer = total + (uint64_t)communication->stacks.items[i].last -
                                (uint64_t)communication->stacks.items[i].first;
        total = longer >= total ? longer : UINT64_MAX;
    }
    return total;
}

static enum quipu_status put_row(const struct quipu__waits *waits, const struct quipu__wait_row *row,
                                 uint64_t total, struct quipu__buffer *text, struct quipu_table *table,
                                 struct quipu_error *err) {
    const uint32_t pattern = row->keys[QUIPU__WAIT_BY_pattern], number = row->keys[QUIPU__WAIT_BY_path];
    const struct quipu__communication *communication = &waits->states.communication;
    const bool has_path = number != QUIPU_NONE;
    quipu__table_put_text(table, WAITS_pattern,
                          pattern == QUIPU_NONE ? NULL : quipu__wait_patterns[pattern].text);
    quipu__table_put_location(table, WAITS_location, waits->definitions, row->keys[QUIPU__WAIT_BY_location]);
    quipu__table_put_region(table, WAITS_region, waits->definitions, row->keys[QUIPU__WAIT_BY_region]);
    quipu__table_put_call_site(table, WAITS_callsite, waits->definitions, row->keys[QUIPU__WAIT_BY_callsite],
                               text);
    quipu__table_put_location(table, WAITS_peer, waits->definitions, row->keys[QUIPU__WAIT_BY_peer]);
    quipu__table_put_i64(table, WAITS_time_ns, row->time);
    quipu__table_put_percent(table, WAITS_share_percent, (uint64_t)row->time, 1, total);
    quipu__table_put_u64(table, WAITS_instances, row->instances);
    quipu__table_put_i64(table, WAITS_max_ns, row->most);
    quipu__table_put_name(table, WAITS_communicator, waits->definitions, QUIPU_REFERS_GROUP,
                          row->keys[QUIPU__WAIT_BY_communicator]);
    if (has_path)
        quipu__path_text(&communication->paths, waits->definitions, number, text);
    quipu__table_put_text(table, WAITS_path, has_path && !text->failed ? (const char *)text->data : NULL);
    return quipu__table_end_row(table, err);
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
    return status == QUIPU_OK ? quipu__memory_status(&waits->memory, err) : status;
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
    const int64_t left = quipu__bounded_sum(x->cost->direct, x->cost->indirect),
                  right = quipu__bounded_sum(y->cost->direct, y->cost->indirect);
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
    const struct quipu__call_paths *paths = &waits->states.communication.paths;
    if (cost->direct == 0 && cost->indirect == 0)
        return QUIPU_OK;
    quipu__path_text(paths, waits->definitions, cost->path, path);
    quipu__table_put_location(table, DELAYS_location, waits->definitions, cost->location);
    quipu__table_put_region(table, DELAYS_region, waits->definitions,
                            quipu__call_path_region(paths, cost->path));
    quipu__table_put_calls_around(table, DELAYS_between, waits->definitions,
                                  quipu__delay_around(&waits->delays, cost->location, cost->path));
    quipu__table_put_i64(table, DELAYS_short_ns, cost->direct);
    quipu__table_put_i64(table, DELAYS_long_ns, cost->indirect);
    quipu__table_put_text(table, DELAYS_path, path->failed ? NULL : (const char *)path->data);
    return quipu__table_end_row(table, err);
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
    return status == QUIPU_OK ? quipu__memory_status(&waits->memory, err) : status;
}

static enum quipu_status finish_causes(struct quipu__waits *waits, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(tables, &waits_tables[DELAYS], &table, err);
    if (status != QUIPU_OK)
        return status;
    return quipu__delays_sort(&waits->delays) && quipu__delays_find(&waits->delays)
               ? put_costs(waits, table, err)
               : quipu__no_memory(err, waits->memory.used);
}

static enum quipu_status finish_rows(struct quipu__waits *waits, struct quipu_tables *tables,
                                     struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(tables, &waits_tables[WAITS], &table, err);
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
                                      struct quipu__buffer *text, struct quipu_table *table,
                                      struct quipu_error *err) {
    const struct quipu__call_path *path = &waits->states.communication.paths.list.items[wait->path];
    quipu__table_put_time(table, INSTANCES_from_ns, wait->from);
    quipu__table_put_time(table, INSTANCES_to_ns, wait->to);
    quipu__table_put_i64(table, INSTANCES_time_ns, quipu__bounded_difference(wait->to, wait->from));
    quipu__table_put_text(table, INSTANCES_pattern, quipu__wait_patterns[wait->pattern].text);
    quipu__table_put_location(table, INSTANCES_location, waits->definitions, wait->location);
    quipu__table_put_region(table, INSTANCES_region, waits->definitions, path->region);
    quipu__table_put_call_site(table, INSTANCES_callsite, waits->definitions, path->source, text);
    quipu__table_put_location(table, INSTANCES_peer, waits->definitions, wait->peer);
    quipu__table_put_name(table, INSTANCES_communicator, waits->definitions, QUIPU_REFERS_GROUP, wait->group);
    return quipu__table_end_row(table, err);
}

static enum quipu_status finish_list(struct quipu__waits *waits, struct quipu_tables *tables,
                                     struct quipu_error *err) {
    struct quipu_table *table;
    struct quipu__buffer text;
    enum quipu_status status = quipu__tables_add(tables, &waits_tables[INSTANCES], &table, err);
    quipu__buffer_init(&text, &waits->memory, 0);
    if (status == QUIPU_OK && !quipu__sort(&waits->memory, waits->list.items, waits->list.count,
                                           sizeof *waits->list.items, compare_instances))
        status = quipu__memory_status(&waits->memory, err);
    for (size_t i = 0; i < waits->list.count && status == QUIPU_OK; i++)
        status = put_instance(waits, &waits->list.items[i], &text, table, err);
    quipu__buffer_release(&text);
    return status == QUIPU_OK ? quipu__memory_status(&waits->memory, err) : status;
}

static enum quipu_status finish_overlap(struct quipu__waits *waits, struct quipu_tables *tables,
                                        struct quipu_error *err) {
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(tables, &waits_tables[OVERLAP], &table, err);
    return status == QUIPU_OK ? quipu__overlap_put(&waits->overlap, table, err) : status;
}

static enum quipu_status finish_answer(struct quipu__waits *waits, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    if (waits->has_list)
        return finish_list(waits, tables, err);
    if (waits->has_overlap)
        return finish_overlap(waits, tables, err);
    return waits->has_causes ? finish_causes(waits, tables, err) : finish_rows(waits, tables, err);
}

static enum quipu_status waits_finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__waits *waits = state;
    quipu__wait_states_finish(&waits->states);
    quipu__communication_note(&waits->states.communication, tables);
    quipu__posts_note(&waits->states.communication, tables);
    enum quipu_status status = finish_answer(waits, tables, err);
    if (status == QUIPU_OK)
        status = quipu__matching_table_add(&waits->states.communication, &waits_tables[MATCHING], tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&waits->memory, err) : status;
}

static const struct quipu_option options[] = {
    {.name = "by",
     .kind = QUIPU_OPTION_TEXT,
     .argument = "LIST",
     .default_value = "pattern,location,path,communicator,peer",
     .doc =
         "add up what these do not tell apart: pattern, location, region, callsite, path, communicator, peer"},
    {.name = "causes",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "show whose fault it is: what those that others wait for did more than they"},
    {.name = "overlap",
     .kind = QUIPU_OPTION_FLAG,
     .argument = "",
     .doc = "show how far operations that do not block overlap with computing, and what their completion waits "
            "for"},
    {.name = "list", .kind = QUIPU_OPTION_FLAG, .argument = "", .doc = "show each wait, in the order of time"},
    QUIPU__EAGER_LIMIT_OPTION,
    QUIPU__REPORTED_OPTIONS,
};

const struct quipu__fold quipu__waits_fold = {
    .info =
        {.name = "waits",
         .doc = "show who waits for whom, and how long",
         .details =
             "Matches messages and collective operations and shows how long each location waits, in which "
             "call and for whom. Rows are sorted by time. Waits of a location never overlap: a call that waits "
             "for several others is divided among them, each being charged what it adds.\n\n"
             "Patterns: late-sender, a receive waits for a send that begins later; with wrong-order, while "
             "a message that was sent before could have been received, of the same or a different source. "
             "late-receiver, a send waits for a receive that is posted later; --eager-limit says which sends "
             "never do. wait-at-barrier and wait-at-nxn, waiting for the last one to come; barrier-completion "
             "and nxn-completion, time after the first one has left. late-broadcast, waiting for the root. "
             "early-reduce, the root waits for the last of the others. early-scan, waiting for the members "
             "before. Members of a collective operation that send nothing are not waited for, and those that "
             "receive nothing do not wait. wait-at-fence, wait-at-constructor (of communicators, windows and "
             "topologies) and wait-at-collective-io, waiting for the last one to come where times prove that "
             "all did. wait-at-finalize, the same in MPI_Finalize. io-wait, waiting for input or output.\n\n"
             "--causes shows instead, in the table \"delays\", where waiting comes from: for each wait, "
             "what its peer did "
             "more than the one that waits since the first of both left the last message or collective "
             "operation in common. "
             "What the peer "
             "itself waited is handed on to those that it waited for, as long-term costs. Short-term and "
             "long-term costs "
             "add up to all waiting for others that is reported. What a location does outside of any region is "
             "named "
             "by the calls around it, in the column between: each wait by those around the longest such time, "
             "all of them by those to which most of it falls.\n\n"
             "--overlap shows instead, in the table \"overlap\", the operations that do not block: how long "
             "they are in "
             "flight, from the post to the completion, how much of that their location computes, and how long "
             "their "
             "completing calls block: for a late partner, until the send is called, the receive is posted that "
             "a send waits "
             "for, or the last one comes to a collective operation; else for a late transfer. Operations count "
             "when they "
             "complete, and each by itself where several are in flight together.\n\n"
             "The table \"matching\" says what could be matched. Messages and operations that a damaged or "
             "cut trace "
             "has only in part are counted there and cause no waits. --since, --until, --roi, --location, "
             "--processes and --where "
             "narrow what is reported, not what is matched.",
         .examples = "quipu waits run.trace --limit 10 # the ten largest losses\n"
                     "quipu waits run.trace --by pattern # how much of what\n"
                     "quipu waits run.trace --by peer # whom do others wait for?\n"
                     "quipu waits run.trace --causes # whose fault is it?\n"
                     "quipu waits run.trace --overlap # is communication hidden behind computing?\n"
                     "quipu waits run.trace --list --since 1s --until 1.1s # when, one by one?\n"
                     "quipu waits run.trace --eager-limit 65536 # small messages are sent eagerly",
         .options = options,
         .option_count = sizeof options / sizeof *options,
         .tables = waits_tables,
         .table_count = sizeof waits_tables / sizeof *waits_tables,
         .empty_answer = "nothing waits",
         .needs_everything = true},
    .kinds = QUIPU_ALL_KINDS,
    .is_selective = true,
    .order = QUIPU_ORDER_WINDOWS,
    .select = select,
    .begin = begin,
    .consume = consume,
    .unneeded = unneeded,
    .finish = waits_finish,
    .release = release,
};
