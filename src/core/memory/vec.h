/* vec.h: growable arrays behind the memory gate, for any element type.
 *
 *     QUIPU__VEC(uint32_t) list = QUIPU__VEC_INIT;       list.items[i], list.count
 *     if (!QUIPU__VEC_PUT(memory, &list, 7)) …           memory is out
 *     uint32_t *slot = QUIPU__VEC_ADD(memory, &list);    NULL when memory is out
 */
#ifndef QUIPU_CORE_MEMORY_VEC_H
#define QUIPU_CORE_MEMORY_VEC_H

#include "core/memory/memory.h"

#define QUIPU__VEC(type)                                                                                       \
    struct {                                                                                                   \
        type *items;                                                                                           \
        size_t count, capacity;                                                                                \
    }
#define QUIPU__VEC_INIT                                                                                        \
    { NULL, 0, 0 }

/* Makes room for one more element and returns its place, zeroed; NULL when memory is out. */
#define QUIPU__VEC_ADD(memory, vec)                                                                            \
    (quipu__vec_room((memory), (void **)&(vec)->items, &(vec)->count, &(vec)->capacity, sizeof *(vec)->items,  \
                     1)                                                                                        \
         ? &(vec)->items[(vec)->count++]                                                                       \
         : NULL)

/* Adds an element: a value of its type. False when memory is out. */
#define QUIPU__VEC_PUT(memory, vec, ...)                                                                       \
    (quipu__vec_room((memory), (void **)&(vec)->items, &(vec)->count, &(vec)->capacity, sizeof *(vec)->items,  \
                     1) &&                                                                                     \
     ((vec)->items[(vec)->count++] = __VA_ARGS__, true))

/* Makes room for count more elements, zeroed, without adding them; false when memory is out. */
#define QUIPU__VEC_RESERVE(memory, vec, more)                                                                  \
    quipu__vec_room((memory), (void **)&(vec)->items, &(vec)->count, &(vec)->capacity, sizeof *(vec)->items,   \
                    (more))

#define QUIPU__VEC_RELEASE(memory, vec)                                                                        \
    do {                                                                                                       \
        quipu__release((memory), (vec)->items, (vec)->capacity * sizeof *(vec)->items);                        \
        (vec)->items = NULL;                                                                                   \
        (vec)->count = (vec)->capacity = 0;                                                                    \
    } while (0)

QUIPU_CHECKED bool quipu__vec_room(struct quipu__memory *memory, void **items, size_t *count, size_t *capacity,
                                   size_t size, size_t more);

#endif
