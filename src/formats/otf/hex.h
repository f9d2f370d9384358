/* hex.h: hexadecimal numbers eight digits at a time.
 *
 * Eight bytes are loaded as one word. In digits bit 5 is set and bit 4 or 6 is; in the newline, the blank and the
 * capitals that end a number this is not so: the first gap is the number's length. The digits are then moved to the top
 * of the word, turned into nibbles and packed, all eight at once; turning the nibbles back into digits and comparing
 * tells whether they were digits.
 */
#ifndef QUIPU_OTF_HEX_H
#define QUIPU_OTF_HEX_H

#include "core/os.h"
#include "core/slice.h"

/* Bytes that may be read behind the place where a number starts. */
#define QUIPU__OTF_HEX_BYTES 24

#define QUIPU__OTF_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The value of eight digits, first digit in the lowest byte. *valid is cleared when they are not all digits.
 *
 * Letters are moved down so that they follow from 0x30 too; then a digit has nothing in its upper half, also not when what
 * is left to the last one of its kind (9 or f) is added. Neighbours are joined by multiplying. */
QUIPU__INLINE uint64_t quipu__otf_pack_digits(uint64_t digits, bool *valid) {
    const uint64_t letters = digits >> 6 & QUIPU__OTF_EACH(1);
    const uint64_t offsets = (digits - letters * 0x31) ^ QUIPU__OTF_EACH(0x30);
    *valid &= ((offsets | (offsets + letters * 4 + QUIPU__OTF_EACH(6))) & QUIPU__OTF_EACH(0xf0)) == 0;
    const uint64_t nibbles = offsets + letters * 10;
    const uint64_t bytes = nibbles * 0x1001 >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t halves = bytes * 0x1000001 >> 16 & UINT64_C(0x0000ffff0000ffff);
    return halves * UINT64_C(0x1000000000001) >> 32 & UINT64_C(0xffffffff);
}

/* Number of digits before the first byte that ends a number, at most 8. Only when blanks is set is a blank such a byte;
 * the short form has none, and without them one test less is needed (a tenth of the time of reading a line). */
QUIPU__INLINE unsigned quipu__otf_count_digits_until(uint64_t word, bool blanks) {
    const uint64_t others = blanks ? ~(word & (word << 1 | word >> 1)) : ~word;
    const uint64_t gaps = others & QUIPU__OTF_EACH(0x20);
    return gaps ? quipu__trailing_zeros(gaps) >> 3 : 8;
}

QUIPU__INLINE unsigned quipu__otf_count_digits(uint64_t word) {
    return quipu__otf_count_digits_until(word, false);
}

/* The first count digits of the word, 1 to 7, behind leading zeros. */
QUIPU__INLINE uint64_t quipu__otf_align_digits(uint64_t word, unsigned count) {
    return word << (64 - 8 * count) | QUIPU__OTF_EACH(0x30) >> 8 * count;
}

/* The number at p, of up to 16 digits that a newline, a capital letter or (with blanks) a blank ends. Returns how many
 * digits there are, 0 when it is no such number. QUIPU__OTF_HEX_BYTES must be readable. */
QUIPU__INLINE unsigned quipu__otf_read_hex_until(const uint8_t *p, bool blanks, uint64_t *out) {
    const uint64_t word = quipu__load_le64(p);
    const unsigned count = quipu__otf_count_digits_until(word, blanks);
    bool valid = true;
    if (QUIPU__LIKELY(count - 1 < 7)) {
        *out = quipu__otf_pack_digits(quipu__otf_align_digits(word, count), &valid);
        return valid ? count : 0;
    }
    if (count == 0)
        return 0;
    const uint64_t high = quipu__otf_pack_digits(word, &valid), rest = quipu__load_le64(p + 8);
    const unsigned more = quipu__otf_count_digits_until(rest, blanks);
    if (more == 0) {
        *out = high;
        return valid ? 8 : 0;
    }
    const uint64_t low = quipu__otf_pack_digits(more == 8 ? rest : quipu__otf_align_digits(rest, more), &valid);
    *out = high << 4 * more | low;
    return valid && (more < 8 || p[16] < '0') ? 8 + more : 0; /* longer ones are for the complete decoder */
}

QUIPU__INLINE unsigned quipu__otf_read_hex(const uint8_t *p, uint64_t *out) {
    return quipu__otf_read_hex_until(p, false, out);
}

/* Writes a number without leading zeros; returns the place behind it. 16 bytes must be writable. */
QUIPU__INLINE uint8_t *quipu__otf_write_hex(uint8_t *p, uint64_t value) {
    static const char digits[] = "0123456789abcdef";
    unsigned shift = 0;
    while (shift < 60 && value >> shift >> 4)
        shift += 4;
    for (;; shift -= 4) {
        *p++ = (uint8_t)digits[value >> shift & 15];
        if (shift == 0)
            return p;
    }
}

#endif
