/* keyword.h: the keyword that a line begins with, as one word, and the form it is known to stand for.
 *
 * What a line is depends on its keyword only, once it is followed by no capital letter. So what the complete decoder has
 * found out by comparing with the table of forms is kept in mind (lines.h): 10 instructions instead of up to 700.
 */
#ifndef QUIPU_OTF_KEYWORD_H
#define QUIPU_OTF_KEYWORD_H

#include "formats/otf/hex.h"
#include "formats/otf/lines.h"

/* The capitals at p as a word, 0 when there are none or more than 7. 8 bytes must be readable. Some bytes that are no
 * letters pass for capitals; no known keyword has them. */
QUIPU__INLINE uint64_t quipu__otf_keyword_at(const uint8_t *p, unsigned *len) {
    const uint64_t word = quipu__load_le64(p);
    const uint64_t others = (word | ~(word >> 1)) & QUIPU__OTF_EACH(0x20);
    const unsigned count = others ? quipu__trailing_zeros(others) >> 3 : 0;
    *len = count;
    return count ? word & UINT64_MAX >> (64 - 8 * count) : 0;
}

/* What is known of a keyword, NULL when it was not met before. */
QUIPU__INLINE const struct quipu__otf_known *quipu__otf_known_of(const struct quipu__otf_memo *memo,
                                                                 uint64_t keyword) {
    const struct quipu__otf_known *known = &memo->known[quipu__otf_place_of(keyword)];
    return known->keyword == keyword ? known : NULL;
}

#endif
