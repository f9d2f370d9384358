/* test_events.c: a tracker fed by the events of traces sees the calls that the profile counts in its own way: calls, inclusive
 * and exclusive time of each region at each location, in sound traces of several formats and where nesting is damaged. */
#include "harness.h"

#include "state/events.h"

#include <quipu/analysis.h>
#include <quipu/reader.h>
#include <quipu/table.h>

#include <stdlib.h>

#define KINDS                                                                                                  \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_collective_begin))

enum { CALLS, INCLUSIVE, EXCLUSIVE, VALUES };
enum { STATES_MOST = 256 };

struct counting {
    const struct quipu_definitions *definitions;
    struct quipu__memory memory;
    struct quipu__tracker tracker;
    int64_t (*values)[VALUES]; /* by location and region */
    int64_t change[STATES_MOST], last[STATES_MOST];
};

static int64_t *values_of(const struct counting *counting, uint32_t location, uint64_t region) {
    assert_true(region < counting->definitions->regions.count);
    return counting->values[location * counting->definitions->regions.count + region];
}

static bool is_around(const struct counting *counting, uint32_t call) {
    const uint64_t region = quipu__interval_at(&counting->tracker, call)->key[1];
    uint32_t number = quipu__interval_at(&counting->tracker, call)->older;
    for (; number != QUIPU_NONE; number = quipu__interval_at(&counting->tracker, number)->older)
        if (quipu__interval_at(&counting->tracker, number)->key[1] == region)
            return true;
    return false;
}

/* Adds the time since the latest change to what is active: to each region once, and to the innermost call. */
static void add_time(struct counting *counting, uint32_t state, int64_t time) {
    const uint32_t location = counting->tracker.states.items[state].location;
    const uint32_t newest = quipu__active_at(&counting->tracker, state, QUIPU__INTERVAL_call).newest;
    for (uint32_t number = newest; number != QUIPU_NONE;
         number = quipu__interval_at(&counting->tracker, number)->older) {
        int64_t *values = values_of(counting, location, quipu__interval_at(&counting->tracker, number)->key[1]);
        if (number == newest)
            values[EXCLUSIVE] += time - counting->change[state];
        if (!is_around(counting, number))
            values[INCLUSIVE] += time - counting->change[state];
    }
    counting->change[state] = time;
}

static void count_event(struct counting *counting, const struct quipu_batch *batch, uint32_t i) {
    const uint32_t state = quipu__tracker_locate(&counting->tracker, batch->location[i], batch->stream);
    const bool is_call = batch->kind[i] == QUIPU_KIND_enter || batch->kind[i] == QUIPU_KIND_leave;
    assert_true(state < STATES_MOST);
    if (is_call)
        add_time(counting, state, batch->time[i]);
    if (batch->kind[i] == QUIPU_KIND_enter)
        values_of(counting, batch->location[i], batch->object[i])[CALLS]++;
    if (batch->time[i] > counting->last[state])
        counting->last[state] = batch->time[i];
    assert_true(quipu__tracker_add_event(&counting->tracker, batch, i, batch->stream));
}

static void count_trace(struct counting *counting, struct quipu_reader *reader) {
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    const struct quipu_batch *batch;
    selection.kinds = KINDS;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++)
            count_event(counting, batch, i);
    for (uint32_t i = 0; i < counting->tracker.states.count; i++)
        add_time(counting, i, counting->last[i]);
}

/* ---- Comparing ---- */

static uint32_t find_location(const struct quipu_definitions *definitions, int64_t native_id) {
    uint32_t i = 0;
    while (i < definitions->locations.count && (int64_t)definitions->locations.items[i].native_id != native_id)
        i++;
    return i;
}

static uint32_t find_region(const struct quipu_definitions *definitions, const char *name, int64_t native_id) {
    uint32_t i = 0;
    while (i < definitions->regions.count && ((int64_t)definitions->regions.items[i].native_id != native_id ||
                                              strcmp(definitions->regions.items[i].name, name) != 0))
        i++;
    return i;
}

