/* hex.h: hexadecimal numbers eight digits at a time.
 *
 * Eight bytes are loaded as one word. Digits have bit 5 and bit 4 or 6 set; the newline, the blank and the capitals that
 * end a number do not. So the first byte without them gives the number's length. The digits are then moved to the top of
 * the word, turned into nibbles and packed, all eight at once; turning the nibbles back into digits and comparing tells
 * whether they were digits.
 */
#ifndef QUIPU_CORE_HEX_H
#define QUIPU_CORE_HEX_H

#include "core/os.h"
#include "core/slice.h"

#if QUIPU__SSE2
#include <emmintrin.h>
#endif

/* Bytes that may be read from the place where a number starts. */
#define QUIPU__HEX_BYTES 24

#define QUIPU__HEX_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The value of eight digits, first digit in the lowest byte. *valid is cleared when they are not all digits.
 *
 * Letters are moved down so that they follow 0x30 too. Then a digit has nothing in its upper half, not even when its
 * distance to the last one of its kind (9 or f) is added. Neighbours are joined by multiplying. */
QUIPU__INLINE uint64_t quipu__hex_pack(uint64_t digits, bool *valid) {
    const uint64_t letters = digits >> 6 & QUIPU__HEX_EACH(1);
    const uint64_t offsets = (digits - letters * 0x31) ^ QUIPU__HEX_EACH(0x30);
    *valid &= ((offsets | (offsets + letters * 4 + QUIPU__HEX_EACH(6))) & QUIPU__HEX_EACH(0xf0)) == 0;
    const uint64_t nibbles = offsets + letters * 10;
    const uint64_t bytes = nibbles * 0x1001 >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t halves = bytes * 0x1000001 >> 16 & UINT64_C(0x0000ffff0000ffff);
    return halves * UINT64_C(0x1000000000001) >> 32 & UINT64_C(0xffffffff);
}

/* Number of digits before the first byte that ends a number, at most 8. A blank is such a byte only when blanks is set;
 * the short form has no blanks, and leaving out that test saves a tenth of the time of reading a line. */
QUIPU__INLINE unsigned quipu__hex_count_until(uint64_t word, bool blanks) {
    const uint64_t others = blanks ? ~(word & (word << 1 | word >> 1)) : ~word;
    const uint64_t gaps = others & QUIPU__HEX_EACH(0x20);
    return gaps ? quipu__trailing_zeros(gaps) >> 3 : 8;
}

QUIPU__INLINE unsigned quipu__hex_count(uint64_t word) {
    return quipu__hex_count_until(word, false);
}

/* The first count digits of the word, 1 to 7, after leading zeros. */
QUIPU__INLINE uint64_t quipu__hex_align(uint64_t word, unsigned count) {
    return word << (64 - 8 * count) | QUIPU__HEX_EACH(0x30) >> 8 * count;
}

/* The number at p, of up to 16 digits that a newline, a capital letter or (with blanks) a blank ends. Returns how many
 * digits there are, 0 when it is not such a number. QUIPU__HEX_BYTES must be readable. */
QUIPU__INLINE unsigned quipu__hex_read_until(const uint8_t *p, bool blanks, uint64_t *out) {
    const uint64_t word = quipu__load_le64(p);
    const unsigned count = quipu__hex_count_until(word, blanks);
    bool valid = true;
    if (QUIPU__LIKELY(count - 1 < 7)) {
        *out = quipu__hex_pack(quipu__hex_align(word, count), &valid);
        return valid ? count : 0;
    }
    if (count == 0)
        return 0;
    const uint64_t high = quipu__hex_pack(word, &valid), rest = quipu__load_le64(p + 8);
    const unsigned more = quipu__hex_count_until(rest, blanks);
    if (more == 0) {
        *out = high;
        return valid ? 8 : 0;
    }
    const uint64_t low = quipu__hex_pack(more == 8 ? rest : quipu__hex_align(rest, more), &valid);
    *out = high << 4 * more | low;
    return valid && (more < 8 || p[16] < '0') ? 8 + more : 0; /* longer ones are for the complete decoder */
}

QUIPU__INLINE unsigned quipu__hex_read(const uint8_t *p, uint64_t *out) {
    return quipu__hex_read_until(p, false, out);
}

/* Digits of a number without leading zeros, 1 to 16. */
QUIPU__INLINE unsigned quipu__hex_digits(uint64_t value) {
    return (67 - quipu__leading_zeros(value | 1)) / 4;
}

