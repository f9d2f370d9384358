/* table.c: the tables of "io", one row after the other. */
#include "analysis/io/io.h"

#include "core/error.h"
#include "model/event.h"

#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

/* clang-format off */
#define IO_TABLES(TABLE, COLUMN, END) \
    TABLE(FILES, "io_files", "what each file is used for") \
    COLUMN(FILES, file, TEXT, "", "name of the file; null for requests on handles of unknown files") \
    COLUMN(FILES, file_id, U64, "", "the format's own number of the file") \
    COLUMN(FILES, opens, U64, "", "times that it was opened") \
    COLUMN(FILES, reads, U64, "", "read requests") \
    COLUMN(FILES, writes, U64, "", "write requests") \
    COLUMN(FILES, bytes_read, U64, "bytes", "bytes of its read requests") \
    COLUMN(FILES, bytes_written, U64, "bytes", "bytes of its write requests") \
    COLUMN(FILES, min_request, U64, "bytes", "its smallest request") \
    COLUMN(FILES, mean_request, F64, "bytes", "mean size of its requests") \
    COLUMN(FILES, max_request, U64, "bytes", "its largest request") \
    COLUMN(FILES, sequential, F64, "", "fraction of pairs of requests, one after the other at a location, whose offset grows; null without pairs") \
    COLUMN(FILES, consecutive, F64, "", "fraction of pairs whose second begins where the first one ends; null without pairs") \
    COLUMN(FILES, read_ns, I64, "ns", "time in read requests; in a window the part of it inside, as in the columns behind") \
    COLUMN(FILES, write_ns, I64, "ns", "time in write requests") \
    COLUMN(FILES, metadata_ns, I64, "ns", "time in other operations that begin and end") \
    COLUMN(FILES, ranks, U64, "", "locations that opened it, or were in its requests and operations") \
    COLUMN(FILES, shared, U64, "", "1 when there are several of them") \
    COLUMN(FILES, slowest_rank, TEXT, "", "the location with the longest time in its requests and operations") \
    COLUMN(FILES, slowest_ns, I64, "ns", "that time") \
    END(FILES) \
    TABLE(SIZES, "io_sizes", "how large requests are") \
    COLUMN(SIZES, size, TEXT, "bytes", "sizes of requests, the bins of Darshan") \
    COLUMN(SIZES, reads, U64, "", "read requests of these sizes") \
    COLUMN(SIZES, writes, U64, "", "write requests of these sizes") \
    COLUMN(SIZES, bytes_read, U64, "bytes", "bytes of these read requests") \
    COLUMN(SIZES, bytes_written, U64, "bytes", "bytes of these write requests") \
    END(SIZES) \
    TABLE(STRIDES, "io_strides", "how regular requests are in each file") \
    COLUMN(STRIDES, file, TEXT, "", "name of the file") \
    COLUMN(STRIDES, file_id, U64, "", "the format's own number of the file") \
    COLUMN(STRIDES, requests, U64, "", "requests with a known offset") \
    COLUMN(STRIDES, strided, F64, "", "fraction of them that lie in simple-strided segments") \
    COLUMN(STRIDES, segments, U64, "", "simple-strided segments: three or more requests of a location with equal size and equal stride, not consecutive") \
    COLUMN(STRIDES, nested, U64, "", "nested-strided patterns: two or more equal segments whose starts are equally spaced") \
    COLUMN(STRIDES, longest, U64, "", "requests of the longest segment") \
    COLUMN(STRIDES, stride, I64, "bytes", "from start to start in the longest segment") \
    COLUMN(STRIDES, size, U64, "bytes", "size of its requests") \
    END(STRIDES) \
    TABLE(SHARING, "io_sharing", "what locations have in common in each file") \
    COLUMN(SHARING, file, TEXT, "", "name of the file") \
    COLUMN(SHARING, file_id, U64, "", "the format's own number of the file") \
    COLUMN(SHARING, job, TEXT, "", "application that used it; null when the trace knows none") \
    COLUMN(SHARING, use_class, TEXT, "", "read-only, write-only or read-write, by what was done") \
    COLUMN(SHARING, ranks, U64, "", "locations that made requests") \
    COLUMN(SHARING, bytes, U64, "bytes", "bytes of the file that at least one location touched") \
    COLUMN(SHARING, bytes_shared, U64, "bytes", "bytes that at least two locations touched") \
    COLUMN(SHARING, blocks, U64, "", "blocks, of the size of --block, that at least one location touched") \
    COLUMN(SHARING, blocks_shared, U64, "", "blocks that at least two locations touched") \
    END(SHARING) \
    TABLE(TIMELINE, "io_timeline", "when requests begin") \
    COLUMN(TIMELINE, time_ns, TIME, "ns", "where the interval begins") \
    COLUMN(TIMELINE, length_ns, I64, "ns", "how long it is") \
    COLUMN(TIMELINE, reads, U64, "", "read requests that begin in it") \
    COLUMN(TIMELINE, writes, U64, "", "write requests that begin in it") \
    COLUMN(TIMELINE, bytes_read, U64, "bytes", "their bytes") \
    COLUMN(TIMELINE, bytes_written, U64, "bytes", "their bytes") \
    COLUMN(TIMELINE, opens, U64, "", "files opened in it") \
    END(TIMELINE) \
    TABLE(PERFORMANCE, "io_performance", "Darshan's estimate of the performance") \
    COLUMN(PERFORMANCE, bytes, U64, "bytes", "bytes of all requests") \
    COLUMN(PERFORMANCE, unique_ns, I64, "ns", "time of the slowest location in files that it alone uses") \
    COLUMN(PERFORMANCE, unique_rank, TEXT, "", "that location") \
    COLUMN(PERFORMANCE, shared_ns, I64, "ns", "sum, over the files that several use, of the time of the slowest location") \
    COLUMN(PERFORMANCE, mib_per_s, F64, "", "Darshan's estimate: the bytes over both times; null without times") \
    END(PERFORMANCE) \
    TABLE(STUDY, "io_study", "figures of the workload study, with --study") \
    COLUMN(STUDY, figure, TEXT, "", "name of the figure") \
    COLUMN(STUDY, value, JSON, "", "its value: a number, a text or an object") \
    END(STUDY)
