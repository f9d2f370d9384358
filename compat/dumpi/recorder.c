/* recorder.c: libdumpi: the recorder of record/mpi as dumpi.conf sets it, whose process makes its own trace file when it ends.
 *
 *     ROOT-recording-XXXXXX/         what is recorded, until the process ends; after a kill it stays, for quipu repair
 *     ROOT-DATE.meta, ROOT-DATE-RANK.bin
 *
 * Rank 0 makes the metafile in MPI_Init. So its name is that of one run, also where several begin in the same second. */
#include "conf.h"
#include "record/mpi/collect.h"
#include "record/mpi/control.h"
#include "record/mpi/counters.h"
#include "record/mpi/real.h"

#include <dumpi/libdumpi/libdumpi.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define ROOT_BYTES (PATH_MAX + CONF_ROOT_BYTES)
#define NAME_BYTES (ROOT_BYTES + 64)
#define NAMES_MOST 10000 /* that are tried */
#define VERSION 13

static struct {
    pthread_once_t once;
    pid_t process;
    struct conf conf;
    char directory[PATH_MAX]; /* that the root is relative to */
    char folder[NAME_BYTES];  /* of the recorder's files; empty: there is none */
    char date[32];            /* empty: MPI was not initialised */
    int32_t rank, size;
    bool is_over;
} own = {.once = PTHREAD_ONCE_INIT};

/* ---- Names ---- */

/* The root, absolute, and what follows it. */
static void name_file(char out[NAME_BYTES], const char *rest) {
    const bool is_absolute = own.conf.root[0] == '/';
    snprintf(out, NAME_BYTES, "%s%s%s-%s", is_absolute ? "" : own.directory, is_absolute ? "" : "/",
             own.conf.root, rest);
}

static void set_date(time_t second) {
    struct tm local;
    localtime_r(&second, &local);
    strftime(own.date, sizeof own.date, "%Y.%m.%d.%H.%M.%S", &local);
}

