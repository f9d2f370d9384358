/* test_profile.c: machine profiles: the built-in ones give structs of the lengths that the specification lists, files of
 * profiles are read, and what is wrong in one is said with its line. */
#include "harness.h"

#include "traces.h"

#include "formats/charisma/profile.h"

static struct quipu__memory memory;

static int set_up(void **state) {
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return memory.used != 0;
}

/* ---- Lengths of records ---- */

/* Table 3.1 of the specification: bytes of a record with one list element, by type. */
static const struct {
    const char *profile;
    uint16_t bytes[16];
} lengths[] = {
    {"ipsc860", {144, 160, 16, 20, 20, 168, 168, 28, 28, 64, 36, 36, 24, 24, 32, 28}},
    {"paragon", {144, 296, 24, 24, 24, 304, 304, 32, 32, 72, 48, 48, 32, 32, 40, 40}},
    {"cm5", {144, 208, 24, 24, 24, 224, 224, 32, 32, 72, 40, 40, 32, 32, 40, 32}},
    {"lp64", {160, 368, 24, 24, 24, 384, 384, 32, 32, 80, 48, 48, 40, 40, 40, 40}},
};

/* Bytes of a record of that type with so many list elements and nothing else in it. */
static size_t record_bytes(const struct quipu__binary_codec *codec, uint32_t type, uint16_t count) {
    union quipu__charisma_any any = {0};
    struct quipu__binary_encoder encoder = {.codec = codec};
    struct quipu__buffer out;
    any.app_load.num_clients = type == QUIPU__CHARISMA_TYPE_app_load ? count : 0;
    if (type == QUIPU__CHARISMA_TYPE_rw)
        any.rw.num_clients = count;
    quipu__buffer_init(&out, &memory, 0);
    quipu__binary_encode(&encoder, type, &any, &out);
    const size_t bytes = out.len;
    quipu__buffer_release(&out);
    return bytes;
}

static void test_profile_gives_records_the_lengths_of_their_machine(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct quipu__charisma_profile profile;
        struct quipu__binary_codec *codec;
        assert_true(quipu__charisma_profile_find(lengths[i].profile, &profile));
        const struct quipu__machine machine = quipu__charisma_machine(&profile);
        assert_int_equal(quipu__binary_codec_new(&memory, quipu__charisma_types, QUIPU__CHARISMA_TYPE_COUNT,
                                                 &machine, &codec, NULL),
                         QUIPU_OK);
        for (uint32_t type = 0; type < 16; type++)
            assert_int_equal(record_bytes(codec, type, 1), lengths[i].bytes[type]);
        quipu__binary_codec_free(codec);
    }
}

/* APP_LOAD of lp64 is 368 bytes, of which its list of 4-byte numbers begins at 360. */
static void test_profile_says_what_follows_a_list(void **state) {
    static const struct {
        const char *profile;
        uint16_t count, bytes;
    } cases[] = {{"lp64", 0, 364},
                 {"lp64", 2, 372},
                 {"lp64-tail-exact", 0, 360},
                 {"lp64-tail-exact", 2, 368},
                 {"lp64-tail-exact", 3, 372},
                 {"lp64-tail-align", 0, 360},
                 {"lp64-tail-align", 2, 368},
                 {"lp64-tail-align", 3, 376}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu__charisma_profile profile;
        struct quipu__binary_codec *codec;
        assert_true(quipu__charisma_profile_find(cases[i].profile, &profile));
        const struct quipu__machine machine = quipu__charisma_machine(&profile);
        assert_int_equal(quipu__binary_codec_new(&memory, quipu__charisma_types, QUIPU__CHARISMA_TYPE_COUNT,
                                                 &machine, &codec, NULL),
                         QUIPU_OK);
        assert_int_equal(record_bytes(codec, QUIPU__CHARISMA_TYPE_app_load, cases[i].count), cases[i].bytes);
        quipu__binary_codec_free(codec);
    }
}

/* ---- Files ---- */

static void test_profile_built_in_is_what_its_text_says(void **state) {
    struct quipu__charisma_profile profile, again;
    (void)state;
    for (size_t i = 0; quipu__charisma_profile_at(i, &profile); i++) {
        const char *text = profile_text(&profile);
        assert_int_equal(quipu__charisma_profile_parse(text, strlen(text), "a.prof", &again, NULL), QUIPU_OK);
        assert_memory_equal(&again, &profile, sizeof profile);
    }
    assert_true(quipu__charisma_profile_at(9, &profile) && !quipu__charisma_profile_at(10, &profile));
}

/* The files of the format's sample traces say the same as the built-in profiles. */
/* needs: shared */
static void test_profile_files_agree_with_those_built_in(void **state) {
    struct quipu__charisma_profile profile, other;
    (void)state;
    for (size_t i = 0; quipu__charisma_profile_at(i, &profile); i++) {
        const char *path = harness_shared(harness_text("traces/charisma/profiles/%s.prof", profile.name));
        assert_int_equal(quipu__charisma_profile_load(&memory, path, &other, NULL), QUIPU_OK);
        assert_memory_equal(&other, &profile, sizeof profile);
    }
}

