/* rows.h: rows of a relation as columns in the layout of Arrow: values of 64 bits, bits that say which are known, and
 * texts, either one after the other or as numbers of a dictionary.
 *
 * Rows are made once, filled, and then only read. They have a memory gate of their own, so they may outlive all else. */
#ifndef QUIPU_RELATION_ROWS_H
#define QUIPU_RELATION_ROWS_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <quipu/table.h>

#include <stdatomic.h>

/* The most rows at a time, a multiple of 64: a column of them takes less than the 128 KiB from which on malloc asks the system for fresh pages each
 * time. With 16384 all columns of events take a tenth longer, with 65536 three times as long. */
enum { QUIPU__ROWS = 15872 };

/* ---- Texts ---- */

/* Valid UTF-8, whatever the trace has: wrong bytes become U+FFFD. */
void quipu__put_utf8(struct quipu__buffer *out, const char *text, size_t len);

/* The texts of a dictionary, which several rows share. They never change. */
struct quipu__texts {
    struct quipu__memory memory;
    _Atomic size_t owners;
    size_t count, size;
    int32_t *ends; /* count + 1 of them: text n is from ends[n] to ends[n + 1] of bytes */
    char *bytes;
};

static inline void quipu__texts_share(struct quipu__texts *texts) {
    atomic_fetch_add_explicit(&texts->owners, 1, memory_order_relaxed);
}
void quipu__texts_release(struct quipu__texts *texts);

/* A dictionary that grows: equal texts have one number. Keys are what a caller knows a text by. */
enum { QUIPU__DICTIONARY_LATEST = 64 };
struct quipu__dictionary {
    struct quipu__memory *memory;
    struct quipu__map by_key, by_text;
    struct quipu__buffer bytes;
    QUIPU__VEC(int32_t) ends; /* of all texts but the first, which begins at 0 */
    struct {
        uint64_t key; /* plus 1; 0: none */
        int32_t number;
    } latest[QUIPU__DICTIONARY_LATEST];
    struct quipu__texts *made; /* those of the last rows; NULL: none yet */
};

static inline void quipu__dictionary_init(struct quipu__dictionary *dictionary, struct quipu__memory *memory) {
    *dictionary = (struct quipu__dictionary){.memory = memory};
    quipu__map_init(&dictionary->by_key, memory);
    quipu__map_init(&dictionary->by_text, memory);
    quipu__buffer_init(&dictionary->bytes, memory, INT32_MAX);
}
void quipu__dictionary_release(struct quipu__dictionary *dictionary);

/* The number of the text with that key, or -1; adds one, which gives -1 when memory is out. */
int32_t quipu__dictionary_search(struct quipu__dictionary *dictionary, uint64_t key);
int32_t quipu__dictionary_add(struct quipu__dictionary *dictionary, uint64_t key, const char *text);
static inline int32_t quipu__dictionary_find(struct quipu__dictionary *dictionary, uint64_t key) {
    const size_t slot = key % QUIPU__DICTIONARY_LATEST;
    return dictionary->latest[slot].key == key + 1 ? dictionary->latest[slot].number
                                                   : quipu__dictionary_search(dictionary, key);
}

/* The number of a text without a key. */
int32_t quipu__dictionary_text(struct quipu__dictionary *dictionary, const char *text, size_t len);

/* Its texts by now, which the caller releases; NULL when memory is out. */
struct quipu__texts *quipu__dictionary_texts(struct quipu__dictionary *dictionary);

/* ---- Rows ---- */

/* Memory of columns that were freed, for those that are made next: malloc would give its pages back and ask the system for fresh ones, most of all when
 * one thread makes rows and another frees them. Rows that outlive it free theirs. */
struct quipu__row_pool;
void quipu__row_pool_free(struct quipu__row_pool *pool);

/* Makes memory that rows have missed, and touches it: for a thread that has to wait for them. False when none is missing. */
bool quipu__row_pool_refill(struct quipu__row_pool *pool);

