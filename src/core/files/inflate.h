/* inflate.h: zlib, gzip and bare deflate streams, decoded step by step.
 *
 *     in  ▓▓▓▓▓|in ......|         what is left of the bytes at hand
 *     out ▓▓▓▓▓▓▓▓|out ......|     where decoded bytes go
 *
 * zlib is authoritative. If there is ISA-L, it decodes first, more than twice as fast; but it stops earlier in a stream
 * that is cut off. So at any sign of trouble its last output is discarded, the caller feeds the stream again from its
 * beginning, and zlib decodes it and delivers what is still missing. In a damaged stream ISA-L may have delivered more by
 * then: it notices some faults of a block later than zlib, or not at all.
 */
#ifndef QUIPU_CORE_FILES_INFLATE_H
#define QUIPU_CORE_FILES_INFLATE_H

#include "core/memory/memory.h"

struct quipu__inflate {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t room;
    struct quipu__inflate_state *state;
};

/* can_start_over: the caller can feed a stream again; else only zlib decodes. False when there is no memory. */
QUIPU_CHECKED bool quipu__inflate_init(struct quipu__inflate *stream, struct quipu__memory *memory,
                                       bool can_start_over);

/* A zeroed stream is accepted. */
void quipu__inflate_release(struct quipu__inflate *stream, struct quipu__memory *memory);

/* A stream begins: bare deflate data, or with the header of zlib or gzip. Must come before anything is decoded. */
void quipu__inflate_begin(struct quipu__inflate *stream, bool is_bare);

enum quipu__inflated {
    QUIPU__INFLATED_SOME,    /* continues with more input or more room */
    QUIPU__INFLATED_END,     /* the stream is over, checksum included; in is after it */
    QUIPU__INFLATED_AGAIN,   /* the input must come again, from the beginning of the stream */
    QUIPU__INFLATED_PAUSE,   /* the input ends where a block could begin: after a flush, for instance */
    QUIPU__INFLATED_DAMAGED, /* what comes next is not deflate data, or the input ends inside a block */
};

/* Decodes what there is in in to out; room must not be 0. Any result may come with bytes in out. is_last says that
 * nothing comes after in; then PAUSE or DAMAGED come when all has been delivered. */
enum quipu__inflated quipu__inflate_run(struct quipu__inflate *stream, bool is_last);

#endif
