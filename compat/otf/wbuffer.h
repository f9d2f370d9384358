/* wbuffer.h: what writing lines needs of a write buffer besides the public functions. */
#ifndef COMPAT_OTF_WBUFFER_H
#define COMPAT_OTF_WBUFFER_H

#include "internal.h"

#include <string.h>

/* Both state lines, and the store of eight digits behind the last. */
#define COMPAT_MOST_STATE 40

#define COMPAT_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

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

/* Writes eight digits, all at once: the nibbles are spread over the bytes of a word, the first one lowest. */
COMPAT_INLINE void compat_put_digits(char *at, uint32_t value) {
    const uint64_t halves = value >> 16 | (uint64_t)(value & 0xffff) << 32;
    const uint64_t bytes =
        (halves >> 8 & UINT64_C(0x000000ff000000ff)) | (halves & UINT64_C(0x000000ff000000ff)) << 16;
    const uint64_t nibbles =
        (bytes >> 4 & UINT64_C(0x000f000f000f000f)) | (bytes & UINT64_C(0x000f000f000f000f)) << 8;
    const uint64_t letters = (nibbles + COMPAT_EACH(6)) >> 4 & COMPAT_EACH(1);
    const uint64_t digits = nibbles + COMPAT_EACH(0x30) + letters * 39;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &digits, sizeof digits);
#else
    for (unsigned int i = 0; i < 8; i++)
        at[i] = (char)(digits >> 8 * i);
#endif
}

/* Writes a number as lower-case hexadecimal digits without leading zeros; returns the place behind them. 16
 * bytes must be there. */
COMPAT_INLINE char *compat_put_hex(char *at, uint64_t value) {
    const unsigned int count = compat_count_hex(value);
    if (COMPAT_UNLIKELY(count > 8)) {
        const uint64_t left = value << (64 - 4 * count);
        compat_put_digits(at, (uint32_t)(left >> 32));
        compat_put_digits(at + 8, (uint32_t)left);
    } else {
        compat_put_digits(at, (uint32_t)value << (32 - 4 * count));
    }
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
