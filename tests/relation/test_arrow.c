/* test_arrow.c: who owns what in Arrow's streams: parts that are released early, late, or after they were moved. The trace is that of
 * tests/data/where, of which its README lists the events. Memory is counted by a budget, so what is left over shows. */
#include "harness.h"

#include <quipu/analysis.h>
#include <quipu/relation.h>

struct source {
    struct quipu_budget *budget;
    struct quipu_reader *reader;
    struct ArrowArrayStream stream;
};

static void open_source(struct source *source, const char *relation) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    assert_int_equal(quipu_budget_new(0, NULL, &source->budget, NULL), QUIPU_OK);
    options.allocator = quipu_budget_allocator(source->budget);
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), &options, &source->reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_relation_stream(source->reader, relation, NULL, &source->stream, NULL), QUIPU_OK);
}

static void close_source(struct source *source) {
    if (source->stream.release)
        source->stream.release(&source->stream);
    quipu_reader_close(source->reader);
}

static void assert_nothing_left(struct source *source) {
    assert_int_equal(quipu_budget_used(source->budget), 0);
    quipu_budget_free(source->budget);
}

static struct ArrowArray next_of(struct source *source) {
    struct ArrowArray array;
    assert_int_equal(source->stream.get_next(&source->stream, &array), 0);
    return array;
}

/* The text of a row of a column with a dictionary. */
static const char *text_at(const struct ArrowArray *column, size_t row) {
    const int32_t number = ((const int32_t *)column->buffers[1])[row];
    const int32_t *ends = column->dictionary->buffers[1];
    return harness_text("%.*s", (int)(ends[number + 1] - ends[number]),
                        (const char *)column->dictionary->buffers[2] + ends[number]);
}

enum { SENT, RECEIVED, LATENCY, SENDER, SENDER_NUMBER, BYTES = 7, SEND_REQUEST = 11 };

static void assert_messages(const struct ArrowArray *array) {
    assert_int_equal(array->length, 2);
    assert_int_equal(((const int64_t *)array->children[SENT]->buffers[1])[0], 21000);
    assert_int_equal(((const int64_t *)array->children[RECEIVED]->buffers[1])[1], 58000);
    assert_int_equal(((const uint64_t *)array->children[BYTES]->buffers[1])[0], 2000000);
    assert_string_equal(text_at(array->children[SENDER], 1), "alpha");
    assert_null(array->children[BYTES]->buffers[0]);
    assert_int_equal(array->children[SEND_REQUEST]->null_count, 2);
    assert_int_equal(*(const uint8_t *)array->children[SEND_REQUEST]->buffers[0] & 3, 0);
}

static void test_arrow_streams_end_with_a_released_array(void **state) {
    (void)state;
    struct source source;
    open_source(&source, "messages");
    struct ArrowArray array = next_of(&source);
    assert_messages(&array);
    array.release(&array);
    assert_null(array.release);
    for (int i = 0; i < 3; i++)
        assert_null(next_of(&source).release);
    assert_null(source.stream.get_last_error(&source.stream));
    close_source(&source);
    assert_nothing_left(&source);
}

