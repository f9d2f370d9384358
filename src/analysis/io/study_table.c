/* study_table.c: the figures of the study, a row each: a name and a JSON value. The names are those of the specification of
 * the analyses; figures that it leaves to reports follow them. */
#include "analysis/io/study.h"

#include "core/error.h"
#include "core/text/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows ---- */

struct figures {
    struct quipu__io *io;
    struct quipu_table *table;
    struct quipu__buffer value;
    struct quipu__json json; /* into value */
    enum quipu_status status;
    struct quipu_error *err;
};

static void add(struct figures *figures, const char *name) {
    struct quipu__buffer *value = &figures->value;
    if (value->len > 0 && value->data[value->len - 1] == '\n') /* behind an object */
        value->len--;
    quipu__put_u8(value, 0);
    if (value->failed)
        figures->status = quipu__no_memory(figures->err, value->len);
    if (figures->status == QUIPU_OK)
        figures->status = quipu__io_add_figure(figures->table, name, (const char *)value->data, figures->err);
    value->len = 0;
}

static void add_number(struct figures *figures, const char *name, uint64_t value) {
    quipu__json_i64(&figures->json, NULL, (int64_t)value);
    add(figures, name);
}

static void put_ratio(struct figures *figures, const char *key, uint64_t amount, uint64_t all) {
    char text[48];
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, amount, all);
    quipu__json_text(&figures->json, key, text);
}

static void add_ratio(struct figures *figures, const char *name, uint64_t amount, uint64_t all) {
    put_ratio(figures, NULL, amount, all);
    add(figures, name);
}

static void begin_object(struct figures *figures, const char *key) {
    quipu__json_open(&figures->json, key, QUIPU__JSON_OBJECT);
}

static void end_object(struct figures *figures) {
    quipu__json_close(&figures->json);
}

/* Classes that nothing is in are left out. */
static void put_class(struct figures *figures, const char *key, uint64_t value) {
    if (value > 0)
        quipu__json_u64(&figures->json, key, value);
}

static void put_keyed(struct figures *figures, int64_t key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, key);
    quipu__json_u64(&figures->json, text, value);
}

/* ---- Histograms ---- */

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* How often each value occurs among those of a sorted list. */
static void add_histogram(struct figures *figures, const char *name, int64_t *values, size_t count) {
    if (count > 0)
        qsort(values, count, sizeof *values, by_value);
    begin_object(figures, NULL);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && values[next] == values[i];)
            next++;
        put_keyed(figures, values[i], next - i);
    }
    end_object(figures);
    add(figures, name);
}

/* ---- Jobs ---- */

static void add_job_sizes(struct figures *figures) {
    const struct quipu__io_study *study = figures->io->study;
    const size_t count = study->jobs.count;
    int64_t *sizes = quipu__alloc(&figures->io->memory, (count + 1) * sizeof *sizes);
    for (size_t i = 0; sizes && i < count; i++)
        sizes[i] = (int64_t)study->jobs.items[i].clients;
    if (sizes)
        add_histogram(figures, "job_sizes", sizes, count);
    quipu__release(&figures->io->memory, sizes, (count + 1) * sizeof *sizes);
}

/* Where the number of running jobs changes. */
struct change {
    int64_t time;
    int step;
};

/* Exits come before loads at the same time. */
static int by_time(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->step - y->step;
}

static size_t list_changes(const struct quipu__io_study *study, struct change *changes) {
    size_t count = 0;
    for (size_t i = 0; i < study->jobs.count; i++) {
        const struct quipu__io_job *job = &study->jobs.items[i];
        if (!job->has_started || !job->has_ended)
            continue;
        changes[count++] = (struct change){job->begin, 1};
        changes[count++] = (struct change){job->end, -1};
    }
    if (count > 0)
        qsort(changes, count, sizeof *changes, by_time);
    return count;
}

