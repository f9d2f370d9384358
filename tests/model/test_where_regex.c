/* Regular expressions of --where: what they find, and what is refused before and while they are looked for. */
#include "harness.h"

#include "model/where_regex.h"

#include "core/error.h"

enum { MEMORY = 32 << 20 };

/* What becomes of looking for it in a text; QUIPU_MISUSE: it is no regular expression. */
static enum quipu_status look_for(const char *regular, const char *text, bool *is_found) {
    struct quipu__memory memory;
    char trouble[QUIPU__REGEX_TROUBLE];
    quipu__memory_init(&memory, NULL, MEMORY);
    struct quipu__regex *regex = quipu__regex_new(&memory, regular, trouble);
    *is_found = regex && quipu__regex_finds(regex, text);
    const enum quipu_status status = quipu__memory_status(&memory, NULL);
    assert_true(regex || trouble[0] != '\0' || status == QUIPU_NO_MEMORY);
    const bool is_wrong = trouble[0] != '\0';
    quipu__regex_free(regex);
    assert_int_equal(memory.used, 0);
    return is_wrong ? QUIPU_MISUSE : status;
}

static void assert_finds(const char *regular, const char *text, bool is_expected) {
    bool is_found;
    assert_int_equal(look_for(regular, text, &is_found), QUIPU_OK);
    assert_int_equal(is_found, is_expected);
}

static void test_regex_is_found_anywhere_in_either_case(void **state) {
    (void)state;
    assert_finds("i?send", "MPI_Isend", true);
    assert_finds("^mpi_(send|recv)$", "MPI_Recv", true);
    assert_finds("^mpi_(send|recv)$", "MPI_Recv_init", false);
    assert_finds("[[:digit:]]{3,}", "rank 12", false);
    assert_finds("a.c", "a\nc", true);
    assert_finds("^b$", "a\nb\n", false);
    assert_finds("a$", "a\n", false);
    assert_finds("", "", true);
    assert_finds("a\\.b", "axb", false);
}

/* "." is a character, not a byte, and what is no UTF-8 is only not found. */
static void test_regex_of_texts_that_are_utf8_or_not(void **state) {
    (void)state;
    bool is_found;
    assert_finds("^gr.ße$", "GRÖSSE", false);
    assert_finds("^gr.ße$", "GRöße", true);
    assert_finds("b",
                 "a\xff"
                 "b",
                 true);
    assert_finds("a.b",
                 "a\xff"
                 "b",
                 false);
    assert_finds("a$|^b",
                 "a\xff"
                 "b",
                 false);
    assert_finds("c$",
                 "a\xff"
                 "b\xff\xc3"
                 "c",
                 true);
    assert_int_equal(look_for("a\xff", "a", &is_found), QUIPU_MISUSE);
}

/* Written out, "((a{255}){255}){255}" would be 16 million letters. */
static void test_regex_that_is_too_large_is_refused(void **state) {
    (void)state;
    static const char *const refused[] = {
        "((a{255}){255}){255}", "((a|b){255}){255}", "a{65536}", "a)(b", "(a)\\1", "(", "*a"};
    bool is_found;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(look_for(refused[i], "a", &is_found), QUIPU_MISUSE);
    assert_finds("(ab){500}c", "ababab", false);
    assert_finds("\\\\1", "\\1", true);
}

static void test_groups_inside_each_other_are_bounded(void **state) {
    (void)state;
    char text[3 * 1000 + 1];
    bool is_found;
    for (size_t depth = 50; depth <= 1000; depth += 950) {
        memset(text, '(', depth);
        memset(text + depth, 'a', depth);
        memset(text + 2 * depth, ')', depth);
        text[3 * depth] = '\0';
        assert_int_equal(look_for(text, "a", &is_found), depth == 50 ? QUIPU_OK : QUIPU_MISUSE);
    }
}

/* A text that ends as no expression below does. */
static const char *long_text(void) {
    static char text[2501];
    for (size_t i = 0; i < sizeof text - 2; i++)
        text[i] = i % 3 ? 'a' : 'b';
    text[sizeof text - 2] = '!';
    return text;
}

/* What is not there is only known after all ways have been tried, two to the power of the text's length. */
static void test_regex_that_takes_too_many_steps_ends(void **state) {
    (void)state;
    static const char *const hostile[] = {"(a|b)*a(a|b){100}!!", "((a|b)+)+$", "(a|b|a)*b!$b",
                                          "((a|b)*)*(a*b)*!.!"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        bool is_found;
        assert_int_equal(look_for(hostile[i], long_text(), &is_found), QUIPU_NO_MEMORY);
        assert_false(is_found);
    }
}

