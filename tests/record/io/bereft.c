/* bereft.c: a process that has opened "data" loses what opening files needs; a thread of its own then writes 1000 bytes, and one of a child 1000 more.
 *
 *     bereft descriptors    all are in use
 *     bereft user           becomes a user who has no rights
 *     bereft root           has another root
 *
 * With a program behind these it executes that. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int fd;

static void *write_in_thread(void *failed) {
    static char bytes[10];
    for (int i = 0; i < 100; i++)
        if (write(fd, bytes, 10) != 10)
            return failed;
    return NULL;
}

static int run_thread(void) {
    pthread_t thread;
    void *failed = &fd;
    return pthread_create(&thread, NULL, write_in_thread, failed) == 0 && pthread_join(thread, &failed) == 0 &&
           !failed;
}

static int lose(const char *what) {
    const struct rlimit few = {100, 100};
    if (strcmp(what, "user") == 0)
        return setuid(65534) == 0;
    if (strcmp(what, "root") == 0)
        return (mkdir("jail", 0700) == 0 || 1) && chroot("jail") == 0 && chdir("/") == 0;
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        return 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
    return 1;
}

int main(int argc, char **argv) {
    int status;
    fd = open("data", O_CREAT | O_TRUNC | O_RDWR, 0600);
    if (argc < 2 || !lose(argv[1]))
        return 1;
    if (argc > 2)
        return execvp(argv[2], argv + 2);
    const pid_t child = fork();
    if (child == 0)
        _exit(!run_thread());
    return !(waitpid(child, &status, 0) == child && status == 0 && run_thread());
}
