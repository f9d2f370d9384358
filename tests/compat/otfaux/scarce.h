/* scarce.h: included before everything else, it gives the library an allocator that scarce.c lets fail. */
#ifndef SCARCE_H
#define SCARCE_H

#include <stdlib.h>

void *scarce_malloc(size_t size);
void *scarce_calloc(size_t count, size_t size);
void *scarce_realloc(void *memory, size_t size);

#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc

#endif
