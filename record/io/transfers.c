/* transfers.c: calls that read and write: one wrapper for each, whose shape the rows below give, and its other names. */
#include "record/io/recorder.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define READ 0
#define WRITE QUIPU__CHARISMA_WRITE

/* A call on fd that returns how many bytes it has moved from or to memory at an offset. */
#define TRANSFER(name, operation, offset, memory, parameters, arguments)                                       \
    QUIPU_EXPORT ssize_t name parameters {                                                                     \
        if (!recorder_enter_for(fd))                                                                           \
            return REAL(name) arguments;                                                                       \
        const uint64_t begin = recorder_now();                                                                 \
        recorder_leave();                                                                                      \
        const ssize_t count = REAL(name) arguments;                                                            \
        recorder_return();                                                                                     \
        record_request(fd, operation, begin, offset, count < 0 ? NULL : (memory), count);                      \
        recorder_leave();                                                                                      \
        return count;                                                                                          \
    }

/* What the C library calls where it has been told to check sizes, which it declares nowhere. */
ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off_t at, size_t room);

static const void *first(const struct iovec *vectors, int count) {
    return count > 0 ? vectors[0].iov_base : NULL;
}

/* clang-format off */
TRANSFER(read, READ, CURRENT_OFFSET, data, (int fd, void *data, size_t size), (fd, data, size))
TRANSFER(write, WRITE, CURRENT_OFFSET, data, (int fd, const void *data, size_t size), (fd, data, size))
TRANSFER(pread, READ, at, data, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
TRANSFER(pwrite, WRITE, descriptor_written_at(fd, at, count, 0), data, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
TRANSFER(readv, READ, CURRENT_OFFSET, first(v, n), (int fd, const struct iovec *v, int n), (fd, v, n))
TRANSFER(writev, WRITE, CURRENT_OFFSET, first(v, n), (int fd, const struct iovec *v, int n), (fd, v, n))
TRANSFER(preadv, READ, at, first(v, n), (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
TRANSFER(pwritev, WRITE, descriptor_written_at(fd, at, count, 0), first(v, n), (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
TRANSFER(preadv2, READ, at, first(v, n), (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags))
TRANSFER(pwritev2, WRITE, descriptor_written_at(fd, at, count, flags), first(v, n), (int fd, const struct iovec *v, int n, off_t at, int flags), (fd, v, n, at, flags))
TRANSFER(__read_chk, READ, CURRENT_OFFSET, data, (int fd, void *data, size_t size, size_t room), (fd, data, size, room))
TRANSFER(__pread_chk, READ, at, data, (int fd, void *data, size_t size, off_t at, size_t room), (fd, data, size, at, room))
TRANSFER(__pread64_chk, READ, at, data, (int fd, void *data, size_t size, off_t at, size_t room), (fd, data, size, at, room))
/* clang-format on */

ALIAS(pread64, pread)
ALIAS(pwrite64, pwrite)
ALIAS(preadv64, preadv)
ALIAS(pwritev64, pwritev)
ALIAS(preadv64v2, preadv2)
ALIAS(pwritev64v2, pwritev2)

/* ---- From one descriptor to another: a read of one and a write of the other ---- */

struct copy {
    int in, out;
    bool in_is_file, out_is_file;
    uint64_t begin;
};

static bool enter_copy(struct copy *copy) {
    if (!recorder_enter())
        return false;
    copy->in_is_file = descriptor_is_file(copy->in);
    copy->out_is_file = descriptor_is_file(copy->out);
    copy->begin = recorder_now();
    recorder_leave();
    return true;
}

/* The offset before a call that has moved it; where a call fails, the pointer may lead nowhere. */
static int64_t offset_before(const off64_t *at, ssize_t count) {
    return at && count >= 0 ? *at - count : CURRENT_OFFSET;
}

static void leave_copy(const struct copy *copy, const off64_t *in_at, const off64_t *out_at, ssize_t count) {
    const int64_t in_offset = offset_before(in_at, count), out_offset = offset_before(out_at, count);
    recorder_return();
    if (copy->in_is_file)
        record_request(copy->in, READ, copy->begin, in_offset, NULL, count);
    if (copy->out_is_file && count > 0) /* at the end of the file nothing is written */
        record_request(copy->out, WRITE, copy->begin, out_offset, NULL, count);
    recorder_leave();
}

QUIPU_EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
    struct copy copy = {.in = in, .out = out};
    if (!enter_copy(&copy))
        return REAL(sendfile)(out, in, offset, size);
    const ssize_t count = REAL(sendfile)(out, in, offset, size);
    leave_copy(&copy, offset, NULL, count);
    return count;
}
ALIAS(sendfile64, sendfile)

QUIPU_EXPORT ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t size,
                                     unsigned flags) {
    struct copy copy = {.in = in, .out = out};
    if (!enter_copy(&copy))
        return REAL(copy_file_range)(in, in_at, out, out_at, size, flags);
    const ssize_t count = REAL(copy_file_range)(in, in_at, out, out_at, size, flags);
    leave_copy(&copy, in_at, out_at, count);
    return count;
}

QUIPU_EXPORT ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned flags) {
    struct copy copy = {.in = in, .out = out};
    if (!enter_copy(&copy))
        return REAL(splice)(in, in_at, out, out_at, size, flags);
    const ssize_t count = REAL(splice)(in, in_at, out, out_at, size, flags);
    leave_copy(&copy, in_at, out_at, count);
    return count;
}
