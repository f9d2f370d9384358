/* open_table.c: the rows of the tables "open" and "messages". */
#include "analysis/open.h"
#include "analysis/table.h"
#include "core/error.h"
#include "model/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Choosing rows ---- */

/* The number at *at, QUIPU_NONE at most; false when there is none. */
static bool take_number(const char **at, uint64_t *out) {
    const char *start = *at;
    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++)
        *out = *out < QUIPU_NONE / 10 ? *out * 10 + (uint64_t)(**at - '0') : QUIPU_NONE;
    return *at > start;
}

/* "0-3" or "7" at *at, and the comma behind it. */
static bool take_range(const char **at, uint64_t *first, uint64_t *last) {
    if (!take_number(at, first))
        return false;
    *last = *first;
    if (**at == '-') {
        (*at)++;
        if (!take_number(at, last))
            return false;
    }
    if (**at == ',')
        return *++*at != '\0';
    return **at == '\0';
}

bool quipu__moment_is_list(const char *list) {
    uint64_t first, last;
    do
        if (!take_range(&list, &first, &last))
            return false;
    while (*list);
    return true;
}

static bool is_wanted(const struct quipu__moment *moment, uint32_t location) {
    const char *at = moment->locations;
    uint64_t first, last;
    while (at && *at && take_range(&at, &first, &last))
        if (first <= location && location <= last)
            return true;
    return at == NULL;
}

/* ---- Cells ---- */

#define OPEN_COLUMN(name, type, unit, doc) OPEN_##name,
enum {
#include "analysis/open.def"
    OPEN_COLUMNS
};
#define MESSAGE_COLUMN(name, type, unit, doc) MESSAGE_##name,
enum {
#include "analysis/open.def"
    MESSAGE_COLUMNS
};
#define OPEN_COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
static const struct quipu_table_column open_columns[] = {
#include "analysis/open.def"
};
#define MESSAGE_COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
static const struct quipu_table_column message_columns[] = {
#include "analysis/open.def"
};

/* A row in the making: its cells, and room for those that are texts of numbers. */
enum { CELLS_MOST = (int)OPEN_COLUMNS > (int)MESSAGE_COLUMNS ? (int)OPEN_COLUMNS : (int)MESSAGE_COLUMNS };
struct cells {
    const struct quipu_definitions *definitions;
    struct quipu_cell at[CELLS_MOST];
    char texts[CELLS_MOST][32];
};

static void clear(struct cells *cells, const struct quipu_definitions *definitions) {
    cells->definitions = definitions;
    for (size_t i = 0; i < CELLS_MOST; i++)
        cells->at[i] = (struct quipu_cell){.is_null = true, .u = 0};
}

static void set_i64(struct cells *cells, size_t column, int64_t value) {
    cells->at[column] = (struct quipu_cell){.i = value};
}

static void set_known(struct cells *cells, size_t column, uint64_t value) {
    cells->at[column] = (struct quipu_cell){.is_null = value == QUIPU_UNKNOWN, .u = value};
}

static void set_text(struct cells *cells, size_t column, const char *text) {
    cells->at[column] = (struct quipu_cell){.text = text};
}

/* A definition without a name is called by its own number. */
static void set_name(struct cells *cells, size_t column, enum quipu_refers refers, uint32_t number) {
    const char *name = number == QUIPU_NONE ? NULL : quipu__name_of(cells->definitions, refers, number);
    if (!name)
        return;
    if (!name[0]) {
        snprintf(cells->texts[column], sizeof cells->texts[column], "%" PRIu64,
                 quipu__native_id_of(cells->definitions, refers, number));
        name = cells->texts[column];
    }
    set_text(cells, column, name);
}

/* The name of a location, and in the next column its own number. */
static void set_location(struct cells *cells, size_t column, uint32_t location) {
    set_name(cells, column, QUIPU_REFERS_LOCATION, location);
    set_known(cells, column + 1, quipu__native_id_of(cells->definitions, QUIPU_REFERS_LOCATION, location));
}

/* ---- What is open ---- */

/* The value of a metric as the metric says; of states, signed; of the rest, a number that may be unknown. */
static void set_value(struct cells *cells, const struct quipu__begun *thing, enum quipu_refers refers) {
    char *text = cells->texts[OPEN_value];
    const size_t size = sizeof cells->texts[OPEN_value];
    const struct quipu_metrics *metrics = &cells->definitions->metrics;
    const enum quipu_metric_value type =
        thing->object < metrics->count ? metrics->at[thing->object].value : QUIPU_METRIC_U64;
    double real;
    if (refers == QUIPU_REFERS_BITS && type == QUIPU_METRIC_F64) {
        memcpy(&real, &thing->value, sizeof real);
        snprintf(text, size, "%.17g", real);
    } else if (quipu__is_signed(refers) || (refers == QUIPU_REFERS_BITS && type == QUIPU_METRIC_I64)) {
        snprintf(text, size, "%" PRId64, (int64_t)thing->value);
    } else if (refers == QUIPU_REFERS_BITS ||
               (refers == QUIPU_REFERS_NOTHING && thing->value != QUIPU_UNKNOWN)) {
        snprintf(text, size, "%" PRIu64, thing->value);
    } else {
        return;
    }
    set_text(cells, OPEN_value, text);
}

