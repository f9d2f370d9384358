/* emptied.c: cuts short the files of its recorder, if there is one, and goes on. What it does with SIGBUS is as the argument says:
 *
 *     nothing    writes 20,000 times, in a thread, too
 *     default    touches a mapped file beyond its end, behind which it ends by the signal
 *     sent       sends the signal to itself
 *     caught     catches the signal by sigaction, for the same, with flags and twice
 *     signalled  the same by signal()
 *     once       a handler that is reset when it is called
 *     ignored    ignores the signal, which its child inherits */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf escape;
static int caught;
static char *mapped;

static void empty_recorder(void) {
    const char *name = getenv("QUIPU_RECORD_FOLDER");
    DIR *folder = name ? opendir(name) : NULL;
    for (const struct dirent *found; folder && (found = readdir(folder));)
        if (strstr(found->d_name, ".ring")) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", name, found->d_name);
            if (truncate(path, 0) != 0)
                _exit(9);
        }
    if (folder)
        closedir(folder);
}

static void *write_often(void *name) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 10000; i++)
        if (write(fd, "1234567890", 10) != 10)
            _exit(3);
    empty_recorder();
    for (int i = 0; i < 10000; i++)
        if (write(fd, "1234567890", 10) != 10)
            _exit(3);
    return close(fd) == 0 ? NULL : name;
}

static void map_nothing(void) {
    const int fd = open("empty", O_RDWR | O_CREAT | O_TRUNC, 0600);
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
}

static void catch (int signal) {
    caught += signal == SIGBUS;
    siglongjmp(escape, 1);
}

static void catch_all(int signal, siginfo_t *info, void *context) {
    if (!context || info->si_addr != mapped)
        _exit(4);
    catch (signal);
}

static void fault(void) {
    if (sigsetjmp(escape, 1) == 0)
        *(volatile char *)mapped = 1;
}

static int is(const char *given, const char *name) {
    return strcmp(given, name) == 0;
}

static int check_before(void) {
    struct sigaction before;
    return sigaction(SIGBUS, NULL, &before) == 0 && before.sa_handler == SIG_DFL;
}

static void set_action(const char *wanted) {
    struct sigaction action = {.sa_sigaction = catch_all, .sa_flags = SA_SIGINFO | SA_RESTART}, now;
    if (is(wanted, "once"))
        action.sa_flags |= (int)SA_RESETHAND;
    if (is(wanted, "caught") || is(wanted, "once")) {
        sigaction(SIGBUS, &action, NULL);
        sigaction(SIGBUS, NULL, &now);
        if (now.sa_sigaction != catch_all || (now.sa_flags & ~0x04000000) != action.sa_flags)
            _exit(5);
    }
    if (is(wanted, "signalled") && (signal(SIGBUS, catch) != SIG_DFL || signal(SIGBUS, catch) != catch))
        _exit(6);
    if (is(wanted, "ignored"))
        signal(SIGBUS, SIG_IGN);
}

static int run_child(void) {
    fflush(NULL);
    return system("grep SigIgn /proc/self/status | grep -q '[0-9a-f]*[4-7c-f][0-9a-f]$'");
}

int main(int argc, char **argv) {
    const char *wanted = argc == 2 ? argv[1] : "";
    pthread_t thread;
    void *failed;
    map_nothing();
    if (!check_before())
        return 7;
    set_action(wanted);
    if (is(wanted, "ignored"))
        return run_child() != 0 ? 8 : 0;
    pthread_create(&thread, NULL, write_often, "first");
    pthread_join(thread, &failed);
    if (failed || write_often("second"))
        return 2;
    printf("written\n");
    fflush(stdout);
    if (is(wanted, "default"))
        *(volatile char *)mapped = 1;
    if (is(wanted, "sent"))
        kill(getpid(), SIGBUS);
    if (is(wanted, "caught") || is(wanted, "signalled") || is(wanted, "once"))
        fault();
    if (is(wanted, "caught") || is(wanted, "signalled"))
        fault();
    if (is(wanted, "once") && !check_before())
        return 7;
    printf("caught %d\n", caught);
    return 0;
}
