/* test_fast_calls.c: calls that are read where they lie, beside the same calls decoded. */
#include "random_records.h"

#include "formats/dumpi/layout.h"

#define WORLD 2

static const uint32_t versions[] = {QUIPU__DUMPI_VERSION(0, 6, 2), QUIPU__DUMPI_VERSION(0, 6, 8),
                                    QUIPU__DUMPI_NEWEST};

/* Calls of all types, with as many values each, in two ranks. Reading decodes those with a mask that is not the canonical
 * one; the bit of the counters, of which there are none, makes it another one. */
static const char *write_calls(uint32_t version, uint8_t mask) {
    struct made made = made_create();
    seed = 7;
    made.version = version;
    for (unsigned rank = 0; rank < 2; rank++) {
        made_rank(&made, rank);
        made.common.mask = mask;
        for (uint32_t id = 0; id < QUIPU__DUMPI_END; id++)
            for (int i = 0; quipu__dumpi_type_of(id) != QUIPU_NONE && i < 3; i++) {
                union quipu__dumpi_any data;
                memset(&data, 0, sizeof data);
                made.common.cpu_start = (int64_t)(draw() % 1000000007);
                made.common.cpu_stop = made.common.cpu_start + (int64_t)(draw() % 1000);
                draw_struct(&quipu__dumpi_types[quipu__dumpi_type_of(id)], (uint8_t *)&data, version);
                made_call(&made, quipu__dumpi_type_of(id), &data);
            }
    }
    return made_close(&made);
}

/* A line per attribute. */
static char *attributes_of(const char *path) {
    struct quipu_reader *reader = opened(path);
    struct quipu__memory memory;
    struct quipu__buffer out;
    struct quipu_event event;
    quipu__memory_init(&memory, NULL, 0);
    quipu__buffer_init(&out, &memory, 0);
    for (uint32_t number = 0; quipu_reader_next(reader, &event, NULL) == QUIPU_OK; number++)
        for (uint32_t i = 0; i < event.attribute_count; i++) {
            const struct quipu_value *value = &event.attributes[i].value;
            quipu__put_format(&out, "%u %s %s %u ", number, quipu_kind_at((enum quipu_kind)event.kind)->name,
                              quipu_key_name(quipu_reader_definitions(reader), value->key), value->type);
            quipu__print_value(value, &out, false);
            quipu__put_u8(&out, '\n');
        }
    char *text = harness_text("%.*s", (int)out.len, (const char *)out.data);
    quipu__buffer_release(&out);
    quipu_reader_close(reader);
    return text;
}

static void test_fast_calls_have_the_same_attributes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        const char *canonical = attributes_of(write_calls(versions[i], MASK_ALL));
        const char *decoded = attributes_of(write_calls(versions[i], MASK_ALL | QUIPU__DUMPI_MASK_COUNTERS));
        assert_non_null(strstr(canonical, " enter cpu_start "));
        assert_string_equal(canonical, decoded);
    }
}

/* Numbers of each width and sign, and both kinds of lists. */
static void test_fast_calls_read_where_they_lie(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made.common.cpu_start = 5;
    made.common.cpu_stop = INT64_C(3000000000);
    CALL(&made, irecv, .count = INT32_MIN, .datatype = -3, .source = -1, .tag = 7, .comm = WORLD, .request = 4);
    CALL(&made, waitall, .count = 2, .requests = NUMBERS(4, -5), .statuses = STATUS(32, 0, 9));
    CALL(&made, allreduce, .count = 1, .datatype = 11, .op = 200, .comm = WORLD);
    assert_string_equal(attributes_of(made_close(&made)),
                        "0 enter count 7 -2147483648\n0 enter datatype 7 -3\n0 enter source 7 -1\n"
                        "0 enter tag 7 7\n0 enter comm 7 2\n0 enter request 7 4\n"
                        "0 enter cpu_start 7 5\n0 enter cpu_stop 7 3000000000\n"
                        "3 enter count 7 2\n3 enter requests 12 \"[4, -5]\"\n"
                        "3 enter statuses 12 \"[{\"bytes\": 32, \"source\": 0, \"tag\": 9, \"cancelled\": 0, "
                        "\"error\": 0}]\"\n3 enter cpu_start 7 5\n3 enter cpu_stop 7 3000000000\n"
                        "6 enter count 7 1\n6 enter datatype 7 11\n6 enter op 7 200\n"
                        "6 enter cpu_start 7 5\n6 enter cpu_stop 7 3000000000\n");
}

QUIPU_TESTS(cmocka_unit_test(test_fast_calls_have_the_same_attributes),
            cmocka_unit_test(test_fast_calls_read_where_they_lie))
