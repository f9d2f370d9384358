/* early.c: libaio and POSIX's requests, where submitting returns when another thread has fetched the result and given the control block back. With MAIN
 * defined, a program that uses it: each is asked for 8 bytes, and a request for a wild block is refused. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int io_submit(aio_context_t context, long count, struct iocb **blocks);
int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
                 struct timespec *timeout);

#ifdef MAIN
int main(void) {
    static char bytes[] = "8 bytes";
    aio_context_t context = 0;
    const int fd = open("early.txt", O_RDWR | O_CREAT | O_TRUNC, 0644);
    struct iocb *block = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                *wild = (struct iocb *)8;
    *block = (struct iocb){.aio_fildes = (unsigned)fd,
                           .aio_lio_opcode = IOCB_CMD_PWRITE,
                           .aio_buf = (unsigned long)bytes,
                           .aio_nbytes = sizeof bytes};
    if (fd < 0 || syscall(SYS_io_setup, 4, &context) != 0)
        return 1;
    if (io_submit(context, 1, &block) != 1)
        return 2;
    struct aiocb *request = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *request = (struct aiocb){.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = sizeof bytes, .aio_offset = 8};
    if (aio_write(request) != 0)
        return 4;
    return io_submit(context, 1, &wild) == -EFAULT ? 0 : 3;
}
#else
int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
                 struct timespec *timeout) {
    const long count = syscall(SYS_io_getevents, context, least, most, events, timeout);
    return count < 0 ? -errno : (int)count;
}

int io_submit(aio_context_t context, long count, struct iocb **blocks) {
    struct io_event event;
    const long submitted = syscall(SYS_io_submit, context, count, blocks);
    if (submitted < 0)
        return -errno;
    if (io_getevents(context, 1, 1, &event, 0) == 1)
        munmap(blocks[0], 4096);
    return (int)submitted;
}

ssize_t aio_return(struct aiocb *block) {
    return (ssize_t)block->aio_nbytes;
}

int aio_write(struct aiocb *block) {
    return aio_return(block) == (ssize_t)block->aio_nbytes ? munmap(block, 4096) : -1;
}
#endif
