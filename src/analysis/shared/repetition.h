/* repetition.h: where a sequence of numbers repeats itself at least three times in a row. */
#ifndef QUIPU_ANALYSIS_SHARED_REPETITION_H
#define QUIPU_ANALYSIS_SHARED_REPETITION_H

#include "core/memory/memory.h"

/* count times period items from start on; count is 0 when there is none. */
struct quipu__repetition {
    size_t start, period, count;
};

/* The repetition that covers most; of equals that with the smaller period, then that which starts earlier. With a wanted count other
 * than 0, that among those of so many times. False when memory is out. */
QUIPU_CHECKED bool quipu__repetition_find(struct quipu__memory *memory, const uint64_t *items, size_t count,
                                          size_t wanted, struct quipu__repetition *out);

#endif
