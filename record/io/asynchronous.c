/* asynchronous.c: requests that complete later: POSIX's aio_read and aio_write, and libaio's io_submit, whose control blocks
 * stand for them until their results are fetched. Those of io_uring are not seen; that there are any is said. */
#include "record/io/recorder.h"
#include "record/shield.h"

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <time.h>

#define READ 0
#define WRITE QUIPU__CHARISMA_WRITE

/* ---- Requests in flight, by their control block ---- */

#define SLOTS 8192 /* those beyond have no end in the trace */

static struct {
    const void *block;
    int64_t async;
    int32_t client;
    int fd;
    int64_t end; /* of the file, once the request has appended to it; 0: it does not */
} slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t last_async;

static size_t slot_of(const void *block) {
    return ((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 51;
}

/* The slot that has the block, or where one is free; SLOTS when there is neither. NULL finds free ones. */
static size_t find_slot(const void *home, const void *wanted) {
    const size_t first = slot_of(home);
    for (size_t i = 0; i < SLOTS; i++) {
        const size_t slot = (first + i) % SLOTS;
        if (slots[slot].block == wanted)
            return slot;
    }
    return SLOTS;
}

static int64_t remember(const void *block) {
    pthread_mutex_lock(&lock);
    const int64_t async = ++last_async;
    const size_t slot = find_slot(block, NULL);
    if (slot < SLOTS) {
        slots[slot].block = block;
        slots[slot].async = async;
        slots[slot].client = recorder_client();
        slots[slot].end = 0;
    }
    pthread_mutex_unlock(&lock);
    return async;
}

static bool forget(const void *block, int64_t *async, int32_t *client) {
    pthread_mutex_lock(&lock);
    const size_t slot = find_slot(block, block);
    const bool is_known = slot < SLOTS;
    if (is_known) {
        *async = slots[slot].async;
        *client = slots[slot].client;
        slots[slot].block = NULL;
    }
    pthread_mutex_unlock(&lock);
    return is_known;
}

void requests_forget(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (size_t i = 0; last_async > 0 && i < SLOTS; i++)
        slots[i].block = NULL;
}

static void record_end(const void *block, uint64_t call) {
    int64_t async;
    int32_t client;
    if (forget(block, &async, &client))
        record_async_end(async, client, call);
}

/* A request as it is before it is submitted: from then on another thread may fetch its result, and use the control block for something else. */
struct submission {
    const void *block;
    const void *memory;
    size_t size;
    int64_t offset;
    int64_t async; /* 0: it is not recorded */
    int fd;
    uint8_t operation;
};

/* Of those in one call; what is beyond is looked at when it has been submitted. */
enum { SUBMISSIONS = 64 };

/* A request that appends goes behind those that are on their way to the same file. */
static void append(struct submission *submission, int flags) {
    if (submission->operation != WRITE || submission->async == 0 || !descriptor_appends(submission->fd, flags))
        return;
    submission->offset = descriptor_end(submission->fd);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].block && slots[i].fd == submission->fd && slots[i].end > submission->offset)
            submission->offset = slots[i].end;
    const size_t slot = find_slot(submission->block, submission->block);
    if (slot < SLOTS) {
        slots[slot].fd = submission->fd;
        slots[slot].end = submission->offset + (int64_t)submission->size;
    }
    pthread_mutex_unlock(&lock);
}

static void record_submission(const struct submission *submission, bool is_accepted, uint64_t begin) {
    int64_t async;
    int32_t client;
    if (submission->async == 0)
        return;
    if (is_accepted)
        record_async_request(submission->fd, submission->operation, begin, submission->offset,
                             submission->memory, submission->size, submission->async);
    else
        forget(submission->block, &async, &client);
}

/* ---- POSIX ---- */

static struct submission submission_of(const struct aiocb *block, uint8_t operation) {
    struct submission submission = {.block = block,
                                    .memory = (const void *)block->aio_buf,
                                    .size = block->aio_nbytes,
                                    .offset = block->aio_offset,
                                    .async = remember(block),
                                    .fd = block->aio_fildes,
                                    .operation = operation};
    append(&submission, 0);
    return submission;
}

#define SUBMITTING(name, operation)                                                                            \
    QUIPU_EXPORT int name(struct aiocb *block) {                                                               \
        if (!recorder_enter_for(block->aio_fildes))                                                            \
            return REAL(name)(block);                                                                          \
        const uint64_t begin = recorder_now();                                                                 \
        const struct submission submission = submission_of(block, operation);                                  \
        recorder_leave();                                                                                      \
        const int result = REAL(name)(block);                                                                  \
        recorder_return();                                                                                     \
        record_submission(&submission, result == 0, begin);                                                    \
        recorder_leave();                                                                                      \
        return result;                                                                                         \
    }
SUBMITTING(aio_read, READ)
SUBMITTING(aio_write, WRITE)
QUIPU_EXPORT int aio_read64(struct aiocb64 *block) __attribute__((alias("aio_read")));
QUIPU_EXPORT int aio_write64(struct aiocb64 *block) __attribute__((alias("aio_write")));