static void put_share(struct figures *figures, uint64_t running, uint64_t ticks, uint64_t all) {
    char key[24];
    if (ticks == 0)
        return;
    snprintf(key, sizeof key, "%" PRIu64, running);
    quipu__json_key(&figures->json, key);
    quipu__put_format(&figures->value, "%.6f", (double)ticks / (double)all);
}

/* ticks has a number for each number of running jobs, zeros at first. */
static void sweep(struct figures *figures, const struct change *changes, size_t count, uint64_t *ticks) {
    int64_t running = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && running >= 0)
            ticks[running] += (uint64_t)changes[i].time - (uint64_t)changes[i - 1].time;
        running += changes[i].step;
        most = running > most ? running : most;
    }
    add_number(figures, "max_concurrent_jobs", (uint64_t)most);
    const uint64_t all = count > 0 ? (uint64_t)changes[count - 1].time - (uint64_t)changes[0].time : 0;
    begin_object(figures, NULL);
    for (int64_t i = 0; i <= most; i++)
        put_share(figures, (uint64_t)i, ticks[i], all);
    end_object(figures);
    add(figures, "time_share_by_concurrent_jobs");
}

static void add_concurrency(struct figures *figures) {
    struct quipu__memory *memory = &figures->io->memory;
    const struct quipu__io_study *study = figures->io->study;
    const size_t room = 2 * study->jobs.count + 1;
    struct change *changes = quipu__alloc(memory, room * sizeof *changes);
    uint64_t *ticks = quipu__alloc_zero(memory, room * sizeof *ticks);
    if (changes && ticks)
        sweep(figures, changes, list_changes(study, changes), ticks);
    quipu__release(memory, changes, room * sizeof *changes);
    quipu__release(memory, ticks, room * sizeof *ticks);
}

/* ---- Files ---- */

/* Files that are not known are no tenth of the study. */
static bool is_known(const struct quipu__io_file_use *file_use) {
    return file_use->file != QUIPU_NONE;
}

enum { FILE_COUNTS = 6 };

static void add_counts(struct figures *figures, const char *name, const uint64_t *counts,
                       const char *const *names, size_t count) {
    begin_object(figures, NULL);
    for (size_t i = 0; i < count; i++)
        put_class(figures, names[i], counts[i]);
    end_object(figures);
    add(figures, name);
}

static void add_files_per_job(struct figures *figures) {
    static const char *const names[FILE_COUNTS] = {"0", "1", "2", "3", "4", "5+"};
    struct quipu__io *io = figures->io;
    const struct quipu__io_study *study = io->study;
    uint64_t counts[FILE_COUNTS] = {0};
    uint64_t *opened = quipu__alloc_zero(&io->memory, (study->jobs.count + 1) * sizeof *opened);
    for (size_t i = 0; opened && i < io->file_uses.count; i++) {
        const struct quipu__io_file_use *file_use = &io->file_uses.items[i];
        const uint32_t job = quipu__map_get(&study->job_of, file_use->application);
        if (job != QUIPU_NONE && is_known(file_use))
            opened[job] += file_use->opens > 0;
    }
    for (size_t i = 0; opened && i < study->jobs.count; i++)
        counts[opened[i] < FILE_COUNTS ? opened[i] : FILE_COUNTS - 1]++;
    quipu__release(&io->memory, opened, (study->jobs.count + 1) * sizeof *opened);
    add_counts(figures, "files_opened_per_job", counts, names, FILE_COUNTS);
}

enum { READ_ONLY, WRITE_ONLY, READ_WRITE, UNTOUCHED, USE_KINDS };
static const char *const class_names[USE_KINDS] = {"read-only", "write-only", "read-write", "untouched"};

static unsigned class_of(const struct quipu__io_file_use *file_use) {
    unsigned use_class = 0;
    while (strcmp(class_names[use_class], quipu__io_class_name(file_use)) != 0)
        use_class++;
    return use_class;
}

