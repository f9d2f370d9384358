/* table.c: the tables of "io", one row after the other. */
#include "analysis/io/io.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

enum files_column {
#define IO_FILES(name, type, unit, doc) FILES_##name,
#include "analysis/io/io.def"
    FILES_COLUMNS
};
enum sizes_column {
#define IO_SIZES(name, type, unit, doc) SIZES_##name,
#include "analysis/io/io.def"
    SIZES_COLUMNS
};
enum strides_column {
#define IO_STRIDES(name, type, unit, doc) STRIDES_##name,
#include "analysis/io/io.def"
    STRIDES_COLUMNS
};
enum sharing_column {
#define IO_SHARING(name, type, unit, doc) SHARING_##name,
#include "analysis/io/io.def"
    SHARING_COLUMNS
};
enum timeline_column {
#define IO_TIMELINE(name, type, unit, doc) TIMELINE_##name,
#include "analysis/io/io.def"
    TIMELINE_COLUMNS
};
enum performance_column {
#define IO_PERFORMANCE(name, type, unit, doc) PERFORMANCE_##name,
#include "analysis/io/io.def"
    PERFORMANCE_COLUMNS
};

#define COLUMN(name, type, unit, doc) {#name, QUIPU_TYPE_##type, unit, doc},
static const struct quipu_table_column files_columns[] = {
#define IO_FILES COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column sizes_columns[] = {
#define IO_SIZES COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column strides_columns[] = {
#define IO_STRIDES COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column sharing_columns[] = {
#define IO_SHARING COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column timeline_columns[] = {
#define IO_TIMELINE COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column performance_columns[] = {
#define IO_PERFORMANCE COLUMN
#include "analysis/io/io.def"
};
static const struct quipu_table_column study_columns[] = {
#define IO_STUDY COLUMN
#include "analysis/io/io.def"
};
#undef COLUMN

#define TABLE(columns) columns, sizeof(columns) / sizeof *(columns)
const struct quipu_analysis_table quipu__io_tables[QUIPU__IO_TABLES] = {
    [QUIPU__IO_TABLE_FILES] = {"io_files", "what each file is used for", TABLE(files_columns)},
    [QUIPU__IO_TABLE_SIZES] = {"io_sizes", "how large requests are", TABLE(sizes_columns)},
    [QUIPU__IO_TABLE_STRIDES] = {"io_strides", "how regular requests are in each file", TABLE(strides_columns)},
    [QUIPU__IO_TABLE_SHARING] = {"io_sharing", "what locations have in common in each file",
                                 TABLE(sharing_columns)},
    [QUIPU__IO_TABLE_TIMELINE] = {"io_timeline", "when requests begin", TABLE(timeline_columns)},
    [QUIPU__IO_TABLE_PERFORMANCE] = {"io_performance", "Darshan's estimate of the performance",
                                     TABLE(performance_columns)},
    [QUIPU__IO_TABLE_STUDY] = {"io_study", "figures of the workload study, with --study", TABLE(study_columns)},
};

/* ---- Cells ---- */

enum { CELLS_MOST = FILES_COLUMNS }; /* no table has more columns */

struct cells {
    struct quipu_cell items[CELLS_MOST];
};

static void clear(struct cells *cells) {
    for (size_t i = 0; i < CELLS_MOST; i++)
        cells->items[i] = (struct quipu_cell){.is_null = true};
}

static void set_u64(struct cells *cells, size_t column, uint64_t value) {
    cells->items[column] = (struct quipu_cell){.u = value};
}

static void set_f64(struct cells *cells, size_t column, double value) {
    cells->items[column] = (struct quipu_cell){.f = value};
}

static void set_text(struct cells *cells, size_t column, const char *text) {
    cells->items[column] = (struct quipu_cell){.text = text};
}

static void set_ns(struct cells *cells, size_t column, const struct quipu__io *io, int64_t ticks) {
    cells->items[column] = (struct quipu_cell){.i = quipu_clock_ns(&io->definitions->clock, ticks)};
}

static void set_location(struct cells *cells, size_t column, const struct quipu__io *io, uint32_t location) {
    if (location < io->definitions->locations.count)
        set_text(cells, column, io->definitions->locations.items[location].name);
}

