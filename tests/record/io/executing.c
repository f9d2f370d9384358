/* executing.c: executes the program of the second argument by the call of the first, in a child where the call does not make one itself;
 * "absent" tries to execute one that is not there. Ends with 0 when the program did, and what it printed is nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *wanted, *path;
static char *words[] = {"static", NULL};

static int is(const char *call) {
    return strcmp(wanted, call) == 0;
}

static void execute(void) {
    if (is("execve"))
        execve(path, words, environ);
    if (is("execv"))
        execv(path, words);
    if (is("execvp"))
        execvp("static", words);
    if (is("execvpe"))
        execvpe("static", words, environ);
    if (is("execl"))
        execl(path, "static", NULL);
    if (is("execlp"))
        execlp("static", "static", "1", "2", NULL);
    if (is("execle"))
        execle(path, "static", "1", NULL, environ);
    if (is("fexecve"))
        fexecve(open(path, O_RDONLY), words, environ);
    if (is("execveat"))
        execveat(open(".", O_RDONLY), "static", words, environ, 0);
    if (is("syscall"))
        syscall(SYS_execve, path, words, environ);
    if (is("vfork"))
        execv(path, words);
    _exit(is("absent") && execv("./absent", words) != 0 ? 0 : 1);
}

static int wait_for(pid_t child) {
    int status;
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int spawn(void) {
    pid_t child;
    const int reason = is("posix_spawn") ? posix_spawn(&child, path, NULL, NULL, words, environ)
                                         : posix_spawnp(&child, "static", NULL, NULL, words, environ);
    return reason != 0 || wait_for(child);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    wanted = argv[1];
    path = argv[2];
    if (is("system"))
        return system(path) != 0;
    if (is("popen"))
        return pclose(popen(path, "r")) != 0;
    if (strncmp(wanted, "posix", 5) == 0)
        return spawn();
    const pid_t child = is("vfork") ? vfork() : fork();
    if (child == 0)
        execute();
    return wait_for(child);
}
