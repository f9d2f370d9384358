/* test_hosts.c: which location is the first one of its host; of many hosts as fast as of few. */
#include "harness.h"

#include "analysis/shared/hosts.h"

#include <time.h>

enum { FEW = 6, MANY = 200000, NAME = 16 };

static void check(const struct quipu_location *locations, uint32_t count, const uint32_t *expected) {
    struct quipu_definitions definitions = {.locations = {.items = locations, .count = count}};
    struct quipu__memory memory;
    struct quipu__hosts hosts;
    quipu__memory_init(&memory, NULL, 0);
    quipu__hosts_init(&hosts, &memory, &definitions);
    for (uint32_t i = count; i-- > 0;)
        assert_int_equal(quipu__host_first(&hosts, i), expected[i]);
    assert_int_equal(quipu__host_first(&hosts, count), count); /* not defined */
    quipu__hosts_release(&hosts);
    assert_int_equal(memory.used, 0);
}

static void test_hosts_the_first_location_stands_for_its_host(void **state) {
    (void)state;
    static const struct quipu_location locations[FEW] = {{.host = "n1"}, {.host = NULL}, {.host = "n2"},
                                                         {.host = "n1"}, {.host = ""},   {.host = "n2"}};
    static const uint32_t expected[FEW] = {0, 1, 2, 0, 1, 2};
    check(locations, FEW, expected);
}

/* Comparing each with all before it would take 20,000 million comparisons, minutes. */
static void test_hosts_of_many_take_a_time_that_grows_with_them(void **state) {
    (void)state;
    static struct quipu_location locations[MANY];
    static char names[MANY][NAME];
    static uint32_t expected[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        expected[i] = i % 10 == 9 ? i - 9 : i;
        snprintf(names[i], NAME, "node%06u", expected[i]);
        locations[i].host = names[i];
    }
    const clock_t began = clock();
    check(locations, MANY, expected);
    assert_true((clock() - began) / CLOCKS_PER_SEC < 10);
}

QUIPU_TESTS(cmocka_unit_test(test_hosts_the_first_location_stands_for_its_host),
            cmocka_unit_test(test_hosts_of_many_take_a_time_that_grows_with_them))
