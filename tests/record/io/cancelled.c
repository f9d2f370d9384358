/* cancelled.c: where threads end that are to be cancelled. For each call below a thread of its own with a cancellation that is due says
 * "done" or "cancelled", as the C library decides: first as the thread's first call, then behind so many others that a recorder has
 * something to write out. Then a thousand threads are cancelled at any time. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STORM = 1000, MANY = 9000 };

static int fd, other;
static char bytes[64];
static struct iovec vector = {bytes, 8};
static FILE *stream, *reopened, *input, *unused;
static char *line, *words[] = {"none", NULL};
static size_t room;
static fpos_t position;

/* What the C library calls where it has been told to check arguments, which it declares nowhere. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off_t at, size_t room);
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *text, size_t room, int size, FILE *stream);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list values);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list values);
int __vdprintf_chk(int fd, int flag, const char *format, va_list values);

typedef int print(va_list values);
static int vprintf_to(va_list values) {
    return vprintf("%d\n", values);
}
static int vfprintf_to(va_list values) {
    return vfprintf(stream, "%d\n", values);
}
static int vdprintf_to(va_list values) {
    return vdprintf(other, "%d\n", values);
}
static int checked_vprintf_to(va_list values) {
    return __vprintf_chk(1, "%d\n", values);
}
static int checked_vfprintf_to(va_list values) {
    return __vfprintf_chk(stream, 1, "%d\n", values);
}
static int checked_vdprintf_to(va_list values) {
    return __vdprintf_chk(other, 1, "%d\n", values);
}

static int print_by(print *function, ...) {
    va_list values;
    va_start(values, function);
    const int result = function(values);
    va_end(values);
    return result;
}

static int list(struct aiocb *block) {
    struct aiocb *blocks[] = {block};
    block->aio_lio_opcode = LIO_READ;
    return lio_listio(LIO_NOWAIT, blocks, 1, NULL);
}

static ssize_t complete(int (*submit)(struct aiocb *)) {
    static struct aiocb block;
    block = (struct aiocb){.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 8};
    if (submit(&block) != 0)
        return -1;
    while (aio_error(&block) == EINPROGRESS)
        continue;
    return aio_return(&block);
}

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
    CALL(tmpfile, tmpfile() != NULL) CALL(fclose, fclose(fopen("data", "r"))) \
    CALL(__open_2, __open_2("data", O_RDONLY)) CALL(__open64_2, __open64_2("data", O_RDONLY)) \
    CALL(__openat_2, __openat_2(AT_FDCWD, "data", O_RDONLY)) CALL(__openat64_2, __openat64_2(AT_FDCWD, "data", O_RDONLY)) \
    CALL(__read_chk, __read_chk(fd, bytes, 8, 64)) CALL(__pread_chk, __pread_chk(fd, bytes, 8, 0, 64)) \
    CALL(__pread64_chk, __pread64_chk(fd, bytes, 8, 0, 64)) CALL(mkostemp, mkostemp((char[]){"temporary.XXXXXX"}, 0)) \
    CALL(mkstemps, mkstemps((char[]){"temporary.XXXXXX.t"}, 2)) CALL(mkostemps, mkostemps((char[]){"temporary.XXXXXX.t"}, 2, 0)) \
    CALL(closefrom, (closefrom(900), 0)) CALL(renameat2, renameat2(AT_FDCWD, "opened", AT_FDCWD, "reopened", 0)) \
    CALL(fdopen, fdopen(dup(fd), "r") != NULL) CALL(fread, fread(bytes, 1, 8, input)) CALL(fread_unlocked, fread_unlocked(bytes, 1, 8, input)) \
    CALL(fwrite_unlocked, fwrite_unlocked(bytes, 1, 8, stream)) CALL(fputs_unlocked, fputs_unlocked("text", stream)) \
    CALL(fgets, fgets(bytes, 8, input) != NULL) CALL(fgets_unlocked, fgets_unlocked(bytes, 8, input) != NULL) \
    CALL(__fread_chk, __fread_chk(bytes, 64, 1, 8, input)) CALL(__fgets_chk, __fgets_chk(bytes, 64, 8, input) != NULL) \
    CALL(getline, getline(&line, &room, input)) CALL(getdelim, getdelim(&line, &room, '\n', input)) \
    CALL(__getdelim, __getdelim(&line, &room, '\n', input)) CALL(puts, puts("text")) CALL(printf, printf("%d\n", 5)) \
    CALL(vprintf, print_by(vprintf_to, 5)) CALL(vfprintf, print_by(vfprintf_to, 5)) \
    CALL(__printf_chk, __printf_chk(1, "%d\n", 5)) CALL(__fprintf_chk, __fprintf_chk(stream, 1, "%d\n", 5)) \
    CALL(__vprintf_chk, print_by(checked_vprintf_to, 5)) \
    CALL(__vfprintf_chk, print_by(checked_vfprintf_to, 5)) \
    CALL(fseek, fseek(input, 8, SEEK_SET)) CALL(fseeko, fseeko(stream, 8, SEEK_SET)) \
    CALL(fsetpos, fsetpos(input, &position)) CALL(rewind, (rewind(input), 0)) \
    CALL(fflush_unlocked, fflush_unlocked(stream)) CALL(aio_read, complete(aio_read)) \
    CALL(aio_write, complete(aio_write)) CALL(aio_return, complete(aio_read)) CALL(lio_listio, complete(list)) \
    CALL(execve, execve("/none", words, environ)) CALL(execv, execv("/none", words)) CALL(execvp, execvp("none", words)) \
    CALL(execvpe, execvpe("none", words, environ)) CALL(execl, execl("/none", "none", NULL)) CALL(execlp, execlp("none", "none", NULL)) \
    CALL(execle, execle("/none", "none", NULL, environ)) CALL(fexecve, fexecve(fd, words, environ)) \
    CALL(execveat, execveat(AT_FDCWD, "none", words, environ, 0)) CALL(posix_spawn, posix_spawn(NULL, "/none", NULL, NULL, words, environ)) \
    CALL(posix_spawnp, posix_spawnp(NULL, "none", NULL, NULL, words, environ)) CALL(system, system("exit 3")) \
    CALL(popen, (unused = popen("exit 3", "r")) != NULL) CALL(pclose, unused ? pclose(unused) : 0) \
    CALL(prctl, prctl(PR_GET_NAME, bytes)) CALL(sigaction, sigaction(SIGBUS, NULL, NULL)) CALL(signal, signal(SIGBUS, SIG_DFL) == SIG_DFL) \
    CALL(fflush, fflush(stream)) /* leaves the stream locked; those below leave one of their own in the C library's list */ \
    CALL(vdprintf, print_by(vdprintf_to, 5)) CALL(__dprintf_chk, __dprintf_chk(other, 1, "%d\n", 5)) \
    CALL(__vdprintf_chk, print_by(checked_vdprintf_to, 5)) CALL(dprintf, dprintf(other, "%d\n", 5))
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
    input = fopen("data", "r");
    fgetpos(input, &position);
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
    _exit(0); /* exit() would look at all streams */
}
