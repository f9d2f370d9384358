/* scarce.c: an allocator whose every n-th call fails, n being the environment's SCARCE_PERIOD; none without it. */
#include <stdlib.h>

#include "scarce.h"

#undef malloc
#undef calloc
#undef realloc

static int fails(void) {
    static long calls;
    const char *period = getenv("SCARCE_PERIOD");
    return period && ++calls % atol(period) == 0;
}

void *scarce_malloc(size_t size) {
    return fails() ? NULL : malloc(size);
}

void *scarce_calloc(size_t count, size_t size) {
    return fails() ? NULL : calloc(count, size);
}

void *scarce_realloc(void *memory, size_t size) {
    return fails() ? NULL : realloc(memory, size);
}
