/* cmd_record.c: quipu record: runs a program with a recorder loaded ahead of it, and makes a trace of what that has left. The
 * program's results, and its exit code, are the program's. */
#include "conversion.h"
#include "job.h"
#include "recording.h"
#include "report.h"
#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALL_SECONDS 100e-9 /* that a recorded call of MPI takes longer: README of record/ */

/* What is asked for. */
struct plan {
    const struct arguments *arguments;
    bool records_io, records_mpi_too;
    char base[RECORDING_PATH_BYTES];   /* what OUTPUT.recording is called after */
    char output[RECORDING_PATH_BYTES]; /* of the first trace */
};

/* ---- The name of the trace ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The program that a launcher starts; the command itself where there is none. */
static const char *program_of(const struct arguments *arguments) {
    char *const *words = arguments->operands;
    char path[RECORDING_PATH_BYTES];
    for (int i = 1; recording_is_launcher(words[0]) && i < arguments->operand_count; i++)
        if (words[i][0] != '-' && recording_find_program(words[i], path))
            return words[i];
    return words[0];
}

/* Whether a format can be read and written, and holds where calls are made. */
static bool has_call_sites(const struct quipu_format *format) {
    const uint32_t wanted = QUIPU_CAN_READ | QUIPU_CAN_WRITE;
    return (format->abilities & wanted) == wanted && quipu_convert_keeps_sources(format->name);
}

/* That of the recorder, or the first one that holds what is asked for. */
static const struct quipu_format *default_format(const struct arguments *arguments) {
    for (size_t i = 0; option_given(arguments, OPTION_callsites) && i < quipu_format_count(); i++)
        if (has_call_sites(quipu_format_at(i)))
            return quipu_format_at(i);
    return quipu_format_by_suffix(recording_of_mpi.trace);
}

/* PROGRAM.quipu/PROGRAM.meta, or with the suffix of the format of --to. */
static enum exit_code name_output(struct plan *plan, const char *program) {
    const char *target = option_text(plan->arguments, OPTION_target);
    const struct quipu_format *format = target ? quipu_format_find(target) : default_format(plan->arguments);
    const int base = snprintf(plan->base, sizeof plan->base, "%s.quipu", program);
    const int output = snprintf(plan->output, sizeof plan->output, "%s/%s%.*s", plan->base, program,
                                (int)strcspn(format->suffixes, " "), format->suffixes);
    return base < 0 || output < 0 || output >= RECORDING_PATH_BYTES - 64
               ? report_usage("record needs -o OUTPUT: the program's name is too long")
               : EXIT_FINE;
}

static enum exit_code choose_output(struct plan *plan) {
    const char *given = option_text(plan->arguments, OPTION_output);
    if (given && strcmp(given, "-") == 0)
        return report_usage("record needs -o OUTPUT, a file");
    if (!given)
        return plan->arguments->operand_count > 0 ? name_output(plan, base_name(program_of(plan->arguments)))
                                                  : report_usage("--collect needs -o OUTPUT");
    snprintf(plan->base, sizeof plan->base, "%s", given);
    snprintf(plan->output, sizeof plan->output, "%s", given);
    return EXIT_FINE;
}

/* The format that is asked for, or that a trace of MPI calls gets; NULL: that of the recorder of input and output. */
static const struct quipu_format *target_of(const struct plan *plan) {
    const char *target = conversion_target(plan->arguments);
    if (target)
        return quipu_format_find(target);
    if (plan->records_io)
        return NULL;
    return option_given(plan->arguments, OPTION_output) ? quipu_format_by_suffix(recording_of_mpi.trace)
                                                        : default_format(plan->arguments);
}

/* A name without a suffix says nothing of the format; one whose suffix is no format's is a mistake. */
static bool has_suffix(const char *name) {
    const char *point = strrchr(name, '.');
    return point && point > name && point[1] != '\0';
}

