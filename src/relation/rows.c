/* rows.c: see rows.h: making and reading rows. */
#include "relation/rows.h"

#include "core/error.h"
#include "core/os.h"
#include "core/text.h"

#include <stdatomic.h>
#include <string.h>

/* ---- Texts ---- */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

void quipu__put_utf8(struct quipu__buffer *out, const char *text, size_t len) {
    size_t begin = 0, index = 0;
    uint32_t code;
    while (index < len) {
        const size_t step = quipu__utf8_decode((const uint8_t *)text + index, len - index, &code);
        if (step > 0) {
            index += step;
            continue;
        }
        quipu__put(out, text + begin, index - begin);
        quipu__put(out, replacement, sizeof replacement - 1);
        begin = ++index;
    }
    quipu__put(out, text + begin, len - begin);
}

/* ---- The pool ---- */

/* Values of a column are of one of two sizes. */
enum {
    NUMBERS = QUIPU__ROWS * sizeof(uint64_t),
    TEXTS = (QUIPU__ROWS + 1) * sizeof(int32_t),
    POOL_BLOCKS = 32
};

struct blocks {
    size_t size, count;
    size_t missing; /* how often none was there, and none has come instead */
    void *items[POOL_BLOCKS];
};

struct quipu__row_pool {
    struct quipu__memory memory;
    _Atomic size_t owners;
    struct quipu__lock *lock; /* of the memory and of the blocks */
    void *zeros;              /* values of columns that have only nulls so far; NULL: of none */
    struct blocks blocks[2];  /* of numbers and of texts */
    bool is_over;             /* no more rows are made */
};

/* NULL when memory is out. */
static struct quipu__row_pool *pool_new(const struct quipu__memory *model) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, model);
    struct quipu__row_pool *pool = quipu__alloc_zero(&memory, sizeof *pool);
    if (!pool)
        return NULL;
    pool->memory = memory;
    atomic_init(&pool->owners, 1);
    pool->blocks[0].size = NUMBERS;
    pool->blocks[1].size = TEXTS;
    pool->lock = quipu__lock_new();
    if (pool->lock)
        return pool;
    quipu__release(&memory, pool, sizeof *pool);
    return NULL;
}

static void release_blocks(struct quipu__row_pool *pool, struct blocks *blocks) {
    while (blocks->count > 0)
        quipu__release(&pool->memory, blocks->items[--blocks->count], blocks->size);
}

static void release_share(struct quipu__row_pool *pool) {
    if (atomic_fetch_sub_explicit(&pool->owners, 1, memory_order_acq_rel) > 1)
        return;
    quipu__release(&pool->memory, pool->zeros, NUMBERS);
    quipu__lock_free(pool->lock);
    struct quipu__memory memory = pool->memory;
    quipu__release(&memory, pool, sizeof *pool);
}

void quipu__row_pool_free(struct quipu__row_pool *pool) {
    if (!pool)
        return;
    quipu__lock_take(pool->lock);
    pool->is_over = true;
    release_blocks(pool, &pool->blocks[0]);
    release_blocks(pool, &pool->blocks[1]);
    quipu__lock_give(pool->lock);
    release_share(pool);
}

static struct quipu__row_pool *share_pool(struct quipu__row_pool *pool) {
    atomic_fetch_add_explicit(&pool->owners, 1, memory_order_relaxed);
    return pool;
}

static struct blocks *blocks_of(struct quipu__row_pool *pool, size_t size) {
    return &pool->blocks[size != NUMBERS];
}

static bool has_room(const struct quipu__memory *memory, size_t size) {
    return memory->limit - memory->used >= size;
}

/* What is in it may be anything. */
static void *take_block(struct quipu__row_pool *pool, struct quipu__memory *memory, size_t size) {
    struct blocks *blocks = blocks_of(pool, size);
    void *block = NULL;
    quipu__lock_take(pool->lock);
    if (blocks->count > 0 && has_room(memory, size)) {
        block = blocks->items[--blocks->count];
        quipu__memory_hand_over(&pool->memory, memory, size);
    } else if (blocks->missing < POOL_BLOCKS) {
        blocks->missing++;
    }
    quipu__lock_give(pool->lock);
    return block ? block : quipu__alloc(memory, size);
}

