/* pack.c: see pack.h. */
#include "core/memory/pack.h"

void quipu__pack_u64(struct quipu__buffer *out, uint64_t value) {
    uint8_t bytes[QUIPU__PACKED_MOST];
    size_t len = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[len++] = (uint8_t)(value | 0x80);
    bytes[len++] = (uint8_t)value;
    quipu__put(out, bytes, len);
}

void quipu__pack_i64(struct quipu__buffer *out, int64_t value) {
    const uint64_t twice = (uint64_t)value << 1;
    quipu__pack_u64(out, value < 0 ? ~twice : twice);
}

void quipu__pack_bytes(struct quipu__buffer *out, const void *data, size_t size) {
    quipu__pack_u64(out, size);
    quipu__put(out, data, size);
}

uint64_t quipu__unpack_u64(struct quipu__slice *from) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = quipu__take_u8(from);
        if (from->failed || (shift == 63 && byte > 1))
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    from->failed = true;
    return 0;
}

int64_t quipu__unpack_i64(struct quipu__slice *from) {
    const uint64_t value = quipu__unpack_u64(from);
    return (int64_t)((value & 1) != 0 ? ~(value >> 1) : value >> 1);
}

struct quipu__slice quipu__unpack_bytes(struct quipu__slice *from) {
    const uint64_t size = quipu__unpack_up_to(from, quipu__slice_left(from));
    const uint8_t *bytes = quipu__take_bytes(from, (size_t)size);
    return quipu__slice_of(bytes, from->failed ? 0 : (size_t)size);
}

uint64_t quipu__unpack_up_to(struct quipu__slice *from, uint64_t most) {
    const uint64_t value = quipu__unpack_u64(from);
    if (value <= most)
        return value;
    from->failed = true;
    return 0;
}
