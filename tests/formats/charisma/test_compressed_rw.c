/* test_compressed_rw.c: COMP_RW by bytes that were put together by hand, in both orders of bits, and what its fields stand for. */
#include "harness.h"

#include "traces.h"

static struct made made;
static struct quipu__charisma_tracking tracking;
static struct quipu__binary_decoder decoder;

static void begin_with(const struct quipu__charisma_profile *profile) {
    make_with(&made, profile, true);
    quipu__charisma_tracking_init(&tracking, &made.memory, &made.codec.profile);
    quipu__binary_decoder_init(&decoder, &made.memory, made.codec.binary, 1000);
}

static void begin(const char *name) {
    struct quipu__charisma_profile profile;
    assert_true(quipu__charisma_profile_find(name, &profile));
    begin_with(&profile);
}

static void end(void) {
    quipu__charisma_tracking_release(&tracking);
    quipu__binary_decoder_release(&decoder);
    unmake(&made);
}

static unsigned expand(struct quipu__charisma_comp_rw *record, const void *bytes, size_t len) {
    const uint8_t *next;
    assert_int_equal(quipu__charisma_compressed_take(&made.codec.profile, &decoder, record, bytes,
                                                     (const uint8_t *)bytes + len, &next),
                     QUIPU__BINARY_OK);
    assert_ptr_equal(next, (const uint8_t *)bytes + len);
    return quipu__charisma_compressed_expand(&tracking, record);
}

/* Client 5, descriptor 33, memstride 1, size 2, stride 3, operation 6, delta: byte 2 is 33 + 64 = 0x61, or 33 * 4 + 1 = 0x85;
 * byte 3 is 2 + 12 + 96 + 128 = 0xee, or 128 + 48 + 12 + 1 = 0xbd. */
static void test_compressed_rw_bits_follow_the_byte_order(void **state) {
    static const uint8_t little[] = {16, 5, 0x61, 0xee, 7, 0, 0, 0, 9, 0, 0, 0};
    static const uint8_t big[] = {16, 5, 0x85, 0xbd, 0, 0, 0, 7, 0, 0, 0, 9};
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        struct quipu__charisma_comp_rw record;
        struct quipu__buffer out;
        const uint8_t *bytes = is_big ? big : little;
        begin(is_big ? "cm5" : "ipsc860");
        assert_int_equal(expand(&record, bytes, 12), 3);
        assert_int_equal(record.client_id, 5);
        assert_int_equal(record.file_desc, 33);
        assert_int_equal(record.memstride_index, 1);
        assert_int_equal(record.size_index, 2);
        assert_int_equal(record.stride_index, 3);
        assert_int_equal(record.operation_type, 6);
        assert_int_equal(record.timestamp_delta, 1);
        assert_int_equal(record.duration, 7);
        assert_int_equal(quipu_sized_count(record.fields), 1);
        assert_int_equal(record.starttime.i, 9);
        assert_int_equal(record.endtime.i, 16);
        quipu__buffer_init(&out, &made.memory, 0);
        quipu__charisma_compressed_put(&made.codec.profile, &record, &out);
        assert_int_equal(out.len, 12);
        assert_memory_equal(out.data, bytes, 12);
        quipu__buffer_release(&out);
        end();
    }
}

/* A whole stamp of 2^32 + 5: its words lie as those of a 64-bit number. */
static void test_compressed_rw_whole_stamps_are_two_words(void **state) {
    static const uint8_t little[] = {16, 1, 3,  0x40, 0, 0, 0,  0, 5, 0, 0, 0, 1, 0,
                                     0,  0, 80, 0,    0, 0, 16, 0, 0, 0, 8, 0, 0, 0};
    static const uint8_t big[] = {16, 1, 12, 8, 0, 0,  0, 0, 0, 0,  0, 1, 0, 0,
                                  0,  5, 0,  0, 0, 80, 0, 0, 0, 16, 0, 0, 0, 8};
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        struct quipu__charisma_comp_rw record;
        begin(is_big ? "cm5" : "lp64");
        assert_int_equal(expand(&record, is_big ? big : little, sizeof little), 0);
        assert_int_equal(record.starttime.i, (INT64_C(1) << 32) + 5);
        assert_int_equal(record.IO_size, 80);
        assert_int_equal(record.offset, 16);
        assert_int_equal(record.memory_offset, 8);
        end();
    }
}

