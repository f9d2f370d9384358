/* test_encode.c: records to bytes: what is decoded is encoded as the same bytes, for random values of all types. */
#include "random_records.h"

#include "formats/dumpi/codec.h"

static struct quipu__memory memory;

static struct quipu__binary_codec *new_codec(uint32_t version, bool replace_counts) {
    struct quipu__binary_codec *codec;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__dumpi_codec_new(&memory, version, replace_counts, &codec, NULL), QUIPU_OK);
    return codec;
}

static void assert_struct(const struct quipu_record_type *type, const uint8_t *a, const uint8_t *b);

static void assert_field(const struct quipu_field *field, const uint8_t *a, const uint8_t *b) {
    if (field->shape == QUIPU_ONE && field->storage < QUIPU_STORE_STRING) {
        assert_memory_equal(a + field->offset, b + field->offset,
                            quipu__storage_bytes((enum quipu_storage)field->storage));
        return;
    }
    const uint8_t *left, *right;
    memcpy(&left, a + field->offset, sizeof left);
    memcpy(&right, b + field->offset, sizeof right);
    assert_int_equal(quipu_sized_count(left), quipu_sized_count(right));
    for (uint32_t i = 0; i < quipu_sized_count(left); i++) {
        struct quipu_field one = *field;
        one.offset = 0;
        one.shape = QUIPU_ONE;
        const size_t size = quipu__storage_bytes((enum quipu_storage)field->storage);
        if (field->element)
            assert_struct(field->element, left + i * field->element->size, right + i * field->element->size);
        else if (field->shape == QUIPU_LIST)
            assert_field(&one, left + i * size, right + i * size);
        else
            assert_int_equal(left[i], right[i]);
    }
}

static void assert_struct(const struct quipu_record_type *type, const uint8_t *a, const uint8_t *b) {
    for (size_t i = 0; i < type->field_count; i++)
        assert_field(&type->fields[i], a, b);
}

static void draw_common(struct quipu__dumpi_call *common) {
    const uint8_t mask = (uint8_t)(draw() & ~(uint64_t)QUIPU__DUMPI_MASK_UNUSED);
    *common = (struct quipu__dumpi_call){.mask = mask};
    if (mask & QUIPU__DUMPI_MASK_THREAD)
        common->thread = (uint16_t)draw();
    if (mask & QUIPU__DUMPI_MASK_CPU) {
        common->cpu_start = (int64_t)(draw() % 65536 * 1000000000 + draw() % 1000000000);
        common->cpu_stop = common->cpu_start;
    }
    if (mask & QUIPU__DUMPI_MASK_WALL)
        common->wall_start = INT64_C(7000000000) + (int64_t)(draw() % 1000000000);
    if (mask & QUIPU__DUMPI_MASK_WALL)
        common->wall_stop = common->wall_start + 5;
    if (mask & QUIPU__DUMPI_MASK_COUNTERS) {
        struct quipu__dumpi_counter counters[2] = {{(int64_t)draw(), -1}, {0, (int64_t)draw()}};
        common->counters = sized(counters, (uint32_t)(draw() % 3), sizeof *counters);
    }
}

