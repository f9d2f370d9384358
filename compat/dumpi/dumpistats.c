/* dumpistats.c: statistics of a run as tables: one line per rank, one table per interval.
 *
 * Options and text are those of the original. Each rank is read twice: for where it starts, initialises and ends, and
 * to measure. Communicators of all kinds are known here, also those that end the original; a rank whose
 * communicators are not known counts what does not need them. An annotated interval that is still open when its rank
 * ends is closed there, and not carried into the next rank.
 *
 * Column 5 of annotated intervals is the original's: of -m the time at which the interval ended, of -g the sum of the
 * intervals with the last one counted twice.
 */
#include "command.h"
#include "stats.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 1, EXIT_UNREADABLE = 2 };

/* ---- What is measured of one interval ---- */

/* How the last call that a handler matched ended. */
struct last {
    bool is_set;
    int64_t cpu, wall;
    int64_t *counters;
};

struct cell {
    uint64_t interval;
    bool has_calls;
    struct quipu__undumpi_row_head head;
    int64_t *values;    /* columns of all handlers */
    struct last *lasts; /* one per handler */
};

/* One bin on the rank at hand. */
struct collection {
    struct quipu__undumpi_span span;
    struct quipu__map places; /* of intervals in cells */
    QUIPU__VEC(struct cell) cells;
    bool is_open;    /* annotations: between first and last */
    uint64_t opened; /* how many intervals so far */
    int64_t since;   /* start of the open one */
};

/* A rank that did not get there. */
#define NO_MOMENT INT64_MIN

struct stats {
    struct quipu__undumpi_stats_options *options;
    struct quipu__undumpi_run run;
    struct quipu__undumpi_tables *tables;
    struct quipu__undumpi_rank rank;
    struct quipu__undumpi_file file;
    struct quipu__memory memory;
    struct quipu__arena arena; /* of the rank at hand */
    struct collection *collections;
    int64_t moments[QUIPU__UNDUMPI_MOMENTS];
    uint32_t column_count;
    int code;
};

static void *allocate_zero(struct stats *stats, size_t count, size_t size) {
    void *memory = quipu__arena_alloc(&stats->arena, (count + 1) * size);
    return memory ? memset(memory, 0, (count + 1) * size) : NULL;
}

static struct cell *add_cell(struct stats *stats, struct collection *collection, uint64_t interval) {
    const size_t handlers = stats->options->handlers.count;
    struct cell *cell = QUIPU__VEC_ADD(&stats->memory, &collection->cells);
    if (!cell || !quipu__map_put(&collection->places, interval, (uint32_t)collection->cells.count - 1))
        return NULL;
    cell->interval = interval;
    cell->values = allocate_zero(stats, stats->column_count, sizeof *cell->values);
    cell->lasts = allocate_zero(stats, handlers, sizeof *cell->lasts);
    for (size_t i = 0; cell->lasts && i < handlers; i++)
        cell->lasts[i].counters = allocate_zero(stats, stats->run.counter_count, sizeof(int64_t));
    return cell->values && cell->lasts ? cell : NULL;
}

static struct cell *cell_of(struct stats *stats, struct collection *collection, uint64_t interval) {
    const uint32_t place = quipu__map_get(&collection->places, interval);
    return place != QUIPU_NONE ? &collection->cells.at[place] : add_cell(stats, collection, interval);
}

/* ---- Measuring ---- */

/* Everything since the end of the call before is outside, up to the beginning of a call that matches and up to the end
 * of one that does not. */
static void measure_span(int64_t *inside, int64_t *outside, bool matches, bool has_last, int64_t last,
                         int64_t start, int64_t stop) {
    if (matches)
        *inside += stop - start;
    if (has_last)
        *outside += (matches ? start : stop) - last;
}

static void measure_times(int64_t *values, struct last *last, bool matches,
                          const struct quipu__dumpi_call *call) {
    measure_span(&values[0], &values[1], matches, last->is_set, last->cpu, call->cpu_start, call->cpu_stop);
    measure_span(&values[2], &values[3], matches, last->is_set, last->wall, call->wall_start, call->wall_stop);
    last->is_set = true;
    last->cpu = call->cpu_stop;
    last->wall = call->wall_stop;
}

