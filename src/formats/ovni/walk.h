/* walk.h: iterates over the events in the file of a stream. */
#ifndef QUIPU_OVNI_WALK_H
#define QUIPU_OVNI_WALK_H

#include "core/error.h"
#include "core/files/input.h"
#include "core/slice.h"
#include "formats/ovni/layout.h"
#include "formats/ovni/rules.h"

/* An event; borrowed until the next one. */
struct quipu__ovni_event {
    uint8_t flags, model, category, value; /* flags: the unchanged first byte, with the size code */
    bool is_jumbo;
    uint64_t clock;
    const uint8_t *payload; /* for a jumbo event its data */
    uint32_t len;
    uint64_t offset; /* of the event in the file */
};

struct quipu__ovni_walk {
    struct quipu__input *input;
    bool has_header; /* the file should have one */
    bool is_big;
    bool has_started;
    uint32_t taken;   /* bytes of the current event, which is still at the beginning of the window */
    uint64_t events;  /* so far */
    uint32_t damage;  /* enum quipu__ovni_rule: why the stream ended; QUIPU__OVNI_RULE_COUNT: not truncated */
    char found[100];  /* what was found, as text */
    uint64_t version; /* of the header */
};

enum quipu_status quipu__ovni_walk_open(struct quipu__ovni_walk *walk, struct quipu__files *files,
                                        const char *path, bool has_header, size_t window,
                                        struct quipu_error *err);
void quipu__ovni_walk_close(struct quipu__ovni_walk *walk);

/* Reads the header, if there is one, and determines the byte order. QUIPU_END when no events can follow. */
enum quipu_status quipu__ovni_walk_begin(struct quipu__ovni_walk *walk, struct quipu_error *err);

/* The next event if it is not completely in the window, or a jumbo event. */
enum quipu_status quipu__ovni_walk_next_slow(struct quipu__ovni_walk *walk, struct quipu__ovni_event *out,
                                             struct quipu_error *err);

static inline uint64_t quipu__ovni_load_64(bool is_big, const uint8_t *at) {
    return is_big ? quipu__load_be64(at) : quipu__load_le64(at);
}
static inline uint32_t quipu__ovni_load_32(bool is_big, const uint8_t *at) {
    return is_big ? quipu__load_be32(at) : quipu__load_le32(at);
}
static inline int32_t quipu__ovni_load_i32(bool is_big, const uint8_t *at) {
    return (int32_t)quipu__ovni_load_32(is_big, at);
}
static inline int64_t quipu__ovni_load_i64(bool is_big, const uint8_t *at) {
    return (int64_t)quipu__ovni_load_64(is_big, at);
}

/* Bytes of payload of a normal event, according to its first byte. */
static inline uint32_t quipu__ovni_payload_bytes(uint8_t flags) {
    const uint32_t code = flags & QUIPU__OVNI_SIZE_MASK;
    return code + (code > 0);
}

/* The next event. QUIPU_END after the last, and where the stream is truncated: then damage says why. */
QUIPU__INLINE enum quipu_status quipu__ovni_walk_next(struct quipu__ovni_walk *walk,
                                                      struct quipu__ovni_event *out, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    const uint8_t *at = input->at + walk->taken;
    if (QUIPU__UNLIKELY(input->end - at < QUIPU__OVNI_EVENT_BYTES + QUIPU__OVNI_PAYLOAD_MOST ||
                        (*at & QUIPU__OVNI_JUMBO) != 0 || !walk->has_started))
        return quipu__ovni_walk_next_slow(walk, out, err);
    input->at = at;
    out->flags = at[0];
    out->model = at[1];
    out->category = at[2];
    out->value = at[3];
    out->is_jumbo = false;
    out->clock = quipu__ovni_load_64(walk->is_big, at + QUIPU__OVNI_CLOCK_OFFSET);
    out->payload = at + QUIPU__OVNI_EVENT_BYTES;
    out->len = quipu__ovni_payload_bytes(at[0]);
    out->offset = input->end_offset - (uint64_t)(input->end - at);
    walk->taken = QUIPU__OVNI_EVENT_BYTES + out->len;
    walk->events++;
    return QUIPU_OK;
}

#endif