/* One record of one type there and back; its bytes are the same again. */
static void there_and_back(const struct quipu__binary_codec *codec, uint32_t type) {
    const struct quipu__dumpi_encoder encoder = {codec, 0, INT64_C(7000000000)};
    const bool is_call = quipu__dumpi_types[type].id < QUIPU__DUMPI_END;
    union quipu__dumpi_any data;
    struct quipu__dumpi_call common;
    struct quipu__buffer out, again;
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    memset(&data, 0, sizeof data);
    draw_common(&common);
    draw_struct(&quipu__dumpi_types[type], (uint8_t *)&data, codec->machine.version);
    quipu__buffer_init(&out, &memory, 0);
    quipu__buffer_init(&again, &memory, 0);
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.wall_bias_ns = encoder.wall_bias_ns;
    if (is_call)
        quipu__dumpi_encode(&encoder, type, &common, &data, &out);
    else
        quipu__dumpi_encode_section(codec, type, &data, &out);
    const enum quipu__dumpi_outcome outcome =
        is_call ? quipu__dumpi_decode(&decoder, out.data, out.data + out.len, &next)
                : quipu__dumpi_decode_section(&decoder, type, out.data, out.data + out.len, &next);
    if (outcome != QUIPU__DUMPI_OK)
        fail_msg("%s: outcome %d", quipu__dumpi_types[type].name, outcome);
    assert_ptr_equal(next, out.data + out.len);
    assert_int_equal(decoder.type, type);
    if (is_call)
        quipu__dumpi_encode(&encoder, type, &decoder.common, &decoder.data, &again);
    else
        quipu__dumpi_encode_section(codec, type, &decoder.data, &again);
    assert_int_equal(again.len, out.len);
    assert_memory_equal(again.data, out.data, out.len);
    if (!is_call || (common.mask & QUIPU__DUMPI_MASK_STATUS))
        assert_struct(&quipu__dumpi_types[type], (const uint8_t *)&data, (const uint8_t *)&decoder.data);
    if (is_call)
        assert_struct(quipu__dumpi_schema.common, (const uint8_t *)&common, (const uint8_t *)&decoder.common);
    quipu__dumpi_decoder_release(&decoder);
    quipu__buffer_release(&out);
    quipu__buffer_release(&again);
}

static void test_encode_come_back_from_bytes(void **state) {
    (void)state;
    static const uint32_t versions[] = {QUIPU__DUMPI_VERSION(0, 2, 0), QUIPU__DUMPI_VERSION(0, 5, 0),
                                        QUIPU__DUMPI_VERSION(0, 6, 2), QUIPU__DUMPI_VERSION(0, 6, 3),
                                        QUIPU__DUMPI_VERSION(0, 6, 8), QUIPU__DUMPI_VERSION(0, 6, 9),
                                        QUIPU__DUMPI_VERSION(1, 0, 0), QUIPU__DUMPI_NEWEST};
    seed = 20;
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct quipu__binary_codec *codec = new_codec(versions[v], false);
        for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++)
            for (unsigned round = 0; round < 8; round++)
                there_and_back(codec, type);
        quipu__binary_codec_free(codec);
        assert_int_equal(memory.used, 0);
    }
}

/* The worked example of the specification: MPI_Init with one argument, from 7.712 ms of CPU time on. */
static void test_encode_init_of_the_specification(void **state) {
    static const uint8_t expected[] = {0x00, 0x7C, 0x4F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x75, 0xAD, 0x00,
                                       0x00, 0x00, 0x00, 0x75, 0xBC, 0xA0, 0x00, 0x00, 0x2B, 0xF7, 0xEF,
                                       0x88, 0x00, 0x00, 0x2B, 0xF7, 0xF3, 0x70, 0x00, 0x00, 0x00, 0x01,
                                       0x00, 0x00, 0x00, 0x05, 0x2E, 0x2F, 0x6D, 0x70, 0x69};
    const struct quipu__dumpi_call common = {.mask = 0x4F,
                                             .cpu_start = 7712000,
                                             .cpu_stop = 7716000,
                                             .wall_start = INT64_C(1296777956737669000),
                                             .wall_stop = INT64_C(1296777956737670000)};
    const char *const argument = text("./mpi");
    const struct quipu__dumpi_init init = {.argc = 1, .argv = sized(&argument, 1, sizeof argument)};
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_VERSION(1, 0, 0), false);
    const struct quipu__dumpi_encoder encoder = {codec, 0, INT64_C(1296777956) * 1000000000};
    struct quipu__buffer out;
    (void)state;
    quipu__buffer_init(&out, &memory, 0);
    quipu__dumpi_encode(&encoder, QUIPU__DUMPI_TYPE_init, &common, &init, &out);
    assert_int_equal(out.len, sizeof expected);
    assert_memory_equal(out.data, expected, sizeof expected);
    quipu__buffer_release(&out);
    quipu__binary_codec_free(codec);
}

QUIPU_TESTS(cmocka_unit_test(test_encode_init_of_the_specification),
            cmocka_unit_test(test_encode_come_back_from_bytes))
