/* Reading OTF traces: definitions, events, ways to open one, and what the golden traces hold. */
#include "harness.h"

#include <dirent.h>

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    assert_string_equal(quipu_reader_format(reader)->name, "otf");
    return reader;
}

static const struct quipu_value *attribute(const struct quipu_event *event, uint32_t key) {
    for (uint32_t i = 0; i < event->attribute_count; i++)
        if (event->attributes[i].value.key == key)
            return &event->attributes[i].value;
    return NULL;
}

/* ---- Definitions ---- */

static void test_reader_definitions_are_those_of_the_files(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    assert_int_equal(d->clock.ticks_per_second, 1000000);
    assert_string_equal(quipu_reader_variant(reader), "1.12.5");
    assert_int_equal(d->locations.count, 3);
    assert_string_equal(d->locations.items[1].name, "Thread 0:1");
    assert_int_equal(d->locations.items[1].kind, QUIPU_LOCATION_THREAD);
    assert_int_equal(d->locations.items[1].parent, 0);
    assert_int_equal(d->locations.items[2].rank, 1);
    assert_int_equal(d->locations.items[2].native_id, 3);
    assert_int_equal(d->regions.count, 5);
    assert_string_equal(d->regions.items[1].group, "MPI");
    assert_int_equal(d->regions.items[0].role, QUIPU_REGION_FUNCTION);
    assert_int_equal(d->regions.items[1].role, QUIPU_REGION_MPI_P2P);
    assert_int_equal(d->regions.items[3].role, QUIPU_REGION_MPI_COLLECTIVE);
    assert_int_equal(d->regions.items[0].source, 0);
    assert_string_equal(d->sources.items[0].file, "src/main.c");
    assert_int_equal(d->sources.items[0].line, 42);
    assert_int_equal(d->groups.count, 1);
    assert_true(d->groups.items[0].is_communicator);
    assert_int_equal(d->groups.items[0].member_count, 2);
    assert_int_equal(d->groups.items[0].members[1], 2);
    assert_string_equal(d->files.items[0].group, "scratch");
    assert_int_equal(d->metrics.items[0].mode, QUIPU_METRIC_ACCUMULATED);
    assert_int_equal(d->metrics.items[1].value, QUIPU_METRIC_F64);
    assert_int_equal(d->metrics.items[1].mode, QUIPU_METRIC_NEXT);
    assert_int_equal(d->metrics.items[3].value, QUIPU_METRIC_I64);
    assert_int_equal(d->markers.items[0].severity, 3);
    assert_int_equal(d->attribute_keys.items[1].type, QUIPU_VALUE_BYTES);
    quipu_reader_close(reader);
}

/* ---- Events ---- */

/* Reads on until the event of that kind and location; the trace must have it. */
static struct quipu_event find_event(struct quipu_reader *reader, enum quipu_kind kind, uint32_t location) {
    struct quipu_event event;
    do
        assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    while (event.kind != kind || event.location != location);
    return event;
}

static void test_reader_events_come_in_time_order_with_their_values(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    const struct quipu_definitions *d = quipu_reader_definitions(reader);
    double load;
    struct quipu_event event = find_event(reader, QUIPU_KIND_enter, 0);
    assert_int_equal(event.time, 1);
    assert_int_equal(event.byte_offset, 13);
    assert_int_equal(attribute(&event, QUIPU_KEY_SOURCE)->u, 0);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    assert_int_equal(event.value, 16);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    memcpy(&load, &event.value, sizeof load);
    assert_true(load == 0.5);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    memcpy(&load, &event.value, sizeof load);
    assert_true(load == 300.25);
    event = find_event(reader, QUIPU_KIND_metric, 0);
    assert_int_equal((int64_t)event.value, -5);
    event = find_event(reader, QUIPU_KIND_enter, 0);
    assert_int_equal(event.attribute_count, 2);
    assert_string_equal(quipu_key_name(d, event.attributes[1].value.key), "blob");
    assert_int_equal(event.attributes[1].value.size, 3);
    assert_memory_equal(event.attributes[1].value.data, "\x01\x02\xff", 3);
    event = find_event(reader, QUIPU_KIND_send, 0);
    assert_int_equal(event.peer, 2);
    assert_int_equal(event.bytes, 0x400);
    assert_int_equal(event.tag, 7);
    event = find_event(reader, QUIPU_KIND_collective_end, 2);
    assert_int_equal(event.time, 10);
    assert_int_equal(event.operation, QUIPU_COLLECTIVE_BARRIER);
    assert_string_equal(d->regions.items[event.object].name, "MPI_Barrier");
    assert_int_equal(event.value, 0x20);
    event = find_event(reader, QUIPU_KIND_io_end, 0);
    assert_int_equal(event.operation, QUIPU_IO_READ);
    assert_int_equal(event.bytes, 0x1000);
    event = find_event(reader, QUIPU_KIND_collective_end, 0);
    assert_int_equal(event.time, 15); /* record at 11, duration 4 */
    event = find_event(reader, QUIPU_KIND_summary, 0);
    assert_int_equal(event.operation, QUIPU_STATISTIC_CALLS);
    quipu_reader_close(reader);
}