/* Stamps of four bytes: one word, whose first four bytes they are, as in other records. */
static void test_compressed_rw_stamps_of_four_bytes_are_one_word(void **state) {
    static const uint8_t little[] = {16, 1, 3, 0x40, 0,  0, 0, 0, 0xfe, 0xff, 0xff, 0xff,
                                     80, 0, 0, 0,    16, 0, 0, 0, 8,    0,    0,    0};
    static const uint8_t big[] = {16,   1,    12,   8,    0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,
                                  0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 80,
                                  0,    0,    0,    0,    0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 8};
    static const struct quipu__number_type types[] = {{4, 1, QUIPU__NUMBER_UNSIGNED},
                                                      {4, 4, QUIPU__NUMBER_SIGNED}};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct quipu__charisma_comp_rw record;
        const bool is_big = i % 2 > 0, is_signed = i / 2 > 0;
        struct quipu__charisma_profile profile = profile_with_stamps(is_big ? "cm5" : "ipsc860", types[i / 2]);
        profile.comp_word = is_big ? 8 : 4;
        begin_with(&profile);
        assert_int_equal(expand(&record, is_big ? big : little, is_big ? sizeof big : sizeof little), 0);
        assert_true(record.starttime.i == (is_signed ? -2 : INT64_C(0xfffffffe)));
        assert_int_equal(record.IO_size, 80);
        assert_int_equal(record.memory_offset, 8);
        end();
    }
}

static void test_compressed_rw_stamps_of_four_bytes_may_be_real(void **state) {
    /* 2.5f is 0x40200000 */
    static const uint8_t bytes[] = {16, 1, 3, 0x40, 0,  0, 0, 0, 0, 0, 0x20, 0x40,
                                    80, 0, 0, 0,    16, 0, 0, 0, 8, 0, 0,    0};
    const struct quipu__charisma_profile profile =
        profile_with_stamps("ipsc860", (struct quipu__number_type){4, 4, QUIPU__NUMBER_FLOAT});
    struct quipu__charisma_comp_rw record;
    (void)state;
    begin_with(&profile);
    assert_int_equal(expand(&record, bytes, sizeof bytes), 0);
    assert_true(record.starttime.is_real && record.starttime.f == 2.5);
    end();
}

/* 2^32 - 2, and 5 ticks later: a clock of 32 bits shows 3. A full record of that machine would hold the same. */
static void test_compressed_rw_a_full_clock_begins_again(void **state) {
    static const uint8_t first[] = {16, 1, 3, 0x40, 1,  0, 0, 0, 0xfe, 0xff, 0xff, 0xff,
                                    80, 0, 0, 0,    16, 0, 0, 0, 8,    0,    0,    0};
    static const uint8_t second[] = {16, 1, 0x43, 0xc5, 0, 0, 0, 0, 5, 0, 0, 0};
    const struct quipu__charisma_profile profile =
        profile_with_stamps("ipsc860", (struct quipu__number_type){4, 1, QUIPU__NUMBER_UNSIGNED});
    struct quipu__charisma_comp_rw record;
    (void)state;
    begin_with(&profile);
    assert_int_equal(expand(&record, first, sizeof first), 0);
    assert_int_equal(record.endtime.i, 0xffffffff);
    expand(&record, second, sizeof second);
    assert_int_equal(record.starttime.i, 3);
    end();
}

/* Requests of a client, with what each must become: words are given for what is not remembered. */
static void test_compressed_rw_remembers_three_values_in_turn(void **state) {
    static const struct {
        int64_t size;
        uint8_t index; /* expected */
    } cases[] = {{10, 0}, {20, 0}, {30, 0}, {10, 1}, {20, 2}, {30, 3},
                 {40, 0}, {40, 1}, {20, 2}, {10, 0}, {10, 2}, {30, 3}};
    (void)state;
    begin("lp64");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__charisma_request *request = quipu__scratch_sized(&made.scratch, 1, sizeof *request);
        *request = (struct quipu__charisma_request){0, 0, cases[i].size, 1};
        const struct quipu__charisma_rw rw = {.starttime = ticks(&made, 10),
                                              .endtime = ticks(&made, 10),
                                              .file_desc = 3,
                                              .operation_type = 4,
                                              .appl_id = -1,
                                              .num_clients = 1,
                                              .requests = request};
        struct quipu__charisma_word_list words;
        struct quipu__charisma_comp_rw record;
        assert_true(quipu__charisma_compress(&tracking, &rw, &words, &record));
        assert_int_equal(record.size_index, cases[i].index);
    }
    end();
}

