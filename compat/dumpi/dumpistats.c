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

struct stats {
    struct quipu__undumpi_stats_options *options;
    struct quipu__undumpi_run job;
    struct quipu__undumpi_tables *tables;
    struct quipu__undumpi_collector collector;
    struct quipu__undumpi_file file;
    struct quipu__memory memory;
    int code;
};

/* ---- One rank ---- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void complain_of(struct stats *stats) {
    quipu__undumpi_complain("dumpistats", stats->collector.rank.file->path, &stats->file.error);
    stats->code = QUIPU__UNDUMPI_EXIT_DAMAGED;
}

/* First reading: when the rank starts, initialises, finalizes and ends; one that was killed finalizes at its end. */
static void find_reference_times(struct stats *stats) {
    const struct quipu__dumpi_decoder *decoder = &stats->file.decoder;
    const struct quipu__dumpi_call *call = &decoder->common;
    int64_t *reference_times = stats->collector.reference_times;
    reference_times[QUIPU__UNDUMPI_START] = INT64_MAX;
    reference_times[QUIPU__UNDUMPI_STOP] = INT64_MIN;
    reference_times[QUIPU__UNDUMPI_INIT] = reference_times[QUIPU__UNDUMPI_FINALIZE] =
        QUIPU__UNDUMPI_NOT_REACHED;
    enum quipu_status status = quipu__undumpi_rewind(&stats->file);
    while (status == QUIPU_OK && (status = quipu__undumpi_next(&stats->file)) == QUIPU_OK) {
        reference_times[QUIPU__UNDUMPI_START] = least(reference_times[QUIPU__UNDUMPI_START], call->wall_start);
        reference_times[QUIPU__UNDUMPI_STOP] = most(reference_times[QUIPU__UNDUMPI_STOP], call->wall_stop);
        if (decoder->type == QUIPU__DUMPI_TYPE_init || decoder->type == QUIPU__DUMPI_TYPE_init_thread)
            reference_times[QUIPU__UNDUMPI_INIT] = call->wall_start;
        if (decoder->type == QUIPU__DUMPI_TYPE_finalize || decoder->type == QUIPU__DUMPI_TYPE_abort)
            reference_times[QUIPU__UNDUMPI_FINALIZE] = call->wall_stop;
    }
    if (reference_times[QUIPU__UNDUMPI_INIT] != QUIPU__UNDUMPI_NOT_REACHED &&
        reference_times[QUIPU__UNDUMPI_FINALIZE] == QUIPU__UNDUMPI_NOT_REACHED)
        reference_times[QUIPU__UNDUMPI_FINALIZE] = reference_times[QUIPU__UNDUMPI_STOP];
    if (status < 0)
        complain_of(stats);
}

/* Second reading. */
static bool count_calls(struct stats *stats) {
    if (quipu__undumpi_rewind(&stats->file) != QUIPU_OK)
        return true;
    for (;;) {
        const uint64_t offset = quipu__undumpi_offset(&stats->file);
        if (quipu__undumpi_next(&stats->file) != QUIPU_OK)
            return true;
        if (!quipu__undumpi_collector_count(&stats->collector, offset))
            return false;
    }
}

static bool do_rank(struct stats *stats, const struct quipu__dumpi_file *file) {
    if (!quipu__undumpi_collector_begin(&stats->collector, file))
        return false;
    find_reference_times(stats);
    quipu__undumpi_collector_set_ranges(&stats->collector);
    return count_calls(stats) && quipu__undumpi_collector_add_lines(&stats->collector, stats->tables);
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
    for (size_t i = 0; good && i < stats->job.own->files.count; i++) {
        const struct quipu__dumpi_file *file = &stats->job.own->files.items[i];
        if (!open_rank(stats, file))
            continue;
        good = do_rank(stats, file);
        quipu__undumpi_collector_end(&stats->collector);
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
    size_t len = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        long_options[i] =
            (struct option){row->name, row->argument ? required_argument : no_argument, NULL, row->letter};
        letters[len++] = (char)row->letter;
        if (row->argument)
            letters[len++] = ':';
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
        struct quipu__undumpi_handler *handler = &stats->options->handlers.items[i];
        handler->first_column = stats->collector.column_count;
        handler->column_count = quipu__undumpi_column_count(handler->measure, &stats->job);
        stats->collector.column_count += handler->column_count;
    }
}

static int make_tables(struct stats *stats) {
    struct quipu_error error = QUIPU_ERROR_INIT;
    stats->collector = (struct quipu__undumpi_collector){
        .options = stats->options,
        .decoder = &stats->file.decoder,
        .memory = &stats->memory,
        .rank.job = &stats->job,
    };
    number_columns(stats);
    enum quipu_status status = quipu__undumpi_tables_new(stats->options, &stats->job, &stats->tables, &error);
    if (status == QUIPU_OK && !do_run(stats)) {
        snprintf(error.message, sizeof error.message, "memory is out");
        status = QUIPU_NO_MEMORY;
    }
    if (status == QUIPU_OK)
        status = quipu__memory_status(&stats->memory, &error);
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
        quipu__undumpi_bin_release(&stats->options->bins.items[i]);
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
        if (quipu__undumpi_run_open(&stats.job, options.in, &error) == QUIPU_OK) {
            code = make_tables(&stats);
        } else {
            quipu__undumpi_complain("dumpistats", options.in, &error);
            code = EXIT_UNREADABLE;
        }
        quipu__undumpi_run_close(&stats.job);
    }
    release_options(&stats);
    return code;
}