static void test_arrow_schemas_say_format_unit_and_documentation(void **state) {
    (void)state;
    struct source source;
    struct ArrowSchema schema;
    open_source(&source, "messages");
    assert_int_equal(source.stream.get_schema(&source.stream, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 14);
    assert_string_equal(schema.children[SENT]->format, "l");
    assert_string_equal(schema.children[BYTES]->format, "L");
    assert_string_equal(schema.children[BYTES]->name, "bytes");
    assert_string_equal(schema.children[SENDER]->format, "i");
    assert_string_equal(schema.children[SENDER]->dictionary->format, "u");
    assert_int_equal(schema.children[BYTES]->flags, ARROW_FLAG_NULLABLE);
    int32_t entries, len;
    memcpy(&entries, schema.children[BYTES]->metadata, sizeof entries);
    memcpy(&len, schema.children[BYTES]->metadata + 4, sizeof len);
    assert_int_equal(entries, 2);
    assert_memory_equal(schema.children[BYTES]->metadata + 8, "doc", (size_t)len);
    close_source(&source); /* the schema outlives its stream */
    assert_string_equal(schema.children[SENDER]->name, "sender");
    schema.release(&schema);
    assert_nothing_left(&source);
}

static void test_arrow_arrays_outlive_stream_and_reader(void **state) {
    (void)state;
    struct source source;
    open_source(&source, "messages");
    struct ArrowArray array = next_of(&source);
    close_source(&source);
    assert_messages(&array);
    array.release(&array);
    assert_nothing_left(&source);
}

static void test_arrow_children_are_moved_and_outlive_their_parent(void **state) {
    (void)state;
    struct source source;
    open_source(&source, "messages");
    struct ArrowArray array = next_of(&source);
    struct ArrowArray column = *array.children[SENDER];
    array.children[SENDER]->release = NULL;
    struct ArrowArray dictionary = *column.dictionary;
    array.children[BYTES]->release(array.children[BYTES]);
    array.release(&array);
    close_source(&source);
    assert_string_equal(text_at(&column, 0), "alpha");
    column.dictionary->release = NULL;
    column.release(&column);
    assert_memory_equal(dictionary.buffers[2], "alpha", 5);
    dictionary.release(&dictionary);
    assert_nothing_left(&source);
}

/* A column of 64 bits has room for 15,872 rows, 126,976 bytes; with the others there were more than ten times as many. */
static void test_arrow_column_that_is_retained_retains_no_other(void **state) {
    (void)state;
    struct source source;
    open_source(&source, "messages");
    struct ArrowArray array = next_of(&source);
    struct ArrowArray column = *array.children[SENT];
    array.children[SENT]->release = NULL;
    assert_true(quipu_budget_used(source.budget) > 1000000);
    array.release(&array);
    close_source(&source);
    assert_true(quipu_budget_used(source.budget) < 2 * 126976);
    assert_int_equal(((const int64_t *)column.buffers[1])[0], 21000);
    column.release(&column);
    assert_nothing_left(&source);
}

static void test_arrow_streams_are_released_before_their_end(void **state) {
    (void)state;
    static const char *const relations[] = {"events", "calls", "messages", "profile", "locations"};
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        struct source source;
        open_source(&source, relations[i]);
        close_source(&source);
        assert_nothing_left(&source);
    }
}

static void test_arrow_streams_notice_another_use_of_their_reader(void **state) {
    (void)state;
    struct source source;
    struct quipu_event event;
    struct ArrowArray array;
    open_source(&source, "events");
    assert_int_equal(quipu_reader_next(source.reader, &event, NULL), QUIPU_OK);
    assert_int_not_equal(source.stream.get_next(&source.stream, &array), 0);
    assert_null(array.release);
    assert_non_null(strstr(source.stream.get_last_error(&source.stream), "used for something else"));
    close_source(&source);
    assert_nothing_left(&source);
}

/* Stops the work after some calls. */
static bool stop(void *context, uint64_t done, uint64_t total, uint64_t events) {
    (void)done;
    (void)total;
    (void)events;
    return --*(int *)context > 0;
}

static void test_arrow_errors_in_the_middle_arrive_behind_the_rows_before(void **state) {
    (void)state;
    for (int calls = 1; calls < 6; calls++) {
        int left = calls;
        struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
        struct source source = {NULL, NULL, {.release = NULL}};
        options.progress = (struct quipu_progress){stop, &left};
        assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), &options, &source.reader, NULL),
                         QUIPU_OK);
        assert_int_equal(quipu_relation_stream(source.reader, "events", NULL, &source.stream, NULL), QUIPU_OK);
        struct ArrowArray array = {.release = NULL};
        int failed = source.stream.get_next(&source.stream, &array);
        if (array.release) {
            assert_int_equal(failed, 0);
            array.release(&array);
            failed = source.stream.get_next(&source.stream, &array);
        }
        if (failed) {
            assert_non_null(source.stream.get_last_error(&source.stream));
            assert_int_equal(quipu_stream_error(&source.stream)->status, QUIPU_STOPPED);
        }
        assert_true(failed || left > 0);
        close_source(&source);
    }
}

static void test_arrow_given_tables_are_streams(void **state) {
    (void)state;
    /* As of a query: names may repeat. */
    static const struct quipu_table_column columns[] = {{"x", QUIPU_TYPE_I64, "ns", "numbers"},
                                                        {"x", QUIPU_TYPE_F64, "", ""},
                                                        {"text", QUIPU_TYPE_TEXT, "", ""}};
    const struct quipu_cell rows[2][3] = {{{false, {.i = -5}}, {false, {.f = 0.5}}, {false, {.text = "a"}}},
                                          {QUIPU_CELL_INIT, {false, {.f = 2}}, {false, {.text = "bc"}}}};
    struct quipu_table *table;
    struct ArrowArrayStream stream;
    struct ArrowArray array, end;
    struct ArrowSchema schema;
    assert_int_equal(quipu_table_new("given", columns, 3, &table, NULL), QUIPU_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(quipu_table_add(table, rows[i], NULL), QUIPU_OK);
    assert_int_equal(quipu_table_stream(table, &stream, NULL), QUIPU_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &array), 0);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    quipu_table_free(table);
    assert_int_equal(array.length, 2);
    assert_int_equal(((const int64_t *)array.children[0]->buffers[1])[0], -5);
    assert_int_equal(*(const uint8_t *)array.children[0]->buffers[0] & 3, 1);
    assert_true(((const double *)array.children[1]->buffers[1])[1] == 2);
    assert_int_equal(((const int32_t *)array.children[2]->buffers[1])[2], 3);
    assert_memory_equal(array.children[2]->buffers[2], "abc", 3);
    assert_string_equal(schema.children[1]->format, "g");
    array.release(&array);
    schema.release(&schema);
}

