/* test_retired.c: tasks that have ended, in pages. */
#include "harness.h"

#include "formats/ovni/emulation.h"

static struct quipu__memory memory;

static void begin(struct quipu__ovni_retired *retired) {
    quipu__memory_init(&memory, NULL, 0);
    quipu__ovni_retired_init(retired, &memory);
}

static void test_retired_tasks_have_their_types(void **state) {
    struct quipu__ovni_retired retired;
    (void)state;
    begin(&retired);
    for (uint32_t task = 0; task < 1000; task += 3)
        assert_true(quipu__ovni_retired_add(&retired, task, task % 7));
    for (uint32_t task = 0; task < 1000; task++)
        assert_int_equal(quipu__ovni_retired_get(&retired, task), task % 3 == 0 ? task % 7 : QUIPU_NONE);
    assert_int_equal(quipu__ovni_retired_get(&retired, UINT32_MAX), QUIPU_NONE);
    quipu__ovni_retired_release(&retired);
}

/* All of them ended and of one type: no page is left, and one that comes back leaves the others as they are. */
static void test_retired_pages_of_one_type_take_no_room(void **state) {
    struct quipu__ovni_retired retired;
    (void)state;
    begin(&retired);
    for (uint32_t task = 0; task < 100 * QUIPU__OVNI_RETIRED_PAGE; task++)
        assert_true(quipu__ovni_retired_add(&retired, task, 5));
    assert_int_equal(retired.list.count, 1);
    assert_true(quipu__ovni_retired_remove(&retired, 70));
    assert_int_equal(quipu__ovni_retired_get(&retired, 70), QUIPU_NONE);
    assert_int_equal(quipu__ovni_retired_get(&retired, 71), 5);
    assert_true(quipu__ovni_retired_add(&retired, 70, 6));
    assert_int_equal(quipu__ovni_retired_get(&retired, 70), 6);
    assert_int_equal(quipu__ovni_retired_get(&retired, 127), 5);
    assert_int_equal(retired.list.count, 1);
    quipu__ovni_retired_release(&retired);
}

static void test_retired_types_fit_into_a_byte(void **state) {
    struct quipu__ovni_retired retired;
    (void)state;
    begin(&retired);
    assert_true(quipu__ovni_retired_add(&retired, 1, 253));
    assert_false(quipu__ovni_retired_add(&retired, 2, 254));
    assert_int_equal(quipu__ovni_retired_get(&retired, 1), 253);
    assert_int_equal(quipu__ovni_retired_get(&retired, 2), QUIPU_NONE);
    quipu__ovni_retired_release(&retired);
}

QUIPU_TESTS(cmocka_unit_test(test_retired_tasks_have_their_types),
            cmocka_unit_test(test_retired_pages_of_one_type_take_no_room),
            cmocka_unit_test(test_retired_types_fit_into_a_byte))
