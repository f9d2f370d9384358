/* recorder.c: the stream of each thread, and the lives of processes and threads. */
#include "record/io/recorder.h"

#include "record/fork.h"
#include "record/guard.h"
#include "record/notes.h"
#include "record/ring.h"
#include "record/shield.h"
#include "record/silence.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STREAM_BYTES (256 << 10)
#define FOLDER_BYTES 4096

struct client {
    struct quipu__ring ring;
    bool is_inside, is_done;
    int32_t tid;
    int errno_saved;
};
static _Thread_local struct client client = {.ring = QUIPU__RING_NONE};

static struct {
    char folder[FOLDER_BYTES];
    atomic_bool is_recording, is_announced;
    int32_t pid;
    pthread_key_t key;
    struct stat root;
    struct quipu__notes *notes;
    bool is_noted[RECORDER_NOTE_COUNT];
} process;

/* ---- Notes ---- */

#define NOTE_BYTES (FOLDER_BYTES + 64)

static void name_note(enum recorder_note note, char path[NOTE_BYTES]) {
    static const char *const suffixes[] = {
#define NOTE(name, suffix, figure, who, what) suffix,
        RECORDER_NOTES(NOTE)
#undef NOTE
    };
    snprintf(path, NOTE_BYTES, "%s/%d%s", process.folder, process.pid, suffixes[note]);
}

/* False when there is such a file, or it cannot be made. Of the text there may be less. */
static bool put_file(const char *path, int flags, const char *text) {
    const struct quipu__silence silence = quipu__silence_begin();
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
    const size_t len = strlen(text);
    const ssize_t written = fd >= 0 && len > 0 ? write(fd, text, len) : 0;
    if (fd >= 0)
        close(fd);
    quipu__silence_end(&silence);
    (void)written;
    return fd >= 0;
}

void recorder_put_note(enum recorder_note note) {
    char path[NOTE_BYTES];
    name_note(note, path);
    if (!process.is_noted[note] && !put_file(path, 0, ""))
        quipu__notes_add(process.notes, note, 1);
    process.is_noted[note] = true;
}

static void take_back_note(enum recorder_note note) {
    char path[NOTE_BYTES];
    name_note(note, path);
    if (unlink(path) != 0 && process.is_noted[note])
        quipu__notes_add(process.notes, note, -1);
    process.is_noted[note] = false;
}

/* A process that executes others has had such a file before. */
static void begin_notes(void) {
    char path[NOTE_BYTES];
    snprintf(path, sizeof path, "%s/%d.%llu" QUIPU__NOTES_SUFFIX, process.folder, process.pid,
             (unsigned long long)recorder_now());
    process.notes = quipu__notes_open(path);
}

/* ---- Stopping ---- */

/* Processes may outlive the recorded command, of which the trace has been made then. In another root nothing is where it was. */
static bool is_over(int reason) {
    struct stat root;
    return reason == ENOENT && stat("/", &root) == 0 && root.st_dev == process.root.st_dev &&
           root.st_ino == process.root.st_ino && access(process.folder, F_OK) != 0;
}

/* Of all processes the first one says it: a disk that is full is so for all. */
static bool has_been_said(int reason) {
    char path[NOTE_BYTES];
    snprintf(path, sizeof path, "%s/stopped.%d", process.folder, reason);
    return !put_file(path, O_EXCL, "") && errno == EEXIST;
}

/* The program goes on as if nothing had been recorded. */
static void stop(const char *path) {
    const int reason = errno;
    if (!atomic_exchange(&process.is_recording, false) || is_over(reason))
        return;
    recorder_put_note(RECORDER_NOTE_STOPPED);
    if (has_been_said(reason))
        return;
    char line[FOLDER_BYTES + 200];
    const int len =
        snprintf(line, sizeof line, "quipu: %s: %s; recording of input and output stops, the program goes on\n",
                 path, strerror(reason));
    const struct quipu__silence silence = quipu__silence_begin();
    const ssize_t written = len > 0 ? write(STDERR_FILENO, line, (size_t)len) : 0;
    quipu__silence_end(&silence);
    (void)written;
}

/* ---- Records ---- */

