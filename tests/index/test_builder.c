/* test_builder.c: points of an index. */
#include "index/indexes.h"

static void compare_section(const struct quipu__index *index, uint32_t stream, uint32_t substream,
                            uint32_t point, const char *name, const char *expected) {
    struct quipu__buffer room;
    struct quipu__slice found;
    quipu__buffer_init(&room, index->memory, 0);
    assert_int_equal(quipu__index_section(index, name, stream, substream, point, &room, &found, NULL),
                     QUIPU_OK);
    assert_true((found.at != NULL) == (expected != NULL));
    if (expected) {
        assert_int_equal(quipu__slice_left(&found), strlen(expected));
        assert_memory_equal(found.at, expected, strlen(expected));
    }
    quipu__buffer_release(&room);
}

static void compare_all(struct fixture *fixture, uint32_t points) {
    struct quipu__index index;
    assert_int_equal(answer(fixture->trace, fixture->file, &index), QUIPU__INDEX_FITS);
    assert_int_equal(index.times.count, points);
    assert_true(quipu__index_is_end(&index, points - 1));
    assert_true(points == 1 || !quipu__index_is_end(&index, 0));
    for (uint32_t point = 0; point < points; point++) {
        const int64_t time = quipu__index_time(&index, point);
        compare_section(&index, 0, 2, point, "resume", NULL); /* there are no such substreams */
        compare_section(&index, 1, 0, point, "resume", NULL);
        compare_section(&index, 0, QUIPU__RECORDS, point, "resume", NULL);
        for (uint32_t substream = 0; substream < SUBSTREAMS; substream++) {
            const uint32_t stream = substream < 2 ? 0 : 2, number = substream < 2 ? substream : substream - 2;
            compare_section(&index, stream, number, point, "resume", text_of(substream, time, 0));
            compare_section(&index, stream, number, point, "profile 1", text_of(substream, time, 1));
            compare_section(&index, stream, number, point, "unknown", text_of(substream, time, 2));
            compare_section(&index, stream, number, point, "profile 2", NULL);
        }
    }
    quipu__index_release(&index);
}

static void test_builder_gives_back_what_was_put_in(void **state) {
    struct fixture *fixture = *state;
    for (uint32_t points = 1; points < 30; points++) {
        assert_int_equal(make(fixture, points, SIZE_MAX), points);
        compare_all(fixture, points);
    }
}

static void test_builder_drops_every_second_point_until_it_fits(void **state) {
    struct fixture *fixture = *state;
    uint32_t before = 64;
    for (size_t most = 400000; before > 1; most -= most / 10) {
        const uint32_t points = make(fixture, 64, most);
        compare_all(fixture, points);
        assert_true(points == before || points * 2 == before);
        before = points;
    }
    assert_int_equal(before, 1);
    struct quipu__index index;
    assert_int_equal(answer(fixture->trace, fixture->file, &index), QUIPU__INDEX_FITS);
    assert_int_equal(quipu__index_time(&index, 0), 63 * 10 - 50); /* the last one stays */
    quipu__index_release(&index);
}

static void test_builder_refuses_what_cannot_be_small_enough(void **state) {
    struct fixture *fixture = *state;
    struct quipu__index_builder builder;
    struct quipu__buffer section;
    struct quipu_error err = QUIPU_ERROR_INIT;
    enum quipu_status status = QUIPU_OK;
    quipu__buffer_init(&section, fixture->trace->memory, 0);
    quipu__put_text(&section, text_of(0, 16, 0));
    assert_int_equal(quipu__index_builder_init(&builder, fixture->trace, NULL), QUIPU_OK);
    builder.most = 40;
    quipu__index_builder_name(&builder, "large");
    for (int64_t i = 0; i < 8; i++)
        assert_int_equal(quipu__index_builder_point(&builder, i, NULL), QUIPU_OK);
    for (uint32_t i = 0; i < 8 && status == QUIPU_OK; i++)
        status = quipu__index_builder_add(&builder, &section, &err);
    assert_int_equal(status, QUIPU_LIMIT);
    quipu__index_builder_release(&builder);
    quipu__buffer_release(&section);
}

QUIPU_TESTS(TEST(test_builder_drops_every_second_point_until_it_fits),
            TEST(test_builder_refuses_what_cannot_be_small_enough),
            TEST(test_builder_gives_back_what_was_put_in))
