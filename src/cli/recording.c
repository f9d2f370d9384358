/* recording.c: see recording.h. */
#include "recording.h"

#include "ending.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where recorders are installed, seen from the folder of the command; the build says it. */
#ifndef QUIPU_RECORD_FOLDER_FROM_BIN
#define QUIPU_RECORD_FOLDER_FROM_BIN "../lib/quipu"
#endif

#define MPI_PACKAGES "openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev"

const struct recorder recording_of_io = {
    .library = "libquipu-record-io.so",
    .collector = "quipu-record-collect",
    .trace = "collected",
    .suffix = ".stream",
    .missing = "install Quipu again",
};
const struct recorder recording_of_mpi = {
    .library = "libquipu-record-mpi.so",
    .collector = "quipu-record-mpi-collect",
    .large_library = "libquipu-record-mpi-large.so",
    .trace = "collected.meta",
    .suffix = ".mpi",
    .missing = "Quipu was built without MPI; install " MPI_PACKAGES ", and build it again",
};

/* ---- Where things are ---- */

static bool join(char out[RECORDING_PATH_BYTES], const char *folder, const char *name) {
    const int len = snprintf(out, RECORDING_PATH_BYTES, "%s/%s", folder, name);
    return len > 0 && len < RECORDING_PATH_BYTES;
}

static bool is_there(struct recording *recording, const char *folder) {
    return join(recording->library, folder, recording->recorder->library) &&
           join(recording->collector, folder, recording->recorder->collector) &&
           access(recording->library, R_OK) == 0 && access(recording->collector, X_OK) == 0;
}

enum exit_code recording_find(struct recording *recording, const struct recorder *recorder) {
    static const char *const folders[] = {"record", QUIPU_RECORD_FOLDER_FROM_BIN};
    char here[RECORDING_PATH_BYTES] = "", folder[RECORDING_PATH_BYTES];
    const ssize_t len = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = len > 0 ? strrchr(here, '/') : NULL;
    recording->recorder = recorder;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++)
        if (join(folder, here, folders[i]) && is_there(recording, folder))
            return EXIT_FINE;
    fprintf(stderr, "quipu: the recorder %s is not there: %s\n", recorder->library, recorder->missing);
    return EXIT_UNREADABLE;
}

