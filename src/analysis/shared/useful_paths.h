/* useful_paths.h: in which paths of calls time is useful: outside of any communication, I/O, runtime system, synchronisation and idleness. */
#ifndef QUIPU_ANALYSIS_SHARED_USEFUL_PATHS_H
#define QUIPU_ANALYSIS_SHARED_USEFUL_PATHS_H

#include "state/call_path.h"

struct quipu__useful_paths {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    QUIPU__VEC(uint8_t) uses; /* by path, as far as is known */
};

void quipu__useful_paths_release(struct quipu__useful_paths *useful);

bool quipu__useful_path_find(struct quipu__useful_paths *useful, const struct quipu__call_paths *paths,
                             uint32_t path);

enum { QUIPU__USE_UNKNOWN, QUIPU__USE_USEFUL, QUIPU__USE_OTHER };

/* Release when paths get other numbers. */
static inline bool quipu__useful_paths_have(struct quipu__useful_paths *useful,
                                            const struct quipu__call_paths *paths, uint32_t path) {
    const uint8_t use = path < useful->uses.count ? useful->uses.items[path] : QUIPU__USE_UNKNOWN;
    return use == QUIPU__USE_UNKNOWN ? quipu__useful_path_find(useful, paths, path) : use == QUIPU__USE_USEFUL;
}

#endif