static enum exit_code refuse_call_sites(const struct quipu_format *target) {
    char names[256] = "";
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *format = quipu_format_at(i);
        const size_t len = strlen(names);
        if (has_call_sites(format))
            snprintf(names + len, sizeof names - len, "%s%s", len > 0 ? ", " : "", format->name);
    }
    return report_usage("%s cannot hold where calls are made (--callsites); choose another format: %s",
                        target->name, names);
}

/* Options that the format does not have, or values that they do not have. */
static enum exit_code check_writing(const struct plan *plan, const struct quipu_format *target) {
    struct quipu_writer_options options = writer_options_of(plan->arguments);
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.streams = 0; /* of several traces that are merged */
    if (quipu_writer_check(plan->output, target, &options, &err) == QUIPU_OK)
        return EXIT_FINE;
    report_error(&err);
    return EXIT_USAGE;
}

/* What the format cannot hold or be is refused before a program runs for hours. */
static enum exit_code check_target(const struct plan *plan) {
    const char *output = option_text(plan->arguments, OPTION_output);
    const struct quipu_format *target = target_of(plan);
    const bool records_mpi = !plan->records_io || plan->records_mpi_too;
    if (output && !conversion_target(plan->arguments) && has_suffix(base_name(output)))
        return conversion_refuse_suffix(plan->arguments, output);
    const bool can_choose = target ? (target->abilities & QUIPU_HAS_STREAMS) != 0 : plan->records_mpi_too;
    if (option_given(plan->arguments, OPTION_streams) && !can_choose)
        return report_usage("%s has a fixed number of streams; leave out --streams, or choose another format",
                            target ? target->name : "a trace of input and output");
    if (target && records_mpi && (quipu_convert_kinds(target->name) & QUIPU_KIND_BIT(QUIPU_KIND_enter)) == 0)
        return report_usage("%s cannot represent calls of MPI; %s, or choose another format", target->name,
                            plan->records_io ? "leave out --mpi" : "add --io to record input and output");
    if (target && option_given(plan->arguments, OPTION_callsites) && !quipu_convert_keeps_sources(target->name))
        return refuse_call_sites(target);
    return target ? check_writing(plan, target) : EXIT_FINE;
}

/* Before a program runs for hours. */
static enum exit_code check_output(const struct plan *plan) {
    if (option_given(plan->arguments, OPTION_force) || access(plan->output, F_OK) != 0)
        return EXIT_FINE;
    fprintf(stderr, "quipu: %s already exists (use --force to replace it)\n", plan->output);
    return EXIT_OUTPUT;
}

/* The folder that a trace without -o gets. */
static enum exit_code make_trace_folder(const struct plan *plan) {
    if (option_given(plan->arguments, OPTION_output) || mkdir(plan->base, 0755) == 0 || errno == EEXIST)
        return EXIT_FINE;
    fprintf(stderr, "quipu: %s: cannot be made: %s\n", plan->base, strerror(errno));
    return EXIT_OUTPUT;
}

/* ---- The trace ---- */

/* Those of --streams, where the format has as many as one wants; 0: its own number. */
static uint32_t streams_of(const struct arguments *arguments, const char *target) {
    const struct quipu_format *format = quipu_format_find(target);
    const bool can_choose = format && (format->abilities & QUIPU_HAS_STREAMS) != 0;
    return can_choose ? (uint32_t)option_number(arguments, OPTION_streams, 0) : 0;
}

static void convert(struct job *job, const char *output, const char *target) {
    struct quipu_convert_options options = conversion_options(job);
    struct quipu_conversion_report *report = NULL;
    options.writer.streams = streams_of(job->arguments, target);
    const enum quipu_status status = quipu_convert(job->reader, output, target, &options, &report, &job->err);
    conversion_end(job, 1, status, &report, target);
}

static enum exit_code write_trace(const struct arguments *arguments, const char *trace, const char *output,
                                  const void *context) {
    struct recording_unrecorded unrecorded;
    struct job job;
    recording_list_unrecorded(context, &unrecorded);
    if (job_begin(&job, arguments, trace) == EXIT_FINE) {
        job.unrecorded = unrecorded.items;
        job.unrecorded_count = unrecorded.count;
        convert(&job, output, conversion_target_or_same(&job));
    }
    return job_end(&job);
}

