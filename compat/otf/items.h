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

#include "formats/otf/records.h"

#define COMPAT_ITEMS 32

/* The types that can be ready. */
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

/* What the last state lines of a file looked like: most of the next ones look the same but for the last digits. */
struct compat_pattern {
    uint64_t time_before,
        time_mask;       /* a time's digits before its last eight, as a word; which bits of it count */
    uint64_t time_upper; /* the value of those */
    uint32_t time_digits;
    uint32_t time_shift;      /* moves the last digits to the end of a word */
    uint64_t line, line_mask; /* the process line, as a word */
    uint32_t line_bytes;
    uint32_t process;
};

/* A line that no bytes look like, since none of them counts (line_mask is 0). */
#define COMPAT_NO_LINE 1

struct compat_items {
    const struct compat_item *next, *end; /* what has not been delivered */
    struct compat_pattern pattern;
    struct compat_item items[COMPAT_ITEMS];
};

/* Decodes ahead from the buffer's position, where all items have been delivered: false at the end of the file.
 */
bool compat_more_items(OTF_RBuffer *rbuffer, enum quipu__otf_file file);

#endif