/* Writes all sixteen digits of a number: the nibbles are spread over the bytes of a register, or of two words. */
#if QUIPU__SSE2

QUIPU__INLINE void quipu__hex_write_all(uint8_t *p, uint64_t value) {
    const __m128i bytes = _mm_cvtsi64_si128((int64_t)quipu__swap64(value)), low = _mm_set1_epi8(15);
    const __m128i nibbles =
        _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), low), _mm_and_si128(bytes, low));
    const __m128i letters = _mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9));
    const __m128i bases =
        _mm_add_epi8(_mm_and_si128(letters, _mm_set1_epi8('a' - 10 - '0')), _mm_set1_epi8('0'));
    _mm_storeu_si128((__m128i *)(void *)p, _mm_add_epi8(nibbles, bases));
}

#else

QUIPU__INLINE void quipu__hex_write_half(uint8_t *p, uint32_t value) {
    const uint64_t halves = value >> 16 | (uint64_t)(value & 0xffff) << 32;
    const uint64_t bytes =
        (halves >> 8 & UINT64_C(0x000000ff000000ff)) | (halves & UINT64_C(0x000000ff000000ff)) << 16;
    const uint64_t nibbles =
        (bytes >> 4 & UINT64_C(0x000f000f000f000f)) | (bytes & UINT64_C(0x000f000f000f000f)) << 8;
    const uint64_t letters = (nibbles + QUIPU__HEX_EACH(6)) >> 4 & QUIPU__HEX_EACH(1);
    const uint64_t digits = nibbles + QUIPU__HEX_EACH(0x30) + letters * 39;
    for (unsigned i = 0; i < 8; i++) /* compilers make one store of it where they can */
        p[i] = (uint8_t)(digits >> 8 * i);
}

QUIPU__INLINE void quipu__hex_write_all(uint8_t *p, uint64_t value) {
    quipu__hex_write_half(p, (uint32_t)(value >> 32));
    quipu__hex_write_half(p + 8, (uint32_t)value);
}

#endif

/* Writes a number without leading zeros; returns the place after it. 16 bytes must be writable. */
QUIPU__INLINE uint8_t *quipu__hex_write(uint8_t *p, uint64_t value) {
    const unsigned count = quipu__hex_digits(value);
    quipu__hex_write_all(p, value << (64 - 4 * count));
    return p + count;
}

/* ---- Two at once ----
 *
 * Most of a trace is pairs of lines with a number each. If the processor has SSE2, both numbers are converted together, in
 * half the instructions (26 instead of 50). Digits are passed without the bits of '0'. The first digit of the word is the
 * lowest byte, so shifting a number to its end fills its front with zeros. */

QUIPU__INLINE uint64_t quipu__hex_bare(uint64_t word) {
    return word ^ QUIPU__HEX_EACH(0x30);
}

/* The two numbers, left above right. *valid is false when not all bytes are digits.
 *
 * Letters are moved down to begin at 4; a byte is then a digit when it is at most 9. Then they get their values, and
 * neighbours are joined. */
QUIPU__INLINE uint64_t quipu__hex_pack_pair(uint64_t left, uint64_t right, bool *valid) {
#if QUIPU__SSE2
    const __m128i bare =
        _mm_unpacklo_epi64(_mm_cvtsi64_si128((int64_t)left), _mm_cvtsi64_si128((int64_t)right));
    const __m128i letters = _mm_cmpgt_epi8(bare, _mm_set1_epi8(0x50));
    const __m128i moved = _mm_sub_epi8(bare, _mm_and_si128(letters, _mm_set1_epi8(('a' ^ '0') - 4)));
    *valid = _mm_movemask_epi8(_mm_adds_epu8(moved, _mm_set1_epi8(0x7f - 9))) == 0;
    const __m128i values = _mm_add_epi8(moved, _mm_and_si128(letters, _mm_set1_epi8(10 - 4)));
    const __m128i joined = _mm_srli_epi16(_mm_add_epi16(values, _mm_slli_epi16(values, 12)), 8);
    return quipu__swap64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(joined, joined)));
#else
    *valid = true;
    const uint64_t high = quipu__hex_pack(quipu__hex_bare(left), valid);
    return high << 32 | quipu__hex_pack(quipu__hex_bare(right), valid);
#endif
}

#endif