static enum exit_code write_traces(const struct plan *plan, const struct recording *recording) {
    const enum exit_code code = make_trace_folder(plan);
    return code == EXIT_FINE
               ? recording_each_world(recording, plan->arguments, plan->output, write_trace, recording)
               : code;
}

/* ---- One trace of both recorders ---- */

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
    options.writer.streams = streams_of(arguments, target);
    const enum quipu_status status = quipu_merge(readers, TRACES, option_text(arguments, OPTION_output), target,
                                                 &options, reports, &job->err);
    conversion_end(merged->jobs, TRACES, status, reports, target);
}

/* One trace of what both recorders have left of a run: the processes of both are the same by the numbers that the system gave them, and
 * so are their threads. mpi names the list of processes that the collector of the MPI recorder has written: a line for each thread,
 *
 *     WORLD RANK PROCESS THREAD NUMBER      THREAD: in the order of first calls; PROCESS and NUMBER: the system's
 *
 * of which those of world 0 are looked at. Without --to and a known ending the trace has the first format that can represent both. */
static enum exit_code write_both(const struct arguments *arguments, const struct recording *mpi,
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

/* ---- What it cost, and what to do next ---- */

static void report_cost(const struct plan *plan, const struct recording *recording, double seconds) {
    const unsigned long long calls = recording_figure(recording, "calls"),
                             ranks = recording_figure(recording, "ranks");
    const double all = seconds * (double)(ranks ? ranks : 1);
    const double megabytes = (double)recording_figure(recording, "bytes") * 1e-6;
    if (all > 0)
        report_remark(plan->arguments, "%llu calls of %llu ranks, %.1f MB recorded, about %.2g %% of %.3g s",
                      calls, ranks, megabytes, 100 * (double)calls * CALL_SECONDS / all, seconds);
    else
        report_remark(plan->arguments, "%llu calls of %llu ranks, %.1f MB recorded", calls, ranks, megabytes);
}

static void report_next(const struct plan *plan) {
    const struct quipu_format *format = quipu_format_by_suffix(plan->output);
    const char *target = option_text(plan->arguments, OPTION_target);
    format = target ? quipu_format_find(target) : format;
    if (format && (format->abilities & QUIPU_CAN_READ) == 0)
        report_remark(plan->arguments, "next: open %s in a viewer of this format: %s", plan->output,
                      format->title);
    else
        report_remark(plan->arguments, "next: quipu profile %s", plan->output);
}

/* ---- The command ---- */

static bool has_trace(enum exit_code code) {
    return code == EXIT_FINE || code == EXIT_DAMAGED;
}

static bool keeps_call_sites(const struct quipu_format *target, const char *otherwise) {
    const char *name = target ? target->name : otherwise;
    return name && quipu_convert_keeps_sources(name);
}

/* From the recorder's files to its trace. */
static enum exit_code make_traces(const struct plan *plan, struct recording *recording, double seconds) {
    recording->has_call_sites = !plan->records_io && keeps_call_sites(target_of(plan), NULL);
    const enum exit_code collected = recording_collect(recording);
    recording->is_sound = collected == EXIT_FINE;
    if (!has_trace(collected))
        return collected;
    const enum exit_code code = write_traces(plan, recording);
    if (!plan->records_io && has_trace(code)) {
        report_cost(plan, recording, seconds);
        report_next(plan);
    }
    return worse_exit(code, collected);
}

/* ---- Both recorders ---- */

struct both {
    const struct recording *io, *mpi;
};

/* Processes that were spawned, which are a world of their own, have a trace of MPI calls only. */
static enum exit_code write_merged(const struct arguments *arguments, const char *trace, const char *output,
                                   const void *context) {
    const struct both *both = context;
    return strcmp(trace, both->mpi->trace) == 0 ? write_both(arguments, both->mpi, both->io)
                                                : write_trace(arguments, trace, output, both->mpi);
}

/* The command has not called MPI, and its collector has said so. */
static enum exit_code write_io_only(const struct plan *plan, const struct recording *io,
                                    enum exit_code mpi_code, enum exit_code io_code) {
    const enum exit_code code = worse_exit(write_traces(plan, io), io_code);
    report_remark(plan->arguments, "the trace has input and output only");
    return mpi_code == EXIT_UNREADABLE ? code : worse_exit(code, mpi_code);
}

static void report_launcher(const struct plan *plan, const struct recording *io) {
    const unsigned long long count = recording_figure(io, "launchers");
    if (count > 0)
        report_remark(plan->arguments,
                      "the launcher's input and output is left out (%llu %s); --launcher records it, too",
                      count, count == 1 ? "process" : "processes");
}

/* Where one of the recorders has recorded nothing, the trace is that of the other. */
static enum exit_code make_merged(const struct plan *plan, struct recording *io, struct recording *mpi,
                                  double seconds) {
    const struct both both = {io, mpi};
    mpi->has_call_sites = keeps_call_sites(target_of(plan), format_of_both());
    const enum exit_code mpi_code = recording_collect(mpi), io_code = recording_collect(io);
    const enum exit_code collected = worse_exit(mpi_code, io_code);
    io->is_sound = mpi_code != EXIT_DAMAGED && io_code != EXIT_DAMAGED;
    if (!has_trace(mpi_code))
        return has_trace(io_code) ? write_io_only(plan, io, mpi_code, io_code) : collected;
    enum exit_code code = make_trace_folder(plan);
    if (code == EXIT_FINE)
        code = has_trace(io_code)
                   ? recording_each_world(mpi, plan->arguments, plan->output, write_merged, &both)
                   : write_traces(plan, mpi);
    if (has_trace(code)) {
        report_launcher(plan, io);
        report_cost(plan, mpi, seconds);
        report_next(plan);
    }
    return worse_exit(code, collected);
}

/* The folder stays when there is no trace of it, or one with damage that the collector has not found: then reading has gone wrong. */
static enum exit_code end_folder(const struct recording *recording, enum exit_code code) {
    const bool is_misread = recording->is_sound && code == EXIT_DAMAGED;
    if (!is_misread && (has_trace(code) || code == EXIT_UNREADABLE))
        recording_remove(recording);
    else
        fprintf(stderr, "quipu: %s: what was recorded is here; quipu record --collect makes a trace of it\n",
                recording->folder);
    return is_misread ? EXIT_UNREADABLE : code;
}

/* Options of the recorder of MPI, and what tells it of them. */
static const struct {
    enum option_id option;
    const char *variable;
} settings[] = {{OPTION_functions, "QUIPU_RECORD_FUNCTIONS"},
                {OPTION_papi, "QUIPU_RECORD_PAPI"},
                {OPTION_callsites, "QUIPU_RECORD_CALLSITES"}};

static const char *value_of(const struct arguments *arguments, enum option_id option) {
    return option == OPTION_callsites ? "yes" : option_text(arguments, option);
}

static bool set_recorder(const struct arguments *arguments) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (option_given(arguments, settings[i].option) &&
            setenv(settings[i].variable, value_of(arguments, settings[i].option), 1) != 0)
            return false;
    return true;
}

