/* test_index.c: the file of an index: what is put in comes out, whatever points are dropped, and nothing else does. */
#include "index/indexes.h"

/* ---- Making ---- */

static void test_index_finds_the_latest_point_that_is_not_behind_a_time(void **state) {
    struct fixture *fixture = *state;
    struct quipu__index index;
    make(fixture, 9, SIZE_MAX); /* -50, -40, ... 30 */
    assert_int_equal(answer(fixture->trace, fixture->file, &index), QUIPU__INDEX_FITS);
    assert_int_equal(quipu__index_find(&index, INT64_MIN), QUIPU_NONE);
    assert_int_equal(quipu__index_find(&index, -51), QUIPU_NONE);
    assert_int_equal(quipu__index_find(&index, -50), 0);
    assert_int_equal(quipu__index_find(&index, -1), 4);
    assert_int_equal(quipu__index_find(&index, 0), 5);
    assert_int_equal(quipu__index_find(&index, 29), 7);
    assert_int_equal(quipu__index_find(&index, INT64_MAX), 8);
    assert_int_equal(quipu__index_find(NULL, 0), QUIPU_NONE);
    quipu__index_release(&index);
}

/* ---- Identity ---- */

QUIPU_TESTS(TEST(test_index_finds_the_latest_point_that_is_not_behind_a_time))
