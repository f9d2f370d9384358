/* call_path.c: see call_path.h. */
#include "state/call_path.h"

bool quipu__call_paths_init(struct quipu__call_paths *paths, struct quipu__memory *memory) {
    *paths = (struct quipu__call_paths){.memory = memory};
    quipu__map_init(&paths->numbers, memory);
    for (size_t i = 0; i < QUIPU__RECENT_PATHS; i++)
        paths->recent[i].key = UINT64_MAX;
    struct quipu__call_path *none = QUIPU__VEC_ADD(memory, &paths->list);
    if (!none)
        return false;
    *none = (struct quipu__call_path){.parent = QUIPU_NONE, .region = QUIPU_NONE};
    return true;
}

void quipu__call_paths_release(struct quipu__call_paths *paths) {
    QUIPU__VEC_RELEASE(paths->memory, &paths->list);
    quipu__map_release(&paths->numbers);
}

static uint32_t add(struct quipu__call_paths *paths, uint64_t key) {
    struct quipu__call_path *path = QUIPU__VEC_ADD(paths->memory, &paths->list);
    if (!path)
        return QUIPU_NONE;
    const uint32_t parent = (uint32_t)(key >> 32), number = (uint32_t)(paths->list.count - 1);
    *path = (struct quipu__call_path){parent, (uint32_t)key, paths->list.items[parent].depth + 1};
    return quipu__map_put(&paths->numbers, key, number) ? number : QUIPU_NONE;
}

uint32_t quipu__call_path_enter_slow(struct quipu__call_paths *paths, uint32_t parent, uint32_t region) {
    const uint64_t key = (uint64_t)parent << 32 | region;
    uint32_t number = quipu__map_get(&paths->numbers, key);
    if (number == QUIPU_NONE)
        number = add(paths, key);
    if (number != QUIPU_NONE) {
        const uint32_t index = (parent * 61 + region) % QUIPU__RECENT_PATHS;
        paths->recent[index].key = key;
        paths->recent[index].path = number;
    }
    return number;
}

/* The beginning of a path that has that depth. */
static uint32_t beginning_of(const struct quipu__call_paths *paths, uint32_t path, uint32_t depth) {
    while (paths->list.items[path].depth > depth)
        path = paths->list.items[path].parent;
    return path;
}

int quipu__call_path_compare(const struct quipu__call_paths *paths, uint32_t a, uint32_t b,
                             int (*compare_regions)(const void *context, uint32_t a, uint32_t b),
                             const void *context) {
    const uint32_t a_depth = paths->list.items[a].depth, b_depth = paths->list.items[b].depth;
    uint32_t left = beginning_of(paths, a, b_depth), right = beginning_of(paths, b, a_depth);
    int order = (a_depth > b_depth) - (a_depth < b_depth);
    for (; left != right; left = paths->list.items[left].parent, right = paths->list.items[right].parent) {
        const int here =
            compare_regions(context, paths->list.items[left].region, paths->list.items[right].region);
        order = here != 0 ? here : order;
    }
    return order;
}