static void test_arrow_tables_of_too_many_columns_are_refused(void **state) {
    (void)state;
    enum { MANY = QUIPU_RELATION_COLUMNS + 1 };
    struct quipu_table_column columns[MANY];
    struct quipu_table *table;
    struct ArrowArrayStream stream;
    struct quipu_error err = QUIPU_ERROR_INIT;
    for (int i = 0; i < MANY; i++)
        columns[i] = (struct quipu_table_column){"x", QUIPU_TYPE_I64, "", ""};
    assert_int_equal(quipu_table_new("wide", columns, MANY, &table, NULL), QUIPU_OK);
    assert_int_equal(quipu_table_stream(table, &stream, &err), QUIPU_LIMIT);
    assert_null(stream.release);
    assert_string_equal(err.message, "a stream has at most 80 columns, not 81");
    quipu_table_free(table);
}

/* Gives memory until a number of requests. */
struct failing {
    int left;
};

static void *resize(void *context, void *block, size_t old_size, size_t size) {
    struct failing *failing = context;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return failing->left-- > 0 ? realloc(block, size) : NULL;
}

static void read_all(struct ArrowArrayStream *stream, bool *failed) {
    struct ArrowSchema schema;
    struct ArrowArray array;
    *failed = stream->get_schema(stream, &schema) != 0;
    if (!*failed)
        schema.release(&schema);
    while (!*failed) {
        *failed = stream->get_next(stream, &array) != 0;
        if (!array.release)
            break;
        array.release(&array);
    }
    stream->release(stream);
}

static bool survives(int requests, const char *relation) {
    struct failing failing = {INT32_MAX};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct ArrowArrayStream stream;
    bool failed = true;
    options.allocator = (struct quipu_allocator){resize, &failing};
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), &options, &reader, NULL), QUIPU_OK);
    failing.left = requests;
    if (quipu_relation_stream(reader, relation, NULL, &stream, NULL) == QUIPU_OK)
        read_all(&stream, &failed);
    quipu_reader_close(reader);
    return failed;
}

/* The same of a table that is there. */
static bool survives_given(int requests) {
    struct failing failing = {INT32_MAX};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    struct quipu_tables *tables;
    struct ArrowArrayStream stream;
    bool failed = true;
    options.allocator = (struct quipu_allocator){resize, &failing};
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), &options, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_analysis_run(reader, "profile", NULL, &tables, NULL), QUIPU_OK);
    failing.left = requests;
    if (quipu_table_stream(quipu_tables_at(tables, 0), &stream, NULL) == QUIPU_OK)
        read_all(&stream, &failed);
    quipu_tables_free(tables);
    quipu_reader_close(reader);
    return failed;
}

static void test_arrow_given_tables_without_memory_leak_nothing(void **state) {
    (void)state;
    int requests = 0;
    while (survives_given(requests))
        assert_in_range(++requests, 1, 2000);
    assert_in_range(requests, 20, 2000);
}

static void test_arrow_without_memory_leaks_nothing(void **state) {
    (void)state;
    static const char *const relations[] = {"messages", "events", "regions"};
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        int requests = 0;
        while (survives(requests, relations[i]))
            assert_in_range(++requests, 1, 2000);
        assert_in_range(requests, 20, 2000);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_arrow_streams_end_with_a_released_array),
            cmocka_unit_test(test_arrow_schemas_say_format_unit_and_documentation),
            cmocka_unit_test(test_arrow_arrays_outlive_stream_and_reader),
            cmocka_unit_test(test_arrow_children_are_moved_and_outlive_their_parent),
            cmocka_unit_test(test_arrow_column_that_is_retained_retains_no_other),
            cmocka_unit_test(test_arrow_streams_are_released_before_their_end),
            cmocka_unit_test(test_arrow_streams_notice_another_use_of_their_reader),
            cmocka_unit_test(test_arrow_errors_in_the_middle_arrive_behind_the_rows_before),
            cmocka_unit_test(test_arrow_given_tables_are_streams),
            cmocka_unit_test(test_arrow_tables_of_too_many_columns_are_refused),
            cmocka_unit_test(test_arrow_given_tables_without_memory_leak_nothing),
            cmocka_unit_test(test_arrow_without_memory_leaks_nothing))
