/* bisect.h: searching in what is sorted. */
#ifndef QUIPU_CORE_BISECT_H
#define QUIPU_CORE_BISECT_H

#include <stddef.h>

/* Moves first, a variable of type size_t, to the first number before past whose condition, which may name the number as index, is false: to past
 * when there is none. Those whose condition is true must come before all others. */
#define QUIPU__BISECT(first, past, index, condition)                                                           \
    for (size_t index, past_of_##index = (past); (first) < past_of_##index;)                                   \
        if (index = (first) + (past_of_##index - (first)) / 2, (condition))                                    \
            (first) = index + 1;                                                                               \
        else                                                                                                   \
            past_of_##index = index

#endif