QUIPU_EXPORT ssize_t aio_return(struct aiocb *block) {
    if (!recorder_enter())
        return REAL(aio_return)(block);
    const uint64_t call = recorder_now();
    recorder_leave();
    const ssize_t result = REAL(aio_return)(block);
    recorder_return();
    record_end(block, call);
    recorder_leave();
    return result;
}
QUIPU_EXPORT ssize_t aio_return64(struct aiocb64 *block) __attribute__((alias("aio_return")));

static struct submission listed(const struct aiocb *block) {
    if (!block || block->aio_lio_opcode == LIO_NOP || !descriptor_is_file(block->aio_fildes))
        return (struct submission){0};
    return submission_of(block, block->aio_lio_opcode == LIO_WRITE ? WRITE : READ);
}

/* What became of a request in a list, as errno says it. Where the call has failed, for these reasons, others of the list may have been
 * taken: each tells by itself. */
static int outcome_of(const struct aiocb *block, int mode, int result, int reason) {
    if (result == 0)
        return mode == LIO_WAIT ? 0 : EINPROGRESS;
    return reason == EIO || reason == EAGAIN || reason == EINTR ? REAL(aio_error)(block) : reason;
}

QUIPU_EXPORT int lio_listio(int mode, struct aiocb *const blocks[], int count, struct sigevent *event) {
    struct submission submissions[SUBMISSIONS];
    if (!recorder_enter())
        return REAL(lio_listio)(mode, blocks, count, event);
    const uint64_t begin = recorder_now();
    const int known = count < SUBMISSIONS ? count : SUBMISSIONS, before = errno;
    for (int i = 0; i < known; i++)
        submissions[i] = listed(blocks[i]);
    errno = before;
    recorder_leave();
    const int result = REAL(lio_listio)(mode, blocks, count, event);
    const int reason = errno;
    recorder_return();
    const int last = result != 0 && reason == EINVAL ? known : count;
    for (int i = 0; i < last; i++) {
        const struct submission submission = i < known ? submissions[i] : listed(blocks[i]);
        const int outcome = submission.async == 0 ? 0 : outcome_of(blocks[i], mode, result, reason);
        record_submission(&submission, outcome == 0 || outcome == EINPROGRESS, begin);
    }
    /* A program may fetch no results of what it has waited for. Where it does, aio_return finds no request here. */
    const uint64_t end = recorder_now();
    for (int i = 0; mode == LIO_WAIT && i < last; i++)
        if (blocks[i] && outcome_of(blocks[i], mode, result, reason) == 0)
            record_end(blocks[i], end);
    recorder_leave();
    return result;
}
QUIPU_EXPORT int lio_listio64(int mode, struct aiocb64 *const blocks[], int count, struct sigevent *event)
    __attribute__((alias("lio_listio")));

/* ---- libaio: its control blocks are the kernel's ---- */

struct io_context;
int io_submit(struct io_context *context, long count, struct iocb **blocks);
int io_getevents(struct io_context *context, long least, long most, struct io_event *events,
                 struct timespec *timeout);

/* What a function of libaio or liburing answers that is nowhere. */
static int answer_missing(void) {
    return -ENOSYS;
}

static bool is_of_recorder(const void *function) {
    Dl_info own, found;
    return dladdr((__extension__(const void *) answer_missing), &own) && dladdr(function, &found) &&
           own.dli_fbase == found.dli_fbase;
}

/* A library that a program opens for itself alone is not seen from here: then its caller's library knows it. */
static void *find_in_library(const char *name, const void *caller) {
    void *found = dlsym(RTLD_NEXT, name);
    Dl_info info;
    void *library = !found && dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
        found = dlsym(library, name);
        dlclose(library);
    }
    return found && !is_of_recorder(found) ? found : (__extension__(void *) answer_missing);
}

#define OF_LIBRARY(name)                                                                                       \
    (__extension__({                                                                                           \
        static __typeof__(&(name)) real;                                                                       \
        if (!real)                                                                                             \
            real = (__typeof__(&(name)))find_in_library(#name, __builtin_return_address(0));                   \
        real;                                                                                                  \
    }))

/* What a pointer of the program leads to, which may be nowhere. */
static bool peek(const void *from, void *out, size_t size) {
    const struct iovec to = {out, size}, there = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &to, 1, &there, 1, 0) == (ssize_t)size;
}

static size_t vector_size(const struct iovec *vectors, uint64_t count) {
    size_t size = 0;
    struct iovec vector;
    for (uint64_t i = 0; i < count && peek(&vectors[i], &vector, sizeof vector); i++)
        size += vector.iov_len;
    return size;
}

