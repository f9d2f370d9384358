/* collect.c: makes one trace of the streams that the I/O recorder has left in a folder: their records in the order of time, behind a
 * header. Streams of programs that were killed go on in their buffer files. "quipu record" runs it:
 *
 *     quipu-record-collect FOLDER TRACE [--processes=FILE] [--program=PROGRAM]
 *
 * FILE is the list of the collector of MPI calls: what it says to have started ranks is left out, and counted. PROGRAM is the file of what
 * was executed first, of which only the file tells whether it has loaded the recorder. */
#include "record/io/loading.h"
#include "record/io/records.h"
#include "record/notes.h"

#include "core/files/directory.h"
#include "core/error.h"
#include "core/files/input.h"
#include "core/files/output.h"
#include "core/files/recording.h"
#include "core/text.h"
#include "core/memory/tournament.h"
#include "core/memory/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define STREAM_SUFFIX ".stream"
#define PROGRAM_BYTES 4096
#define WINDOW ((size_t)4 << 10)
#define TIME_OFFSET 8 /* of all records */
#define MACHINE_VERSION 1
#define SYSTEM_TYPE 100
#define SECOND UINT64_C(1000000000)
enum { EXIT_INPUT = 4, EXIT_OUTPUT = 5, EXIT_LIMIT = 6 };

struct header {
    uint16_t type, padding_of_type[3];
    int64_t start, gmt_offset;
    uint64_t time, system_id;
    uint8_t system_type, padding_of_system[3];
    int32_t version;
    char release[80];
    int32_t processors, memory_megabytes, disks, io_nodes, disk_megabytes, padding_of_numbers;
    double unit;
};
static_assert(sizeof(struct header) == 160, "the size of the profile lp64");

static const size_t record_sizes[] = {
    [RECORD_APP_LOAD] = sizeof(struct app_load),
    [RECORD_APP_EXIT] = sizeof(struct app_exit),
    [RECORD_CLIENT_JOIN] = sizeof(struct client_change),
    [RECORD_CLIENT_LEAVE] = sizeof(struct client_change),
    [RECORD_APP_OPEN] = sizeof(struct app_open),
    [RECORD_APP_CLOSE] = sizeof(struct app_close),
    [RECORD_RW] = sizeof(struct request),
    [RECORD_EXTEND] = sizeof(struct size_change),
    [RECORD_TRUNCATE] = sizeof(struct size_change),
    [RECORD_LINK] = sizeof(struct link_change),
    [RECORD_UNLINK] = sizeof(struct link_change),
    [RECORD_ASYNCH_END] = sizeof(struct async_end),
    [RECORD_FCNTL] = sizeof(struct control),
    [RECORD_CHARACTERS] = sizeof(struct characters),
};

struct stream {
    struct quipu__input *input;
    const uint8_t *record; /* the next one */
    size_t size;           /* 0: there is none */
    uint64_t time;
};

/* A process that has started ranks. */
struct launcher {
    uint32_t process;
    bool has_streams;
};

/* A program that was not recorded, as often as it was executed. */
struct program {
    char name[64]; /* the end of its path */
    uint64_t count;
};

struct collection {
    const char *folder;
    struct quipu__memory memory;
    struct quipu__files files;
    QUIPU__VEC(struct stream) streams;
    QUIPU__VEC(struct launcher) launchers;
    struct quipu__tournament tournament;
    struct quipu__outputs *outputs;
    struct quipu__file *file;
    uint64_t damaged_streams, noted[RECORDER_NOTE_COUNT]; /* noted: processes */
    int64_t characters_read, characters_written;          /* bytes; see characters.c */
    QUIPU__VEC(struct program) programs;
    uint64_t program_count;
};

/* ---- Streams ---- */

/* A stream that ends inside a record, or holds none, has no more. */
static enum quipu_status look_at_next(struct collection *all, struct stream *stream, struct quipu_error *err) {
    struct quipu__input *input = stream->input;
    uint16_t type = 0;
    input->at += stream->size;
    stream->size = 0;
    const enum quipu_status status = quipu__input_more(input, sizeof(struct app_open), err);
    const size_t left = (size_t)(input->end - input->at);
    if (status != QUIPU_OK || left == 0)
        return status;
    if (left >= sizeof type)
        memcpy(&type, input->at, sizeof type);
    const size_t size = type < sizeof record_sizes / sizeof *record_sizes ? record_sizes[type] : 0;
    if (size == 0 || size > left) {
        all->damaged_streams++;
        return QUIPU_OK;
    }
    stream->record = input->at;
    stream->size = size;
    memcpy(&stream->time, input->at + TIME_OFFSET, sizeof stream->time);
    return QUIPU_OK;
}