/* One step of PCRE2 goes over as many characters as there are: from each of 100,000 on, that were five thousand millions. */
static void test_characters_that_a_step_goes_over_are_bounded(void **state) {
    (void)state;
    enum { CHARACTERS = 100000 };
    static const char *const hostile[] = {"y+z", "[^z]+z", "y{60000}z", "(?<=y{1000})z"};
    static char text[CHARACTERS + 1];
    bool is_found;
    memset(text, 'y', CHARACTERS);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        assert_int_equal(look_for(hostile[i], text, &is_found), QUIPU_NO_MEMORY);
    assert_int_equal(look_for("(?<n>y)\\k<n>", text, &is_found), QUIPU_MISUSE);
    assert_int_equal(look_for("(*sr:y+)z", text, &is_found), QUIPU_MISUSE);
    assert_finds("(yy){500}z", "yyyy", false);
    assert_finds("[(]*b", "b", true);
}

/* Texts of which each is hard, but possible. */
static void test_steps_in_all_texts_are_bounded(void **state) {
    (void)state;
    struct quipu__memory memory;
    char trouble[QUIPU__REGEX_TROUBLE];
    int count = 0;
    quipu__memory_init(&memory, NULL, MEMORY);
    struct quipu__regex *regex = quipu__regex_new(&memory, "^(y|yy)+[xz]", trouble);
    assert_non_null(regex);
    while (count < 10000 && quipu__memory_status(&memory, NULL) == QUIPU_OK) {
        assert_false(quipu__regex_finds(regex, "yyyyyyyyyyyyyyyyyyyy"));
        count++;
    }
    assert_in_range(count, 10, 9999);
    quipu__regex_free(regex);
}

static void test_easy_texts_may_be_as_many_as_there_are(void **state) {
    (void)state;
    struct quipu__memory memory;
    char trouble[QUIPU__REGEX_TROUBLE];
    quipu__memory_init(&memory, NULL, MEMORY);
    struct quipu__regex *regex = quipu__regex_new(
        &memory, "^mpi_(i?send|i?recv|bcast|reduce|allreduce|gather|scatter|alltoall|scan|barrier|wait|test)$",
        trouble);
    assert_non_null(regex);
    for (int i = 0; i < 100000; i++)
        assert_false(quipu__regex_finds(regex, "MPI_Neighbor_alltoallw_init"));
    assert_int_equal(quipu__memory_status(&memory, NULL), QUIPU_OK);
    quipu__regex_free(regex);
}

/* What is simple is looked for in texts of any length. */
static void test_simple_regex_is_looked_for_in_a_long_text(void **state) {
    (void)state;
    enum { CHARACTERS = 4000000 };
    static char text[CHARACTERS + 1];
    memset(text, 'y', CHARACTERS);
    assert_finds("send", text, false);
    assert_finds("send|recv|y$", text, true);
}

static void test_regex_refusal_says_why(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu_error err = {0};
    char trouble[QUIPU__REGEX_TROUBLE];
    quipu__memory_init(&memory, NULL, MEMORY);
    struct quipu__regex *regex = quipu__regex_new(&memory, "((a|b)+)+$", trouble);
    assert_non_null(regex);
    assert_false(quipu__regex_finds(regex, long_text()));
    quipu__regex_free(regex);
    assert_int_equal(quipu__memory_status(&memory, &err), QUIPU_NO_MEMORY);
    assert_non_null(strstr(err.message, "regular expression"));
}

QUIPU_TESTS(cmocka_unit_test(test_regex_is_found_anywhere_in_either_case),
            cmocka_unit_test(test_regex_of_texts_that_are_utf8_or_not),
            cmocka_unit_test(test_regex_that_is_too_large_is_refused),
            cmocka_unit_test(test_groups_inside_each_other_are_bounded),
            cmocka_unit_test(test_regex_that_takes_too_many_steps_ends),
            cmocka_unit_test(test_characters_that_a_step_goes_over_are_bounded),
            cmocka_unit_test(test_steps_in_all_texts_are_bounded),
            cmocka_unit_test(test_easy_texts_may_be_as_many_as_there_are),
            cmocka_unit_test(test_simple_regex_is_looked_for_in_a_long_text),
            cmocka_unit_test(test_regex_refusal_says_why))