static void test_compressed_rw_an_open_makes_it_forget(void **state) {
    static const uint8_t first[] = {16, 1, 3, 0xc0, 0,  0, 0, 0, 1, 0, 0, 0,
                                    80, 0, 0, 0,    16, 0, 0, 0, 8, 0, 0, 0};
    static const uint8_t second[] = {16, 1, 0x43, 0xc5, 0, 0, 0, 0, 1, 0, 0, 0};
    struct quipu__charisma_comp_rw record;
    (void)state;
    begin("lp64");
    assert_int_equal(expand(&record, first, sizeof first), 0);
    assert_int_equal(expand(&record, second, sizeof second), 0);
    assert_int_equal(record.starttime.i, 2);
    assert_int_equal(record.IO_size, 80);
    assert_int_equal(record.offset, 32);
    assert_int_equal(record.memory_offset, 16);
    const uint32_t client = quipu__charisma_client_of(&tracking, 1);
    quipu__charisma_handle_open(&tracking, quipu__charisma_handle_of(&tracking, false, client, 3), 0, 1, 0);
    assert_int_equal(expand(&record, second, sizeof second), 3);
    assert_int_equal(record.starttime.i, 3);
    assert_int_equal(record.IO_size, 0);
    assert_int_equal(record.offset, 0);
    end();
}

static void test_compressed_rw_cut_anywhere_asks_for_more(void **state) {
    static const uint8_t bytes[] = {16, 1, 3, 0xc0, 0,  0, 0, 0, 1, 0, 0, 0,
                                    80, 0, 0, 0,    16, 0, 0, 0, 8, 0, 0, 0};
    (void)state;
    begin("lp64");
    for (size_t len = 1; len < sizeof bytes; len++) {
        struct quipu__charisma_comp_rw record;
        const uint8_t *next;
        assert_int_equal(
            quipu__charisma_compressed_take(&made.codec.profile, &decoder, &record, bytes, bytes + len, &next),
            QUIPU__BINARY_MORE);
        assert_true(decoder.need > len && decoder.need <= sizeof bytes);
    }
    end();
}

/* What COMP_RW has no place for stays a full record. */
static void test_compressed_rw_is_not_made_of_what_it_cannot_hold(void **state) {
    static const struct {
        int64_t descriptor, client, size, application, async_id, offset;
        uint8_t operation;
    } cases[] = {{64, 1, 1, -1, 0, 0, 4},
                 {3, 256, 1, -1, 0, 0, 4},
                 {3, 1, -1, -1, 0, 0, 4},
                 {3, 1, 1, 7, 0, 0, 4},
                 {3, 1, 1, -1, 9, 0, 4},
                 {3, 1, 1, -1, 0, 0, 5},
                 {3, 1, 1, -1, 0, 0, 2},
                 {-1, 1, 1, -1, 0, 0, 4},
                 {3, 1, INT64_C(1) << 32, -1, 0, 0, 4},
                 {3, 1, 1, -1, 0, INT64_C(1) << 31, 4}};
    (void)state;
    begin("lp64");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__charisma_request *request = quipu__scratch_sized(&made.scratch, 1, sizeof *request);
        *request = (struct quipu__charisma_request){cases[i].offset, 0, cases[i].size, cases[i].client};
        const struct quipu__charisma_rw rw = {.starttime = ticks(&made, 10),
                                              .endtime = ticks(&made, 10),
                                              .file_desc = cases[i].descriptor,
                                              .operation_type = cases[i].operation,
                                              .async_id = cases[i].async_id,
                                              .appl_id = cases[i].application,
                                              .num_clients = 1,
                                              .requests = request};
        struct quipu__charisma_word_list words;
        struct quipu__charisma_comp_rw record;
        assert_false(quipu__charisma_compress(&tracking, &rw, &words, &record));
    }
    end();
}

QUIPU_TESTS(cmocka_unit_test(test_compressed_rw_bits_follow_the_byte_order),
            cmocka_unit_test(test_compressed_rw_whole_stamps_are_two_words),
            cmocka_unit_test(test_compressed_rw_stamps_of_four_bytes_are_one_word),
            cmocka_unit_test(test_compressed_rw_stamps_of_four_bytes_may_be_real),
            cmocka_unit_test(test_compressed_rw_a_full_clock_begins_again),
            cmocka_unit_test(test_compressed_rw_remembers_three_values_in_turn),
            cmocka_unit_test(test_compressed_rw_an_open_makes_it_forget),
            cmocka_unit_test(test_compressed_rw_cut_anywhere_asks_for_more),
            cmocka_unit_test(test_compressed_rw_is_not_made_of_what_it_cannot_hold))
