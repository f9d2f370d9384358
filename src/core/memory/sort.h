/* sort.h: sorting of lists that may be long. qsort takes memory that no gate counts; this asks the gate, and so may use memory
 * in a file (core/memory/budget.c). */
#ifndef QUIPU_CORE_MEMORY_SORT_H
#define QUIPU_CORE_MEMORY_SORT_H

#include "core/memory/memory.h"

/* A stable qsort. compare gets items of the list, or copies of them. False when memory is out: then the list is unchanged. */
QUIPU_CHECKED bool quipu__sort(struct quipu__memory *memory, void *items, size_t count, size_t size,
                               int (*compare)(const void *, const void *));

#endif
