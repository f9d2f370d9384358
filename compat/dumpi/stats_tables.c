/* stats_tables.c: the tables of dumpistats. A table is begun by its first line and grows in memory, since the lines of
 * its ranks come one by one; its head says where the range lies on the first of them. */
#include "stats.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_SECOND INT64_C(1000000000)

struct table {
    uint32_t bin;
    uint64_t interval;
    struct quipu__buffer text;
};

struct quipu__undumpi_tables {
    const struct quipu__undumpi_stats_options *options;
    const struct quipu__undumpi_run *job;
    struct quipu__memory memory;
    struct quipu__map numbers; /* in list, by bin and interval */
    QUIPU__VEC(struct table) list;
};

/* ---- Columns ---- */

static const struct {
    uint32_t columns;     /* for each category that there is */
    const char *stems[4]; /* of those about one category: "STEM for pattern "P"" */
} measures[] = {
    [QUIPU__UNDUMPI_COUNT] = {1, {"Call count"}},
    [QUIPU__UNDUMPI_TIME] = {4,
                             {"profiled CPU time", "unprofiled CPU time", "profiled wall time",
                              "unprofiled wall time"}},
    [QUIPU__UNDUMPI_SENT] = {1, {"total sends"}},
    [QUIPU__UNDUMPI_RECEIVED] = {1, {"total receives"}},
    [QUIPU__UNDUMPI_EXCHANGED] = {1, {NULL}},
    [QUIPU__UNDUMPI_LUMPED] = {2, {NULL}},
    [QUIPU__UNDUMPI_COUNTED] = {2, {NULL}},
};

/* How many things a measure is about. */
static uint32_t category_count(enum quipu__undumpi_measure measure, const struct quipu__undumpi_run *job) {
    switch (measure) {
    case QUIPU__UNDUMPI_EXCHANGED:
        return job->rank_count;
    case QUIPU__UNDUMPI_LUMPED:
        return QUIPU__UNDUMPI_LUMPS;
    case QUIPU__UNDUMPI_COUNTED:
        return job->counter_count;
    default:
        return 1;
    }
}

uint32_t quipu__undumpi_column_count(enum quipu__undumpi_measure measure,
                                     const struct quipu__undumpi_run *job) {
    return measures[measure].columns * category_count(measure, job);
}

static void put_column_text(const struct quipu__undumpi_tables *tables,
                            const struct quipu__undumpi_handler *handler, uint32_t column,
                            struct quipu__buffer *out) {
    const uint32_t per_category = measures[handler->measure].columns;
    const uint64_t category = column / per_category;
    const unsigned long long low = category ? (1ull << (category - 1)) + 1 : 1, high = 1ull << category;
    const char *text = handler->text;
    switch (handler->measure) {
    case QUIPU__UNDUMPI_EXCHANGED:
        quipu__put_format(out, "bytes sent by funcs matching \"%s\" to node %llu", text,
                          (unsigned long long)category);
        break;
    case QUIPU__UNDUMPI_LUMPED:
        quipu__put_format(out, "%s from %llu up to %llu bytes for %s", column % 2 ? "recvs" : "sends", low,
                          high, text);
        break;
    case QUIPU__UNDUMPI_COUNTED:
        quipu__put_format(out, "performance counter %s %s MPI", tables->job->counters[category],
                          column % 2 ? "outside" : "inside");
        break;
    default:
        quipu__put_format(out, "%s for pattern \"%s\"", measures[handler->measure].stems[column], text);
        break;
    }
}

/* ---- Heads ---- */

static void put_time(struct quipu__buffer *out, int64_t time) {
    int64_t seconds = time / NS_PER_SECOND, rest = time % NS_PER_SECOND;
    if (rest < 0) {
        rest += NS_PER_SECOND;
        seconds--;
    }
    char text[40];
    snprintf(text, sizeof text, "%lld.%09lld", (long long)seconds, (long long)rest);
    quipu__put_format(out, "%20s ", text);
}

static void put_named_time(struct quipu__buffer *out, const char *what, int64_t time) {
    quipu__put_format(out, "# %s is %lld.%09lld\n", what, (long long)(time / NS_PER_SECOND),
                      (long long)(time % NS_PER_SECOND));
}

static void put_range_head(struct quipu__buffer *out, const struct quipu__undumpi_bin *bin,
                           const struct quipu__undumpi_span *span) {
    quipu__put_format(out, "# Trace file statistics for call matching \"%s\"\n", bin->text);
    put_named_time(out, "First timestamp considered", span->begin_ns);
    put_named_time(out, "Last timestamp considered", span->end_ns);
    put_named_time(out, "Bin size", bin->width_ns);
    quipu__put_text(out, "#\n"
                         "# Note that the range over which collection is active is\n"
                         "# less-than-or-equal-to total bin width, since each node\n"
                         "# starts and ends collection inside a profiled MPI call\n"
                         "#\n"
                         "# Column 1 is rank\n"
                         "# Column 2 is the number of intervals collected (always 1)\n"
                         "# Column 3 is first timestamp enountered inside the bin\n"
                         "# Column 4 is last timestamp encountered inside the bin\n"
                         "# Column 5 is total time during which collection was active\n");
}

static void put_marks_head(struct quipu__buffer *out, const struct quipu__undumpi_bin *bin) {
    quipu__put_text(out, "# Trace file statistics for calls marked by the annotations\n");
    quipu__put_format(out, "#     regex_t(%s)\n# and\n#     regex_t(%s)\n", bin->first_text, bin->last_text);
    quipu__put_format(out, "# with accumulate = %s\n", bin->kind == QUIPU__UNDUMPI_GATHER ? "true" : "false");
    quipu__put_text(out, "#\n"
                         "# Column 1 is rank\n"
                         "# Column 2 is total number of intervals collected\n"
                         "# Column 3 is first timestamp at which collection was active\n"
                         "# Column 4 is last timestamp at which collection was active\n"
                         "# Column 5 is total time during which collection was active\n");
}

