/* useful_paths.c: see useful_paths.h. */
#include "analysis/shared/useful_paths.h"

#include "state/communication.h"

void quipu__useful_paths_release(struct quipu__useful_paths *useful) {
    QUIPU__VEC_RELEASE(useful->memory, &useful->uses);
}

/* A path that another one continues has a lower number, so it is looked at first, and each path is looked at once. */
static bool is_useful(const struct quipu__useful_paths *useful, const struct quipu__call_paths *paths,
                      uint32_t path) {
    const struct quipu__call_path *item = &paths->list.items[path];
    return path == QUIPU__NO_CALLS ||
           (quipu__region_use_of(useful->definitions, item->region) == QUIPU__REGION_COMPUTES &&
            useful->uses.items[item->parent] == QUIPU__USE_USEFUL);
}

bool quipu__useful_path_find(struct quipu__useful_paths *useful, const struct quipu__call_paths *paths,
                             uint32_t path) {
    if (!QUIPU__VEC_RESERVE(useful->memory, &useful->uses, path + 1 - useful->uses.count))
        return false;
    for (uint32_t i = (uint32_t)useful->uses.count; i <= path; i++)
        useful->uses.items[useful->uses.count++] =
            is_useful(useful, paths, i) ? QUIPU__USE_USEFUL : QUIPU__USE_OTHER;
    return useful->uses.items[path] == QUIPU__USE_USEFUL;
}