static void add_file_uses(struct figures *figures) {
    const struct quipu__map *removed = &figures->io->study->removed;
    uint64_t opens = 0, uses = 0, temporary = 0, counts[USE_KINDS] = {0};
    for (size_t i = 0; i < figures->io->file_uses.count; i++) {
        const struct quipu__io_file_use *file_use = &figures->io->file_uses.items[i];
        if (!is_known(file_use))
            continue;
        opens += file_use->opens;
        uses++;
        temporary +=
            file_use->is_created &&
            quipu__map_get(removed, quipu__io_key(file_use->application, file_use->file)) != QUIPU_NONE;
        counts[class_of(file_use)]++;
    }
    add_number(figures, "opens", opens);
    add_number(figures, "file_uses", uses);
    add_counts(figures, "file_use_class", counts, class_names, USE_KINDS);
    add_number(figures, "temporary_file_uses", temporary);
}

/* ---- Sizes of requests ---- */

static void add_direction_figure(struct figures *figures, const char *direction, const char *rest,
                                 uint64_t value) {
    char name[80];
    snprintf(name, sizeof name, "%s_%s", direction, rest);
    add_number(figures, name, value);
}

static int by_size(const void *a, const void *b) {
    const int64_t x = (int64_t)((const struct quipu__io_size *)a)->bytes;
    const int64_t y = (int64_t)((const struct quipu__io_size *)b)->bytes;
    return (x > y) - (x < y);
}

static void add_size_histogram(struct figures *figures, const char *direction, struct quipu__io_sizes *sizes) {
    char name[80];
    if (sizes->list.count > 0)
        qsort(sizes->list.items, sizes->list.count, sizeof *sizes->list.items, by_size);
    begin_object(figures, NULL);
    for (size_t i = 0; i < sizes->list.count; i++)
        put_keyed(figures, (int64_t)sizes->list.items[i].bytes, sizes->list.items[i].requests);
    end_object(figures);
    snprintf(name, sizeof name, "%s_size_histogram", direction);
    add(figures, name);
}

static void add_sizes(struct figures *figures, enum quipu__io_direction direction) {
    static const char *const names[QUIPU__IO_DIRECTIONS] = {"read", "write"};
    struct quipu__io *io = figures->io;
    const struct quipu__io_study *study = io->study;
    char rest[64];
    uint64_t requests = 0, bytes = 0;
    for (size_t i = 0; i < io->uses.count; i++) {
        const bool is_counted = io->uses.items[i].file != QUIPU_NONE;
        requests += is_counted ? io->uses.items[i].requests[direction] : 0;
        bytes += is_counted ? io->uses.items[i].bytes[direction] : 0;
    }
    add_direction_figure(figures, names[direction], "requests", requests);
    add_direction_figure(figures, names[direction], "bytes", bytes);
    snprintf(rest, sizeof rest, "requests_below_%" PRIu64, study->small);
    add_direction_figure(figures, names[direction], rest, study->small_requests[direction]);
    snprintf(rest, sizeof rest, "bytes_in_requests_below_%" PRIu64, study->small);
    add_direction_figure(figures, names[direction], rest, study->small_bytes[direction]);
    add_size_histogram(figures, names[direction], &io->study->sizes[direction]);
}

/* Fractions of requests, and of their bytes, that are at most so large. */
static void add_size_curve(struct figures *figures, const char *name, const struct quipu__io_sizes *sizes) {
    uint64_t requests = 0, bytes = 0, all_requests = 0, all_bytes = 0;
    for (size_t i = 0; i < sizes->list.count; i++) {
        all_requests += sizes->list.items[i].requests;
        all_bytes += sizes->list.items[i].requests * sizes->list.items[i].bytes;
    }
    begin_object(figures, NULL);
    for (size_t i = 0; i < sizes->list.count; i++) {
        char key[24];
        requests += sizes->list.items[i].requests;
        bytes += sizes->list.items[i].requests * sizes->list.items[i].bytes;
        snprintf(key, sizeof key, "%" PRId64, (int64_t)sizes->list.items[i].bytes);
        quipu__json_key(&figures->json, key);
        quipu__put_format(&figures->value, "[%.6f, %.6f]", (double)requests / (double)all_requests,
                          all_bytes > 0 ? (double)bytes / (double)all_bytes : 1.0);
    }
    end_object(figures);
    add(figures, name);
}

