/* relation.h: what a relation is inside the library: a description, and a scan that makes its rows. */
#ifndef QUIPU_RELATION_RELATION_H
#define QUIPU_RELATION_RELATION_H

#include "model/event.h"
#include "relation/rows.h"
#include "table/table.h"

#include <quipu/analysis.h>
#include <quipu/relation.h>

struct quipu__scan;
struct quipu__row_maker;
struct quipu__fold;

/* What a relation heeds of a selection; all else in one is QUIPU_MISUSE. */
enum {
    QUIPU__BY_TIMES = 1,
    QUIPU__BY_LOCATIONS = 2,
    QUIPU__BY_KINDS = 4,
    QUIPU__BY_REGIONS = 8,
    QUIPU__BY_EXPRESSIONS = 16,
    QUIPU__BY_ALL = 31
};

/* Whether rows of a part of the streams are known without the others. */
enum quipu__parts {
    QUIPU__NO_PARTS,           /* streams belong together */
    QUIPU__PARTS_OF_LOCATIONS, /* if no location has events in another part */
    QUIPU__PARTS_OF_STREAMS,
};

struct quipu__relation {
    const struct quipu_analysis_table *shape; /* one of those of this name, which differ in their columns */
    unsigned criteria;
    enum quipu__parts parts;
    quipu_kinds kinds;              /* events that it is made of */
    const struct quipu__fold *fold; /* of an analysis whose table it is, or NULL */

    /* Rows are made while the trace is read, and texts are dictionaries, but for those of one column; NULL: for none. */
    bool is_streamed;
    const char *free_text;

    /* Prepares a scan, which is released in any case. fill adds rows until they are full; QUIPU_END after the last. */
    enum quipu_status (*begin)(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err);
    enum quipu_status (*fill)(struct quipu__scan *scan, struct quipu_error *err);
    void (*release)(struct quipu__scan *scan);

    /* Of relations whose rows are found while events are read, and which fill by quipu__scan_fill: add takes the events of the batch, end
     * knows that there are no more, and put makes rows of what was found, until they are full. */
    enum quipu_status (*add)(struct quipu__scan *scan, struct quipu_error *err);
    enum quipu_status (*end)(struct quipu__scan *scan, struct quipu_error *err);
    void (*put)(struct quipu__scan *scan);

    /* Those of all tables of this name; filled in when the relation is looked up. */
    struct quipu_table_column columns[QUIPU_RELATION_COLUMNS];
    size_t column_count;
};

/* A relation by index, with its name; false when there is none. By name: QUIPU_NOT_FOUND. */
bool quipu__relation_at(size_t index, struct quipu__relation *out, char name[QUIPU_RELATION_NAME]);
enum quipu_status quipu__relation_find(const char *wanted, struct quipu__relation *out,
                                       struct quipu_error *err);

/* The tables of analyses and definitions as relations. */
extern const struct quipu__relation quipu__table_relation;

/* ---- Scans ---- */

struct quipu__scan {
    struct quipu__memory memory;
    struct quipu__relation relation;
    struct quipu_reader *reader;
    const struct quipu_definitions *definitions;
    struct quipu__row_use *uses;            /* of columns */
    struct quipu__dictionary *dictionaries; /* of columns with texts, in a relation that is streamed */
    struct quipu__row_pool *pool;           /* of rows */
    struct quipu__rows *rows;               /* that are being filled */
    const struct quipu_batch *batch;        /* that is being read, and the first of its events that was not */
    uint32_t event;
    uint64_t delivered;              /* events by the reader so far: others that use it meanwhile are noticed */
    int64_t ns_per_tick, last_exact; /* ticks up to this one take a whole number of ns each; -1: they do not */
    int64_t from, to;                /* of the selection, in ticks */
    bool *marks;                     /* of its locations, for those who read all of them; NULL: all */
    uint32_t mark_count;
    bool has_read_all, has_ended;
    bool *met; /* by location: it has events; NULL: it need not be known */
    uint32_t met_count;
    struct quipu_error delayed;     /* what hindered reading behind the last rows */
    void *state;                    /* of the relation */
    struct quipu__row_maker *maker; /* the thread that makes the rows; NULL: none */
    bool has_delivered;             /* the first ones have been delivered */
};

/* Begins a scan of a reader. options NULL: everything. */
enum quipu_status quipu__scan_new(struct quipu_reader *reader, const struct quipu__relation *relation,
                                  const struct quipu_relation_options *options, struct quipu__scan **out,
                                  struct quipu_error *err);
void quipu__scan_free(struct quipu__scan *scan);

