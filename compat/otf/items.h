/* items.h: lines decoded ahead of their delivery.
 *
 * Merging needs the time of a stream's next line long before the line is delivered, and decoding a few dozen
 * lines of one stream in a row is much faster than one at a time. Lines of events as OTF's writer makes them in
 * the short form, without texts, become ready items; any other line becomes an item that is read when its turn
 * comes, alone:
 *
 *     | ready | ready | ready | line |
 *
 * The read buffer's position and state are those of the item delivered last.
 */
#ifndef COMPAT_OTF_ITEMS_H
#define COMPAT_OTF_ITEMS_H

#include "internal.h"

#include "formats/otf/lines.h"

#define COMPAT_ITEMS 32

/* The types that can be ready: those with room here. */
union compat_ready {
    struct quipu__otf_Enter Enter;
    struct quipu__otf_Leave Leave;
    struct quipu__otf_SendMsg SendMsg;
    struct quipu__otf_RecvMsg RecvMsg;
    struct quipu__otf_Counter Counter;
    struct quipu__otf_CollectiveOperation CollectiveOperation;
    struct quipu__otf_BeginCollectiveOperation BeginCollectiveOperation;
    struct quipu__otf_EndCollectiveOperation EndCollectiveOperation;
    struct quipu__otf_BeginFileOperation BeginFileOperation;
    struct quipu__otf_EndFileOperation EndFileOperation;
    struct quipu__otf_RMAPut RMAPut;
};

struct compat_item {
    uint64_t time;
    uint32_t process;
    uint32_t pos;  /* behind a ready line; at the beginning of any other */
    uint16_t type; /* enum quipu__otf_type, QUIPU__OTF_TYPE_COUNT for a line that is not ready */
    uint16_t id;   /* OTF's number of the type */
    union compat_ready fields;
};

struct compat_items {
    const struct compat_item *next, *end; /* what has not been delivered */
    struct quipu__keyed_lines lines;
    struct quipu__keyed_twins twins; /* enter and leave */
    struct compat_item items[COMPAT_ITEMS];
};

/* The scanner of a kind of file, NULL when there was no memory for it. It lives as long as the process. */
const struct quipu__keyed_scanner *compat_scanner(enum quipu__otf_file file);

/* OTF 1.12.5 reads the handles of these two with 32 bits, although it writes them with 64. */
static inline void compat_narrow_handle(enum quipu__otf_type type, void *fields) {
    if (type == QUIPU__OTF_FileOperation)
        ((struct quipu__otf_FileOperation *)fields)->handleid &= UINT32_MAX;
    else if (type == QUIPU__OTF_OpenFileSnapshot)
        ((struct quipu__otf_OpenFileSnapshot *)fields)->handleid &= UINT32_MAX;
}

/* Decodes ahead from the buffer's position, where all items have been delivered: false at the end of the file.
 */
bool compat_more_items(OTF_RBuffer *rbuffer, enum quipu__otf_file file);

#endif
