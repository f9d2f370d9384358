/* pack.h: numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit set in all but the
 * last. Signed numbers are folded so that small ones stay short whatever their sign. For files of our own. */
#ifndef QUIPU_CORE_MEMORY_PACK_H
#define QUIPU_CORE_MEMORY_PACK_H

#include "core/memory/buffer.h"
#include "core/slice.h"

enum { QUIPU__PACKED_MOST = 10 }; /* bytes of one number */

void quipu__pack_u64(struct quipu__buffer *out, uint64_t value);
void quipu__pack_i64(struct quipu__buffer *out, int64_t value);

/* The length and then the bytes. */
void quipu__pack_bytes(struct quipu__buffer *out, const void *data, size_t size);

/* The same back. A truncated or overlong number sets failed and gives 0. */
uint64_t quipu__unpack_u64(struct quipu__slice *from);
int64_t quipu__unpack_i64(struct quipu__slice *from);
struct quipu__slice quipu__unpack_bytes(struct quipu__slice *from);

/* A number that is not above most; a larger one sets failed. */
uint64_t quipu__unpack_up_to(struct quipu__slice *from, uint64_t most);

#endif
