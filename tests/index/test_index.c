/* test_index.c: the file of an index: what is put in comes out, whatever points are dropped, and nothing else does. */
#include "trace/fake.h"

#include "index/builder.h"
#include "index/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SUBSTREAMS = 5, SECTIONS = 3 };

static const struct quipu_event no_rows[1];
static const struct fake_stream streams[] = {{no_rows, 0, 2}, {no_rows, 0, 0}, {no_rows, 0, 3}};
static const struct fake_trace trace = {streams, 3, 2, 2, 0, 0};

static unsigned long_text; /* bytes of long sections */

struct fixture {
    struct quipu_reader *reader;
    struct quipu__trace *trace;
    const char *path, *file; /* of the trace and of its index */
};

static struct quipu_reader *open_at(const char *path) {
    struct quipu_reader *reader;
    fake_trace = &trace;
    assert_int_equal(quipu__reader_open(path, &fake_format, NULL, &reader, NULL), QUIPU_OK);
    return reader;
}

static int set_up(void **state) {
    static struct fixture fixture;
    long_text = 3000;
    fixture.path = harness_text("%s/trace", harness_folder());
    fixture.file = harness_text("%s.qpx", fixture.path);
    harness_write(fixture.path, "some bytes", 10);
    fixture.reader = open_at(fixture.path);
    fixture.trace = quipu__reader_trace(fixture.reader);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu_reader_close(fixture->reader);
    return 0;
}

/* Some file systems wait for the disk when what is overwritten is cut to nothing first. */
static void replace(const char *path, const void *bytes, size_t size) {
    remove(path);
    harness_write(path, bytes, size);
}

/* ---- Making ---- */

/* What stands in a section: texts that are empty, repeat for a while, are short, or long and easy or hard to pack. */
static const char *text_of(uint32_t substream, int64_t time, uint32_t section) {
    const unsigned what = (substream * 7 + section * 3 + (unsigned)time / 4) % 5;
    static char text[4096];
    if (what == 0)
        return "";
    if (what == 1)
        return "the same for long";
    if (what == 2)
        return harness_text("%u-%d-%u", substream, (int)time, section);
    uint64_t seed = substream * 1000 + section * 100 + (uint64_t)time;
    for (unsigned i = 0; i < long_text; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = (char)(what == 3 ? 'a' + (char)(i / 100 % 20) : '!' + (char)((seed >> 33) % 90));
    }
    text[long_text] = '\0';
    return text;
}

static void add_all(struct quipu__index_builder *builder) {
    for (uint32_t substream = 0; substream < SUBSTREAMS; substream++) {
        int64_t time;
        while (quipu__index_builder_next(builder, substream, &time)) {
            struct quipu__buffer sections[SECTIONS];
            for (uint32_t i = 0; i < SECTIONS; i++) {
                quipu__buffer_init(&sections[i], builder->trace->memory, 0);
                quipu__put_text(&sections[i], text_of(substream, time, i));
            }
            assert_int_equal(quipu__index_builder_add(builder, sections, NULL), QUIPU_OK);
            for (uint32_t i = 0; i < SECTIONS; i++)
                quipu__buffer_release(&sections[i]);
        }
    }
}