static int make_metafile(void) {
    char rest[sizeof own.date + 8], path[NAME_BYTES];
    snprintf(rest, sizeof rest, "%s.meta", own.date);
    name_file(path, rest);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

static void write_metafile(FILE *file, time_t second) {
    char host[256] = "";
    const char *user = getenv("LOGNAME");
    gethostname(host, sizeof host - 1);
    fprintf(file, "hostname=%s\nnumprocs=%d\nusername=%s\nstartime=%lld\nfileprefix=%s-%s\n", host,
            (int)own.size, user ? user : "<none>", (long long)second, own.conf.root, own.date);
    fprintf(file, "version=%d\nsubversion=0\nsubsubversion=0\n", VERSION);
}

/* The first second whose name is free, from the present one on. */
static time_t claim_name(void) {
    const time_t now = time(NULL);
    for (int i = 0; i < NAMES_MOST; i++) {
        set_date(now + i);
        const int fd = make_metafile();
        FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
        if (file) {
            write_metafile(file, now);
            fclose(file);
        }
        if (fd >= 0 || errno != EEXIST)
            return now + i;
    }
    return now;
}

/* ---- Settings ---- */

static void prepare(void) {
    conf_read(&own.conf);
    own.process = getpid();
    if (!getcwd(own.directory, sizeof own.directory))
        own.directory[0] = '\0';
}

static void make_folder(void) {
    name_file(own.folder, "recording-XXXXXX");
    if (mkdtemp(own.folder)) {
        quipu__mpi_set_folder(own.folder);
        return;
    }
    quipu__mpi_stop(own.folder);
    own.folder[0] = '\0';
}

static void starting(void) {
    const char *buffer = getenv("DUMPI_MEMBUF_SIZE");
    pthread_once(&own.once, prepare);
    for (uint32_t i = 0; i < CONF_FUNCTIONS; i++)
        if (own.conf.functions[i] == DUMPI_DISABLE)
            quipu__mpi_set_function(i, false);
    quipu__mpi_set_statuses((unsigned)own.conf.statuses);
    quipu__mpi_set_clocks(own.conf.timestamps & DUMPI_TIME_WALL, own.conf.timestamps & DUMPI_TIME_CPU);
    quipu__mpi_set_regions(own.conf.has_enters, own.conf.has_exits);
    if (buffer)
        quipu__mpi_set_buffer((size_t)strtoull(buffer, NULL, 10));
    quipu__mpi_call_counts();
    for (int i = 0; i < own.conf.counter_count; i++)
        quipu__mpi_counters_add(own.conf.counters[i]);
    make_folder();
}

/* All ranks take the name that rank 0 has found; and none begins before all are there, so that a trace does not begin with the
 * differences between their starts. */
static void initialized(void) {
    typedef int broadcast(word, word, word, word, word);
    broadcast *const share = (broadcast *)quipu__mpi_real.c[QUIPU__MPI_Bcast];
    int64_t second = 0;
    quipu__mpi_ask(QUIPU__MPI_Comm_rank, quipu__mpi_real.world, (word)&own.rank, 0);
    quipu__mpi_ask(QUIPU__MPI_Comm_size, quipu__mpi_real.world, (word)&own.size, 0);
    if (own.rank == 0)
        second = claim_name();
    share((word)&second, sizeof second, quipu__mpi_real.bytes, 0, quipu__mpi_real.world);
    quipu__mpi_ask(QUIPU__MPI_Barrier, quipu__mpi_real.world, 0, 0);
    set_date((time_t)second);
}

/* ---- The trace ---- */

static void remove_folder(void) {
    char path[NAME_BYTES + NAME_MAX + 2];
    DIR *folder = opendir(own.folder);
    for (const struct dirent *found; folder && (found = readdir(folder));) {
        snprintf(path, sizeof path, "%s/%s", own.folder, found->d_name);
        if (found->d_name[0] != '.')
            unlink(path);
    }
    if (folder)
        closedir(folder);
    rmdir(own.folder);
}

/* False: the recorder's files are all that there is. */
static bool write_trace(void) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu__mpi_collected collected;
    char rest[sizeof own.date + 32], path[NAME_BYTES];
    snprintf(rest, sizeof rest, "%s-%04d.bin", own.date, (int)own.rank);
    name_file(path, rest);
    const char *const folders[] = {own.folder};
    const struct quipu__mpi_collecting collecting = {.folders = folders,
                                                     .folder_count = 1,
                                                     .output = path,
                                                     .process = (uint32_t)own.process,
                                                     .replace = true};
    const enum quipu_status status = quipu__mpi_collect(&collecting, &collected, &err);
    if (status != QUIPU_OK && status != QUIPU_END)
        fprintf(stderr, "quipu: %s: %s; what was recorded is in %s\n", path, err.message, own.folder);
    if (status == QUIPU_OK && own.conf.is_verbose)
        fprintf(stderr, "quipu: %s: %llu calls\n", path, (unsigned long long)collected.calls);
    return status == QUIPU_OK || status == QUIPU_END;
}

/* A child of the process has no part in its recording. */
static void ending(void) {
    if (own.is_over || own.process != getpid() || own.folder[0] == '\0')
        return;
    own.is_over = true;
    quipu__mpi_close();
    if (own.date[0] == '\0' || write_trace())
        remove_folder();
}

/* ---- What programs call ---- */

EXPORT void libdumpi_enable_profiling(void) {
    quipu__mpi_set_recording(true);
}

EXPORT void libdumpi_disable_profiling(void) {
    quipu__mpi_set_recording(false);
}

EXPORT void libdumpi_set_profiling(dumpi_function function, dumpi_setting setting) {
    pthread_once(&own.once, prepare);
    if ((unsigned)function < CONF_FUNCTIONS)
        own.conf.functions[function] = setting;
    quipu__mpi_set_function((uint32_t)function, setting != DUMPI_DISABLE);
}

EXPORT void libdumpi_set_output(const char *root) {
    pthread_once(&own.once, prepare);
    if (own.date[0] == '\0' && root)
        snprintf(own.conf.root, sizeof own.conf.root, "%s", root);
}

EXPORT void libdumpi_set_status_output(dumpi_setting setting) {
    pthread_once(&own.once, prepare);
    own.conf.statuses = setting;
    quipu__mpi_set_statuses((unsigned)setting & QUIPU__MPI_ALL_STATUSES);
}

EXPORT const uint32_t *libdumpi_call_counts(void) {
    return quipu__mpi_call_counts();
}

void quipu__mpi_prepare(void) {
    static const struct quipu__mpi_observer observer = {starting, initialized, ending};
    quipu__mpi_observe(&observer);
    quipu__mpi_leave_statuses(); /* as the original does */
}
