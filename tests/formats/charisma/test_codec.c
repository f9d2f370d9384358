/* test_codec.c: records to bytes and back, on every machine. */
#include "harness.h"

#include "traces.h"

#include "formats/charisma/writer.h"

/* Reads all records of a file and encodes them again. */
static void assert_records_come_back(const struct made *made) {
    const char *path = save(made);
    struct quipu_reader *reader = open_as(path, made->codec.profile.name);
    struct quipu_record record;
    struct quipu__buffer out;
    uint64_t narrowed = 0;
    quipu__buffer_init(&out, (struct quipu__memory *)&made->memory, 0);
    quipu__put(&out, made->out.data, 8);
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK) {
        assert_int_equal(record.byte_offset, out.len);
        quipu__charisma_encode(&made->codec, (uint32_t)(record.type - quipu__charisma_types), record.data, &out,
                               &narrowed);
    }
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_NOTICE), 0);
    assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS), 0);
    assert_int_equal(out.len, made->out.len);
    assert_memory_equal(out.data, made->out.data, out.len);
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
    remove(path);
}

enum { PROFILES = 10, TRACES_OF_EACH = 1000 };

static void test_codec_gives_back_records_on_every_machine(void **state) {
    struct quipu__charisma_profile profile;
    (void)state;
    for (unsigned p = 0; quipu__charisma_profile_at(p, &profile); p++) {
        assert_true(p < PROFILES);
        for (uint64_t seed = 0; seed < TRACES_OF_EACH; seed++) {
            struct made made;
            make_by_seed(&made, profile.name, seed * PROFILES + p, (unsigned)(seed % 12));
            assert_records_come_back(&made);
            unmake(&made);
        }
    }
}

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

/* lp64 is nowhere narrower than the others, so they come back from it; only the header's numbers of the system change. */
static void test_codec_of_wider_machines_holds_everything(void **state) {
    static const char *const machines[] = {"ipsc860", "ipsc860-be", "cm5",
                                           "cm5-le",  "lp64-be",    "lp64-tail-exact"};
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct made made;
        size_t size;
        uint64_t lost;
        make_by_seed(&made, machines[i], i, 60);
        const char *wide = convert(save(&made), machines[i], "lp64", NULL, &size, &lost);
        assert_int_equal(lost, 0);
        assert_same_file(convert(wide, "lp64", machines[i], NULL, &size, &lost), &made);
        assert_int_equal(lost, 0);
        unmake(&made);
    }
}

/* The CM-5 numbers clients with two bytes, and its names have 48 characters. */
static void test_codec_of_narrower_machines_cuts_values_and_counts_them(void **state) {
    struct made made;
    size_t size;
    uint64_t lost;
    (void)state;
    make(&made, "lp64", false);
    put_load(&made, 10, 7, 2);
    put_open(&made, 20, 1, 3, 70, QUIPU__CHARISMA_OPEN_READ);
    PUT(&made, client_join, .timestamp = ticks(&made, 21), .appl_id = 7, .client_id = 70000);
    PUT(&made, client_open, .timestamp = ticks(&made, 22), .client_id = 2,
        .name = sized_text(&made, "0123456789012345678901234567890123456789012345678"),
        .path = sized_text(&made, "/"), .file_id = {.i = 71}, .file_desc = 4, .open_flags = 1);
    const char *copy = convert(save(&made), "lp64", "cm5", NULL, &size, &lost);
    assert_int_equal(lost, 2);
    struct quipu_reader *reader = open_as(copy, NULL);
    struct quipu_record record;
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    assert_string_equal(((const struct quipu__charisma_client_open *)record.data)->name,
                        "01234567890123456789012345678901234567890123456");
    assert_string_equal(quipu_reader_variant(reader), "cm5");
    quipu_reader_close(reader);
    unmake(&made);
}

QUIPU_TESTS(cmocka_unit_test(test_codec_gives_back_records_on_every_machine),
            cmocka_unit_test(test_codec_of_wider_machines_holds_everything),
            cmocka_unit_test(test_codec_of_narrower_machines_cuts_values_and_counts_them))
