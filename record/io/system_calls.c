/* system_calls.c: system calls that programs make by number, and those after which the recorder can make none. */
#include "record/io/recorder.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ARGUMENTS 6
#define READ 0
#define WRITE QUIPU__CHARISMA_WRITE

#define READ_ARGUMENTS(last, arguments)                                                                        \
    do {                                                                                                       \
        va_list list;                                                                                          \
        va_start(list, last);                                                                                  \
        for (unsigned i = 0; i < sizeof(arguments) / sizeof *(arguments); i++)                                 \
            (arguments)[i] = va_arg(list, long);                                                               \
        va_end(list);                                                                                          \
    } while (0)

static long call(long number, const long arguments[ARGUMENTS]) {
    return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                         arguments[5]);
}

/* Some close descriptors by number, so as not to be cancelled meanwhile. */
static long close_by_number(const long arguments[ARGUMENTS]) {
    const int fd = (int)arguments[0];
    if (!recorder_enter_own())
        return call(SYS_close, arguments);
    const struct closing closing = descriptor_closing(fd);
    recorder_leave();
    const long result = call(SYS_close, arguments);
    recorder_return();
    descriptor_closed(fd, &closing);
    recorder_leave();
    return result;
}

/* Reads and writes: on this machine an offset is one argument. */
static const struct transfer {
    long number;
    uint8_t operation;
    bool has_offset, has_vectors;
} transfers[] = {
    {SYS_read, READ, false, false},     {SYS_write, WRITE, false, false}, {SYS_pread64, READ, true, false},
    {SYS_pwrite64, WRITE, true, false}, {SYS_readv, READ, false, true},   {SYS_writev, WRITE, false, true},
    {SYS_preadv, READ, true, true},     {SYS_pwritev, WRITE, true, true}, {SYS_preadv2, READ, true, true},
    {SYS_pwritev2, WRITE, true, true},
};

static const struct transfer *find_transfer(long number) {
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
        if (transfers[i].number == number)
            return &transfers[i];
    return NULL;
}

/* Where the first byte is in memory. */
static const void *memory_of(const struct transfer *transfer, const long arguments[ARGUMENTS]) {
    const struct iovec *vectors = (const struct iovec *)arguments[1];
    if (!transfer->has_vectors)
        return vectors;
    return arguments[2] > 0 ? vectors->iov_base : NULL;
}

static int64_t offset_of(const struct transfer *transfer, const long arguments[ARGUMENTS], long count) {
    const int flags = transfer->number == SYS_pwritev2 ? (int)arguments[5] : 0;
    if (!transfer->has_offset)
        return CURRENT_OFFSET;
    return transfer->operation == READ ? arguments[3]
                                       : descriptor_written_at((int)arguments[0], arguments[3], count, flags);
}

static long transfer_by_number(const struct transfer *transfer, const long arguments[ARGUMENTS]) {
    const int fd = (int)arguments[0];
    if (!recorder_enter_for(fd))
        return call(transfer->number, arguments);
    const uint64_t begin = recorder_now();
    recorder_leave();
    const long count = call(transfer->number, arguments);
    recorder_return();
    record_request(fd, transfer->operation, begin, offset_of(transfer, arguments, count),
                   count < 0 ? NULL : memory_of(transfer, arguments), count);
    recorder_leave();
    return count;
}

/* Calls that have a function in the C library, which is in front of them here. */
static bool call_function(long number, const long arguments[ARGUMENTS], long *result) {
    off64_t *const in_at = (off64_t *)arguments[1], *const out_at = (off64_t *)arguments[3];
    if (number == SYS_copy_file_range)
        *result = copy_file_range((int)arguments[0], in_at, (int)arguments[2], out_at, (size_t)arguments[4],
                                  (unsigned)arguments[5]);
    else if (number == SYS_splice)
        *result = splice((int)arguments[0], in_at, (int)arguments[2], out_at, (size_t)arguments[4],
                         (unsigned)arguments[5]);
    else if (number == SYS_sendfile)
        *result = sendfile((int)arguments[0], (int)arguments[1], (off_t *)arguments[2], (size_t)arguments[3]);
    else if (number == SYS_execve)
        *result = execve((const char *)arguments[0], (char *const *)arguments[1], (char *const *)arguments[2]);
    else if (number == SYS_execveat)
        *result = execveat((int)arguments[0], (const char *)arguments[1], (char *const *)arguments[2],
                           (char *const *)arguments[3], (int)arguments[4]);
    else if (number == SYS_close_range)
        *result = close_range((unsigned)arguments[0], (unsigned)arguments[1], (int)arguments[2]);
    else
        return false;
    return true;
}

static bool confines(long number, const long arguments[ARGUMENTS]) {
    return number == SYS_seccomp &&
           (arguments[0] == SECCOMP_SET_MODE_STRICT || arguments[0] == SECCOMP_SET_MODE_FILTER);
}

/* With io_uring, requests are put into memory that the kernel shares, so that no call is seen; only that a ring is made. */
QUIPU_EXPORT long syscall(long number, ...) {
    long arguments[ARGUMENTS];
    READ_ARGUMENTS(number, arguments);
    long result;
    if (number == SYS_close)
        return close_by_number(arguments);
    const struct transfer *transfer = find_transfer(number);
    if (transfer)
        return transfer_by_number(transfer, arguments);
    if (call_function(number, arguments, &result))
        return result;
    if (!confines(number, arguments) || !recorder_confining()) {
        result = call(number, arguments);
        if (number == SYS_io_uring_setup && result >= 0)
            recorder_note(RECORDER_NOTE_URING);
        return result;
    }
    result = call(number, arguments);
    recorder_confined(result >= 0);
    return result;
}

QUIPU_EXPORT int prctl(int option, ...) {
    long arguments[4];
    READ_ARGUMENTS(option, arguments);
    const bool is_recorded = option == PR_SET_SECCOMP && recorder_confining();
    const int result = REAL(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (is_recorded)
        recorder_confined(result >= 0);
    return result;
}