static void measure_counters(int64_t *values, struct last *last, bool matches, uint32_t count,
                             const struct quipu__dumpi_counter *counters) {
    if (quipu_sized_count(counters) < count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        measure_span(&values[2 * i], &values[2 * i + 1], matches, last->is_set, last->counters[i],
                     counters[i].in, counters[i].out);
        last->counters[i] = counters[i].out;
    }
    last->is_set = true;
}

/* Size class: 0 is no bytes, c is from 2^(c-1) up to 2^c, the last one has no upper end. */
static unsigned class_of(uint64_t bytes) {
    unsigned size_class = 0;
    for (; bytes > 0 && size_class + 1 < QUIPU__UNDUMPI_LUMPS; bytes >>= 1)
        size_class++;
    return size_class;
}

static void measure_lumps(int64_t *values, const struct quipu__undumpi_traffic *traffic) {
    if (traffic->sends)
        values[2 * class_of(traffic->sent)]++;
    if (traffic->receives)
        values[2 * class_of(traffic->received) + 1]++;
}

static void measure_traffic(const struct quipu__undumpi_handler *handler, int64_t *values,
                            const struct quipu__undumpi_traffic *traffic) {
    if (!handler->matches[traffic->reported_as])
        return;
    if (handler->measure == QUIPU__UNDUMPI_SENT)
        values[0] += (int64_t)traffic->sent;
    else if (handler->measure == QUIPU__UNDUMPI_RECEIVED)
        values[0] += (int64_t)traffic->received;
    else if (handler->measure == QUIPU__UNDUMPI_LUMPED)
        measure_lumps(values, traffic);
    else if (traffic->to < handler->column_count)
        values[traffic->to] += (int64_t)traffic->sent;
}

static void measure(struct stats *stats, struct cell *cell, size_t index,
                    const struct quipu__undumpi_traffic *traffic) {
    const struct quipu__undumpi_handler *handler = &stats->options->handlers.at[index];
    const struct quipu__dumpi_call *call = &stats->file.decoder.common;
    const bool matches = handler->matches[stats->file.decoder.type];
    int64_t *values = cell->values + handler->first_column;
    switch (handler->measure) {
    case QUIPU__UNDUMPI_COUNT:
        values[0] += matches;
        break;
    case QUIPU__UNDUMPI_TIME:
        measure_times(values, &cell->lasts[index], matches, call);
        break;
    case QUIPU__UNDUMPI_COUNTED:
        measure_counters(values, &cell->lasts[index], matches, stats->run.counter_count, call->counters);
        break;
    default:
        measure_traffic(handler, values, traffic);
        break;
    }
}

static struct cell *count_call(struct stats *stats, struct collection *collection, uint64_t interval,
                               const struct quipu__undumpi_traffic *traffic) {
    struct cell *cell = cell_of(stats, collection, interval);
    for (size_t i = 0; cell && i < stats->options->handlers.count; i++)
        measure(stats, cell, i, traffic);
    return cell;
}

/* The beginning of a function is time outside of calls, but no call. */
static bool is_call(const struct stats *stats) {
    return stats->file.decoder.type != QUIPU__DUMPI_TYPE_function_enter;
}

/* ---- Ranges ---- */

static int64_t moment_of(const struct stats *stats, const struct quipu__undumpi_bound *bound) {
    return stats->moments[bound->moment] + bound->distance_ns;
}

/* Nothing is in a range with an end that the rank does not have. */
static void place_range(const struct stats *stats, const struct quipu__undumpi_bin *bin,
                        struct collection *collection) {
    collection->span.begin_ns = collection->span.end_ns = 0;
    if (stats->moments[bin->begin.moment] == NO_MOMENT || stats->moments[bin->end.moment] == NO_MOMENT)
        return;
    collection->span.begin_ns = moment_of(stats, &bin->begin);
    collection->span.end_ns = moment_of(stats, &bin->end) + (bin->width_ns == 0);
}