static bool sets_recorder(const struct arguments *arguments) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (option_given(arguments, settings[i].option))
            return true;
    return false;
}

/* Both recorders write into one folder, which is made when both are there. */
static enum exit_code prepare(const struct plan *plan, struct recording *recording, struct recording *beside) {
    enum exit_code code = EXIT_FINE;
    if (plan->records_mpi_too)
        code = recording_find(beside, &recording_of_mpi);
    if (code == EXIT_FINE)
        code = recording_make_folder(recording, plan->base);
    return code == EXIT_FINE && plan->records_mpi_too ? recording_use_folder(beside, recording->folder) : code;
}

/* The list of processes is one of the recorder's files. */
static const char *name_list(const struct recording *recording, char path[RECORDING_PATH_BYTES]) {
    const int len = snprintf(path, RECORDING_PATH_BYTES, "%s/processes", recording->folder);
    return len > 0 && len < RECORDING_PATH_BYTES ? path : NULL;
}

static enum exit_code record(const struct plan *plan, struct recording *recording) {
    struct recording beside = {.figures = ""};
    char list[RECORDING_PATH_BYTES], executed[RECORDING_PATH_BYTES];
    const int failed = recording_check_program(plan->arguments->operands[0]);
    if (failed)
        return (enum exit_code)failed;
    if (!set_recorder(plan->arguments))
        return report_no_memory();
    enum exit_code code = prepare(plan, recording, &beside);
    if (code != EXIT_FINE)
        return code;
    const double begin = seconds_now();
    plan->arguments->operands[plan->arguments->operand_count] = NULL;
    const int program =
        recording_run(recording, plan->records_mpi_too ? &beside : NULL, plan->arguments->operands);
    const double seconds = seconds_now() - begin;
    beside.processes = name_list(recording, list);
    if (plan->records_io && recording_find_program(plan->arguments->operands[0], executed))
        recording->program = executed;
    if (plan->records_mpi_too && !option_given(plan->arguments, OPTION_launcher))
        recording->processes = beside.processes;
    code = plan->records_mpi_too ? make_merged(plan, recording, &beside, seconds)
                                 : make_traces(plan, recording, seconds);
    code = end_folder(recording, code);
    return program ? (enum exit_code)program : code;
}

