/* indexes.h: indexes of a trace in memory: what tests put in, and what they get back. */
#ifndef QUIPU_TESTS_INDEXES_H
#define QUIPU_TESTS_INDEXES_H

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

static inline struct quipu_reader *open_at(const char *path) {
    struct quipu_reader *reader;
    fake_trace = &trace;
    assert_int_equal(quipu__reader_open(path, &fake_format, NULL, &reader, NULL), QUIPU_OK);
    return reader;
}

static inline int set_up(void **state) {
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

static inline int tear_down(void **state) {
    struct fixture *fixture = *state;
    quipu_reader_close(fixture->reader);
    return 0;
}

/* Some file systems wait for the disk when what is overwritten is cut to nothing first. */
static inline void replace(const char *path, const void *bytes, size_t size) {
    remove(path);
    harness_write(path, bytes, size);
}

/* What stands in a section: texts that are empty, repeat for a while, are short, or long and easy or hard to pack. */
static inline const char *text_of(uint32_t substream, int64_t time, uint32_t section) {
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

static inline void add_all(struct quipu__index_builder *builder) {
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
static inline uint32_t make(struct fixture *fixture, uint32_t points, size_t most) {
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

static inline enum quipu__index_answer answer(struct quipu__trace *of, const char *file,
                                              struct quipu__index *index) {
    quipu__index_init(index, of);
    return quipu__index_read(index, of, file, NULL);
}

static inline enum quipu__index_answer answer_only(struct quipu__trace *of, const char *file) {
    struct quipu__index index;
    const enum quipu__index_answer given = answer(of, file, &index);
    quipu__index_release(&index);
    return given;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
