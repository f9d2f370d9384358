/* test_sort.c: what changes when a stream is sorted: each region OU[ … OU] with the events before it, back to the first that is
 * earlier than all of the region. An event without payload takes 12 bytes, the header 8. */
#include "traces.h"

#include "formats/ovni/sort.h"

struct sorted {
    enum quipu_status status;
    bool changes, is_whole; /* the whole file was sorted by the definition */
    uint64_t events, regions, empty_regions, jumps_back;
    size_t ranges;
    struct quipu__ovni_range first;
    const char *text; /* of the stream afterwards */
};

/* Sorts the ranges of a stream one by one, as ovnisort does. */
static void apply(struct quipu__ovni_sorter *sorter, const struct quipu__ovni_sorted *found, uint8_t *bytes) {
    for (size_t i = 0; i < found->ranges.count; i++) {
        const struct quipu__ovni_range *range = &found->ranges.items[i];
        uint64_t to = range->to;
        size_t before;
        for (; quipu__ovni_goes_on(&found->ranges.items[i]); i++)
            to = found->ranges.items[i + 1].to;
        assert_int_equal(
            quipu__ovni_sort_bytes(sorter, bytes + range->from, (size_t)(to - range->from), 0, &before, NULL),
            QUIPU_OK);
    }
}

static struct sorted sort_stream(const char *events, uint64_t look_back) {
    const char *path = MADE_TRACE({.tid = 11, .events = events});
    const char *stream = made_file(path, 11);
    struct quipu__memory memory;
    struct quipu__files pool;
    struct quipu__ovni_files files;
    struct quipu__ovni_sorted found;
    struct quipu_findings *findings;
    size_t size;
    quipu__memory_init(&memory, NULL, 0);
    quipu__files_init(&pool, &memory, 0);
    assert_int_equal(quipu__findings_new(&memory, &findings, NULL), QUIPU_OK);
    assert_int_equal(quipu__ovni_files_open_folder(&files, &memory, &pool, findings, path, NULL), QUIPU_OK);
    struct sorted sorted = {
        .status = quipu__ovni_sort(&files, &files.streams.items[0], look_back, &found, NULL), .text = ""};
    if (sorted.status == QUIPU_OK) {
        struct quipu__ovni_sorter sorter = {.memory = &memory};
        char *bytes = harness_read(stream, &size);
        sorted.changes = found.changes;
        sorted.is_whole = found.bytes != NULL;
        sorted.events = found.events;
        sorted.regions = found.regions;
        sorted.empty_regions = found.empty_regions;
        sorted.jumps_back = found.jumps_back;
        sorted.ranges = found.ranges.count;
        if (found.ranges.count > 0)
            sorted.first = found.ranges.items[0];
        if (found.bytes)
            memcpy(bytes, found.bytes, found.size);
        else
            apply(&sorter, &found, (uint8_t *)bytes);
        harness_write(stream, bytes, size);
        sorted.text = text_of_stream(stream);
        quipu__ovni_sorter_release(&sorter);
        quipu__ovni_sorted_release(&files, &found);
    }
    quipu__ovni_files_close(&files);
    quipu__findings_free(findings);
    quipu__files_release(&pool);
    assert_int_equal(memory.used, 0);
    return sorted;
}

/* 20 is less than 25, 10 is less than 20: events from 25 to the region's end are sorted, OU[ among them. */
static void test_sort_a_region_goes_where_its_clocks_belong(void **state) {
    (void)state;
    const struct sorted sorted =
        sort_stream("10 OB.; 25 OB.; 50 OU[; 20 KCO; 30 KCI; 60 OU]; 70 OB.", QUIPU__OVNI_LOOK_BACK);
    assert_int_equal(sorted.status, QUIPU_OK);
    assert_true(sorted.changes);
    assert_false(sorted.is_whole);
    assert_int_equal(sorted.events, 7);
    assert_int_equal(sorted.regions, 1);
    assert_int_equal(sorted.empty_regions, 0);
    assert_int_equal(sorted.jumps_back, 1); /* from 50 to 20 */
    assert_int_equal(sorted.ranges, 1);
    assert_int_equal(sorted.first.to, 8 + 5 * 12);
    assert_true(sorted.first.from <= 8 + 12);
    assert_string_equal(sorted.text, "10 OB.; 20 KCO; 25 OB.; 30 KCI; 50 OU[; 60 OU]; 70 OB.");
}

