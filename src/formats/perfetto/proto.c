/* proto.c: writing fields of protocol buffers. */
#include "formats/perfetto/proto.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

enum { VARINT_MOST = 10 }; /* bytes of the longest varint */

static uint8_t *store_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *store_key(uint8_t *at, uint32_t field, enum wire_type type) {
    return store_varint(at, (uint64_t)field << 3 | type);
}

void quipu__proto_varint(struct quipu__buffer *message, uint32_t field, uint64_t value) {
    uint8_t *start = quipu__buffer_room(message, 2 * VARINT_MOST);
    if (start)
        message->len += (size_t)(store_varint(store_key(start, field, WIRE_VARINT), value) - start);
}

void quipu__proto_fixed64(struct quipu__buffer *message, uint32_t field, uint64_t value) {
    uint8_t *start = quipu__buffer_room(message, VARINT_MOST + 8);
    if (!start)
        return;
    uint8_t *at = store_key(start, field, WIRE_FIXED64);
    for (int i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    message->len += (size_t)(at - start);
}

void quipu__proto_double(struct quipu__buffer *message, uint32_t field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    quipu__proto_fixed64(message, field, bits);
}

void quipu__proto_bytes(struct quipu__buffer *message, uint32_t field, const void *data, size_t size) {
    uint8_t *start = quipu__buffer_room(message, 2 * VARINT_MOST + size);
    if (!start)
        return;
    uint8_t *at = store_varint(store_key(start, field, WIRE_BYTES), size);
    if (size > 0)
        memcpy(at, data, size);
    message->len += (size_t)(at - start) + size;
}

void quipu__proto_message(struct quipu__buffer *message, uint32_t field, struct quipu__buffer *inner) {
    quipu__proto_bytes(message, field, inner->data, inner->len);
    message->failed |= inner->failed;
    inner->len = 0;
}
