/* os.h: everything that asks the operating system or the compiler for more than C11. */
#ifndef QUIPU_CORE_OS_H
#define QUIPU_CORE_OS_H

#include <quipu/base.h>

#include <stdio.h>

#if defined(__GNUC__)
#define QUIPU__INLINE static inline __attribute__((always_inline))
#define QUIPU__RARELY static __attribute__((noinline, cold)) /* called rarely, from a hot loop */
#define QUIPU__LOOP static __attribute__((noinline)) /* a hot loop, which needs the registers for itself */
#define QUIPU__LIKELY(x) __builtin_expect(!!(x), 1)
#define QUIPU__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define QUIPU__PREFETCH(p) __builtin_prefetch(p) /* it is read soon */
#else
#define QUIPU__INLINE static inline
#define QUIPU__RARELY static
#define QUIPU__LOOP static
#define QUIPU__LIKELY(x) (x)
#define QUIPU__UNLIKELY(x) (x)
#define QUIPU__PREFETCH(p) ((void)(p))
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define QUIPU__LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define QUIPU__LITTLE_ENDIAN 0 /* or not known */
#endif

/* Whether <emmintrin.h> can be used; builds may turn it off to get the code for other processors. */
#ifndef QUIPU__SSE2
#if defined(__SSE2__)
#define QUIPU__SSE2 1
#else
#define QUIPU__SSE2 0
#endif
#endif

