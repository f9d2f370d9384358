/* encode.c: calls and sections to bytes. Mirrors decode.c. */
#include "formats/dumpi/codec.h"

#define NS_PER_SECOND 1000000000

/* Seconds are stored modulo 65536 after the bias. */
static void put_time(int64_t time, int64_t bias_ns, struct quipu__buffer *out) {
    const int64_t since = time - bias_ns;
    int64_t nanoseconds = since % NS_PER_SECOND;
    int64_t seconds = since / NS_PER_SECOND;
    if (nanoseconds < 0) {
        nanoseconds += NS_PER_SECOND;
        seconds--;
    }
    quipu__put_be16(out, (uint16_t)seconds);
    quipu__put_be32(out, (uint32_t)nanoseconds);
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

static void put_common(const struct quipu__dumpi_encoder *encoder, const struct quipu__dumpi_call *common,
                       struct quipu__buffer *out) {
    quipu__put_u8(out, common->mask);
    if (common->mask & QUIPU__DUMPI_MASK_THREAD)
        quipu__put_be16(out, common->thread);
    if (common->mask & QUIPU__DUMPI_MASK_CPU) {
        put_time(common->cpu_start, encoder->cpu_bias_ns, out);
        put_time(common->cpu_stop, encoder->cpu_bias_ns, out);
    }
    if (common->mask & QUIPU__DUMPI_MASK_WALL) {
        put_time(common->wall_start, encoder->wall_bias_ns, out);
        put_time(common->wall_stop, encoder->wall_bias_ns, out);
    }
    if (common->mask & QUIPU__DUMPI_MASK_COUNTERS)
        put_counters(common->counters, out);
}

void quipu__dumpi_encode(const struct quipu__dumpi_encoder *encoder, uint32_t type,
                         const struct quipu__dumpi_call *common, const void *data, struct quipu__buffer *out) {
    struct quipu__binary_encoder engine = {.codec = encoder->codec,
                                           .is_marked = (common->mask & QUIPU__DUMPI_MASK_STATUS) != 0};
    quipu__put_be16(out, (uint16_t)quipu__dumpi_types[type].id);
    put_common(encoder, common, out);
    quipu__binary_encode(&engine, type, data, out);
}

void quipu__dumpi_encode_section(const struct quipu__binary_codec *codec, uint32_t type, const void *data,
                                 struct quipu__buffer *out) {
    struct quipu__binary_encoder engine = {.codec = codec};
    quipu__binary_encode(&engine, type, data, out);
}
