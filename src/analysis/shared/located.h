/* located.h: the locations of a trace as answers name them: by a name and the format's number. */
#ifndef QUIPU_ANALYSIS_SHARED_LOCATED_H
#define QUIPU_ANALYSIS_SHARED_LOCATED_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <quipu/model.h>

struct quipu__located {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    QUIPU__VEC(int64_t) ranks; /* -1: none */
    struct quipu__map numbers;
};

/* Names are compared up to this length. */
enum { QUIPU__LOCATED_NAME = 256 };

/* What memory does not suffice for is not found: the gate knows. */
void quipu__located_init(struct quipu__located *locations, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions);
static inline void quipu__located_release(struct quipu__located *locations) {
    QUIPU__VEC_RELEASE(locations->memory, &locations->ranks);
    quipu__map_release(&locations->numbers);
}

/* The number of a location, or QUIPU_NONE. */
uint32_t quipu__located_find(const struct quipu__located *locations, const char *name, uint64_t native_id);

/* The rank of a location; threads have that of their process. Where no location has a rank, processes have their order. -1: none. */
int64_t quipu__located_rank(const struct quipu__located *locations, uint32_t location);

/* The name of a location as tables print it. */
void quipu__located_name(const struct quipu_location *location, char out[QUIPU__LOCATED_NAME]);

#endif
