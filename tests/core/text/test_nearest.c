/* test_nearest.c: which of several names a mistyped one was meant to be. Distances are counted by hand. */
#include "harness.h"

#include <quipu/base.h>

static const char *text_of(const char *typed, const char *const *names, size_t count, char text[128]) {
    struct quipu_nearest nearest = quipu_nearest_to(typed);
    for (size_t i = 0; i < count; i++)
        quipu_nearest_add(&nearest, names[i]);
    return quipu_nearest_text(&nearest, text, 128);
}

static void test_nearest_are_those_that_differ_least_in_letters_of_either_case(void **state) {
    (void)state;
    static const char *const names[] = {"MPI_Recv", "MPI_Isend", "MPI_Send", "solve", NULL, "", "MPI_Send"};
    char text[128];
    assert_string_equal(text_of("mpi_send", names, 7, text), "; did you mean MPI_Send or MPI_Isend?");
    assert_string_equal(text_of("MPI_Rcv", names, 7, text), "; did you mean MPI_Recv?");
    assert_string_equal(text_of("SOL", names, 7, text), "; did you mean solve?");
    assert_string_equal(text_of("unrelated", names, 7, text), "");
    assert_string_equal(text_of("x", names, 7, text), "");
}

static void test_nearest_are_at_most_three_of_which_the_earlier_of_equals_comes_first(void **state) {
    (void)state;
    static const char *const names[] = {"ab1", "ab2", "ab3", "ab4", "abx"};
    char text[128];
    assert_string_equal(text_of("abz", names, 5, text), "; did you mean ab1, ab2 or ab3?");
    assert_string_equal(text_of("ABX", names, 5, text), "; did you mean abx, ab1 or ab2?");
}

static void test_nearest_text_is_cut_to_size_and_names_may_be_long(void **state) {
    (void)state;
    char small[8], longest[4096], text[128];
    const char *const names[] = {longest};
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(text_of("aaaaaaaaaaab", names, 1, text), "");
    struct quipu_nearest nearest = quipu_nearest_to("ab");
    quipu_nearest_add(&nearest, "abc");
    assert_string_equal(quipu_nearest_text(&nearest, small, sizeof small), "; did y");
    assert_int_equal(strlen(text_of("aaa", names, 1, text)), 127);
}

QUIPU_TESTS(cmocka_unit_test(test_nearest_are_those_that_differ_least_in_letters_of_either_case),
            cmocka_unit_test(test_nearest_are_at_most_three_of_which_the_earlier_of_equals_comes_first),
            cmocka_unit_test(test_nearest_text_is_cut_to_size_and_names_may_be_long))
