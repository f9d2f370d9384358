/* encode.c: calls and sections to bytes. Mirrors decode.c. */
#include "formats/dumpi/codec.h"

#include "core/bounded.h"

#define NS_PER_SECOND 1000000000

/* Seconds are stored modulo 65536 after the bias. */
static uint8_t *store_time(uint8_t *to, int64_t time, int64_t bias_ns) {
    const int64_t since = quipu__bounded_difference(time, bias_ns);
    int64_t nanoseconds = since % NS_PER_SECOND;
    int64_t seconds = since / NS_PER_SECOND;
    if (nanoseconds < 0) {
        nanoseconds += NS_PER_SECOND;
        seconds--;
    }
    quipu__store_be16(to, (uint16_t)seconds);
    quipu__store_be32(to + 2, (uint32_t)nanoseconds);
    return to + 6;
}

static void put_counters(const struct quipu__dumpi_counter *counters, struct quipu__buffer *out) {
    const uint32_t stored = quipu_sized_count(counters);
    const uint32_t count = stored < UINT8_MAX ? stored : UINT8_MAX;
    quipu__put_u8(out, (uint8_t)count);
    for (uint32_t i = 0; i < count; i++) {
        quipu__put_be64(out, (uint64_t)counters[i].in);
        quipu__put_be64(out, (uint64_t)counters[i].out);
    }
}

/* Number, mask, thread and clocks are stored after one check of the room for them: putting them one by one makes
 * dumpi2dumpi execute 45 % more instructions. */
static void put_head(const struct quipu__dumpi_encoder *encoder, uint32_t id,
                     const struct quipu__dumpi_call *common, struct quipu__buffer *out) {
    uint8_t *const room = quipu__buffer_room(out, quipu__dumpi_head_bytes(UINT8_MAX));
    if (!room)
        return;
    quipu__store_be16(room, (uint16_t)id);
    room[2] = common->mask;
    uint8_t *to = room + QUIPU__DUMPI_RECORD_LEAST;
    if (common->mask & QUIPU__DUMPI_MASK_THREAD) {
        quipu__store_be16(to, common->thread);
        to += 2;
    }
    if (common->mask & QUIPU__DUMPI_MASK_CPU) {
        to = store_time(to, common->cpu_start, encoder->cpu_bias_ns);
        to = store_time(to, common->cpu_stop, encoder->cpu_bias_ns);
    }
    if (common->mask & QUIPU__DUMPI_MASK_WALL) {
        to = store_time(to, common->wall_start, encoder->wall_bias_ns);
        to = store_time(to, common->wall_stop, encoder->wall_bias_ns);
    }
    out->len += (size_t)(to - room);
}

void quipu__dumpi_encode(const struct quipu__dumpi_encoder *encoder, uint32_t type,
                         const struct quipu__dumpi_call *common, const void *data, struct quipu__buffer *out) {
    struct quipu__binary_encoder engine = {.codec = encoder->codec,
                                           .is_marked = (common->mask & QUIPU__DUMPI_MASK_STATUS) != 0};
    put_head(encoder, quipu__dumpi_types[type].id, common, out);
    if (common->mask & QUIPU__DUMPI_MASK_COUNTERS)
        put_counters(common->counters, out);
    quipu__binary_encode(&engine, type, data, out);
}

void quipu__dumpi_encode_section(const struct quipu__binary_codec *codec, uint32_t type, const void *data,
                                 struct quipu__buffer *out) {
    struct quipu__binary_encoder engine = {.codec = codec};
    quipu__binary_encode(&engine, type, data, out);
}
