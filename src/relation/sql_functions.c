/* sql_functions.c: functions for units and texts, percentiles, and arguments of slices. */
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/real.h"
#include "model/where.h"
#include "model/where_regex.h"
#include "relation/sql.h"

#include <stdio.h>
#include <string.h>

/* ---- Units ---- */

static void seconds(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    if (sqlite3_value_type(values[0]) != SQLITE_NULL)
        sqlite3_result_double(context, sqlite3_value_double(values[0]) / 1e9);
}

static void quantity(sqlite3_context *context, int count, sqlite3_value **values) {
    const char *text = (const char *)sqlite3_value_text(values[0]);
    struct quipu__where_number number;
    (void)count;
    if (!text)
        return;
    if (!quipu__where_quantity(text, &number))
        sqlite3_result_error(
            context, "quantity takes a number with a unit of time or size, such as '1.5ms' or '4Ki'", -1);
    else if (number.is_whole && number.size <= INT64_MAX)
        sqlite3_result_int64(context, (sqlite3_int64)number.size);
    else
        sqlite3_result_double(context, (double)number.real);
}

struct text_unit {
    double size;
    const char *name;
};

/* A number in the largest unit that it reaches. */
static void give_scaled(sqlite3_context *context, sqlite3_value *value, const struct text_unit *units,
                        size_t unit_count) {
    char text[48];
    const double number = sqlite3_value_double(value), size = number < 0 ? -number : number;
    size_t unit = 0;
    while (unit + 1 < unit_count && size >= units[unit + 1].size)
        unit++;
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    quipu__print(text, sizeof text, "%.*f %s", unit > 0 ? 2 : 0, number / units[unit].size, units[unit].name);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void time_text(sqlite3_context *context, int count, sqlite3_value **values) {
    static const struct text_unit units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    (void)count;
    give_scaled(context, values[0], units, sizeof units / sizeof *units);
}

static void bytes_text(sqlite3_context *context, int count, sqlite3_value **values) {
    static const struct text_unit units[] = {{1, "B"},        {0x1p10, "KiB"}, {0x1p20, "MiB"},
                                             {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}};
    (void)count;
    give_scaled(context, values[0], units, sizeof units / sizeof *units);
}

/* ---- Regular expressions ---- */

/* One that was compiled, kept by SQLite as long as the pattern is the same. */
struct pattern {
    struct quipu__memory memory;
    struct quipu__regex *regex;
};

static void pattern_free(void *pointer) {
    struct pattern *pattern = pointer;
    quipu__regex_free(pattern->regex);
    sqlite3_free(pattern);
}

static struct pattern *pattern_new(sqlite3_context *context, const char *text) {
    char trouble[QUIPU__REGEX_TROUBLE] = "";
    struct pattern *pattern = sqlite3_malloc64(sizeof *pattern);
    if (!pattern) {
        sqlite3_result_error_nomem(context);
        return NULL;
    }
    quipu__memory_init(&pattern->memory, NULL, 0);
    pattern->regex = quipu__regex_new(&pattern->memory, text, trouble);
    if (pattern->regex)
        return pattern;
    sqlite3_free(pattern);
    if (trouble[0])
        sqlite3_result_error(context, trouble, -1);
    else
        sqlite3_result_error_nomem(context);
    return NULL;
}

/* text REGEXP pattern is regexp(pattern, text). */
static void regexp(sqlite3_context *context, int count, sqlite3_value **values) {
    const char *pattern_text = (const char *)sqlite3_value_text(values[0]);
    const char *text = (const char *)sqlite3_value_text(values[1]);
    struct pattern *pattern = sqlite3_get_auxdata(context, 0);
    (void)count;
    if (!pattern_text || !text)
        return;
    const bool is_new = !pattern;
    if (is_new && !(pattern = pattern_new(context, pattern_text)))
        return;
    const bool is_found = quipu__regex_finds(pattern->regex, text);
    if (quipu__memory_status(&pattern->memory, NULL) == QUIPU_OK)
        sqlite3_result_int(context, is_found);
    else
        sqlite3_result_error(context, "the regular expression takes too many steps", -1);
    if (is_new)
        sqlite3_set_auxdata(context, 0, pattern, pattern_free);
}

/* ---- Percentiles ---- */

/* The values of an aggregate. They are the readers' memory, not SQLite's: what does not fit there lies in a file. */
struct sample {
    struct quipu__memory memory;
    bool is_started;
    QUIPU__VEC(double) values;
    double share;
};

static void sample_begin(struct sample *sample, const struct quipu_sql *sql) {
    if (sql->trace_count > 0)
        quipu__memory_like(&sample->memory, &sql->traces[0]->memory);
    else
        quipu__memory_init(&sample->memory, NULL, 0);
    sample->is_started = true;
}

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **values) {
    struct sample *sample = sqlite3_aggregate_context(context, sizeof *sample);
    const double share = sqlite3_value_double(values[1]);
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const int type = sqlite3_value_numeric_type(values[1]);
    if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(share >= 0 && share <= 100)) {
        sqlite3_result_error(context, "percentile takes a value and a number from 0 to 100", -1);
        return;
    }
    if (sample && !sample->is_started)
        sample_begin(sample, sqlite3_user_data(context));
    if (!sample || !QUIPU__VEC_PUT(&sample->memory, &sample->values, sqlite3_value_double(values[0]))) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sample->share = share;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two values around it, in proportion. */
