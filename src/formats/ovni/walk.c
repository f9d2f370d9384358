/* walk.c: opening a stream, its header, and events that are not completely in the window. */
#include "formats/ovni/walk.h"

#include "core/files/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WINDOW_LEAST ((size_t)4 << 10)

enum quipu_status quipu__ovni_walk_open(struct quipu__ovni_walk *walk, struct quipu__files *files,
                                        const char *path, bool has_header, size_t window,
                                        struct quipu_error *err) {
    *walk = (struct quipu__ovni_walk){.has_header = has_header, .damage = QUIPU__OVNI_RULE_COUNT};
    enum quipu__ring_state ring; /* a damaged one is ignored */
    const enum quipu_status status = quipu__input_open(
        files, path, QUIPU__CODEC_SEEK, window < WINDOW_LEAST ? WINDOW_LEAST : window, &walk->input, err);
    return status == QUIPU_OK ? quipu__recording_splice(files, path, walk->input, &ring, err) : status;
}

void quipu__ovni_walk_close(struct quipu__ovni_walk *walk) {
    quipu__input_close(walk->input);
    walk->input = NULL;
}

/* Ends the stream by a rule; found is the text of the finding. */
static enum quipu_status break_off(struct quipu__ovni_walk *walk, enum quipu__ovni_rule rule,
                                   const char *format, uint64_t number) {
    walk->damage = rule;
    snprintf(walk->found, sizeof walk->found, format, number);
    walk->has_started = true;
    return QUIPU_END;
}

/* ---- The beginning ---- */

/* In a stream without header the clocks reveal the byte order: nanoseconds since the machine started do not use the highest
 * bytes, and do not end only in zeros. */
static bool looks_big(const uint8_t *clock) {
    const uint64_t big = quipu__load_be64(clock), little = quipu__load_le64(clock);
    return big < little;
}

static enum quipu_status begin_without_header(struct quipu__ovni_walk *walk, struct quipu_error *err) {
    const enum quipu_status status = quipu__input_more(walk->input, QUIPU__OVNI_EVENT_BYTES, err);
    if (status != QUIPU_OK)
        return status;
    walk->has_started = true;
    if (walk->input->end - walk->input->at >= QUIPU__OVNI_EVENT_BYTES)
        walk->is_big = looks_big(walk->input->at + QUIPU__OVNI_CLOCK_OFFSET);
    return QUIPU_OK;
}

enum quipu_status quipu__ovni_walk_begin(struct quipu__ovni_walk *walk, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    if (walk->has_started)
        return walk->damage == QUIPU__OVNI_RULE_COUNT ? QUIPU_OK : QUIPU_END;
    if (!walk->has_header)
        return begin_without_header(walk, err);
    const enum quipu_status status = quipu__input_more(input, QUIPU__OVNI_HEADER_BYTES, err);
    if (status != QUIPU_OK)
        return status;
    const size_t len = (size_t)(input->end - input->at);
    if (len < QUIPU__OVNI_HEADER_BYTES)
        return break_off(walk, QUIPU__OVNI_RULE_HEADER, "%" PRIu64 " bytes", len);
    if (memcmp(input->at, QUIPU__OVNI_MAGIC, QUIPU__OVNI_MAGIC_BYTES) != 0)
        return break_off(walk, QUIPU__OVNI_RULE_MAGIC, "0x%08" PRIx64, quipu__load_be32(input->at));
    const uint8_t *version = input->at + QUIPU__OVNI_MAGIC_BYTES;
    walk->is_big = quipu__load_be32(version) == QUIPU__OVNI_STREAM_VERSION;
    walk->version = quipu__ovni_load_32(walk->is_big, version);
    if (walk->version != QUIPU__OVNI_STREAM_VERSION)
        return break_off(walk, QUIPU__OVNI_RULE_STREAM_VERSION, "%" PRIu64, walk->version);
    walk->has_started = true;
    walk->taken = QUIPU__OVNI_HEADER_BYTES;
    return QUIPU_OK;
}

/* ---- Events ---- */

/* Bytes of the event in the window; at least need of them must be there to tell. */
static uint64_t event_bytes(const struct quipu__ovni_walk *walk, size_t len, size_t *need) {
    const uint8_t *at = walk->input->at;
    const bool is_jumbo = len > 0 && (at[0] & QUIPU__OVNI_JUMBO) != 0;
    *need = QUIPU__OVNI_EVENT_BYTES + (is_jumbo ? (size_t)QUIPU__OVNI_JUMBO_SIZE_BYTES : 0);
    if (len < *need)
        return *need;
    return *need + (is_jumbo ? quipu__ovni_load_32(walk->is_big, at + QUIPU__OVNI_EVENT_BYTES)
                             : quipu__ovni_payload_bytes(at[0]));
}

/* Makes the window hold the next event. */
static enum quipu_status load_event(struct quipu__ovni_walk *walk, uint64_t *bytes, struct quipu_error *err) {
    struct quipu__input *input = walk->input;
    size_t need = QUIPU__OVNI_EVENT_BYTES + QUIPU__OVNI_JUMBO_SIZE_BYTES;
    enum quipu_status status = quipu__input_more(input, need, err);
    if (status != QUIPU_OK || input->at == input->end)
        return status == QUIPU_OK ? QUIPU_END : status;
    const uint64_t offset = quipu__input_offset(input);
    *bytes = event_bytes(walk, (size_t)(input->end - input->at), &need);
    const bool is_cut = input->size != QUIPU_UNKNOWN && *bytes > input->size - offset;
    struct quipu_error trouble = QUIPU_ERROR_INIT;
    status = is_cut ? QUIPU_OK : quipu__input_more(input, (size_t)*bytes, &trouble);
    if (status == QUIPU_LIMIT)
        return break_off(walk, QUIPU__OVNI_RULE_TOO_LONG, "%" PRIu64 " bytes", *bytes);
    if (status != QUIPU_OK && err)
        *err = trouble;
    if (status != QUIPU_OK)
        return status;
    if (is_cut || (uint64_t)(input->end - input->at) < *bytes)
        return break_off(walk, QUIPU__OVNI_RULE_TRUNCATED, "an event of at least %" PRIu64 " bytes", *bytes);
    return QUIPU_OK;
}

enum quipu_status quipu__ovni_walk_next_slow(struct quipu__ovni_walk *walk, struct quipu__ovni_event *out,
                                             struct quipu_error *err) {
    uint64_t bytes = 0;
    enum quipu_status status = quipu__ovni_walk_begin(walk, err);
    if (status != QUIPU_OK)
        return status;
    walk->input->at += walk->taken;
    walk->taken = 0;
    status = load_event(walk, &bytes, err);
    if (status != QUIPU_OK)
        return status;
    const uint8_t *at = walk->input->at;
    const uint32_t head =
        QUIPU__OVNI_EVENT_BYTES + (at[0] & QUIPU__OVNI_JUMBO ? QUIPU__OVNI_JUMBO_SIZE_BYTES : 0);
    *out = (struct quipu__ovni_event){.flags = at[0],
                                      .model = at[1],
                                      .category = at[2],
                                      .value = at[3],
                                      .is_jumbo = (at[0] & QUIPU__OVNI_JUMBO) != 0,
                                      .clock = quipu__ovni_load_64(walk->is_big, at + QUIPU__OVNI_CLOCK_OFFSET),
                                      .payload = at + head,
                                      .len = (uint32_t)bytes - head,
                                      .offset = quipu__input_offset(walk->input)};
    walk->taken = (uint32_t)bytes;
    walk->events++;
    return QUIPU_OK;
}
