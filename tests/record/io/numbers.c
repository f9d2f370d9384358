/* numbers.c: system calls by number, as runtimes make them that have functions of their own for new ones. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char bytes[100];
static const struct iovec vectors[] = {{bytes, 10}, {bytes + 50, 20}};

static int transfer(long fd) {
    return syscall(SYS_write, fd, bytes, 100) == 100 && syscall(SYS_pwrite64, fd, bytes, 50, 1000L) == 50 &&
           syscall(SYS_pread64, fd, bytes, 40, 7L) == 40 && syscall(SYS_writev, fd, vectors, 2) == 30 &&
           syscall(SYS_preadv, fd, vectors, 2, 20L, 0L) == 30 && lseek((int)fd, 0, SEEK_SET) == 0 &&
           syscall(SYS_read, fd, bytes, 60) == 60 && syscall(SYS_readv, fd, vectors, 2) == 30;
}

static int copy(long from, long to) {
    long position = 5;
    return syscall(SYS_copy_file_range, from, &position, to, NULL, 300L, 0L) == 300 &&
           syscall(SYS_sendfile, to, from, NULL, 11L) == 11;
}

static int fails(void) {
    return syscall(SYS_read, -1, bytes, 1) == -1 && syscall(SYS_readv, -1, (void *)8, 1) == -1;
}

int main(void) {
    const long fd = syscall(SYS_openat, AT_FDCWD, "first", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const long to = open("second", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int is_fine = transfer(fd) && copy(fd, to) && fails();
    return syscall(SYS_close_range, (unsigned)fd, ~0U, 0) != 0 || !is_fine;
}
