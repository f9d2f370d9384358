/* network_table.c: see network_table.h. */
#include "analysis/network_table.h"

#include "analysis/cells.h"

#include <string.h>

const struct quipu_table_column quipu__network_columns[4] = {
    {"parameter", QUIPU_TYPE_TEXT, "", "the option that sets it"},
    {"value", QUIPU_TYPE_TEXT, "", "what the replay reckons with, as the option takes it"},
    {"unit", QUIPU_TYPE_TEXT, "", "of the value"},
    {"origin", QUIPU_TYPE_TEXT, "", "given, or default"},
};

static bool is_given(const struct quipu__settings *settings, const char *option) {
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, option) == 0)
            return true;
    return false;
}

/* Parameters, and those whose value they have unless they are given. */
static const struct {
    const char *option, *otherwise, *unit;
} rows[] = {
    {"latency", NULL, "ns"},
    {"eager", NULL, "bytes"},
    {"overhead", NULL, "ns"},
    {"gap", NULL, "ns"},
    {"gap-per-byte", NULL, "ns"},
    {"overhead-per-byte", NULL, "ns"},
    {"bandwidth", NULL, "bytes/s"},
    {"intra-latency", "latency", "ns"},
    {"intra-bandwidth", "bandwidth", "bytes/s"},
    {"links", NULL, NULL},
    {"buses", NULL, NULL},
};

static enum quipu_status add_row(size_t row, const struct quipu__settings *settings, struct quipu_table *table,
                                 struct quipu_error *err) {
    struct quipu__cells cells = quipu__cells_of(NULL);
    const char *value = quipu__settings_value(settings, rows[row].option);
    if (!value && rows[row].otherwise)
        value = quipu__settings_value(settings, rows[row].otherwise);
    quipu__cells_put_text(&cells, rows[row].option);
    quipu__cells_put_text(&cells, value);
    quipu__cells_put_text(&cells, rows[row].unit);
    quipu__cells_put_text(&cells, is_given(settings, rows[row].option) ? "given" : "default");
    return quipu_table_add(table, cells.items, err);
}

enum quipu_status quipu__network_table_add(const struct quipu__network *network,
                                           const struct quipu__settings *settings,
                                           const struct quipu_analysis_table *shape,
                                           struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    if (network->kind != QUIPU__NETWORK_LOGGOPS && network->kind != QUIPU__NETWORK_DIMEMAS)
        return QUIPU_OK;
    enum quipu_status status = quipu__analysis_table_new(shape, tables, &table, err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == QUIPU_OK; i++)
        if (quipu__network_takes(network->kind, rows[i].option))
            status = add_row(i, settings, table, err);
    return status;
}
