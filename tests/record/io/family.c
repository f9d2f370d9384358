/* family.c: seven writes of ten bytes to one open file: by the process and a thread of it, by a child of fork, by programs that are
 * executed behind fork, vfork and posix_spawn, and through a duplicate. */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int fd;

static void put(int descriptor) {
    if (write(descriptor, "0123456789", 10) != 10)
        _exit(1);
}

static void *in_thread(void *argument) {
    put(fd);
    return argument;
}

static void wait_for(pid_t child) {
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        _exit(1);
}

static void in_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        put(fd);
        _exit(0);
    }
    wait_for(child);
}

static void execute(char **command, pid_t child) {
    if (child == 0) {
        execv("/proc/self/exe", command);
        _exit(1);
    }
    wait_for(child);
}

int main(int argc, char **argv) {
    char number[16];
    if (argc == 2) {
        put(atoi(argv[1]));
        return 0;
    }
    fd = open("shared", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    snprintf(number, sizeof number, "%d", fd);
    char *command[] = {argv[0], number, NULL};
    pthread_t thread;
    pid_t child;
    put(fd);
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    in_child();
    execute(command, fork());
    execute(command, vfork());
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, command, environ) != 0)
        return 1;
    wait_for(child);
    put(dup2(fd, 77));
    return close(77) + close(fd);
}