static void test_reader_markers_are_sorted_by_time(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    struct quipu_event event = find_event(reader, QUIPU_KIND_marker, 2);
    assert_int_equal(event.time, 2);
    assert_memory_equal(attribute(&event, QUIPU_KEY_TEXT)->data, "first", 5);
    event = find_event(reader, QUIPU_KIND_marker, 0);
    assert_int_equal(event.time, 9);
    quipu_reader_close(reader);
}

static uint64_t count_records(struct quipu_reader *reader) {
    struct quipu_record record;
    uint64_t count = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        count++;
    return count;
}

static uint64_t count_events(struct quipu_reader *reader) {
    const struct quipu_batch *batch;
    uint64_t count = 0;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        count += batch->count;
    return count;
}

/* The fast decoder and the complete one must agree: the same trace in long form, with blanks and with source locations
 * gives the same events. */
static void test_reader_usual_and_odd_spellings_give_the_same_events(void **state) {
    static const char *const spellings[2] = {
        "5\n*1\nE1\n*2\nE2\n6\n*1\nS2L400T7C2001\n*2\nR1L400T7C2001\n9\n*1\nL1\n*2\nL\n9\n*2\n",
        " 05 \n* 1\n E1\n*02\nENTER 2\n6 \n*1\nSEND 2 LEN 400 TAG 7 COMM 2001\n*2\nR1L400T7C2001 "
        "x\n9\n*1\nL1\n *2\nLEAVE \n",
    };
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *folder = harness_folder();
        harness_write(harness_text("%s/t.otf", folder), "1:1,2\n", 6);
        harness_write(harness_text("%s/t.1.events", folder), spellings[i], strlen(spellings[i]));
        struct quipu_reader *reader = open_trace(folder);
        static const struct quipu_event expected[] = {{.time = 5, .kind = QUIPU_KIND_enter, .location = 0},
                                                      {.time = 5, .kind = QUIPU_KIND_enter, .location = 1},
                                                      {.time = 6, .kind = QUIPU_KIND_send, .location = 0},
                                                      {.time = 6, .kind = QUIPU_KIND_recv, .location = 1},
                                                      {.time = 9, .kind = QUIPU_KIND_leave, .location = 0},
                                                      {.time = 9, .kind = QUIPU_KIND_leave, .location = 1}};
        struct quipu_event event;
        size_t n = 0;
        while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK) {
            if (n == 3 && i == 1)
                n++; /* the blank and x behind the receive make it a bad line */
            assert_int_equal(event.time, expected[n].time);
            assert_int_equal(event.kind, expected[n].kind);
            assert_int_equal(event.location, expected[n].location);
            n++;
        }
        assert_int_equal(n, 6);
        quipu_reader_close(reader);
    }
}

/* ---- Ways to open a trace ---- */

static void test_reader_opens_master_folder_and_part(void **state) {
    (void)state;
    static const char *const names[] = {"otf/small.otf", "otf/small.1.events", "otf/small.0.def", "otf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct quipu_reader *reader = open_trace(harness_data(names[i]));
        assert_int_equal(quipu_reader_stream_count(reader), 7);
        assert_int_equal(count_records(reader), 70);
        quipu_reader_close(reader);
    }
}

static void test_reader_opens_the_name_stub_when_told_the_format(void **state) {
    (void)state;
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const char *path = harness_data("otf/small.otf");
    options.format = "otf";
    assert_int_equal(
        quipu_reader_open(harness_text("%.*s", (int)strlen(path) - 4, path), &options, &reader, NULL),
        QUIPU_OK);
    assert_int_equal(count_records(reader), 70);
    quipu_reader_close(reader);
}

static void test_reader_selection_by_time_gives_exactly_that_interval(void **state) {
    (void)state;
    struct quipu_reader *reader = open_trace(harness_data("otf/small.otf"));
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    struct quipu_event event;
    uint64_t all = 0, selected = 0;
    while (quipu_reader_next(reader, &event, NULL) == QUIPU_OK)
        all += event.time >= 4 && event.time < 11;
    selection.from = 4;
    selection.to = 11;
    assert_int_equal(quipu_reader_select(reader, &selection, NULL), QUIPU_OK);
    for (; quipu_reader_next(reader, &event, NULL) == QUIPU_OK; selected++)
        assert_true(event.time >= 4 && event.time < 11);
    assert_int_equal(selected, all);
    quipu_reader_close(reader);
}

/* ---- Golden traces ---- */

