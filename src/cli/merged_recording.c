/* merged_recording.c: see merged_recording.h. */
#include "merged_recording.h"

#include "conversion.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MPI, IO, TRACES };

/* A line of the list; what has started the ranks (rank -1) is a process like others. */
struct listed {
    int64_t rank, process, thread, number;
};

struct merged {
    struct job jobs[TRACES];
    struct listed *listed;
    size_t listed_count;
    struct quipu_shared_location *shared;
    size_t shared_count;
};

static bool read_line(FILE *file, struct listed *out, bool *is_first_world) {
    long long world, rank, process, thread, number;
    if (fscanf(file, "%lld %lld %lld %lld %lld", &world, &rank, &process, &thread, &number) != 5)
        return false;
    *out = (struct listed){rank, process, thread, number};
    *is_first_world = world == 0;
    return true;
}

static enum exit_code read_list(struct merged *merged, const char *path) {
    FILE *file = fopen(path, "r");
    struct listed line;
    bool is_first_world;
    enum exit_code code = EXIT_FINE;
    if (!file) {
        fprintf(stderr, "quipu: %s: %s\n", path, strerror(errno));
        return EXIT_UNREADABLE;
    }
    while (code == EXIT_FINE && read_line(file, &line, &is_first_world)) {
        struct listed *list = realloc(merged->listed, (merged->listed_count + 1) * sizeof *list);
        code = list ? EXIT_FINE : report_no_memory();
        merged->listed = list ? list : merged->listed;
        if (list && is_first_world && line.rank >= 0)
            list[merged->listed_count++] = line;
    }
    if (code == EXIT_FINE && !feof(file)) {
        fprintf(stderr, "quipu: %s: cannot be read\n", path);
        code = EXIT_UNREADABLE;
    }
    fclose(file);
    return code;
}

/* The line of a thread, or of any thread of a process (number -1); NULL: none. Processes of several machines may have one number: then
 * it is not known which is meant. */
static const struct listed *find(const struct merged *merged, int64_t process, int64_t number) {
    const struct listed *found = NULL;
    for (size_t i = 0; i < merged->listed_count; i++) {
        const struct listed *line = &merged->listed[i];
        if (line->process != process)
            continue;
        if (found && found->rank != line->rank)
            return NULL;
        if (!found || line->number == number)
            found = line;
    }
    return found && (number < 0 || found->number == number || number == process) ? found : NULL;
}

static const struct quipu_locations *locations_of(const struct merged *merged, int trace) {
    return &quipu_reader_definitions(merged->jobs[trace].reader)->locations;
}

/* The location of a rank, or of one of its threads where that is another. */
static uint32_t location_of(const struct merged *merged, int64_t rank, int64_t thread) {
    const struct quipu_locations *locations = locations_of(merged, MPI);
    uint32_t process = QUIPU_NONE;
    for (uint32_t i = 0; i < locations->count; i++) {
        const struct quipu_location *location = &locations->items[i];
        if (location->kind == QUIPU_LOCATION_PROCESS && location->rank == rank)
            process = i;
        if (thread > 0 && process != QUIPU_NONE && location->parent == process && location->tid == thread)
            return i;
    }
    return process;
}

/* What a location of the I/O recorder is in the trace of MPI calls: an application is a process, and its clients are threads. */
static uint32_t same_location(const struct merged *merged, uint32_t number) {
    const struct quipu_locations *locations = locations_of(merged, IO);
    const struct quipu_location *location = &locations->items[number];
    const bool is_process = location->kind == QUIPU_LOCATION_APPLICATION;
    if (!is_process && location->parent >= locations->count)
        return QUIPU_NONE;
    const struct quipu_location *process = is_process ? location : &locations->items[location->parent];
    const int64_t thread = is_process ? -1 : (int64_t)location->native_id;
    const struct listed *line = find(merged, (int64_t)process->native_id, thread);
    if (!line)
        return QUIPU_NONE;
    return location_of(merged, line->rank, line->number == thread ? line->thread : 0);
}

static enum exit_code share_locations(struct merged *merged) {
    const uint32_t count = locations_of(merged, IO)->count;
    merged->shared = calloc((size_t)count + 1, sizeof *merged->shared);
    if (!merged->shared)
        return report_no_memory();
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t same = same_location(merged, i);
        if (same != QUIPU_NONE)
            merged->shared[merged->shared_count++] = (struct quipu_shared_location){IO, i, same};
    }
    return EXIT_FINE;
}

/* The first format in which calls of MPI and operations on files are events of their own, whatever recorded them: one that is read and
 * written, and whose streams are not those of one recorder. */
static const char *format_of_both(void) {
    const uint32_t wanted = QUIPU_CAN_READ | QUIPU_CAN_WRITE | QUIPU_HAS_STREAMS;
    for (size_t i = 0; i < quipu_format_count(); i++)
        if ((quipu_format_at(i)->abilities & wanted) == wanted)
            return quipu_format_at(i)->name;
    return NULL;
}

static void merge(struct merged *merged, const struct arguments *arguments) {
    struct quipu_reader *const readers[TRACES] = {merged->jobs[MPI].reader, merged->jobs[IO].reader};
    struct quipu_conversion_report *reports[TRACES] = {NULL, NULL};
    struct job *job = &merged->jobs[MPI];
    struct quipu_convert_options options = conversion_options(job);
    const char *target = conversion_target(arguments);
    target = target ? target : format_of_both();
    options.shared = merged->shared;
    options.shared_count = merged->shared_count;
    options.writer.streams = recording_streams(arguments, target);
    const enum quipu_status status = quipu_merge(readers, TRACES, option_text(arguments, OPTION_output), target,
                                                 &options, reports, &job->err);
    conversion_end(merged->jobs, TRACES, status, reports, target);
}

enum exit_code merged_recording_write(const struct arguments *arguments, const struct recording *mpi,
                                      const struct recording *io) {
    struct merged merged = {.listed = NULL};
    const struct recording *const recordings[TRACES] = {[MPI] = mpi, [IO] = io};
    struct recording_unrecorded unrecorded[TRACES];
    enum exit_code code = read_list(&merged, mpi->processes);
    if (code == EXIT_FINE) {
        const enum exit_code codes[TRACES] = {job_begin(&merged.jobs[MPI], arguments, mpi->trace),
                                              job_begin(&merged.jobs[IO], arguments, io->trace)};
        for (int i = 0; i < TRACES; i++) {
            recording_list_unrecorded(recordings[i], &unrecorded[i]);
            merged.jobs[i].unrecorded = unrecorded[i].items;
            merged.jobs[i].unrecorded_count = unrecorded[i].count;
        }
        code = worse_exit(codes[MPI], codes[IO]);
        if (code == EXIT_FINE)
            code = share_locations(&merged);
        if (code == EXIT_FINE)
            merge(&merged, arguments);
        for (int i = 0; i < TRACES; i++)
            code = worse_exit(code, job_end(&merged.jobs[i]));
    }
    free(merged.listed);
    free(merged.shared);
    return code;
}