static void give_block(struct quipu__row_pool *pool, struct quipu__memory *memory, void *block, size_t size) {
    struct blocks *blocks = blocks_of(pool, size);
    if (!block)
        return;
    quipu__lock_take(pool->lock);
    const bool is_zeros = block == pool->zeros;
    const bool fits =
        !is_zeros && !pool->is_over && blocks->count < POOL_BLOCKS && has_room(&pool->memory, size);
    if (fits) {
        blocks->items[blocks->count++] = block;
        quipu__memory_hand_over(memory, &pool->memory, size);
    }
    quipu__lock_give(pool->lock);
    if (!fits && !is_zeros)
        quipu__release(memory, block, size);
}

/* Another thread may have filled it meanwhile. */
static bool refill(struct quipu__row_pool *pool, struct blocks *blocks) {
    struct quipu__memory memory;
    if (blocks->missing == 0)
        return false;
    blocks->missing--;
    quipu__memory_like(&memory, &pool->memory);
    quipu__lock_give(pool->lock);
    void *block = quipu__alloc(&memory, blocks->size);
    if (block) {
        memset(block, 0, blocks->size); /* the system gives pages when they are first written */
        give_block(pool, &memory, block, blocks->size);
    }
    quipu__lock_take(pool->lock);
    return block != NULL;
}

bool quipu__row_pool_refill(struct quipu__row_pool *pool) {
    quipu__lock_take(pool->lock);
    const bool has_refilled = refill(pool, &pool->blocks[0]) || refill(pool, &pool->blocks[1]);
    quipu__lock_give(pool->lock);
    return has_refilled;
}

/* ---- Rows ---- */

static bool is_text(enum quipu_column_type type) {
    return type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL || type == QUIPU_TYPE_JSON;
}

enum { KNOWN_BYTES = QUIPU__ROWS / 8 };

static size_t value_bytes(const struct quipu__row_column *column) {
    return column->has_texts ? TEXTS : NUMBERS;
}

static void *new_values(struct quipu__rows *rows, const struct quipu__row_column *column, bool is_complete) {
    void *values = take_block(rows->pool, &rows->memory, value_bytes(column));
    if (values && !is_complete)
        memset(values, 0, value_bytes(column));
    return values;
}

static void column_init(struct quipu__rows *rows, struct quipu__row_column *column,
                        const struct quipu_table_column *info, const struct quipu__row_use *use) {
    *column = (struct quipu__row_column){
        .name = info->name,
        .type = info->type,
        .has_texts = is_text(info->type),
        .has_dictionary = use->has_dictionary,
    };
    quipu__buffer_init(&column->bytes, &rows->memory, INT32_MAX);
}

static size_t rows_size(size_t column_count) {
    return sizeof(struct quipu__rows) + column_count * sizeof(struct quipu__row_column);
}

/* The first rows ask for them, before any are consumed. */
static void *zeros_of(struct quipu__rows *rows) {
    struct quipu__row_pool *pool = rows->pool;
    quipu__lock_take(pool->lock);
    if (!pool->zeros)
        pool->zeros = quipu__alloc_zero(&pool->memory, NUMBERS);
    quipu__lock_give(pool->lock);
    if (!pool->zeros)
        quipu__memory_refuse(&rows->memory);
    return pool->zeros;
}

static struct quipu__rows *rows_alloc(struct quipu__row_pool *pool, size_t column_count) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, &pool->memory);
    struct quipu__rows *rows = quipu__alloc_zero(&memory, rows_size(column_count));
    if (!rows)
        return NULL;
    rows->memory = memory;
    rows->pool = share_pool(pool);
    atomic_init(&rows->owners, 1);
    rows->column_count = column_count;
    return rows;
}

