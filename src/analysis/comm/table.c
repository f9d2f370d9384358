/* table.c: the tables of comm. */
#include "analysis/shared/cells.h"
#include "analysis/shared/matching_table.h"
#include "analysis/comm/comm.h"
#include "core/error.h"
#include "core/scale.h"
#include "core/memory/sort.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* What a pattern and each of the models have. */
/* clang-format off */
#define FITS(COLUMN, table) \
    COLUMN(table, pattern, TEXT, "", "the pattern that fits best, irregular when none fits to 0.8") \
    COLUMN(table, detail, TEXT, "", "its shape") \
    COLUMN(table, fit, F64, "", "pairs that trace and pattern share, of those that either has")
#define COMM_TABLES(TABLE, COLUMN, END) \
    TABLE(PATTERN, "pattern", "the pattern of communication; no row without messages between different processes") FITS(COLUMN, PATTERN) END(PATTERN) \
    TABLE(MATRIX, "matrix", "a heat map of bytes: a row per sender, a character per receiver") \
    QUIPU__NAMED(COLUMN, MATRIX, sender, "first of the processes or nodes that the row stands for") \
    COLUMN(MATRIX, bytes, U64, "bytes", "what they send") \
    COLUMN(MATRIX, receivers, TEXT, "", "a character per receiver, or per several: . few bytes, then 1 to 9, # most") \
    END(MATRIX) \
    TABLE(SIZES, "sizes", "messages by length, in classes of powers of two") \
    COLUMN(SIZES, from_bytes, U64, "bytes", "shortest length of the class") \
    COLUMN(SIZES, to_bytes, U64, "bytes", "longest length of the class") \
    COLUMN(SIZES, messages, U64, "", "messages of such a length") \
    COLUMN(SIZES, bytes, U64, "bytes", "their bytes together") \
    END(SIZES) \
    TABLE(PAIRS, "pairs", "a row per sender and receiver") \
    QUIPU__NAMED(COLUMN, PAIRS, sender, "process or node that sends; null for all pairs beyond a million together") \
    QUIPU__NAMED(COLUMN, PAIRS, receiver, "process or node that receives; null for each other member of a large communicator") \
    COLUMN(PAIRS, messages, U64, "", "messages that were sent and received") \
    COLUMN(PAIRS, bytes, U64, "bytes", "their bytes, as the sender has them") \
    COLUMN(PAIRS, min_ns, I64, "ns", "least time from send to receive") \
    COLUMN(PAIRS, max_ns, I64, "ns", "greatest time from send to receive") \
    COLUMN(PAIRS, mean_ns, I64, "ns", "mean time from send to receive") \
    END(PAIRS) \
    TABLE(MODELS, "models", "all patterns and how well they fit (--patterns)") FITS(COLUMN, MODELS) END(MODELS)
/* clang-format on */
QUIPU__TABLES(COMM_TABLES)
const struct quipu_analysis_table quipu__comm_tables[QUIPU__COMM_TABLES] = {QUIPU__SHAPES(COMM_TABLES)};

/* ---- Pairs ---- */

/* For sorting, which has no context. */
struct sorted_pair {
    const struct quipu__comm *comm;
    const struct quipu__comm_pair *pair;
};

static int compare_pairs(const void *a, const void *b) {
    const struct sorted_pair *x = a, *y = b;
    const struct quipu_definitions *definitions = x->comm->definitions;
    if (x->pair->bytes != y->pair->bytes)
        return x->pair->bytes > y->pair->bytes ? -1 : 1;
    if (x->pair->messages != y->pair->messages)
        return x->pair->messages > y->pair->messages ? -1 : 1;
    const int order =
        quipu__names_compare(definitions, QUIPU_REFERS_LOCATION, x->pair->sender, y->pair->sender);
    if (order != 0)
        return order;
    const int last =
        quipu__names_compare(definitions, QUIPU_REFERS_LOCATION, x->pair->receiver, y->pair->receiver);
    return last != 0 ? last : (x->pair > y->pair) - (x->pair < y->pair);
}

/* A node is called by its host where no location of its own says its name. */
static void put_side(const struct quipu__comm *comm, uint32_t number, struct quipu_table *table,
                     size_t column) {
    const struct quipu_locations *locations = &comm->definitions->locations;
    if (!comm->by_node || number >= locations->count || locations->items[number].kind == QUIPU_LOCATION_NODE) {
        quipu__table_put_location(table, column, comm->definitions, number);
        return;
    }
    const char *host = locations->items[number].host;
    quipu__table_put_text(table, column, host[0] ? host : NULL);
    quipu__table_put_null(table, column + 1);
}

