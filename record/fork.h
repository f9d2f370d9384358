/* fork.h: being told of fork without needing a C library that is GNU's: there pthread_atfork is a part of each program, which a
 * recorder that has it in itself could not be loaded without; other C libraries, such as musl, have it as such. */
#ifndef QUIPU_RECORD_FORK_H
#define QUIPU_RECORD_FORK_H

#include <dlfcn.h>
#include <stddef.h>

/* before is called in the parent, and may be NULL; begin_child in each child of fork, before the program goes on there. */
static inline void quipu__at_fork(void (*before)(void), void (*begin_child)(void)) {
    typedef void handler(void);
    int (*const of_gnu)(handler *, handler *, handler *, void *) = (__extension__(
        int (*)(handler *, handler *, handler *, void *)) dlsym(RTLD_DEFAULT, "__register_atfork"));
    int (*const of_others)(handler *, handler *, handler *) =
        (__extension__(int (*)(handler *, handler *, handler *)) dlsym(RTLD_DEFAULT, "pthread_atfork"));
    if (of_gnu)
        of_gnu(before, NULL, begin_child, NULL);
    else if (of_others)
        of_others(before, NULL, begin_child);
}

#endif
