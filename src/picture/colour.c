/* colour.c: the colours of regions: a hue for each use, and a tone of it by the name. */
#include "picture/figure.h"

#include <stdio.h>

enum { TONES = 4 };

static const char *const hues[QUIPU_REGION_ROLE_COUNT] = {
    [QUIPU_REGION_FUNCTION] = "useful",
    [QUIPU_REGION_MPI_P2P] = "p2p",
    [QUIPU_REGION_MPI_COLLECTIVE] = "collective",
    [QUIPU_REGION_MPI_RMA] = "rma",
    [QUIPU_REGION_MPI_IO] = "io",
    [QUIPU_REGION_MPI_OTHER] = "runtime",
    [QUIPU_REGION_IO] = "io",
    [QUIPU_REGION_SYNC] = "sync",
    [QUIPU_REGION_RUNTIME] = "runtime",
    [QUIPU_REGION_TASK] = "useful",
    [QUIPU_REGION_USER] = "useful",
    [QUIPU_REGION_IDLE] = "idle",
};

/* Of the name alone, so that all traces agree. */
static unsigned tone_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return (hash ^ hash >> 15) % TONES;
}

const char *quipu__region_colour(enum quipu_region_role role, const char *name,
                                 char text[QUIPU__COLOUR_BYTES]) {
    snprintf(text, QUIPU__COLOUR_BYTES, "%s-%u", hues[role], tone_of(name));
    return text;
}
