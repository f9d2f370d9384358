/* useful_paths.c: see useful_paths.h. */
#include "analysis/useful_paths.h"

#include "state/communication.h"

void quipu__useful_paths_release(struct quipu__useful_paths *useful) {
    QUIPU__VEC_RELEASE(useful->memory, &useful->uses);
}

static bool is_useful(const struct quipu_definitions *definitions, const struct quipu__call_paths *paths,
                      uint32_t path) {
    while (path != QUIPU__NO_CALLS &&
           quipu__region_use_of(definitions, paths->list.items[path].region) == QUIPU__REGION_COMPUTES)
        path = paths->list.items[path].parent;
    return path == QUIPU__NO_CALLS;
}

bool quipu__useful_path_find(struct quipu__useful_paths *useful, const struct quipu__call_paths *paths,
                             uint32_t path) {
    const size_t known = useful->uses.count;
    const bool answer = is_useful(useful->definitions, paths, path);
    if (path >= known) {
        if (!QUIPU__VEC_RESERVE(useful->memory, &useful->uses, path + 1 - known))
            return false;
        useful->uses.count = (size_t)path + 1;
    }
    useful->uses.items[path] = answer ? QUIPU__USE_USEFUL : QUIPU__USE_OTHER;
    return answer;
}
