/* test_tables.c: the tables of an answer, and its note. */
#include "harness.h"

#include "table/table.h"

static const struct quipu_table_column columns[] = {{"rank", QUIPU_TYPE_U64, "", "number"}};
static const struct quipu_analysis_table shapes[] = {{"first", "", columns, 1}, {"second", "", columns, 1}};

static void test_tables_are_in_the_order_in_which_they_were_added(void **state) {
    struct quipu_tables *tables;
    struct quipu_table *first, *second;
    (void)state;
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_int_equal(quipu_tables_count(tables), 0);
    assert_int_equal(quipu__tables_add(tables, &shapes[0], &first, NULL), QUIPU_OK);
    assert_int_equal(quipu__tables_add(tables, &shapes[1], &second, NULL), QUIPU_OK);
    assert_int_equal(quipu_tables_count(tables), 2);
    assert_ptr_equal(quipu_tables_at(tables, 0), first);
    assert_ptr_equal(quipu_tables_list(tables)[1], second);
    assert_string_equal(quipu_table_name(second), "second");
    quipu_tables_free(tables);
    quipu_tables_free(NULL);
}

/* Sentences of a note have a semicolon between them; what does not fit is left out. */
static void test_tables_notes_are_put_together(void **state) {
    struct quipu_tables *tables;
    (void)state;
    assert_int_equal(quipu__tables_new(NULL, &tables, NULL), QUIPU_OK);
    assert_string_equal(quipu_tables_note(tables), "");
    quipu__tables_note_add(tables, "%d calls never end", 3);
    assert_string_equal(quipu_tables_note(tables), "3 calls never end");
    quipu__tables_note_add(tables, "times go back");
    assert_string_equal(quipu_tables_note(tables), "3 calls never end; times go back");
    for (int i = 0; i < 1000; i++)
        quipu__tables_note_add(tables, "more");
    assert_int_equal(strlen(quipu_tables_note(tables)), QUIPU__TABLES_NOTE - 1);
    quipu_tables_free(tables);
}

QUIPU_TESTS(cmocka_unit_test(test_tables_are_in_the_order_in_which_they_were_added),
            cmocka_unit_test(test_tables_notes_are_put_together))