/* What the recorder says for itself. */
static void add_characters(struct collection *all, const struct stream *stream) {
    struct characters found;
    memcpy(&found, stream->record, sizeof found);
    *(found.are_written ? &all->characters_written : &all->characters_read) += found.bytes;
}

/* Looks at the next record of the trace. */
static enum quipu_status next_record(struct collection *all, struct stream *stream, struct quipu_error *err) {
    enum quipu_status status = look_at_next(all, stream, err);
    while (status == QUIPU_OK && stream->size > 0 && stream->record[0] == RECORD_CHARACTERS) {
        add_characters(all, stream);
        status = look_at_next(all, stream, err);
    }
    return status;
}

/* A stream that its thread could not even begin is empty. */
static enum quipu_status begin_stream(struct collection *all, const char *path, struct quipu_error *err) {
    struct stream *stream = QUIPU__VEC_ADD(&all->memory, &all->streams);
    if (!stream)
        return quipu__no_memory(err, sizeof *stream);
    *stream = (struct stream){0};
    enum quipu__ring_state ring;
    enum quipu_status status =
        quipu__input_open(&all->files, path, QUIPU__CODEC_NONE, WINDOW, &stream->input, err);
    if (status == QUIPU_OK)
        status = quipu__recording_splice(&all->files, path, stream->input, &ring, err);
    if (status == QUIPU_OK)
        status = quipu__input_more(stream->input, QUIPU__CHARISMA_HEAD_BYTES, err);
    if (status != QUIPU_OK || stream->input->end - stream->input->at < QUIPU__CHARISMA_HEAD_BYTES)
        return status;
    all->damaged_streams += ring == QUIPU__RING_DAMAGED;
    stream->input->at += QUIPU__CHARISMA_HEAD_BYTES;
    return next_record(all, stream, err);
}

static const struct {
    const char *suffix, *figure, *who, *what;
} notes[] = {
#define NOTE(name, suffix, figure, who, what) {suffix, figure, who, what},
    RECORDER_NOTES(NOTE)
#undef NOTE
};

/* Streams are called PROCESS.THREAD.NUMBER.stream. */
static bool is_of_launcher(struct collection *all, const char *name) {
    const unsigned long process = strtoul(name, NULL, 10);
    for (size_t i = 0; i < all->launchers.count; i++) {
        if (all->launchers.items[i].process == process)
            return all->launchers.items[i].has_streams = true;
    }
    return false;
}

struct visit {
    struct collection *all;
    struct quipu_error *err;
};

/* Programs beyond a number that a user reads are counted only. */
static void add_program(struct collection *all, const char *path) {
    enum { NAMES_MOST = 8 };
    const size_t len = strlen(path), most = sizeof all->programs.items->name - 1;
    const char *name = len > most ? path + len - most : path;
    all->program_count++;
    for (size_t i = 0; i < all->programs.count; i++)
        if (strcmp(all->programs.items[i].name, name) == 0) {
            all->programs.items[i].count++;
            return;
        }
    struct program *program =
        all->programs.count < NAMES_MOST ? QUIPU__VEC_ADD(&all->memory, &all->programs) : NULL;
    if (!program)
        return;
    *program = (struct program){.count = 1};
    memcpy(program->name, name, strlen(name));
}

static void read_program(struct collection *all, const char *note) {
    char path[PROGRAM_BYTES] = "";
    FILE *file = fopen(note, "re");
    const size_t len = file ? fread(path, 1, sizeof path - 1, file) : 0;
    path[len] = '\0';
    if (file)
        fclose(file);
    add_program(all, path);
}

static_assert(RECORDER_NOTE_PROGRAM < QUIPU__NOTE_KINDS, "room in record/notes.h");

static void add_notes(struct collection *all, const char *path) {
    const struct quipu__notes found = quipu__notes_read(path);
    for (unsigned i = 0; i < RECORDER_NOTE_COUNT; i++)
        all->noted[i] += found.counts[i];
    all->program_count += found.counts[RECORDER_NOTE_PROGRAM];
}

static enum quipu_status visit_name(void *context, const char *name) {
    const struct visit *visit = context;
    char path[8192];
    for (unsigned i = 0; i < RECORDER_NOTE_COUNT; i++)
        visit->all->noted[i] += quipu__ends_with(name, notes[i].suffix);
    snprintf(path, sizeof path, "%s/%s", visit->all->folder, name);
    if (quipu__ends_with(name, RECORDER_PROGRAM_SUFFIX))
        read_program(visit->all, path);
    if (quipu__ends_with(name, QUIPU__NOTES_SUFFIX))
        add_notes(visit->all, path);
    if (!quipu__ends_with(name, STREAM_SUFFIX) || is_of_launcher(visit->all, name))
        return QUIPU_OK;
    return begin_stream(visit->all, path, visit->err);
}

/* ---- The launcher ---- */