enum quipu_status quipu__rows_new(const struct quipu__memory *model, struct quipu__row_pool **pool,
                                  const struct quipu_table_column *columns, size_t column_count,
                                  const struct quipu__row_use *uses, struct quipu__rows **out,
                                  struct quipu_error *err) {
    if (!*pool)
        *pool = pool_new(model);
    struct quipu__rows *rows = *out = *pool ? rows_alloc(*pool, column_count) : NULL;
    if (!rows)
        return quipu__no_memory(err, rows_size(column_count));
    for (size_t i = 0; i < column_count; i++) {
        struct quipu__row_column *column = &rows->columns[i];
        column_init(rows, column, &columns[i], &uses[i]);
        if (!uses[i].is_wanted)
            continue;
        column->values = uses[i].is_sparse ? zeros_of(rows) : new_values(rows, column, uses[i].is_complete);
        column->known = quipu__alloc_zero(&rows->memory, KNOWN_BYTES);
    }
    const enum quipu_status status = quipu__memory_status(&rows->memory, err);
    if (status != QUIPU_OK) {
        quipu__rows_free(rows);
        *out = NULL;
    }
    return status;
}

bool quipu__row_column_fill(struct quipu__rows *rows, struct quipu__row_column *column) {
    if (column->values != rows->pool->zeros)
        return column->values != NULL;
    void *values = new_values(rows, column, false);
    if (values)
        column->values = values;
    return values != NULL;
}

static void column_release(struct quipu__rows *rows, struct quipu__row_column *column) {
    give_block(rows->pool, &rows->memory, column->values, value_bytes(column));
    quipu__release(&rows->memory, column->known, KNOWN_BYTES);
    quipu__buffer_release(&column->bytes);
    quipu__texts_release(column->texts);
}

bool quipu__rows_take(struct quipu__rows *rows, size_t number, struct quipu__rows **out,
                      struct quipu__row_column **column) {
    struct quipu__row_column *from = &rows->columns[number];
    if (from->values == rows->pool->zeros) {
        atomic_fetch_add_explicit(&rows->owners, 1, memory_order_relaxed);
        *out = rows;
        *column = from;
        return true;
    }
    struct quipu__rows *taken = *out = rows_alloc(rows->pool, 1);
    if (!taken)
        return false;
    taken->count = rows->count;
    taken->columns[0] = *from;
    taken->columns[0].bytes.memory = &taken->memory;
    quipu__memory_hand_over(&rows->memory, &taken->memory,
                            value_bytes(from) + KNOWN_BYTES + from->bytes.capacity);
    from->values = from->known = NULL;
    from->texts = NULL;
    quipu__buffer_init(&from->bytes, &rows->memory, INT32_MAX);
    *column = &taken->columns[0];
    return true;
}

void quipu__rows_free(struct quipu__rows *rows) {
    if (!rows || atomic_fetch_sub_explicit(&rows->owners, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < rows->column_count; i++)
        column_release(rows, &rows->columns[i]);
    release_share(rows->pool);
    struct quipu__memory memory = rows->memory;
    quipu__release(&memory, rows, rows_size(rows->column_count));
}

void quipu__row_set_text(struct quipu__row_column *column, size_t row, const char *text, size_t len) {
    if (!column->values)
        return;
    int32_t *ends = column->values;
    if (text) {
        quipu__put_utf8(&column->bytes, text, len);
        column->known[row / 8] |= (uint8_t)(1U << row % 8);
    }
    ends[row + 1] = (int32_t)column->bytes.len;
}

/* ---- Reading ---- */

const char *quipu__row_text(const struct quipu__row_column *column, size_t row, size_t *len) {
    const int32_t *numbers = column->values;
    const int32_t *ends = column->has_dictionary ? column->texts->ends + numbers[row] : numbers + row;
    const char *bytes = column->has_dictionary ? column->texts->bytes : (const char *)column->bytes.data;
    *len = (size_t)(ends[1] - ends[0]);
    return *len > 0 ? bytes + ends[0] : "";
}

/* Bits behind the last row are 0. Sums are made of two bits, four, eight, and then of all. */
size_t quipu__row_nulls(const struct quipu__rows *rows, const struct quipu__row_column *column) {
    size_t known = 0;
    for (size_t i = 0; column->values != rows->pool->zeros && i < rows->count; i += 64) {
        uint64_t bits;
        memcpy(&bits, column->known + i / 8, sizeof bits);
        bits -= bits >> 1 & UINT64_C(0x5555555555555555);
        bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
        bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
        known += bits * UINT64_C(0x0101010101010101) >> 56;
    }
    return rows->count - known;
}
