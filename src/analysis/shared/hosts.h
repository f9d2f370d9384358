/* hosts.h: which locations are on the same host: of thousands of hosts, too, in a time that grows with the locations only. */
#ifndef QUIPU_ANALYSIS_SHARED_HOSTS_H
#define QUIPU_ANALYSIS_SHARED_HOSTS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"

#include <quipu/model.h>

struct quipu__hosts {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__map of_name;  /* the first location of a host, by a hash of its name */
    QUIPU__VEC(uint32_t) first; /* by location, as far as they have been looked at */
};

static inline void quipu__hosts_init(struct quipu__hosts *hosts, struct quipu__memory *memory,
                                     const struct quipu_definitions *definitions) {
    *hosts = (struct quipu__hosts){.memory = memory, .definitions = definitions};
    quipu__map_init(&hosts->of_name, memory);
}
static inline void quipu__hosts_release(struct quipu__hosts *hosts) {
    quipu__map_release(&hosts->of_name);
    QUIPU__VEC_RELEASE(hosts->memory, &hosts->first);
}

/* The first location of the host that a location is on: those without a host share one. The location itself where it is not defined, or
 * memory is out, which the gate knows. */
uint32_t quipu__host_first(struct quipu__hosts *hosts, uint32_t location);

/* The name of the host of a location; empty where it has none. */
static inline const char *quipu__host_name(const struct quipu_definitions *definitions, uint32_t location) {
    const char *name = definitions->locations.items[location].host;
    return name ? name : "";
}

#endif