static enum quipu_status put_pair(const struct quipu__comm *comm, const struct quipu__comm_pair *pair,
                                  struct quipu_table *table, struct quipu_error *err) {
    const int64_t mean = pair->timed > 0 ? quipu__divide_rounded(pair->total, (int64_t)pair->timed) : 0;
    put_side(comm, pair->sender, table, PAIRS_sender);
    put_side(comm, pair->receiver, table, PAIRS_receiver);
    quipu__table_put_u64(table, PAIRS_messages, pair->messages);
    quipu__table_put_u64(table, PAIRS_bytes, pair->bytes);
    quipu__table_put_i64_if(table, PAIRS_min_ns, pair->timed > 0, pair->least);
    quipu__table_put_i64_if(table, PAIRS_max_ns, pair->timed > 0, pair->most);
    quipu__table_put_i64_if(table, PAIRS_mean_ns, pair->timed > 0, mean);
    return quipu__table_end_row(table, err);
}

static enum quipu_status put_pairs(struct quipu__comm *comm, struct quipu_table *table,
                                   struct quipu_error *err) {
    const size_t own = comm->pairs.count, count = own + comm->to_all.count;
    const size_t bytes = count * sizeof(struct sorted_pair);
    struct sorted_pair *sorted = count > 0 ? quipu__alloc(&comm->memory, bytes) : NULL;
    if (!sorted)
        return quipu__memory_status(&comm->memory, err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted_pair){comm, i < own ? &comm->pairs.items[i] : &comm->to_all.items[i - own]};
    enum quipu_status status = quipu__sort(&comm->memory, sorted, count, sizeof *sorted, compare_pairs)
                                   ? QUIPU_OK
                                   : quipu__memory_status(&comm->memory, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_pair(comm, sorted[i].pair, table, err);
    if (status == QUIPU_OK && comm->others.messages > 0)
        status = put_pair(comm, &comm->others, table, err);
    quipu__release(&comm->memory, sorted, bytes);
    return status;
}

static enum quipu_status put_sizes(const struct quipu__comm *comm, struct quipu_table *table,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < QUIPU__COMM_SIZES && status == QUIPU_OK; i++) {
        const uint64_t first = i > 0 ? UINT64_C(1) << (i - 1) : 0;
        if (comm->sizes[i].messages == 0)
            continue;
        quipu__table_put_u64(table, SIZES_from_bytes, first);
        quipu__table_put_u64(table, SIZES_to_bytes, i > 0 ? first + (first - 1) : 0);
        quipu__table_put_u64(table, SIZES_messages, comm->sizes[i].messages);
        quipu__table_put_u64(table, SIZES_bytes, comm->sizes[i].bytes);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* ---- Numbers of ends ---- */

/* The ends, or nodes, of a trace from 0. */
struct numbering {
    uint32_t *numbers; /* by location; QUIPU_NONE: none */
    uint32_t count;
};

/* All that take part, or could: members of communicators, ends, and processes that have neither of these in them. They are marked in the
 * numbers, which are all QUIPU_NONE. */
enum { TAKES_PART = 0, IS_ABOVE_ONE = 1 };

static void mark_ends(struct quipu__comm *comm, uint32_t *numbers) {
    struct quipu__matcher *messages = &comm->communication.messages;
    const uint32_t count = comm->definitions->locations.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__standing *standing = quipu__ends_standing(&messages->locations, i);
        numbers[i] = standing && standing->is_member ? TAKES_PART : QUIPU_NONE;
    }
    for (size_t i = 0; i < messages->keys.count; i++) {
        const uint32_t ends[] = {messages->keys.items[i].key.sender, messages->keys.items[i].key.receiver};
        for (size_t k = 0; k < COUNT(ends); k++)
            if (ends[k] < count)
                numbers[ends[k]] = TAKES_PART;
    }
}

static void mark_silent_processes(const struct quipu_locations *locations, uint32_t *numbers) {
    for (uint32_t i = 0; i < locations->count; i++) {
        uint32_t above = numbers[i] == TAKES_PART ? locations->items[i].parent : QUIPU_NONE;
        for (; above < locations->count && numbers[above] == QUIPU_NONE; above = locations->items[above].parent)
            numbers[above] = IS_ABOVE_ONE;
    }
    for (uint32_t i = 0; i < locations->count; i++)
        if (numbers[i] == QUIPU_NONE && locations->items[i].kind == QUIPU_LOCATION_PROCESS)
            numbers[i] = TAKES_PART;
}

struct ranked {
    uint64_t rank; /* those without one come last */
    uint32_t location;
};

static int compare_ranked(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->location > y->location) - (x->location < y->location);
}