/* Writes an index with so many points at most; returns how many it has. */
static uint32_t make(struct fixture *fixture, uint32_t points, size_t most) {
    static const char *const names[SECTIONS] = {"resume", "profile 1", "unknown"};
    struct quipu__index_builder builder;
    uint64_t bytes;
    assert_int_equal(quipu__index_builder_init(&builder, fixture->trace, NULL), QUIPU_OK);
    builder.most = most;
    for (uint32_t i = 0; i < SECTIONS; i++)
        quipu__index_builder_name(&builder, names[i]);
    for (uint32_t i = 0; i < points; i++)
        assert_int_equal(quipu__index_builder_point(&builder, (int64_t)i * 10 - 50, NULL), QUIPU_OK);
    builder.index.has_end = true;
    add_all(&builder);
    struct quipu__outputs *outputs;
    struct quipu__file *file;
    assert_int_equal(quipu__outputs_new(fixture->trace->memory, true, 0, NULL, &outputs, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_add(outputs, fixture->file, 0, &file, NULL), QUIPU_OK);
    assert_int_equal(quipu__index_builder_write(&builder, file, &bytes, NULL), QUIPU_OK);
    assert_int_equal(quipu__outputs_commit(outputs, NULL), QUIPU_OK);
    const uint32_t count = (uint32_t)builder.index.times.count;
    size_t size;
    harness_read(fixture->file, &size);
    assert_int_equal(size, bytes);
    assert_in_range(size, 1, most);
    quipu__index_builder_release(&builder);
    return count;
}

static enum quipu__index_answer answer(struct quipu__trace *of, const char *file, struct quipu__index *index) {
    assert_int_equal(quipu__index_init(index, of, NULL), QUIPU_OK);
    return quipu__index_read(index, of, file, NULL);
}

static enum quipu__index_answer answer_only(struct quipu__trace *of, const char *file) {
    struct quipu__index index;
    const enum quipu__index_answer given = answer(of, file, &index);
    quipu__index_release(&index);
    return given;
}

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

static void test_index_gives_back_what_was_put_in(void **state) {
    struct fixture *fixture = *state;
    for (uint32_t points = 1; points < 30; points++) {
        assert_int_equal(make(fixture, points, SIZE_MAX), points);
        compare_all(fixture, points);
    }
}

static void test_index_drops_every_second_point_until_it_fits(void **state) {
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

static void test_index_that_cannot_be_small_enough_is_refused(void **state) {
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

/* ---- Damage ---- */

static void test_index_with_any_byte_changed_is_not_used(void **state) {
    struct fixture *fixture = *state;
    size_t size;
    long_text = 100;
    make(fixture, 3, SIZE_MAX);
    char *bytes = harness_read(fixture->file, &size);
    for (size_t i = 0; i < size; i++) {
        const char was = bytes[i];
        for (unsigned bit = 0; bit < 8; bit += i < 200 ? 1 : 8) {
            bytes[i] = (char)(was ^ (1 << bit));
            replace(fixture->file, bytes, size);
            assert_int_equal(answer_only(fixture->trace, fixture->file),
                             i < 8 ? QUIPU__INDEX_FOREIGN : QUIPU__INDEX_DAMAGED);
        }
        bytes[i] = was;
        replace(fixture->file, bytes, i);
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_DAMAGED);
    }
    replace(fixture->file, bytes, size + 1);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_DAMAGED);
    replace(fixture->file, bytes, size);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

/* Makes the check sum right again and asks for everything: nothing bad may happen, whatever the answers are. */
static void ask_forged(struct fixture *fixture, uint8_t *bytes, size_t size) {
    struct quipu__index index;
    const uLong checksum = crc32(0, bytes + 12, (uInt)(size - 12));
    for (unsigned i = 0; i < 4; i++)
        bytes[8 + i] = (uint8_t)(checksum >> (24 - 8 * i));
    replace(fixture->file, bytes, size);
    if (answer(fixture->trace, fixture->file, &index) == QUIPU__INDEX_FITS) {
        struct quipu__buffer room;
        struct quipu__slice found;
        quipu__buffer_init(&room, index.memory, 0);
        for (uint32_t point = 0; point < index.times.count; point++)
            for (uint32_t substream = 0; substream < SUBSTREAMS; substream++) {
                const uint32_t stream = substream < 2 ? 0 : 2;
                const enum quipu_status status =
                    quipu__index_section(&index, "profile 1", stream, substream < 2 ? substream : substream - 2,
                                         point, &room, &found, NULL);
                assert_true(status == QUIPU_OK || status == QUIPU_CORRUPT);
                for (; status == QUIPU_OK && found.at < found.end; found.at++)
                    assert_true(*found.at <= 255);
            }
        quipu__buffer_release(&room);
    }
    quipu__index_release(&index);
}

static void test_index_with_a_forged_sum_does_no_harm(void **state) {
    struct fixture *fixture = *state;
    size_t size;
    long_text = 100;
    make(fixture, 3, SIZE_MAX);
    uint8_t *bytes = (uint8_t *)harness_read(fixture->file, &size);
    for (size_t i = 12; i < size; i++) {
        const uint8_t was = bytes[i];
        for (unsigned bit = 0; bit < 8; bit += i < 200 ? 1 : 8) {
            bytes[i] = (uint8_t)(was ^ (1u << bit));
            ask_forged(fixture, bytes, size);
        }
        bytes[i] = 0xff;
        ask_forged(fixture, bytes, size);
        bytes[i] = was;
        ask_forged(fixture, bytes, i);
    }
    ask_forged(fixture, bytes, size);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

/* ---- Identity ---- */

static void test_index_belongs_to_one_state_of_the_trace(void **state) {
    struct fixture *fixture = *state;
    static const char *const changed[] = {"some byteS", "Some bytes", "some byte", "some bytes.", "some bytez"};
    make(fixture, 3, SIZE_MAX);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        replace(fixture->path, changed[i], strlen(changed[i]));
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    }
    replace(fixture->path, "some bytes", 10);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
    fixture->trace->variant = "another";
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->variant = "";
    fixture->trace->define->definitions.clock.ticks_per_second++;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->define->definitions.clock.ticks_per_second--;
    fixture->trace->streams.items[2].missing = true;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
    fixture->trace->streams.items[2].missing = false;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

static void test_index_notices_any_byte_of_a_large_file(void **state) {
    struct fixture *fixture = *state;
    enum { SIZE = 1 << 20 };
    static char bytes[SIZE];
    replace(fixture->path, bytes, SIZE);
    make(fixture, 1, SIZE_MAX);
    for (size_t offset = 0; offset < SIZE; offset += offset % 3 == 0 ? 9091 : 4096) {
        bytes[offset] = 1;
        replace(fixture->path, bytes, SIZE);
        assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
        bytes[offset] = 0;
    }
    replace(fixture->path, bytes, SIZE);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
}

/* Made of holes, so that it takes no room on the disk. */
static void test_index_of_huge_files_that_were_touched_is_used_when_asked_to_verify(void **state) {
    struct fixture *fixture = *state;
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *verifying;
    const struct timespec until_old = {0, 50000000};
    assert_int_equal(truncate(fixture->path, (off_t)QUIPU__IDENTITY_BYTES_MOST + 1), 0);
    nanosleep(&until_old, NULL);
    make(fixture, 1, SIZE_MAX);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_FITS);
    assert_int_equal(utimensat(AT_FDCWD, fixture->path, times, 0), 0);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_UNCERTAIN);
    options.verify_index = true;
    assert_int_equal(quipu__reader_open(fixture->path, &fake_format, &options, &verifying, NULL), QUIPU_OK);
    assert_int_equal(answer_only(quipu__reader_trace(verifying), fixture->file), QUIPU__INDEX_FITS);
    quipu_reader_close(verifying);
    assert_int_equal(truncate(fixture->path, (off_t)QUIPU__IDENTITY_BYTES_MOST), 0);
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_CHANGED);
}

