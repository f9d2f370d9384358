/* extents.h: which bytes of a file were touched, and by whom: disjoint extents in ascending order. Neighbours that touch and
 * have one owner are one extent, so sequential access takes no memory however large the file is; at worst there are as many
 * extents as distinct ranges were touched. */
#ifndef QUIPU_ANALYSIS_IO_EXTENTS_H
#define QUIPU_ANALYSIS_IO_EXTENTS_H

#include "core/memory/memory.h"
#include "core/memory/vec.h"

/* Owner of what several have touched. */
#define QUIPU__EXTENT_SHARED (QUIPU_NONE - 1)

struct quipu__extent {
    int64_t from, to; /* bytes; to is not in it */
    uint32_t owner;   /* a location, or QUIPU__EXTENT_SHARED */
};

enum { QUIPU__EXTENT_CHUNK = 64 };

struct quipu__extent_chunk {
    uint32_t count; /* never 0 */
    uint32_t capacity;
    struct quipu__extent items[];
};

struct quipu__extents {
    QUIPU__VEC(struct quipu__extent_chunk *) chunks;
};

/* The extent that an owner has touched last: sequential and strided access is found there or right behind it. */
struct quipu__extent_hint {
    uint32_t chunk, item;
};

void quipu__extents_release(struct quipu__extents *extents, struct quipu__memory *memory);

/* The bytes from..to are touched. False when memory is out. hint belongs to the owner and begins as zeros. */
QUIPU_CHECKED bool quipu__extents_touch(struct quipu__extents *extents, struct quipu__memory *memory,
                                        const struct quipu__extent *touched, struct quipu__extent_hint *hint);

/* How much was touched, and by several. */
struct quipu__extent_totals {
    uint64_t bytes, bytes_shared, blocks, blocks_shared;
};
struct quipu__extent_totals quipu__extents_total(const struct quipu__extents *extents, int64_t block_size);

/* Division that rounds towards minus infinity. */
static inline int64_t quipu__floor_div(int64_t value, int64_t by) {
    const int64_t quotient = value / by;
    return quotient - (value % by < 0);
}

#endif