/* Each row of the profile says what the tracker does, and takes it away; returns the calls of the row. */
static uint64_t compare_row(const struct counting *counting, const struct quipu_table *table, size_t row) {
    static const char *const names[VALUES] = {"calls", "inclusive_ns", "exclusive_ns"};
    const struct quipu_definitions *definitions = counting->definitions;
    if (quipu_table_at(table, row, quipu_table_column_find(table, "region"))->is_null)
        return 0;
    const char *name = quipu_table_at(table, row, quipu_table_column_find(table, "region"))->text;
    const int64_t id = quipu_table_at(table, row, quipu_table_column_find(table, "region_id"))->i;
    const uint32_t region = find_region(definitions, name, id);
    const int64_t where = quipu_table_at(table, row, quipu_table_column_find(table, "location_id"))->i;
    int64_t *values = values_of(counting, find_location(definitions, where), region);
    const uint64_t calls = (uint64_t)values[CALLS];
    for (unsigned i = 0; i < VALUES; i++) {
        const int64_t expected = i == CALLS ? values[i] : quipu_clock_ns(&definitions->clock, values[i]);
        assert_int_equal(quipu_table_at(table, row, quipu_table_column_find(table, names[i]))->i, expected);
        values[i] = 0;
    }
    return calls;
}

/* Returns the number of calls. */
static uint64_t assert_agrees(const char *path) {
    struct counting counting = {.values = NULL};
    struct quipu_reader *reader;
    struct quipu_tables *tables;
    uint64_t calls = 0;
    assert_int_equal(quipu_reader_open(path, NULL, &reader, NULL), QUIPU_OK);
    assert_int_equal(quipu_analysis_run(reader, "profile", NULL, &tables, NULL), QUIPU_OK);
    counting.definitions = quipu_reader_definitions(reader);
    const size_t cells = (size_t)counting.definitions->locations.count * counting.definitions->regions.count;
    counting.values = calloc(cells + 1, sizeof *counting.values);
    assert_non_null(counting.values);
    quipu__memory_init(&counting.memory, NULL, 0);
    const struct quipu__tracker_options options = {
        .definitions = counting.definitions, .interval_classes = QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)};
    quipu__tracker_init(&counting.tracker, &counting.memory, &options);
    count_trace(&counting, reader);
    for (size_t row = 0; row < quipu_table_row_count(quipu_tables_at(tables, 0)); row++)
        calls += compare_row(&counting, quipu_tables_at(tables, 0), row);
    for (size_t i = 0; i < cells; i++)
        for (unsigned k = 0; k < VALUES; k++)
            assert_int_equal(counting.values[i][k], 0); /* there was a row for it */
    quipu__tracker_release(&counting.tracker);
    free(counting.values);
    quipu_tables_free(tables);
    quipu_reader_close(reader);
    return calls;
}

static void test_events_of_both_formats_give_the_calls_of_the_profile(void **state) {
    static const char *const paths[] = {"sweep/otf/ring.otf", "sweep/dumpi/ring.meta", "otf/small.otf",
                                        "cli/exchange.otf"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_true(assert_agrees(harness_data(paths[i])) > 0);
}

static void test_events_with_damaged_nesting_give_the_calls_of_the_profile(void **state) {
    static const char *const texts[] = {
        "E1\n2\nE2\n3\nE3\n5\nL1\n8\nE2\n9\nL2\n",       /* an outer call ends with those inside it */
        "L1\n2\nE1\n4\nL2\n7\nL1\n9\nL1\n",              /* leaves without enter */
        "E1\n2\nE1\n4\nE2\n5\nE1\n9\nL1\nc\nL1\n",       /* recursion, and what is never left */
        "E1\n2\nE2\n4\nL0\n7\nE3\n9\nL2\na\nL0\nc\nE1\n" /* leaves of whatever is the innermost */
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *folder = harness_folder();
        const char *definitions = "DTRf4240\nDP1NM\"one\"\nDF1G0NM\"f\"\nDF2G0NM\"g\"\nDF3G0NM\"h\"\n";
        const char *events = harness_text("1\n*1\n%s", texts[i]);
        const char *path = harness_text("%s/t.otf", folder);
        harness_write(path, "1:1\n", 4);
        harness_write(harness_text("%s/t.0.def", folder), definitions, strlen(definitions));
        harness_write(harness_text("%s/t.1.events", folder), events, strlen(events));
        assert_true(assert_agrees(path) > 0);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_events_of_both_formats_give_the_calls_of_the_profile),
            cmocka_unit_test(test_events_with_damaged_nesting_give_the_calls_of_the_profile))