/* The name, and the number in the column behind it. */
static void set_file(struct cells *cells, size_t column, const struct quipu__io *io, uint32_t file) {
    if (file >= io->definitions->files.count)
        return;
    set_text(cells, column, io->definitions->files.items[file].name);
    if (io->definitions->files.items[file].native_id != QUIPU_UNKNOWN)
        set_u64(cells, column + 1, io->definitions->files.items[file].native_id);
}

/* ---- A file ---- */

static uint64_t time_of(const struct quipu__io_use *use) {
    return use->ticks[QUIPU__IO_READS] + use->ticks[QUIPU__IO_WRITES] + use->metadata_ticks;
}

/* All uses of a file added up. */
struct file_row {
    struct quipu__io_use all;
    uint64_t ranks, slowest_time;
    uint32_t slowest; /* location */
};

static bool is_rank(const struct quipu__io *io, uint32_t location) {
    const struct quipu_locations *locations = &io->definitions->locations;
    return location >= locations->count || locations->items[location].kind != QUIPU_LOCATION_APPLICATION;
}

static void add_use(const struct quipu__io *io, const struct quipu__io_use *use, struct file_row *row) {
    quipu__io_join_use(&row->all, use);
    if (!is_rank(io, use->location))
        return;
    const bool is_slower =
        time_of(use) > row->slowest_time || (time_of(use) == row->slowest_time && use->location < row->slowest);
    if (is_slower) {
        row->slowest_time = time_of(use);
        row->slowest = use->location;
    }
    row->ranks++;
}

/* Uses in the order of their files, and of locations: the same whoever found them first. */
static int by_file(const void *a, const void *b) {
    const struct quipu__io_use *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

static uint64_t bytes_of(const struct quipu__io_use *use) {
    return use->bytes[QUIPU__IO_READS] + use->bytes[QUIPU__IO_WRITES];
}

static int by_bytes(const void *a, const void *b) {
    const struct file_row *x = a, *y = b;
    const uint64_t left = bytes_of(&x->all), right = bytes_of(&y->all);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->all.file > y->all.file) - (x->all.file < y->all.file);
}

struct files {
    struct file_row *rows;
    size_t count, capacity;
};

static void files_release(struct quipu__io *io, struct files *files) {
    quipu__release(&io->memory, files->rows, files->capacity * sizeof *files->rows);
}

/* A row per file, the one with the most bytes first. False when memory is out. */
static bool files_init(struct quipu__io *io, struct files *files) {
    *files = (struct files){NULL, 0, io->uses.count};
    if (io->uses.count == 0)
        return true;
    files->rows = quipu__alloc_zero(&io->memory, files->capacity * sizeof *files->rows);
    if (!files->rows)
        return false;
    qsort(io->uses.items, io->uses.count, sizeof *io->uses.items, by_file);
    for (size_t i = 0; i < io->uses.count; i++) {
        const struct quipu__io_use *use = &io->uses.items[i];
        if (files->count == 0 || files->rows[files->count - 1].all.file != use->file) {
            struct file_row *row = &files->rows[files->count++];
            row->all.file = use->file;
            row->all.least = UINT64_MAX;
            row->slowest = QUIPU_NONE;
        }
        add_use(io, use, &files->rows[files->count - 1]);
    }
    qsort(files->rows, files->count, sizeof *files->rows, by_bytes);
    return true;
}

/* ---- io_files ---- */

static void set_sizes_of_requests(struct cells *cells, const struct quipu__io_use *all) {
    if (all->sized == 0)
        return;
    set_u64(cells, FILES_min_request, all->least);
    set_f64(cells, FILES_mean_request, quipu__io_fraction(bytes_of(all), all->sized));
    set_u64(cells, FILES_max_request, all->most);
}

static void set_order(struct cells *cells, const struct quipu__io_use *all) {
    if (all->successions == 0)
        return;
    set_f64(cells, FILES_sequential, quipu__io_fraction(all->sequential, all->successions));
    set_f64(cells, FILES_consecutive, quipu__io_fraction(all->consecutive, all->successions));
}