static void test_index_is_not_made_of_a_trace_that_changes_meanwhile(void **state) {
    struct fixture *fixture = *state;
    struct quipu__index_builder builder;
    struct quipu_error err = QUIPU_ERROR_INIT;
    uint64_t bytes;
    assert_int_equal(quipu__index_builder_init(&builder, fixture->trace, NULL), QUIPU_OK);
    assert_int_equal(quipu__index_builder_point(&builder, 1, NULL), QUIPU_OK);
    replace(fixture->path, "some bytes more", 15);
    assert_int_equal(quipu__index_builder_write(&builder, NULL, &bytes, &err), QUIPU_CORRUPT);
    assert_string_equal(err.message, "the trace has changed while it was read");
    quipu__index_builder_release(&builder);
}

static void test_index_is_told_from_other_files(void **state) {
    struct fixture *fixture = *state;
    assert_int_equal(answer_only(fixture->trace, fixture->file), QUIPU__INDEX_MISSING);
    assert_int_equal(answer_only(fixture->trace, fixture->path), QUIPU__INDEX_FOREIGN);
    assert_int_equal(answer_only(fixture->trace, harness_folder()), QUIPU__INDEX_FOREIGN);
    make(fixture, 3, SIZE_MAX);
    fixture->trace->memory->limit = fixture->trace->memory->used + 100;
    struct quipu__index index = {.memory = fixture->trace->memory};
    quipu__buffer_init(&index.bytes, index.memory, 0);
    assert_int_equal(quipu__index_read(&index, fixture->trace, fixture->file, NULL), QUIPU__INDEX_UNREADABLE);
    quipu__index_release(&index);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

QUIPU_TESTS(TEST(test_index_gives_back_what_was_put_in),
            TEST(test_index_drops_every_second_point_until_it_fits),
            TEST(test_index_that_cannot_be_small_enough_is_refused),
            TEST(test_index_finds_the_latest_point_that_is_not_behind_a_time),
            TEST(test_index_with_any_byte_changed_is_not_used), TEST(test_index_with_a_forged_sum_does_no_harm),
            TEST(test_index_belongs_to_one_state_of_the_trace),
            TEST(test_index_notices_any_byte_of_a_large_file),
            TEST(test_index_of_huge_files_that_were_touched_is_used_when_asked_to_verify),
            TEST(test_index_is_not_made_of_a_trace_that_changes_meanwhile),
            TEST(test_index_is_told_from_other_files))