static void put_own(const void *record, size_t size) {
    uint8_t *room = quipu__ring_room(&client.ring, size);
    if (!room && quipu__ring_is_open(&client.ring)) {
        if (quipu__ring_write_out(&client.ring))
            room = quipu__ring_room(&client.ring, size);
        else
            stop(client.ring.stream_path);
    }
    if (!room)
        return;
    memcpy(room, record, size);
    quipu__ring_commit(&client.ring, size);
}

static void copy_text(char *to, size_t room, const char *from, size_t len) {
    memcpy(to, from, len < room ? len : room - 1);
}

static void put_load(void) {
    struct app_load load = {.type = RECORD_APP_LOAD,
                            .time = recorder_now(),
                            .user = getuid(),
                            .app = process.pid,
                            .client_count = 1,
                            .client = client.tid};
    char program[PATH_BYTES] = "";
    const ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *slash = len > 0 ? strrchr(program, '/') : NULL;
    if (slash) {
        copy_text(load.name, sizeof load.name, slash + 1, strlen(slash + 1));
        copy_text(load.path, sizeof load.path, program, (size_t)(slash - program));
    }
    put_own(&load, sizeof load);
}

static void put_client_change(enum record_type type) {
    const struct client_change change = {
        .type = (uint16_t)type, .time = recorder_now(), .app = process.pid, .client = client.tid};
    put_own(&change, sizeof change);
}

static void put_exit(void) {
    const struct app_exit gone = {.type = RECORD_APP_EXIT, .time = recorder_now(), .app = process.pid};
    put_own(&gone, sizeof gone);
}

/* ---- Streams ---- */

/* A name that is free: programs that execute others have had streams before, and numbers of threads come again. */
static unsigned free_name(char *path, size_t size) {
    unsigned number = 0;
    do
        snprintf(path, size, "%s/%d.%d.%u.stream", process.folder, process.pid, client.tid, number);
    while (access(path, F_OK) == 0 && ++number < 100000);
    return number;
}

/* The first thread that records announces its process; a program that was executed by another in the same process ends the one
 * before. */
static void open_stream(void) {
    const uint32_t head[2] = {QUIPU__CHARISMA_MAGIC, QUIPU__CHARISMA_VERSION};
    char path[FOLDER_BYTES + 64];
    client.tid = (int32_t)syscall(SYS_gettid);
    const unsigned number = free_name(path, sizeof path);
    if (!quipu__ring_open(&client.ring, path, head, sizeof head, STREAM_BYTES)) {
        stop(path);
        return;
    }
    pthread_setspecific(process.key, &client);
    if (atomic_exchange(&process.is_announced, true)) {
        put_client_change(RECORD_CLIENT_JOIN);
        return;
    }
    if (number > 0 && client.tid == process.pid)
        put_exit();
    put_load();
}

static void need_stream(void) {
    if (__builtin_expect(quipu__ring_is_open(&client.ring), 1) || client.is_done)
        return;
    const int shield = quipu__shield_begin();
    open_stream();
    quipu__shield_end(shield);
}

void recorder_put(const void *record, size_t size) {
    put_own(record, size);
}

/* ---- Calls ---- */

bool recorder_enter_without_stream(void) {
    if (client.is_inside || !atomic_load_explicit(&process.is_recording, memory_order_relaxed))
        return false;
    client.is_inside = true;
    client.errno_saved = errno;
    return true;
}

bool recorder_enter(void) {
    if (!recorder_enter_without_stream())
        return false;
    need_stream(); /* before the time of the call is taken */
    errno = client.errno_saved;
    return true;
}

bool recorder_enter_own(void) {
    return atomic_load_explicit(&process.is_recording, memory_order_relaxed) && recorder_is_own_process() &&
           recorder_enter();
}

bool recorder_enter_for(int fd) {
    if (descriptor_is_other(fd) || !recorder_enter())
        return false;
    if (descriptor_is_file(fd))
        return true;
    recorder_leave();
    return false;
}

void recorder_return(void) {
    client.is_inside = true;
    client.errno_saved = errno;
}

void recorder_leave(void) {
    errno = client.errno_saved;
    client.is_inside = false;
}