static bool count_in_range(struct stats *stats, const struct quipu__undumpi_bin *bin,
                           struct collection *collection, const struct quipu__undumpi_traffic *traffic) {
    const struct quipu__dumpi_call *call = &stats->file.decoder.common;
    const int64_t start = call->wall_start;
    if (start < collection->span.begin_ns || start >= collection->span.end_ns)
        return true;
    const uint64_t interval =
        bin->width_ns ? (uint64_t)(start - collection->span.begin_ns) / (uint64_t)bin->width_ns : 0;
    struct cell *cell = count_call(stats, collection, interval, traffic);
    if (!cell || !is_call(stats))
        return cell != NULL;
    if (!cell->has_calls)
        cell->head = (struct quipu__undumpi_row_head){.intervals = 1, .first_ns = start};
    cell->has_calls = true;
    cell->head.last_ns = call->wall_stop;
    cell->head.total_ns = cell->head.last_ns - cell->head.first_ns;
    return true;
}

/* ---- Annotations ---- */

static const char *label_of(const struct stats *stats, uint64_t address) {
    const struct quipu__dumpi_file *file = stats->rank.file;
    for (uint32_t i = 0; i < file->label_count; i++)
        if (file->labels[i].address == address)
            return file->labels[i].name;
    return "";
}

/* All intervals of -g are number 0, those of -m count from 1. */
static uint64_t interval_of(const struct quipu__undumpi_bin *bin, const struct collection *collection) {
    return bin->kind == QUIPU__UNDUMPI_GATHER ? 0 : collection->opened;
}

static bool open_interval(struct stats *stats, const struct quipu__undumpi_bin *bin,
                          struct collection *collection) {
    collection->is_open = true;
    collection->since = stats->file.decoder.common.wall_start;
    collection->opened++;
    struct cell *cell = cell_of(stats, collection, interval_of(bin, collection));
    if (!cell)
        return false;
    if (cell->head.intervals == 0)
        cell->head.first_ns = collection->since;
    cell->head.intervals = collection->opened;
    for (size_t i = 0; i < stats->options->handlers.count; i++)
        cell->lasts[i].is_set = false;
    return true;
}

static bool close_interval(struct stats *stats, const struct quipu__undumpi_bin *bin,
                           struct collection *collection) {
    const int64_t now = stats->file.decoder.common.wall_start;
    struct cell *cell = cell_of(stats, collection, interval_of(bin, collection));
    if (!cell)
        return false;
    collection->is_open = false;
    cell->head.last_ns = now;
    if (bin->kind == QUIPU__UNDUMPI_MARK)
        cell->head.total_ns = now;
    else
        cell->head.total_ns += now - collection->since;
    return true;
}

/* The annotation that an interval begins with, or ends with, belongs to it. */
static bool count_between_marks(struct stats *stats, const struct quipu__undumpi_bin *bin,
                                struct collection *collection, const struct quipu__undumpi_traffic *traffic) {
    const struct quipu__dumpi_decoder *decoder = &stats->file.decoder;
    const char *label = is_call(stats) ? NULL : label_of(stats, decoder->data.function_enter.fn);
    const bool opens = !collection->is_open && label && regexec(&bin->first, label, 0, NULL, 0) == 0;
    const bool closes = collection->is_open && label && regexec(&bin->last, label, 0, NULL, 0) == 0;
    if (opens && !open_interval(stats, bin, collection))
        return false;
    if (!collection->is_open)
        return true;
    struct cell *cell = count_call(stats, collection, interval_of(bin, collection), traffic);
    if (!cell)
        return false;
    cell->has_calls = cell->has_calls || is_call(stats);
    return !closes || close_interval(stats, bin, collection);
}

