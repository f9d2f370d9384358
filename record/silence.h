/* silence.h: what a recorder writes by itself does not end the program by a signal: a file that may not grow any more (SIGXFSZ) or a pipe
 * without a reader (SIGPIPE) is an error of the recorder's call, and none of the program's business. What could cancel the thread waits, too.
 *
 *     const struct quipu__silence silence = quipu__silence_begin();
 *     ...                                          may write
 *     quipu__silence_end(&silence);                errno stays what it is */
#ifndef QUIPU_RECORD_SILENCE_H
#define QUIPU_RECORD_SILENCE_H

#include "record/shield.h"

#include <signal.h>
#include <time.h>

struct quipu__silence {
    sigset_t before, due; /* signals that were blocked; that wait already */
    int shield;
};

static inline sigset_t quipu__silenced_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    sigaddset(&signals, SIGPIPE);
    return signals;
}

static inline struct quipu__silence quipu__silence_begin(void) {
    struct quipu__silence silence;
    const sigset_t silenced = quipu__silenced_signals();
    silence.shield = quipu__shield_begin();
    pthread_sigmask(SIG_BLOCK, &silenced, &silence.before);
    sigpending(&silence.due);
    return silence;
}

/* Takes back what has come meanwhile. */
static inline void quipu__silence_end(const struct quipu__silence *silence) {
    static const struct timespec no_time;
    const int reason = errno;
    sigset_t own = quipu__silenced_signals();
    if (sigismember(&silence->due, SIGXFSZ) == 1)
        sigdelset(&own, SIGXFSZ);
    if (sigismember(&silence->due, SIGPIPE) == 1)
        sigdelset(&own, SIGPIPE);
    while (sigtimedwait(&own, NULL, &no_time) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &silence->before, NULL);
    errno = reason;
    quipu__shield_end(silence->shield);
}

#endif
