/* os.c: POSIX, and what systems have beyond it: getentropy and the number of processors. */
#include "core/os.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

bool quipu__os_is_missing(int number) {
    return number == ENOENT || number == ENOTDIR;
}

enum quipu__path_kind quipu__path_kind(const char *path, uint64_t *size) {
    struct stat found;
    if (size)
        *size = QUIPU_UNKNOWN;
    if (strcmp(path, "-") == 0)
        return QUIPU__PATH_OTHER;
    if (stat(path, &found) != 0)
        return quipu__os_is_missing(errno) ? QUIPU__PATH_MISSING : QUIPU__PATH_UNREADABLE;
    if (S_ISDIR(found.st_mode))
        return QUIPU__PATH_DIRECTORY;
    if (!S_ISREG(found.st_mode))
        return QUIPU__PATH_OTHER;
    if (size)
        *size = (uint64_t)found.st_size;
    return QUIPU__PATH_FILE;
}

bool quipu__path_is_own_folder(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool quipu__path_same(const char *left, const char *right) {
    struct stat a, b;
    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool identity_of(const struct stat *found, struct quipu__identity *out) {
    *out = (struct quipu__identity){(uint64_t)found->st_dev, (uint64_t)found->st_ino, S_ISREG(found->st_mode)};
    return true;
}

bool quipu__path_identity(const char *path, struct quipu__identity *out) {
    struct stat found;
    return stat(path, &found) == 0 && identity_of(&found, out);
}

bool quipu__os_identity(int fd, struct quipu__identity *out) {
    struct stat found;
    return fstat(fd, &found) == 0 && identity_of(&found, out);
}

static int64_t ns_of(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Kernels stamp files with timer ticks of up to 10 ms, and some file systems store only whole or even seconds. */
static bool is_old(struct timespec changed) {
    const int64_t tick_ns = changed.tv_nsec == 0 ? 2000000000 : 20000000;
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && ns_of(now) - ns_of(changed) > tick_ns;
}

bool quipu__path_stamp(const char *path, struct quipu__file_stamp *out) {
    struct stat found;
    if (stat(path, &found) != 0)
        return false;
    *out = (struct quipu__file_stamp){.size = (uint64_t)found.st_size,
                                      .inode = (uint64_t)found.st_ino,
                                      .modified_ns = ns_of(found.st_mtim),
                                      .changed_ns = ns_of(found.st_ctim),
                                      .is_old = is_old(found.st_ctim)};
    return true;
}

static bool begins_with_folder(const char *path, const char *folder) {
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || (len > 0 && folder[len - 1] == '/'));
}

static bool resolves_inside(const char *path, const char *folder) {
    char *root = realpath(folder, NULL), *real = root ? realpath(path, NULL) : NULL;
    const int reason = real ? EXDEV : errno;
    const bool is_inside = real && begins_with_folder(real, root);
    free(root);
    free(real);
    errno = reason;
    return is_inside;
}

bool quipu__path_is_inside(const char *path, const char *folder, size_t folder_len) {
    char *text = strndup(folder_len ? folder : ".", folder_len ? folder_len : 1);
    const bool is_inside = text && resolves_inside(path, text);
    const int reason = errno;
    free(text);
    errno = reason;
    return is_inside;
}

/* ---- Files ---- */

/* 0 for a regular file, else the errno that says what is wrong with it. */
static int refusal_of(int fd) {
    struct stat found;
    if (fstat(fd, &found) != 0)
        return errno;
    if (S_ISREG(found.st_mode))
        return 0;
    return S_ISDIR(found.st_mode) ? EISDIR : ENODEV;
}

int quipu__os_open(const char *path, int flags) {
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Without O_NONBLOCK, opening a FIFO waits for a writer; regular files ignore it. */
int quipu__os_open_read(const char *path, bool follows_link) {
    const int fd = quipu__os_open(path, O_RDONLY | O_NONBLOCK | (follows_link ? 0 : O_NOFOLLOW));
    const int refusal = fd < 0 ? 0 : refusal_of(fd);
    if (!refusal)
        return fd;
    close(fd);
    errno = refusal;
    return -1;
}

/* Some are left for standard streams, folders and other open files of the program. */
uint32_t quipu__os_files_share(uint32_t most) {
    enum { LEFT = 16 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= 2 * (rlim_t)most + LEFT)
        return most;
    return limit.rlim_cur < LEFT + 2 ? 1 : (uint32_t)(limit.rlim_cur - LEFT) / 2;
}

/* Whether to repeat a failed call. It was interrupted, or another program that shares the pipe or terminal has made the
 * descriptor non-blocking; then this waits, as a blocking descriptor would. */
static bool is_to_try_again(int fd, short wanted) {
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return errno == EINTR;
    struct pollfd watched = {.fd = fd, .events = wanted};
    return poll(&watched, 1, -1) >= 0 || errno == EINTR;
}

int64_t quipu__os_read(int fd, void *data, size_t size) {
    ssize_t got;
    do
        got = read(fd, data, size);
    while (got < 0 && is_to_try_again(fd, POLLIN));
    return got;
}

bool quipu__os_write(int fd, const void *data, size_t size) {
    const uint8_t *at = data;
    while (size > 0) {
        const ssize_t count = write(fd, at, size);
        if (count < 0 && !is_to_try_again(fd, POLLOUT))
            return false;
        if (count > 0) {
            at += count;
            size -= (size_t)count;
        }
    }
    return true;
}

bool quipu__os_seek(int fd, uint64_t offset) {
    return offset <= INT64_MAX && lseek(fd, (off_t)offset, SEEK_SET) >= 0;
}

int64_t quipu__os_read_at(int fd, void *data, size_t size, uint64_t offset) {
    ssize_t got;
    do
        got = pread(fd, data, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got;
}

bool quipu__os_write_at(int fd, const void *data, size_t size, uint64_t offset) {
    const uint8_t *at = data;
    while (size > 0) {
        const ssize_t count = pwrite(fd, at, size, (off_t)offset);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            at += count;
            offset += (uint64_t)count;
            size -= (size_t)count;
        }
    }
    return true;
}

static int make_nameless(const char *folder) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/quipu-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int quipu__os_open_temporary(const char **folder) {
    static const char *const folders[] = {"/var/tmp", "/tmp"};
    const char *chosen = getenv("TMPDIR");
    if (chosen && chosen[0])
        return make_nameless(*folder = chosen);
    int fd = -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        fd = make_nameless(*folder = folders[i]);
    return fd;
}

uint64_t quipu__os_free_bytes(int fd) {
    struct statvfs found;
    if (fstatvfs(fd, &found) != 0)
        return UINT64_MAX;
    return (uint64_t)found.f_bavail * found.f_frsize;
}

bool quipu__os_reserve(int fd, uint64_t offset, uint64_t size) {
    do
        errno = posix_fallocate(fd, (off_t)offset, (off_t)size);
    while (errno == EINTR);
    return errno == 0;
}

/* If the system cannot, the room becomes free when the file is closed. */
void quipu__os_give_back(int fd, uint64_t offset, uint64_t size) {
#if defined(__linux__)
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size) != 0)
        return;
#endif
    (void)fd, (void)offset, (void)size;
}

void *quipu__os_map(int fd, uint64_t offset, size_t size) {
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void quipu__os_unmap(void *bytes, size_t size) {
    munmap(bytes, size);
}

void quipu__os_unload(void *bytes, size_t size) {
    madvise(bytes, size, MADV_DONTNEED);
}

uint64_t quipu__os_mapped_bytes(void) {
#if defined(__linux__)
    char text[128];
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const int64_t size = fd >= 0 ? quipu__os_read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    char *at = text;
    strtoull(at, &at, 10); /* total, then resident, then resident of files */
    strtoull(at, &at, 10);
    return strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

void quipu__os_give_back_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

/* After EINTR the descriptor is closed on Linux, and nothing is lost. */
bool quipu__os_close(int fd) {
    return fd <= STDERR_FILENO || close(fd) == 0 || errno == EINTR;
}

bool quipu__os_has_name(int fd) {
    struct stat found;
    return fstat(fd, &found) != 0 || found.st_nlink > 0;
}

bool quipu__os_is_own(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 && found.st_uid == geteuid();
}

enum quipu__lock_answer quipu__os_lock(int fd) {
    int failed;
    do
        failed = flock(fd, LOCK_EX | LOCK_NB);
    while (failed && errno == EINTR);
    if (!failed)
        return QUIPU__LOCK_TAKEN;
    return errno == EWOULDBLOCK ? QUIPU__LOCK_BUSY : QUIPU__LOCK_UNKNOWN;
}

/* ---- Names ---- */

/* For file systems without links: an empty file of ours takes the new name and is then replaced. */
static bool rename_over_placeholder(const char *from, const char *to) {
    const int fd = quipu__os_open(to, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(from, to) == 0)
        return true;
    const int reason = errno;
    unlink(to);
    errno = reason;
    return false;
}

/* A link never replaces; afterwards the file has both names. */
static bool rename_by_link(const char *from, const char *to) {
    if (link(from, to) != 0)
        return errno == EPERM || errno == ENOTSUP || errno == ENOSYS ? rename_over_placeholder(from, to)
                                                                     : false;
    if (unlink(from) == 0)
        return true;
    const int reason = errno;
    unlink(to);
    errno = reason;
    return false;
}

bool quipu__os_rename_new(const char *from, const char *to) {
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
#endif
    return rename_by_link(from, to);
}

bool quipu__os_remove(const char *path) {
    return unlink(path) == 0 || quipu__os_is_missing(errno);
}

static bool sync_repeatedly(int fd, int (*sync_it)(int fd)) {
    int failed;
    do
        failed = sync_it(fd);
    while (failed && errno == EINTR);
    return !failed;
}

bool quipu__os_sync(int fd) {
    return sync_repeatedly(fd, fsync);
}

/* Some file systems cannot sync a folder, and some folders may be written to but not read: nothing can be done then. */
bool quipu__os_sync_folder(const char *path) {
    const int fd = quipu__os_open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return errno == EACCES;
    const bool done = quipu__os_sync(fd) || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    const int reason = errno;
    close(fd);
    errno = reason;
    return done;
}

bool quipu__os_sync_all(int fd) {
#if defined(__linux__)
    return sync_repeatedly(fd, syncfs);
#else
    (void)fd;
    sync(); /* POSIX lets it return early, but the systems that have no syncfs wait */
    return true;
#endif
}

/* ---- Time, chance, locks ---- */

uint64_t quipu__os_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Dozens of maps ask for this, so it must not cost more than one system call. */
uint64_t quipu__os_random(void) {
    uint64_t value = 0;
    if (getentropy(&value, sizeof value) != 0)
        value = 0;
    return value ^ quipu__os_now_ns() ^ (uint64_t)getpid() << 32;
}

struct quipu__lock {
    pthread_mutex_t mutex;
    pthread_cond_t woken; /* its clock is that of quipu__os_now_ns */
};

static bool init_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    const bool done = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                      pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return done;
}

struct quipu__lock *quipu__lock_new(void) {
    struct quipu__lock *lock = malloc(sizeof *lock);
    if (!lock)
        return NULL;
    const bool has_condition = init_condition(&lock->woken);
    if (has_condition && pthread_mutex_init(&lock->mutex, NULL) == 0)
        return lock;
    if (has_condition)
        pthread_cond_destroy(&lock->woken);
    free(lock);
    return NULL;
}

void quipu__lock_free(struct quipu__lock *lock) {
    if (!lock)
        return;
    pthread_mutex_destroy(&lock->mutex);
    pthread_cond_destroy(&lock->woken);
    free(lock);
}

void quipu__lock_take(struct quipu__lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}

void quipu__lock_give(struct quipu__lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

void quipu__lock_wait(struct quipu__lock *lock, uint64_t ns) {
    const uint64_t until = quipu__os_now_ns() + ns;
    const struct timespec deadline = {.tv_sec = (time_t)(until / 1000000000u),
                                      .tv_nsec = (long)(until % 1000000000u)};
    pthread_cond_timedwait(&lock->woken, &lock->mutex, &deadline);
}

void quipu__lock_wake(struct quipu__lock *lock) {
    pthread_cond_broadcast(&lock->woken);
}

static void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void quipu__lock_pause(struct quipu__lock *lock) {
    enum { PAUSES = 20 };
    quipu__lock_give(lock);
    for (int i = 0; i < PAUSES; i++)
        pause_processor();
    quipu__lock_take(lock);
}

/* ---- Threads ---- */

struct quipu__thread {
    pthread_t id;
    pid_t process;
    void (*function)(void *context);
    void *context;
};

static void *run_thread(void *argument) {
    const struct quipu__thread *thread = argument;
    thread->function(thread->context);
    return NULL;
}

/* Signals are for the program's own threads: our threads inherit a mask that blocks all. */
static bool create_deaf(struct quipu__thread *thread) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool created = pthread_create(&thread->id, NULL, run_thread, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

struct quipu__thread *quipu__thread_start(void (*function)(void *context), void *context) {
    struct quipu__thread *thread = malloc(sizeof *thread);
    if (!thread)
        return NULL;
    *thread = (struct quipu__thread){.process = getpid(), .function = function, .context = context};
    if (create_deaf(thread))
        return thread;
    free(thread);
    return NULL;
}

bool quipu__thread_is_here(const struct quipu__thread *thread) {
    return thread->process == getpid();
}

void quipu__thread_join(struct quipu__thread *thread) {
    if (thread && quipu__thread_is_here(thread))
        pthread_join(thread->id, NULL);
    free(thread);
}

uint64_t quipu__thread_self(void) {
    return (uint64_t)(uintptr_t)pthread_self();
}

uint32_t quipu__os_processors(void) {
#if defined(__linux__)
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) > 0)
        return (uint32_t)CPU_COUNT(&usable);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}
