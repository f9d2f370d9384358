/* process.c: the stream of each thread, and the lives of processes and threads. */
#include "record/mpi/process.h"

#include "record/clock.h"
#include "record/fork.h"
#include "record/guard.h"
#include "record/mpi/modules.h"
#include "record/mpi/real.h"
#include "record/notes.h"
#include "record/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FOLDER_BYTES 4096
#define NOTE_BYTES (FOLDER_BYTES + 2 * QUIPU__MPI_TEXT)
#define BUFFER_BYTES ((size_t)1 << 20)
#define BUFFER_LEAST ((size_t)64 << 10)
#define DELAYS_NS INT64_C(1000000) /* a thread that loses its processor gets it back later than that */

struct quipu__mpi_process quipu__mpi_process;
static _Thread_local struct quipu__mpi_thread *own;

static struct {
    char folder[FOLDER_BYTES];
    size_t buffer_bytes;
    pid_t pid;
    pthread_key_t key;
    atomic_uint threads;
    atomic_bool has_stopped;
    struct quipu__notes *notes;
    bool is_of_command; /* the folder is the environment's, as quipu record sets it */
    pthread_once_t beginning, start;
} process = {.beginning = PTHREAD_ONCE_INIT, .start = PTHREAD_ONCE_INIT};

/* ---- Files ---- */

/* The I/O recorder, where it is loaded too, does not record what this one reads and writes. */
extern void quipu_recorder_io_pause(bool is_paused) __attribute__((weak));

static int begin_files(void) {
    const int shield = quipu__shield_begin();
    if (quipu_recorder_io_pause)
        quipu_recorder_io_pause(true);
    return shield;
}

static void end_files(int shield) {
    if (quipu_recorder_io_pause)
        quipu_recorder_io_pause(false);
    quipu__shield_end(shield);
}

/* ---- Stopping ---- */

static void name_note(const char *suffix, char path[NOTE_BYTES]) {
    char host[QUIPU__MPI_TEXT] = "";
    gethostname(host, sizeof host - 1);
    snprintf(path, NOTE_BYTES, "%s/%s.%d%s", process.folder, host, (int)process.pid, suffix);
}

/* The collector does not take it for a program without MPI then. */
static void put_note(void) {
    char path[NOTE_BYTES];
    name_note(QUIPU__MPI_STOPPED_SUFFIX, path);
    const int shield = begin_files();
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0)
        close(fd);
    else
        quipu__notes_add(process.notes, QUIPU__MPI_NOTE_STOPPED, 1);
    end_files(shield);
}

/* For when that file cannot be made: the program may lose its rights before it calls MPI. */
static void begin_notes(void) {
    char path[NOTE_BYTES];
    name_note(QUIPU__MPI_NOTES_SUFFIX, path);
    process.notes = quipu__notes_open(path);
}

/* The program goes on as if nothing had been recorded. */
void quipu__mpi_stop(const char *path) {
    const int reason = errno;
    if (atomic_exchange(&process.has_stopped, true))
        return;
    quipu__mpi_process.has_stopped = true;
    char line[FOLDER_BYTES + 200];
    const int len = snprintf(line, sizeof line, "quipu: %s: %s; recording of MPI stops, the program goes on\n",
                             path, strerror(reason));
    const struct quipu__silence silence = quipu__silence_begin();
    const ssize_t written = len > 0 ? write(STDERR_FILENO, line, (size_t)len) : 0;
    quipu__silence_end(&silence);
    (void)written;
    if (process.is_of_command)
        put_note();
}

static bool write_out(struct quipu__ring *ring) {
    const int shield = begin_files();
    const bool is_written = quipu__ring_write_out(ring);
    end_files(shield);
    return is_written;
}

/* ---- Records ---- */

/* A record that no buffer holds goes through memory of its own. */
static uint8_t *large_room(struct quipu__mpi_thread *thread, size_t bytes) {
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    thread->large_bytes = bytes;
    return map == MAP_FAILED ? NULL : map;
}

