/* test_sections.c: sections behind the calls of a file: the header and the counters. */
#include "traces.h"

#include "formats/dumpi/format.h"

#include <fcntl.h>
#include <unistd.h>

static void test_sections_of_newer_versions_are_read(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    bytes[16 + 20 * 31 + 2] = 16; /* the header follows the end mark */
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(count_calls(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.newer"), 1);
    struct quipu_reader *reader = opened(made_file(&made, 0));
    assert_string_equal(quipu_reader_variant(reader), "16.0.0");
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 1);
    quipu_reader_close(reader);
}

/* What cannot be a header does not say of which version the calls are: statuses have had a tag only since 0.6.3. */
static void test_sections_header_is_none_so_the_version_is_the_newest(void **state) {
    (void)state;
    const char *path = harness_text("%s/ring-0000.bin", harness_folder());
    size_t size;
    char *bytes = harness_read(harness_data("sweep/dumpi/ring-0000.bin"), &size);
    char *header = bytes + quipu__load_be64((const uint8_t *)bytes + size - 32);
    memcpy(header, "\0\6\0", 3);
    header[11] = 0x7f; /* the name of the host has 2 GB */
    harness_write(path, bytes, size);
    assert_int_equal(count_calls(path), count_calls(harness_data("sweep/dumpi/ring-0000.bin")));
    assert_int_equal(findings_of(path, "dumpi.index-offset"), 1);
    assert_int_equal(findings_of(path, "dumpi.damage"), 0);
}

/* The counters are a number of names; two names in place of none reach into the section behind. */
static void test_sections_that_overlap_have_lost_one(void **state) {
    (void)state;
    const struct made made = two_ranks();
    size_t size;
    char *bytes = harness_read(made_file(&made, 0), &size);
    const uint64_t counters = quipu__load_be64((const uint8_t *)bytes + size - 40);
    assert_memory_equal(bytes + counters, "\0\0\0\0", 4);
    bytes[counters + 3] = 2;
    harness_write(made_file(&made, 0), bytes, size);
    assert_int_equal(count_calls(made_file(&made, 0)), 20);
    assert_int_equal(findings_of(made_file(&made, 0), "dumpi.index-offset"), 1);
}

QUIPU_TESTS(cmocka_unit_test(test_sections_of_newer_versions_are_read),
            cmocka_unit_test(test_sections_header_is_none_so_the_version_is_the_newest),
            cmocka_unit_test(test_sections_that_overlap_have_lost_one))