static bool has_suffix(const char *name, const char *suffix) {
    const size_t len = strlen(name), suffix_len = strlen(suffix);
    return len > suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

const struct recorder *recording_recorder_of(const char *folder) {
    static const struct recorder *const recorders[] = {&recording_of_io, &recording_of_mpi};
    const struct recorder *recorder = NULL;
    DIR *names = opendir(folder);
    for (const struct dirent *found; names && !recorder && (found = readdir(names));)
        for (size_t i = 0; i < sizeof recorders / sizeof *recorders; i++)
            if (has_suffix(found->d_name, recorders[i]->suffix))
                recorder = recorders[i];
    if (names)
        closedir(names);
    return recorder;
}

enum exit_code recording_use_folder(struct recording *recording, const char *folder) {
    char absolute[RECORDING_PATH_BYTES];
    if (!realpath(folder, absolute)) {
        fprintf(stderr, "quipu: %s: %s\n", folder, strerror(errno));
        return EXIT_UNREADABLE;
    }
    memcpy(recording->folder, absolute, sizeof absolute);
    return join(recording->trace, absolute, recording->recorder->trace) ? EXIT_FINE : EXIT_OUTPUT;
}

/* An absolute path, since programs change their directory. */
enum exit_code recording_make_folder(struct recording *recording, const char *output) {
    char name[RECORDING_PATH_BYTES];
    const int len = snprintf(name, sizeof name, "%s.recording", output);
    if (len < 0 || len >= RECORDING_PATH_BYTES - 64 || mkdir(name, 0755) != 0) {
        fprintf(stderr, "quipu: %s: cannot be made: %s\n", name, strerror(errno));
        return EXIT_OUTPUT;
    }
    recording->is_own_folder = true;
    return recording_use_folder(recording, name);
}

/* All are in one folder. What cannot be removed is harmless, and said. */
void recording_remove(const struct recording *recording) {
    char path[RECORDING_PATH_BYTES];
    DIR *folder = recording->is_own_folder ? opendir(recording->folder) : NULL;
    for (const struct dirent *found; folder && (found = readdir(folder));)
        if (found->d_name[0] != '.' && join(path, recording->folder, found->d_name))
            unlink(path);
    if (folder)
        closedir(folder);
    if (recording->is_own_folder && rmdir(recording->folder) != 0)
        fprintf(stderr, "quipu: %s: cannot be removed: %s\n", recording->folder, strerror(errno));
}

/* ---- Running programs ---- */

bool recording_is_launcher(const char *word) {
    static const char *const launchers[] = {"mpiexec", "mpirun", "orterun", "prterun",
                                            "srun",    "aprun",  "jsrun"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strncmp(name, launchers[i], strlen(launchers[i])) == 0)
            return true;
    return false;
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool is_executable(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

bool recording_find_program(const char *word, char path[RECORDING_PATH_BYTES]) {
    const char *folder = getenv("PATH");
    folder = folder ? folder : "/bin:/usr/bin"; /* as execvp does */
    snprintf(path, RECORDING_PATH_BYTES, "%s", word);
    if (strchr(word, '/'))
        return is_executable(path);
    for (;; folder++) {
        const size_t len = strcspn(folder, ":");
        snprintf(path, RECORDING_PATH_BYTES, "%.*s%s%s", (int)len, folder, len > 0 ? "/" : "./", word);
        if (is_executable(path))
            return true;
        folder += len;
        if (*folder == '\0')
            return false;
    }
}

static int program_fails(const char *program) {
    const bool is_missing = errno == ENOENT;
    fprintf(stderr, "quipu: %s: %s%s\n", program, strerror(errno),
            is_missing && recording_is_launcher(program) ? "; install " MPI_PACKAGES : "");
    return is_missing ? 127 : 126;
}

int recording_check_program(const char *word) {
    char path[RECORDING_PATH_BYTES];
    if (recording_find_program(word, path))
        return 0;
    errno = strchr(word, '/') && access(word, F_OK) == 0 ? EACCES : ENOENT;
    return program_fails(word);
}

/* Whether a program is MPICH's launcher, which is called so where its links lead to. */
static bool is_of_mpich(const char *program) {
    char path[RECORDING_PATH_BYTES], real[RECORDING_PATH_BYTES];
    if (!recording_find_program(program, path) || !realpath(path, real))
        return false;
    const char *name = strrchr(real, '/');
    return name && (strstr(name, "hydra") || strstr(name, "mpich"));
}

/* Where the MPI has calls with large counts, the library that has them too; a program that asks for them must not find them
 * where there are none. */
static const char *library_for(const struct recording *recording, const char *program, char *room) {
    const char *large = recording->recorder->large_library;
    const char *slash = strrchr(recording->library, '/');
    if (!large || !is_of_mpich(program))
        return recording->library;
    snprintf(room, RECORDING_PATH_BYTES, "%.*s/%s", (int)(slash - recording->library), recording->library,
             large);
    return access(room, R_OK) == 0 ? room : recording->library;
}

/* Programs with AddressSanitizer refuse what is loaded ahead of its runtime, unless they are told that it may be: they find the
 * runtime behind the recorder all the same. What a user has set for them comes behind and decides. */
static bool allow_sanitizers(void) {
    const char *before = getenv("ASAN_OPTIONS");
    char value[RECORDING_PATH_BYTES];
    const int len = snprintf(value, sizeof value, "verify_asan_link_order=0%s%s", before && *before ? ":" : "",
                             before ? before : "");
    return len <= 0 || (size_t)len >= sizeof value || setenv("ASAN_OPTIONS", value, 1) == 0;
}

/* What the dynamic linker loads already stays behind the recorder. Launchers hand the environment on to the processes of their
 * machine. False when there is no memory for it: the program would run unrecorded. */
static bool preload(const struct recording *recording, const struct recording *beside, const char *program) {
    const char *before = getenv("LD_PRELOAD");
    char value[3 * RECORDING_PATH_BYTES], rooms[2][RECORDING_PATH_BYTES];
    snprintf(value, sizeof value, "%s%s%s%s%s", library_for(recording, program, rooms[0]), beside ? ":" : "",
             beside ? library_for(beside, program, rooms[1]) : "", before && *before ? ":" : "",
             before ? before : "");
    return setenv("LD_PRELOAD", value, 1) == 0 && setenv("QUIPU_RECORD_FOLDER", recording->folder, 1) == 0 &&
           allow_sanitizers();
}

/* ---- Processes that outlive their launcher ---- */

#define PATIENCE_MS 10000
#define BETWEEN_LOOKS_MS 20

/* A stream of MPI is called HOST.PROCESS.THREAD.NUMBER.mpi; hosts may have points too. 0: it is called otherwise. */
static unsigned process_of(const char *stream) {
    const char *at = stream + strlen(stream);
    for (int points = 0; points < 4 && at > stream;)
        points += *--at == '.';
    return *at == '.' ? (unsigned)strtoul(at + 1, NULL, 10) : 0;
}

/* A process that has ended and is only waited for runs no program. */
static bool is_alive(const char *stream) {
    char link[64], program[8];
    snprintf(link, sizeof link, "/proc/%u/exe", process_of(stream));
    return readlink(link, program, sizeof program) > 0;
}

static bool has_living(const struct recording *recording) {
    DIR *names = opendir(recording->folder);
    bool found_one = false;
    for (const struct dirent *found; names && !found_one && (found = readdir(names));)
        found_one = has_suffix(found->d_name, recording_of_mpi.suffix) && is_alive(found->d_name);
    if (names)
        closedir(names);
    return found_one;
}

/* A launcher that was killed leaves processes that notice it after a while, and record until then. */
static void wait_for_others(const struct recording *recording) {
    const struct timespec pause = {.tv_nsec = BETWEEN_LOOKS_MS * 1000000L};
    bool is_waiting = has_living(recording);
    for (int waited = 0; is_waiting && waited < PATIENCE_MS; waited += BETWEEN_LOOKS_MS) {
        nanosleep(&pause, NULL);
        is_waiting = has_living(recording);
    }
    if (is_waiting)
        fputs("quipu: processes of the program are still there; what they do from here on is not recorded\n",
              stderr);
}

/* Whom signals are sent on to. */
static volatile pid_t running;

static void send_on(int number) {
    kill(running, number);
}

/* Those of the terminal reach the program by themselves; what ends the command alone is sent on, unless it is ignored. */
static const struct {
    int number;
    void (*handler)(int);
} of_program[] = {{SIGINT, SIG_IGN}, {SIGQUIT, SIG_IGN}, {SIGTERM, send_on}, {SIGHUP, send_on}};
enum { OF_PROGRAM = sizeof of_program / sizeof *of_program };

static void give_back(const struct sigaction were[OF_PROGRAM]) {
    for (size_t i = 0; i < OF_PROGRAM; i++)
        sigaction(of_program[i].number, &were[i], NULL);
}

static void give_to_program(struct sigaction were[OF_PROGRAM]) {
    for (size_t i = 0; i < OF_PROGRAM; i++) {
        const struct sigaction action = {.sa_handler = of_program[i].handler, .sa_flags = SA_RESTART};
        sigaction(of_program[i].number, &action, &were[i]);
        if (were[i].sa_handler == SIG_IGN)
            sigaction(of_program[i].number, &were[i], NULL);
    }
}

/* Signals are for the program: what it has done until then becomes a trace. They wait until there is one. */
int recording_run(const struct recording *recording, const struct recording *beside, char **command) {
    struct sigaction were[OF_PROGRAM];
    sigset_t waiting, before;
    fflush(NULL);
    sigemptyset(&waiting);
    for (size_t i = 0; i < OF_PROGRAM; i++)
        sigaddset(&waiting, of_program[i].number);
    sigprocmask(SIG_BLOCK, &waiting, &before);
    give_to_program(were);
    const pid_t child = running = fork();
    if (child == 0) {
        give_back(were);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (!preload(recording, beside, command[0]))
            _exit(program_fails(command[0]));
        ending_restore_signals();
        execvp(command[0], command);
        _exit(program_fails(command[0]));
    }
    if (child > 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    const int code = child < 0 ? EXIT_UNREADABLE : wait_for(child);
    if (child > 0 && code != 0)
        wait_for_others(recording);
    give_back(were);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* ---- Collecting ---- */

/* All of them, so that the collector can end; what has no room is left out. False with errno. */
static bool read_figures(struct recording *recording, int end) {
    char rest[256];
    size_t len = 0;
    ssize_t got = 1;
    while (got != 0) {
        const size_t left = sizeof recording->figures - 1 - len;
        got = read(end, left > 0 ? recording->figures + len : rest, left > 0 ? left : sizeof rest);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        len += got > 0 && left > 0 ? (size_t)got : 0;
    }
    recording->figures[len] = '\0';
    return true;
}

static enum exit_code collector_fails(const struct recording *recording) {
    if (errno == ENOMEM)
        return report_no_memory();
    fprintf(stderr, "quipu: %s: cannot be run: %s\n", recording->collector, strerror(errno));
    return EXIT_OUTPUT;
}

/* COLLECTOR FOLDER... TRACE [--processes=FILE] [--callsites] [--program=PROGRAM] */
static void become_collector(const struct recording *recording, const int ends[2]) {
    const int count = recording->folder_count;
    const char **words = calloc((size_t)count + 7, sizeof *words);
    char processes[RECORDING_PATH_BYTES + 16], program[RECORDING_PATH_BYTES + 16];
    size_t len = 0;
    if (!words || dup2(ends[1], STDOUT_FILENO) < 0)
        _exit((int)collector_fails(recording));
    close(ends[0]);
    close(ends[1]);
    words[len++] = recording->collector;
    for (int i = 0; i < count; i++)
        words[len++] = recording->folders[i];
    if (count == 0)
        words[len++] = recording->folder;
    words[len++] = recording->trace;
    if (recording->processes) {
        snprintf(processes, sizeof processes, "--processes=%s", recording->processes);
        words[len++] = processes;
    }
    if (recording->has_call_sites)
        words[len++] = "--callsites";
    if (recording->program) {
        snprintf(program, sizeof program, "--program=%s", recording->program);
        words[len++] = program;
    }
    execv(recording->collector, (char *const *)words);
    _exit((int)collector_fails(recording));
}

enum exit_code recording_collect(struct recording *recording) {
    int ends[2];
    if (pipe(ends) != 0)
        return collector_fails(recording);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become_collector(recording, ends);
    enum exit_code code = child < 0 ? collector_fails(recording) : EXIT_FINE;
    close(ends[1]);
    const bool is_read = child < 0 || read_figures(recording, ends[0]);
    const int reason = errno;
    if (child > 0)
        code = (enum exit_code)wait_for(child);
    close(ends[0]); /* when the collector has said all */
    if (is_read)
        return code;
    fprintf(stderr, "quipu: %s: what it says cannot be read: %s\n", recording->collector, strerror(reason));
    return EXIT_UNREADABLE;
}

unsigned long long recording_figure(const struct recording *recording, const char *name) {
    const size_t len = strlen(name);
    for (const char *word = recording->figures; word && *word;) {
        if (strncmp(word, name, len) == 0 && word[len] == '=')
            return strtoull(word + len + 1, NULL, 10);
        word = strchr(word, ' ');
        word += word ? 1 : 0;
    }
    return 0;
}

void recording_list_unrecorded(const struct recording *recording, struct recording_unrecorded *out) {
    static const char prefix[] = "unrecorded.";
    const char *word = strstr(recording->figures, prefix);
    for (out->count = 0; word && out->count < RECORDING_UNRECORDED_MOST; word = strstr(word, prefix)) {
        char *name = out->names[out->count];
        unsigned long long count = 0;
        word += sizeof prefix - 1;
        if (sscanf(word, "%47[a-z0-9_]=%llu", name, &count) == 2 && count > 0)
            out->items[out->count++] = (struct quipu_unrecorded){name, count};
    }
}

/* ---- Worlds ---- */

/* NAME-world1.meta. */
static void name_of_world(const char *name, unsigned long long world, char out[RECORDING_PATH_BYTES]) {
    const char *slash = strrchr(name, '/');
    const char *suffix = strrchr(slash ? slash + 1 : name, '.');
    const size_t len = suffix ? (size_t)(suffix - name) : strlen(name);
    if (world == 0)
        snprintf(out, RECORDING_PATH_BYTES, "%s", name);
    else
        snprintf(out, RECORDING_PATH_BYTES, "%.*s-world%llu%s", (int)len, name, world, suffix ? suffix : "");
}

static enum exit_code write_world(const struct arguments *given, const char *trace, const char *output,
                                  recording_write *write, const void *context) {
    struct arguments arguments = *given;
    arguments.given = calloc(given->given_count + 1, sizeof *arguments.given);
    if (!arguments.given)
        return report_no_memory();
    if (given->given_count > 0)
        memcpy(arguments.given, given->given, given->given_count * sizeof *given->given);
    arguments.given[arguments.given_count++] =
        (struct given_option){command_option(given->command, OPTION_output), output};
    const enum exit_code code = write(&arguments, trace, output, context);
    free(arguments.given);
    return code;
}

enum exit_code recording_each_world(const struct recording *recording, const struct arguments *arguments,
                                    const char *output, recording_write *write, const void *context) {
    const unsigned long long worlds = recording_figure(recording, "worlds");
    enum exit_code code = EXIT_FINE;
    for (unsigned long long world = 0; code == EXIT_FINE && world < (worlds ? worlds : 1); world++) {
        char trace[RECORDING_PATH_BYTES], its_output[RECORDING_PATH_BYTES];
        name_of_world(recording->trace, world, trace);
        name_of_world(output, world, its_output);
        code = worse_exit(code, write_world(arguments, trace, its_output, write, context));
    }
    return code;
}