static bool is_large(const struct quipu__mpi_thread *thread, size_t bytes) {
    return bytes >= thread->ring.capacity;
}

uint8_t *quipu__mpi_make_room(struct quipu__mpi_thread *thread, size_t bytes) {
    if (atomic_load_explicit(&process.has_stopped, memory_order_relaxed) || !quipu__ring_is_open(&thread->ring))
        return NULL;
    if (!write_out(&thread->ring)) {
        quipu__mpi_stop(thread->ring.stream_path);
        return NULL;
    }
    return is_large(thread, bytes) ? large_room(thread, bytes) : quipu__ring_room(&thread->ring, bytes);
}

/* The buffer was lost while the record was made (quipu__ring_rescue). */
static bool is_in_ring(const struct quipu__mpi_thread *thread, const uint8_t *room) {
    return room >= thread->ring.data && room < thread->ring.data + thread->ring.capacity;
}

void quipu__mpi_commit_large(struct quipu__mpi_thread *thread, uint8_t *room, size_t bytes) {
    if (is_in_ring(thread, room)) {
        errno = EIO;
        quipu__mpi_stop(thread->ring.stream_path);
        return;
    }
    const int shield = begin_files();
    const bool is_written = quipu__ring_append(&thread->ring, room, bytes);
    end_files(shield);
    if (!is_written)
        quipu__mpi_stop(thread->ring.stream_path);
    munmap(room, thread->large_bytes);
}

void quipu__mpi_put(struct quipu__mpi_thread *thread, enum quipu__mpi_record record, uint16_t row,
                    const void *data, size_t bytes) {
    const size_t size = sizeof(struct quipu__mpi_head) + ((bytes + 7) & ~(size_t)7);
    uint8_t *room = quipu__mpi_room(thread, size);
    if (!room)
        return;
    const struct quipu__mpi_head head = {(uint32_t)size, (uint16_t)record, row, (int64_t)quipu__clock_now()};
    memset(room + size - 8, 0, 8);
    memcpy(room, &head, sizeof head);
    if (bytes > 0)
        memcpy(room + sizeof head, data, bytes);
    quipu__mpi_commit(thread, room, size);
}

