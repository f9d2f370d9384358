/* path_uses.h: what the time in a path of calls is for. The innermost communication call decides; without one the innermost call for I/O, a
 * runtime system, synchronisation or idleness; without any it is useful. */
#ifndef QUIPU_ANALYSIS_SHARED_PATH_USES_H
#define QUIPU_ANALYSIS_SHARED_PATH_USES_H

#include "state/call_path.h"
#include "state/communication.h"

#include <quipu/model.h>

struct quipu__path_use {
    uint32_t call; /* the path of the call that decides */
    uint8_t role;  /* of its region; QUIPU_REGION_FUNCTION: the time is useful */
    bool communicates;
};

struct quipu__path_uses {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    QUIPU__VEC(struct quipu__path_use) uses; /* by path, as far as is known */
};

/* The rule: whether the time in a call of a region is for what the call around it is for. */
static inline bool quipu__use_is_of_outer_call(enum quipu__region_use use, bool outer_communicates) {
    return use == QUIPU__REGION_COMPUTES || (outer_communicates && use < QUIPU__REGION_COMMUNICATES);
}

static inline void quipu__path_uses_release(struct quipu__path_uses *uses) {
    QUIPU__VEC_RELEASE(uses->memory, &uses->uses);
}

/* Of a path that is not known yet. */
struct quipu__path_use quipu__path_use_find(struct quipu__path_uses *uses,
                                            const struct quipu__call_paths *paths, uint32_t path);

/* Release when paths get other numbers. Useful when memory is out, which the gate knows. */
static inline struct quipu__path_use quipu__path_use_of(struct quipu__path_uses *uses,
                                                        const struct quipu__call_paths *paths, uint32_t path) {
    return path < uses->uses.count ? uses->uses.items[path] : quipu__path_use_find(uses, paths, path);
}

static inline bool quipu__path_is_useful(struct quipu__path_uses *uses, const struct quipu__call_paths *paths,
                                         uint32_t path) {
    return quipu__path_use_of(uses, paths, path).role == QUIPU_REGION_FUNCTION;
}

#endif
