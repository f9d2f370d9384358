/* cells.c: see cells.h. */
#include "analysis/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct quipu_cell *next(struct quipu__cells *cells) {
    return &cells->items[cells->count++];
}

void quipu__cells_put_null(struct quipu__cells *cells) {
    *next(cells) = (struct quipu_cell){.is_null = true, .u = 0};
}

void quipu__cells_put_i64(struct quipu__cells *cells, int64_t value) {
    *next(cells) = (struct quipu_cell){.i = value};
}

void quipu__cells_put_u64(struct quipu__cells *cells, uint64_t value) {
    *next(cells) = (struct quipu_cell){.u = value};
}

void quipu__cells_put_text(struct quipu__cells *cells, const char *text) {
    *next(cells) = (struct quipu_cell){.is_null = !text, .text = text};
}

/* ---- Ratios ---- */

/* High and low half of a product. */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low) {
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t bottom = a_low * b_low, left = a_high * b_low, right = a_low * b_high;
    const uint64_t middle = (bottom >> 32) + (uint32_t)left + (uint32_t)right;
    *high = a_high * b_high + (left >> 32) + (right >> 32) + (middle >> 32);
    *low = middle << 32 | (uint32_t)bottom;
}

uint64_t quipu__scale_down(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest) {
    uint64_t low, quotient = 0;
    multiply(a, b, rest, &low);
    if (*rest >= c)
        return UINT64_MAX;
    if (*rest == 0) {
        *rest = low % c;
        return low / c;
    }
    for (int bit = 63; bit >= 0; bit--) {
        const bool carries = *rest >> 63 != 0;
        *rest = *rest << 1 | (low >> bit & 1);
        quotient <<= 1;
        if (carries || *rest >= c) {
            *rest -= c;
            quotient |= 1;
        }
    }
    return quotient;
}

uint64_t quipu__scale_rounded(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t rest;
    const uint64_t quotient = quipu__scale_down(a, b, c, &rest);
    return quotient + (quotient != UINT64_MAX && rest >= c - rest);
}

static uint64_t size_of(int64_t number) {
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static int sign_of(int64_t a, int64_t b) {
    if (a == 0 || b == 0)
        return 0;
    return (a < 0) == (b < 0) ? 1 : -1;
}

int quipu__products_compare(int64_t a, int64_t b, int64_t c, int64_t d) {
    const int sign = sign_of(a, b), other = sign_of(c, d);
    uint64_t high, low, other_high, other_low;
    if (sign != other || sign == 0)
        return sign - other;
    multiply(size_of(a), size_of(b), &high, &low);
    multiply(size_of(c), size_of(d), &other_high, &other_low);
    const int order =
        high != other_high ? (high > other_high) - (high < other_high) : (low > other_low) - (low < other_low);
    return sign * order;
}

int64_t quipu__divide_rounded(int64_t a, int64_t b) {
    const int64_t quotient = a / b - (a % b < 0), rest = a - quotient * b;
    return quotient + (rest >= b - rest);
}

void quipu__cells_put_ratio(struct quipu__cells *cells, uint64_t a, uint64_t b, unsigned digits) {
    uint64_t unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    if (b == 0) {
        quipu__cells_put_null(cells);
        return;
    }
    *next(cells) = (struct quipu_cell){.f = (double)quipu__scale_rounded(a, unit, b) / (double)unit};
}

void quipu__cells_put_difference(struct quipu__cells *cells, uint64_t a, uint64_t b, uint64_t c,
                                 unsigned digits) {
    quipu__cells_put_ratio(cells, a > b ? a - b : b - a, c, digits);
    struct quipu_cell *cell = &cells->items[cells->count - 1];
    if (a < b && !cell->is_null)
        cell->f = -cell->f;
}

/* ---- Names ---- */

static const char *name_of(const struct quipu_definitions *definitions, enum quipu_refers refers,
                           uint32_t number, char text[32]) {
    const char *name = number == QUIPU_NONE ? NULL : quipu__name_of(definitions, refers, number);
    if (!name || name[0])
        return name;
    snprintf(text, 32, "%" PRIu64, quipu__native_id_of(definitions, refers, number));
    return text;
}

void quipu__cells_put_name(struct quipu__cells *cells, enum quipu_refers refers, uint32_t number) {
    quipu__cells_put_text(cells, name_of(cells->definitions, refers, number, cells->texts[cells->count]));
}

void quipu__cells_put_name_and_id(struct quipu__cells *cells, enum quipu_refers refers, uint32_t number) {
    const uint64_t native_id = quipu__native_id_of(cells->definitions, refers, number);
    quipu__cells_put_name(cells, refers, number);
    *next(cells) = (struct quipu_cell){.is_null = native_id == QUIPU_UNKNOWN, .i = (int64_t)native_id};
}

int quipu__names_compare(const struct quipu_definitions *definitions, enum quipu_refers refers, uint32_t a,
                         uint32_t b) {
    char a_text[32], b_text[32];
    const char *a_name = name_of(definitions, refers, a, a_text),
               *b_name = name_of(definitions, refers, b, b_text);
    if (!a_name || !b_name)
        return (a_name != NULL) - (b_name != NULL);
    return strcmp(a_name, b_name);
}