static double value_at(const struct sample *sample) {
    const double *values = sample->values.items;
    const double position = sample->share / 100 * (double)(sample->values.count - 1);
    const size_t below = (size_t)position, above = below + 1 < sample->values.count ? below + 1 : below;
    return values[below] + (values[above] - values[below]) * (position - (double)below);
}

static void percentile_final(sqlite3_context *context) {
    struct sample *sample = sqlite3_aggregate_context(context, 0);
    if (!sample || !sample->is_started)
        return;
    if (sample->values.count > 0) {
        if (quipu__sort(&sample->memory, sample->values.items, sample->values.count, sizeof(double), compare))
            sqlite3_result_double(context, value_at(sample));
        else
            sqlite3_result_error_nomem(context);
    }
    QUIPU__VEC_RELEASE(&sample->memory, &sample->values);
}

/* ---- Arguments of slices ---- */

static const char *query_of_key(const char *key) {
    static const struct {
        const char *key, *query;
    } rows[] = {
#define SQL_VIEW(name, query)
#include "relation/sql_views.def"
#define ROW(name, type, integer, string)                                                                       \
    {"args." #name, "SELECT call, coalesce(" integer ", " string ") FROM calls"}
#define COMMA ,
        SQL_ARGUMENTS(ROW, COMMA)
#undef COMMA
#undef ROW
    };
    for (size_t i = 0; key && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].key, key) == 0)
            return rows[i].query;
    return NULL;
}

static void finalize(void *statement) {
    sqlite3_finalize(statement);
}

/* Reads on to a call, and once again from the beginning. */
static int find_call(sqlite3_stmt *calls, sqlite3_int64 call) {
    int code = SQLITE_ROW;
    for (int ends = 0; ends < 2;) {
        code = sqlite3_step(calls);
        if (code == SQLITE_ROW && sqlite3_column_int64(calls, 0) == call)
            return code;
        if (code == SQLITE_DONE)
            ends++;
        else if (code != SQLITE_ROW)
            return code;
    }
    return code;
}

/* One argument of all calls, which are read on from the one that was asked for last: mostly they are asked for in the order in which they come. The
 * statement is kept for the query that asks, as long as the key is the same. */
static void extract_arg(sqlite3_context *context, int count, sqlite3_value **values) {
    const struct quipu_sql *sql = sqlite3_user_data(context);
    const char *query = query_of_key((const char *)sqlite3_value_text(values[1]));
    sqlite3_stmt *calls = sqlite3_get_auxdata(context, 1);
    (void)count;
    if (sql->trace_count != 1) {
        sqlite3_result_error(context, "EXTRACT_ARG is for one trace: join the args of the schema", -1);
        return;
    }
    if (!query || sqlite3_value_type(values[0]) != SQLITE_INTEGER)
        return;
    const bool is_new = !calls;
    int code =
        is_new ? sqlite3_prepare_v2(sqlite3_context_db_handle(context), query, -1, &calls, NULL) : SQLITE_OK;
    if (code == SQLITE_OK)
        code = find_call(calls, sqlite3_value_int64(values[0]));
    if (code == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(calls, 1));
    else if (code != SQLITE_DONE)
        sqlite3_result_error_code(context, code);
    if (is_new && calls)
        sqlite3_set_auxdata(context, 1, calls, finalize);
}

/* ---- The list ---- */

int quipu__sql_functions_create(struct quipu_sql *sql) {
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*final)(sqlite3_context *);
    } functions[] = {
        {"seconds", 1, seconds, NULL, NULL},         {"quantity", 1, quantity, NULL, NULL},
        {"time_text", 1, time_text, NULL, NULL},     {"bytes_text", 1, bytes_text, NULL, NULL},
        {"regexp", 2, regexp, NULL, NULL},           {"percentile", 2, NULL, percentile_step, percentile_final},
        {"extract_arg", 2, extract_arg, NULL, NULL},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
        code = sqlite3_create_function_v2(sql->db, functions[i].name, functions[i].arguments,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, sql,
                                          functions[i].call, functions[i].step, functions[i].final, NULL);
    return code;
}
