/* vec.c: growing arrays. */
#include "core/memory/vec.h"

#include <assert.h>
#include <string.h>

static bool refuse(struct quipu__memory *memory) {
    quipu__memory_refuse(memory);
    return false;
}

static bool grow(struct quipu__memory *memory, void **items, size_t count, size_t *capacity, size_t size,
                 size_t more) {
    if (more > SIZE_MAX / size / 4 || count > SIZE_MAX / size / 4)
        return refuse(memory);
    size_t wanted = *capacity ? *capacity * 2 : 8;
    if (wanted < count + more)
        wanted = count + more;
    void *grown = quipu__resize(memory, *items, *capacity * size, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

bool quipu__vec_room(struct quipu__memory *memory, void **items, size_t *count, size_t *capacity, size_t size,
                     size_t more) {
    assert(size > 0 && *count <= *capacity && (*items || *capacity == 0));
    if (more == 0)
        return true;
    if (*capacity - *count < more && !grow(memory, items, *count, capacity, size, more))
        return false;
    memset((uint8_t *)*items + *count * size, 0, more * size);
    return true;
}