static enum quipu_status show_file(const struct quipu__io *io, const struct file_row *row,
                                   struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__io_use *all = &row->all;
    struct cells cells;
    clear(&cells);
    set_file(&cells, FILES_file, io, all->file);
    set_u64(&cells, FILES_opens, all->opens);
    set_u64(&cells, FILES_reads, all->requests[QUIPU__IO_READS]);
    set_u64(&cells, FILES_writes, all->requests[QUIPU__IO_WRITES]);
    set_u64(&cells, FILES_bytes_read, all->bytes[QUIPU__IO_READS]);
    set_u64(&cells, FILES_bytes_written, all->bytes[QUIPU__IO_WRITES]);
    set_sizes_of_requests(&cells, all);
    set_order(&cells, all);
    set_ns(&cells, FILES_read_ns, io, (int64_t)all->ticks[QUIPU__IO_READS]);
    set_ns(&cells, FILES_write_ns, io, (int64_t)all->ticks[QUIPU__IO_WRITES]);
    set_ns(&cells, FILES_metadata_ns, io, (int64_t)all->metadata_ticks);
    set_u64(&cells, FILES_ranks, row->ranks);
    set_u64(&cells, FILES_shared, row->ranks > 1);
    set_location(&cells, FILES_slowest_rank, io, row->slowest);
    set_ns(&cells, FILES_slowest_ns, io, (int64_t)row->slowest_time);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status show_files(const struct quipu__io *io, const struct files *files,
                                    struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_FILES], tables, &table, err);
    for (size_t i = 0; i < files->count && status == QUIPU_OK; i++)
        status = show_file(io, &files->rows[i], table, err);
    return status;
}

/* ---- io_sizes ---- */

static enum quipu_status show_sizes(const struct quipu__io *io, const struct files *files,
                                    struct quipu_tables *tables, struct quipu_error *err) {
    static const char *const names[QUIPU__IO_BINS] = {"0-100",       "101-1KiB",      "1-10KiB", "10-100KiB",
                                                      "100KiB-1MiB", "1-4MiB",        "4-10MiB", "10-100MiB",
                                                      "100MiB-1GiB", "more than 1GiB"};
    struct quipu_table *table;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_SIZES], tables, &table, err);
    for (unsigned bin = 0; bin < QUIPU__IO_BINS && status == QUIPU_OK && files->count > 0; bin++) {
        struct cells cells;
        clear(&cells);
        set_text(&cells, SIZES_size, names[bin]);
        set_u64(&cells, SIZES_reads, io->bin_requests[bin][QUIPU__IO_READS]);
        set_u64(&cells, SIZES_writes, io->bin_requests[bin][QUIPU__IO_WRITES]);
        set_u64(&cells, SIZES_bytes_read, io->bin_bytes[bin][QUIPU__IO_READS]);
        set_u64(&cells, SIZES_bytes_written, io->bin_bytes[bin][QUIPU__IO_WRITES]);
        status = quipu_table_add(table, cells.items, err);
    }
    return status;
}

/* ---- io_strides ---- */

static enum quipu_status show_strides_of(const struct quipu__io *io, const struct quipu__io_use *all,
                                         struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__io_strides *strides = &all->strides;
    struct cells cells;
    clear(&cells);
    set_file(&cells, STRIDES_file, io, all->file);
    set_u64(&cells, STRIDES_requests, all->placed);
    set_f64(&cells, STRIDES_strided, quipu__io_fraction(strides->inside, all->placed));
    set_u64(&cells, STRIDES_segments, strides->segments);
    set_u64(&cells, STRIDES_nested, strides->nested);
    if (strides->segments > 0) {
        set_u64(&cells, STRIDES_longest, strides->longest.requests);
        cells.items[STRIDES_stride] = (struct quipu_cell){.i = strides->longest.stride};
        set_u64(&cells, STRIDES_size, (uint64_t)strides->longest.size);
    }
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status show_strides(const struct quipu__io *io, const struct files *files,
                                      struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_STRIDES], tables, &table, err);
    for (size_t i = 0; i < files->count && status == QUIPU_OK; i++)
        if (files->rows[i].all.placed > 0)
            status = show_strides_of(io, &files->rows[i].all, table, err);
    return status;
}

/* ---- io_sharing ---- */