static enum quipu_status add_launcher(struct collection *all, uint32_t process, struct quipu_error *err) {
    for (size_t i = 0; i < all->launchers.count; i++)
        if (all->launchers.items[i].process == process)
            return QUIPU_OK;
    struct launcher *launcher = QUIPU__VEC_ADD(&all->memory, &all->launchers);
    if (!launcher)
        return quipu__no_memory(err, sizeof *launcher);
    *launcher = (struct launcher){process, false};
    return QUIPU_OK;
}

/* Where nothing has called MPI there is no list. */
static enum quipu_status read_launchers(struct collection *all, const char *path, struct quipu_error *err) {
    FILE *file = fopen(path, "re");
    int rank;
    unsigned process;
    enum quipu_status status = QUIPU_OK;
    while (file && status == QUIPU_OK && fscanf(file, "%*d %d %u %*u %*u", &rank, &process) == 2)
        if (rank < 0)
            status = add_launcher(all, process, err);
    if (file)
        fclose(file);
    return status;
}

static unsigned count_launchers(const struct collection *all) {
    unsigned count = 0;
    for (size_t i = 0; i < all->launchers.count; i++)
        count += all->launchers.items[i].has_streams;
    return count;
}

/* ---- The trace ---- */

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The last full second of the time of day before the first record, and its stamp by the recorder's clock. */
static enum quipu_status write_header(struct collection *all, uint64_t first, struct quipu_error *err) {
    const uint64_t since_boot = nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC),
                   day = first + since_boot;
    const uint32_t head[2] = {QUIPU__CHARISMA_MAGIC, QUIPU__CHARISMA_VERSION};
    struct header header = {.start = (int64_t)(day / SECOND),
                            .time = first > day % SECOND ? first - day % SECOND : 0,
                            .system_type = SYSTEM_TYPE,
                            .version = MACHINE_VERSION,
                            .processors = (int32_t)quipu__os_processors(),
                            .unit = 1e-9};
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(header.release, sizeof header.release, "%.30s %.40s", name.sysname, name.release);
    const enum quipu_status status = quipu__file_write(all->file, head, sizeof head, err);
    return status == QUIPU_OK ? quipu__file_write(all->file, &header, sizeof header, err) : status;
}

static void enter(struct collection *all, uint32_t source) {
    const struct stream *stream = &all->streams.items[source];
    if (stream->size)
        quipu__tournament_enter(&all->tournament, source, (int64_t)stream->time, 0);
    else
        quipu__tournament_leave(&all->tournament, source);
}

static enum quipu_status enter_all(struct collection *all, struct quipu_error *err) {
    if (all->streams.count == 0)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__tournament_init(&all->tournament, &all->memory, (uint32_t)all->streams.count, err);
    for (uint32_t i = 0; i < all->streams.count && status == QUIPU_OK; i++)
        enter(all, i);
    return status;
}

static uint64_t first_time(const struct collection *all) {
    const bool has_records = all->streams.count > 0 && all->tournament.left > 0;
    return has_records ? (uint64_t)all->tournament.nodes[0].time : nanoseconds(CLOCK_MONOTONIC);
}

static enum quipu_status write_records(struct collection *all, struct quipu_error *err) {
    while (all->tournament.left > 0) {
        const uint32_t source = quipu__contender_source(&all->tournament.nodes[0]);
        struct stream *stream = &all->streams.items[source];
        enum quipu_status status = quipu__file_write(all->file, stream->record, stream->size, err);
        if (status == QUIPU_OK)
            status = next_record(all, stream, err);
        if (status != QUIPU_OK)
            return status;
        enter(all, source);
    }
    return QUIPU_OK;
}

static enum quipu_status write_file(struct collection *all, const char *path, struct quipu_error *err) {
    enum quipu_status status = quipu__outputs_add(all->outputs, path, 0, &all->file, err);
    if (status != QUIPU_OK)
        return status;
    status = enter_all(all, err);
    if (status != QUIPU_OK)
        return status;
    status = write_header(all, first_time(all), err);
    return status == QUIPU_OK ? write_records(all, err) : status;
}

static enum quipu_status write_trace(struct collection *all, const char *path, struct quipu_error *err) {
    enum quipu_status status = quipu__outputs_new(&all->memory, false, 0, NULL, &all->outputs, err);
    if (status == QUIPU_OK)
        status = write_file(all, path, err);
    if (status != QUIPU_OK) {
        quipu__outputs_discard(all->outputs);
        return status;
    }
    return quipu__outputs_commit(all->outputs, err);
}

/* Corrections may be in a stream that is lost. */
static unsigned long long bytes_of(int64_t characters) {
    return characters > 0 ? (unsigned long long)characters : 0;
}

