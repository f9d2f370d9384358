/* proto.h: the few shapes of protocol buffers that are needed to write messages. A message inside another one is
 * made in a buffer of its own first, since its length comes before it. */
#ifndef QUIPU_FORMATS_PERFETTO_PROTO_H
#define QUIPU_FORMATS_PERFETTO_PROTO_H

#include "core/buffer.h"

/* One field of a message each: number, then value. */
void quipu__proto_varint(struct quipu__buffer *message, uint32_t field, uint64_t value);
void quipu__proto_fixed64(struct quipu__buffer *message, uint32_t field, uint64_t value);
void quipu__proto_double(struct quipu__buffer *message, uint32_t field, double value);
void quipu__proto_bytes(struct quipu__buffer *message, uint32_t field, const void *data, size_t size);

/* Adds a finished message as a field of another one and empties it. */
void quipu__proto_message(struct quipu__buffer *message, uint32_t field, struct quipu__buffer *inner);

#endif