static enum exit_code collect(const struct plan *plan, struct recording *recording) {
    enum exit_code code = recording_use_folder(recording, option_text(plan->arguments, OPTION_collect));
    if (code != EXIT_FINE)
        return code;
    return end_folder(recording, make_traces(plan, recording, 0));
}

/* What a program is linked with to be recorded without being preloaded: ahead of the MPI, which the linker must not leave out because the
 * recorder has its calls. */
static enum exit_code print_flags(const struct recording *recording) {
    const int len = (int)(base_name(recording->library) - recording->library) - 1;
    const char *folder = recording->library;
    printf("-L%.*s -Wl,-rpath,%.*s -Wl,--no-as-needed -lquipu-record-mpi\n", len, folder, len, folder);
    return fflush(stdout) == 0 ? EXIT_FINE : EXIT_OUTPUT;
}

static enum exit_code check_options(const struct plan *plan) {
    const struct arguments *arguments = plan->arguments;
    const bool has_program = arguments->operand_count > 0, collects = option_given(arguments, OPTION_collect);
    if (has_program == (collects || option_given(arguments, OPTION_flags)))
        return report_usage(has_program ? "record with --collect or --flags runs no program"
                                        : "record needs -- PROGRAM [ARGUMENT...]");
    if (plan->records_io && !option_given(arguments, OPTION_output))
        return report_usage("record --io needs -o OUTPUT, a file");
    if (plan->records_mpi_too && (!plan->records_io || collects))
        return report_usage(
            "--mpi goes with --io and a program; without --io calls of MPI are what is recorded");
    if (option_given(arguments, OPTION_launcher) && !plan->records_mpi_too)
        return report_usage("--launcher goes with --io --mpi");
    if (plan->records_io && !plan->records_mpi_too && sets_recorder(arguments))
        return report_usage("--functions, --papi and --callsites are for calls of MPI, not for --io");
    return EXIT_FINE;
}

enum exit_code command_record(const struct arguments *arguments) {
    struct plan plan = {.arguments = arguments,
                        .records_io = option_given(arguments, OPTION_io),
                        .records_mpi_too = option_given(arguments, OPTION_mpi)};
    struct recording recording = {.figures = ""};
    enum exit_code code = check_options(&plan);
    if (code == EXIT_FINE)
        code = check_target(&plan);
    if (code == EXIT_FINE)
        code = recording_find(&recording, plan.records_io ? &recording_of_io : &recording_of_mpi);
    if (code == EXIT_FINE && option_given(arguments, OPTION_flags))
        return print_flags(&recording);
    if (code == EXIT_FINE)
        code = choose_output(&plan);
    if (code == EXIT_FINE)
        code = check_output(&plan);
    if (code != EXIT_FINE)
        return code;
    return option_given(arguments, OPTION_collect) ? collect(&plan, &recording) : record(&plan, &recording);
}
