/* confined.c: a program that may only read, write and exit any more: what the recorder does besides would kill it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    const int fd = open("allowed", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (write(fd, "before", 6) != 6 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0) == 0 /* no such filter */ ||
        write(fd, "between", 7) != 7 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return 1;
    const int is_fine = write(fd, "after", 5) == 5 && write(STDOUT_FILENO, "strict\n", 7) == 7;
    syscall(SYS_exit, is_fine ? 7 : 2);
}
