/* test_tokens.c: which tokens definitions get, and that giving them takes as many steps as there are definitions. */
#include "harness.h"

#include "formats/otf/from_model.h"

#define TOKEN_MOST UINT32_C(0xfffffffe)

/* The first definition has the highest token of all, the others have its number too. */
static uint64_t native_highest(const void *definitions, uint32_t number) {
    (void)definitions, (void)number;
    return TOKEN_MOST;
}

static struct quipu__otf_tokens make_tokens(struct quipu__memory *memory) {
    struct quipu__otf_tokens tokens;
    quipu__memory_init(memory, NULL, 0);
    quipu__otf_tokens_init(&tokens, memory);
    return tokens;
}

static void test_tokens_behind_the_highest_begin_at_1(void **state) {
    (void)state;
    struct quipu__memory memory;
    struct quipu__otf_tokens tokens = make_tokens(&memory);
    assert_true(quipu__otf_tokens_extend(&tokens, NULL, 4, native_highest));
    assert_int_equal(tokens.at.items[0].token, TOKEN_MOST);
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(tokens.at.items[i].token, i);
    assert_int_equal(quipu__otf_tokens_fresh(&tokens), 4);
    assert_int_equal(quipu__otf_tokens_want(&tokens, 4, 4), 5); /* 4 is taken */
    quipu__otf_tokens_release(&tokens);
}

/* 40,000 definitions of one token had taken 800 million steps, half a minute. Two million take as many steps as there
 * are, so this ends at once; what counts them is where the search stands. */
static void test_tokens_are_looked_at_once(void **state) {
    (void)state;
    enum { COUNT = 2000000 };
    struct quipu__memory memory;
    struct quipu__otf_tokens tokens = make_tokens(&memory);
    assert_true(quipu__otf_tokens_extend(&tokens, NULL, COUNT, native_highest));
    assert_int_equal(tokens.at.items[COUNT - 1].token, COUNT - 1);
    assert_int_equal(tokens.lowest_free, COUNT - 1);
    quipu__otf_tokens_release(&tokens);
}

QUIPU_TESTS(cmocka_unit_test(test_tokens_behind_the_highest_begin_at_1),
            cmocka_unit_test(test_tokens_are_looked_at_once))
