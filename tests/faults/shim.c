/* shim.c: a library that makes calls of the system fail, for programs that are started with it in LD_PRELOAD.
 *
 *   QUIPU_FAULT=TYPE:N:MODE:once     the Nth call of a type (calls.def), counted from 1, fails
 *   QUIPU_FAULT=TYPE:N:MODE:sticky   that and all later ones
 *   QUIPU_FAULT=FAULT,FAULT          both; the second is counted from where the first has struck
 *   QUIPU_FAULT_COUNTS=FILE          how many calls of each type there were goes to FILE, "TYPE N" per line, at the end; then for each
 *                                    origin that calls come from, the first of them and the origin, "TYPE N ORIGIN" per line
 *   QUIPU_FAULT_TRAP=1               stops with SIGTRAP where the fault is: gdb then shows who asked
 *
 * MODE is the name of an error number; SHORT: half of the bytes are read or written; or END: nothing is read, as at the end of a file, which
 * is then shorter than it was said to be. Calls count from the beginning of
 * main, so that the loader and the C library's own start are left alone; what runs behind main (flushing at exit) counts.
 * What the C library calls inside itself is not seen, so streams of stdio are replaced by ones whose bytes go through here.
 * Files are not really synced: nothing here outlives a crash of the system, and it would take most of the time.
 *
 * Functions that are renamed for large files (open64 ...) are the plain ones here: where off_t has 64 bits they are the same. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* functions keep their own names here */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "functions for large files are taken for the plain ones");

/* ---- What is to fail ---- */

enum type {
#define FAULT_TYPE(type, doc) TYPE_##type,
#include "calls.def"
    TYPE_COUNT
};

static const char *const type_names[TYPE_COUNT] = {
#define FAULT_TYPE(type, doc) #type,
#include "calls.def"
};

static const struct {
    const char *name;
    int number;
} errors[] = {
#define ERROR(name)                                                                                            \
    { #name, name }
    ERROR(EIO),    ERROR(ENOSPC), ERROR(EINTR),  ERROR(ENOMEM), ERROR(EACCES),
    ERROR(EMFILE), ERROR(EDQUOT), ERROR(ENFILE), ERROR(EROFS),  ERROR(EAGAIN),
    ERROR(ENOSYS), ERROR(EINVAL), ERROR(ELOOP),  ERROR(EPERM),  ERROR(ENAMETOOLONG),
#undef ERROR
};

enum { SHORT = -1, END = -2 };

struct one_fault {
    enum type type;
    uint64_t number; /* of the call that fails, 0: none does */
    int mode;        /* an error number, SHORT or END */
    bool sticky;
    _Atomic uint64_t calls; /* of the type, since the fault before it */
    _Atomic bool has_struck;
};

static struct {
    bool counts; /* main has begun */
    bool traps;
    const char *counts_path; /* NULL: they are not asked for */
    struct one_fault list[2];
    _Atomic uint64_t calls[TYPE_COUNT];
} fault;

static _Noreturn void refuse(const char *text) {
    dprintf(STDERR_FILENO, "fault shim: %s\n", text);
    _exit(120);
}

static enum type find_type(const char *name) {
    for (int type = 0; type < TYPE_COUNT; type++)
        if (strcmp(type_names[type], name) == 0)
            return (enum type)type;
    refuse("QUIPU_FAULT names a type that is not in calls.def");
}

static int find_mode(const char *name) {
    if (strcmp(name, "SHORT") == 0)
        return SHORT;
    if (strcmp(name, "END") == 0)
        return END;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].number;
    refuse("QUIPU_FAULT names an error that is not in shim.c");
}

static void configure_one(const char *text, struct one_fault *out) {
    char type[32], mode[32], repeat[32];
    unsigned long number;
    if (sscanf(text, "%31[^:]:%lu:%31[^:]:%31[^,]", type, &number, mode, repeat) != 4)
        refuse("QUIPU_FAULT is TYPE:N:MODE:once or :sticky, or two of these and a comma");
    out->type = find_type(type);
    out->mode = find_mode(mode);
    out->sticky = strcmp(repeat, "sticky") == 0;
    out->number = number;
}

static void configure(void) {
    const char *text = getenv("QUIPU_FAULT"), *comma = text ? strchr(text, ',') : NULL;
    fault.traps = getenv("QUIPU_FAULT_TRAP") != NULL;
    fault.counts_path = getenv("QUIPU_FAULT_COUNTS");
    if (text)
        configure_one(text, &fault.list[0]);
    if (comma)
        configure_one(comma + 1, &fault.list[1]);
}

static bool one_strikes(struct one_fault *one, enum type type) {
    if (one->number == 0 || type != one->type)
        return false;
    const uint64_t number = atomic_fetch_add(&one->calls, 1) + 1;
    if (number != one->number && !(one->sticky && number > one->number))
        return false;
    one->has_struck = true;
    return true;
}