/* APP_EXIT of ipsc860 is a type of 2 bytes, a stamp and a number of 4 bytes at a multiple of 4. */
static void test_profile_has_time_stamps_of_four_bytes(void **state) {
    static const struct {
        const char *type;
        size_t bytes;
    } cases[] = {{"4/1/u", 12}, {"4/4/u", 12}, {"4/2/s", 12}, {"4/4/f", 12}, {"8/4/u", 16}, {"8/2/f", 16}};
    struct quipu__charisma_profile profile, out;
    (void)state;
    assert_true(quipu__charisma_profile_find("ipsc860", &profile));
    const char *good = profile_text(&profile), *line = "type.TimestampType = ";
    const char *at = strstr(good, line);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made;
        const char *text =
            harness_text("%.*s%s%s%s", (int)(at - good), good, line, cases[i].type, at + strcspn(at, "\n"));
        assert_int_equal(quipu__charisma_profile_parse(text, strlen(text), "a.prof", &out, NULL), QUIPU_OK);
        make_with(&made, &out, true);
        PUT(&made, app_exit, .timestamp = ticks(&made, 5), .appl_id = 7);
        assert_int_equal(made.out.len - made.offset, cases[i].bytes);
        unmake(&made);
    }
}

/* A line of a good profile is replaced, or added behind it. */
static void test_profile_says_what_is_wrong_in_which_line(void **state) {
    static const struct {
        const char *line, *with;
        uint64_t number;
        const char *message;
    } cases[] = {
        {"type.BigInt = 8/8/s", "type.BigInt = 8/8/f", 12, "BigInt: found \"8/8/f\""},
        {"type.int = 4/4/s", "type.int = 3/4/s", 5, "int: found \"3/4/s\""},
        {"type.u_short = 2/2/u", "type.u_short = 4/4/u", 4, "u_short"},
        {"byte_order = little", "byte_order = middle", 3,
         "byte_order: found \"middle\", expected little or big"},
        {"tail = sizeof", "tail sizeof", 0, "expected key = value"},
        {"tail = sizeof", "tails = sizeof", 0, "key: found \"tails\""},
        {"tail = sizeof", "tail = exact\ntail = exact", 0, "expected each key once"},
        {"type.int = 4/4/s", "type.integer = 4/4/s", 5, "type: found \"integer\""},
        {"name_length = 64", "", 0, "lacks name_length"},
        {"type.BigInt = 8/8/s", "", 0, "lacks BigInt"},
        {"comp_rw = 16", "comp_rw = 9", 0, "lacks comp_rw of 16 to 255"},
        {"comp_order = size,stride,memstride", "comp_order = size,stride,size", 0, "in any order"},
        {"system_type = 100", "system_type = 256", 0, "a number from 0 to 255"},
        {"timestamp_unit = ", "timestamp_unit = x", 0, "seconds, above 0"},
    };
    struct quipu__charisma_profile profile, out;
    (void)state;
    assert_true(quipu__charisma_profile_find("lp64", &profile));
    const char *good = profile_text(&profile);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct quipu_error err = QUIPU_ERROR_INIT;
        const char *at = strstr(good, cases[i].line);
        assert_non_null(at);
        const char *bad =
            harness_text("%.*s%s%s", (int)(at - good), good, cases[i].with, at + strlen(cases[i].line));
        assert_int_equal(quipu__charisma_profile_parse(bad, strlen(bad), "a.prof", &out, &err), QUIPU_CORRUPT);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s lacks %s", err.message, cases[i].message);
        assert_string_equal(err.path, "a.prof");
        if (cases[i].number)
            assert_int_equal(err.line, cases[i].number);
    }
}

static void test_profile_that_is_nowhere_names_those_there_are(void **state) {
    struct quipu__charisma_profile profile;
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(quipu__charisma_profile_load(&memory, "vax", &profile, &err), QUIPU_NOT_FOUND);
    assert_string_equal(err.message, "no machine profile \"vax\"");
    assert_non_null(strstr(err.advice, "ipsc860, ipsc860-be, paragon"));
}

QUIPU_TESTS(cmocka_unit_test_setup_teardown(test_profile_gives_records_the_lengths_of_their_machine, set_up,
                                            tear_down),
            cmocka_unit_test_setup_teardown(test_profile_says_what_follows_a_list, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_profile_built_in_is_what_its_text_says, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_profile_files_agree_with_those_built_in, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_profile_has_time_stamps_of_four_bytes, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_profile_says_what_is_wrong_in_which_line, set_up, tear_down),
            cmocka_unit_test_setup_teardown(test_profile_that_is_nowhere_names_those_there_are, set_up,
                                            tear_down))
