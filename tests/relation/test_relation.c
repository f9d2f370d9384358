/* test_relation.c: which relations there are, which columns they have, and what they refuse. */
#include "harness.h"

#include <quipu/relation.h>

enum { RELATIONS_MOST = 200 };

static void test_relation_names_are_unique_and_found(void **state) {
    (void)state;
    static struct quipu_relation all[RELATIONS_MOST], found;
    size_t count = 0;
    while (count < RELATIONS_MOST && quipu_relation_at(count, &all[count]))
        count++;
    assert_in_range(count, 50, RELATIONS_MOST - 1);
    for (size_t i = 0; i < count; i++) {
        assert_true(quipu_relation_find(all[i].name, &found));
        assert_int_equal(found.column_count, all[i].column_count);
        assert_in_range(found.column_count, 1, QUIPU_RELATION_COLUMNS - 1);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all[i].name, all[k].name);
        assert_int_equal(strspn(all[i].name, "abcdefghijklmnopqrstuvwxyz_"), strlen(all[i].name));
    }
    assert_false(quipu_relation_find("no relation", &found));
}

static bool has_column(const struct quipu_relation *relation, const char *name) {
    bool has = false;
    for (size_t i = 0; i < relation->column_count; i++)
        has |= strcmp(relation->columns[i].name, name) == 0;
    return has;
}

static void test_relation_of_a_profile_has_the_columns_of_all_its_forms(void **state) {
    (void)state;
    struct quipu_relation profile;
    const struct quipu_analysis *analysis = quipu_analysis_find("profile");
    assert_true(quipu_relation_find("profile", &profile));
    for (size_t i = 0; i < analysis->table_count; i++)
        for (size_t k = 0; k < analysis->tables[i].column_count; k++)
            if (strcmp(analysis->tables[i].name, "profile") == 0)
                assert_true(has_column(&profile, analysis->tables[i].columns[k].name));
}

/* Fields that refer to definitions have a column with their number, too. */
static void assert_field(const struct quipu_relation *events, const struct quipu_kind_field *field) {
    char number[64];
    snprintf(number, sizeof number, "%s_number", field->name);
    assert_true(has_column(events, field->name));
    if (field->refers >= QUIPU_REFERS_LOCATION && field->refers <= QUIPU_REFERS_TASK_TYPE)
        assert_true(has_column(events, number));
}

static void test_relation_of_events_has_a_column_for_each_field_of_all_kinds(void **state) {
    (void)state;
    struct quipu_relation events;
    assert_true(quipu_relation_find("events", &events));
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++) {
        const struct quipu_kind_info *info = quipu_kind_at((enum quipu_kind)kind);
        for (size_t i = 0; i < info->field_count; i++)
            assert_field(&events, &info->fields[i]);
    }
}

static void test_relation_columns_are_documented(void **state) {
    (void)state;
    struct quipu_relation relation;
    for (size_t i = 0; quipu_relation_at(i, &relation); i++)
        for (size_t k = 0; k < relation.column_count; k++)
            assert_true(relation.columns[k].doc[0] != '\0');
}

static void test_relation_refuses_what_it_does_not_heed(void **state) {
    (void)state;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_relation_options options = QUIPU_RELATION_OPTIONS_INIT;
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_setting setting = {"by", "region"};
    const char *const columns[] = {"no column"};
    struct ArrowArrayStream stream;
    struct quipu_reader *reader;
    assert_int_equal(quipu_reader_open(harness_data("where/w.otf"), NULL, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_relation_stream(reader, "nothing", NULL, &stream, &err), QUIPU_NOT_FOUND);
    assert_null(stream.release);
    selection.where = "bytes > 1";
    options.selection = &selection;
    assert_int_equal(quipu_relation_stream(reader, "calls", &options, &stream, &err), QUIPU_MISUSE);
    assert_string_equal(err.message, "rows of calls cannot be selected by an expression");
    options.selection = NULL;
    options.columns = columns;
    options.column_count = 1;
    assert_int_equal(quipu_relation_stream(reader, "calls", &options, &stream, &err), QUIPU_MISUSE);
    options.columns = NULL;
    options.settings = &setting;
    options.setting_count = 1;
    assert_int_equal(quipu_relation_stream(reader, "calls", &options, &stream, &err), QUIPU_MISUSE);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_relation_names_are_unique_and_found),
            cmocka_unit_test(test_relation_of_events_has_a_column_for_each_field_of_all_kinds),
            cmocka_unit_test(test_relation_of_a_profile_has_the_columns_of_all_its_forms),
            cmocka_unit_test(test_relation_columns_are_documented),
            cmocka_unit_test(test_relation_refuses_what_it_does_not_heed))
