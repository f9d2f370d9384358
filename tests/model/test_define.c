/* test_define.c: definitions are copied, locked and found by tokens. */
#include "harness.h"

#include "model/define.h"

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

static void test_define_channels_name_their_values(void **state) {
    static const struct quipu_value_label labels[] = {{-3, "lost"}, {1, "running"}, {7, "paused"}};
    const struct quipu_channel channel = {.name = "state", .labels = labels, .label_count = 3};
    struct quipu__define define;
    (void)state;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    assert_int_equal(quipu__add_channel(&define, &channel), 0);
    const struct quipu_channel *copy = &define.definitions.channels.items[0];
    assert_ptr_not_equal(copy->labels, labels);
    assert_string_equal(quipu_channel_label(copy, -3), "lost");
    assert_string_equal(quipu_channel_label(copy, 7), "paused");
    assert_null(quipu_channel_label(copy, 2));
    quipu__define_release(&define);
}

static void test_define_copies_what_it_is_given(void **state) {
    (void)state;
    struct quipu__define define;
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    char name[8];
    uint32_t members[2];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "g%u", i);
        members[0] = i;
        members[1] = i + 1;
        const struct quipu_group group = {.native_id = i, .name = name, .member_count = 2, .members = members};
        assert_int_equal(quipu__add_group(&define, &group), i);
    }
    assert_int_equal(define.definitions.groups.count, 1000);
    assert_string_equal(define.definitions.groups.items[7].name, "g7");
    assert_int_equal(define.definitions.groups.items[7].members[1], 8);
    const struct quipu_region first = {.name = "main", .group = ""}, replaced = {.name = NULL, .group = "user"};
    assert_int_equal(quipu__add_region(&define, &first), 0);
    assert_true(quipu__set_region(&define, 0, &replaced));
    assert_string_equal(define.definitions.regions.items[0].name, "");
    assert_string_equal(define.definitions.regions.items[0].group, "user");
    quipu__define_release(&define);
}

static void test_define_changes_nothing_while_locked(void **state) {
    (void)state;
    struct quipu__define define;
    const struct quipu_region region = {.name = "main", .group = ""}, other = {.name = "other", .group = ""};
    assert_int_equal(quipu__define_init(&define, &memory, NULL), QUIPU_OK);
    assert_int_equal(quipu__add_region(&define, &region), 0);
    quipu__define_lock(&define);
    assert_false(quipu__define_needs_definition(&define));
    assert_int_equal(quipu__add_region(&define, &other), QUIPU_NONE);
    assert_true(quipu__define_needs_definition(&define));
    assert_false(quipu__set_region(&define, 0, &other));
    quipu__define_unlock(&define);
    assert_int_equal(define.definitions.regions.count, 1);
    assert_string_equal(define.definitions.regions.items[0].name, "main");
    assert_int_equal(quipu__add_region(&define, &other), 1);
    quipu__define_release(&define);
}

static void test_define_tokens_small_and_large(void **state) {
    (void)state;
    struct quipu__tokens tokens;
    quipu__tokens_init(&tokens, &memory);
    static const uint64_t keys[] = {1, 2000000, 3, 0xffffffff, 1500, UINT64_MAX, 0, 4000000000};
    for (uint32_t i = 0; i < 8; i++)
        assert_true(quipu__tokens_put(&tokens, keys[i], i));
    for (uint32_t i = 2000; i < 6000; i++) /* makes the table grow over tokens that are in the map */
        assert_true(quipu__tokens_put(&tokens, i, i));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(quipu__tokens_get(&tokens, keys[i]), i);
    assert_int_equal(quipu__tokens_get(&tokens, 5999), 5999);
    assert_int_equal(quipu__tokens_get(&tokens, 2), QUIPU_NONE);
    const uint64_t least_and_most[] = {5999, UINT64_MAX - 2};
    for (size_t i = 0; i < 2; i++) {
        assert_true(quipu__tokens_put(&tokens, least_and_most[i], 7));
        assert_true(quipu__tokens_put(&tokens, least_and_most[i], QUIPU_NONE));
        assert_int_equal(quipu__tokens_get(&tokens, least_and_most[i]), QUIPU_NONE);
    }
    assert_int_equal(quipu__tokens_get(&tokens, 77777777), QUIPU_NONE);
    quipu__tokens_release(&tokens);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
QUIPU_TESTS(TEST(test_define_channels_name_their_values), TEST(test_define_copies_what_it_is_given),
            TEST(test_define_changes_nothing_while_locked), TEST(test_define_tokens_small_and_large))
