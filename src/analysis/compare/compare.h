/* compare.h: two traces side by side while they are compared: for each object and measure its value in both.
 *
 * compare.c asks analyses for tables, adds their rows up and shows what differs; differences.c says which values and which calls do. So
 * only answers are in memory, never traces.
 */
#ifndef QUIPU_ANALYSIS_COMPARE_COMPARE_H
#define QUIPU_ANALYSIS_COMPARE_COMPARE_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "table/table.h"

#include <quipu/compare.h>

/* A and B. */
enum { QUIPU__SIDES = 2 };

enum quipu__compare_source {
#define COMPARE_SOURCE(name, ...) QUIPU__COMPARE_##name,
#define COMPARE_MEASURE(...)
#include "analysis/compare/compare.def"
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
    QUIPU__COMPARE_SOURCES,
    QUIPU__COMPARE_runtime = QUIPU__COMPARE_SOURCES,
    QUIPU__COMPARE_regions,
    QUIPU__COMPARE_communicators,
    QUIPU__COMPARE_locations,
    QUIPU__COMPARE_calls
};

/* A table of an analysis whose rows are compared. */
struct quipu__compare_source_row {
    const char *level, *analysis;
    struct quipu_setting setting; /* name NULL: none */
    const char *table, *what;
    const char *keys[2];
    bool keys_are_locations;
    const char *location;
};

struct quipu__compare_measure_row {
    struct quipu_compare_measure info;
    enum quipu__compare_source source;
    const char *column, *deviation, *samples;
    bool is_time;
};

#define COMPARE_SOURCE(...)
#define COMPARE_MEASURE(...) +1
enum {
    QUIPU__COMPARE_MEASURES = 0
#include "analysis/compare/compare.def"
};
#undef COMPARE_SOURCE
#undef COMPARE_MEASURE
extern const struct quipu__compare_measure_row quipu__compare_measures[QUIPU__COMPARE_MEASURES];

/* Per cent, in hundredths. */
struct quipu__compare_condition {
    size_t measure;
    bool is_below; /* "<" in place of ">" */
    int64_t hundredths;
};

/* One measure of one object, of all locations or of one rank. */
struct quipu__compared {
    const char *what;
    size_t measure;
    int64_t rank;    /* -1: all locations */
    uint32_t of_all; /* the row of all locations, which may be this one */
    int64_t values[QUIPU__SIDES];
    int64_t samples[QUIPU__SIDES];    /* how many values it is the median of; 0: it is none */
    int64_t deviations[QUIPU__SIDES]; /* median distance of those from it */
    bool differs;
};

/* Calls of a process that do the same, one after the other. */
struct quipu__compared_call {
    const char *name; /* borrowed of the trace */
    size_t number;    /* of the first one, from 1 */
    int64_t count, time;
};

struct quipu__compared_calls {
    QUIPU__VEC(uint64_t) signatures;
    QUIPU__VEC(struct quipu__compared_call) calls;
};

struct quipu__comparison {
    struct quipu__memory memory;
    const char *levels; /* NULL: all */
    uint64_t threshold; /* hundredths of a per cent */
    QUIPU__VEC(struct quipu__compare_condition) conditions;
    QUIPU__VEC(struct quipu__compared) rows;
    struct quipu__map row_of;
    struct quipu__arena texts;
    int64_t tick_ns[QUIPU__SIDES];                                /* how exact times are */
    QUIPU__VEC(struct quipu__compared_calls) calls[QUIPU__SIDES]; /* by rank */
    char notes[QUIPU__SIDES][QUIPU__TABLES_NOTE];
};

/* ---- compare.c ---- */

/* The first measure of a source. */
size_t quipu__comparison_measure_of(enum quipu__compare_source source);

/* The number of a row, which is made when there is none; QUIPU_NONE when memory is out. The text is copied. */
uint32_t quipu__comparison_row(struct quipu__comparison *comparison, size_t measure, const char *what,
                               int64_t rank);

/* ---- differences.c ---- */

/* Reads the calls of a side; then adds rows of those that differ, the first ones of each rank. False when memory is out. */
enum quipu_status quipu__comparison_add_calls(struct quipu__comparison *comparison, int side,
                                              struct quipu_reader *reader, struct quipu_error *err);
QUIPU_CHECKED bool quipu__comparison_compare_calls(struct quipu__comparison *comparison);
void quipu__comparison_release_calls(struct quipu__comparison *comparison);

/* A percentage such as "5" or "2.5", in hundredths; false when it is none. */
bool quipu__comparison_percent(const char *text, size_t len, int64_t *out);

/* Adds a condition. QUIPU_MISUSE when the text is none. */
enum quipu_status quipu__comparison_add_condition(struct quipu__comparison *comparison, const char *text,
                                                  struct quipu_error *err);

/* Says of each row whether it differs. */
void quipu__comparison_judge(struct quipu__comparison *comparison);

/* Whether there is a difference, or one that meets a condition where there are conditions. */
bool quipu__comparison_differs(const struct quipu__comparison *comparison);

#endif
