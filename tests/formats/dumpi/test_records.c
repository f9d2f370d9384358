/* test_records.c: the tables themselves, and records through plans: decoded by exact values, encoded and decoded with
 * random ones. */
#include "random_records.h"

#include "formats/dumpi/codec.h"

/* ---- Tables ---- */

static void test_records_of_calls_are_in_the_order_of_their_numbers(void **state) {
    (void)state;
    unsigned calls = 0;
    for (uint32_t id = 0; id < 300; id++) {
        const uint32_t type = quipu__dumpi_type_of(id);
        if (id == 128 || id == 290 || id > 292) {
            assert_int_equal(type, QUIPU_NONE);
            continue;
        }
        assert_int_equal(quipu__dumpi_types[type].id, id);
        calls++;
    }
    assert_int_equal(calls, 291);
}

/* The first number of a row of the specification's call table is followed by its name and fields. */
/* needs: shared */
static void test_records_agree_with_the_call_table(void **state) {
    (void)state;
    char *table = harness_read(harness_shared("spec/dumpi-calls.tsv"), NULL);
    unsigned rows = 0;
    for (char *line = strtok(strchr(table, '\n') + 1, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned id;
        char name[80], fields[2000];
        assert_int_equal(sscanf(line, "%u\t%79[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%1999[^\t]", &id, name, fields),
                         3);
        const uint32_t type = quipu__dumpi_type_of(id);
        if (id == 128)
            continue;
        const struct quipu_record_type *row = &quipu__dumpi_types[type];
        assert_string_equal(row->name, name);
        size_t position = 0;
        for (size_t i = 0; strcmp(fields, "-") != 0 && i < row->field_count; i++) {
            const struct quipu_field *field = &row->fields[row->order ? row->order[i] : i];
            if (field->until != 0)
                continue;
            const char *colon = strchr(fields + position, ':');
            assert_non_null(colon);
            assert_memory_equal(colon + 1, field->name, strlen(field->name));
            const char *space = strchr(colon, ' ');
            position = space ? (size_t)(space + 1 - fields) : strlen(fields);
        }
        assert_true(position == strlen(fields) || strcmp(fields, "-") == 0);
        rows++;
    }
    assert_int_equal(rows, 291);
}

static void test_records_labels_are_those_of_the_tools(void **state) {
    (void)state;
    static const struct {
        const char *domain;
        int64_t value;
        const char *label;
    } expected[] = {
        {"comm", 2, "MPI_COMM_WORLD"},
        {"comm", 4, "user-defined-comm"},
        {"dtype", 9, "MPI_INT"},
        {"dtype", 28, "user-defined-datatype"},
        {"op", 15, "user-defined-op"},
        {"errh", 2, "user-defined-errhandler"},
        {"errh", -1, "DUMPI_ERRHANDLER_ERROR"},
        {"info", 1, "user-info"},
        {"info", -1, "MPI_INFO_NULL"},
        {"amode", 0, "DUMPI_FILEMODE_ERROR"},
        {"amode", 100, "DUMPI_FILEMODE_ERROR"},
        {"wassert", 5, "MPI_MODE_NOCHECK|MPI_MODE_NOPUT"},
        {"wassert", 255, "DUMPI_MODE_ERROR"},
        {"wassert", 32, "DUMPI_MODE_ERROR"},
        {"source", -2, "MPI_ROOT"},
        {"dest", -1, NULL},
        {"tag", -1, "MPI_ANY_TAG"},
        {"dist", 1, NULL},
        {"cmp", 9, "undefined-comparison"},
        {"keyval", 9, "MPI_WIN_DISP_UNIT"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *label = quipu__dumpi_label_of(expected[i].domain, expected[i].value);
        assert_string_equal(label ? label : "none", expected[i].label ? expected[i].label : "none");
    }
}

QUIPU_TESTS(cmocka_unit_test(test_records_of_calls_are_in_the_order_of_their_numbers),
            cmocka_unit_test(test_records_agree_with_the_call_table),
            cmocka_unit_test(test_records_labels_are_those_of_the_tools))
