/* calls.c: calls of each kind that the recorder knows, on the files "data" and "stream". */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[4096];

static int complete(struct aiocb *block, int result) {
    const struct aiocb *blocks[1] = {block};
    while (result == 0 && aio_error(block) == EINPROGRESS)
        aio_suspend(blocks, 1, NULL);
    return result == 0 && aio_return(block) == 10;
}

static int transfers(int fd) {
    struct iovec vectors[2] = {{bytes, 10}, {bytes + 10, 20}};
    struct aiocb block = {.aio_fildes = fd, .aio_buf = bytes, .aio_nbytes = 10, .aio_offset = 3000};
    return write(fd, bytes, 100) == 100 && pwrite(fd, bytes, 50, 1000) == 50 && writev(fd, vectors, 2) == 30 &&
           pwritev(fd, vectors, 2, 2000) == 30 && lseek(fd, 0, SEEK_SET) == 0 && read(fd, bytes, 100) == 100 &&
           pread(fd, bytes, 20, 10) == 20 && lseek(fd, 5, SEEK_SET) == 5 && readv(fd, vectors, 2) == 30 &&
           preadv(fd, vectors, 2, 40) == 30 && complete(&block, aio_write(&block)) &&
           complete(&block, aio_read(&block));
}

static int sizes_and_controls(int fd) {
    void *map = mmap(NULL, 100, PROT_READ, MAP_SHARED, fd, 0);
    return map != MAP_FAILED && munmap(map, 100) == 0 && fsync(fd) == 0 && fdatasync(fd) == 0 &&
           ftruncate(fd, 5000) == 0 && truncate("data", 50) == 0 && posix_fallocate(fd, 0, 8192) == 0;
}

static int names(void) {
    return link("data", "other") == 0 && rename("other", "third") == 0 && unlink("third") == 0 &&
           unlink("data") == 0;
}

static int streams(void) {
    char text[20];
    FILE *stream = fopen("stream", "w+");
    const int is_fine = stream && fwrite("123456789012", 4, 3, stream) == 3 && fputs("abcd\n", stream) >= 0 &&
                        fseek(stream, 0, SEEK_SET) == 0 && fread(text, 1, 8, stream) == 8 &&
                        fgets(text, sizeof text, stream);
    return is_fine && fclose(stream) == 0;
}

int main(void) {
    const int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644);
    const int is_fine = transfers(fd) && sizes_and_controls(fd) && close(fd) == 0 && names() && streams();
    return !is_fine;
}
