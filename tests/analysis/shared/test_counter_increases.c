/* Increases of counters of all kinds of numbers, and their parts. */
#include "harness.h"

#include "analysis/shared/counter_increases.h"
#include "model/batch.h"

#include <string.h>

enum { UNSIGNED, SIGNED, REAL, GAUGE, METRICS };

static const struct quipu_metric metrics[METRICS] = {{.name = "u", .value = QUIPU_METRIC_U64},
                                                     {.name = "i", .value = QUIPU_METRIC_I64},
                                                     {.name = "f", .value = QUIPU_METRIC_F64},
                                                     {.name = "g", .mode = QUIPU_METRIC_POINT}};
static const struct quipu_definitions definitions = {.metrics = {metrics, METRICS}};

static uint64_t bits_of(double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Adds a value of location 0 at a time. */
static bool add(struct quipu__counter_increases *increases, uint32_t metric, int64_t time, uint64_t value,
                struct quipu__counter_increase *out) {
    uint32_t location = 0;
    const struct quipu_batch batch = {.count = 1, .location = &location, .object = &metric, .value = &value};
    return quipu__counter_increases_add(increases, &batch, 0, time, out);
}

static void test_increases_of_all_kinds_of_numbers(void **state) {
    struct quipu__counter_increases increases;
    struct quipu__counter_increase increase;
    struct quipu__memory memory;
    (void)state;
    quipu__memory_init(&memory, NULL, 0);
    quipu__counter_increases_init(&increases, &memory, &definitions);
    assert_false(add(&increases, UNSIGNED, 0, UINT64_C(1) << 63, &increase));
    assert_true(add(&increases, UNSIGNED, 10, (UINT64_C(1) << 63) + 5, &increase));
    assert_int_equal(increase.amount.whole, 5);
    assert_int_equal(increase.from, 0);
    assert_int_equal(increase.to, 10);
    assert_false(add(&increases, SIGNED, 0, (uint64_t)-7, &increase));
    assert_true(add(&increases, SIGNED, 10, 3, &increase));
    assert_int_equal(increase.amount.whole, 10);
    assert_false(add(&increases, SIGNED, 20, (uint64_t)-1, &increase));
    assert_true(add(&increases, SIGNED, 30, 0, &increase));
    assert_false(add(&increases, REAL, 0, bits_of(0.5), &increase));
    assert_true(add(&increases, REAL, 10, bits_of(2.0), &increase));
    assert_true(increase.amount.real > 1.49 && increase.amount.real < 1.51);
    assert_false(add(&increases, GAUGE, 0, 1, &increase));
    assert_false(add(&increases, GAUGE, 10, 2, &increase));
    quipu__counter_increases_release(&increases);
}

/* 10 in 3 ns: 3, 6 and 10 have come by 1, 2 and 3; the parts are 3, 3 and 4. */
static void test_parts_of_an_increase_add_up(void **state) {
    const struct quipu__counter_increase increase = {.from = 0, .to = 3, .amount = {10, 3}};
    const uint64_t shares[] = {3, 3, 4};
    struct quipu__counter_amount all = {0, 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct quipu__counter_amount share = {0, 0};
        quipu__counter_amount_add(&share, &increase, i, i + 1);
        quipu__counter_amount_add(&all, &increase, i, i + 1);
        assert_int_equal(share.whole, shares[i]);
    }
    assert_int_equal(all.whole, 10);
    assert_true(all.real > 2.99 && all.real < 3.01);
}

/* Of a total nothing is lost in silence: it stays at the largest number. */
static void test_totals_end_at_the_largest_number(void **state) {
    const struct quipu__counter_increase increase = {.from = 5, .to = 5, .amount = {UINT64_MAX - 1, 0}};
    struct quipu__counter_amount all = {0, 0};
    (void)state;
    quipu__counter_amount_add(&all, &increase, 5, 5);
    assert_int_equal(all.whole, UINT64_MAX - 1);
    quipu__counter_amount_add(&all, &increase, 5, 5);
    assert_int_equal(all.whole, UINT64_MAX);
}

QUIPU_TESTS(cmocka_unit_test(test_increases_of_all_kinds_of_numbers),
            cmocka_unit_test(test_parts_of_an_increase_add_up),
            cmocka_unit_test(test_totals_end_at_the_largest_number))