/* ---- Order and regularity ---- */

static void add_successions(struct figures *figures) {
    const struct quipu__io *io = figures->io;
    uint64_t successions = 0, sequential = 0, consecutive = 0;
    for (size_t i = 0; i < io->uses.count; i++) {
        const struct quipu__io_use *use = &io->uses.items[i];
        const bool is_counted = use->file != QUIPU_NONE;
        successions += is_counted ? use->successions : 0;
        sequential += is_counted ? use->sequential : 0;
        consecutive += is_counted ? use->consecutive : 0;
    }
    add_number(figures, "request_pairs", successions);
    add_number(figures, "sequential_pairs", sequential);
    add_number(figures, "consecutive_pairs", consecutive);
}

/* Uses added up by file use. */
struct order {
    uint64_t successions, sequential, consecutive, placed, inside;
};

static void sum_orders(const struct quipu__io *io, struct order *orders) {
    for (size_t i = 0; i < io->uses.count; i++) {
        const struct quipu__io_use *use = &io->uses.items[i];
        struct order *order = &orders[use->file_use];
        order->successions += use->successions;
        order->sequential += use->sequential;
        order->consecutive += use->consecutive;
        order->placed += use->placed;
        order->inside += use->strides.inside;
    }
}

static void add_orders(struct figures *figures, const struct order *orders) {
    const struct quipu__io *io = figures->io;
    uint64_t with_successions = 0, sequential = 0, consecutive = 0, strided = 0, placed = 0, inside = 0;
    for (size_t i = 0; i < io->file_uses.count; i++) {
        if (!is_known(&io->file_uses.items[i]))
            continue;
        placed += orders[i].placed;
        inside += orders[i].inside;
        strided += orders[i].inside > 0;
        with_successions += orders[i].successions > 0;
        sequential += orders[i].successions > 0 && orders[i].sequential == orders[i].successions;
        consecutive += orders[i].successions > 0 && orders[i].consecutive == orders[i].successions;
    }
    add_number(figures, "file_uses_with_pairs", with_successions);
    add_number(figures, "fully_sequential_file_uses", sequential);
    add_number(figures, "fully_consecutive_file_uses", consecutive);
    add_number(figures, "file_uses_with_strided_segments", strided);
    add_ratio(figures, "requests_in_strided_segments", inside, placed);
}

static void add_order(struct figures *figures) {
    struct quipu__io *io = figures->io;
    const size_t size = (io->file_uses.count + 1) * sizeof(struct order);
    struct order *orders = quipu__alloc_zero(&io->memory, size);
    if (orders) {
        sum_orders(io, orders);
        add_orders(figures, orders);
    }
    quipu__release(&io->memory, orders, size);
}

static void add_regularity(struct figures *figures) {
    static const char *const names[] = {"0", "1", "2", "3", "4+"};
    uint64_t sizes[QUIPU__IO_DISTINCT + 1] = {0}, intervals[QUIPU__IO_DISTINCT + 1] = {0};
    for (size_t i = 0; i < figures->io->file_uses.count; i++) {
        const struct quipu__io_file_use *file_use = &figures->io->file_uses.items[i];
        if (!is_known(file_use))
            continue;
        sizes[file_use->sizes.count]++;
        intervals[file_use->intervals.count]++;
    }
    add_counts(figures, "distinct_request_sizes_per_file_use", sizes, names, QUIPU__IO_DISTINCT + 1);
    add_counts(figures, "distinct_intervals_per_file_use", intervals, names, QUIPU__IO_DISTINCT + 1);
}

/* ---- Sharing ---- */

/* File uses by the tenth of their bytes that is shared: none, up to a tenth, …, all. */
enum { TENTHS = 12 };

struct sharing {
    struct quipu__extent_totals totals;
    uint64_t tenths[TENTHS];
};

