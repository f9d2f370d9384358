/* call_path.h: paths of calls as numbers: which regions are active, from the outermost to the innermost.
 *
 * The empty path has number 0; every other path extends its parent by one region. A path is made when a location first enters it, and stays:
 * there are as many paths as different call stacks, not as many as calls.
 */
#ifndef QUIPU_STATE_CALL_PATH_H
#define QUIPU_STATE_CALL_PATH_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <quipu/model.h>

struct quipu__call_path {
    uint32_t parent, region, depth;
    uint32_t source; /* where the region was called, QUIPU_NONE: paths do not say */
};

enum { QUIPU__NO_CALLS = 0 };

struct quipu__recent_path {
    uint64_t key;
    uint32_t path;
};

struct quipu__call_paths {
    struct quipu__memory *memory;
    QUIPU__VEC(struct quipu__call_path) list;
    struct quipu__map numbers;         /* by parent and region */
    struct quipu__recent_path *recent; /* nearly all enters find theirs here */
    uint32_t mask;                     /* their number, a power of two, minus 1 */
};

/* False when memory is out; release in any case. */
QUIPU_CHECKED bool quipu__call_paths_init(struct quipu__call_paths *paths, struct quipu__memory *memory);
void quipu__call_paths_release(struct quipu__call_paths *paths);

/* The path of a region entered at the end of a path; QUIPU_NONE when memory is out. */
uint32_t quipu__call_path_enter_slow(struct quipu__call_paths *paths, uint32_t parent, uint32_t region);

static inline uint32_t quipu__recent_path_index(uint32_t parent, uint32_t region, uint32_t mask) {
    return (parent * 61 + region) & mask;
}

static inline uint32_t quipu__call_path_enter(struct quipu__call_paths *paths, uint32_t parent,
                                              uint32_t region) {
    const uint64_t key = (uint64_t)parent << 32 | region;
    const struct quipu__recent_path *recent =
        &paths->recent[quipu__recent_path_index(parent, region, paths->mask)];
    return recent->key == key ? recent->path : quipu__call_path_enter_slow(paths, parent, region);
}

/* The path whose last region was called at a source location, of one that does not say; QUIPU_NONE when memory is out. */
uint32_t quipu__call_path_at(struct quipu__call_paths *paths, uint32_t path, uint32_t source);

/* The innermost region, QUIPU_NONE outside any region. */
static inline uint32_t quipu__call_path_region(const struct quipu__call_paths *paths, uint32_t path) {
    return paths->list.items[path].region;
}

/* The outermost one, likewise. */
static inline uint32_t quipu__call_path_outermost(const struct quipu__call_paths *paths, uint32_t path) {
    while (paths->list.items[path].depth > 1)
        path = paths->list.items[path].parent;
    return paths->list.items[path].region;
}

/* ---- call_path_order.c ---- */

/* The position of each path in an order, by its number: outermost regions decide first, and a path comes before its extensions. Paths whose
 * last parts have pairwise equal positions have the same position. position_of is the position of the last part of a path; NULL: the number of its region. Each path is
 * examined once, however long it is. Release it with quipu__call_path_positions_release; NULL when memory is out. */
uint32_t *quipu__call_path_positions(const struct quipu__call_paths *paths,
                                     uint32_t (*position_of)(const void *context, uint32_t path),
                                     const void *context);
static inline void quipu__call_path_positions_release(const struct quipu__call_paths *paths,
                                                      uint32_t *positions) {
    quipu__release(paths->memory, positions, positions ? paths->list.count * sizeof *positions : 0);
}

#endif
