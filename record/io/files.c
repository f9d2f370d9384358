/* files.c: calls that open, close, duplicate and control descriptors, and that change files. */
#include "record/io/recorder.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Opening ---- */

/* Nothing is to be known before. False when the call is none to record. */
static bool enter_opening(void) {
    if (!recorder_enter_own())
        return false;
    recorder_leave();
    return true;
}

/* Of what has just been opened. */
static int opened(int fd, int flags) {
    recorder_return();
    if (fd >= 0)
        descriptor_opened(fd, flags, recorder_now());
    recorder_leave();
    return fd;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

QUIPU_EXPORT int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    const bool is_recorded = enter_opening();
    const int fd = REAL(open)(path, flags, mode);
    return is_recorded ? opened(fd, flags) : fd;
}
ALIAS(open64, open)

QUIPU_EXPORT int openat(int folder, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    const bool is_recorded = enter_opening();
    const int fd = REAL(openat)(folder, path, flags, mode);
    return is_recorded ? opened(fd, flags) : fd;
}
ALIAS(openat64, openat)

/* A call that gives a new descriptor of a file. */
#define OPENING(name, flags, parameters, arguments)                                                            \
    QUIPU_EXPORT int name parameters {                                                                         \
        const bool is_recorded = enter_opening();                                                              \
        const int fd = REAL(name) arguments;                                                                   \
        return is_recorded ? opened(fd, flags) : fd;                                                           \
    }

/* What the C library calls where it has been told to check arguments, which it declares nowhere. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

OPENING(creat, O_WRONLY | O_CREAT | O_TRUNC, (const char *path, mode_t mode), (path, mode))
ALIAS(creat64, creat)
OPENING(__open_2, flags, (const char *path, int flags), (path, flags))
OPENING(__open64_2, flags, (const char *path, int flags), (path, flags))
OPENING(__openat_2, flags, (int folder, const char *path, int flags), (folder, path, flags))
OPENING(__openat64_2, flags, (int folder, const char *path, int flags), (folder, path, flags))
OPENING(mkstemp, O_RDWR | O_CREAT, (char *path), (path))
ALIAS(mkstemp64, mkstemp)
OPENING(mkostemp, O_RDWR | O_CREAT | flags, (char *path, int flags), (path, flags))
ALIAS(mkostemp64, mkostemp)
OPENING(mkstemps, O_RDWR | O_CREAT, (char *path, int suffix), (path, suffix))
ALIAS(mkstemps64, mkstemps)
OPENING(mkostemps, O_RDWR | O_CREAT | flags, (char *path, int suffix, int flags), (path, suffix, flags))
ALIAS(mkostemps64, mkostemps)

/* ---- Closing and duplicating ---- */

/* Where the thread is to be cancelled, it is before anything is known to be closed. */
QUIPU_EXPORT int close(int fd) {
    pthread_testcancel();
    if (!recorder_enter_own())
        return REAL(close)(fd);
    const struct closing closing = descriptor_closing(fd);
    recorder_leave();
    const int result = REAL(close)(fd);
    recorder_return();
    descriptor_closed(fd, &closing);
    recorder_leave();
    return result;
}

QUIPU_EXPORT int close_range(unsigned first, unsigned last, int flags) {
    if (recorder_enter_own()) {
        if (!((unsigned)flags & CLOSE_RANGE_CLOEXEC))
            descriptors_closed(first, last);
        recorder_leave();
    }
    return REAL(close_range)(first, last, flags);
}

QUIPU_EXPORT void closefrom(int first) {
    if (first >= 0 && recorder_enter_own()) {
        descriptors_closed((unsigned)first, ~0U);
        recorder_leave();
    }
    REAL(closefrom)(first);
}

/* The new descriptor is one of the old one's file, opened as that was. */
static int duplicated(int fd) {
    recorder_return();
    if (fd >= 0)
        descriptor_found(fd);
    recorder_leave();
    return fd;
}

QUIPU_EXPORT int dup(int old) {
    const bool is_recorded = enter_opening();
    const int fd = REAL(dup)(old);
    return is_recorded ? duplicated(fd) : fd;
}

/* What the new number stood for is closed. */
#define DUPLICATING(name, parameters, arguments)                                                               \
    QUIPU_EXPORT int name parameters {                                                                         \
        if (old == new || !recorder_enter_own())                                                               \
            return REAL(name) arguments;                                                                       \
        const struct closing closing = descriptor_closing(new);                                                \
        recorder_leave();                                                                                      \
        const int fd = REAL(name) arguments;                                                                   \
        recorder_return();                                                                                     \
        if (fd >= 0)                                                                                           \
            descriptor_closed(new, &closing);                                                                  \
        recorder_leave();                                                                                      \
        return duplicated(fd);                                                                                 \
    }