static void set_field(struct cells *cells, const struct quipu__begun *thing,
                      const struct quipu_kind_field *field) {
    switch (field->column) {
    case QUIPU_COLUMN_object:
        set_name(cells, OPEN_what, field->refers, thing->object);
        break;
    case QUIPU_COLUMN_peer:
        set_name(cells, OPEN_peer, field->refers, thing->peer);
        break;
    case QUIPU_COLUMN_group:
        set_name(cells, OPEN_communicator, field->refers, thing->group);
        break;
    case QUIPU_COLUMN_operation:
        set_name(cells, OPEN_operation, field->refers, thing->operation);
        break;
    case QUIPU_COLUMN_tag:
        set_i64(cells, OPEN_tag, thing->tag);
        break;
    case QUIPU_COLUMN_bytes:
        set_known(cells, OPEN_bytes, thing->bytes);
        break;
    case QUIPU_COLUMN_value:
        set_value(cells, thing, field->refers);
        break;
    case QUIPU_COLUMN_id:
        set_known(cells, OPEN_id, thing->id);
        break;
    case QUIPU_COLUMN_COUNT:
        break;
    }
}

/* A thing and its place among all rows. */
struct row {
    const struct quipu__begun *thing;
    uint32_t location, class_of;
    uint32_t channel;          /* whose stack it is on, 0 for all else */
    uint32_t stream, position; /* in its list */
    int64_t time;              /* the latest in its list so far */
};

static enum quipu_status show(const struct quipu__moment *moment, const struct row *row, uint64_t depth,
                              struct quipu_table *table, struct quipu_error *err) {
    const struct quipu_definitions *definitions = moment->follower.definitions;
    const struct quipu__begun *thing = row->thing;
    const struct quipu_kind_info *kind = quipu_kind_at((enum quipu_kind)thing->kind);
    const int64_t until = moment->to == INT64_MAX ? moment->follower.last : moment->to;
    struct cells cells;
    clear(&cells, definitions);
    set_location(&cells, OPEN_location, row->location);
    set_text(&cells, OPEN_class, quipu__begun_rows[row->class_of].name);
    set_known(&cells, OPEN_depth, depth);
    set_i64(&cells, OPEN_since_ns, quipu_clock_ns(&definitions->clock, thing->time));
    set_i64(&cells, OPEN_since, thing->time);
    set_i64(&cells, OPEN_for_ns,
            quipu_clock_ns(&definitions->clock, (int64_t)((uint64_t)until - (uint64_t)thing->time)));
    for (size_t i = 0; i < kind->field_count; i++)
        set_field(&cells, thing, &kind->fields[i]);
    if (row->class_of == QUIPU__BEGUN_request)
        set_text(&cells, OPEN_operation, kind->name);
    return quipu_table_add(table, cells.at, err);
}

#define COMPARE(member)                                                                                        \
    if (x->member != y->member)                                                                                \
        return x->member < y->member ? -1 : 1;

static int in_order(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    COMPARE(location)
    COMPARE(class_of)
    COMPARE(channel)
    COMPARE(time)
    COMPARE(stream)
    COMPARE(position)
    return 0;
}
#undef COMPARE

/* The rows of a list, whose order stays even where times go back. */
static void add_rows(const struct quipu__moment *moment, const struct quipu__strand *strand, uint32_t class_of,
                     struct row *rows, size_t *count) {
    const bool has_channels = class_of == QUIPU__BEGUN_pushed;
    uint32_t at = strand->lists[class_of].oldest, position = 0;
    int64_t time = INT64_MIN;
    for (; at != QUIPU_NONE; at = moment->follower.things.at[at].newer) {
        const struct quipu__begun *thing = &moment->follower.things.at[at];
        time = thing->time > time ? thing->time : time;
        rows[(*count)++] = (struct row){.thing = thing,
                                        .location = strand->location,
                                        .class_of = class_of,
                                        .channel = has_channels ? thing->object : 0,
                                        .stream = strand->stream,
                                        .position = position++,
                                        .time = time};
    }
}

/* All rows, at most as many as there are things. */
static size_t list_rows(const struct quipu__moment *moment, struct row *rows) {
    size_t count = 0;
    for (size_t i = 0; i < moment->follower.strands.count; i++) {
        const struct quipu__strand *strand = &moment->follower.strands.at[i];
        for (uint32_t class_of = 0; class_of < QUIPU__BEGUN_CLASSES && is_wanted(moment, strand->location);
             class_of++)
            add_rows(moment, strand, class_of, rows, &count);
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, in_order);
    return count;
}

