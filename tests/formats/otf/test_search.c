/* Windows of time: what a search delivers is what a full read with the same filter delivers, and it reads little. */
#include "harness.h"

#include <zlib.h>

/* ---- Making traces ---- */

/* Text of a file of events that grows. */
struct text {
    char *offset;
    size_t size, room;
};

static void add(struct text *text, const char *format, ...) QUIPU_PRINTF(2, 3);
static void add(struct text *text, const char *format, ...) {
    va_list arguments;
    if (text->room - text->size < 512) {
        text->room = text->room * 2 + 4096;
        text->offset = realloc(text->offset, text->room);
        assert_non_null(text->offset);
    }
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->offset + text->size, text->room - text->size, format, arguments);
    va_end(arguments);
}

static uint32_t dice = 1;
static uint32_t roll(uint32_t sides) {
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % sides;
}

/* A record of some sort with what may precede it. */
static void add_record(struct text *text) {
    if (roll(20) == 0)
        add(text, "K64Y6V%x\nK65Y6V7\n", roll(1000));
    switch (roll(6)) {
    case 0:
        add(text, "E1\n");
        return;
    case 1:
        add(text, "L%s\n", roll(2) ? "1" : "");
        return;
    case 2:
        add(text, "S2L%xT7C9\n", roll(100000));
        return;
    case 3:
        add(text, "CNT5V%x\n", roll(100000));
        return;
    case 4:
        add(text, "#\"note %x\"\n", roll(100000));
        return;
    default:
        add(text, "M4C9\nE1X3\n");
    }
}

/* Records from time first on, some at equal times with state lines again or not. Returns the time of the last. */
static uint64_t add_records(struct text *text, unsigned count, uint64_t first) {
    uint64_t time = first;
    for (unsigned i = 0; i < count; i++) {
        add(text, "%llx\n*%u\n", (unsigned long long)time, 1 + roll(3));
        for (uint32_t more = roll(3); more > 0; more--)
            add_record(text);
        add_record(text);
        if (roll(4) == 0) {
            add(text, "*%u\n", 1 + roll(3));
            add_record(text);
        }
        time += roll(3) ? roll(50) : 0;
    }
    return time;
}

/* How the file of events lies on the disk. */
struct form {
    size_t chunk; /* bytes of text between two flush points; 0: not compressed */
    int flush;
    bool finished;
};
static const struct form uncompressed = {0, 0, false};

static void write_compressed(const char *path, const struct text *text, const struct form *form) {
    z_stream zlib = {.next_in = (Bytef *)text->offset};
    const size_t room = text->size + text->size / 10 + 100000;
    uint8_t *packed = malloc(room);
    assert_int_equal(deflateInit(&zlib, 4), Z_OK);
    zlib.next_out = packed;
    zlib.avail_out = (uInt)room;
    for (size_t offset = 0; offset < text->size; offset += form->chunk) {
        zlib.avail_in = (uInt)(text->size - offset < form->chunk ? text->size - offset : form->chunk);
        assert_int_equal(deflate(&zlib, form->flush), Z_OK);
    }
    if (form->finished)
        assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    harness_write(path, packed, room - zlib.avail_out);
    deflateEnd(&zlib);
    free(packed);
}

static const char *write_trace(const struct text *text, const struct form *form) {
    static const char definitions[] =
        "DTRf4240\nDP1NM\"one\"\nDP2NM\"two\"\nDP3NM\"three\"\nDP4NM\"four\"\nDF1G0NM\"main\"\n"
        "DPG9M1,2,NM\"MPI_COMM_WORLD\"\nDCG6NM\"group\"\nDCNT5G6NM\"counter\"P0U\"#\"\nDCO30NM\"MPI_"
        "Barrier\"Y1\n"
        "DSF20NM\"main.c\"\nDS3F20LN2a\nDK64Y6NM\"size\"T\"\"\nDK65Y6NM\"more\"T\"\"\nDFL51NM\"data\"G0\n";
    const char *folder = harness_folder();
    harness_write(harness_text("%s/t.otf", folder), "1:1,2,3,4\n", 10);
    harness_write(harness_text("%s/t.0.def", folder), definitions, sizeof definitions - 1);
    if (form->chunk)
        write_compressed(harness_text("%s/t.1.events.z", folder), text, form);
    else
        harness_write(harness_text("%s/t.1.events", folder), text->offset, text->size);
    return harness_text("%s/t.otf", folder);
}

/* ---- Comparing ---- */

/* All events as lines of JSON. */
struct seen {
    struct text lines;
    struct line {
        int64_t time;
        uint64_t offset;
        size_t start, end;
    } * line;
    size_t count, room;
};

