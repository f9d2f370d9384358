/* test_decode.c: records from bytes, by exact values. */
#include "random_records.h"

#include "formats/dumpi/codec.h"

static struct quipu__memory memory;

static struct quipu__binary_codec *new_codec(uint32_t version, bool replace_counts) {
    struct quipu__binary_codec *codec;
    quipu__memory_init(&memory, NULL, 0);
    assert_int_equal(quipu__dumpi_codec_new(&memory, version, replace_counts, &codec, NULL), QUIPU_OK);
    return codec;
}

static void test_decode_init_of_the_specification(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0x00, 0x7C, 0x4F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x75, 0xAD, 0x00,
                                    0x00, 0x00, 0x00, 0x75, 0xBC, 0xA0, 0x00, 0x00, 0x2B, 0xF7, 0xEF,
                                    0x88, 0x00, 0x00, 0x2B, 0xF7, 0xF3, 0x70, 0x00, 0x00, 0x00, 0x01,
                                    0x00, 0x00, 0x00, 0x05, 0x2E, 0x2F, 0x6D, 0x70, 0x69, 0x01, 0x25};
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_VERSION(1, 0, 0), false);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.wall_bias_ns = INT64_C(1296777956) * 1000000000;
    assert_int_equal(quipu__dumpi_decode(&decoder, bytes, bytes + sizeof bytes, &next), QUIPU__DUMPI_OK);
    assert_int_equal(next - bytes, 42);
    assert_int_equal(decoder.type, QUIPU__DUMPI_TYPE_init);
    assert_int_equal(decoder.common.mask, 0x4F);
    assert_int_equal(decoder.common.thread, 0);
    assert_int_equal(decoder.common.cpu_start, 7712000);
    assert_int_equal(decoder.common.cpu_stop, 7716000);
    assert_int_equal(decoder.common.wall_start, INT64_C(1296777956737669000));
    assert_int_equal(decoder.common.wall_stop, INT64_C(1296777956737670000));
    assert_int_equal(decoder.data.init.argc, 1);
    assert_int_equal(quipu_sized_count(decoder.data.init.argv), 1);
    assert_string_equal(decoder.data.init.argv[0], "./mpi");
    assert_int_equal(quipu__dumpi_decode(&decoder, next, bytes + sizeof bytes, &next), QUIPU__DUMPI_ENDS);
    for (size_t i = 1; i < 42; i++)
        assert_int_equal(quipu__dumpi_decode(&decoder, bytes, bytes + i, &next), QUIPU__DUMPI_MORE);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
}

static enum quipu__dumpi_outcome decode_waitsome(bool replace_counts, int32_t *outcount) {
    static const uint8_t bytes[] = {0, 20,   3,    0,    0,    0, 1, 0, 0, 0, 1, 0, 0, 0,
                                    1, 0xff, 0xff, 0x80, 0x02, 0, 0, 0, 0, 0, 0, 0, 0};
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_NEWEST, replace_counts);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    const enum quipu__dumpi_outcome outcome = quipu__dumpi_decode(&decoder, bytes, bytes + sizeof bytes, &next);
    *outcount = decoder.data.waitsome.outcount;
    assert_null(decoder.data.waitsome.indices);
    assert_null(decoder.data.waitsome.statuses);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
    return outcome;
}

static void test_decode_keep_the_raw_count_unless_asked(void **state) {
    (void)state;
    int32_t outcount;
    assert_int_equal(decode_waitsome(false, &outcount), QUIPU__DUMPI_OK);
    assert_int_equal(outcount, -32766);
    assert_int_equal(decode_waitsome(true, &outcount), QUIPU__DUMPI_OK);
    assert_int_equal(outcount, 0);
}

static enum quipu__dumpi_outcome decode_bytes(const uint8_t *bytes, size_t size, uint64_t limit) {
    struct quipu__binary_codec *codec = new_codec(QUIPU__DUMPI_NEWEST, false);
    struct quipu__dumpi_decoder decoder;
    const uint8_t *next = NULL;
    quipu__dumpi_decoder_init(&decoder, &memory, codec);
    decoder.engine.limit = limit;
    const enum quipu__dumpi_outcome outcome = quipu__dumpi_decode(&decoder, bytes, bytes + size, &next);
    quipu__dumpi_decoder_release(&decoder);
    quipu__binary_codec_free(codec);
    return outcome;
}

static void test_decode_with_impossible_lengths_are_none(void **state) {
    (void)state;
    static const uint8_t negative[] = {0, 32, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t huge[] = {0, 32, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff};
    static const uint8_t unknown[] = {0, 128, 0};
    static const uint8_t beyond[] = {2, 0, 0};
    assert_int_equal(decode_bytes(negative, sizeof negative, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(huge, sizeof huge, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(unknown, sizeof unknown, 1000), QUIPU__DUMPI_BAD);
    assert_int_equal(decode_bytes(beyond, sizeof beyond, 1000), QUIPU__DUMPI_BAD);
}

QUIPU_TESTS(cmocka_unit_test(test_decode_init_of_the_specification),
            cmocka_unit_test(test_decode_keep_the_raw_count_unless_asked),
            cmocka_unit_test(test_decode_with_impossible_lengths_are_none))