/* Calls visit for every golden trace: its folder and the path of its master file. */
static void for_each_golden(void (*visit)(const char *folder, const char *master)) {
    const char *golden = harness_shared("traces/otf");
    DIR *listing = opendir(golden);
    unsigned count = 0;
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) {
        const char *folder = harness_text("%s/%s", golden, entry->d_name);
        const char *master = harness_text("%s/%s.otf", folder, entry->d_name);
        if (!harness_exists(master))
            continue;
        visit(folder, master);
        count++;
    }
    closedir(listing);
    assert_true(count >= 40);
}

/* What OTF's library delivers, its failure on compressed files corrected. */
static const char *expected_dump(const char *folder) {
    const char *corrected = harness_text("%s/dump-correct.txt", folder);
    return harness_read(harness_exists(corrected) ? corrected : harness_text("%s/dump.txt", folder), NULL);
}

static uint64_t count_lines_of(const char *dump, const char *type) {
    uint64_t count = 0;
    const size_t len = strlen(type);
    for (const char *line = dump; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        count += strncmp(line, type, len) == 0 && line[len] == ' ';
    return count;
}

/* A trace that OTF's library cannot read to its end says nothing about what is in it. */
static void compare_counts(const char *folder, const char *master) {
    if (!harness_exists(harness_text("%s/dump.txt", folder)))
        return;
    const char *dump = expected_dump(folder);
    if (strstr(dump, "OTF_READ_ERROR") || strstr(dump, "= open: NULL"))
        return;
    struct quipu_reader *reader = open_trace(master);
    const struct quipu_schema *schema = quipu_reader_format(reader)->schema;
    count_records(reader);
    for (uint32_t i = 0; i < schema->type_count; i++)
        if (strncmp(schema->types[i].name, "Master", 6) != 0 &&
            quipu_reader_records_of(reader, i) != count_lines_of(dump, schema->types[i].name))
            fail_msg("%s: %s", master, schema->types[i].name);
    quipu_reader_close(reader);
}

/* needs: shared */
static void test_reader_golden_traces_hold_what_the_library_delivers(void **state) {
    (void)state;
    for_each_golden(compare_counts);
}

static void assert_no_trouble(const char *folder, const char *master) {
    char text[400];
    const char *dump = harness_exists(harness_text("%s/dump.txt", folder)) ? expected_dump(folder) : "";
    if (strstr(dump, "OTF_READ_ERROR"))
        return;
    struct quipu_reader *reader = open_trace(master);
    count_events(reader);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        if (quipu_findings_at(findings, i)->rule->severity > QUIPU_NOTICE)
            fail_msg("%s", quipu_finding_text(quipu_findings_at(findings, i), text, sizeof text));
    quipu_reader_close(reader);
}

/* needs: shared */
static void test_reader_intact_golden_traces_are_accepted(void **state) {
    (void)state;
    for_each_golden(assert_no_trouble);
}

/* ---- Memory ---- */

struct counted {
    uint64_t requests;
};

static void *count_request(void *context, void *block, size_t old_size, size_t size) {
    (void)old_size;
    ((struct counted *)context)->requests++;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static void test_reader_allocates_nothing_per_event(void **state) {
    (void)state;
    struct counted counted = {0};
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const struct quipu_batch *batch;
    const char *folder = harness_folder();
    const size_t size = (size_t)4 << 20;
    char *text = malloc(size);
    size_t len = 0;
    assert_non_null(text);
    for (unsigned time = 1; len < size - 100; time++)
        len += (size_t)snprintf(text + len, 100, "%x\n*%x\nK1Y5V%x\nE%x\nENTER %x SCL 9\nL1\n", time,
                                1 + time % 3, time, 1 + time % 50, 1 + time % 40);
    harness_write(harness_text("%s/t.otf", folder), "1:1,2,3\n", 8);
    harness_write(harness_text("%s/t.1.events", folder), text, len);
    free(text);
    options.allocator = (struct quipu_allocator){count_request, &counted};
    assert_int_equal(quipu_reader_open(folder, &options, &reader, NULL), QUIPU_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
    const uint64_t before = counted.requests;
    for (int i = 0; i < 50; i++)
        assert_int_equal(quipu_reader_next_batch(reader, &batch, NULL), QUIPU_OK);
    assert_int_equal(counted.requests, before);
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_reader_definitions_are_those_of_the_files),
            cmocka_unit_test(test_reader_events_come_in_time_order_with_their_values),
            cmocka_unit_test(test_reader_markers_are_sorted_by_time),
            cmocka_unit_test(test_reader_usual_and_odd_spellings_give_the_same_events),
            cmocka_unit_test(test_reader_opens_master_folder_and_part),
            cmocka_unit_test(test_reader_opens_the_name_stub_when_told_the_format),
            cmocka_unit_test(test_reader_selection_by_time_gives_exactly_that_interval),
            cmocka_unit_test(test_reader_golden_traces_hold_what_the_library_delivers),
            cmocka_unit_test(test_reader_intact_golden_traces_are_accepted),
            cmocka_unit_test(test_reader_allocates_nothing_per_event))