/* clang-format on */
QUIPU__TABLES(IO_TABLES)
const struct quipu_analysis_table quipu__io_tables[QUIPU__IO_TABLES] = {QUIPU__SHAPES(IO_TABLES)};

/* ---- Cells ---- */

static void put_location(struct quipu_table *table, size_t column, const struct quipu__io *io,
                         uint32_t location) {
    quipu__table_put_text(table, column, quipu__name_of(io->definitions, QUIPU_REFERS_LOCATION, location));
}

/* The name, and the number in the column behind it. */
static void put_file(struct quipu_table *table, size_t column, const struct quipu__io *io, uint32_t file) {
    const uint64_t native_id = quipu__native_id_of(io->definitions, QUIPU_REFERS_FILE, file);
    quipu__table_put_text(table, column, quipu__name_of(io->definitions, QUIPU_REFERS_FILE, file));
    quipu__table_put_u64_if(table, column + 1, native_id != QUIPU_UNKNOWN, native_id);
}

/* ---- A file ---- */

static uint64_t time_of(const struct quipu__io_use *use) {
    return use->ns[QUIPU__IO_READS] + use->ns[QUIPU__IO_WRITES] + use->metadata_ns;
}

/* All uses of a file added up. */
struct file_row {
    struct quipu__io_use all;
    uint64_t ranks, slowest_ns;
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
        time_of(use) > row->slowest_ns || (time_of(use) == row->slowest_ns && use->location < row->slowest);
    if (is_slower) {
        row->slowest_ns = time_of(use);
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

/* Null of nothing. */
static void put_fraction(struct quipu_table *table, size_t column, uint64_t amount, uint64_t all) {
    quipu__table_put_f64_if(table, column, all > 0, all > 0 ? quipu__io_fraction(amount, all) : 0);
}

static enum quipu_status show_file(const struct quipu__io *io, const struct file_row *row,
                                   struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__io_use *all = &row->all;
    put_file(table, FILES_file, io, all->file);
    quipu__table_put_u64(table, FILES_opens, all->opens);
    quipu__table_put_u64(table, FILES_reads, all->requests[QUIPU__IO_READS]);
    quipu__table_put_u64(table, FILES_writes, all->requests[QUIPU__IO_WRITES]);
    quipu__table_put_u64(table, FILES_bytes_read, all->bytes[QUIPU__IO_READS]);
    quipu__table_put_u64(table, FILES_bytes_written, all->bytes[QUIPU__IO_WRITES]);
    quipu__table_put_u64_if(table, FILES_min_request, all->sized > 0, all->least);
    put_fraction(table, FILES_mean_request, bytes_of(all), all->sized);
    quipu__table_put_u64_if(table, FILES_max_request, all->sized > 0, all->most);
    put_fraction(table, FILES_sequential, all->sequential, all->successions);
    put_fraction(table, FILES_consecutive, all->consecutive, all->successions);
    quipu__table_put_i64(table, FILES_read_ns, (int64_t)all->ns[QUIPU__IO_READS]);
    quipu__table_put_i64(table, FILES_write_ns, (int64_t)all->ns[QUIPU__IO_WRITES]);
    quipu__table_put_i64(table, FILES_metadata_ns, (int64_t)all->metadata_ns);
    quipu__table_put_u64(table, FILES_ranks, row->ranks);
    quipu__table_put_u64(table, FILES_shared, row->ranks > 1);
    put_location(table, FILES_slowest_rank, io, row->slowest);
    quipu__table_put_i64(table, FILES_slowest_ns, (int64_t)row->slowest_ns);
    return quipu__table_end_row(table, err);
}

static enum quipu_status show_files(const struct quipu__io *io, const struct files *files,
                                    struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[FILES], &table, err);
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
    enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[SIZES], &table, err);
    for (unsigned bin = 0; bin < QUIPU__IO_BINS && status == QUIPU_OK && files->count > 0; bin++) {
        quipu__table_put_text(table, SIZES_size, names[bin]);
        quipu__table_put_u64(table, SIZES_reads, io->bin_requests[bin][QUIPU__IO_READS]);
        quipu__table_put_u64(table, SIZES_writes, io->bin_requests[bin][QUIPU__IO_WRITES]);
        quipu__table_put_u64(table, SIZES_bytes_read, io->bin_bytes[bin][QUIPU__IO_READS]);
        quipu__table_put_u64(table, SIZES_bytes_written, io->bin_bytes[bin][QUIPU__IO_WRITES]);
        status = quipu__table_end_row(table, err);
    }
    return status;
}

