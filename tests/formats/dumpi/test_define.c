/* test_define.c: ranks and counters as definitions. */
#include "traces.h"

#include "formats/dumpi/format.h"
#include <fcntl.h>
#include <quipu/builder.h>
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

/* What the recorder hands over: a counter says where calls were made, by keys of labels (layout.h). It is no metric, and its labels are no
 * functions, whatever they say. */
static void test_define_call_sites_are_sources(void **state) {
    (void)state;
    const uint64_t keys = QUIPU__DUMPI_CALL_SITE_KEYS;
    struct made made = made_create();
    const struct quipu__dumpi_label labels[] = {{keys | 7, text("300\t\texchange\t/src/solver.c")},
                                                {keys | 8, text("12\t7\tpack\t/src/util.h")},
                                                {keys | 9, text("no line\t9")},
                                                {77, text("solve")}};
    const char *names[] = {text(QUIPU__DUMPI_CALL_SITES), text("PAPI_TOT_INS")};
    const struct quipu__dumpi_counters section = {sized(names, 2, sizeof *names)};
    const struct quipu__dumpi_addresses addresses = {sized(labels, 4, sizeof *labels)};
    const struct quipu__dumpi_end end = {293};
    made_rank(&made, 0);
    made.common.mask |= QUIPU__DUMPI_MASK_COUNTERS;
    for (uint64_t i = 8; i <= 10; i++) { /* no label has the last key */
        const struct quipu__dumpi_counter counters[] = {{(int64_t)(keys | i), (int64_t)(keys | i)}, {5, 7}};
        made.common.counters = sized(counters, 2, sizeof *counters);
        CALL(&made, barrier, .comm = WORLD);
    }
    made_record(&made, QUIPU__DUMPI_TYPE_end, &end, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_counters, &section, NULL);
    made_record(&made, QUIPU__DUMPI_TYPE_addresses, &addresses, NULL);
    struct quipu_reader *reader = opened(made_close(&made));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    assert_true(d->has_call_sites);
    assert_int_equal(d->metrics.count, 1);
    assert_int_equal(d->sources.count, 3);
    assert_string_equal(d->sources.items[1].file, "/src/util.h");
    assert_string_equal(d->sources.items[1].function, "pack");
    assert_int_equal(d->sources.items[1].line, 12);
    assert_int_equal(d->sources.items[1].caller, 0);
    assert_string_equal(d->sources.items[0].function, "exchange");
    assert_int_equal(d->sources.items[0].caller, QUIPU_NONE);
    assert_int_equal(d->sources.items[2].line, 0);
    assert_string_equal(d->sources.items[2].file, "");
    assert_int_equal(d->sources.items[2].caller, QUIPU_NONE); /* itself, which is not known yet */
    assert_int_equal(quipu_region_find(d, "solve"), d->regions.count - 1);
    struct quipu_event event;
    uint32_t found[3] = {QUIPU_NONE, QUIPU_NONE, QUIPU_NONE}, enters = 0;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
        for (uint32_t i = 0; i < event.attribute_count && event.kind == QUIPU_KIND_enter; i++)
            if (event.attributes[i].value.key == QUIPU_KEY_SOURCE)
                found[enters] = (uint32_t)event.attributes[i].value.u;
        enters += event.kind == QUIPU_KIND_enter;
    }
    assert_int_equal(enters, 3);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 2);
    assert_int_equal(found[2], QUIPU_NONE);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_define_counters_are_metrics),
            cmocka_unit_test(test_define_call_sites_are_sources),
            cmocka_unit_test(test_define_ranks_of_files_alone))
