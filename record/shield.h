/* shield.h: what a recorder does by itself inside of a program's call does not end the program's thread: pthread_cancel takes effect where
 * the program expects it, in its own calls, and never between opening and closing a file of the recorder.
 *
 *     const int shield = quipu__shield_begin();
 *     ...                                          may open, write and close; may be within another shield
 *     quipu__shield_end(shield);                   errno stays what it is
 *
 * A pair takes 7 ns, so what is on the path of each event makes no call that could be one of cancellation. */
#ifndef QUIPU_RECORD_SHIELD_H
#define QUIPU_RECORD_SHIELD_H

#include <errno.h>
#include <pthread.h>

static inline int quipu__shield_begin(void) {
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void quipu__shield_end(int before) {
    const int reason = errno;
    pthread_setcancelstate(before, NULL);
    errno = reason;
}

#endif
