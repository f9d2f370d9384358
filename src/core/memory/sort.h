/* sort.h: sorting that keeps the order of what is equal, as qsort does not promise, with memory that the gate counts, and that may lie
 * in a file (core/memory/budget.c). */
#ifndef QUIPU_CORE_MEMORY_SORT_H
#define QUIPU_CORE_MEMORY_SORT_H

#include "core/memory/memory.h"

/* A stable qsort. compare gets items of the list, or copies of them. False when memory is out: then the list is unchanged. */
QUIPU_CHECKED bool quipu__sort(struct quipu__memory *memory, void *items, size_t count, size_t size,
                               int (*compare)(const void *, const void *));

#endif
