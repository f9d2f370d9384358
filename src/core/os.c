/* os.c: POSIX, and getentropy, which every system has but POSIX has not yet. */
#define _DEFAULT_SOURCE
#include "core/os.h"

#include "core/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum quipu__path_kind quipu__path_kind(const char *path, uint64_t *size) {
    struct stat found;
    if (size)
        *size = QUIPU_UNKNOWN;
    if (strcmp(path, "-") == 0)
        return QUIPU__PATH_OTHER;
    if (stat(path, &found) != 0)
        return QUIPU__PATH_MISSING;
    if (S_ISDIR(found.st_mode))
        return QUIPU__PATH_DIRECTORY;
    if (!S_ISREG(found.st_mode))
        return QUIPU__PATH_OTHER;
    if (size)
        *size = (uint64_t)found.st_size;
    return QUIPU__PATH_FILE;
}

bool quipu__path_same(const char *left, const char *right) {
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* ---- Directories ---- */

struct names {
    char **at;
    size_t count, capacity;
};

static bool add_name(struct names *names, const char *name) {
    if (names->count == names->capacity) {
        const size_t wanted = names->capacity ? names->capacity * 2 : 64;
        char **grown = realloc(names->at, wanted * sizeof *grown);
        if (!grown)
            return false;
        names->at = grown;
        names->capacity = wanted;
    }
    names->at[names->count] = strdup(name);
    return names->at[names->count] && ++names->count;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool read_names(DIR *directory, struct names *names) {
    const struct dirent *entry;
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !add_name(names, entry->d_name))
            return false;
    return true;
}

enum quipu_status quipu__directory_visit(const char *path,
                                         enum quipu_status (*visit)(void *context, const char *name),
                                         void *context, struct quipu_error *err) {
    DIR *directory = opendir(path);
    if (!directory) {
        quipu__fail_errno(err, QUIPU_IO, errno, "the directory cannot be read");
        quipu__at(err, path, QUIPU_UNKNOWN);
        return QUIPU_IO;
    }
    struct names names = {NULL, 0, 0};
    enum quipu_status status =
        read_names(directory, &names) ? QUIPU_OK : quipu__no_memory(err, names.capacity * sizeof *names.at);
    closedir(directory);
    if (names.count)
        qsort(names.at, names.count, sizeof *names.at, compare_names);
    for (size_t i = 0; i < names.count; i++) {
        if (status == QUIPU_OK)
            status = visit(context, names.at[i]);
        free(names.at[i]);
    }
    free(names.at);
    return status;
}

/* ---- Files ---- */

int quipu__os_open_read(const char *path) {
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int64_t quipu__os_read(int fd, void *data, size_t size) {
    ssize_t got;
    do
        got = read(fd, data, size);
    while (got < 0 && errno == EINTR);
    return got;
}

bool quipu__os_seek(int fd, uint64_t offset) {
    return offset <= INT64_MAX && lseek(fd, (off_t)offset, SEEK_SET) >= 0;
}

void quipu__os_close(int fd) {
    if (fd > STDERR_FILENO)
        close(fd);
}

/* ---- Time, chance, locks ---- */

uint64_t quipu__os_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Maps ask for this by the dozen, so it must not cost more than one call of the system. */
uint64_t quipu__os_random(void) {
    uint64_t value = 0;
    if (getentropy(&value, sizeof value) != 0)
        value = 0;
    return value ^ quipu__os_now_ns() ^ (uint64_t)getpid() << 32;
}

struct quipu__lock {
    pthread_mutex_t mutex;
};

struct quipu__lock *quipu__lock_new(void) {
    struct quipu__lock *lock = malloc(sizeof *lock);
    if (lock && pthread_mutex_init(&lock->mutex, NULL) != 0) {
        free(lock);
        return NULL;
    }
    return lock;
}

void quipu__lock_free(struct quipu__lock *lock) {
    if (!lock)
        return;
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void quipu__lock_take(struct quipu__lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}

void quipu__lock_give(struct quipu__lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}