static unsigned tenth_of(const struct quipu__extent_totals *totals) {
    if (totals->bytes_shared == 0)
        return 0;
    if (totals->bytes_shared == totals->bytes)
        return TENTHS - 1;
    return 1 + (unsigned)((double)totals->bytes_shared / (double)totals->bytes * 10);
}

static void sum_sharing(const struct quipu__io *io, struct sharing *counts) {
    for (size_t i = 0; i < io->file_uses.count; i++) {
        const struct quipu__io_file_use *file_use = &io->file_uses.items[i];
        const struct quipu__extent_totals totals = quipu__extents_total(&file_use->extents, io->block_size);
        struct sharing *sharing = &counts[class_of(file_use)];
        if (!is_known(file_use))
            continue;
        sharing->totals.bytes += totals.bytes;
        sharing->totals.bytes_shared += totals.bytes_shared;
        sharing->totals.blocks += totals.blocks;
        sharing->totals.blocks_shared += totals.blocks_shared;
        sharing->tenths[tenth_of(&totals)] += totals.bytes > 0;
    }
}

static void add_sharing(struct figures *figures, const struct sharing *counts) {
    char blocks[40];
    snprintf(blocks, sizeof blocks, "blocks%" PRId64, figures->io->block_size);
    begin_object(figures, NULL);
    for (unsigned i = 0; i < UNTOUCHED; i++) {
        begin_object(figures, class_names[i]);
        quipu__json_u64(&figures->json, "bytes", counts[i].totals.bytes);
        quipu__json_u64(&figures->json, "bytes_shared", counts[i].totals.bytes_shared);
        quipu__json_u64(&figures->json, blocks, counts[i].totals.blocks);
        quipu__json_u64(&figures->json, "blocks_shared", counts[i].totals.blocks_shared);
        end_object(figures);
    }
    end_object(figures);
    add(figures, "sharing");
}

static void add_sharing_distribution(struct figures *figures, const struct sharing *counts) {
    static const char *const names[TENTHS] = {"none",   "to 10%", "to 20%", "to 30%", "to 40%",     "to 50%",
                                              "to 60%", "to 70%", "to 80%", "to 90%", "below 100%", "all"};
    begin_object(figures, NULL);
    for (unsigned i = 0; i < UNTOUCHED; i++) {
        begin_object(figures, class_names[i]);
        for (unsigned tenth = 0; tenth < TENTHS; tenth++)
            put_class(figures, names[tenth], counts[i].tenths[tenth]);
        end_object(figures);
    }
    end_object(figures);
    add(figures, "file_uses_by_bytes_shared");
}

/* ---- Caches ---- */

static void add_node_caches(struct figures *figures, const char *name, const struct quipu__node_caches *caches,
                            enum quipu__replacement replacement) {
    const struct quipu__io_numbers *buffers = &figures->io->study->io_buffers;
    begin_object(figures, NULL);
    for (uint32_t i = 0; i < buffers->count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%" PRIu64, buffers->items[i]);
        put_ratio(figures, key, quipu__node_caches_hits(caches, replacement, buffers->items[i]),
                  caches->references);
    }
    end_object(figures);
    add(figures, name);
}

/* Client caches count for files that were only read. */
static void add_client_caches(struct figures *figures, uint32_t index) {
    const struct quipu__io *io = figures->io;
    uint64_t hits = 0, requests = 0;
    char name[80];
    for (size_t i = 0; i < io->uses.count; i++) {
        const struct quipu__io_use *use = &io->uses.items[i];
        const struct quipu__io_file_use *file_use = &io->file_uses.items[use->file_use];
        if (!use->cache || file_use->has_requests[QUIPU__IO_WRITES])
            continue;
        hits += use->cache->sizes[index].hits;
        requests += use->cache->sizes[index].requests;
    }
    snprintf(name, sizeof name, "compute_node_cache_%" PRIu64 "_block_request_hits",
             io->study->client_buffers.items[index]);
    add_ratio(figures, name, hits, requests);
}