/* Without a block: there is none. */
static struct submission look_at(const struct iocb *block) {
    struct submission submission = {.block = block};
    struct iocb request;
    if (!peek(block, &request, sizeof request))
        return (struct submission){0};
    const uint16_t operation = request.aio_lio_opcode;
    const bool has_vector = operation == IOCB_CMD_PWRITEV || operation == IOCB_CMD_PREADV;
    const bool writes = operation == IOCB_CMD_PWRITE || operation == IOCB_CMD_PWRITEV;
    if (!has_vector && !writes && operation != IOCB_CMD_PREAD)
        return submission;
    submission.fd = (int)request.aio_fildes;
    if (!descriptor_is_file(submission.fd))
        return submission;
    submission.memory = (const void *)(uintptr_t)request.aio_buf;
    submission.size = has_vector ? vector_size(submission.memory, request.aio_nbytes) : request.aio_nbytes;
    submission.offset = request.aio_offset;
    submission.operation = writes ? WRITE : READ;
    submission.async = remember(block);
    append(&submission, request.aio_rw_flags);
    return submission;
}

/* How many can be looked at. */
static int look_ahead(struct iocb *const *blocks, long count, struct submission *out) {
    const struct iocb *block;
    const int known = errno;
    int found = 0;
    while (found < count && found < SUBMISSIONS && peek(&blocks[found], &block, sizeof block) &&
           (out[found] = look_at(block)).block)
        found++;
    errno = known;
    return found;
}

QUIPU_EXPORT int io_submit(struct io_context *context, long count, struct iocb **blocks) {
    struct submission submissions[SUBMISSIONS];
    if (!recorder_enter())
        return OF_LIBRARY(io_submit)(context, count, blocks);
    const uint64_t begin = recorder_now();
    const int known = look_ahead(blocks, count, submissions);
    recorder_leave();
    const int result = OF_LIBRARY(io_submit)(context, count, blocks);
    recorder_return();
    for (int i = 0; i < known; i++)
        record_submission(&submissions[i], i < result, begin);
    for (int i = known; i < result; i++) {
        const struct submission late = look_at(blocks[i]);
        record_submission(&late, true, begin);
    }
    recorder_leave();
    return result;
}

QUIPU_EXPORT int io_getevents(struct io_context *context, long least, long most, struct io_event *events,
                              struct timespec *timeout) {
    if (!recorder_enter())
        return OF_LIBRARY(io_getevents)(context, least, most, events, timeout);
    const uint64_t call = recorder_now();
    recorder_leave();
    const int result = OF_LIBRARY(io_getevents)(context, least, most, events, timeout);
    recorder_return();
    for (int i = 0; i < result; i++)
        record_end((const void *)(uintptr_t)events[i].obj, call);
    recorder_leave();
    return result;
}

/* ---- io_uring ---- */

/* Of liburing, which makes system calls by itself. */
int io_uring_queue_init(unsigned entries, void *ring, unsigned flags);
int io_uring_queue_init_params(unsigned entries, void *ring, void *parameters);
int io_uring_queue_init_mem(unsigned entries, void *ring, void *parameters, void *memory, size_t size);
int io_uring_setup(unsigned entries, void *parameters);

/* A system that refuses rings has none to lose requests in. */
#define NEW_RING(name, parameters, arguments)                                                                  \
    QUIPU_EXPORT int name parameters {                                                                         \
        const int result = OF_LIBRARY(name) arguments;                                                         \
        if (result >= 0)                                                                                       \
            recorder_note(RECORDER_NOTE_URING);                                                                \
        return result;                                                                                         \
    }
/* clang-format off */
NEW_RING(io_uring_queue_init, (unsigned entries, void *ring, unsigned flags), (entries, ring, flags))
NEW_RING(io_uring_queue_init_params, (unsigned entries, void *ring, void *parameters), (entries, ring, parameters))
NEW_RING(io_uring_queue_init_mem, (unsigned entries, void *ring, void *parameters, void *memory, size_t size), (entries, ring, parameters, memory, size))
NEW_RING(io_uring_setup, (unsigned entries, void *parameters), (entries, parameters))
/* clang-format on */

/* Programs that make rings by system calls of their own are found by the descriptors. */
void rings_look_at(int fd) {
    static const char name[] = "anon_inode:[io_uring]";
    char link[64], found[sizeof name];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, found, sizeof found) == sizeof name - 1 && memcmp(found, name, sizeof name - 1) == 0)
        recorder_put_note(RECORDER_NOTE_URING);
}

/* Without memory of the program's, which is about to end. */
void rings_look_at_all(void) {
    _Alignas(struct dirent64) char names[2048];
    const int shield = quipu__shield_begin();
    const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len = 0;
    while (folder >= 0 && (len = syscall(SYS_getdents64, folder, names, sizeof names)) > 0)
        for (long i = 0; i < len;) {
            const struct dirent64 *found = (const struct dirent64 *)(const void *)(names + i);
            if (found->d_name[0] != '.')
                rings_look_at((int)strtol(found->d_name, NULL, 10));
            i += found->d_reclen;
        }
    if (folder >= 0)
        close(folder);
    quipu__shield_end(shield);
}