static enum quipu_status put_text(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    for (size_t done = 0; done < size; done += 200)
        add(context, "%.*s", (int)(size - done < 200 ? size - done : 200), (const char *)data + done);
    return QUIPU_OK;
}

static void see_all(struct quipu_reader *reader, int64_t from, int64_t to, struct seen *seen) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    selection.from = from;
    selection.to = to;
    selection.order = QUIPU_ORDER_TIME;
    seen->count = seen->lines.size = 0;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        if (seen->count == seen->room) {
            seen->room = seen->room * 2 + 1000;
            seen->line = realloc(seen->line, seen->room * sizeof *seen->line);
            assert_non_null(seen->line);
        }
        struct line *line = &seen->line[seen->count++];
        *line = (struct line){.time = event.time, .offset = event.byte_offset, .start = seen->lines.size};
        const struct quipu_sink sink = {put_text, &seen->lines};
        event.byte_offset = 0;
        assert_int_equal(quipu_event_write_json(quipu_reader_definitions(reader), &event, sink, NULL),
                         QUIPU_OK);
        line->end = seen->lines.size;
    }
}

static void release(struct seen *seen) {
    free(seen->lines.offset);
    free(seen->line);
}

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
    return reader;
}

static void assert_window(struct quipu_reader *reader, const struct seen *all, int64_t from, int64_t to,
                          bool with_offsets) {
    static struct seen seen;
    size_t next = 0;
    see_all(reader, from, to, &seen);
    for (size_t i = 0; i < all->count; i++) {
        const struct line *wanted = &all->line[i], *got = &seen.line[next];
        if (wanted->time < from || wanted->time >= to)
            continue;
        assert_true(next < seen.count);
        assert_int_equal(got->time, wanted->time);
        assert_int_equal(got->end - got->start, wanted->end - wanted->start);
        assert_memory_equal(seen.lines.offset + got->start, all->lines.offset + wanted->start,
                            got->end - got->start);
        if (with_offsets)
            assert_int_equal(got->offset, wanted->offset);
        next++;
    }
    assert_int_equal(seen.count, next);
}

/* Compares many windows with a full read by another reader, so that nothing is known of the file. */
static void assert_windows(const struct text *text, const struct form *form) {
    const char *path = write_trace(text, form);
    struct quipu_reader *reader = open_trace(path);
    struct seen all = {.count = 0};
    see_all(reader, INT64_MIN, INT64_MAX, &all);
    quipu_reader_close(reader);
    const int64_t last = all.line[all.count - 1].time;
    const int64_t edges[][2] = {{INT64_MIN, 0},
                                {0, 1},
                                {-5, 3},
                                {1, 2},
                                {last, last + 1},
                                {last, INT64_MAX},
                                {last + 1, INT64_MAX},
                                {INT64_MIN, last},
                                {INT64_MIN, INT64_MAX},
                                {last / 2, last / 2}};
    reader = open_trace(path);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_window(reader, &all, edges[i][0], edges[i][1], form->chunk == 0);
    for (unsigned i = 0; i < 40; i++) {
        const int64_t from = all.line[roll((uint32_t)all.count)].time - (roll(2) ? 0 : roll(3));
        assert_window(reader, &all, from, from + roll(roll(2) ? 10 : 20000), form->chunk == 0);
    }
    quipu_reader_close(reader);
    release(&all);
}

