/* test_where.c: expressions through the library: the table of tests/data/where, what is not read, and want of memory. */
#include "model/where.h"
#include "harness.h"

#include "core/memory/memory.h"

static struct quipu_reader *open_trace(const struct quipu_reader_options *options) {
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), options, &reader, NULL), QUIPU_OK);
    return reader;
}

/* Total and number of the times of what is selected; each event has a time of its own. */
struct seen {
    uint64_t count, total;
};

static enum quipu_status read_all(struct quipu_reader *reader, const char *where, enum quipu_order order,
                                  struct seen *seen) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    struct quipu_error err = QUIPU_ERROR_INIT;
    selection.where = where;
    selection.order = order;
    *seen = (struct seen){0, 0};
    enum quipu_status status = quipu_reader_select(reader, &selection, &err);
    while (status == QUIPU_OK && (status = quipu_reader_next_batch(reader, &batch, &err)) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++) {
            seen->count++;
            seen->total += (uint64_t)batch->time[i];
        }
    return status;
}

static struct seen expected_of(const char *times) {
    struct seen seen = {0, 0};
    char *end;
    for (unsigned long time; (time = strtoul(times, &end, 10)) > 0 || end > times; times = end) {
        seen.count++;
        seen.total += time;
    }
    return seen;
}

static void test_where_selects_what_was_worked_out_by_hand_in_both_orders(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(NULL);
    char *line = harness_read(harness_data("where/expressions.txt"), NULL);
    size_t count = 0;
    for (char *end; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        char *times = strstr(line, " =>");
        if (line[0] == '#' || !times)
            continue;
        *times = '\0';
        const struct seen expected = expected_of(times + strlen(" =>"));
        for (int order = 0; order < 2; order++) {
            struct seen seen;
            assert_int_equal(read_all(reader, line, order ? QUIPU_ORDER_TIME : QUIPU_ORDER_STREAM, &seen),
                             QUIPU_END);
            if (seen.count != expected.count || seen.total != expected.total)
                fail_msg("%s: %d events", line, (int)seen.count);
        }
        count++;
    }
    assert_true(count >= 60);
    quipu_reader_close(reader);
}

static void test_where_leaves_everything_selected_when_the_expression_is_none(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(NULL);
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    selection.where = "bytes >";
    assert_int_equal(quipu_reader_select(reader, &selection, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "expected a value: bytes >^");
    struct seen seen = {0, 0};
    struct quipu_event event;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        seen.count++;
    assert_int_equal(seen.count, 26);
    quipu_reader_close(reader);
}

/* ---- What is not read ---- */

static struct quipu__where_clause *bind(struct quipu__memory *memory, struct quipu_reader *reader,
                                        const char *text) {
    struct quipu__where_clause *where;
    quipu__memory_init(memory, NULL, 0);
    assert_int_equal(quipu__where_new(memory, text, quipu_reader_definitions(reader), &where, NULL), QUIPU_OK);
    return where;
}

static void test_where_reads_only_kinds_that_can_be_selected(void **state) {
    (void)state;
    static const struct {
        const char *text;
        quipu_kinds kinds;
    } rows[] = {
        {"kind == send", QUIPU_KIND_BIT(QUIPU_KIND_send)},
        {"bytes > 1 && peer == beta && kind in send,enter", QUIPU_KIND_BIT(QUIPU_KIND_send)},
        {"metric == count || offset > 5 && kind == io_begin",
         QUIPU_KIND_BIT(QUIPU_KIND_metric) | QUIPU_KIND_BIT(QUIPU_KIND_io_begin)},
        {"!(kind == send)", ((quipu_kinds)1 << QUIPU_KIND_COUNT) - 1 - QUIPU_KIND_BIT(QUIPU_KIND_send)},
        {"kind == send && kind == recv", 0},
    };
    struct quipu_reader *reader = open_trace(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct quipu__memory memory;
        struct quipu__where_clause *where = bind(&memory, reader, rows[i].text);
        assert_true(quipu__where_kinds(where) == rows[i].kinds);
        quipu__where_free(where);
        assert_int_equal(memory.used, 0);
    }
    quipu_reader_close(reader);
}

static void test_where_reads_only_times_and_locations_that_can_be_selected(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t from, to;
        unsigned locations; /* a bit each */
    } rows[] = {
        {"time >= 40us && time < 60us && rank == 0", 40, 60, 1},
        {"time < 10 || time in 20-30", INT64_MIN, 31, 7},
        {"!(time < 10us) && !(time > 20us)", 10, 21, 7},
        {"time in 5-6,9-12 && location in beta,gamma", 5, 13, 6},
        {"time < 5 || bytes > 1", INT64_MIN, INT64_MAX, 7},
        {"time < 5 && time > 7", 0, 0, 7},
        {"!(rank == 0)", INT64_MIN, INT64_MAX, 6},
    };
    struct quipu_reader *reader = open_trace(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct quipu__memory memory;
        struct quipu__where_clause *where = bind(&memory, reader, rows[i].text);
        int64_t from, to;
        quipu__where_window(where, &from, &to);
        assert_int_equal(from, rows[i].from);
        assert_int_equal(to, rows[i].to);
        for (uint32_t location = 0; location < 3; location++)
            assert_int_equal(quipu__where_location(where, location), rows[i].locations >> location & 1);
        quipu__where_free(where);
    }
    quipu_reader_close(reader);
}

/* ---- Memory ---- */

struct scarce {
    size_t left;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct scarce *scarce = context;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return scarce->left > 0 && scarce->left-- > 0 ? realloc(block, size) : NULL;
}

static void test_where_survives_want_of_memory(void **state) {
    (void)state;
    static const char text[] = "duration > 10us && (region ~ MPI || text == x || bytes > 1)";
    for (size_t allowed = 0;; allowed++) {
        struct scarce scarce = {SIZE_MAX};
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        struct seen seen;
        options.allocator = (struct quipu_allocator){resize, &scarce};
        struct quipu_reader *reader = open_trace(&options);
        scarce.left = allowed;
        const enum quipu_status status = read_all(reader, text, QUIPU_ORDER_TIME, &seen);
        quipu_reader_close(reader);
        if (status == QUIPU_END) {
            assert_int_equal(seen.count, 8); /* 20 21 22 23 40 45 70 75 */
            return;
        }
        assert_int_equal(status, QUIPU_NO_MEMORY);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_where_selects_what_was_worked_out_by_hand_in_both_orders),
            cmocka_unit_test(test_where_leaves_everything_selected_when_the_expression_is_none),
            cmocka_unit_test(test_where_reads_only_kinds_that_can_be_selected),
            cmocka_unit_test(test_where_reads_only_times_and_locations_that_can_be_selected),
            cmocka_unit_test(test_where_survives_want_of_memory))