static void test_sort_equal_clocks_stay_in_their_order(void **state) {
    (void)state;
    const struct sorted sorted =
        sort_stream("5 OBa; 20 OBb; 20 OU[; 20 KCO; 10 KCI; 20 OU]", QUIPU__OVNI_LOOK_BACK);
    assert_string_equal(sorted.text, "5 OBa; 10 KCI; 20 OBb; 20 OU[; 20 KCO; 20 OU]");
}

/* The second region reaches back behind the first one: what both cover comes into one order. */
static void test_sort_regions_that_overlap(void **state) {
    (void)state;
    const struct sorted sorted =
        sort_stream("10 OB.; 30 OU[; 20 KCO; 31 OU]; 40 OU[; 15 KCI; 41 OU]; 50 OB.", QUIPU__OVNI_LOOK_BACK);
    assert_int_equal(sorted.regions, 2);
    assert_string_equal(sorted.text, "10 OB.; 15 KCI; 20 KCO; 30 OU[; 31 OU]; 40 OU[; 41 OU]; 50 OB.");
}

static void test_sort_nothing_changes_where_regions_are_in_order_or_empty(void **state) {
    (void)state;
    struct sorted sorted =
        sort_stream("10 OB.; 20 OU[; 20 OU]; 30 OU[; 30 KCO; 31 KCI; 32 OU]; 40 OU]", QUIPU__OVNI_LOOK_BACK);
    assert_false(sorted.changes);
    assert_int_equal(sorted.ranges, 0);
    assert_int_equal(sorted.empty_regions, 1);
    assert_int_equal(sorted.regions, 1);
    /* A region without end is left alone. */
    sorted = sort_stream("10 OB.; 20 OU[; 5 KCO; 6 KCI", QUIPU__OVNI_LOOK_BACK);
    assert_false(sorted.changes);
    assert_string_equal(sorted.text, "10 OB.; 20 OU[; 5 KCO; 6 KCI");
}

/* Disorder outside of regions stays; and a region's events go back to the nearest that is earlier, here the 7. */
static void test_sort_by_definition_where_other_events_are_out_of_order(void **state) {
    (void)state;
    const struct sorted sorted =
        sort_stream("10 OBa; 7 OBb; 20 OBc; 30 OU[; 8 KCO; 31 OU]; 5 OBd", QUIPU__OVNI_LOOK_BACK);
    assert_true(sorted.is_whole);
    assert_true(sorted.changes);
    assert_int_equal(sorted.jumps_back, 3);
    assert_string_equal(sorted.text, "10 OBa; 7 OBb; 8 KCO; 20 OBc; 30 OU[; 31 OU]; 5 OBd");
}

/* The region goes back 4 events at most, of which the last one must be earlier; then there is none. */
static void test_sort_events_out_of_reach(void **state) {
    const char *events = "1 OBa; 10 OBb; 20 OBc; 30 OBd; 40 OU[; 5 KCO; 41 OU]";
    (void)state;
    assert_int_equal(sort_stream(events, 5).status, QUIPU_LIMIT);
    assert_int_equal(sort_stream(events, 7).status, QUIPU_OK);
    /* Without one that is earlier, and fewer events before, all are sorted. */
    assert_string_equal(sort_stream("10 OBb; 40 OU[; 5 KCO; 41 OU]", 100).text,
                        "5 KCO; 10 OBb; 40 OU[; 41 OU]");
}

QUIPU_TESTS(cmocka_unit_test(test_sort_a_region_goes_where_its_clocks_belong),
            cmocka_unit_test(test_sort_equal_clocks_stay_in_their_order),
            cmocka_unit_test(test_sort_regions_that_overlap),
            cmocka_unit_test(test_sort_nothing_changes_where_regions_are_in_order_or_empty),
            cmocka_unit_test(test_sort_by_definition_where_other_events_are_out_of_order),
            cmocka_unit_test(test_sort_events_out_of_reach))
