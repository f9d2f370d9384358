/* test_prv.c: the files that Paraver reads, line by line as prv.h has them. */
#include "harness.h"

#include "formats/prv.h"

static struct quipu__memory memory;

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct quipu__buffer *out = context;
    (void)err;
    quipu__put(out, data, size);
    return QUIPU_OK;
}

static void test_prv_lines(void **state) {
    struct quipu__buffer out;
    struct quipu__prv prv;
    struct quipu__prv_tail tail = {.len = 0};
    const struct quipu__prv_type type = quipu__prv_type(6), other = quipu__prv_type(4294967295U);
    const struct quipu__prv_object first = quipu__prv_object(0, 1, 1), second = quipu__prv_object(3, 1, 2);
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    assert_int_equal(
        quipu__prv_begin_with(&prv, &memory, "head\n", 5, (struct quipu_sink){collect, &out}, NULL), QUIPU_OK);
    quipu__prv_set_tail(&tail, 0, &type, 1);
    quipu__prv_put(&prv, 1, &tail);
    quipu__prv_set_tail(&tail, 70, &other, -5);
    quipu__prv_put(&prv, 12, &tail);
    quipu__prv_set_tail(&tail, 70, &type, -5);
    quipu__prv_put_at(&prv, &second, &tail);
    quipu__prv_put_state(&prv, &first, 0, 20, 1);
    const struct quipu__prv_end sent = {&first, 20, 21}, received = {&second, 50, 51};
    quipu__prv_put_message(&prv, &sent, &received, 8, 7);
    assert_int_equal(quipu__prv_flush(&prv), QUIPU_OK);
    assert_string_equal(harness_text("%.*s", (int)out.len, (const char *)out.data),
                        "head\n"
                        "2:0:1:1:1:0:6:1\n"
                        "2:0:1:1:12:70:4294967295:-5\n"
                        "2:3:1:1:2:70:6:-5\n"
                        "1:0:1:1:1:0:20:1\n"
                        "3:0:1:1:1:20:21:3:1:1:2:50:51:8:7\n");
    quipu__prv_release(&prv, &memory);
    quipu__buffer_release(&out);
    assert_int_equal(memory.used, 0);
}

/* A head for a duration that is not known yet has the length of the one that is put over it. */
static void test_prv_heads_have_one_length(void **state) {
    char before[QUIPU__PRV_HEAD_MOST], after[QUIPU__PRV_HEAD_MOST];
    (void)state;
    assert_int_equal(quipu__prv_head(before, 0, 0, 2), quipu__prv_head(after, 1800, 13, 2));
    assert_string_equal(after, "#Paraver (19/01/38 at 03:14):00000000000000001800_ns:0:1:1(13:1)\n");
    assert_int_equal(quipu__prv_digits(9), 1);
    assert_int_equal(quipu__prv_digits(10), 2);
    assert_int_equal(quipu__prv_digits(UINT32_MAX), 10);
}

static void test_prv_names_of_types_values_and_rows(void **state) {
    struct quipu__buffer out;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    quipu__pcf_type(&out, 6, "CPU");
    quipu__pcf_value(&out, 12345, "many");
    quipu__pcf_value(&out, 1, "one");
    quipu__row_begin(&out, 2);
    quipu__row_name(&out, "TH 1.1");
    assert_string_equal(harness_text("%.*s", (int)out.len, (const char *)out.data),
                        "\n\nEVENT_TYPE\n0 6          CPU\nVALUES\n12345 many\n1    one\n"
                        "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\nTH 1.1\n");
    quipu__buffer_release(&out);
}

/* More lines than the buffer holds go to the sink in between, and none is cut. */
static void test_prv_lines_without_end(void **state) {
    enum { LINES = 40000 };
    struct quipu__buffer out;
    struct quipu__prv prv;
    struct quipu__prv_tail tail = {.len = 0};
    const struct quipu__prv_type type = quipu__prv_type(6);
    size_t lines = 0;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    assert_int_equal(quipu__prv_begin_with(&prv, &memory, "", 0, (struct quipu_sink){collect, &out}, NULL),
                     QUIPU_OK);
    for (int i = 0; i < LINES; i++) {
        quipu__prv_set_tail(&tail, i, &type, i);
        quipu__prv_put(&prv, 1, &tail);
    }
    assert_int_equal(quipu__prv_flush(&prv), QUIPU_OK);
    for (size_t i = 0; i < out.len; i++)
        lines += out.data[i] == '\n';
    assert_int_equal(lines, LINES);
    quipu__prv_release(&prv, &memory);
    quipu__buffer_release(&out);
    assert_int_equal(memory.used, 0);
}

QUIPU_TESTS(cmocka_unit_test(test_prv_lines), cmocka_unit_test(test_prv_heads_have_one_length),
            cmocka_unit_test(test_prv_names_of_types_values_and_rows),
            cmocka_unit_test(test_prv_lines_without_end))
