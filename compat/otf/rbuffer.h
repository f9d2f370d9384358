/* rbuffer.h: what an OTF_RBuffer holds besides its public part, and the inner loops of reading.
 *
 *     buffer:  read already | pos ... lastnewline | beginning of a line ... end | room ... size
 *
 * Every OTF_RBuffer that an open function returns is the head of a struct compat_rbuffer.
 */
#ifndef COMPAT_OTF_RBUFFER_H
#define COMPAT_OTF_RBUFFER_H

#include "internal.h"

#include "items.h"

#include "formats/otf/lines.h"

struct compat_rbuffer {
    OTF_RBuffer head;
    struct quipu__memory memory;
    struct quipu__scratch scratch; /* texts and lists of the current record */
    uint32_t status_process;       /* whose status is below; see reader.c */
    const uint8_t *status;
    struct compat_items items;
    uint64_t begin, finish; /* offsets of the reading in progress, for progress reports */
};

static inline struct compat_rbuffer *compat_rbuffer_of(OTF_RBuffer *rbuffer) {
    return (struct compat_rbuffer *)rbuffer;
}

/* Forgets what was decoded ahead: reading goes on from the position. */
static inline void compat_drop_items(OTF_RBuffer *rbuffer) {
    struct compat_items *items = &compat_rbuffer_of(rbuffer)->items;
    items->next = items->end = items->items;
}

/* Value of a lower-case hexadecimal digit, 16 and more for other characters. */
extern const uint8_t compat_hex_values[256];

/* True when a whole line is in the buffer. The last line of what is there is not believed when it is empty: it
 * might be the rest of one. */
static inline bool compat_has_line(const OTF_RBuffer *rbuffer) {
    return rbuffer->pos < rbuffer->lastnewline;
}

/* Applies state lines up to the next other line: false at the end. As OTF_RBuffer_getRecord. */
bool compat_next_line(OTF_RBuffer *rbuffer);

/* Reads up to size bytes more behind end, where there must be room. Returns how many. */
size_t compat_read_ahead(OTF_RBuffer *rbuffer, size_t size);

/* Goes to the beginning of a file, behind its first time and process. False when there are none. */
bool compat_enter(OTF_RBuffer *rbuffer);

/* Finds the last time of a file of a trace that has been entered, without a change to where it is read. */
bool compat_find_end(OTF_RBuffer *rbuffer);

/* Skips the line at the position, which is complete. */
void compat_skip_line(OTF_RBuffer *rbuffer);

#endif