static void assert_windows_in_all_forms(const struct text *text) {
    static const struct form forms[] = {{0, 0, false},
                                        {10240, Z_FULL_FLUSH, false},
                                        {10240, Z_FULL_FLUSH, true},
                                        {100000, Z_FULL_FLUSH, false},
                                        {7001, Z_SYNC_FLUSH, true},
                                        {1 << 30, Z_NO_FLUSH, true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        assert_windows(text, &forms[i]);
}

/* ---- What is delivered ---- */

static void test_search_delivers_what_a_full_read_does(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    const uint64_t last = add_records(&text, 15000, 0);
    add(&text, "%llx\n*1\n", (unsigned long long)last);
    assert_windows_in_all_forms(&text);
    free(text.offset);
}

static void test_search_finds_the_first_of_equal_times(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    uint64_t time = add_records(&text, 2000, 5);
    for (unsigned i = 0; i < 20000; i++)
        add(&text, "%llx\n*1\nE1\n", (unsigned long long)time + i / 9000);
    add_records(&text, 2000, time + 3);
    const char *path = write_trace(&text, &uncompressed);
    struct quipu_reader *reader = open_trace(path);
    struct seen all = {.count = 0};
    see_all(reader, INT64_MIN, INT64_MAX, &all);
    quipu_reader_close(reader);
    reader = open_trace(path);
    for (int64_t from = (int64_t)time - 2; from < (int64_t)time + 5; from++)
        for (int64_t to = from; to < (int64_t)time + 5; to++)
            assert_window(reader, &all, from, to, true);
    quipu_reader_close(reader);
    release(&all);
    free(text.offset);
}

static void test_search_passes_a_huge_record(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    uint64_t time = add_records(&text, 2000, 5);
    add(&text, "%llx\n*1\n#\"", (unsigned long long)time + 1);
    for (unsigned i = 0; i < 30000; i++)
        add(&text, "word %x%s", roll(1 << 20), i % 1000 ? " " : "\n");
    add(&text, "\"\n");
    add_records(&text, 2000, time + 2);
    assert_windows_in_all_forms(&text);
    free(text.offset);
}

/* What a window needs may have begun long before: collective operations whose ends only have a number. */
static void test_search_looks_back_for_what_has_begun(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    uint64_t time = add_records(&text, 100, 5);
    add(&text, "%llx\n*1\nCOPB30H1C9RT0S10R20\n", (unsigned long long)time);
    time = add_records(&text, 8000, time + 1);
    add(&text, "%llx\n*2\nCOPB30H1C9RT0S30R40\n", (unsigned long long)time);
    time = add_records(&text, 3000, time);
    add(&text, "%llx\n*2\nCOPE1\n*2\nCOPE77\n", (unsigned long long)time);
    time = add_records(&text, 500, time + 1);
    add(&text, "%llx\n*1\nCOPE1\n", (unsigned long long)time);
    add_records(&text, 500, time);
    assert_windows_in_all_forms(&text);
    free(text.offset);
}

/* Deprecated records announce the end of an operation for later. */
static void test_search_is_not_used_with_whole_operations(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    uint64_t time = 5;
    for (unsigned i = 0; i < 200; i++) {
        time = add_records(&text, 60, time);
        add(&text, roll(2) ? "COP30C9RT0S1R2D%x\n" : "F51H3OP2B10D%x\n", roll(100000));
    }
    assert_windows(&text, &uncompressed);
    free(text.offset);
}

static void test_search_is_not_used_when_times_go_back(void **state) {
    struct text text = {NULL, 0, 0};
    (void)state;
    add_records(&text, 5000, 100000);
    add_records(&text, 5000, 0);
    add_records(&text, 5000, 50000);
    assert_windows(&text, &uncompressed);
    free(text.offset);
}

/* ---- What is read ---- */

static void assert_reads_little(const struct text *text, const struct form *form, int64_t from, int64_t to,
                                uint64_t events) {
    struct quipu_reader *reader = open_trace(write_trace(text, form));
    struct seen seen = {.count = 0};
    see_all(reader, from, to, &seen);
    assert_int_equal(seen.count, events);
    assert_true(quipu_reader_bytes_read(reader) < quipu_reader_bytes_total(reader) / 20);
    quipu_reader_close(reader);
    release(&seen);
}

static void test_search_reads_little_for_a_narrow_window(void **state) {
    static const struct form chunks = {10240, Z_FULL_FLUSH, false};
    struct text text = {NULL, 0, 0};
    (void)state;
    for (unsigned i = 0; i < 1500000; i++)
        add(&text, "%x\n*1\n%s\n", i, i & 1 ? "L1" : "E1");
    static const int64_t windows[][2] = {
        {750000, 750100}, {10, 20}, {1499990, INT64_MAX}, {INT64_MIN, 5}, {1600000, 1700000}};
    static const uint64_t events[] = {100, 10, 10, 5, 0};
    for (unsigned i = 0; i < 5; i++) {
        assert_reads_little(&text, &uncompressed, windows[i][0], windows[i][1], events[i]);
        assert_reads_little(&text, &chunks, windows[i][0], windows[i][1], events[i]);
    }
    free(text.offset);
}

QUIPU_TESTS(cmocka_unit_test(test_search_delivers_what_a_full_read_does),
            cmocka_unit_test(test_search_finds_the_first_of_equal_times),
            cmocka_unit_test(test_search_passes_a_huge_record),
            cmocka_unit_test(test_search_looks_back_for_what_has_begun),
            cmocka_unit_test(test_search_is_not_used_with_whole_operations),
            cmocka_unit_test(test_search_is_not_used_when_times_go_back),
            cmocka_unit_test(test_search_reads_little_for_a_narrow_window))
