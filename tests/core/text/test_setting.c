/* test_setting.c: values of options: their forms, and looking them up. */
#include "harness.h"

#include "core/text/setting.h"

static const struct quipu_option options[] = {
    {.name = "by", .kind = QUIPU_OPTION_CHOICE, .argument = "location|region", .default_value = "region"},
    {.name = "count", .kind = QUIPU_OPTION_NUMBER, .argument = "N"},
    {.name = "from", .kind = QUIPU_OPTION_TIME, .argument = "TIME"},
    {.name = "of", .kind = QUIPU_OPTION_LOCATIONS, .argument = "LIST"},
    {.name = "name", .kind = QUIPU_OPTION_TEXT, .argument = "TEXT"},
    {.name = "all", .kind = QUIPU_OPTION_FLAG, .default_value = "no"},
};

static enum quipu_status checked(const char *name, const char *value, struct quipu_error *err) {
    const struct quipu_setting setting = {name, value};
    const struct quipu__settings settings = {options, sizeof options / sizeof *options, &setting, 1};
    return quipu__settings_check(&settings, "profile", err);
}

static void test_setting_values_have_the_form_of_their_option(void **state) {
    static const struct {
        const char *name, *value;
        bool is_fine;
    } cases[] = {{"by", "region", true}, {"by", "reg", false},
                 {"by", "", false},      {"by", "location|region", false},
                 {"count", "12", true},  {"count", "-1", false},
                 {"count", "1x", false}, {"from", "-5", true},
                 {"from", "end", true},  {"from", "1.5", false},
                 {"of", "0-3,7", true},  {"of", "7", true},
                 {"of", "3-", false},    {"of", "", false},
                 {"of", "a", false},     {"of", "1,,2", false},
                 {"name", "", true},     {"name", "any text", true},
                 {"all", "yes", true},   {"all", "no", true},
                 {"all", "maybe", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (checked(cases[i].name, cases[i].value, NULL) != (cases[i].is_fine ? QUIPU_OK : QUIPU_MISUSE))
            fail_msg("%s=%s", cases[i].name, cases[i].value);
}

static void test_setting_of_no_option_is_refused(void **state) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(checked("bye", "1", &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.message, "bye"));
    assert_non_null(strstr(err.advice, "by"));
}

/* The value that was given last, else the default. */
static void test_setting_values_are_looked_up(void **state) {
    const struct quipu_setting given[] = {{"count", "1"}, {"count", "2"}, {"all", "yes"}};
    const struct quipu__settings settings = {options, sizeof options / sizeof *options, given, 3};
    const struct quipu__settings none = {options, sizeof options / sizeof *options, NULL, 0};
    (void)state;
    assert_string_equal(quipu__settings_value(&settings, "count"), "2");
    assert_string_equal(quipu__settings_value(&settings, "by"), "region");
    assert_null(quipu__settings_value(&none, "count"));
    assert_true(quipu__settings_say_yes(&settings, "all"));
    assert_false(quipu__settings_say_yes(&none, "all"));
    assert_true(quipu__setting_time("-5") == -5);
    assert_true(quipu__setting_time("end") == INT64_MAX);
}

static void test_setting_lists_of_locations(void **state) {
    static const bool expected[10] = {[0] = true, [1] = true, [2] = true, [3] = true, [7] = true};
    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(quipu__setting_has_location("0-3,7", i), expected[i]);
    assert_false(quipu__setting_has_location("5-2", 3));
    assert_true(quipu__setting_has_location("99999999999-1,4", 4));
}

QUIPU_TESTS(cmocka_unit_test(test_setting_values_have_the_form_of_their_option),
            cmocka_unit_test(test_setting_of_no_option_is_refused),
            cmocka_unit_test(test_setting_values_are_looked_up),
            cmocka_unit_test(test_setting_lists_of_locations))
