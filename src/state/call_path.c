/* call_path.c: see call_path.h. */
#include "state/call_path.h"

/* Few of the paths that alternate may share a slot: there are four slots for each path. */
enum { RECENT_LEAST = 256, RECENT_MOST = 1 << 16, SLOTS = 4 };

static size_t recent_count(const struct quipu__call_paths *paths) {
    return paths->recent ? (size_t)paths->mask + 1 : 0;
}

/* Sets the length of the list of recent paths, and forgets them. */
static bool set_recent(struct quipu__call_paths *paths, size_t count) {
    struct quipu__recent_path *recent = quipu__resize(
        paths->memory, paths->recent, recent_count(paths) * sizeof *recent, count * sizeof *recent);
    if (!recent)
        return false;
    paths->recent = recent;
    paths->mask = (uint32_t)count - 1;
    for (size_t i = 0; i < count; i++)
        recent[i].key = UINT64_MAX;
    return true;
}

bool quipu__call_paths_init(struct quipu__call_paths *paths, struct quipu__memory *memory) {
    *paths = (struct quipu__call_paths){.memory = memory};
    quipu__map_init(&paths->numbers, memory);
    if (!set_recent(paths, RECENT_LEAST))
        return false;
    return QUIPU__VEC_PUT(
        memory, &paths->list,
        (struct quipu__call_path){.parent = QUIPU_NONE, .region = QUIPU_NONE, .source = QUIPU_NONE});
}

void quipu__call_paths_release(struct quipu__call_paths *paths) {
    QUIPU__VEC_RELEASE(paths->memory, &paths->list);
    quipu__release(paths->memory, paths->recent, recent_count(paths) * sizeof *paths->recent);
    paths->recent = NULL;
    quipu__map_release(&paths->numbers);
}

static uint32_t add(struct quipu__call_paths *paths, uint64_t key) {
    struct quipu__call_path *path = QUIPU__VEC_ADD(paths->memory, &paths->list);
    const size_t recent = recent_count(paths);
    if (!path || (paths->list.count > recent / SLOTS && recent < RECENT_MOST && !set_recent(paths, 2 * recent)))
        return QUIPU_NONE;
    const uint32_t parent = (uint32_t)(key >> 32), number = (uint32_t)(paths->list.count - 1);
    *path = (struct quipu__call_path){parent, (uint32_t)key, paths->list.items[parent].depth + 1, QUIPU_NONE};
    return quipu__map_put(&paths->numbers, key, number) ? number : QUIPU_NONE;
}

uint32_t quipu__call_path_enter_slow(struct quipu__call_paths *paths, uint32_t parent, uint32_t region) {
    const uint64_t key = (uint64_t)parent << 32 | region;
    uint32_t number = quipu__map_get(&paths->numbers, key);
    if (number == QUIPU_NONE)
        number = add(paths, key);
    if (number != QUIPU_NONE) {
        paths->recent[quipu__recent_path_index(parent, region, paths->mask)] =
            (struct quipu__recent_path){key, number};
    }
    return number;
}

uint32_t quipu__call_path_at(struct quipu__call_paths *paths, uint32_t path, uint32_t source) {
    const uint32_t is_source = UINT32_C(1) << 31; /* no region has such a number */
    const uint64_t key = (uint64_t)path << 32 | is_source | source;
    const uint32_t known = quipu__map_get(&paths->numbers, key);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t number = add(paths, key);
    if (number == QUIPU_NONE)
        return number;
    paths->list.items[number] = paths->list.items[path];
    paths->list.items[number].source = source;
    return number;
}
