/* guard.h: the inside of struct quipu_guard (base.h): what the outputs of a program must not replace, and the outputs that are
 * under way, for a signal handler. The handler interrupts the thread that writes, so each change here is one store, in an
 * order that leaves the lists whole at any time. */
#ifndef QUIPU_CORE_GUARD_H
#define QUIPU_CORE_GUARD_H

#include "core/taken.h"

#include <stdatomic.h>

/* A temporary file, or a folder that was made for some, first in the list of its set. */
struct quipu__temporary {
    const char *path; /* NULL: none */
    bool is_folder;
    struct quipu__temporary *next;
};

/* The temporary files and folders of a set of outputs. */
struct quipu__temporaries {
    _Atomic(struct quipu__temporary *) first;
    struct quipu__temporaries *next;
};

struct quipu_guard {
    struct quipu__memory memory;
    struct quipu__taken taken;
    _Atomic(struct quipu__temporaries *) sets;
    atomic_int completing; /* sets whose files are getting their names */
};

/* guard may be NULL in all of these. */
void quipu__guard_begin(struct quipu_guard *guard, struct quipu__temporaries *set);
void quipu__guard_end(struct quipu_guard *guard, const struct quipu__temporaries *set);
void quipu__guard_complete(struct quipu_guard *guard, bool is_begin);

/* Before the file is made; a folder after it. */
void quipu__temporaries_add(struct quipu__temporaries *set, struct quipu__temporary *temporary);

#endif
