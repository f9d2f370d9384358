/* test_define.c: ranks and counters as definitions. */
#include "traces.h"

#include "formats/dumpi/format.h"
#include <fcntl.h>
#include <unistd.h>

#define INT 9
#define WORLD 2
#define SELF 3

static void test_define_counters_are_metrics(void **state) {
    (void)state;
    struct made made = made_create();
    const struct quipu__dumpi_counter counters[] = {{5, 7}, {100, 90}};
    const char *names[] = {text("CYCLES"), text("MISSES")};
    const struct quipu__dumpi_counters section = {sized(names, 2, sizeof *names)};
    const struct quipu__dumpi_end end = {293};
    made_rank(&made, 0);
    made.common.mask |= QUIPU__DUMPI_MASK_COUNTERS;
    made.common.counters = sized(counters, 2, sizeof *counters);
    CALL(&made, barrier, .comm = WORLD);
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_counters, &section, NULL);
    struct quipu_reader *reader = opened(made_close(&made));
    assert_string_equal(quipu_reader_definitions(reader)->metrics.items[1].name, "MISSES");
    assert_string_equal(events_of(reader, QUIPU_KIND_BIT(QUIPU_KIND_metric)),
                        "0 0 metric metric=0 value=5\n0 0 metric metric=1 value=100\n"
                        "10 0 metric metric=0 value=7\n10 0 metric metric=1 value=90\n");
    quipu_reader_close(reader);
}

/* The rank of a lone file is its own, and others can be referred to. */
static void test_define_ranks_of_files_alone(void **state) {
    (void)state;
    struct made made = made_create();
    made_rank(&made, 0);
    made_rank(&made, 1);
    CALL(&made, comm_size, .comm = WORLD, .size = 3);
    CALL(&made, send, .count = 1, .datatype = 9, .dest = 2, .tag = 1, .comm = WORLD);
    made_close(&made);
    assert_events(made_file(&made, 1), BUT_REGIONS,
                  "10 1 send peer=2 communicator=0 tag=1 bytes=4 request=?\n");
}

QUIPU_TESTS(cmocka_unit_test(test_define_counters_are_metrics),
            cmocka_unit_test(test_define_ranks_of_files_alone))