/* ---- One rank ---- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void complain_of(struct stats *stats) {
    quipu__undumpi_complain("dumpistats", stats->rank.file->path, &stats->file.error);
    stats->code = QUIPU__UNDUMPI_EXIT_DAMAGED;
}

/* First reading: when the rank starts, initialises, finalizes and ends; one that was killed finalizes at its end. */
static void find_moments(struct stats *stats) {
    const struct quipu__dumpi_decoder *decoder = &stats->file.decoder;
    const struct quipu__dumpi_call *call = &decoder->common;
    int64_t *moments = stats->moments;
    moments[QUIPU__UNDUMPI_START] = INT64_MAX;
    moments[QUIPU__UNDUMPI_STOP] = INT64_MIN;
    moments[QUIPU__UNDUMPI_INIT] = moments[QUIPU__UNDUMPI_FINALIZE] = NO_MOMENT;
    enum quipu_status status = quipu__undumpi_rewind(&stats->file);
    while (status == QUIPU_OK && (status = quipu__undumpi_next(&stats->file)) == QUIPU_OK) {
        moments[QUIPU__UNDUMPI_START] = least(moments[QUIPU__UNDUMPI_START], call->wall_start);
        moments[QUIPU__UNDUMPI_STOP] = most(moments[QUIPU__UNDUMPI_STOP], call->wall_stop);
        if (decoder->type == QUIPU__DUMPI_TYPE_init || decoder->type == QUIPU__DUMPI_TYPE_init_thread)
            moments[QUIPU__UNDUMPI_INIT] = call->wall_start;
        if (decoder->type == QUIPU__DUMPI_TYPE_finalize || decoder->type == QUIPU__DUMPI_TYPE_abort)
            moments[QUIPU__UNDUMPI_FINALIZE] = call->wall_stop;
    }
    if (moments[QUIPU__UNDUMPI_INIT] != NO_MOMENT && moments[QUIPU__UNDUMPI_FINALIZE] == NO_MOMENT)
        moments[QUIPU__UNDUMPI_FINALIZE] = moments[QUIPU__UNDUMPI_STOP];
    if (status < 0)
        complain_of(stats);
}

static bool count_in_bins(struct stats *stats) {
    struct quipu__undumpi_traffic traffic;
    quipu__undumpi_traffic_of(&stats->rank, stats->file.decoder.type, &stats->file.decoder.data, &traffic);
    for (size_t b = 0; b < stats->options->bins.count; b++) {
        const struct quipu__undumpi_bin *bin = &stats->options->bins.at[b];
        struct collection *collection = &stats->collections[b];
        if (!(bin->kind == QUIPU__UNDUMPI_RANGE ? count_in_range(stats, bin, collection, &traffic)
                                                : count_between_marks(stats, bin, collection, &traffic)))
            return false;
    }
    return true;
}

/* Second reading. */
static bool count_calls(struct stats *stats) {
    if (quipu__undumpi_rewind(&stats->file) != QUIPU_OK)
        return true;
    for (;;) {
        const uint64_t at = quipu__undumpi_offset(&stats->file);
        if (quipu__undumpi_next(&stats->file) != QUIPU_OK)
            return true;
        quipu__undumpi_rank_move(&stats->rank, at);
        if (!count_in_bins(stats))
            return false;
    }
}

/* What becomes a line at the end of the rank. */
static bool add_lines(struct stats *stats) {
    for (uint32_t b = 0; b < stats->options->bins.count; b++) {
        const struct quipu__undumpi_bin *bin = &stats->options->bins.at[b];
        struct collection *collection = &stats->collections[b];
        for (size_t i = 0; i < collection->cells.count; i++) {
            struct cell *cell = &collection->cells.at[i];
            if (bin->kind == QUIPU__UNDUMPI_GATHER && !collection->is_open)
                cell->head.total_ns += cell->head.last_ns - collection->since;
            if (cell->has_calls &&
                !quipu__undumpi_tables_add(stats->tables, b, cell->interval, stats->rank.file->rank,
                                           &collection->span, &cell->head, cell->values))
                return false;
        }
    }
    return true;
}

static bool begin_rank(struct stats *stats, const struct quipu__dumpi_file *file) {
    quipu__arena_init(&stats->arena, &stats->memory);
    stats->rank = (struct quipu__undumpi_rank){.run = &stats->run, .file = file};
    quipu__tokens_init(&stats->rank.communicators, &stats->memory);
    stats->collections = allocate_zero(stats, stats->options->bins.count, sizeof *stats->collections);
    for (size_t b = 0; stats->collections && b < stats->options->bins.count; b++)
        quipu__map_init(&stats->collections[b].places, &stats->memory);
    return stats->collections != NULL;
}

static void end_rank(struct stats *stats) {
    for (size_t b = 0; stats->collections && b < stats->options->bins.count; b++) {
        quipu__map_release(&stats->collections[b].places);
        QUIPU__VEC_RELEASE(&stats->memory, &stats->collections[b].cells);
    }
    quipu__tokens_release(&stats->rank.communicators);
    quipu__arena_release(&stats->arena);
}

