/* test_writer.c: what is read and written again has the same bytes; other machines and compression lose nothing that they can
 * hold. */
#include "harness.h"

#include "traces.h"

#include "formats/charisma/writer.h"

/* ---- Copies ---- */

enum { PROFILES = 10, TRACES_OF_EACH = 1000 };

/* NULL: as the format has it. */
static void set_options(struct quipu_writer_options *options, struct quipu_setting settings[2],
                        const char *machine, const char *compression) {
    options->settings = settings;
    if (machine)
        settings[options->setting_count++] = (struct quipu_setting){"machine", machine};
    if (compression)
        settings[options->setting_count++] = (struct quipu_setting){"compress", compression};
}

/* Converts a file; the bytes of the copy. machine NULL: that of the input. */
static const char *convert(const char *path, const char *from, const char *machine, const char *compression,
                           size_t *size, uint64_t *lost) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report = NULL;
    struct quipu_reader *reader = open_as(path, from);
    const char *copy = harness_text("%s/copy.ctrace", harness_folder());
    struct quipu_setting settings[2];
    set_options(&options.writer, settings, machine, compression);
    assert_int_equal(quipu_convert(reader, copy, "charisma", &options, &report, NULL), QUIPU_OK);
    *lost = quipu_conversion_report_lost(report);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    harness_read(copy, size);
    return copy;
}

static void assert_same_file(const char *path, const struct made *made) {
    size_t size;
    const char *bytes = harness_read(path, &size);
    assert_int_equal(size, made->out.len);
    assert_memory_equal(bytes, made->out.data, size);
}

static void test_writer_copies_have_the_same_bytes(void **state) {
    struct quipu__charisma_profile profile;
    (void)state;
    for (unsigned p = 0; quipu__charisma_profile_at(p, &profile); p++) {
        struct made made;
        size_t size;
        uint64_t lost;
        make_by_seed(&made, profile.name, p, 40);
        assert_same_file(convert(save(&made), profile.name, NULL, NULL, &size, &lost), &made);
        assert_int_equal(lost, 0);
        unmake(&made);
    }
}

/* ---- Machines ---- */

/* Stamps of the Paragon are seconds with fractions: 150 / 1024 s are 146484.375 ticks of a microsecond. */
static void test_writer_fractions_of_seconds_become_ticks(void **state) {
    struct made made;
    size_t size;
    uint64_t lost;
    (void)state;
    make(&made, "paragon", false);
    put_load(&made, 1024, 7, 1);
    PUT(&made, client_join, .timestamp = ticks(&made, 150), .appl_id = 7, .client_id = 2);
    const char *copy = convert(save(&made), "paragon", "cm5", NULL, &size, &lost);
    assert_int_equal(lost, 1);
    struct quipu_reader *reader = open_as(copy, "cm5");
    struct quipu_record record;
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_true(((const struct quipu__charisma_header *)record.data)->timestamp_unit == 1e-6);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_int_equal(((const struct quipu__charisma_app_load *)record.data)->timestamp.i, 1000000);
    assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_int_equal(((const struct quipu__charisma_client_join *)record.data)->timestamp.i, 146484);
    quipu_reader_close(reader);
    unmake(&made);
}

/* ---- Compression ---- */

static void begin_writer(struct quipu__charisma_writer *writer, struct made *made,
                         enum quipu__charisma_compression compression) {
    *writer = (struct quipu__charisma_writer){
        .memory = &made->memory, .codec = made->codec, .compression = compression, .has_head = true};
    quipu__buffer_init(&writer->out, &made->memory, 0);
    quipu__put(&writer->out, made->out.data, QUIPU__CHARISMA_HEAD_BYTES);
    quipu__charisma_tracking_init(&writer->tracking, &made->memory, &writer->codec.profile);
}

static void end_writer(struct quipu__charisma_writer *writer) {
    assert_int_equal(writer->narrowed, 0);
    quipu__charisma_tracking_release(&writer->tracking);
    quipu__buffer_release(&writer->out);
}

/* Reads a file; two writers put its records. */
static void rewrite(const struct made *made, const struct quipu__buffer *bytes,
                    struct quipu__charisma_writer *first, struct quipu__charisma_writer *second) {
    static const char *path; /* one for all: making folders takes longer than all else */
    struct quipu_record record;
    path = path ? path : harness_text("%s/rewritten.ctrace", harness_folder());
    harness_write(path, bytes->data, bytes->len);
    struct quipu_reader *reader = open_as(path, made->codec.profile.name);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        const uint32_t type = (uint32_t)(record.type - quipu__charisma_types);
        assert_int_equal(quipu__charisma_put(first, type, record.data, NULL), QUIPU_OK);
        assert_int_equal(quipu__charisma_put(second, type, record.data, NULL), QUIPU_OK);
    }
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_NOTICE), 0);
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS), 0);
    quipu_reader_close(reader);
    remove(path);
}

static void assert_same_bytes(const struct quipu__buffer *left, const struct quipu__buffer *right) {
    assert_int_equal(left->len, right->len);
    assert_memory_equal(left->data, right->data, left->len);
}

/* COMP_RW of the Paragon has no duration. */
static bool can_be_smaller(const struct made *made) {
    return made->codec.profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind != QUIPU__NUMBER_FLOAT;
}

/* RW to COMP_RW and back gives the bytes of the file, COMP_RW to RW and back those of the compressed one, since what is between the
 * two is the file; COMP_RW as it is read is what it was. */
