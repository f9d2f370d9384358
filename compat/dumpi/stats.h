/* stats.h: what the files of dumpistats share.
 *
 *     options   which calls count (bins: stretches of time, or what lies between annotations) and what is measured of
 *               them (handlers)
 *     run       the ranks' files, their communicators
 *     cells     what was measured of one rank in one interval of a bin; a cell becomes a line of a table
 */
#ifndef COMPAT_DUMPI_STATS_H
#define COMPAT_DUMPI_STATS_H

#include "file.h"

#include <regex.h>

/* ---- Options ---- */

enum quipu__undumpi_bin_kind {
    QUIPU__UNDUMPI_RANGE,
    QUIPU__UNDUMPI_MARK,  /* a new interval each time */
    QUIPU__UNDUMPI_GATHER /* all intervals in one */
};

/* One end of a range: a reference time of the rank and a distance from it. */
enum quipu__undumpi_reference_time {
    QUIPU__UNDUMPI_START,
    QUIPU__UNDUMPI_STOP,
    QUIPU__UNDUMPI_INIT,
    QUIPU__UNDUMPI_FINALIZE,
    QUIPU__UNDUMPI_ORIGIN, /* of the clock */
    QUIPU__UNDUMPI_REFERENCE_TIMES
};
struct quipu__undumpi_bound {
    enum quipu__undumpi_reference_time reference;
    int64_t distance_ns;
};

struct quipu__undumpi_bin {
    enum quipu__undumpi_bin_kind kind;
    const char *text; /* as given */
    struct quipu__undumpi_bound begin, end;
    int64_t width_ns;             /* of one interval, 0: everything is one */
    char *first_text, *last_text; /* patterns of the annotations */
    regex_t first, last;
    bool first_is_compiled, last_is_compiled;
};

enum quipu__undumpi_measure {
    QUIPU__UNDUMPI_COUNT,
    QUIPU__UNDUMPI_TIME,
    QUIPU__UNDUMPI_SENT,
    QUIPU__UNDUMPI_RECEIVED,
    QUIPU__UNDUMPI_EXCHANGED,
    QUIPU__UNDUMPI_LUMPED,
    QUIPU__UNDUMPI_COUNTED /* by hardware */
};

struct quipu__undumpi_handler {
    enum quipu__undumpi_measure measure;
    const char *text;                     /* which calls, as given */
    bool matches[QUIPU__DUMPI_TYPE_head]; /* by type */
    uint32_t first_column, column_count;  /* in the values of a cell */
};

struct quipu__undumpi_stats_options {
    const char *in, *out;
    QUIPU__VEC(struct quipu__undumpi_bin) bins;
    QUIPU__VEC(struct quipu__undumpi_handler) handlers;
};

/* False when a text is wrong; message says how. */
bool quipu__undumpi_bin_parse(struct quipu__undumpi_bin *bin, enum quipu__undumpi_bin_kind kind,
                              const char *text, char *message, size_t size);
void quipu__undumpi_bin_release(struct quipu__undumpi_bin *bin);
bool quipu__undumpi_handler_parse(struct quipu__undumpi_handler *handler, enum quipu__undumpi_measure measure,
                                  const char *text, char *message, size_t size);

/* ---- Runs ---- */

struct quipu__undumpi_run {
    struct quipu__trace trace;
    struct quipu_reader_options options;
    struct quipu__memory memory;
    struct quipu__files files;
    struct quipu__define define;
    struct quipu__dumpi_trace *own;
    uint32_t *rank_of; /* rank by location */
    uint32_t location_count;
    uint32_t rank_count;
    const char *const *counters; /* names of the first file's hardware counters */
    uint32_t counter_count;
    struct quipu__arena arena;
};

enum quipu_status quipu__undumpi_run_open(struct quipu__undumpi_run *job, const char *path,
                                          struct quipu_error *err);
void quipu__undumpi_run_close(struct quipu__undumpi_run *job);

/* ---- Traffic ---- */