static bool do_rank(struct stats *stats) {
    find_moments(stats);
    for (size_t b = 0; b < stats->options->bins.count; b++)
        if (stats->options->bins.at[b].kind == QUIPU__UNDUMPI_RANGE)
            place_range(stats, &stats->options->bins.at[b], &stats->collections[b]);
    return count_calls(stats) && add_lines(stats);
}

static bool open_rank(struct stats *stats, const struct quipu__dumpi_file *file) {
    if (!file->is_missing && quipu__undumpi_open(&stats->file, file->path, false) == QUIPU_OK)
        return true;
    if (file->is_missing)
        fprintf(stderr, "dumpistats: %s: the file of rank %u cannot be read\n", file->path,
                (unsigned)file->rank);
    else
        quipu__undumpi_complain("dumpistats", file->path, &stats->file.error);
    stats->code = QUIPU__UNDUMPI_EXIT_DAMAGED;
    return false;
}

static bool do_run(struct stats *stats) {
    bool good = true;
    for (size_t i = 0; good && i < stats->run.own->files.count; i++) {
        const struct quipu__dumpi_file *file = &stats->run.own->files.at[i];
        if (!open_rank(stats, file))
            continue;
        good = begin_rank(stats, file) && do_rank(stats);
        end_rank(stats);
        quipu__undumpi_close(&stats->file);
    }
    return good;
}

/* ---- Command ---- */

static const struct option_row {
    const char *name;
    int letter;
    const char *argument;
    const char *help;
} option_rows[] = {
    {"help", 'h', NULL, "print this"},
    {"verbose", 'v', NULL, "accepted; there is nothing more to say"},
    {"in", 'i', "METAFILE", "the run"},
    {"out", 'o', "ROOT", "what the names of the tables begin with"},
    {"bin", 'b', "RANGE", "calls in a stretch of time, e.g. \"init to finalize by 0.5\" (default: all)"},
    {"mark", 'm', "/FIRST/LAST/", "calls between annotations, each time in a table of its own"},
    {"gather", 'g', "/FIRST/LAST/", "calls between annotations, all times in one table"},
    {"count", 'c', "CALLS", "number of calls"},
    {"time", 't', "CALLS", "time inside and outside of calls (default: mpi)"},
    {"sent", 's', "CALLS", "bytes sent"},
    {"recvd", 'r', "CALLS", "bytes received"},
    {"exchange", 'x', "CALLS", "bytes sent to each rank"},
    {"lump", 'l', "CALLS", "messages by size"},
    {"perfctr", 'p', "CALLS", "hardware counters inside and outside of calls"},
};
enum { OPTION_COUNT = sizeof option_rows / sizeof *option_rows };

static int usage(FILE *to, int code) {
    fprintf(to, "usage: dumpistats [options] -i METAFILE -o ROOT\n"
                "Writes statistics of a run to ROOT-binI-K.tbl.\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        fprintf(to, "  -%c, --%-9s %-13s %s\n", option_rows[i].letter, option_rows[i].name,
                option_rows[i].argument ? option_rows[i].argument : "", option_rows[i].help);
    fprintf(
        to,
        "CALLS is all, mpi, non-mpi, sends, recvs, coll, wait, io or a regular expression for a whole name.\n");
    return code;
}

static bool add_bin(struct stats *stats, enum quipu__undumpi_bin_kind kind, const char *text) {
    char message[300];
    struct quipu__undumpi_bin *bin = QUIPU__VEC_ADD(&stats->memory, &stats->options->bins);
    if (bin && quipu__undumpi_bin_parse(bin, kind, text, message, sizeof message))
        return true;
    fprintf(stderr, "dumpistats: %s\n", bin ? message : "memory is out");
    return false;
}

static bool add_handler(struct stats *stats, enum quipu__undumpi_measure measure_kind, const char *text) {
    char message[300];
    struct quipu__undumpi_handler *handler = QUIPU__VEC_ADD(&stats->memory, &stats->options->handlers);
    if (handler && quipu__undumpi_handler_parse(handler, measure_kind, text, message, sizeof message))
        return true;
    fprintf(stderr, "dumpistats: %s\n", handler ? message : "memory is out");
    return false;
}

