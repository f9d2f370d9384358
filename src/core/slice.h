/* slice.h: checked reading of bytes that came from outside. Only this and the schema engine touch input bytes.
 * Reading past the end sets failed and gives 0, and so does everything after it, so a decoder may check once. */
#ifndef QUIPU_CORE_SLICE_H
#define QUIPU_CORE_SLICE_H

#include "core/os.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct quipu__slice {
    const uint8_t *at, *end;
    bool failed;
};

static inline struct quipu__slice quipu__slice_of(const void *data, size_t size) {
    const uint8_t *begin = data;
    assert(begin || size == 0);
    struct quipu__slice slice = {begin, begin ? begin + size : begin, false};
    return slice;
}

static inline size_t quipu__slice_left(const struct quipu__slice *slice) {
    assert(slice->at <= slice->end);
    return (size_t)(slice->end - slice->at);
}

/* The next size bytes, or NULL. */
static inline const uint8_t *quipu__take_bytes(struct quipu__slice *slice, size_t size) {
    if (slice->failed || quipu__slice_left(slice) < size) {
        slice->failed = true;
        return NULL;
    }
    const uint8_t *taken = slice->at;
    slice->at += size;
    return taken;
}

/* Unchecked loads: the caller has made sure that the bytes are there. Compilers turn them into one load. */
static inline uint16_t quipu__load_be16(const uint8_t *p) {
    return (uint16_t)((uint16_t)(p[0] << 8) | p[1]);
}
static inline uint32_t quipu__load_be32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline uint64_t quipu__load_be64(const uint8_t *p) {
    return (uint64_t)quipu__load_be32(p) << 32 | quipu__load_be32(p + 4);
}
static inline uint16_t quipu__load_le16(const uint8_t *p) {
    return (uint16_t)((uint16_t)(p[1] << 8) | p[0]);
}
static inline uint32_t quipu__load_le32(const uint8_t *p) {
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}
static inline uint64_t quipu__load_le64(const uint8_t *p) {
    uint64_t value;
    if (QUIPU__LITTLE_ENDIAN) { /* explicit because compilers sometimes miss it, which costs text formats 2 % */
        memcpy(&value, p, sizeof value);
        return value;
    }
    return (uint64_t)quipu__load_le32(p + 4) << 32 | quipu__load_le32(p);
}

/* Unchecked stores. */
static inline void quipu__store_be16(uint8_t *p, uint16_t value) {
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}
static inline void quipu__store_be32(uint8_t *p, uint32_t value) {
    p[0] = (uint8_t)(value >> 24);
    p[1] = (uint8_t)(value >> 16);
    p[2] = (uint8_t)(value >> 8);
    p[3] = (uint8_t)value;
}
static inline void quipu__store_be64(uint8_t *p, uint64_t value) {
    quipu__store_be32(p, (uint32_t)(value >> 32));
    quipu__store_be32(p + 4, (uint32_t)value);
}

static inline uint8_t quipu__take_u8(struct quipu__slice *slice) {
    const uint8_t *p = quipu__take_bytes(slice, 1);
    return p ? *p : 0;
}
#endif
