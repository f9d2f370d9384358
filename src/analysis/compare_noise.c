/* compare_noise.c: which values differ by more than chance, and which differences meet a condition. */
#include "analysis/compare.h"

#include "core/error.h"
#include "core/scale.h"
#include "core/text.h"

#include <string.h>

enum { WHOLE = 10000 }; /* hundredths of a per cent */

/* ---- Percentages ---- */

bool quipu__comparison_percent(const char *text, size_t len, int64_t *out) {
    const char *point = memchr(text, '.', len);
    const size_t whole_len = point ? (size_t)(point - text) : len, digits = point ? len - whole_len - 1 : 0;
    uint64_t whole = 0, rest = 0;
    if (!quipu__parse_u64(text, whole_len, &whole) || whole > INT32_MAX)
        return false;
    if (point && (digits < 1 || digits > 2 || !quipu__parse_u64(point + 1, digits, &rest)))
        return false;
    *out = (int64_t)(whole * 100 + (digits == 1 ? rest * 10 : rest));
    return true;
}

/* Whether a change is larger than so many hundredths of a per cent of a value, which may be negative. */
static bool exceeds(int64_t change, int64_t value, int64_t hundredths) {
    uint64_t rest;
    const uint64_t size = (uint64_t)(hundredths < 0 ? -hundredths : hundredths);
    const uint64_t bound = quipu__scale_down((uint64_t)(value < 0 ? -value : value), size, WHOLE, &rest);
    if (hundredths >= 0)
        return change > 0 && (uint64_t)change > bound;
    const uint64_t decrease = change < 0 ? 0 - (uint64_t)change : 0;
    return decrease < bound || (decrease == bound && rest > 0);
}

/* ---- Conditions ---- */

static enum quipu_status refuse_condition(const char *text, struct quipu_error *err) {
    quipu__fail(err, QUIPU_MISUSE, "\"%s\" is no condition: found no LEVEL.MEASURE > +N%%", text);
    quipu__advise(err, "such as profile.exclusive > +5%%, runtime.time > 10%%, comm.bytes < -1%%");
    return QUIPU_MISUSE;
}

/* The unit of a measure may be left out. */
static bool is_measure(size_t index, const char *text, size_t len) {
    const struct quipu_compare_measure *measure = &quipu__compare_measures[index].info;
    const size_t level = strlen(measure->level), name = strlen(measure->name);
    const char *rest = text + level + 1;
    if (len <= level + 1 || memcmp(text, measure->level, level) != 0 || text[level] != '.')
        return false;
    len -= level + 1;
    return (len == name && memcmp(rest, measure->name, len) == 0) ||
           (len + 3 == name && memcmp(rest, measure->name, len) == 0 &&
            strcmp(measure->name + len, "_ns") == 0);
}

static const char *skip_spaces(const char *text) {
    return text + strspn(text, " ");
}

enum quipu_status quipu__comparison_add_condition(struct quipu__comparison *comparison, const char *text,
                                                  struct quipu_error *err) {
    const char *subject = skip_spaces(text);
    const size_t len = strcspn(subject, " <>");
    const char *sign = skip_spaces(subject + len);
    struct quipu__compare_condition condition = {.is_below = *sign == '<'};
    while (condition.measure < QUIPU__COMPARE_MEASURES && !is_measure(condition.measure, subject, len))
        condition.measure++;
    if (condition.measure == QUIPU__COMPARE_MEASURES || (*sign != '<' && *sign != '>'))
        return refuse_condition(text, err);
    const char *number = skip_spaces(sign + 1);
    const bool is_negative = *number == '-';
    number += *number == '-' || *number == '+';
    const size_t digits = strspn(number, "0123456789.");
    const char *end = skip_spaces(number + digits);
    if (*end != '%' || *skip_spaces(end + 1) ||
        !quipu__comparison_percent(number, digits, &condition.hundredths))
        return refuse_condition(text, err);
    if (is_negative)
        condition.hundredths = -condition.hundredths;
    struct quipu__compare_condition *added = QUIPU__VEC_ADD(&comparison->memory, &comparison->conditions);
    if (!added)
        return quipu__no_memory(err, sizeof condition);
    *added = condition;
    return QUIPU_OK;
}

static bool meets(const struct quipu__comparison *comparison, const struct quipu__compared *row,
                  const struct quipu__compare_condition *condition) {
    const int64_t change = row->values[1] - row->values[0];
    if (row->measure != condition->measure || row != &comparison->rows.items[row->of_all])
        return false;
    return condition->is_below ? exceeds(-change, row->values[0], -condition->hundredths)
                               : exceeds(change, row->values[0], condition->hundredths);
}

static bool meets_any(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    for (size_t i = 0; i < comparison->conditions.count; i++)
        if (meets(comparison, row, &comparison->conditions.items[i]))
            return true;
    return false;
}

bool quipu__comparison_differs(const struct quipu__comparison *comparison) {
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct quipu__compared *row = &comparison->rows.items[i];
        if (row->differs && (comparison->conditions.count == 0 || meets_any(comparison, row)))
            return true;
    }
    return false;
}

/* What a time must differ by: a condition that asks for less is to be answered. */
static uint64_t threshold_of(const struct quipu__comparison *comparison, size_t measure) {
    uint64_t least = comparison->threshold;
    for (size_t i = 0; i < comparison->conditions.count; i++) {
        const struct quipu__compare_condition *condition = &comparison->conditions.items[i];
        const uint64_t size =
            (uint64_t)(condition->hundredths < 0 ? -condition->hundredths : condition->hundredths);
        if (condition->measure == measure && size < least)
            least = size;
    }
    return least;
}

/* ---- Noise ---- */

static uint64_t distance(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Whether two values are farther apart than so much of the larger one. */
static bool is_beyond(int64_t a, int64_t b, uint64_t threshold) {
    uint64_t rest;
    const int64_t larger = a > b ? a : b;
    return larger > 0 && distance(a, b) > quipu__scale_down((uint64_t)larger, threshold, WHOLE, &rest);
}

/* 1.4826 median deviations estimate a standard deviation. */
static uint64_t noise_of(int64_t deviation, int64_t tick) {
    const uint64_t spread = (uint64_t)deviation * 14826, exactness = (uint64_t)tick * WHOLE;
    return spread > exactness ? spread : exactness;
}

static bool medians_differ(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    uint64_t noise = 0;
    for (int side = 0; side < QUIPU__SIDES; side++) {
        const uint64_t own = noise_of(row->deviations[side], comparison->tick_ns[side]);
        noise = own > noise ? own : noise;
    }
    return distance(row->values[0], row->values[1]) * WHOLE > 3 * noise;
}

bool quipu__comparison_times_differ(const struct quipu__comparison *comparison, size_t measure, int64_t a,
                                    int64_t b) {
    return is_beyond(a, b, threshold_of(comparison, measure));
}

static bool row_differs(const struct quipu__comparison *comparison, const struct quipu__compared *row) {
    const bool are_medians = row->samples[0] > 0 && row->samples[1] > 0;
    if (!quipu__compare_measures[row->measure].is_time)
        return row->values[0] != row->values[1];
    if (are_medians && !medians_differ(comparison, row))
        return false;
    return quipu__comparison_times_differ(comparison, row->measure, row->values[0], row->values[1]);
}

void quipu__comparison_judge(struct quipu__comparison *comparison) {
    for (size_t i = 0; i < comparison->rows.count; i++)
        comparison->rows.items[i].differs = row_differs(comparison, &comparison->rows.items[i]);
}
