/* test_events.c: events.def says what the specification's table of events says. */
#include "harness.h"

#include "formats/picl/events.h"

enum { COLUMNS = 17, NUMBER = 0, NAME = 1, CATEGORY = 3, KINDS = 4, ENTRY = 5, EXIT = 8, MARK = 11 };

/* The next field of a line of tab-separated values, which is changed. */
static char *next_field(char **line) {
    char *field = *line;
    char *end = field + strcspn(field, "\t\n");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

static const char *kinds_of(const struct quipu__picl_event *row) {
    if (row->kinds == QUIPU__PICL_WRITES_MARK)
        return "mark";
    return row->kinds == QUIPU__PICL_WRITES_NEVER ? "none" : "entry+exit";
}

/* Names of a layout as the table has them: "length_bytes:int,name:chars"; "-" for none. */
static const char *fields_of(const struct quipu__picl_layout *layout) {
    const char *text = layout->count ? "" : "-";
    for (int i = 0; i < layout->count; i++)
        text = harness_text("%s%s%s:%s", text, i ? "," : "", layout->fields[i].name,
                            layout->fields[i].meaning == QUIPU__PICL_TEXT ? "chars" : "int");
    return text;
}

/* Fields, their number and the number that PICL writes stand side by side; "-" is not public, "var" any number. */
static void assert_layout(const struct quipu__picl_layout *layout, char *const *columns) {
    if (strcmp(columns[1], "-") == 0)
        return;
    assert_string_equal(fields_of(layout), columns[0]);
    if (strcmp(columns[1], "var") == 0)
        return;
    assert_int_equal(layout->count, strtol(columns[1], NULL, 10));
    assert_int_equal(layout->reduced, strtol(columns[2], NULL, 10));
}

static void assert_event(char *const *columns) {
    const int64_t number = strtol(columns[NUMBER], NULL, 10);
    const struct quipu__picl_event *row = quipu__picl_event_of(number);
    if (strcmp(columns[CATEGORY], "subset") == 0) {
        assert_string_equal(quipu__picl_subset_name(number), columns[NAME] + strlen("subset-"));
        return;
    }
    assert_non_null(row);
    assert_string_equal(row->name, columns[NAME]);
    assert_int_equal(strncmp(columns[KINDS], kinds_of(row), strlen(kinds_of(row))), 0);
    if (row->kinds == QUIPU__PICL_WRITES_PRESUMED)
        return;
    assert_layout(row->entry, columns + (row->kinds == QUIPU__PICL_WRITES_MARK ? MARK : ENTRY));
    assert_layout(row->exit, columns + EXIT);
}

/* needs: shared */
static void test_events_are_those_of_the_specification(void **state) {
    (void)state;
    char *line = harness_read(harness_shared("spec/picl-events.tsv"), NULL);
    size_t count = 0;
    line += strcspn(line, "\n") + 1;
    for (; *line; count++) {
        char *columns[COLUMNS];
        for (size_t i = 0; i < COLUMNS; i++)
            columns[i] = next_field(&line);
        assert_event(columns);
    }
    assert_int_equal(count, quipu__picl_event_count + 12); /* with the sets */
}

static void test_events_of_predefined_subsets(void **state) {
    (void)state;
    assert_true(quipu__picl_subset_contains(-1001, 0) && quipu__picl_subset_contains(-1001, 70000));
    assert_false(quipu__picl_subset_contains(-1001, -21));
    assert_true(quipu__picl_subset_contains(-1012, -21) && quipu__picl_subset_contains(-1012, -50));
    assert_false(quipu__picl_subset_contains(-1012, -51));
    assert_true(quipu__picl_subset_contains(-1014, -31) && quipu__picl_subset_contains(-1014, -61));
    assert_false(quipu__picl_subset_contains(-1014, -51));
    assert_null(quipu__picl_subset_name(-2001));
}

static void test_events_stand_in_descending_order(void **state) {
    (void)state;
    for (size_t i = 1; i < quipu__picl_event_count; i++)
        assert_true(quipu__picl_events[i].number < quipu__picl_events[i - 1].number);
    assert_null(quipu__picl_event_of(-17));
    assert_null(quipu__picl_event_of(5));
    assert_int_equal(quipu__picl_event_of_command("MPI_Bcast")->number, -785);
}

QUIPU_TESTS(cmocka_unit_test(test_events_are_those_of_the_specification),
            cmocka_unit_test(test_events_of_predefined_subsets),
            cmocka_unit_test(test_events_stand_in_descending_order))
