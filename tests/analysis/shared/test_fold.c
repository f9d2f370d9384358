/* test_fold.c: folds of several threads, combined, are what one thread answers. */
#include "analysis/threads.h"

static uint32_t shared; /* traces that were really read by several threads */

static void compare_trace(const char *path) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    const char *one = NULL;
    for (uint32_t i = 0; i < COUNTS; i++) {
        struct quipu_reader *reader;
        options.threads = counts[i];
        if (quipu_reader_open(path, &options, &reader, NULL) != QUIPU_OK)
            return;
        shared += quipu__reader_threads(reader, 100) > 1;
        const char *told = tell(reader);
        one = one ? one : told;
        if (strcmp(one, told) != 0)
            fail_msg("%s with %u threads:\n%s\nwith one:\n%s", path, counts[i], told, one);
    }
}

static void test_fold_of_any_number_of_threads_answers_the_same(void **state) {
    (void)state;
    harness_visit(harness_data(""), compare_trace);
    assert_true(shared >= 6);
}

static void test_fold_of_streams_that_share_a_location_answers_the_same(void **state) {
    (void)state;
    compare_fake();
}

QUIPU_TESTS(cmocka_unit_test(test_fold_of_any_number_of_threads_answers_the_same),
            cmocka_unit_test_setup(test_fold_of_streams_that_share_a_location_answers_the_same, make_trace))
