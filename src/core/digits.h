/* digits.h: decimal digits of numbers, for code that writes millions of lines. Eight digits are made at a time in the bytes of
 * a word: multiplications with reciprocals split the number into groups of four, two and one digits. */
#ifndef QUIPU_CORE_DIGITS_H
#define QUIPU_CORE_DIGITS_H

#include "core/os.h"

#include <string.h>

/* Bytes after its digits that writing a number may overwrite. */
#define QUIPU__DIGITS_SLACK 8

/* The eight digits of a number below 10^8, the first one in the lowest byte. */
QUIPU__INLINE uint64_t quipu__eight_digits(uint32_t number) {
    const uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f); /* 10486 / 2^20: 1 / 100 */
    const uint64_t twos = ((fours - 100 * hundreds) << 16) + hundreds;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f); /* 103 / 2^10: 1 / 10 */
    return tens + ((twos - 10 * tens) << 8);
}

QUIPU__INLINE void quipu__store_digits(char *at, uint64_t digits) {
    const uint64_t text = QUIPU__LITTLE_ENDIAN ? digits : quipu__swap64(digits);
    memcpy(at, &text, sizeof text);
}

/* The same without leading zeros; returns the end. */
QUIPU__INLINE char *quipu__put_eight_digits(char *at, uint32_t number) {
    const uint64_t digits = quipu__eight_digits(number);
    const unsigned zeros = quipu__trailing_zeros(digits | (uint64_t)1 << 56) / 8;
    quipu__store_digits(at, (digits | UINT64_C(0x3030303030303030)) >> 8 * zeros);
    return at + 8 - zeros;
}

/* A number without leading zeros; returns the end. Up to QUIPU__DIGITS_SLACK bytes after it are overwritten. */
QUIPU__INLINE char *quipu__put_digits(char *at, uint64_t number) {
    enum { EIGHT = 100000000 };
    if (number < 10) {
        *at = (char)('0' + number);
        return at + 1;
    }
    if (number < 100) {
        const uint32_t tens = (uint32_t)number * 103 >> 10;
        at[0] = (char)('0' + tens);
        at[1] = (char)('0' + ((uint32_t)number - 10 * tens));
        return at + 2;
    }
    if (number < EIGHT)
        return quipu__put_eight_digits(at, (uint32_t)number);
    uint64_t high = number / EIGHT;
    if (high < EIGHT) {
        at = quipu__put_eight_digits(at, (uint32_t)high);
    } else {
        at = quipu__put_eight_digits(at, (uint32_t)(high / EIGHT));
        quipu__store_digits(at, quipu__eight_digits((uint32_t)(high % EIGHT)) | UINT64_C(0x3030303030303030));
        at += 8;
    }
    quipu__store_digits(at, quipu__eight_digits((uint32_t)(number % EIGHT)) | UINT64_C(0x3030303030303030));
    return at + 8;
}

QUIPU__INLINE char *quipu__put_signed_digits(char *at, int64_t number) {
    if (number >= 0)
        return quipu__put_digits(at, (uint64_t)number);
    *at = '-';
    return quipu__put_digits(at + 1, 0 - (uint64_t)number);
}

#endif
