/* groups.h: the rows of a table that have the same key, added up: what the marks of a figure stand for. */
#ifndef QUIPU_PICTURE_GROUPS_H
#define QUIPU_PICTURE_GROUPS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "picture/figure.h"

/* A number of a table, as it is and as far as it can be drawn. Whole numbers stop at the largest one. */
struct quipu__amount {
    int64_t whole;
    double real;
};

enum { QUIPU__VALUES_MOST = 12 };

/* The columns that a form names in its values, as far as the table has them. */
struct quipu__values {
    size_t columns[QUIPU__VALUES_MOST];
    size_t count;
};
struct quipu__values quipu__values_of(const struct quipu__drawing *drawing);

static inline const struct quipu_table_column *quipu__value_column(const struct quipu__drawing *drawing,
                                                                   const struct quipu__values *values,
                                                                   size_t value) {
    return quipu_table_column_at(drawing->table, values->columns[value]);
}

/* 0 where the cell is null. */
struct quipu__amount quipu__amount_at(const struct quipu_table *table, size_t row, size_t column);

/* The number in full, as CSV has it. */
void quipu__put_amount(struct quipu__buffer *out, const struct quipu_table_column *column,
                       const struct quipu__amount *amount);

/* A cell as text: "" when it is null. Numbers are written to number. */
enum { QUIPU__KEY_BYTES = 32 };
const char *quipu__key_text(const struct quipu_table *table, size_t row, size_t column,
                            char number[QUIPU__KEY_BYTES]);

struct quipu__group_key {
    const char *text; /* "NAME (ID)" where several have this name; "": the cell is null */
    const char *name; /* the cell */
    int64_t id;       /* the cell in the column "…_id" beside it, if there is one */
    uint64_t slot;    /* in the map */
};

struct quipu__group {
    struct quipu__group_key key; /* the first one; the text is "" in a remainder */
    const char *last;            /* the text of the last one of several keys, else NULL */
    size_t key_count;
    struct quipu__amount total; /* of all values */
    struct quipu__amount amounts[QUIPU__VALUES_MOST];
};

struct quipu__groups {
    struct quipu__memory *memory;
    struct quipu__values values;
    size_t key_column, id_column;             /* id: SIZE_MAX when the table has none for its keys */
    struct quipu__map map;                    /* hash of a name and an id: its number in keys */
    struct quipu__map names;                  /* hash of a name: the number of the first group that has it */
    QUIPU__VEC(struct quipu__group_key) keys; /* of all groups, before neighbours were joined */
    struct quipu__arena texts;
    QUIPU__VEC(struct quipu__group) list;
};

/* Groups the rows by a column, and by the numbers of what it names where the table has them: different locations may have the same name. In the order of first rows. False when memory is out, or there is nothing above 0. Release in any case. */
bool quipu__groups_make(struct quipu__groups *groups, const struct quipu__drawing *drawing,
                        const char *key_column);
void quipu__groups_release(struct quipu__groups *groups);

/* The number of a row's group, QUIPU_NONE when there is none. Where neighbours are joined: that before they were. */
uint32_t quipu__groups_of_row(const struct quipu__groups *groups, const struct quipu_table *table, size_t row);

/* The largest total first. */
void quipu__groups_sort(struct quipu__groups *groups);

/* Puts neighbours together until there are no more than most. Returns how many are together in each. */
size_t quipu__groups_join(struct quipu__groups *groups, size_t most);

/* Leaves the first most ones and makes one of all others, with the key "". */
void quipu__groups_cut(struct quipu__groups *groups, size_t most);

/* Sorts by the numbers of the locations that these are; others stay behind them in their order. */
void quipu__groups_order_by_location(struct quipu__groups *groups, const struct quipu_definitions *definitions);

#endif