struct quipu__row_column {
    const char *name;
    enum quipu_column_type type;
    bool has_texts, has_dictionary;
    void *values;   /* 64 bits each; int32_t numbers of a dictionary; int32_t ends of texts. NULL: not wanted */
    uint8_t *known; /* a bit per row */
    struct quipu__buffer bytes; /* of texts */
    struct quipu__texts *texts; /* of a dictionary */
};

struct quipu__rows {
    struct quipu__memory memory;
    _Atomic size_t owners;
    size_t count, column_count;
    struct quipu__row_pool *pool;
    struct quipu__row_column columns[];
};

/* What is made of a column. One that is sparse gets values of its own only when quipu__row_column_fill says that it will have some; in one that
 * is complete each row gets a value, and nothing else is there before. */
struct quipu__row_use {
    bool is_wanted, has_dictionary, is_sparse, is_complete;
};

/* Rows of the columns that are wanted. The first ones make the pool, with a gate like the model. */
enum quipu_status quipu__rows_new(const struct quipu__memory *model, struct quipu__row_pool **pool,
                                  const struct quipu_table_column *columns, size_t column_count,
                                  const struct quipu__row_use *uses, struct quipu__rows **out,
                                  struct quipu_error *err);
bool quipu__row_column_fill(struct quipu__rows *rows, struct quipu__row_column *column);
/* Frees them when nothing else shares them. */
void quipu__rows_free(struct quipu__rows *rows);

/* Takes a column out of rows that are complete, so that it can be freed before others: rows of this column only, in out, and where it is in them. One that
 * has only nulls is not taken: out shares the rows. False when memory is out. */
QUIPU_CHECKED bool quipu__rows_take(struct quipu__rows *rows, size_t number, struct quipu__rows **out,
                                    struct quipu__row_column **column);

/* Rows that have got values. */
static inline void quipu__row_set_known(struct quipu__row_column *column, size_t row, size_t count) {
    const size_t end = row + count;
    for (; row < end && row % 8 != 0; row++)
        column->known[row / 8] |= (uint8_t)(1U << row % 8);
    memset(column->known + row / 8, 0xFF, (end - row) / 8);
    for (row += (end - row) / 8 * 8; row < end; row++)
        column->known[row / 8] |= (uint8_t)(1U << row % 8);
}

/* Of a column that is wanted or not; cells that get nothing are null. Texts get theirs in the order of rows. */
static inline void quipu__row_set(struct quipu__row_column *column, size_t row, uint64_t value) {
    if (!column->values)
        return;
    ((uint64_t *)column->values)[row] = value;
    column->known[row / 8] |= (uint8_t)(1U << row % 8);
}

static inline void quipu__row_set_if(struct quipu__row_column *column, size_t row, bool is_known,
                                     uint64_t value) {
    if (is_known)
        quipu__row_set(column, row, value);
}

static inline void quipu__row_set_f64(struct quipu__row_column *column, size_t row, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    quipu__row_set(column, row, bits);
}

/* Below 0: null. */
static inline void quipu__row_set_number(struct quipu__row_column *column, size_t row, int32_t number) {
    if (!column->values || number < 0)
        return;
    ((int32_t *)column->values)[row] = number;
    column->known[row / 8] |= (uint8_t)(1U << row % 8);
}

/* Text NULL: null. */
void quipu__row_set_text(struct quipu__row_column *column, size_t row, const char *text, size_t len);

/* ---- Reading ---- */

static inline bool quipu__row_is_known(const struct quipu__row_column *column, size_t row) {
    return (column->known[row / 8] >> row % 8 & 1) != 0;
}

static inline uint64_t quipu__row_value(const struct quipu__row_column *column, size_t row) {
    return ((const uint64_t *)column->values)[row];
}

/* A text that is known, without a NUL. */
const char *quipu__row_text(const struct quipu__row_column *column, size_t row, size_t *len);

/* How many cells of a column are null. */
size_t quipu__row_nulls(const struct quipu__rows *rows, const struct quipu__row_column *column);

#endif