/* By rank, then in the order of definition. */
static bool number_ends(struct quipu__comm *comm, struct numbering *numbering) {
    const struct quipu_locations *locations = &comm->definitions->locations;
    const size_t bytes = (locations->count + 1) * sizeof(struct ranked);
    struct ranked *list = quipu__alloc(&comm->memory, bytes);
    if (!list)
        return false;
    mark_ends(comm, numbering->numbers);
    mark_silent_processes(locations, numbering->numbers);
    for (uint32_t i = 0; i < locations->count; i++) {
        if (numbering->numbers[i] == TAKES_PART)
            list[numbering->count++] = (struct ranked){(uint64_t)locations->items[i].rank, i};
        numbering->numbers[i] = QUIPU_NONE;
    }
    const bool is_sorted = quipu__sort(&comm->memory, list, numbering->count, sizeof *list, compare_ranked);
    for (uint32_t i = 0; i < numbering->count; i++)
        numbering->numbers[list[i].location] = i;
    quipu__release(&comm->memory, list, bytes);
    return is_sorted;
}

/* Nodes have the order in which they first appear in pairs. */
static void number_nodes(const struct quipu__comm *comm, struct numbering *numbering) {
    for (uint32_t i = 0; i < comm->definitions->locations.count; i++)
        numbering->numbers[i] = QUIPU_NONE;
    for (size_t i = 0; i < comm->pairs.count; i++) {
        const uint32_t sides[] = {comm->pairs.items[i].sender, comm->pairs.items[i].receiver};
        for (size_t k = 0; k < COUNT(sides); k++)
            if (numbering->numbers[sides[k]] == QUIPU_NONE)
                numbering->numbers[sides[k]] = numbering->count++;
    }
}

/* ---- Patterns ---- */

struct fits {
    struct quipu__fit best;
    bool has_best;
    struct quipu_table *models; /* NULL: not wanted */
    enum quipu_status status;
    struct quipu_error *err;
};

static enum quipu_status put_fit(const struct quipu__fit *fit, bool is_regular, struct quipu_table *table,
                                 struct quipu_error *err) {
    quipu__table_put_text(table, PATTERN_pattern, is_regular ? fit->pattern : "irregular");
    quipu__table_put_text(table, PATTERN_detail, is_regular ? fit->detail : "");
    quipu__table_put_ratio(table, PATTERN_fit, fit->common, fit->all, 6);
    return quipu__table_end_row(table, err);
}

static void add_fit(void *context, const struct quipu__fit *fit) {
    struct fits *fits = context;
    if (!fits->has_best || fit->common * fits->best.all > fits->best.common * fit->all)
        fits->best = *fit;
    fits->has_best = true;
    if (fits->models && fits->status == QUIPU_OK)
        fits->status = put_fit(fit, true, fits->models, fits->err);
}

static size_t list_edges(const struct quipu__comm *comm, const struct numbering *numbering,
                         struct quipu__edge *edges) {
    size_t count = 0;
    for (size_t i = 0; i < comm->pairs.count; i++) {
        const struct quipu__comm_pair *pair = &comm->pairs.items[i];
        const struct quipu__edge edge = {numbering->numbers[pair->sender], numbering->numbers[pair->receiver]};
        if (edge.from != edge.to && edge.from != QUIPU_NONE && edge.to != QUIPU_NONE)
            edges[count++] = edge;
    }
    return count;
}

static enum quipu_status put_pattern(struct quipu__comm *comm, const struct numbering *numbering,
                                     struct quipu_table *pattern, struct quipu_table *models,
                                     struct quipu_error *err) {
    const size_t bytes = comm->pairs.count * sizeof(struct quipu__edge);
    struct quipu__edge *list = bytes > 0 ? quipu__alloc(&comm->memory, bytes) : NULL;
    if (!list)
        return quipu__memory_status(&comm->memory, err);
    const struct quipu__edges edges = {list, list_edges(comm, numbering, list), numbering->count};
    struct fits fits = {.models = models, .err = err};
    if (edges.count > 0)
        quipu__comm_fit(&edges, add_fit, &fits);
    quipu__release(&comm->memory, list, bytes);
    if (fits.status != QUIPU_OK || !fits.has_best)
        return fits.status;
    const bool is_regular = fits.best.common * 5 >= fits.best.all * 4;
    return put_fit(&fits.best, is_regular, pattern, err);
}

/* ---- The heat map ---- */

enum { MAP_MOST = 48 }; /* characters and rows of a heat map */

struct map {
    uint64_t bytes[MAP_MOST][MAP_MOST];
    uint32_t first[MAP_MOST]; /* location of the first of a row */
    uint32_t size, step;      /* rows, and how many processes each stands for */
    uint64_t most;
};

