/* guard.c: see guard.h. Linked into recorders that are loaded ahead of programs only, since it has the C library's names. */
#include "record/guard.h"

#include "record/fork.h"
#include "record/ring.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int set_action(int, const struct sigaction *, struct sigaction *);
typedef void (*handler)(int);

static struct {
    set_action *real;
    pid_t pid; /* 0: nothing is guarded */
    struct sigaction program;
} guard;

static set_action *real_sigaction(void) {
    if (!guard.real)
        guard.real = (__extension__(set_action *) dlsym(RTLD_NEXT, "sigaction"));
    return guard.real;
}

/* ---- The signal ---- */

static void look_first(int signal, siginfo_t *info, void *context);

/* The handler is ours, all else of the action the program's. */
static int install(const struct sigaction *wanted) {
    struct sigaction action = *wanted;
    const bool is_default = wanted->sa_handler == SIG_DFL;
    if (wanted->sa_handler == SIG_IGN)
        return real_sigaction()(SIGBUS, wanted, NULL);
    action.sa_sigaction = look_first;
    action.sa_flags = (action.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | (is_default ? SA_ONSTACK : 0);
    return real_sigaction()(SIGBUS, &action, NULL);
}

/* What the system does without a handler, once the signal comes again: the faulting instruction is repeated, or it is sent again. */
static void fall_to_default(const siginfo_t *info) {
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    real_sigaction()(SIGBUS, &by_default, NULL);
    if (info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGBUS);
}

static void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction action = guard.program;
    if (action.sa_handler == SIG_DFL)
        fall_to_default(info);
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
        return;
    if (action.sa_flags & (int)SA_RESETHAND) {
        guard.program.sa_handler = SIG_DFL;
        install(&guard.program);
    }
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, context);
    else
        action.sa_handler(signal);
}

static void look_first(int signal, siginfo_t *info, void *context) {
    const int reason = errno;
    const bool is_ours = info->si_code > 0 && quipu__ring_rescue(info->si_addr);
    errno = reason;
    if (!is_ours)
        pass_on(signal, info, context);
}

/* ---- What programs call ---- */

/* A child of vfork has dispositions of its own, but its parent's memory. */
static bool is_guarded(int signal) {
    return signal == SIGBUS && guard.pid != 0 && getpid() == guard.pid;
}

static int act_elsewhere(int signal, const struct sigaction *wanted, struct sigaction *before) {
    const int result = real_sigaction()(signal, wanted, before);
    if (result == 0 && before && before->sa_flags & SA_SIGINFO && before->sa_sigaction == look_first)
        *before = guard.program;
    return result;
}

/* The recorder's handler, which functions inside of the C library may have given to the program, stands for the program's action. */
static bool is_own(const struct sigaction *action) {
    return action->sa_sigaction == look_first;
}

EXPORT int sigaction(int signal, const struct sigaction *wanted, struct sigaction *before) {
    if (!is_guarded(signal))
        return act_elsewhere(signal, wanted, before);
    const struct sigaction program = guard.program;
    if (wanted) {
        const struct sigaction action = is_own(wanted) ? program : *wanted;
        guard.program = action;
        install(&action);
    }
    if (before)
        *before = program;
    return 0;
}

static handler set_handler(handler wanted, int flags) {
    const struct sigaction action = {.sa_handler = wanted, .sa_flags = flags};
    struct sigaction before;
    sigaction(SIGBUS, &action, &before);
    return before.sa_handler;
}

/* The names of signal(), each with what it asks the system for. */
#define SIGNAL(name, flags)                                                                                    \
    EXPORT handler name(int signal, handler wanted);                                                           \
    EXPORT handler name(int signal, handler wanted) {                                                          \
        static handler (*real)(int, handler);                                                                  \
        if (is_guarded(signal) && wanted != SIG_ERR)                                                           \
            return set_handler(wanted, flags);                                                                 \
        if (!real)                                                                                             \
            real = (__extension__(handler(*)(int, handler)) dlsym(RTLD_NEXT, #name));                          \
        return real(signal, wanted);                                                                           \
    }
SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* Of System V, which block the signal, too. */
EXPORT handler sigset(int signal, handler wanted) {
    static handler (*real)(int, handler);
    sigset_t own, before;
    if (!is_guarded(signal)) {
        if (!real)
            real = (__extension__(handler(*)(int, handler)) dlsym(RTLD_NEXT, "sigset"));
        return real(signal, wanted);
    }
    sigemptyset(&own);
    sigaddset(&own, SIGBUS);
    const bool is_blocking = wanted == SIG_HOLD;
    const handler last = is_blocking ? guard.program.sa_handler : set_handler(wanted, 0);
    pthread_sigmask(is_blocking ? SIG_BLOCK : SIG_UNBLOCK, &own, &before);
    return sigismember(&before, SIGBUS) == 1 ? SIG_HOLD : last;
}

EXPORT int sigignore(int signal) {
    static int (*real)(int);
    if (is_guarded(signal)) {
        set_handler(SIG_IGN, 0);
        return 0;
    }
    if (!real)
        real = (__extension__(int (*)(int)) dlsym(RTLD_NEXT, "sigignore"));
    return real(signal);
}

/* ---- Beginning ---- */

static void begin_child(void) {
    guard.pid = getpid();
}

void quipu__rescue_begin(void) {
    if (guard.pid != 0 || !real_sigaction() || real_sigaction()(SIGBUS, NULL, &guard.program) != 0)
        return;
    if (install(&guard.program) != 0)
        return;
    guard.pid = getpid();
    quipu__at_fork(NULL, begin_child);
}
