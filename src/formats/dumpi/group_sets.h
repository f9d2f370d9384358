/* group_sets.h: ordered sets of processes, and the calls that make one of others. */
#ifndef QUIPU_DUMPI_GROUP_SETS_H
#define QUIPU_DUMPI_GROUP_SETS_H

#include "formats/dumpi/communicators.h"

struct quipu__dumpi_set {
    const uint32_t *members; /* processes */
    uint32_t count;
};

/* The set that a call makes of one or two others, in the arena. False when a set that it needs is not known (NULL) or
 * memory is out. */
QUIPU_CHECKED bool quipu__dumpi_set_make(struct quipu__arena *arena,
                                         const struct quipu__dumpi_constructor *constructor,
                                         const struct quipu__dumpi_set *a, const struct quipu__dumpi_set *b,
                                         struct quipu__dumpi_set *out);

#endif