/* The bytes in opposite order. */
static inline uint64_t quipu__swap64(uint64_t value) {
#if defined(__GNUC__)
    return __builtin_bswap64(value);
#else
    value = (value & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (value >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    value = (value & UINT64_C(0x0000ffff0000ffff)) << 16 | (value >> 16 & UINT64_C(0x0000ffff0000ffff));
    return value << 32 | value >> 32;
#endif
}

/* Number of zero bits below the lowest one; value is not 0. */
static inline unsigned quipu__trailing_zeros(uint64_t value) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(value);
#else
    unsigned count = 0;
    for (; (value & 1) == 0; value >>= 1)
        count++;
    return count;
#endif
}

/* Number of zero bits above the highest one; value is not 0. */
static inline unsigned quipu__leading_zeros(uint64_t value) {
#if defined(__GNUC__)
    return (unsigned)__builtin_clzll(value);
#else
    unsigned count = 0;
    for (; value >> 63 == 0; value <<= 1)
        count++;
    return count;
#endif
}

enum quipu__path_kind {
    QUIPU__PATH_MISSING,
    QUIPU__PATH_FILE,
    QUIPU__PATH_DIRECTORY,
    QUIPU__PATH_OTHER,
    QUIPU__PATH_UNREADABLE /* not known; errno says why */
};

/* What path is. size (may be NULL) is set for files. "-" is OTHER. */
enum quipu__path_kind quipu__path_kind(const char *path, uint64_t *size);

/* Whether path is a folder itself, not a link to one. */
bool quipu__path_is_own_folder(const char *path);

/* Whether two paths lead to the same file or folder; false when one of them does not exist. */
bool quipu__path_same(const char *left, const char *right);

/* Whether a path leads, after following links, to something in a folder or below. If not, errno is EXDEV, or says why the path leads
 * nowhere. The first folder_len bytes of folder are the folder's path, 0: the current one. */
bool quipu__path_is_inside(const char *path, const char *folder, size_t folder_len);

/* Whether an error number means that a path does not exist, not that it cannot be read. */
bool quipu__os_is_missing(int number);

/* Identifies a file, whatever its name. False when it does not exist or cannot be examined. */
struct quipu__identity {
    uint64_t device, inode, is_file; /* 1: a regular one */
};
bool quipu__path_identity(const char *path, struct quipu__identity *out);
bool quipu__os_identity(int fd, struct quipu__identity *out);

/* What is known of a file without reading it. The system sets changed_ns at every change of contents, names or permissions, and no
 * program can choose it; programs may set modified_ns. is_old: changed so long ago that a later change gets another time, in spite of
 * the coarse clocks of file systems. False when there is no such file, or it cannot be examined. */
struct quipu__file_stamp {
    uint64_t size, inode;
    int64_t modified_ns, changed_ns;
    bool is_old;
};
bool quipu__path_stamp(const char *path, struct quipu__file_stamp *out);

/* File descriptors, with EINTR and short transfers handled, and waiting where a descriptor would not. Opens regular files only, and never waits: the errno of a
 * FIFO, a socket or a device is ENODEV, that of a link that is not followed ELOOP. */
int quipu__os_open_read(const char *path, bool follows_link);
int quipu__os_open(const char *path,
                   int flags); /* anything; a file that it makes has the permissions of the umask */
int64_t quipu__os_read(int fd, void *data, size_t size); /* bytes, 0 at the end, -1 with errno */
bool quipu__os_write(int fd, const void *data,
                     size_t size); /* false with errno when not all could be written */
bool quipu__os_seek(int fd, uint64_t offset);

/* The same at an offset, wherever the file stands. False when not all could be written. */
int64_t quipu__os_read_at(int fd, void *data, size_t size, uint64_t offset);
bool quipu__os_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* A new file without a name, in the folder that TMPDIR names or else in one for long-lived temporary files; *folder (static, or of
 * the environment) says which. -1 with errno. And the free space there. */
int quipu__os_open_temporary(const char **folder);
uint64_t quipu__os_free_bytes(int fd);

/* Reserves room on the disk for a part of an open file, which grows if necessary; false with errno. And gives it back. */
bool quipu__os_reserve(int fd, uint64_t offset, uint64_t size);
void quipu__os_give_back(int fd, uint64_t offset, uint64_t size);

/* A part of an open file as memory, in whole pages, to read and write; NULL with errno. unload removes it from the memory of the
 * process until it is used again: nothing is lost. */
void *quipu__os_map(int fd, uint64_t offset, size_t size);
void quipu__os_unmap(void *bytes, size_t size);
void quipu__os_unload(void *bytes, size_t size);

/* How much of all files that the process has mapped is in its memory; 0 when the system does not say. */
uint64_t quipu__os_mapped_bytes(void);

/* Returns memory that was freed, and that the C library keeps for later, to the system, where it can. */
void quipu__os_give_back_memory(void);

bool quipu__os_close(int fd); /* false with errno: what was written may be lost */

/* Whether an open file still has a name (true when the system cannot say), and whether the user of this process owns it (false
 * then). */
bool quipu__os_has_name(int fd);
bool quipu__os_is_own(int fd);

/* Locks an open file for this handle until it is closed, without waiting. UNKNOWN: the file system has no locks. */
enum quipu__lock_answer { QUIPU__LOCK_TAKEN, QUIPU__LOCK_BUSY, QUIPU__LOCK_UNKNOWN };
enum quipu__lock_answer quipu__os_lock(int fd);

/* rename() that never replaces: false with errno EEXIST when there is something of the new name. */
bool quipu__os_rename_new(const char *from, const char *to);

/* Removes a file. False with errno when it is still there. */
bool quipu__os_remove(const char *path);

/* Brings an open file to the disk. False with errno. */
bool quipu__os_sync(int fd);

/* Brings the names in a folder to the disk, or all that was written to the file system that an open file is in. False with errno. */
bool quipu__os_sync_folder(const char *path);
bool quipu__os_sync_all(int fd);

/* What stdio has read ahead of a file's position: at is the next byte, of left bytes; passed bytes before it were already read;
 * offset is its place in the file, negative if not known. left is 0 when the system does not show its buffer; use fread then. */
struct quipu__stdio_lookahead {
    const uint8_t *at;
    size_t left, passed;
    int64_t offset;
};

static inline struct quipu__stdio_lookahead quipu__stdio_lookahead(const FILE *file) {
#if defined(__GLIBC__)
    const int in_backup = 0x100; /* ungetc has put a byte elsewhere */
    if (!file->_IO_read_base || (file->_flags & in_backup))
        return (struct quipu__stdio_lookahead){NULL, 0, 0, -1};
    const size_t left = (size_t)(file->_IO_read_end - file->_IO_read_ptr);
    const int64_t end = (int64_t)file->_offset;
    return (struct quipu__stdio_lookahead){(const uint8_t *)file->_IO_read_ptr, left,
                                           (size_t)(file->_IO_read_ptr - file->_IO_read_base),
                                           end < 0 ? -1 : end - (int64_t)left};
#else
    (void)file;
    return (struct quipu__stdio_lookahead){NULL, 0, 0, -1};
#endif
}

/* Skips count of the bytes that were read ahead. */
static inline void quipu__stdio_skip(FILE *file, size_t count) {
#if defined(__GLIBC__)
    file->_IO_read_ptr += count;
#else
    (void)file, (void)count;
#endif
}

/* How many files, up to most, may be open at a time for reading, or for writing: less than half of what the process may open. */
uint32_t quipu__os_files_share(uint32_t most);

/* Monotonic time in nanoseconds. */
uint64_t quipu__os_now_ns(void);

/* Bytes that cannot be guessed: for seeds and temporary names. */
uint64_t quipu__os_random(void);

/* A lock. */
struct quipu__lock;
struct quipu__lock *quipu__lock_new(void);
void quipu__lock_free(struct quipu__lock *lock);
void quipu__lock_take(struct quipu__lock *lock);
void quipu__lock_give(struct quipu__lock *lock);

/* Releases the lock, waits until another thread wakes the waiting ones or until the time is over, and takes it again. */
void quipu__lock_wait(struct quipu__lock *lock, uint64_t ns);
void quipu__lock_wake(struct quipu__lock *lock);

/* Releases the lock for less than a microsecond, without leaving the processor, and takes it again. */
void quipu__lock_pause(struct quipu__lock *lock);

/* A thread: NULL when the system refuses. */
struct quipu__thread;
struct quipu__thread *quipu__thread_start(void (*function)(void *context), void *context);
void quipu__thread_join(struct quipu__thread *thread);

/* False in a process that was forked while it ran: there it is not, and what it has locked stays locked. Joining it is only forgetting it. */
bool quipu__thread_is_here(const struct quipu__thread *thread);

/* Tells the calling thread from others. */
uint64_t quipu__thread_self(void);

/* The counter of recorders: for how many ns a thread was ready to run and had no processor, by the name that Linux has for it. */
#define QUIPU__RUN_DELAY "run_delay"

/* Processors that this process may use, at least 1. */
uint32_t quipu__os_processors(void);

#endif