int32_t recorder_client(void) {
    if (!client.tid)
        client.tid = (int32_t)syscall(SYS_gettid);
    return client.tid;
}

int32_t recorder_app(void) {
    return process.pid;
}

bool recorder_is_own_process(void) {
    return getpid() == process.pid;
}

/* ---- What a user has to know ---- */

/* Of the calling process, which may be a child of vfork. */
static void name_program(uint64_t number, char path[NOTE_BYTES]) {
    snprintf(path, NOTE_BYTES, "%s/%d.%llu" RECORDER_PROGRAM_SUFFIX, process.folder, (int)getpid(),
             (unsigned long long)number);
}

uint64_t recorder_note_program(const char *program) {
    char path[NOTE_BYTES];
    const uint64_t number = recorder_now();
    name_program(number, path);
    if (!put_file(path, O_EXCL, program))
        quipu__notes_add(process.notes, RECORDER_NOTE_PROGRAM, 1);
    return number;
}

void recorder_take_back_program(uint64_t number) {
    char path[NOTE_BYTES];
    name_program(number, path);
    if (unlink(path) != 0)
        quipu__notes_add(process.notes, RECORDER_NOTE_PROGRAM, -1);
}

/* Capabilities that end when another program is executed do not count here either. */
bool recorder_can_note(void) {
    return access(process.folder, W_OK | X_OK) == 0;
}

void recorder_note(enum recorder_note note) {
    if (!recorder_enter())
        return;
    recorder_put_note(note);
    recorder_leave();
}

bool recorder_confining(void) {
    if (!recorder_enter_own())
        return false;
    recorder_put_note(RECORDER_NOTE_SECCOMP); /* later it could not be made */
    recorder_leave();
    return true;
}

void recorder_confined(bool has_succeeded) {
    recorder_return();
    if (has_succeeded)
        atomic_store(&process.is_recording, false);
    else
        take_back_note(RECORDER_NOTE_SECCOMP);
    recorder_leave();
}

/* ---- Lives ---- */

static void close_stream(void) {
    client.is_done = true;
    if (quipu__ring_is_open(&client.ring) && !quipu__ring_close(&client.ring))
        stop(process.folder);
}

static void end_thread(void *ended) {
    (void)ended;
    if (!atomic_load(&process.is_recording))
        return;
    client.is_inside = true;
    put_client_change(RECORD_CLIENT_LEAVE);
    close_stream();
    client.is_inside = false;
}

static void before_fork(void) {
    if (!recorder_enter())
        return;
    characters_count_and_share();
    recorder_leave();
}

static void begin_child(void) {
    if (!atomic_load(&process.is_recording))
        return;
    const bool was_inside = client.is_inside;
    client.is_inside = true;
    quipu__ring_abandon(&client.ring);
    client.is_inside = was_inside;
    client.is_done = false;
    client.tid = 0;
    process.pid = getpid();
    memset(process.is_noted, 0, sizeof process.is_noted);
    atomic_store(&process.is_announced, false);
    descriptors_forget();
    requests_forget();
}

void quipu_recorder_io_pause(bool is_paused) {
    client.is_inside = is_paused;
}

__attribute__((constructor)) static void begin_process(void) {
    const char *folder = getenv("QUIPU_RECORD_FOLDER");
    if (!folder || strlen(folder) >= sizeof process.folder)
        return;
    memcpy(process.folder, folder, strlen(folder) + 1);
    process.pid = getpid();
    stat("/", &process.root);
    quipu_recorder_clock_begin();
    pthread_key_create(&process.key, end_thread);
    quipu__at_fork(before_fork, begin_child);
    quipu__rescue_begin();
    client.is_inside = true;
    begin_notes();
    atomic_store(&process.is_recording, true);
    need_stream();
    characters_begin_process();
    client.is_inside = false;
}

__attribute__((destructor)) static void end_process(void) {
    if (client.is_inside || !atomic_load(&process.is_recording) || !recorder_is_own_process())
        return;
    client.is_inside = true;
    need_stream();
    characters_moving(NULL);
    rings_look_at_all();
    put_exit();
    close_stream();
    atomic_store(&process.is_recording, false);
    client.is_inside = false;
}
