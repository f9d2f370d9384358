/* wbuffer.h: what writing lines needs of a write buffer besides the public functions. */
#ifndef COMPAT_OTF_WBUFFER_H
#define COMPAT_OTF_WBUFFER_H

#include "internal.h"

#include "formats/otf/fast_lines.h"
#include "formats/otf/lines.h"

/* Both state lines, and the store of sixteen digits of which the last has only some. */
#define COMPAT_MOST_STATE 40

/* Room for at least so many bytes, without a flush. */
COMPAT_INLINE bool compat_has_room(const OTF_WBuffer *wbuffer, uint32_t bytes) {
    return wbuffer->size - wbuffer->pos >= bytes;
}

/* Where the next byte goes, and going on behind what was written there. */
COMPAT_INLINE uint8_t *compat_wbuffer_end(const OTF_WBuffer *wbuffer) {
    return (uint8_t *)wbuffer->buffer + wbuffer->pos;
}
COMPAT_INLINE void compat_wbuffer_advance(OTF_WBuffer *wbuffer, const uint8_t *p) {
    wbuffer->pos = (uint32_t)(p - (const uint8_t *)wbuffer->buffer);
}

/* State lines, without looking at the state. */
void compat_put_state(OTF_WBuffer *wbuffer, uint64_t time, uint32_t process);
void compat_put_process(OTF_WBuffer *wbuffer, uint32_t process);

#endif
