/* appended.c: appends 10, 20 or 30 bytes to files of 100 bytes in the ways there are. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { REQUESTS = 3 };

static char bytes[100];
static struct iovec vector = {bytes, 10};

static int start(const char *name, int flags) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return write(fd, bytes, 100) == 100 && close(fd) == 0 ? open(name, O_RDWR | flags) : -1;
}

static int has_size(const char *name, off_t size) {
    struct stat found;
    return stat(name, &found) == 0 && found.st_size == size;
}

static int calls(void) {
    const int fd = start("calls", O_APPEND);
    return pwrite(fd, bytes, 10, 0) == 10 && pwritev(fd, &vector, 1, 50) == 10 &&
           syscall(SYS_pwrite64, fd, bytes, 10, 7) == 10 && write(fd, bytes, 10) == 10 &&
           pwritev2(fd, &vector, 1, -1, 0) == 10 && pwrite(fd, bytes, 10, 1000) == 10 && has_size("calls", 160);
}

/* A descriptor that does not append by itself. */
static int flags(void) {
    struct iovec twenty = {bytes, 20};
    const int fd = start("flags", 0);
    return pwritev2(fd, &vector, 1, 0, RWF_APPEND) == 10 && pwritev2(fd, &twenty, 1, 0, 0) == 20 &&
           syscall(SYS_pwritev2, fd, &vector, 1L, 5L, 0L, RWF_APPEND) == 10 && has_size("flags", 120);
}

static int fetch(struct aiocb *block) {
    while (aio_error(block) == EINPROGRESS)
        aio_suspend((const struct aiocb *const[]){block}, 1, NULL);
    return aio_return(block) == 10;
}

/* More than one are on their way. */
static int requests(void) {
    struct aiocb blocks[REQUESTS];
    const int fd = start("requests", O_APPEND);
    for (int i = 0; i < REQUESTS; i++) {
        blocks[i] = (struct aiocb){.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 10};
        if (aio_write(&blocks[i]) != 0)
            return 0;
    }
    for (int i = 0; i < REQUESTS; i++)
        if (!fetch(&blocks[i]))
            return 0;
    struct aiocb last = {.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 10, .aio_lio_opcode = LIO_WRITE};
    return lio_listio(LIO_WAIT, (struct aiocb *const[]){&last}, 1, NULL) == 0 && has_size("requests", 140);
}

/* The position of the stream is 0 at first, and 5 after reading; the third text goes behind the second one's bytes in the buffer. */
static int stream(void) {
    char text[5];
    close(start("stream", 0));
    FILE *file = fopen("stream", "a+");
    return file && fwrite(bytes, 1, 10, file) == 10 && fseek(file, 0, SEEK_SET) == 0 &&
           fread(text, 1, 5, file) == 5 && fseek(file, 0, SEEK_CUR) == 0 && fwrite(bytes, 1, 20, file) == 20 &&
           fwrite(bytes, 1, 30, file) == 30 && fclose(file) == 0 && has_size("stream", 160);
}

int main(void) {
    return !(calls() && flags() && requests() && stream() && fwrite(bytes, 1, 10, stdout) == 10 &&
             fwrite(bytes, 1, 20, stdout) == 20);
}