/* Begins a scan of a table that is there, which must outlive it. */
enum quipu_status quipu__scan_of_table(const struct quipu_table *table, struct quipu__scan **out,
                                       struct quipu_error *err);

/* The next rows, at least one, which the caller frees; QUIPU_END after the last. Rows before a failure are delivered before it. If the reader may have
 * several threads, and there are more rows than the first ones, one of its own makes them in advance: until the last ones have been delivered, or the scan
 * is freed, the reader is that thread's. */
enum quipu_status quipu__scan_next(struct quipu__scan *scan, struct quipu__rows **out, struct quipu_error *err);

/* ---- For the relations ---- */

/* The next batch of the reader, in scan->batch. */
enum quipu_status quipu__scan_read(struct quipu__scan *scan, struct quipu_error *err);

static inline bool quipu__scan_is_full(const struct quipu__scan *scan) {
    return scan->rows->count == QUIPU__ROWS;
}

/* Selects what the relation is made of; NULL: everything. */
enum quipu_status quipu__scan_select(struct quipu__scan *scan, const struct quipu_selection *selection,
                                     struct quipu_error *err);

/* fill of relations whose rows are found while events are read. */
enum quipu_status quipu__scan_fill(struct quipu__scan *scan, struct quipu_error *err);

/* Marks the locations of a selection, whose rows are chosen by quipu__scan_has_location. */
enum quipu_status quipu__scan_mark_locations(struct quipu__scan *scan, const struct quipu_selection *selection,
                                             struct quipu_error *err);

static inline bool quipu__scan_has_location(const struct quipu__scan *scan, uint32_t location) {
    return !scan->marks || (location < scan->mark_count && scan->marks[location]);
}

static inline bool quipu__scan_has_time(const struct quipu__scan *scan, int64_t ticks) {
    return ticks >= scan->from && (ticks < scan->to || scan->to == INT64_MAX);
}

/* The number of a definition or operation's name, by its column's dictionary; -1 where it has none. Inline, since most names were met before: 18
 * instructions for each event otherwise (callgrind). */
int32_t quipu__scan_add_name(struct quipu__scan *scan, size_t column, uint64_t key);
static inline int32_t quipu__scan_name(struct quipu__scan *scan, size_t column, enum quipu_refers refers,
                                       uint64_t number) {
    const uint64_t key = (uint64_t)refers << 32 | (number & UINT32_MAX);
    const int32_t known = number < QUIPU_NONE ? quipu__dictionary_find(&scan->dictionaries[column], key) : -1;
    return known >= 0 || number >= QUIPU_NONE ? known : quipu__scan_add_name(scan, column, key);
}

/* Puts a name, and its number into the next column; nothing for QUIPU_NONE. */
static inline void quipu__scan_put_named(struct quipu__scan *scan, size_t column, enum quipu_refers refers,
                                         uint32_t number) {
    struct quipu__row_column *name = &scan->rows->columns[column];
    const size_t row = scan->rows->count;
    if (name->values)
        quipu__row_set_number(name, row, quipu__scan_name(scan, column, refers, number));
    quipu__row_set_if(&name[1], row, number != QUIPU_NONE, number);
}

static inline int64_t quipu__scan_ns(const struct quipu__scan *scan, int64_t ticks) {
    if (ticks <= scan->last_exact && ticks >= -scan->last_exact)
        return ticks * scan->ns_per_tick;
    return quipu_clock_ns(&scan->definitions->clock, ticks);
}

/* Puts a text into a column with a dictionary. */
static inline void quipu__scan_put_text(struct quipu__scan *scan, size_t column, const char *text) {
    if (scan->uses[column].is_wanted)
        quipu__row_set_number(&scan->rows->columns[column], scan->rows->count,
                              quipu__dictionary_text(&scan->dictionaries[column], text, strlen(text)));
}

/* What lasts from one time to another. */
static inline uint64_t quipu__scan_duration(const struct quipu__scan *scan, int64_t begin, int64_t end) {
    return (uint64_t)quipu__scan_ns(scan, end) - (uint64_t)quipu__scan_ns(scan, begin);
}

/* ---- For those that match messages ---- */

/* The order in which events must be read for that: only those of each process must come in the order of time, where no thread shares it
 * and no location has several streams. And the kinds that are needed: calls say which thread has posted its receive first. */
enum quipu_order quipu__messages_order(struct quipu_reader *reader);
quipu_kinds quipu__messages_kinds(const struct quipu_definitions *definitions);

/* A column with the name of a definition, and one with its number. */
#define QUIPU__DEFINED(COLUMN, table, name, doc)                                                               \
    COLUMN(table, name, TEXT, "", doc)                                                                         \
    COLUMN(table, name##_number, U64, "", "its number, from 0")

#endif