static bool has_characters(const struct collection *all) {
    return all->characters_read > 0 || all->characters_written > 0;
}

/* For "quipu record", which says of a trace without any of these that it is complete. */
static void print_figures(const struct collection *all) {
    printf("launchers=%u unrecorded.characters_read=%llu unrecorded.characters_written=%llu "
           "unrecorded.programs=%llu unrecorded.damaged_files=%llu",
           count_launchers(all), bytes_of(all->characters_read), bytes_of(all->characters_written),
           (unsigned long long)all->program_count, (unsigned long long)all->damaged_streams);
    for (unsigned i = 0; i < RECORDER_NOTE_COUNT; i++)
        printf(" unrecorded.%s=%llu", notes[i].figure, (unsigned long long)all->noted[i]);
    printf("\n");
}

static void tell_programs(const struct collection *all) {
    if (all->streams.count == 0 && all->noted[RECORDER_NOTE_STOPPED] == 0)
        fputs("quipu: nothing was recorded: no process has loaded the recorder; statically linked programs and "
              "those that run with more rights than their user cannot be recorded\n",
              stderr);
    if (all->program_count == 0)
        return;
    fprintf(stderr,
            "quipu: programs that were not recorded (statically linked, written in Go, with rights of their "
            "own, or "
            "without the recorder's environment): %llu%s",
            (unsigned long long)all->program_count, all->programs.count > 0 ? ":" : "");
    uint64_t named = 0;
    for (size_t i = 0; i < all->programs.count; i++) {
        const struct program *program = &all->programs.items[i];
        fprintf(stderr, "%s %s", i > 0 ? "," : "", program->name);
        if (program->count > 1)
            fprintf(stderr, " (%llu)", (unsigned long long)program->count);
        named += program->count;
    }
    fputs(named > 0 && named < all->program_count ? ", and others\n" : "\n", stderr);
}

/* What a user has to know about a trace that lacks something. */
static void tell(const struct collection *all) {
    tell_programs(all);
    for (unsigned i = 0; i < RECORDER_NOTE_COUNT; i++)
        if (all->noted[i] && notes[i].who)
            fprintf(stderr, "quipu: %s: %llu; %s\n", notes[i].who, (unsigned long long)all->noted[i],
                    notes[i].what);
    if (has_characters(all))
        fprintf(stderr,
                "quipu: bytes moved by single characters of streams (getc, putc and the like): %llu read, %llu "
                "written; their requests are not recorded\n",
                bytes_of(all->characters_read), bytes_of(all->characters_written));
    if (all->damaged_streams)
        fprintf(stderr,
                "quipu: %llu of the recorder's files are damaged; what is intact of them was collected\n",
                (unsigned long long)all->damaged_streams);
}

static int exit_of(enum quipu_status status) {
    if (status == QUIPU_NO_MEMORY)
        return EXIT_LIMIT;
    return status == QUIPU_OUTPUT || status == QUIPU_EXISTS ? EXIT_OUTPUT : EXIT_INPUT;
}

static int report(const struct quipu_error *err) {
    fprintf(stderr, "quipu: %s%s%s\n", err->path, err->path[0] ? ": " : "", err->message);
    return exit_of(err->status);
}

/* The value of an option --NAME=VALUE; NULL: another one. */
static const char *value_of(const char *word, const char *name) {
    const size_t len = strlen(name);
    return strncmp(word, name, len) == 0 ? word + len : NULL;
}

static bool read_options(int argc, char **argv, const char **processes, const char **program) {
    for (int i = 3; i < argc; i++) {
        const char *list = value_of(argv[i], "--processes="), *executed = value_of(argv[i], "--program=");
        *processes = list ? list : *processes;
        *program = executed ? executed : *program;
        if (!list && !executed)
            return false;
    }
    return argc >= 3;
}

int main(int argc, char **argv) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct collection all = {0};
    const char *processes = NULL, *program = NULL;
    if (!read_options(argc, argv, &processes, &program)) {
        fputs("usage: quipu-record-collect FOLDER TRACE [--processes=FILE] [--program=PROGRAM]\n", stderr);
        return 2;
    }
    all.folder = argv[1];
    quipu__memory_init(&all.memory, NULL, 0);
    quipu__files_init(&all.files, &all.memory, 0);
    if (processes && read_launchers(&all, processes, &err) != QUIPU_OK)
        return report(&err);
    if (program && !loading_by_file(program))
        add_program(&all, program);
    struct visit visit = {&all, &err};
    if (quipu__directory_visit(&all.memory, all.folder, visit_name, &visit, &err) != QUIPU_OK)
        return report(&err);
    if (write_trace(&all, argv[2], &err) != QUIPU_OK)
        return report(&err);
    tell(&all);
    print_figures(&all);
    quipu__files_release(&all.files);
    return 0;
}