/* ---- Streams ---- */

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t quipu__mpi_cpu_now(void) {
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* "RUNNING WAITING TIMES": what the scheduler knows of the calling thread, in ns. It has run: all 0 says that nothing is known. False then. */
static bool read_delay(int64_t *out_ns) {
    char text[64];
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char *rest;
    const unsigned long long running = strtoull(text, &rest, 10);
    *out_ns = (int64_t)strtoull(rest, NULL, 10);
    return running > 0 && *out_ns >= 0;
}

/* Only what quipu record makes has them, and no counters that the user has asked for: DUMPI has all of them in each of its records, or none. */
static bool has_delays(void) {
    int64_t delay;
    return process.is_of_command && (quipu__mpi_process.clocks & QUIPU__MPI_WALL) &&
           !getenv("QUIPU_RECORD_PAPI") && read_delay(&delay);
}

void quipu__mpi_put_delay(struct quipu__mpi_thread *thread, int64_t time, bool at_end) {
    int64_t delay;
    const int shield = begin_files();
    const bool is_known = read_delay(&delay);
    end_files(shield);
    thread->delay_due = is_known ? time + DELAYS_NS : INT64_MAX;
    if (is_known)
        quipu__mpi_put(thread, QUIPU__MPI_DELAY, at_end, &delay, sizeof delay);
}

static void set_text(char out[QUIPU__MPI_TEXT], const char *text) {
    snprintf(out, QUIPU__MPI_TEXT, "%s", text ? text : "");
}

/* Machines whose clocks are one: that of the running kernel. */
static void set_machine(char out[QUIPU__MPI_TEXT]) {
    FILE *file = getenv("QUIPU_RECORD_MACHINE") ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");
    set_text(out, getenv("QUIPU_RECORD_MACHINE"));
    if (file && fgets(out, QUIPU__MPI_TEXT, file))
        out[strcspn(out, "\n")] = '\0';
    if (file)
        fclose(file);
    if (!out[0])
        gethostname(out, QUIPU__MPI_TEXT - 1);
}

/* The job that a process belongs to, which tells worlds apart that record into one folder. */
static void set_world(char out[QUIPU__MPI_TEXT]) {
    const char *name = getenv("PMIX_NAMESPACE");
    if (name)
        set_text(out, name);
    else
        snprintf(out, QUIPU__MPI_TEXT, "%s", getenv("PMI_SPAWNED") ? "spawned" : "");
}

/* "NUMBER (NAME) STATE PARENT ...": names may have any characters. 0: not to be found out. */
static uint32_t parent_of(uint32_t pid) {
    char path[32], line[256];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *file = fopen(path, "re");
    const bool has_line = file && fgets(line, sizeof line, file);
    const char *name_end = has_line ? strrchr(line, ')') : NULL;
    unsigned parent = 0;
    if (name_end && sscanf(name_end, ") %*c %u", &parent) != 1)
        parent = 0;
    if (file)
        fclose(file);
    return parent;
}

static void list_ancestors(uint32_t out[QUIPU__MPI_ANCESTORS]) {
    out[0] = (uint32_t)getppid();
    for (size_t i = 1; i < QUIPU__MPI_ANCESTORS && out[i - 1] > 1; i++)
        out[i] = parent_of(out[i - 1]);
}

static void fill_head(const struct quipu__mpi_thread *thread, struct quipu__mpi_stream_head *head) {
    *head = (struct quipu__mpi_stream_head){.version = QUIPU__MPI_VERSION,
                                            .size = sizeof *head,
                                            .table = quipu__mpi_calls_hash(),
                                            .process = (uint32_t)process.pid,
                                            .thread = (uint32_t)thread->tid,
                                            .number = thread->number,
                                            .clocks = quipu__mpi_process.clocks,
                                            .time = (int64_t)quipu__clock_now(),
                                            .real_time = nanoseconds(CLOCK_REALTIME),
                                            .statuses = quipu__mpi_process.statuses,
                                            .counters = thread->counters.count,
                                            .call_sites = quipu__mpi_process.has_call_sites,
                                            .has_delays = has_delays()};
    list_ancestors(head->ancestors);
    memcpy(head->magic, QUIPU__MPI_MAGIC, sizeof head->magic);
    gethostname(head->host, sizeof head->host - 1);
    set_text(head->user, getenv("LOGNAME"));
    memcpy(head->machine, quipu__mpi_process.machine, sizeof head->machine);
    set_world(head->world);
}

/* A name that is free: programs that execute others have had streams before, and numbers of threads come again. */
static void free_name(const struct quipu__mpi_stream_head *head, char *path, size_t size) {
    unsigned number = 0;
    do
        snprintf(path, size, "%s/%s.%u.%u.%u" QUIPU__MPI_SUFFIX, process.folder, head->host, head->process,
                 head->thread, number);
    while (access(path, F_OK) == 0 && ++number < 100000);
}

static void put_counter_names(struct quipu__mpi_thread *thread) {
    char names[QUIPU__MPI_COUNTERS_MOST * QUIPU__MPI_COUNTER_NAME];
    if (thread->counters.count > 0)
        quipu__mpi_put(thread, QUIPU__MPI_COUNTERS, 0, names, quipu__mpi_counters_names(names));
}

static void open_stream(struct quipu__mpi_thread *thread) {
    struct quipu__mpi_stream_head head;
    char path[FOLDER_BYTES + 2 * QUIPU__MPI_TEXT];
    thread->tid = (pid_t)syscall(SYS_gettid);
    thread->number = atomic_fetch_add(&process.threads, 1);
    const int shield = begin_files();
    quipu__mpi_counters_start(&thread->counters);
    fill_head(thread, &head);
    thread->delay_due = head.has_delays ? 0 : INT64_MAX;
    free_name(&head, path, sizeof path);
    const bool is_open = quipu__ring_open(&thread->ring, path, &head, sizeof head, process.buffer_bytes);
    end_files(shield);
    if (!is_open) {
        quipu__mpi_stop(path);
        return;
    }
    if (thread->number == 0)
        quipu__mpi_put_constants(thread);
    put_counter_names(thread);
}

static bool has_folder(void) {
    return process.folder[0] != '\0' && !atomic_load_explicit(&process.has_stopped, memory_order_relaxed);
}

static struct quipu__mpi_thread *new_thread(void) {
    struct quipu__mpi_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    quipu__ring_init(&thread->ring);
    own = thread;
    pthread_setspecific(process.key, thread);
    return thread;
}

/* Whoever stands on the recorder makes its settings. */
static void start(void) {
    if (quipu__mpi_process.observer.starting)
        quipu__mpi_process.observer.starting();
}

static void begin_process(void);

/* A program may have regions before it has an MPI. */
static struct quipu__mpi_thread *begin_thread(void) {
    pthread_once(&process.beginning,
                 begin_process); /* constructors of the program's libraries may come before that of this one */
    if (process.pid == 0)
        return NULL;
    struct quipu__mpi_thread *thread = own ? own : new_thread();
    if (!thread || !quipu__mpi_real.library)
        return thread;
    thread->is_tried = true; /* settings may ask for it */
    pthread_once(&process.start, start);
    if (has_folder())
        open_stream(thread);
    return thread;
}

static struct quipu__mpi_thread *try_thread(void) {
    const int shield = quipu__shield_begin();
    struct quipu__mpi_thread *thread = begin_thread();
    quipu__shield_end(shield);
    return thread;
}

struct quipu__mpi_thread *quipu__mpi_thread(void) {
    return __builtin_expect(own && own->is_tried, 1) ? own : try_thread();
}

void quipu__mpi_set_folder(const char *folder) {
    snprintf(process.folder, sizeof process.folder, "%s", folder);
}

void quipu__mpi_set_buffer(size_t bytes) {
    process.buffer_bytes = bytes > BUFFER_LEAST ? bytes : BUFFER_LEAST;
}

/* ---- Lives ---- */

static void close_stream(struct quipu__mpi_thread *thread) {
    if (thread->is_done || !quipu__ring_is_open(&thread->ring))
        return;
    thread->is_done = true;
    quipu__mpi_put_counts(thread);
    const int shield = begin_files();
    quipu__mpi_counters_stop(&thread->counters);
    const bool is_closed = quipu__ring_close(&thread->ring);
    end_files(shield);
    if (!is_closed)
        quipu__mpi_stop(process.folder);
    quipu__ring_init(&thread->ring);
}

/* What other threads have is in their files; nothing is said of what cannot be written any more. */
void quipu__mpi_close(void) {
    if (own)
        close_stream(own);
    atomic_store(&process.has_stopped, true);
}

static void end_thread(void *ended) {
    close_stream(ended);
    own = NULL;
    free(ended);
}

/* The streams are the parent's; a child that calls MPI begins its own. */
static void begin_child(void) {
    if (own) {
        quipu__ring_abandon(&own->ring);
        pthread_setspecific(process.key, NULL);
    }
    own = NULL;
    process.pid = getpid();
    quipu__mpi_forget_modules();
    atomic_store(&process.threads, 0);
}

/* The last pattern that matches decides; the first says what holds for others: all, unless it selects. */
static bool is_selected(const char *patterns, const char *name) {
    bool selected = patterns[0] == '!' || patterns[0] == '\0';
    for (const char *at = patterns; *at;) {
        char pattern[128];
        const size_t length = strcspn(at, ",");
        const bool is_excluding = *at == '!';
        snprintf(pattern, sizeof pattern, "%.*s", (int)(length - is_excluding), at + is_excluding);
        if (fnmatch(pattern, name, 0) == 0)
            selected = !is_excluding;
        at += length + (at[length] == ',');
    }
    return selected;
}

static void select_functions(void) {
    const char *patterns = getenv("QUIPU_RECORD_FUNCTIONS");
    for (size_t i = 0; i < QUIPU__MPI_ROWS; i++)
        quipu__mpi_process.is_recorded[i] = !patterns || is_selected(patterns, quipu__mpi_calls[i].name);
}

static bool setting_is(const char *name, const char *value) {
    const char *setting = getenv(name);
    return setting && strcmp(setting, value) == 0;
}

static uint32_t clocks_of_settings(void) {
    static const struct {
        const char *name;
        uint32_t clocks;
    } rows[] = {{"full", QUIPU__MPI_WALL | QUIPU__MPI_CPU}, {"cpu", QUIPU__MPI_CPU}, {"none", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (setting_is("QUIPU_RECORD_CLOCKS", rows[i].name))
            return rows[i].clocks;
    return QUIPU__MPI_WALL;
}

static void read_settings(void) {
    const char *folder = getenv("QUIPU_RECORD_FOLDER"), *buffer = getenv("QUIPU_RECORD_BUFFER");
    if (folder && folder[0] == '/' && strlen(folder) < sizeof process.folder)
        memcpy(process.folder, folder, strlen(folder) + 1);
    process.is_of_command = process.folder[0] != '\0';
    quipu__mpi_set_buffer(buffer ? (size_t)strtoull(buffer, NULL, 10) : BUFFER_BYTES);
    quipu__mpi_process.clocks = clocks_of_settings();
    quipu__mpi_counters_add_list(getenv("QUIPU_RECORD_PAPI"));
    quipu__mpi_process.has_call_sites = setting_is("QUIPU_RECORD_CALLSITES", "yes");
    quipu__mpi_process.statuses = setting_is("QUIPU_RECORD_STATUSES", "no") ? 0 : QUIPU__MPI_ALL_STATUSES;
    select_functions();
}

/* mpi4py looks for MPI in the process before it loads a library, finds the symbols of this one, and takes them for MPICH's: it is
 * told which MPI the launcher is of. */
static void name_library_for_python(void) {
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        setenv("MPI4PY_MPIABI", "openmpi", 0);
    else if (getenv("PMI_SIZE"))
        setenv("MPI4PY_MPIABI", "mpich", 0);
}

static void begin_process(void) {
    uint32_t row;
    if (!quipu__mpi_calls_init(&row))
        return;
    process.pid = getpid();
    read_settings();
    name_library_for_python();
    const int shield = begin_files();
    set_machine(quipu__mpi_process.machine);
    if (process.is_of_command)
        begin_notes();
    end_files(shield);
    quipu_recorder_clock_begin();
    if (quipu__rescue_begin && process.folder[0] != '\0')
        quipu__rescue_begin();
    pthread_key_create(&process.key, end_thread);
    quipu__at_fork(NULL, begin_child);
    quipu__mpi_process.is_recording = true;
    quipu__mpi_process.has_enters = quipu__mpi_process.has_leaves = true;
    if (quipu__mpi_prepare)
        quipu__mpi_prepare();
}

/* Before the program's own constructors may call MPI. */
__attribute__((constructor(101))) static void begin_early(void) {
    pthread_once(&process.beginning, begin_process);
}

void quipu__mpi_end_recording(void) {
    if (quipu__mpi_process.observer.ending && process.pid == getpid())
        quipu__mpi_process.observer.ending();
}

__attribute__((destructor)) static void end_process(void) {
    if (own && process.pid == getpid())
        close_stream(own);
    quipu__mpi_end_recording();
}