/* ---- io_strides ---- */

static enum quipu_status show_strides_of(const struct quipu__io *io, const struct quipu__io_use *all,
                                         struct quipu_table *table, struct quipu_error *err) {
    const struct quipu__io_strides *strides = &all->strides;
    put_file(table, STRIDES_file, io, all->file);
    quipu__table_put_u64(table, STRIDES_requests, all->placed);
    quipu__table_put_f64(table, STRIDES_strided, quipu__io_fraction(strides->inside, all->placed));
    quipu__table_put_u64(table, STRIDES_segments, strides->segments);
    quipu__table_put_u64(table, STRIDES_nested, strides->nested);
    quipu__table_put_u64_if(table, STRIDES_longest, strides->segments > 0, strides->longest.requests);
    quipu__table_put_i64_if(table, STRIDES_stride, strides->segments > 0, strides->longest.stride);
    quipu__table_put_u64_if(table, STRIDES_size, strides->segments > 0, (uint64_t)strides->longest.size);
    return quipu__table_end_row(table, err);
}

static enum quipu_status show_strides(const struct quipu__io *io, const struct files *files,
                                      struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[STRIDES], &table, err);
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
    put_file(table, SHARING_file, io, file_use->file);
    put_location(table, SHARING_job, io, file_use->application);
    quipu__table_put_text(table, SHARING_use_class, quipu__io_class_name(file_use));
    quipu__table_put_u64(table, SHARING_ranks, ranks);
    quipu__table_put_u64(table, SHARING_bytes, totals.bytes);
    quipu__table_put_u64(table, SHARING_bytes_shared, totals.bytes_shared);
    quipu__table_put_u64(table, SHARING_blocks, totals.blocks);
    quipu__table_put_u64(table, SHARING_blocks_shared, totals.blocks_shared);
    return quipu__table_end_row(table, err);
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
    enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[SHARING], &table, err);
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
    quipu__table_put_time(
        table, TIMELINE_time_ns,
        quipu_clock_ns(&io->definitions->clock, (int64_t)((uint64_t)number << timeline->shift)));
    quipu__table_put_i64(table, TIMELINE_length_ns,
                         quipu_clock_ns(&io->definitions->clock, (int64_t)(UINT64_C(1) << timeline->shift)));
    quipu__table_put_u64(table, TIMELINE_reads, interval->requests[QUIPU__IO_READS]);
    quipu__table_put_u64(table, TIMELINE_writes, interval->requests[QUIPU__IO_WRITES]);
    quipu__table_put_u64(table, TIMELINE_bytes_read, interval->bytes[QUIPU__IO_READS]);
    quipu__table_put_u64(table, TIMELINE_bytes_written, interval->bytes[QUIPU__IO_WRITES]);
    quipu__table_put_u64(table, TIMELINE_opens, interval->opens);
    return quipu__table_end_row(table, err);
}