static void put_head(const struct quipu__undumpi_tables *tables, const struct quipu__undumpi_bin *bin,
                     const struct quipu__undumpi_span *span, struct quipu__buffer *out) {
    unsigned number = 5;
    quipu__put_text(out, "########################################################\n");
    if (bin->kind == QUIPU__UNDUMPI_RANGE)
        put_range_head(out, bin, span);
    else
        put_marks_head(out, bin);
    for (size_t h = 0; h < tables->options->handlers.count; h++)
        for (uint32_t column = 0; column < tables->options->handlers.items[h].column_count; column++) {
            quipu__put_format(out, "# Column %u is ", ++number);
            put_column_text(tables, &tables->options->handlers.items[h], column, out);
            quipu__put_text(out, "\n");
        }
    quipu__put_text(out, "#\n# ");
    for (unsigned column = 1; column <= number; column++)
        quipu__put_format(out, "%20u ", column);
    quipu__put_text(out, "\n");
}

/* ---- Lines ---- */

static struct table *table_of(struct quipu__undumpi_tables *tables, uint32_t bin, uint64_t interval,
                              const struct quipu__undumpi_span *span) {
    const uint64_t key = interval * tables->options->bins.count + bin;
    const uint32_t number = quipu__map_get(&tables->numbers, key);
    if (number != QUIPU_NONE)
        return &tables->list.items[number];
    struct table *table = QUIPU__VEC_ADD(&tables->memory, &tables->list);
    if (!table || !quipu__map_put(&tables->numbers, key, (uint32_t)tables->list.count - 1))
        return NULL;
    *table = (struct table){.bin = bin, .interval = interval};
    quipu__buffer_init(&table->text, &tables->memory, 0);
    put_head(tables, &tables->options->bins.items[bin], span, &table->text);
    return table;
}

bool quipu__undumpi_tables_add(struct quipu__undumpi_tables *tables, uint32_t bin, uint64_t interval,
                               uint32_t rank, const struct quipu__undumpi_span *span,
                               const struct quipu__undumpi_row_head *head, const int64_t *values) {
    struct table *table = table_of(tables, bin, interval, span);
    if (!table)
        return false;
    struct quipu__buffer *out = &table->text;
    const bool is_range = tables->options->bins.items[bin].kind == QUIPU__UNDUMPI_RANGE;
    quipu__put_format(out, is_range ? "%22u %22llu " : "%22u %20llu ", rank,
                      (unsigned long long)head->intervals);
    put_time(out, head->first_ns);
    put_time(out, head->last_ns);
    put_time(out, head->total_ns);
    for (size_t h = 0; h < tables->options->handlers.count; h++) {
        const struct quipu__undumpi_handler *handler = &tables->options->handlers.items[h];
        for (uint32_t column = 0; column < handler->column_count; column++) {
            const int64_t value = values[handler->first_column + column];
            if (handler->measure == QUIPU__UNDUMPI_TIME)
                put_time(out, value);
            else
                quipu__put_format(out, "%20lld ", (long long)value);
        }
    }
    quipu__put_text(out, "\n");
    return !out->failed;
}

/* ---- Files ---- */

enum quipu_status quipu__undumpi_tables_new(const struct quipu__undumpi_stats_options *options,
                                            const struct quipu__undumpi_run *job,
                                            struct quipu__undumpi_tables **out, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_init(&memory, NULL, SIZE_MAX / 2);
    struct quipu__undumpi_tables *tables = quipu__alloc_zero(&memory, sizeof *tables);
    *out = tables;
    if (!tables) {
        snprintf(err->message, sizeof err->message, "memory is out");
        return err->status = QUIPU_NO_MEMORY;
    }
    tables->memory = memory;
    tables->options = options;
    tables->job = job;
    quipu__map_init(&tables->numbers, &tables->memory);
    return QUIPU_OK;
}

void quipu__undumpi_tables_free(struct quipu__undumpi_tables *tables) {
    if (!tables)
        return;
    for (size_t i = 0; i < tables->list.count; i++)
        quipu__buffer_release(&tables->list.items[i].text);
    QUIPU__VEC_RELEASE(&tables->memory, &tables->list);
    quipu__map_release(&tables->numbers);
    struct quipu__memory memory = tables->memory;
    quipu__release(&memory, tables, sizeof *tables);
}

static enum quipu_status write_table(const struct quipu__undumpi_tables *tables, struct table *table,
                                     struct quipu_error *err) {
    char path[4200];
    struct quipu_output *output;
    snprintf(path, sizeof path, "%s-bin%u-%llu.tbl", tables->options->out, table->bin,
             (unsigned long long)table->interval);
    enum quipu_status status = quipu_output_open(path, true, NULL, &output, err);
    if (status != QUIPU_OK)
        return status;
    status = quipu__buffer_flush(&table->text, quipu_output_sink(output), err);
    if (status == QUIPU_OK)
        return quipu_output_close(output, err);
    quipu_output_discard(output);
    return status;
}

enum quipu_status quipu__undumpi_tables_write(struct quipu__undumpi_tables *tables, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (size_t i = 0; status == QUIPU_OK && i < tables->list.count; i++)
        status = write_table(tables, &tables->list.items[i], err);
    return status;
}
