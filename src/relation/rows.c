/* rows.c: see rows.h: making and reading rows. */
#include "relation/rows.h"

#include "core/error.h"
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

/* Who finds it busy does without, and waits for no other thread: that may be in the process which this one was forked from. */
struct quipu__row_pool {
    struct quipu__memory memory; /* of the pool and its blocks */
    _Atomic size_t owners;
    atomic_bool is_busy, is_over; /* is_over: no more rows are made */
    struct blocks blocks[2];      /* of numbers and of texts */

    /* Values of columns that have only nulls so far; NULL: of none. The first rows ask for them, before any are consumed. */
    struct quipu__memory memory_of_zeros;
    void *_Atomic zeros;
};

static bool take_pool(struct quipu__row_pool *pool) {
    return !atomic_exchange_explicit(&pool->is_busy, true, memory_order_acquire);
}

static void give_pool(struct quipu__row_pool *pool) {
    atomic_store_explicit(&pool->is_busy, false, memory_order_release);
}

/* NULL when memory is out. */
static struct quipu__row_pool *pool_new(const struct quipu__memory *model) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, model);
    struct quipu__row_pool *pool = quipu__alloc_zero(&memory, sizeof *pool);
    if (!pool)
        return NULL;
    pool->memory = memory;
    quipu__memory_like(&pool->memory_of_zeros, model);
    atomic_init(&pool->owners, 1);
    pool->blocks[0].size = NUMBERS;
    pool->blocks[1].size = TEXTS;
    return pool;
}

static void release_blocks(struct quipu__row_pool *pool) {
    for (unsigned i = 0; i < 2; i++)
        while (pool->blocks[i].count > 0)
            quipu__release(&pool->memory, pool->blocks[i].items[--pool->blocks[i].count], pool->blocks[i].size);
}

static void release_share(struct quipu__row_pool *pool) {
    if (atomic_fetch_sub_explicit(&pool->owners, 1, memory_order_acq_rel) > 1)
        return;
    release_blocks(pool);
    quipu__release(&pool->memory_of_zeros, pool->zeros, NUMBERS);
    struct quipu__memory memory = pool->memory;
    quipu__release(&memory, pool, sizeof *pool);
}

/* Blocks that other threads are giving just now are freed with the last rows. */
void quipu__row_pool_free(struct quipu__row_pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->is_over, true);
    if (take_pool(pool)) {
        release_blocks(pool);
        give_pool(pool);
    }
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

/* A block of the pool; NULL: there is none. */
static void *pooled_block(struct quipu__row_pool *pool, struct quipu__memory *memory, size_t size) {
    struct blocks *blocks = blocks_of(pool, size);
    void *block = NULL;
    if (!take_pool(pool))
        return NULL;
    if (blocks->count > 0 && has_room(memory, size)) {
        block = blocks->items[--blocks->count];
        quipu__memory_hand_over(&pool->memory, memory, size);
    } else if (blocks->missing < POOL_BLOCKS) {
        blocks->missing++;
    }
    give_pool(pool);
    return block;
}

/* What is in it may be anything. */
static void *take_block(struct quipu__row_pool *pool, struct quipu__memory *memory, size_t size) {
    void *block = pooled_block(pool, memory, size);
    return block ? block : quipu__alloc(memory, size);
}

/* False when the pool does not take it. */
static bool pool_block(struct quipu__row_pool *pool, struct quipu__memory *memory, void *block, size_t size) {
    struct blocks *blocks = blocks_of(pool, size);
    if (atomic_load(&pool->is_over) || !take_pool(pool))
        return false;
    const bool fits = blocks->count < POOL_BLOCKS && has_room(&pool->memory, size);
    if (fits) {
        blocks->items[blocks->count++] = block;
        quipu__memory_hand_over(memory, &pool->memory, size);
    }
    give_pool(pool);
    return fits;
}

static void give_block(struct quipu__row_pool *pool, struct quipu__memory *memory, void *block, size_t size) {
    if (block && block != pool->zeros && !pool_block(pool, memory, block, size))
        quipu__release(memory, block, size);
}

/* The size of a block that is missing; 0: of none. */
static size_t missing_size(struct quipu__row_pool *pool) {
    size_t size = 0;
    if (!take_pool(pool))
        return 0;
    for (unsigned i = 0; i < 2 && size == 0; i++)
        if (pool->blocks[i].missing > 0) {
            pool->blocks[i].missing--;
            size = pool->blocks[i].size;
        }
    give_pool(pool);
    return size;
}

bool quipu__row_pool_refill(struct quipu__row_pool *pool) {
    const size_t size = missing_size(pool);
    struct quipu__memory memory;
    quipu__memory_like(&memory, &pool->memory);
    void *block = size > 0 ? quipu__alloc(&memory, size) : NULL;
    if (!block)
        return false;
    memset(block, 0, size); /* the system gives pages when they are first written */
    give_block(pool, &memory, block, size);
    return true;
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

static void *zeros_of(struct quipu__rows *rows) {
    struct quipu__row_pool *pool = rows->pool;
    if (!pool->zeros)
        pool->zeros = quipu__alloc_zero(&pool->memory_of_zeros, NUMBERS);
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
