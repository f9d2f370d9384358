/* wbuffer.h: what writing lines needs of a write buffer besides the public functions. */
#ifndef COMPAT_OTF_WBUFFER_H
#define COMPAT_OTF_WBUFFER_H

#include "internal.h"

/* Writes a number as lower-case hexadecimal digits without leading zeros; returns the place behind them. There must be
 * room for the most digits that the number's type can have. */
COMPAT_INLINE char *compat_put_hex(char *at, uint64_t value) {
    static const char digits[] = "0123456789abcdef";
    unsigned int shift = 60;
    while (shift > 0 && value >> shift == 0)
        shift -= 4;
    *at++ = digits[value >> shift];
    while (shift > 0) {
        shift -= 4;
        *at++ = digits[value >> shift & 15];
    }
    return at;
}

/* State lines, without looking at the state. */
void compat_put_state(OTF_WBuffer *wbuffer, uint64_t time, uint32_t process);
void compat_put_process(OTF_WBuffer *wbuffer, uint32_t process);

#endif