DUPLICATING(dup2, (int old, int new), (old, new))
DUPLICATING(dup3, (int old, int new, int flags), (old, new, flags))

static bool duplicates(int request) {
    return request == F_DUPFD || request == F_DUPFD_CLOEXEC;
}

QUIPU_EXPORT int fcntl(int fd, int request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (duplicates(request) && enter_opening())
        return duplicated(REAL(fcntl)(fd, request, argument));
    if (!recorder_enter_for(fd))
        return REAL(fcntl)(fd, request, argument);
    const uint64_t begin = recorder_now();
    recorder_leave();
    const int result = REAL(fcntl)(fd, request, argument);
    recorder_return();
    if (result >= 0)
        record_control(fd, request, (int)(intptr_t)argument, begin);
    recorder_leave();
    return result;
}
ALIAS(fcntl64, fcntl)

/* ---- Controlling ---- */

#define CONTROL(name, request)                                                                                 \
    QUIPU_EXPORT int name(int fd) {                                                                            \
        if (!recorder_enter_for(fd))                                                                           \
            return REAL(name)(fd);                                                                             \
        const uint64_t begin = recorder_now();                                                                 \
        recorder_leave();                                                                                      \
        const int result = REAL(name)(fd);                                                                     \
        recorder_return();                                                                                     \
        if (result == 0)                                                                                       \
            record_control(fd, request, 0, begin);                                                             \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }
CONTROL(fsync, CONTROL_FSYNC)
CONTROL(fdatasync, CONTROL_FDATASYNC)

/* A ring of io_uring is used by mapping its queue; from then on its descriptor is known to be that of no file. */
static void look_for_ring(int fd) {
    if (!recorder_enter())
        return;
    rings_look_at(fd);
    recorder_leave();
}

QUIPU_EXPORT void *mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset) {
    if (fd >= 0 && offset == IORING_OFF_SQES)
        look_for_ring(fd);
    if (fd < 0 || flags & MAP_ANONYMOUS || !recorder_enter_for(fd))
        return REAL(mmap)(where, size, protection, flags, fd, offset);
    const uint64_t begin = recorder_now();
    recorder_leave();
    void *map = REAL(mmap)(where, size, protection, flags, fd, offset);
    recorder_return();
    if (map != MAP_FAILED)
        record_control(fd, CONTROL_MMAP, protection, begin);
    recorder_leave();
    return map;
}
ALIAS(mmap64, mmap)

/* ---- Changing sizes ---- */

static void record_new_size(int result, const struct file_facts *before, int fd) {
    struct file_facts after;
    if (result == 0 && file_look_at(fd, &after))
        record_size_change(before, after.size, recorder_now());
}

/* A call on a descriptor that may change the size of its file. */
#define RESIZING(name, parameters, arguments)                                                                  \
    QUIPU_EXPORT int name parameters {                                                                         \
        struct file_facts before;                                                                              \
        if (!recorder_enter_for(fd))                                                                           \
            return REAL(name) arguments;                                                                       \
        const bool is_known = file_look_at(fd, &before);                                                       \
        recorder_leave();                                                                                      \
        const int result = REAL(name) arguments;                                                               \
        recorder_return();                                                                                     \
        if (is_known)                                                                                          \
            record_new_size(result, &before, fd);                                                              \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }
RESIZING(ftruncate, (int fd, off_t size), (fd, size))
ALIAS(ftruncate64, ftruncate)
RESIZING(fallocate, (int fd, int mode, off_t offset, off_t size), (fd, mode, offset, size))
ALIAS(fallocate64, fallocate)
RESIZING(posix_fallocate, (int fd, off_t offset, off_t size), (fd, offset, size))
ALIAS(posix_fallocate64, posix_fallocate)

QUIPU_EXPORT int truncate(const char *path, off_t size) {
    struct file_facts before;
    if (!recorder_enter())
        return REAL(truncate)(path, size);
    const bool is_known = file_look(AT_FDCWD, path, 0, &before);
    recorder_leave();
    const int result = REAL(truncate)(path, size);
    recorder_return();
    if (is_known && result == 0)
        record_size_change(&before, size, recorder_now());
    recorder_leave();
    return result;
}
ALIAS(truncate64, truncate)

/* ---- Names ---- */

/* What the thread has linked last: programs rename files by linking and unlinking, too. */
static _Thread_local struct {
    uint64_t file;
    char path[1024];
} linked;

