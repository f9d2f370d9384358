/* strange.c: programs whose streams are closed, or whose signals are set, by functions that call others inside of the C library, and plugins.
 *
 *     strange mounts     closes a stream by endmntent, and uses its memory for something else
 *     strange sigset     gives the action that sigset has told back by signal
 *     strange held       blocks SIGBUS by sigset and asks what it was
 *     strange ignored    ignores SIGBUS by sigignore
 *     strange plugin     opens plugin.so for itself alone, which makes a ring by a library of its own */
#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int close_inside(void) {
    struct mntent entry = {"a", "b", "c", "d", 0, 0};
    char *blocks[64];
    FILE *stream = setmntent("mounts", "w");
    fprintf(stream, "# a table\n");
    addmntent(stream, &entry);
    endmntent(stream);
    for (int i = 0; i < 64; i++) {
        blocks[i] = malloc(i < 32 ? 552 : 472);
        memset(blocks[i], 0x41, i < 32 ? 552 : 472);
    }
    return blocks[0] && blocks[63] ? 4 : 5;
}

static void caught(int number) {
    (void)number;
}

static int set_back(void) {
    void (*before)(int) = sigset(SIGBUS, caught);
    signal(SIGBUS, before);
    raise(SIGBUS);
    return 5;
}

static int hold(void) {
    const int is_default = sigset(SIGBUS, SIG_HOLD) == SIG_DFL;
    raise(SIGBUS);
    return is_default && sigset(SIGBUS, SIG_IGN) == SIG_HOLD ? 6 : 5;
}

static int ignore(void) {
    struct sigaction action;
    sigignore(SIGBUS);
    raise(SIGBUS);
    sigaction(SIGBUS, NULL, &action);
    return action.sa_handler == SIG_IGN ? 7 : 5;
}

static int plug_in(void) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*call)(void) = plugin ? (int (*)(void))dlsym(plugin, "call") : NULL;
    return call ? call() : 5;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "mounts") == 0)
        return close_inside();
    if (strcmp(what, "sigset") == 0)
        return set_back();
    if (strcmp(what, "held") == 0)
        return hold();
    return strcmp(what, "ignored") == 0 ? ignore() : plug_in();
}