static char shade(uint64_t bytes, uint64_t most) {
    static const char shades[] = ".123456789#";
    if (bytes == 0)
        return ' ';
    return shades[quipu__scale_rounded(bytes, sizeof shades - 2, most)];
}

static void fill_map(const struct quipu__comm *comm, const struct numbering *numbering, struct map *map) {
    map->step = (numbering->count + MAP_MOST - 1) / MAP_MOST;
    map->size = (numbering->count + map->step - 1) / map->step;
    for (uint32_t i = 0; i < comm->definitions->locations.count; i++)
        if (numbering->numbers[i] != QUIPU_NONE && numbering->numbers[i] % map->step == 0)
            map->first[numbering->numbers[i] / map->step] = i;
    for (size_t i = 0; i < comm->pairs.count; i++) {
        const struct quipu__comm_pair *pair = &comm->pairs.items[i];
        const uint32_t from = numbering->numbers[pair->sender], to = numbering->numbers[pair->receiver];
        if (from == QUIPU_NONE || to == QUIPU_NONE)
            continue;
        uint64_t *bytes = &map->bytes[from / map->step][to / map->step];
        *bytes += pair->bytes;
        map->most = *bytes > map->most ? *bytes : map->most;
    }
}

static enum quipu_status put_map(struct quipu__comm *comm, const struct numbering *numbering,
                                 struct quipu_table *table, struct quipu_error *err) {
    if (comm->pairs.count == 0 || numbering->count == 0)
        return QUIPU_OK;
    struct map *map = quipu__alloc_zero(&comm->memory, sizeof *map);
    if (!map)
        return quipu__no_memory(err, sizeof *map);
    fill_map(comm, numbering, map);
    enum quipu_status status = QUIPU_OK;
    for (uint32_t row = 0; row < map->size && status == QUIPU_OK; row++) {
        char text[MAP_MOST + 3] = "|";
        uint64_t bytes = 0;
        for (uint32_t column = 0; column < map->size; column++) {
            text[column + 1] = shade(map->bytes[row][column], map->most);
            bytes += map->bytes[row][column];
        }
        text[map->size + 1] = '|';
        put_side(comm, map->first[row], table, MATRIX_sender);
        quipu__table_put_u64(table, MATRIX_bytes, bytes);
        quipu__table_put_text(table, MATRIX_receivers, text);
        status = quipu__table_end_row(table, err);
    }
    quipu__release(&comm->memory, map, sizeof *map);
    return status;
}

/* ---- All ---- */

static enum quipu_status put_numbered(struct quipu__comm *comm, struct quipu_table *const *tables,
                                      struct quipu_error *err) {
    const size_t bytes = ((size_t)comm->definitions->locations.count + 1) * sizeof(uint32_t);
    struct numbering numbering = {.numbers = quipu__alloc_zero(&comm->memory, bytes)};
    if (!numbering.numbers)
        return quipu__no_memory(err, bytes);
    enum quipu_status status = QUIPU_OK;
    if (comm->by_node)
        number_nodes(comm, &numbering);
    else if (!number_ends(comm, &numbering))
        status = quipu__memory_status(&comm->memory, err);
    if (status == QUIPU_OK)
        status = put_pattern(comm, &numbering, tables[PATTERN], tables[MODELS], err);
    if (status == QUIPU_OK)
        status = put_map(comm, &numbering, tables[MATRIX], err);
    quipu__release(&comm->memory, numbering.numbers, bytes);
    return status;
}

static enum quipu_status put_tables(struct quipu__comm *comm, struct quipu_table *const *tables,
                                    struct quipu_error *err) {
    enum quipu_status status = put_numbered(comm, tables, err);
    if (status != QUIPU_OK)
        return status;
    status = put_sizes(comm, tables[SIZES], err);
    return status == QUIPU_OK ? put_pairs(comm, tables[PAIRS], err) : status;
}

enum quipu_status quipu__comm_finish(void *state, struct quipu_tables *list, struct quipu_error *err) {
    struct quipu__comm *comm = state;
    struct quipu_table *tables[QUIPU__COMM_TABLES] = {NULL};
    const size_t count = comm->shows_models ? QUIPU__COMM_TABLES : MODELS;
    quipu__communication_finish(&comm->communication);
    quipu__comm_add_teams(comm);
    enum quipu_status status =
        quipu__matched_tables_new(&comm->communication, quipu__comm_tables, count, list, tables, err);
    if (status == QUIPU_OK)
        status = put_tables(comm, tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&comm->memory, err) : status;
}
