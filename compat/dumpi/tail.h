/* tail.h: what the last bytes of a file say about it, which is where whoever opens one begins. */
#ifndef COMPAT_DUMPI_TAIL_H
#define COMPAT_DUMPI_TAIL_H

#include "formats/dumpi/format.h"

#define QUIPU__UNDUMPI_TAIL_BYTES ((size_t)QUIPU__DUMPI_INDEX_WORDS * 8)

/* The index of a file of file_bytes, by its last size bytes; offsets that cannot be become 0. False: there is none. */
static inline bool quipu__undumpi_index_of(const uint8_t *tail, size_t size, uint64_t file_bytes,
                                           struct quipu__dumpi_index *out) {
    if (!quipu__dumpi_index_decode(tail, size, out) ||
        file_bytes < QUIPU__DUMPI_BODY + QUIPU__DUMPI_BEGIN_BYTES + quipu__dumpi_index_bytes(out))
        return false;
    for (size_t i = 0; i < QUIPU__DUMPI_SECTION_COUNT; i++)
        if (quipu__dumpi_word(out, i) >= file_bytes)
            quipu__dumpi_set_word(out, i, 0);
    return true;
}

#endif
