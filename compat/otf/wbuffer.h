/* wbuffer.h: what writing lines needs of a write buffer besides the public functions. */
#ifndef COMPAT_OTF_WBUFFER_H
#define COMPAT_OTF_WBUFFER_H

#include "internal.h"

#include "formats/otf/lines.h"

#if QUIPU__SSE2
#include <emmintrin.h>
#endif
#include <string.h>

/* Both state lines, and the store of sixteen digits of which the last has only some. */
#define COMPAT_MOST_STATE 40

/* Digits of a number without leading zeros, 1 to 16. */
COMPAT_INLINE unsigned int compat_count_hex(uint64_t value) {
#if defined(__GNUC__)
    return (67 - (unsigned int)__builtin_clzll(value | 1)) / 4;
#else
    unsigned int count = 1;
    while (value >>= 4)
        count++;
    return count;
#endif
}

#if QUIPU__SSE2

/* Writes all sixteen digits at once: the nibbles are spread over the bytes of a register. */
COMPAT_INLINE void compat_put_digits(char *at, uint64_t value) {
    const __m128i bytes = _mm_cvtsi64_si128((int64_t)quipu__swap64(value)), low = _mm_set1_epi8(15);
    const __m128i nibbles =
        _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), low), _mm_and_si128(bytes, low));
    const __m128i letters = _mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9));
    const __m128i bases =
        _mm_add_epi8(_mm_and_si128(letters, _mm_set1_epi8('a' - 10 - '0')), _mm_set1_epi8('0'));
    _mm_storeu_si128((__m128i *)(void *)at, _mm_add_epi8(nibbles, bases));
}

#else

/* Writes eight digits at once: the nibbles are spread over the bytes of a word, the first one lowest. */
COMPAT_INLINE void compat_put_half(char *at, uint32_t value) {
    const uint64_t halves = value >> 16 | (uint64_t)(value & 0xffff) << 32;
    const uint64_t bytes =
        (halves >> 8 & UINT64_C(0x000000ff000000ff)) | (halves & UINT64_C(0x000000ff000000ff)) << 16;
    const uint64_t nibbles =
        (bytes >> 4 & UINT64_C(0x000f000f000f000f)) | (bytes & UINT64_C(0x000f000f000f000f)) << 8;
    const uint64_t letters = (nibbles + QUIPU__HEX_EACH(6)) >> 4 & QUIPU__HEX_EACH(1);
    const uint64_t digits = nibbles + QUIPU__HEX_EACH(0x30) + letters * 39;
    for (unsigned int i = 0; i < 8; i++) /* compilers make one store of it where they can */
        at[i] = (char)(digits >> 8 * i);
}

COMPAT_INLINE void compat_put_digits(char *at, uint64_t value) {
    compat_put_half(at, (uint32_t)(value >> 32));
    compat_put_half(at + 8, (uint32_t)value);
}

#endif

/* Writes a number as lower-case hexadecimal digits without leading zeros; returns the place behind them. 16
 * bytes must be there. */
COMPAT_INLINE char *compat_put_hex(char *at, uint64_t value) {
    const unsigned int count = compat_count_hex(value);
    compat_put_digits(at, value << (64 - 4 * count));
    return at + count;
}

/* Room for at least so many bytes, without a flush. */
COMPAT_INLINE bool compat_has_room(const OTF_WBuffer *wbuffer, uint32_t bytes) {
    return wbuffer->size - wbuffer->pos >= bytes;
}

/* State lines, without looking at the state. */
void compat_put_state(OTF_WBuffer *wbuffer, uint64_t time, uint32_t process);
void compat_put_process(OTF_WBuffer *wbuffer, uint32_t process);

#endif