const char *quipu__io_class_name(const struct quipu__io_file_use *file_use) {
    const bool reads = file_use->has_requests[QUIPU__IO_READS];
    const bool writes = file_use->has_requests[QUIPU__IO_WRITES];
    if (reads && writes)
        return "read-write";
    if (writes)
        return "write-only";
    return reads ? "read-only" : "untouched";
}

static int by_file_and_application(const void *a, const void *b) {
    const struct quipu__io_file_use *x = *(const struct quipu__io_file_use *const *)a;
    const struct quipu__io_file_use *y = *(const struct quipu__io_file_use *const *)b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->application > y->application) - (x->application < y->application);
}

static enum quipu_status show_sharing_of(const struct quipu__io *io, const struct quipu__io_file_use *file_use,
                                         uint64_t ranks, struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__extent_totals totals = quipu__extents_total(&file_use->extents, io->block_size);
    struct cells cells;
    clear(&cells);
    set_file(&cells, SHARING_file, io, file_use->file);
    set_location(&cells, SHARING_job, io, file_use->application);
    set_text(&cells, SHARING_use_class, quipu__io_class_name(file_use));
    set_u64(&cells, SHARING_ranks, ranks);
    set_u64(&cells, SHARING_bytes, totals.bytes);
    set_u64(&cells, SHARING_bytes_shared, totals.bytes_shared);
    set_u64(&cells, SHARING_blocks, totals.blocks);
    set_u64(&cells, SHARING_blocks_shared, totals.blocks_shared);
    return quipu_table_add(table, cells.items, err);
}

/* How many locations made requests in each file use; the caller releases it. NULL when memory is out. */
static uint64_t *count_ranks(struct quipu__io *io) {
    uint64_t *ranks = quipu__alloc_zero(&io->memory, (io->file_uses.count + 1) * sizeof *ranks);
    for (size_t i = 0; ranks && i < io->uses.count; i++) {
        const struct quipu__io_use *use = &io->uses.items[i];
        ranks[use->file_use] += use->requests[QUIPU__IO_READS] + use->requests[QUIPU__IO_WRITES] > 0;
    }
    return ranks;
}

static enum quipu_status show_sharing(struct quipu__io *io, struct quipu_tables *tables,
                                      struct quipu_error *err) {
    struct quipu_table *table;
    const size_t count = io->file_uses.count;
    const struct quipu__io_file_use *first = io->file_uses.items;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_SHARING], tables, &table, err);
    uint64_t *ranks = count_ranks(io);
    const struct quipu__io_file_use **sorted = quipu__alloc(&io->memory, (count + 1) * sizeof(*sorted));
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &first[i];
    if (sorted && count > 0)
        qsort(sorted, count, sizeof(*sorted), by_file_and_application);
    for (size_t i = 0; sorted && ranks && i < count && status == QUIPU_OK; i++)
        if (sorted[i]->extents.chunks.count > 0)
            status = show_sharing_of(io, sorted[i], ranks[sorted[i] - first], table, err);
    quipu__release(&io->memory, sorted, (count + 1) * sizeof(*sorted));
    quipu__release(&io->memory, ranks, (count + 1) * sizeof *ranks);
    return status;
}

/* ---- io_timeline ---- */

static enum quipu_status show_interval(const struct quipu__io *io, int64_t number, struct quipu_table *table,
                                       struct quipu_error *err) {
    const struct quipu__io_timeline *timeline = &io->timeline;
    const struct quipu__io_interval *interval = &timeline->intervals[(uint64_t)number % QUIPU__IO_INTERVALS];
    struct cells cells;
    clear(&cells);
    set_ns(&cells, TIMELINE_time_ns, io, (int64_t)((uint64_t)number << timeline->shift));
    set_ns(&cells, TIMELINE_length_ns, io, (int64_t)(UINT64_C(1) << timeline->shift));
    set_u64(&cells, TIMELINE_reads, interval->requests[QUIPU__IO_READS]);
    set_u64(&cells, TIMELINE_writes, interval->requests[QUIPU__IO_WRITES]);
    set_u64(&cells, TIMELINE_bytes_read, interval->bytes[QUIPU__IO_READS]);
    set_u64(&cells, TIMELINE_bytes_written, interval->bytes[QUIPU__IO_WRITES]);
    set_u64(&cells, TIMELINE_opens, interval->opens);
    return quipu_table_add(table, cells.items, err);
}

