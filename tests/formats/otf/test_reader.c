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

/* ---- Events ---- */

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

/* ---- Ways to open a trace ---- */

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

QUIPU_TESTS(cmocka_unit_test(test_reader_selection_by_time_gives_exactly_that_interval),
            cmocka_unit_test(test_reader_golden_traces_hold_what_the_library_delivers),
            cmocka_unit_test(test_reader_intact_golden_traces_are_accepted),
            cmocka_unit_test(test_reader_allocates_nothing_per_event))
