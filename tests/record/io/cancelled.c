/* cancelled.c: where threads end that are to be cancelled. For each call below a thread of its own with a cancellation that is due says
 * "done" or "cancelled", as the C library decides: first as the thread's first call, then behind so many others that a recorder has
 * something to write out. Then a thousand threads are cancelled at any time. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STORM = 1000, MANY = 9000 };

static int fd, other;
static char bytes[64];
static struct iovec vector = {bytes, 8};
static FILE *stream, *reopened;

/* clang-format off */
#define CALLS(CALL) \
    CALL(read, read(fd, bytes, 8)) CALL(pread, pread(fd, bytes, 8, 0)) CALL(readv, readv(fd, &vector, 1)) \
    CALL(preadv, preadv(fd, &vector, 1, 0)) CALL(preadv2, preadv2(fd, &vector, 1, 0, 0)) \
    CALL(write, write(fd, bytes, 8)) CALL(pwrite, pwrite(fd, bytes, 8, 0)) CALL(writev, writev(fd, &vector, 1)) \
    CALL(pwritev, pwritev(fd, &vector, 1, 0)) CALL(pwritev2, pwritev2(fd, &vector, 1, 0, 0)) \
    CALL(sendfile, sendfile(other, fd, NULL, 8)) CALL(copy_file_range, copy_file_range(fd, NULL, other, NULL, 8, 0)) \
    CALL(splice, splice(fd, NULL, other, NULL, 8, 0)) CALL(syscall, syscall(SYS_pread64, fd, bytes, 8L, 0L)) \
    CALL(open, open("opened", O_RDWR | O_CREAT, 0600)) CALL(openat, openat(AT_FDCWD, "opened", O_RDWR | O_CREAT, 0600)) \
    CALL(creat, creat("created", 0600)) CALL(close, close(dup(other))) CALL(closed_number, syscall(SYS_close, dup(other))) \
    CALL(dup, dup(fd)) CALL(dup2, dup2(fd, 100)) CALL(dup3, dup3(fd, 101, 0)) CALL(duplicate, fcntl(fd, F_DUPFD, 50)) \
    CALL(fcntl, fcntl(fd, F_GETFL)) CALL(fsync, fsync(fd)) CALL(fdatasync, fdatasync(fd)) \
    CALL(mmap, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0)) CALL(close_range, close_range(900, 901, 0)) \
    CALL(ftruncate, ftruncate(fd, 100)) CALL(truncate, truncate("data", 200)) CALL(fallocate, fallocate(fd, 0, 0, 300)) \
    CALL(posix_fallocate, posix_fallocate(fd, 0, 400)) CALL(link, link("data", "linked")) CALL(rename, rename("linked", "renamed")) \
    CALL(unlink, unlink("renamed")) CALL(linkat, linkat(AT_FDCWD, "data", AT_FDCWD, "linked", 0)) \
    CALL(renameat, renameat(AT_FDCWD, "linked", AT_FDCWD, "renamed")) CALL(unlinkat, unlinkat(AT_FDCWD, "renamed", 0)) \
    CALL(remove, remove("created")) CALL(mkstemp, mkstemp((char[]){"temporary.XXXXXX"})) \
    CALL(fopen, fopen("streamed", "w") != NULL) CALL(freopen, freopen("streamed", "a", reopened) != NULL) \
    CALL(fputs, fputs("text\n", stream)) CALL(fwrite, fwrite(bytes, 1, 8, stream)) CALL(fprintf, fprintf(stream, "%d", 5)) \
    CALL(tmpfile, tmpfile() != NULL) CALL(fclose, fclose(fopen("data", "r")))
/* clang-format on */

struct call {
    const char *name;
    long (*make)(void);
};
#define FUNCTION(name, expression)                                                                             \
    static long make_##name(void) {                                                                            \
        return (long)(expression);                                                                             \
    }
CALLS(FUNCTION)
#define ROW(name, expression) {#name, make_##name},
static const struct call calls[] = {CALLS(ROW)};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

/* The cancellation is due before the call is made. */
static void *make_cancelled(void *number) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    calls[(size_t)number].make();
    return NULL;
}

/* Calls that are no points of cancellation, as often as it takes to fill a recorder's buffer. */
static void *make_many(void *unused) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    for (int i = 0; i < MANY; i++)
        if (ftruncate(fd, i % 2 ? 100 : 200) != 0 || dup2(fd, 100) != 100)
            return unused;
    return unused;
}

static const char *outcome_of(void *(*run)(void *), void *argument) {
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, NULL, run, argument) != 0 || pthread_join(thread, &result) != 0)
        return "failed";
    return result == PTHREAD_CANCELED ? "cancelled" : "done";
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What is no point of cancellation may be called with a lock, which a thread that ended there would never release. */
static void *storm(void *number) {
    char name[32];
    snprintf(name, sizeof name, "storm.%zu", (size_t)number % 10);
    for (;;) {
        const int own = open(name, O_RDWR | O_CREAT, 0600);
        pthread_mutex_lock(&lock);
        const int copy = dup(own);
        if (ftruncate(copy, 100) != 0)
            abort();
        pthread_mutex_unlock(&lock);
        if (pwrite(own, bytes, 8, 0) != 8)
            abort();
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        close(copy);
        close(own);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    }
    return NULL;
}

static int descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

int main(void) {
    fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    other = open("other", O_RDWR | O_CREAT | O_TRUNC, 0600);
    stream = fopen("stream", "w");
    reopened = fopen("reopened", "w");
    if (write(fd, bytes, sizeof bytes) != sizeof bytes || !stream)
        return 1;
    for (size_t i = 0; i < CALL_COUNT; i++)
        printf("%s %s\n", calls[i].name, outcome_of(make_cancelled, (void *)i));
    printf("many %s\n", outcome_of(make_many, NULL));
    printf("descriptors %d\n", descriptors());
    fflush(stdout);
    for (size_t i = 0; i < STORM; i++) {
        pthread_t thread;
        void *result;
        if (pthread_create(&thread, NULL, storm, (void *)i) != 0)
            return 2;
        usleep((useconds_t)(i * 37 % 500));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            return 3;
    }
    return 0;
}
