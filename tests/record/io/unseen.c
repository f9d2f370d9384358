/* unseen.c: descriptors that are closed and reused where no call of the C library's own name shows it, and by a child of vfork. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[16];

/* The number of the file's descriptor becomes that of a pipe. */
static int close_by_number(void) {
    int pipes[2];
    const int fd = open("numbered", O_RDWR | O_CREAT, 0600);
    return write(fd, "abc", 3) == 3 && syscall(SYS_close, fd) == 0 && pipe(pipes) == 0 && pipes[0] == fd &&
           write(pipes[1], "12345", 5) == 5 && read(pipes[0], bytes, sizeof bytes) == 5 &&
           close(pipes[0]) == 0 && close(pipes[1]) == 0;
}

/* The child's standard output is a file, the parent's is not. */
static int write_in_child_of_vfork(void) {
    int status;
    const pid_t child = vfork();
    if (child == 0) {
        const int fd = open("vforked", O_WRONLY | O_CREAT, 0600);
        _exit(dup2(fd, STDOUT_FILENO) != STDOUT_FILENO || write(STDOUT_FILENO, "child", 5) != 5);
    }
    return waitpid(child, &status, 0) == child && status == 0 && write(STDOUT_FILENO, "parent\n", 7) == 7;
}

/* What popen gave is a pipe, what has its number next is a file. */
static int close_process_stream(void) {
    FILE *stream = popen("echo 1", "r");
    const int number = fileno(stream);
    if (!fgets((char *)bytes, sizeof bytes, stream) || pclose(stream) != 0)
        return 0;
    const int fd = memfd_create("in memory", 0);
    return fd == number && write(fd, "1234", 4) == 4 && close(fd) == 0;
}

int main(void) {
    return !(close_by_number() && write_in_child_of_vfork() && close_process_stream());
}