static void assert_compression_comes_back(struct made *made, unsigned *smaller) {
    struct quipu__charisma_writer small, uncompressed, copy, full;
    begin_writer(&small, made, QUIPU__CHARISMA_COMPRESSED);
    begin_writer(&uncompressed, made, QUIPU__CHARISMA_UNCOMPRESSED);
    begin_writer(&copy, made, QUIPU__CHARISMA_AS_READ);
    begin_writer(&full, made, QUIPU__CHARISMA_UNCOMPRESSED);
    rewrite(made, &made->out, &small, &uncompressed);
    rewrite(made, &small.out, &copy, &full);
    assert_same_bytes(&uncompressed.out, &made->out);
    assert_same_bytes(&copy.out, &small.out);
    assert_same_bytes(&full.out, &made->out);
    assert_true(can_be_smaller(made) ? small.out.len <= made->out.len : small.out.len == made->out.len);
    *smaller += small.out.len < made->out.len;
    end_writer(&small);
    end_writer(&uncompressed);
    end_writer(&copy);
    end_writer(&full);
}

static void test_writer_compression_of_valid_traces_comes_back_on_every_machine(void **state) {
    struct quipu__charisma_profile profile;
    (void)state;
    for (unsigned p = 0; quipu__charisma_profile_at(p, &profile); p++) {
        unsigned smaller = 0;
        struct made made;
        for (uint64_t seed = 0; seed < TRACES_OF_EACH; seed++) {
            make_by_seed(&made, profile.name, seed * PROFILES + p, (unsigned)(seed % 24));
            assert_compression_comes_back(&made, &smaller);
            unmake(&made);
        }
        make_by_seed(&made, profile.name, 1, 0);
        assert_true(can_be_smaller(&made) ? smaller > TRACES_OF_EACH / 2 : smaller == 0);
        unmake(&made);
    }
}

static void test_writer_compressed_requests_come_back(void **state) {
    struct quipu__charisma_profile profile;
    (void)state;
    for (unsigned p = 0; quipu__charisma_profile_at(p, &profile); p++) {
        struct made made;
        size_t full, small, again;
        uint64_t lost;
        make_by_seed(&made, profile.name, p, 200);
        const char *compressed = convert(save(&made), profile.name, NULL, "yes", &small, &lost);
        full = made.out.len;
        /* COMP_RW of the Paragon has no duration */
        assert_true(profile.types[QUIPU__CHARISMA_WIRE_TimestampType].kind == QUIPU__NUMBER_FLOAT
                        ? small == full
                        : small < full);
        assert_same_file(convert(compressed, profile.name, NULL, "no", &again, &lost), &made);
        const char *twice = convert(convert(compressed, profile.name, NULL, "no", &again, &lost), profile.name,
                                    NULL, "yes", &again, &lost);
        assert_int_equal(again, small);
        assert_memory_equal(harness_read(twice, NULL), harness_read(compressed, NULL), small);
        unmake(&made);
    }
}

/* To a machine with other stamps and back, compressed on the way: the same file. */
static void test_writer_other_time_stamps_lose_nothing_that_they_can_hold(void **state) {
    static const struct {
        const char *machine;
        struct quipu__number_type stamps;
        uint8_t word;
    } cases[] = {{"ipsc860", {4, 1, QUIPU__NUMBER_UNSIGNED}, 4}, {"ipsc860", {4, 4, QUIPU__NUMBER_SIGNED}, 4},
                 {"cm5", {4, 4, QUIPU__NUMBER_UNSIGNED}, 4},     {"cm5", {4, 4, QUIPU__NUMBER_UNSIGNED}, 8},
                 {"lp64", {4, 4, QUIPU__NUMBER_UNSIGNED}, 8},    {"lp64", {4, 4, QUIPU__NUMBER_FLOAT}, 4},
                 {"lp64", {8, 8, QUIPU__NUMBER_FLOAT}, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__charisma_profile profile = profile_with_stamps(cases[i].machine, cases[i].stamps);
        struct made made;
        size_t size;
        uint64_t lost;
        profile.comp_word = cases[i].word;
        const char *machine = profile_file(&profile);
        make_by_seed(&made, cases[i].machine, i, 200);
        const char *there = convert(save(&made), cases[i].machine, machine, "yes", &size, &lost);
        assert_int_equal(lost, 0);
        assert_same_file(convert(there, machine, cases[i].machine, "no", &size, &lost), &made);
        assert_int_equal(lost, 0);
        unmake(&made);
    }
}

/* 2^32 is too much for four bytes: of two requests one has it. */
static void test_writer_time_stamps_that_are_cut_are_counted(void **state) {
    const struct quipu__charisma_profile profile =
        profile_with_stamps("lp64", (struct quipu__number_type){4, 4, QUIPU__NUMBER_UNSIGNED});
    const char *machine = profile_file(&profile);
    struct made made;
    size_t size;
    uint64_t lost;
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 2);
    put_open(&made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ_WRITE);
    put_rw(&made, 30, 1, 3, 4, 0, 0, 10);
    put_rw(&made, INT64_C(1) << 32, 1, 3, 4, 0, 10, 10);
    convert(save(&made), "lp64", machine, "yes", &size, &lost);
    assert_int_equal(lost, 1);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_writer_copies_have_the_same_bytes),
            cmocka_unit_test(test_writer_fractions_of_seconds_become_ticks),
            cmocka_unit_test(test_writer_compression_of_valid_traces_comes_back_on_every_machine),
            cmocka_unit_test(test_writer_compressed_requests_come_back),
            cmocka_unit_test(test_writer_other_time_stamps_lose_nothing_that_they_can_hold),
            cmocka_unit_test(test_writer_time_stamps_that_are_cut_are_counted))
