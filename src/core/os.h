/* os.h: everything that asks the operating system or the compiler for more than C11. */
#ifndef QUIPU_CORE_OS_H
#define QUIPU_CORE_OS_H

#include <quipu/base.h>

#if defined(__GNUC__)
#define QUIPU__INLINE static inline __attribute__((always_inline))
#define QUIPU__LIKELY(x) __builtin_expect(!!(x), 1)
#define QUIPU__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define QUIPU__INLINE static inline
#define QUIPU__LIKELY(x) (x)
#define QUIPU__UNLIKELY(x) (x)
#endif

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

enum quipu__path_kind { QUIPU__PATH_MISSING, QUIPU__PATH_FILE, QUIPU__PATH_DIRECTORY, QUIPU__PATH_OTHER };

/* What path is. size (may be NULL) is set for files. "-" is OTHER. */
enum quipu__path_kind quipu__path_kind(const char *path, uint64_t *size);

/* Whether two paths lead to the same file or folder; false when one of them leads to nothing. */
bool quipu__path_same(const char *left, const char *right);

/* Calls visit with the name of each thing in a directory, in ascending order of bytes, without "." and "..".
 * Stops and returns its status when visit does not return QUIPU_OK. */
enum quipu_status quipu__directory_visit(const char *path,
                                         enum quipu_status (*visit)(void *context, const char *name),
                                         void *context, struct quipu_error *err);

/* File descriptors, with EINTR and short transfers handled. */
int quipu__os_open_read(const char *path);
int64_t quipu__os_read(int fd, void *data, size_t size); /* bytes, 0 at the end, -1 with errno */
bool quipu__os_seek(int fd, uint64_t offset);
void quipu__os_close(int fd);

/* Monotonic time in nanoseconds. */
uint64_t quipu__os_now_ns(void);

/* Bytes that nobody can guess: for seeds and temporary names. */
uint64_t quipu__os_random(void);

/* A lock. */
struct quipu__lock;
struct quipu__lock *quipu__lock_new(void);
void quipu__lock_free(struct quipu__lock *lock);
void quipu__lock_take(struct quipu__lock *lock);
void quipu__lock_give(struct quipu__lock *lock);

/* Gives the lock, waits until another thread wakes those who wait, or for that long, and takes it again. */
void quipu__lock_wait(struct quipu__lock *lock, uint64_t ns);
void quipu__lock_wake(struct quipu__lock *lock);

/* A thread: NULL when the system refuses. */
struct quipu__thread;
struct quipu__thread *quipu__thread_start(void (*run)(void *context), void *context);
void quipu__thread_join(struct quipu__thread *thread);

/* Tells the calling thread from others. */
uint64_t quipu__thread_self(void);

/* Processors that this process may use, at least 1. */
uint32_t quipu__os_processors(void);

#endif
