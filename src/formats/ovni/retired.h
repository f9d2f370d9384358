/* retired.h: tasks that have ended. Their numbers may not be used again, and some of them may run again; so of each its type stays,
 * in a byte, and the table of tasks holds only those that live. Numbers are counted up in most traces: a page has 64 of them, and
 * a page whose tasks have all ended and are of one type is no more than that type. */
#ifndef QUIPU_OVNI_RETIRED_H
#define QUIPU_OVNI_RETIRED_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

enum { QUIPU__OVNI_RETIRED_PAGE = 64 };

struct quipu__ovni_retired_page {
    uint8_t types[QUIPU__OVNI_RETIRED_PAGE]; /* plus 1; 0: not retired */
    uint32_t count;
    uint32_t next_unused;
};

struct quipu__ovni_retired {
    struct quipu__memory *memory;
    struct quipu__map pages; /* of a number / 64: the page, or the type of a complete one */
    QUIPU__VEC(struct quipu__ovni_retired_page) list;
    uint32_t unused; /* the first page that can be used again, plus 1; 0: none */
};

void quipu__ovni_retired_init(struct quipu__ovni_retired *retired, struct quipu__memory *memory);
void quipu__ovni_retired_release(struct quipu__ovni_retired *retired);

/* Adds a task; false when that cannot be, since memory is out or there are too many types: then the table must hold it. */
bool quipu__ovni_retired_add(struct quipu__ovni_retired *retired, uint32_t task, uint32_t type);

/* The type of a task; QUIPU_NONE when it is not there. */
uint32_t quipu__ovni_retired_get(const struct quipu__ovni_retired *retired, uint32_t task);

/* Takes a task out that is there. False when memory is out. */
QUIPU_CHECKED bool quipu__ovni_retired_remove(struct quipu__ovni_retired *retired, uint32_t task);

#endif