static void remember_link(const struct file_facts *file, int folder, const char *path) {
    const size_t len = strlen(path);
    linked.file = 0;
    if (len >= sizeof linked.path || (folder != AT_FDCWD && *path != '/'))
        return;
    memcpy(linked.path, path, len + 1);
    linked.file = file->id;
}

/* to is the new name; NULL: one was taken away. */
static void record_naming(const struct file_facts *file, int to_folder, const char *to) {
    const uint64_t time = recorder_now();
    record_link_change(to ? RECORD_LINK : RECORD_UNLINK, file, to ? file->links + 1 : file->links - 1, time);
    if (to)
        remember_link(file, to_folder, to);
    else if (file->links > 1 && linked.file == file->id)
        record_name(AT_FDCWD, linked.path, file, time);
}

/* A call that gives a file another name, or takes one away: the file is the one that the path leads to before. */
#define NAMING(name, folder, path, link_flags, to_folder, to, parameters, arguments)                           \
    QUIPU_EXPORT int name parameters {                                                                         \
        struct file_facts before;                                                                              \
        if (!recorder_enter())                                                                                 \
            return REAL(name) arguments;                                                                       \
        const bool is_known = file_look(folder, path, link_flags, &before);                                    \
        recorder_leave();                                                                                      \
        const int result = REAL(name) arguments;                                                               \
        recorder_return();                                                                                     \
        if (is_known && result == 0)                                                                           \
            record_naming(&before, to_folder, to);                                                             \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }

#define HERE AT_FDCWD
#define ITSELF AT_SYMLINK_NOFOLLOW
/* clang-format off */
NAMING(unlink, HERE, path, ITSELF, HERE, NULL, (const char *path), (path))
NAMING(unlinkat, folder, path, ITSELF, HERE, NULL, (int folder, const char *path, int flags), (folder, path, flags))
NAMING(remove, HERE, path, ITSELF, HERE, NULL, (const char *path), (path))
NAMING(link, HERE, from, ITSELF, HERE, to, (const char *from, const char *to), (from, to))
NAMING(linkat, folder, from, ITSELF, to_folder, to,
       (int folder, const char *from, int to_folder, const char *to, int flags), (folder, from, to_folder, to, flags))
/* clang-format on */

/* What had the new name before loses it, unless it is the same file, or gets the old name; the file itself has one name more and one
 * less. */
struct renaming {
    int from_folder, to_folder;
    const char *from, *to;
    struct file_facts file, replaced;
    bool is_known, replaces, exchanges;
};

static void begin_renaming(struct renaming *renaming, unsigned flags) {
    renaming->is_known = file_look(renaming->from_folder, renaming->from, ITSELF, &renaming->file);
    renaming->replaces = file_look(renaming->to_folder, renaming->to, ITSELF, &renaming->replaced) &&
                         !(renaming->is_known && renaming->replaced.id == renaming->file.id);
    renaming->exchanges = flags & RENAME_EXCHANGE;
    recorder_leave();
}

static void record_renaming(const struct file_facts *file, int folder, const char *path, uint64_t time) {
    record_link_change(RECORD_LINK, file, file->links + 1, time);
    record_name(folder, path, file, time);
    record_link_change(RECORD_UNLINK, file, file->links, time);
}

static int end_renaming(const struct renaming *renaming, int result) {
    recorder_return();
    const uint64_t time = recorder_now();
    if (result == 0 && renaming->replaces && renaming->exchanges)
        record_renaming(&renaming->replaced, renaming->from_folder, renaming->from, time);
    else if (result == 0 && renaming->replaces)
        record_link_change(RECORD_UNLINK, &renaming->replaced, renaming->replaced.links - 1, time);
    if (result == 0 && renaming->is_known)
        record_renaming(&renaming->file, renaming->to_folder, renaming->to, time);
    recorder_leave();
    return result;
}

#define RENAMING(name, old, new, flags, parameters, arguments)                                                 \
    QUIPU_EXPORT int name parameters {                                                                         \
        struct renaming renaming = {.from_folder = old, .to_folder = new, .from = from, .to = to};             \
        if (!recorder_enter())                                                                                 \
            return REAL(name) arguments;                                                                       \
        begin_renaming(&renaming, flags);                                                                      \
        return end_renaming(&renaming, REAL(name) arguments);                                                  \
    }
RENAMING(rename, HERE, HERE, 0, (const char *from, const char *to), (from, to))
RENAMING(renameat, old, new, 0, (int old, const char *from, int new, const char *to), (old, from, new, to))
RENAMING(renameat2, old, new, flags, (int old, const char *from, int new, const char *to, unsigned flags),
         (old, from, new, to, flags))