static void add_caches(struct figures *figures) {
    const struct quipu__io_study *study = figures->io->study;
    if (study->has_replacement[QUIPU__REPLACE_LRU])
        add_node_caches(figures, "io_node_cache_lru_block_hits", &study->nodes, QUIPU__REPLACE_LRU);
    if (study->has_replacement[QUIPU__REPLACE_FIFO])
        add_node_caches(figures, "io_node_cache_fifo_block_hits", &study->nodes, QUIPU__REPLACE_FIFO);
    for (uint32_t i = 0; i < study->client_buffers.count; i++)
        add_client_caches(figures, i);
}

/* ---- What the specification leaves to reports ---- */

static void add_file_sizes(struct figures *figures) {
    struct quipu__io *io = figures->io;
    const size_t room = io->file_uses.count + 1;
    int64_t *sizes = quipu__alloc(&io->memory, room * sizeof *sizes);
    size_t count = 0;
    for (size_t i = 0; sizes && i < io->file_uses.count; i++)
        if (is_known(&io->file_uses.items[i]) && io->file_uses.items[i].size != QUIPU_UNKNOWN)
            sizes[count++] = (int64_t)io->file_uses.items[i].size;
    if (sizes)
        add_histogram(figures, "file_size_at_close_histogram", sizes, count);
    quipu__release(&io->memory, sizes, room * sizeof *sizes);
}

static void add_open_files(struct figures *figures) {
    uint64_t shared = 0;
    for (size_t i = 0; i < figures->io->file_uses.count; i++)
        shared += figures->io->file_uses.items[i].was_open_twice;
    add_number(figures, "file_uses_open_at_several_clients", shared);
    add_number(figures, "files_open_in_several_jobs", figures->io->study->files_shared_by_jobs);
}

static void add_performance(struct figures *figures) {
    struct quipu__io_performance performance;
    if (!quipu__io_estimate(figures->io, &performance))
        return;
    const double rate = quipu__io_rate(&performance);
    if (rate < 0)
        quipu__json_null(&figures->json, NULL);
    else
        quipu__put_format(&figures->value, "%.6f", rate);
    add(figures, "darshan_estimated_mib_per_s");
}

static void add_reports(struct figures *figures, const struct sharing *counts) {
    const struct quipu__io_study *study = figures->io->study;
    add_file_sizes(figures);
    add_size_curve(figures, "read_size_fractions", &study->sizes[QUIPU__IO_READS]);
    add_size_curve(figures, "write_size_fractions", &study->sizes[QUIPU__IO_WRITES]);
    add_sharing_distribution(figures, counts);
    add_open_files(figures);
    add_node_caches(figures, "combined_cache_lru_block_hits", &study->combined, QUIPU__REPLACE_LRU);
    add_performance(figures);
}

/* ---- All figures ---- */

static void add_figures(struct figures *figures) {
    struct sharing counts[USE_KINDS] = {0};
    add_number(figures, "jobs", figures->io->study->jobs.count);
    add_job_sizes(figures);
    add_concurrency(figures);
    add_files_per_job(figures);
    add_file_uses(figures);
    add_sizes(figures, QUIPU__IO_READS);
    add_sizes(figures, QUIPU__IO_WRITES);
    add_successions(figures);
    add_order(figures);
    add_regularity(figures);
    sum_sharing(figures->io, counts);
    add_sharing(figures, counts);
    add_caches(figures);
    add_reports(figures, counts);
}

enum quipu_status quipu__io_study_show(struct quipu__io *io, struct quipu_tables *tables,
                                       struct quipu_error *err) {
    struct figures figures = {.io = io, .status = QUIPU_OK, .err = err};
    const enum quipu_status status =
        quipu__tables_add(tables, &quipu__io_tables[QUIPU__IO_STUDY], &figures.table, err);
    if (status != QUIPU_OK)
        return status;
    quipu__buffer_init(&figures.value, &io->memory, 0);
    figures.json = quipu__json_init(&figures.value);
    add_figures(&figures);
    quipu__buffer_release(&figures.value);
    return figures.status;
}