/* Bins and handlers by their letters, in the order of their kinds. */
static bool add_by_letter(struct stats *stats, int letter, const char *text) {
    static const char bins[] = "bmg", handlers[] = "ctsrxlp";
    const char *bin = strchr(bins, letter), *handler = strchr(handlers, letter);
    if (bin)
        return add_bin(stats, (enum quipu__undumpi_bin_kind)(bin - bins), text);
    return handler && add_handler(stats, (enum quipu__undumpi_measure)(handler - handlers), text);
}

/* -1: go on, else the exit code. */
static int parse_options(int argc, char **argv, struct stats *stats) {
    struct option long_options[OPTION_COUNT + 1] = {{NULL, 0, NULL, 0}};
    char letters[2 * OPTION_COUNT + 1] = "";
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        const char letter[3] = {(char)row->letter, row->argument ? ':' : '\0', '\0'};
        long_options[i] =
            (struct option){row->name, row->argument ? required_argument : no_argument, NULL, row->letter};
        strcat(letters, letter);
    }
    int letter;
    while ((letter = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        if (letter == 'h')
            return usage(stdout, EXIT_SUCCESS);
        if (letter == '?')
            return usage(stderr, EXIT_USAGE);
        if (letter == 'i')
            stats->options->in = optarg;
        else if (letter == 'o')
            stats->options->out = optarg;
        else if (letter != 'v' && !add_by_letter(stats, letter, optarg))
            return EXIT_USAGE;
    }
    if (!stats->options->in || !stats->options->out)
        return usage(stderr, EXIT_USAGE);
    if (stats->options->bins.count == 0 && !add_bin(stats, QUIPU__UNDUMPI_RANGE, "all"))
        return EXIT_USAGE;
    if (stats->options->handlers.count == 0 && !add_handler(stats, QUIPU__UNDUMPI_TIME, "mpi"))
        return EXIT_USAGE;
    return -1;
}

static void number_columns(struct stats *stats) {
    for (size_t i = 0; i < stats->options->handlers.count; i++) {
        struct quipu__undumpi_handler *handler = &stats->options->handlers.at[i];
        handler->first_column = stats->column_count;
        handler->column_count = quipu__undumpi_column_count(handler->measure, &stats->run);
        stats->column_count += handler->column_count;
    }
}

static int make_tables(struct stats *stats) {
    struct quipu_error error = QUIPU_ERROR_INIT;
    number_columns(stats);
    enum quipu_status status = quipu__undumpi_tables_new(stats->options, &stats->run, &stats->tables, &error);
    if (status == QUIPU_OK && !do_run(stats)) {
        snprintf(error.message, sizeof error.message, "memory is out");
        status = QUIPU_NO_MEMORY;
    }
    if (status == QUIPU_OK)
        status = quipu__undumpi_tables_write(stats->tables, &error);
    quipu__undumpi_tables_free(stats->tables);
    if (status == QUIPU_OK)
        return stats->code;
    quipu__undumpi_complain("dumpistats", stats->options->out, &error);
    return QUIPU__UNDUMPI_EXIT_OUTPUT;
}

static void release_options(struct stats *stats) {
    for (size_t i = 0; i < stats->options->bins.count; i++)
        quipu__undumpi_bin_release(&stats->options->bins.at[i]);
    QUIPU__VEC_RELEASE(&stats->memory, &stats->options->bins);
    QUIPU__VEC_RELEASE(&stats->memory, &stats->options->handlers);
}

int main(int argc, char **argv) {
    static struct quipu__undumpi_stats_options options;
    static struct stats stats;
    struct quipu_error error = QUIPU_ERROR_INIT;
    stats.options = &options;
    quipu__memory_init(&stats.memory, NULL, SIZE_MAX / 2);
    int code = parse_options(argc, argv, &stats);
    if (code < 0) {
        if (quipu__undumpi_run_open(&stats.run, options.in, &error) == QUIPU_OK) {
            code = make_tables(&stats);
        } else {
            quipu__undumpi_complain("dumpistats", options.in, &error);
            code = EXIT_UNREADABLE;
        }
        quipu__undumpi_run_close(&stats.run);
    }
    release_options(&stats);
    return code;
}
