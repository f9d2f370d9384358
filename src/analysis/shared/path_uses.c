/* path_uses.c: see path_uses.h. */
#include "analysis/shared/path_uses.h"

static struct quipu__path_use use_of(const struct quipu__path_uses *uses, const struct quipu__call_paths *paths,
                                     uint32_t path) {
    const struct quipu__call_path *item = &paths->list.items[path];
    if (path == QUIPU__NO_CALLS)
        return (struct quipu__path_use){path, QUIPU_REGION_FUNCTION, false};
    const struct quipu__path_use outer = uses->uses.items[item->parent];
    const enum quipu__region_use use = quipu__region_use_of(uses->definitions, item->region);
    const bool communicates = use >= QUIPU__REGION_COMMUNICATES;
    if (quipu__use_is_of_outer_call(use, outer.communicates))
        return outer;
    return (struct quipu__path_use){path, (uint8_t)uses->definitions->regions.items[item->region].role,
                                    communicates};
}

/* A path that another one continues has a lower number, so it is looked at first, and each path is looked at once. */
struct quipu__path_use quipu__path_use_find(struct quipu__path_uses *uses,
                                            const struct quipu__call_paths *paths, uint32_t path) {
    if (!QUIPU__VEC_RESERVE(uses->memory, &uses->uses, path + 1 - uses->uses.count))
        return (struct quipu__path_use){QUIPU__NO_CALLS, QUIPU_REGION_FUNCTION, false};
    for (uint32_t i = (uint32_t)uses->uses.count; i <= path; i++) {
        uses->uses.items[i] = use_of(uses, paths, i);
        uses->uses.count++;
    }
    return uses->uses.items[path];
}
