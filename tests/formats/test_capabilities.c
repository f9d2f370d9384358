/* test_capabilities.c: what a writer can represent. */
#include "harness.h"

#include "formats/descriptor.h"

static const struct quipu__kind_capability kinds[] = {
    {QUIPU_KIND_send, QUIPU__COLUMN(peer) | QUIPU__COLUMN(bytes)}, {QUIPU_KIND_enter, QUIPU__COLUMN(object)}};
static const struct quipu__capabilities some = {
    .kinds = kinds, .kind_count = 2, .statistics = 4, .definitions = 2};
static const struct quipu__capabilities everything = {.everything = true};
static const struct quipu__capabilities nothing = {.kinds = NULL};

static void test_capabilities_kinds_and_their_columns(void **state) {
    const quipu_kinds send = QUIPU_KIND_BIT(QUIPU_KIND_send), enter = QUIPU_KIND_BIT(QUIPU_KIND_enter);
    (void)state;
    assert_true(quipu__capable_kinds(&some) == (send | enter));
    assert_true(quipu__capable_kinds(&everything) == QUIPU_ALL_KINDS);
    assert_true(quipu__capable_kinds(&nothing) == 0);
    assert_true(quipu__keeps_column(&some, send, QUIPU_COLUMN_peer));
    assert_false(quipu__keeps_column(&some, send, QUIPU_COLUMN_tag));
    assert_false(quipu__keeps_column(&some, enter, QUIPU_COLUMN_peer));
    assert_true(quipu__keeps_column(&some, enter | send, QUIPU_COLUMN_peer)); /* one of them is enough */
    assert_true(quipu__keeps_column(&everything, send, QUIPU_COLUMN_tag));
}

/* What is asked for of nothing is always there; definitions that a writer says nothing of it has. */
static void test_capabilities_statistics_and_definitions(void **state) {
    (void)state;
    assert_true(quipu__keeps_statistic(&some, 4) && quipu__keeps_statistic(&some, 6));
    assert_false(quipu__keeps_statistic(&some, 2));
    assert_true(quipu__keeps_statistic(&nothing, 0) && quipu__keeps_statistic(&everything, 2));
    assert_true(quipu__keeps_definitions(&some, 2));
    assert_false(quipu__keeps_definitions(&some, 4));
    assert_true(quipu__keeps_definitions(&nothing, 4) && quipu__keeps_definitions(&some, 0));
}

QUIPU_TESTS(cmocka_unit_test(test_capabilities_kinds_and_their_columns),
            cmocka_unit_test(test_capabilities_statistics_and_definitions))