/* What handles of the rank at hand stand for. */
struct quipu__undumpi_rank {
    const struct quipu__undumpi_run *job;
    const struct quipu__dumpi_file *file;
    struct quipu__tokens communicators;
    uint32_t next_change;
};

/* Takes over what handles stand for from the record at an offset on. */
void quipu__undumpi_rank_transfer(struct quipu__undumpi_rank *rank, uint64_t offset);

/* Bytes of one call. */
struct quipu__undumpi_traffic {
    bool sends, receives; /* whether the call does so at all here */
    uint64_t sent, received;
    uint32_t to;          /* world rank of a message's receiver, or QUIPU_NONE */
    uint32_t reported_as; /* the type under which it is looked for */
};
void quipu__undumpi_traffic_of(const struct quipu__undumpi_rank *rank, uint32_t type,
                               const union quipu__dumpi_any *data, struct quipu__undumpi_traffic *out);

/* ---- Tables ---- */

struct quipu__undumpi_tables;

/* What a line begins with, apart from the rank. */
struct quipu__undumpi_row_head {
    uint64_t intervals;
    int64_t first_ns, last_ns, total_ns;
};

/* Where a range lies on the rank whose line is the first of a table. */
struct quipu__undumpi_span {
    int64_t begin_ns, end_ns;
};

enum quipu_status quipu__undumpi_tables_new(const struct quipu__undumpi_stats_options *options,
                                            const struct quipu__undumpi_run *job,
                                            struct quipu__undumpi_tables **out, struct quipu_error *err);
void quipu__undumpi_tables_free(struct quipu__undumpi_tables *tables);

/* Adds a line to the table of an interval of a bin, which is begun by its first line. */
bool quipu__undumpi_tables_add(struct quipu__undumpi_tables *tables, uint32_t bin, uint64_t interval,
                               uint32_t rank, const struct quipu__undumpi_span *span,
                               const struct quipu__undumpi_row_head *head, const int64_t *values);

/* Writes all tables: OUT-binI-K.tbl. */
enum quipu_status quipu__undumpi_tables_write(struct quipu__undumpi_tables *tables, struct quipu_error *err);

/* ---- Collecting ---- */

struct quipu__undumpi_collection;

/* A reference time that a rank did not reach. */
#define QUIPU__UNDUMPI_NOT_REACHED INT64_MIN

/* Set the first four members; the rest is the collector's, but for reference_times, which is set for each rank. */
struct quipu__undumpi_collector {
    const struct quipu__undumpi_stats_options *options;
    const struct quipu__dumpi_decoder *decoder; /* of the calls that are counted */
    struct quipu__memory *memory;
    uint32_t column_count;           /* of all handlers */
    struct quipu__undumpi_rank rank; /* with its run */
    int64_t reference_times[QUIPU__UNDUMPI_REFERENCE_TIMES];
    struct quipu__arena arena;                     /* of the rank at hand */
    struct quipu__undumpi_collection *collections; /* one per bin */
};

/* One rank: begin, set the reference_times, set_ranges, count each call, add_lines, end. False when memory is out; end is due then too. */
bool quipu__undumpi_collector_begin(struct quipu__undumpi_collector *collector,
                                    const struct quipu__dumpi_file *file);

/* Works out where the ranges lie on this rank. */
void quipu__undumpi_collector_set_ranges(struct quipu__undumpi_collector *collector);

/* Counts the call that was decoded last, which is at an offset in the file. */
bool quipu__undumpi_collector_count(struct quipu__undumpi_collector *collector, uint64_t offset);

/* Adds a line to the table of each interval that had a call. */
bool quipu__undumpi_collector_add_lines(struct quipu__undumpi_collector *collector,
                                        struct quipu__undumpi_tables *tables);

void quipu__undumpi_collector_end(struct quipu__undumpi_collector *collector);

/* Columns of a handler. */
uint32_t quipu__undumpi_column_count(enum quipu__undumpi_measure measure, const struct quipu__undumpi_run *job);

#define QUIPU__UNDUMPI_LUMPS 40 /* size classes of messages */

#endif