/* ---- Where calls come from ---- */

/* Code of the program and of the project's library. */
static struct { uintptr_t begin, end; } own_code[2];

static int note_own_code(struct dl_phdr_info *object, size_t size, void *context) {
    int *count = context;
    const char *slash = strrchr(object->dlpi_name, '/'), *name = slash ? slash + 1 : object->dlpi_name;
    (void)size;
    if (name[0] && strncmp(name, "libquipu", 8) != 0)
        return 0;
    for (int i = 0; i < object->dlpi_phnum && *count < 2; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & PF_X)) {
            own_code[*count].begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
            own_code[*count].end = own_code[*count].begin + object->dlpi_phdr[i].p_memsz;
            ++*count;
        }
    return 0;
}

/* Its number, or -1. */
static int own_code_of(const void *caller) {
    for (int i = 0; i < 2; i++)
        if ((uintptr_t)caller >= own_code[i].begin && (uintptr_t)caller < own_code[i].end)
            return i;
    return -1;
}

enum { FRAMES_MOST = 32, FRAMES_OF_ORIGIN = 6, ORIGINS_MOST = 1 << 16 };

static struct origin {
    uint64_t id, number; /* of the first call; 0: free */
    enum type type;
} origins[ORIGINS_MOST];
static atomic_flag origins_are_used = ATOMIC_FLAG_INIT;

/* What the innermost functions of our own are, wherever the loader has put them. */
static uint64_t origin_of_call(enum type type) {
    void *frames[FRAMES_MOST];
    const int count = backtrace(frames, FRAMES_MOST);
    uint64_t id = UINT64_C(14695981039346656037) + (uint64_t)type; /* FNV-1a, a word at a time */
    for (int i = 0, used = 0; i < count && used < FRAMES_OF_ORIGIN; i++) {
        const int code = own_code_of(frames[i]);
        if (code < 0)
            continue;
        id = (id ^ ((uintptr_t)frames[i] - own_code[code].begin + (uintptr_t)code)) * UINT64_C(1099511628211);
        used++;
    }
    return id;
}

static void note_origin(enum type type, uint64_t number) {
    const uint64_t id = origin_of_call(type);
    while (atomic_flag_test_and_set(&origins_are_used))
        sched_yield();
    size_t slot = id % ORIGINS_MOST, tried = 0;
    while (origins[slot].number && origins[slot].id != id && tried++ < ORIGINS_MOST)
        slot = (slot + 1) % ORIGINS_MOST;
    if (!origins[slot].number)
        origins[slot] = (struct origin){id, number, type};
    atomic_flag_clear(&origins_are_used);
}

/* Counts a call. The mode of the fault that strikes it, or 0. */
static int strike(enum type type) {
    if (!fault.counts)
        return 0;
    const uint64_t number = atomic_fetch_add(&fault.calls[type], 1) + 1;
    if (fault.counts_path)
        note_origin(type, number);
    const bool may_be_second = fault.list[0].has_struck;
    struct one_fault *one = &fault.list[0];
    if (!one_strikes(one, type) && !(may_be_second && one_strikes(++one, type)))
        return 0;
    if (fault.traps)
        raise(SIGTRAP);
    return one->mode;
}

/* Counts a call that transfers nothing, and whose failure is told by errno. Whether it is to fail. */
static bool fails(enum type type) {
    const int mode = strike(type);
    if (mode == 0 || mode == SHORT || mode == END)
        return false;
    errno = mode;
    return true;
}

/* The same for a transfer, which may also be cut short, or be of nothing. */
static bool transfer_fails(enum type type, size_t *size) {
    const int mode = strike(type);
    if (mode == SHORT)
        *size = *size > 1 ? *size / 2 : *size;
    if (mode == END)
        *size = 0;
    if (mode == 0 || mode == SHORT || mode == END)
        return false;
    errno = mode;
    return true;
}

/* ---- The real functions ---- */

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        refuse(name);
    return found;
}