static enum quipu_status show_timeline(struct quipu__io *io, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_TIMELINE], tables, &table, err);
    for (unsigned i = 0; i < quipu__io_interval_count(&io->timeline) && status == QUIPU_OK; i++)
        status = show_interval(io, io->timeline.first + (int64_t)i, table, err);
    return status;
}

/* ---- io_performance ---- */

/* The files that one location alone uses count for it, the others for the slowest of those that use them. */
static void estimate(const struct quipu__io *io, const struct files *files, uint64_t *unique_of,
                     struct quipu__io_performance *out) {
    *out = (struct quipu__io_performance){.unique_location = QUIPU_NONE};
    for (size_t i = 0; i < files->count; i++) {
        const struct file_row *row = &files->rows[i];
        out->bytes += bytes_of(&row->all);
        if (row->ranks > 1)
            out->shared += row->slowest_time;
        else if (row->slowest < io->location_count)
            unique_of[row->slowest] += row->slowest_time;
    }
    for (uint32_t i = 0; i < io->location_count; i++)
        if (unique_of[i] > out->unique) {
            out->unique = unique_of[i];
            out->unique_location = i;
        }
}

bool quipu__io_estimate(struct quipu__io *io, struct quipu__io_performance *out) {
    const size_t size = (io->location_count + (size_t)1) * sizeof(uint64_t);
    uint64_t *unique_of = quipu__alloc_zero(&io->memory, size);
    struct files files;
    const bool done = unique_of && files_init(io, &files);
    if (done) {
        estimate(io, &files, unique_of, out);
        files_release(io, &files);
    }
    quipu__release(&io->memory, unique_of, size);
    return done;
}

double quipu__io_rate(const struct quipu__io *io, const struct quipu__io_performance *performance) {
    const int64_t ns =
        quipu_clock_ns(&io->definitions->clock, (int64_t)(performance->unique + performance->shared));
    const double mebibyte = 1 << 20;
    return ns > 0 ? (double)performance->bytes / mebibyte / ((double)ns / 1e9) : -1;
}

static enum quipu_status show_performance(struct quipu__io *io, struct quipu_tables *tables,
                                          struct quipu_error *err) {
    struct quipu__io_performance performance;
    struct quipu_table *table;
    const enum quipu_status status =
        quipu__analysis_table_new(&quipu__io_tables[QUIPU__IO_TABLE_PERFORMANCE], tables, &table, err);
    if (status != QUIPU_OK || io->uses.count == 0)
        return status;
    if (!quipu__io_estimate(io, &performance))
        return quipu__no_memory(err, io->memory.used);
    const double rate = quipu__io_rate(io, &performance);
    struct cells cells;
    clear(&cells);
    set_u64(&cells, PERFORMANCE_bytes, performance.bytes);
    set_ns(&cells, PERFORMANCE_unique_ns, io, (int64_t)performance.unique);
    set_location(&cells, PERFORMANCE_unique_rank, io, performance.unique_location);
    set_ns(&cells, PERFORMANCE_shared_ns, io, (int64_t)performance.shared);
    if (rate >= 0)
        set_f64(&cells, PERFORMANCE_mib_per_s, quipu__io_rounded(rate));
    return quipu_table_add(table, cells.items, err);
}

/* ---- All tables ---- */

enum quipu_status quipu__io_show(struct quipu__io *io, struct quipu_tables *tables, struct quipu_error *err) {
    static enum quipu_status (*const of_files[])(const struct quipu__io *, const struct files *,
                                                 struct quipu_tables *,
                                                 struct quipu_error *) = {show_files, show_sizes, show_strides};
    static enum quipu_status (*const of_all[])(struct quipu__io *, struct quipu_tables *,
                                               struct quipu_error *) = {show_sharing, show_timeline,
                                                                        show_performance};
    struct files files;
    enum quipu_status status = QUIPU_OK;
    if (!files_init(io, &files))
        return quipu__no_memory(err, io->memory.used);
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files && status == QUIPU_OK; i++)
        status = of_files[i](io, &files, tables, err);
    files_release(io, &files);
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all && status == QUIPU_OK; i++)
        status = of_all[i](io, tables, err);
    return status;
}
