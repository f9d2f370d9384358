/* useful_paths.c: see useful_paths.h. */
#include "analysis/useful_paths.h"

#include "state/communication.h"

void quipu__useful_paths_release(struct quipu__useful_paths *useful) {
    QUIPU__VEC_RELEASE(useful->memory, &useful->uses);
}

static bool is_useful_role(enum quipu_region_role role) {
    switch (role) {
    case QUIPU_REGION_MPI_IO:
    case QUIPU_REGION_IO:
    case QUIPU_REGION_RUNTIME:
    case QUIPU_REGION_SYNC:
    case QUIPU_REGION_IDLE:
        return false;
    default:
        return true;
    }
}

static bool is_useful(const struct quipu_definitions *definitions, const struct quipu__call_paths *paths,
                      uint32_t path) {
    for (; path != QUIPU__NO_CALLS; path = paths->list.items[path].parent) {
        const uint32_t region = paths->list.items[path].region;
        if (quipu__region_communicates(definitions, region) ||
            (region < definitions->regions.count && !is_useful_role(definitions->regions.items[region].role)))
            return false;
    }
    return true;
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