/* The depth of a row that comes after another one, whose depth is known; QUIPU_UNKNOWN for what is on no stack. */
static uint64_t depth_of(const struct row *row, const struct row *before, uint64_t depth) {
    if (quipu__begun_rows[row->class_of].discipline != QUIPU__BEGUN_STACK)
        return QUIPU_UNKNOWN;
    const bool goes_on = before && before->location == row->location && before->class_of == row->class_of &&
                         before->channel == row->channel;
    return goes_on ? depth + 1 : 0;
}

enum quipu_status quipu__moment_open(struct quipu__moment *moment, struct quipu_table **out,
                                     struct quipu_error *err) {
    const size_t most = moment->follower.things.count;
    enum quipu_status status =
        quipu__table_new(&moment->memory.allocator, "open", open_columns, OPEN_COLUMNS, out, err);
    if (status != QUIPU_OK || most == 0)
        return status;
    struct row *rows = quipu__alloc(&moment->memory, most * sizeof *rows);
    if (!rows)
        return quipu__no_memory(err, most * sizeof *rows);
    const size_t count = list_rows(moment, rows);
    uint64_t depth = 0;
    for (size_t i = 0; i < count && status == QUIPU_OK; i++) {
        depth = depth_of(&rows[i], i > 0 ? &rows[i - 1] : NULL, depth);
        status = show(moment, &rows[i], depth, *out, err);
    }
    quipu__release(&moment->memory, rows, most * sizeof *rows);
    return status;
}

/* ---- Messages ---- */

struct class_row {
    const struct quipu__pair *pair;
    struct quipu__on_way way;
};

#define COMPARE(member)                                                                                        \
    if (x->pair->key.member != y->pair->key.member)                                                            \
        return x->pair->key.member < y->pair->key.member ? -1 : 1;

static int by_class(const void *a, const void *b) {
    const struct class_row *x = a, *y = b;
    COMPARE(sender)
    COMPARE(receiver)
    COMPARE(communicator)
    COMPARE(tag)
    return 0;
}
#undef COMPARE

static enum quipu_status show_class(const struct quipu_definitions *definitions, const struct class_row *row,
                                    struct quipu_table *table, struct quipu_error *err) {
    struct cells cells;
    clear(&cells, definitions);
    set_location(&cells, MESSAGE_sender, row->pair->key.sender);
    set_location(&cells, MESSAGE_receiver, row->pair->key.receiver);
    set_name(&cells, MESSAGE_communicator, QUIPU_REFERS_GROUP, row->pair->key.communicator);
    set_i64(&cells, MESSAGE_tag, row->pair->key.tag);
    set_known(&cells, MESSAGE_messages, row->way.messages);
    set_known(&cells, MESSAGE_bytes, row->way.bytes);
    if (row->way.has_first)
        set_i64(&cells, MESSAGE_first_ns, quipu_clock_ns(&definitions->clock, row->way.first));
    set_i64(&cells, MESSAGE_last_ns, quipu_clock_ns(&definitions->clock, row->way.last));
    return quipu_table_add(table, cells.at, err);
}

/* Messages of classes for which there was no room. */
static bool has_left_out(const struct quipu__moment *moment) {
    return (int64_t)moment->follower.pending.left_out > 0;
}

static enum quipu_status show_left_out(const struct quipu__moment *moment, struct quipu_table *table,
                                       struct quipu_error *err) {
    struct cells cells;
    clear(&cells, moment->follower.definitions);
    set_known(&cells, MESSAGE_messages, moment->follower.pending.left_out);
    return quipu_table_add(table, cells.at, err);
}

static size_t list_classes(const struct quipu__moment *moment, struct class_row *rows) {
    const struct quipu__pending *pending = &moment->follower.pending;
    size_t count = 0;
    for (size_t i = 0; i < pending->pairs.list.count; i++) {
        const struct quipu__pair *pair = &pending->pairs.list.at[i];
        const struct quipu__on_way way = quipu__pending_at(pending, i);
        if (way.messages > 0 && (is_wanted(moment, pair->key.sender) || is_wanted(moment, pair->key.receiver)))
            rows[count++] = (struct class_row){pair, way};
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_class);
    return count;
}

enum quipu_status quipu__moment_messages(struct quipu__moment *moment, struct quipu_table **out,
                                         struct quipu_error *err) {
    const size_t most = moment->follower.pending.pairs.list.count;
    enum quipu_status status =
        quipu__table_new(&moment->memory.allocator, "messages", message_columns, MESSAGE_COLUMNS, out, err);
    if (status != QUIPU_OK || most == 0)
        return status;
    struct class_row *rows = quipu__alloc(&moment->memory, most * sizeof *rows);
    if (!rows)
        return quipu__no_memory(err, most * sizeof *rows);
    const size_t count = list_classes(moment, rows);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = show_class(moment->follower.definitions, &rows[i], *out, err);
    if (status == QUIPU_OK && has_left_out(moment))
        status = show_left_out(moment, *out, err);
    quipu__release(&moment->memory, rows, most * sizeof *rows);
    return status;
}