static enum quipu_status show_timeline(struct quipu__io *io, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    struct quipu_table *table;
    enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[TIMELINE], &table, err);
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
            out->shared_ns += row->slowest_ns;
        else if (row->slowest < io->operations.location_count)
            unique_of[row->slowest] += row->slowest_ns;
    }
    for (uint32_t i = 0; i < io->operations.location_count; i++)
        if (unique_of[i] > out->unique_ns) {
            out->unique_ns = unique_of[i];
            out->unique_location = i;
        }
}

bool quipu__io_estimate(struct quipu__io *io, struct quipu__io_performance *out) {
    const size_t size = (io->operations.location_count + (size_t)1) * sizeof(uint64_t);
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

double quipu__io_rate(const struct quipu__io_performance *performance) {
    const int64_t ns = (int64_t)(performance->unique_ns + performance->shared_ns);
    const double mebibyte = 1 << 20;
    return ns > 0 ? (double)performance->bytes / mebibyte / ((double)ns / 1e9) : -1;
}

static enum quipu_status show_performance(struct quipu__io *io, struct quipu_tables *tables,
                                          struct quipu_error *err) {
    struct quipu__io_performance performance;
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(tables, &quipu__io_tables[PERFORMANCE], &table, err);
    if (status != QUIPU_OK || io->uses.count == 0)
        return status;
    if (!quipu__io_estimate(io, &performance))
        return quipu__no_memory(err, io->memory.used);
    const double rate = quipu__io_rate(&performance);
    quipu__table_put_u64(table, PERFORMANCE_bytes, performance.bytes);
    quipu__table_put_i64(table, PERFORMANCE_unique_ns, (int64_t)performance.unique_ns);
    put_location(table, PERFORMANCE_unique_rank, io, performance.unique_location);
    quipu__table_put_i64(table, PERFORMANCE_shared_ns, (int64_t)performance.shared_ns);
    quipu__table_put_f64_if(table, PERFORMANCE_mib_per_s, rate >= 0, rate >= 0 ? quipu__io_rounded(rate) : 0);
    return quipu__table_end_row(table, err);
}

/* ---- io_study ---- */

_Static_assert((int)STUDY == QUIPU__IO_STUDY, "the table that others fill with figures");

enum quipu_status quipu__io_add_figure(struct quipu_table *table, const char *name, const char *json,
                                       struct quipu_error *err) {
    quipu__table_put_text(table, STUDY_figure, name);
    quipu__table_put_cell(table, STUDY_value, QUIPU_TYPE_JSON, (struct quipu_cell){.text = json});
    return quipu__table_end_row(table, err);
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