/* Calls a function of the next library, looked up once. typeof is gcc's and clang's. */
#define REAL(name)                                                                                             \
    ({                                                                                                         \
        static __typeof__(&name) next;                                                                         \
        if (!next)                                                                                             \
            *(void **)(void *)&next = real(#name);                                                             \
        next;                                                                                                  \
    })

/* ---- Plain calls ---- */

#define FAULT_CALL(type, result, failure, name, parameters, arguments)                                         \
    result name parameters {                                                                                   \
        if (fails(TYPE_##type))                                                                                \
            return failure;                                                                                    \
        return REAL(name) arguments;                                                                           \
    }
#include "calls.def"

/* The names that _FILE_OFFSET_BITS=64 gives them. */
int stat64(const char *path, struct stat64 *found) {
    return stat(path, (struct stat *)found);
}
int lstat64(const char *path, struct stat64 *found) {
    return lstat(path, (struct stat *)found);
}
int fstat64(int fd, struct stat64 *found) {
    return fstat(fd, (struct stat *)found);
}
int fstatat64(int folder, const char *path, struct stat64 *found, int flags) {
    return fstatat(folder, path, (struct stat *)found, flags);
}
int fstatvfs64(int fd, struct statvfs64 *found) {
    return fstatvfs(fd, (struct statvfs *)found);
}
struct dirent64 *readdir64(DIR *directory) {
    return (struct dirent64 *)readdir(directory);
}
off64_t lseek64(int fd, off64_t offset, int whence) {
    return lseek(fd, offset, whence);
}
int truncate64(const char *path, off64_t size) {
    return truncate(path, size);
}
int ftruncate64(int fd, off64_t size) {
    return ftruncate(fd, size);
}
int mkstemp64(char *path) {
    return mkstemp(path);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset) {
    return mmap(at, size, protection, flags, fd, offset);
}

/* Their declarations have attributes or types of their own. */
int getrlimit64(__rlimit_resource_t what, struct rlimit64 *limit) {
    return fails(TYPE_ask) ? -1 : REAL(getrlimit64)(what, limit);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    return fails(TYPE_ask) ? -1 : REAL(ioctl)(fd, request, argument);
}

/* Its result is an error number. */
int posix_fallocate(int fd, off_t offset, off_t size) {
    return fails(TYPE_reserve) ? errno : REAL(posix_fallocate)(fd, offset, size);
}
int posix_fallocate64(int fd, off64_t offset, off64_t size) {
    return posix_fallocate(fd, offset, size);
}

/* ---- Descriptors ---- */

static bool is_output(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

static enum type type_of_open(int flags) {
    if (flags & O_DIRECTORY)
        return TYPE_open_folder;
    return (flags & O_ACCMODE) == O_RDONLY ? TYPE_open_input : TYPE_open_output;
}

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(more, unsigned) : 0;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return fails(type_of_open(flags)) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return open(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return fails(type_of_open(flags)) ? -1 : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = mode_of(flags, more);
    va_end(more);
    return openat(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode) {
    return creat(path, mode);
}

/* A descriptor is closed whatever close says, as Linux does. */
int close(int fd) {
    const enum type type = is_output(fd) ? TYPE_close_output : TYPE_close_input;
    const int result = REAL(close)(fd);
    return fails(type) ? -1 : result;
}

static int sync_descriptor(int fd) {
    struct stat found;
    const bool is_folder = REAL(fstat)(fd, &found) == 0 && S_ISDIR(found.st_mode);
    const unsigned type = is_folder ? TYPE_sync_folder : TYPE_sync;
    return fails(type) ? -1 : 0;
}

int fsync(int fd) {
    return sync_descriptor(fd);
}

int fdatasync(int fd) {
    return sync_descriptor(fd);
}

int syncfs(int fd) {
    (void)fd;
    return fails(TYPE_sync) ? -1 : 0;
}

void sync(void) {
}

/* ---- Transfers ---- */

ssize_t read(int fd, void *data, size_t size) {
    return transfer_fails(TYPE_read, &size) ? -1 : REAL(read)(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t offset) {
    return transfer_fails(TYPE_read, &size) ? -1 : REAL(pread)(fd, data, size, offset);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t offset) {
    return pread(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size) {
    if (fd == STDERR_FILENO)
        return REAL(write)(fd, data, size);
    return transfer_fails(TYPE_write, &size) ? -1 : REAL(write)(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    return transfer_fails(TYPE_write, &size) ? -1 : REAL(pwrite)(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    return pwrite(fd, data, size, offset);
}

/* ---- Streams of stdio ---- */

/* As the C library does it: goes on after a short transfer, gives up at an error. */
static ssize_t write_stream(void *cookie, const char *data, size_t size) {
    const int fd = (int)(intptr_t)cookie;
    size_t done = 0;
    while (done < size) {
        size_t chunk = size - done;
        const ssize_t written = transfer_fails(TYPE_print, &chunk) ? -1 : REAL(write)(fd, data + done, chunk);
        if (written < 0)
            break;
        done += (size_t)written;
    }
    return (ssize_t)done;
}

static ssize_t read_stream(void *cookie, char *data, size_t size) {
    return read((int)(intptr_t)cookie, data, size);
}

static int seek_stream(void *cookie, off64_t *offset, int whence) {
    const off_t at = lseek((int)(intptr_t)cookie, *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int close_stream(void *cookie) {
    return close((int)(intptr_t)cookie);
}

static FILE *make_stream(int fd, const char *mode) {
    const cookie_io_functions_t functions = {read_stream, write_stream, seek_stream, close_stream};
    return fopencookie((void *)(intptr_t)fd, mode, functions);
}

FILE *fopen(const char *path, const char *mode) {
    const int writing = O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC);
    const int flags = mode[0] == 'r' ? O_RDONLY : writing;
    if (strchr(mode, '+'))
        return errno = ENOSYS, NULL;
    const int fd = open(path, flags, 0666);
    FILE *stream = fd < 0 ? NULL : make_stream(fd, mode);
    if (fd >= 0 && !stream)
        REAL(close)(fd);
    return stream;
}

FILE *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}

/* ---- Memory ---- */

/* Looking up the real malloc may ask for memory itself. */
static void *early(size_t size) {
    static _Alignas(max_align_t) char room[4096];
    static size_t used;
    const size_t wanted = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (wanted > sizeof room - used)
        return NULL;
    used += wanted;
    return room + used - wanted;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    bool looks;
} allocator;

static bool has_allocator(void) {
    if (allocator.malloc || allocator.looks)
        return allocator.malloc != NULL;
    allocator.looks = true;
    *(void **)(void *)&allocator.calloc = real("calloc");
    *(void **)(void *)&allocator.realloc = real("realloc");
    *(void **)(void *)&allocator.aligned_alloc = real("aligned_alloc");
    *(void **)(void *)&allocator.posix_memalign = real("posix_memalign");
    *(void **)(void *)&allocator.malloc = real("malloc");
    return true;
}

/* Who asks for memory: libraries of others, such as that for JSON, have requests of their own, of which there are so
 * few among the project's that hardly any would be chosen. */
static enum type type_of_request(const void *caller) {
    return own_code_of(caller) >= 0 ? TYPE_memory : TYPE_foreign_memory;
}

#define REQUEST_FAILS() fails(type_of_request(__builtin_return_address(0)))

void *malloc(size_t size) {
    if (!has_allocator())
        return early(size);
    return REQUEST_FAILS() ? NULL : allocator.malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (!has_allocator())
        return early(count * size); /* zero from the start */
    return REQUEST_FAILS() ? NULL : allocator.calloc(count, size);
}

void *realloc(void *block, size_t size) {
    if (!has_allocator())
        return NULL;
    return size && REQUEST_FAILS() ? NULL : allocator.realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (!has_allocator() || REQUEST_FAILS())
        return NULL;
    return allocator.aligned_alloc(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (!has_allocator() || REQUEST_FAILS())
        return ENOMEM;
    return allocator.posix_memalign(out, alignment, size);
}

/* ---- Threads: their functions return the error ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return fails(TYPE_thread) ? errno : REAL(pthread_create)(thread, attributes, run, argument);
}

/* SQLite does not look whether a lock could be made, and waits forever for one that was not; it has no locks of its connections
 * with us, and the others cannot fail on Linux. */
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return own_code_of(__builtin_return_address(0)) >= 0 && fails(TYPE_thread)
               ? errno
               : REAL(pthread_mutex_init)(mutex, attributes);
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    return fails(TYPE_thread) ? errno : REAL(pthread_cond_init)(condition, attributes);
}

int pthread_condattr_init(pthread_condattr_t *attributes) {
    return fails(TYPE_thread) ? errno : REAL(pthread_condattr_init)(attributes);
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
    return fails(TYPE_thread) ? errno : REAL(pthread_condattr_setclock)(attributes, clock);
}

/* ---- The beginning and the end ---- */

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment) {
    configure();
    FILE *replaced = make_stream(STDOUT_FILENO, "w");
    if (!replaced)
        refuse("no stream for standard output");
    stdout = replaced;
    int count = 0;
    dl_iterate_phdr(note_own_code, &count);
    if (fault.counts_path)
        origin_of_call(TYPE_memory); /* the first time, looking at the stack asks for memory itself */
    fault.counts = true;
    return real_main(argc, argv, environment);
}

static void __attribute__((destructor)) report_counts(void) {
    const char *path = fault.counts_path;
    fault.counts = false;
    const int fd = path ? open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666) : -1;
    for (int type = 0; fd >= 0 && type < TYPE_COUNT; type++)
        dprintf(fd, "%s %lu\n", type_names[type], (unsigned long)fault.calls[type]);
    for (size_t i = 0; fd >= 0 && i < ORIGINS_MOST; i++)
        if (origins[i].number)
            dprintf(fd, "%s %lu %lx\n", type_names[origins[i].type], (unsigned long)origins[i].number,
                    (unsigned long)origins[i].id);
    fault.counts = true; /* streams are flushed after this */
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    real_main = main;
    return REAL(__libc_start_main)(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
