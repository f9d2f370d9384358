/* test_unknown_names.c: names that nothing in a trace has, with those that may have been meant. */
#include "harness.h"

#include "analysis/shared/unknown_names.h"

static struct quipu_region regions[] = {{.name = "MPI_Send", .role = QUIPU_REGION_MPI_P2P},
                                        {.name = "solve", .role = QUIPU_REGION_USER}};
static struct quipu_marker markers[] = {{.name = "step"}};
static const struct quipu_definitions definitions = {.regions = {regions, 2}, .markers = {markers, 1}};

static void test_unknown_names_of_regions(void **state) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(quipu__no_region(&definitions, "MPI_Sent", &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.message, "the trace has no region \"MPI_Sent\""));
    assert_non_null(strstr(err.message, "MPI_Send"));
}

/* Annotations are blocks that users mark, and markers; calls are none. */
static void test_unknown_names_of_annotations(void **state) {
    struct quipu_error err = QUIPU_ERROR_INIT;
    (void)state;
    assert_int_equal(quipu__no_annotation(&definitions, "stepp", &err), QUIPU_MISUSE);
    assert_non_null(strstr(err.message, "the trace has no annotation \"stepp\""));
    assert_non_null(strstr(strstr(err.message, "stepp") + 5, "step"));
    assert_int_equal(quipu__no_annotation(&definitions, "MPI_Sent", &err), QUIPU_MISUSE);
    assert_null(strstr(err.message, "MPI_Send\""));
    assert_int_equal(quipu__no_annotation(&definitions, "solved", &err), QUIPU_MISUSE);
    assert_non_null(strstr(strstr(err.message, "solved") + 6, "solve"));
}

QUIPU_TESTS(cmocka_unit_test(test_unknown_names_of_regions),
            cmocka_unit_test(test_unknown_names_of_annotations))
