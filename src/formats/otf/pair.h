/* pair.h: two hexadecimal numbers of up to eight digits at once, as in the two lines that make up most of a trace.
 *
 * Where the processor has SSE2 both go through it together, in half the instructions of one after the other (26
 * instead of 50); elsewhere hex.h reads them one by one. Digits are handed over bare: without what '0' consists of, so that
 * shifting a number to its end, the first digit of the word being the lowest byte, fills its front with zeros.
 */
#ifndef QUIPU_OTF_PAIR_H
#define QUIPU_OTF_PAIR_H

#include "formats/otf/hex.h"

#if QUIPU__SSE2
#include <emmintrin.h>
#endif

QUIPU__INLINE uint64_t quipu__otf_bare_digits(uint64_t word) {
    return word ^ QUIPU__OTF_EACH(0x30);
}

/* The two numbers, left above right. *valid is false when not all bytes are digits.
 *
 * Letters are moved down to follow from 4: then a byte is a digit when it is at most 9. With that they get their values,
 * and neighbours are joined. */
QUIPU__INLINE uint64_t quipu__otf_pack_pair(uint64_t left, uint64_t right, bool *valid) {
#if QUIPU__SSE2
    const __m128i bare =
        _mm_unpacklo_epi64(_mm_cvtsi64_si128((int64_t)left), _mm_cvtsi64_si128((int64_t)right));
    const __m128i text = _mm_xor_si128(bare, _mm_set1_epi8(0x30));
    const __m128i letters = _mm_cmpgt_epi8(text, _mm_set1_epi8(0x60));
    const __m128i moved = _mm_sub_epi8(_mm_sub_epi8(text, _mm_set1_epi8(0x30)),
                                       _mm_and_si128(letters, _mm_set1_epi8('a' - 0x30 - 4)));
    *valid = _mm_movemask_epi8(_mm_adds_epu8(moved, _mm_set1_epi8(0x7f - 9))) == 0;
    const __m128i values = _mm_add_epi8(moved, _mm_and_si128(letters, _mm_set1_epi8(10 - 4)));
    const __m128i joined = _mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8));
    const __m128i bytes = _mm_packus_epi16(_mm_and_si128(joined, _mm_set1_epi16(0xff)), _mm_setzero_si128());
    return quipu__swap64((uint64_t)_mm_cvtsi128_si64(bytes));
#else
    *valid = true;
    const uint64_t high = quipu__otf_pack_digits(quipu__otf_bare_digits(left), valid);
    return high << 32 | quipu__otf_pack_digits(quipu__otf_bare_digits(right), valid);
#endif
}

#endif
