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

/* ---- Rows ---- */

static bool is_text(enum quipu_column_type type) {
    return type == QUIPU_TYPE_TEXT || type == QUIPU_TYPE_DECIMAL || type == QUIPU_TYPE_JSON;
}

enum { KNOWN_BYTES = QUIPU__ROWS / 8, ZEROS = QUIPU__ROWS * sizeof(uint64_t) };

static size_t value_bytes(const struct quipu__row_column *column) {
    if (!column->has_texts)
        return QUIPU__ROWS * sizeof(uint64_t);
    return ((size_t)QUIPU__ROWS + 1) * sizeof(int32_t);
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

enum quipu_status quipu__rows_new(const struct quipu__memory *model, const struct quipu_table_column *columns,
                                  size_t column_count, const struct quipu__row_use *uses,
                                  struct quipu__rows **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, model);
    struct quipu__rows *rows = *out = quipu__alloc_zero(&memory, rows_size(column_count));
    if (!rows)
        return quipu__no_memory(err, rows_size(column_count));
    rows->memory = memory;
    atomic_init(&rows->owners, 1);
    rows->column_count = column_count;
    rows->zeros = quipu__alloc_zero(&rows->memory, ZEROS);
    for (size_t i = 0; i < column_count; i++) {
        struct quipu__row_column *column = &rows->columns[i];
        column_init(rows, column, &columns[i], &uses[i]);
        if (!uses[i].is_wanted)
            continue;
        if (uses[i].is_sparse)
            column->values = rows->zeros;
        else if (uses[i].is_complete)
            column->values = quipu__alloc(&rows->memory, value_bytes(column));
        else
            column->values = quipu__alloc_zero(&rows->memory, value_bytes(column));
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
    if (column->values != rows->zeros)
        return column->values != NULL;
    void *values = quipu__alloc_zero(&rows->memory, value_bytes(column));
    if (values)
        column->values = values;
    return values != NULL;
}

static void column_release(struct quipu__memory *memory, struct quipu__row_column *column) {
    quipu__release(memory, column->values, value_bytes(column));
    quipu__release(memory, column->known, KNOWN_BYTES);
    quipu__buffer_release(&column->bytes);
    quipu__texts_release(column->texts);
}

bool quipu__rows_take(struct quipu__rows *rows, size_t number, struct quipu__rows **out,
                      struct quipu__row_column **column) {
    struct quipu__row_column *from = &rows->columns[number];
    struct quipu__memory memory;
    if (from->values == rows->zeros) {
        atomic_fetch_add_explicit(&rows->owners, 1, memory_order_relaxed);
        *out = rows;
        *column = from;
        return true;
    }
    quipu__memory_like(&memory, &rows->memory);
    struct quipu__rows *taken = *out = quipu__alloc_zero(&memory, rows_size(1));
    if (!taken)
        return false;
    taken->memory = memory;
    atomic_init(&taken->owners, 1);
    taken->count = rows->count;
    taken->column_count = 1;
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
    for (size_t i = 0; i < rows->column_count; i++) {
        struct quipu__row_column *column = &rows->columns[i];
        column->values = column->values == rows->zeros ? NULL : column->values;
        column_release(&rows->memory, column);
    }
    quipu__release(&rows->memory, rows->zeros, ZEROS);
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
    for (size_t i = 0; column->values != rows->zeros && i < rows->count; i += 64) {
        uint64_t bits;
        memcpy(&bits, column->known + i / 8, sizeof bits);
        bits -= bits >> 1 & UINT64_C(0x5555555555555555);
        bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
        bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
        known += bits * UINT64_C(0x0101010101010101) >> 56;
    }
    return rows->count - known;
}
