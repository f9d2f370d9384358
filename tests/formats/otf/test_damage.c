/* Damaged OTF traces: each damage is found by its rule, and what is intact is delivered. */
#include "harness.h"

#include <zlib.h>

/* A trace of two streams; a case replaces one of its files (or removes it with NULL). */
struct file {
    const char *name, *contents;
};
static const struct file files[] = {
    {"t.otf", "1:1\n2:2\n"},
    {"t.0.def", "DTRf4240\nDP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\nDPG9M1,2,NM\"MPI_COMM_WORLD\"\n"},
    {"t.1.events", "5\n*1\nE1\n9\n*1\nL1\n9\n*1\n"},
    {"t.2.events", "6\n*2\nE1\n8\n*2\nL1\n8\n*2\n"},
};

struct damage {
    const char *rule;
    enum quipu_severity severity;
    const char *name, *contents;
    unsigned first, second; /* events of location "one" and "two" that come through */
};

static const struct damage damages[] = {
    {"otf.no-master", QUIPU_ERROR_FINDING, "t.otf", NULL, 2, 2},
    {"otf.lost-streams", QUIPU_ERROR_FINDING, "t.otf", "", 2, 2},
    {"otf.lost-streams", QUIPU_ERROR_FINDING, "t.otf", "# who knows\n", 2, 2},
    {"otf.bad-master-line", QUIPU_ERROR_FINDING, "t.otf", "1:1\n2:2,1\n", 2, 2},
    {"otf.bad-master-line", QUIPU_ERROR_FINDING, "t.otf", "1:1\n2:2\n0:3\n", 2, 2},
    {"otf.bad-master-line", QUIPU_ERROR_FINDING, "t.otf", "1:1\n2:2\ni1:7:1\n", 2, 2},
    {"otf.master-text", QUIPU_NOTICE, "t.otf", "1:1\n2:2 and more\n", 2, 2},
    {"otf.master-text", QUIPU_NOTICE, "t.otf", "1:1\n2:2\001\r\n", 2, 2},
    {"otf.missing-file", QUIPU_DATA_LOSS, "t.1.events", NULL, 0, 2},
    {"otf.missing-file", QUIPU_DATA_LOSS, "t.otf", "1:1\n2:2\n3:3\n", 2, 2},
    {"otf.missing-file", QUIPU_DATA_LOSS, "t.otf", "i2:1:ffffffff\n1:1\n2:2\n3:3\n", 2, 2},
    {"otf.empty-file", QUIPU_NOTICE, "t.1.events", "", 0, 2},
    {"otf.unmapped-file", QUIPU_NOTICE, "t.otf", "1:1\n", 2, 0},
    {"otf.wrong-stream", QUIPU_ERROR_FINDING, "t.otf", "1:2\n2:1\n", 2, 2},
    {"otf.wrong-stream", QUIPU_ERROR_FINDING, "t.otf", "1:1\n2:7\n", 2, 2},
    {"otf.wrong-stream", QUIPU_ERROR_FINDING, "t.1.events", "5\n*1\nE1\nS2L0T0C0\n9\n*1\nL1\n9\n*2\nL1\n", 3,
     3},
    {"otf.bad-line", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\nE1\nS1L2\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.bad-line", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\nE1\nK1Y5\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.open-text", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\n#\"a2\n5\n*1\nE1\n9\n*1\nL1\n#\"b\"\n9\n*1\n", 3,
     2},
    {"otf.open-text", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\n#\"a2\n#\"b\"\nE1\n9\n*1\nL1\n9\n*1\n", 3, 2},
    {"otf.open-text", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\nE1\n#\"a2\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.open-text", QUIPU_DATA_LOSS, "t.0.def",
     "DTRf4240\nDP1NM\"one\"\nDP2NM\"two\"\nDFG1NM\"g2\nDF1G0NM\"main\"\n", 2, 2},
    {"otf.rest-of-line", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1X7zz\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.rest-of-line", QUIPU_NOTICE, "t.0.def",
     "DTR1\nDCRby\"hand\"\nDP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\n", 2, 2},
    {"otf.unknown-line", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1\nwhat?\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.unfinished-line", QUIPU_DATA_LOSS, "t.1.events", "5\n*1\nE1\n9\n*1\nL1\n9\n*", 2, 2},
    {"otf.empty-line", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1\n\n9\n*1\nL1\n9\n*1\n", 2, 2},
    {"otf.no-state", QUIPU_DATA_LOSS, "t.1.events", "E1\n5\n*1\nE1\n9\n*1\nL1\n", 2, 2},
    {"otf.no-state", QUIPU_DATA_LOSS, "t.1.events", "5\nE1\n*1\nE1\n9\n*1\nL1\n", 2, 2},
    {"otf.unsorted", QUIPU_ERROR_FINDING, "t.1.events", "5\n*1\nE1\n3\n*1\nL1\n", 2, 2},
    {"otf.back-to-zero", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1\n0\n*1\nL1\n", 2, 2},
    {"otf.time-range", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1\nffffffff00000000\n*1\nL1\n", 2, 2},
    {"otf.stray-value", QUIPU_NOTICE, "t.1.events", "5\n*1\nE1\n9\n*1\nL1\nK1Y5V1\n", 2, 2},
    {"otf.value-again", QUIPU_NOTICE, "t.1.events", "5\n*1\nK1Y5V1\nK1Y5V2\nE1\n9\n*1\nL1\n", 2, 2},
    {"otf.no-resolution", QUIPU_NOTICE, "t.0.def", "DP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\n", 2, 2},
    {"otf.redefined", QUIPU_NOTICE, "t.0.def",
     "DTR1\nDP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\nDF1G0NM\"other\"\n", 2, 2},
    {"otf.undefined", QUIPU_NOTICE, "t.1.events", "5\n*1\nE7\n9\n*1\nL7\n", 2, 2},
    {"otf.undefined", QUIPU_NOTICE, "t.0.def", "DTR1\nDP1NM\"one\"\nDP2NM\"two\"PT9\nDF1G0NM\"main\"\n", 2, 2},
    {"otf.token-zero", QUIPU_NOTICE, "t.0.def", "DTR1\nDP0\nDP1NM\"one\"\nDP2NM\"two\"\nDF1G0NM\"main\"\n", 2,
     2},
};

static const char *make_trace(const struct damage *damage) {
    const char *folder = harness_folder();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const bool is_it = strcmp(files[i].name, damage->name) == 0;
        const char *contents = is_it ? damage->contents : files[i].contents;
        if (contents)
            harness_write(harness_text("%s/%s", folder, files[i].name), contents, strlen(contents));
    }
    return harness_text("%s/%s", folder,
                        damage->contents || strcmp(damage->name, "t.otf") != 0 ? "t.otf" : "t.1.events");
}

static struct quipu_reader *open_trace(const char *path) {
    struct quipu_reader *reader;
    struct quipu_error err = QUIPU_ERROR_INIT;
    char text[600];
    if (quipu_reader_open(path, NULL, &reader, &err) != QUIPU_OK)
        fail_msg("%s", quipu_error_text(&err, text, sizeof text));
    return reader;
}

/* Reads all events; counts those of the locations "one" and "two". */
static void count_events(struct quipu_reader *reader, unsigned counts[2]) {
    const struct quipu_batch *batch;
    counts[0] = counts[1] = 0;
    while (quipu_reader_next_batch(reader, &batch, NULL) == QUIPU_OK)
        for (uint32_t i = 0; i < batch->count; i++) {
            const uint64_t process =
                quipu_reader_definitions(reader)->locations.items[batch->location[i]].native_id;
            counts[0] += process == 1;
            counts[1] += process == 2;
        }
}

static const struct quipu_finding *find_rule(struct quipu_reader *reader, const char *rule) {
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        if (strcmp(quipu_findings_at(findings, i)->rule->id, rule) == 0)
            return quipu_findings_at(findings, i);
    return NULL;
}

static void test_damage_is_found_and_costs_only_itself(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *damage = &damages[i];
        struct quipu_reader *reader = open_trace(make_trace(damage));
        struct quipu_check_result result;
        unsigned counts[2];
        count_events(reader, counts);
        if (counts[0] != damage->first || counts[1] != damage->second)
            fail_msg("case %zu, %s: %u and %u events", i, damage->rule, counts[0], counts[1]);
        quipu_reader_rewind(reader);
        assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
        const struct quipu_finding *finding = find_rule(reader, damage->rule);
        if (!finding)
            fail_msg("case %zu: %s is not found", i, damage->rule);
        assert_int_equal(finding->rule->severity, damage->severity);
        if (result.verdict == QUIPU_VERDICT_OK ||
            (damage->severity > QUIPU_NOTICE && result.verdict != QUIPU_VERDICT_REJECT))
            fail_msg("case %zu, %s: verdict %d", i, damage->rule, result.verdict);
        quipu_reader_close(reader);
    }
}

/* Opens the first trace with this text as events of stream 1. */
static struct quipu_reader *open_with_events(const char *events) {
    const struct damage other = {.name = "t.1.events", .contents = events};
    return open_trace(make_trace(&other));
}

/* A line that breaks off takes the key-values of its record with it: that is one damage. So are key-values at the end, which every
 * reading of the file comes upon. */
static void test_damage_at_the_end_is_one_finding(void **state) {
    (void)state;
    static const struct {
        const char *events, *rule;
    } ends[] = {{"5\n*1\nE1\n9\n*1\nL1\nK1Y5V1\nS2L", "otf.unfinished-line"},
                {"5\n*1\nE1\n9\n*1\nL1\nK1Y5V1\n", "otf.stray-value"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct quipu_reader *reader = open_with_events(ends[i].events);
        struct quipu_check_result result;
        assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
        const struct quipu_findings *findings = quipu_reader_findings(reader);
        for (size_t k = 0; k < quipu_findings_count(findings); k++)
            if (strncmp(quipu_findings_at(findings, k)->rule->id, "otf.", 4) == 0)
                assert_string_equal(quipu_findings_at(findings, k)->rule->id, ends[i].rule);
        assert_int_equal(quipu_findings_total_of(findings, find_rule(reader, ends[i].rule)->rule), 1);
        quipu_reader_close(reader);
    }
}

/* Lines of digits, prose that begins as records do, and records that no writer spells so. */
static void test_damage_texts_of_several_lines_are_texts(void **state) {
    (void)state;
    static const char comment[] = "steps:\n1\nadd\n*1\nEnter\nNote: L1 \nE1 to E5\nE001\nSEND 1 or 2\nN.";
    struct quipu_reader *reader =
        open_with_events(harness_text("5\n*1\nE1\n#\"%s\"\n9\n*1\nL1\n9\n*1\n", comment));
    struct quipu_record record;
    size_t found = 0;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        if (strcmp(record.type->name, "EventComment") == 0) {
            assert_string_equal(*(const char *const *)record.data, comment);
            found++;
        }
    assert_int_equal(found, 1);
    assert_int_equal(quipu_findings_count(quipu_reader_findings(reader)), 0);
    quipu_reader_close(reader);
}

/* More keys in front of a record than are looked at one by one; one of the first and one of the last come again. */
static void test_damage_keys_again_are_found_among_many(void **state) {
    (void)state;
    enum { KEYS = 100 };
    char events[KEYS * 16] = "5\n*1\n";
    size_t len = strlen(events);
    for (unsigned i = 0; i < KEYS; i++)
        len += (size_t)snprintf(events + len, sizeof events - len, "K%xY5V1\n", i + 1);
    snprintf(events + len, sizeof events - len, "K2Y5V2\nK63Y5V2\nE1\n9\n*1\nL1\n");
    struct quipu_reader *reader = open_with_events(events);
    struct quipu_event event;
    assert_int_equal(quipu_reader_next(reader, &event, NULL), QUIPU_OK);
    assert_int_equal(event.attribute_count, KEYS);
    assert_int_equal(event.attributes[0x62].value.u, 1);
    assert_int_equal(
        quipu_findings_total_of(quipu_reader_findings(reader), find_rule(reader, "otf.value-again")->rule), 2);
    quipu_reader_close(reader);
}

/* Lines without anything are one finding, whatever their number. */
static void test_damage_empty_lines_are_one_finding(void **state) {
    (void)state;
    struct quipu_reader *reader = open_with_events("5\n*1\nE1\n\n\n\n9\n*1\nL1\n");
    unsigned counts[2];
    count_events(reader, counts);
    const struct quipu_finding *finding = find_rule(reader, "otf.empty-line");
    assert_non_null(finding);
    assert_string_equal(finding->found, "3 in succession");
    assert_int_equal(finding->line, 4);
    assert_int_equal(quipu_findings_total_of(quipu_reader_findings(reader), finding->rule), 1);
    assert_int_equal(counts[0], 2);
    quipu_reader_close(reader);
}

/* A quote that was damaged in a real trace: it had swallowed 75 records without a word. */
/* needs: shared */
static void test_damage_of_a_quote_costs_one_record(void **state) {
    (void)state;
    enum { QUOTE = 5084 };
    const char *folder = harness_folder();
    uint64_t records[2];
    for (int damaged = 0; damaged < 2; damaged++) {
        static const char *const names[] = {"m01.otf", "m01.0.def", "m01.0.marker", "m01.1.events"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t size;
            char *data = harness_read(harness_shared(harness_text("traces/otf/m01/%s", names[i])), &size);
            if (damaged && strcmp(names[i], "m01.1.events") == 0) {
                assert_int_equal(data[QUOTE], '"');
                data[QUOTE] = '2';
            }
            harness_write(harness_text("%s/%s", folder, names[i]), data, size);
        }
        struct quipu_reader *reader = open_trace(harness_text("%s/m01.otf", folder));
        struct quipu_record record;
        while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
            ;
        records[damaged] = quipu_reader_records(reader);
        assert_int_equal(find_rule(reader, "otf.open-text") != NULL, damaged);
        quipu_reader_close(reader);
    }
    assert_int_equal(records[0], records[1]); /* the damaged one is there as a line that is no record */
}

static void test_damage_names_byte_line_record_and_field(void **state) {
    (void)state;
    static const struct damage bad = {"", 0, "t.1.events", "5\n*1\nE1\nS1L2T3\n9\n*1\nL1\n", 0, 0};
    struct quipu_reader *reader = open_trace(make_trace(&bad));
    struct quipu_record record;
    while (quipu_reader_next_record(reader, &record, NULL) == QUIPU_OK)
        continue;
    const struct quipu_finding *finding = find_rule(reader, "otf.bad-line");
    assert_non_null(finding);
    assert_int_equal(finding->byte, 8);
    assert_int_equal(finding->line, 4);
    assert_int_equal(finding->record, 1);
    assert_string_equal(finding->type, "SendMsg");
    assert_string_equal(finding->field, "group");
    quipu_reader_close(reader);
}

/* ---- Every byte ---- */

/* Whatever happens to one stream, the other one is delivered whole. */
static void test_damage_of_any_byte_leaves_the_other_stream_whole(void **state) {
    static const struct damage none = {"", 0, "", NULL, 0, 0};
    (void)state;
    const char *master = make_trace(&none),
               *path = harness_text("%.*s.1.events", (int)strlen(master) - 4, master);
    const size_t size = strlen(files[2].contents);
    for (size_t i = 0; i < size; i++)
        for (unsigned mode = 0; mode < 9; mode++) {
            char bytes[200];
            unsigned counts[2];
            memcpy(bytes, files[2].contents, size);
            bytes[i] ^= (char)(mode < 8 ? 1u << mode : 0);
            harness_write(path, bytes, mode < 8 ? size : i);
            struct quipu_reader *reader = open_trace(master);
            count_events(reader, counts);
            assert_true(counts[1] >= 2); /* a flipped process line may add events of process 2 */
            quipu_reader_close(reader);
        }
}

QUIPU_TESTS(cmocka_unit_test(test_damage_is_found_and_costs_only_itself),
            cmocka_unit_test(test_damage_at_the_end_is_one_finding),
            cmocka_unit_test(test_damage_texts_of_several_lines_are_texts),
            cmocka_unit_test(test_damage_keys_again_are_found_among_many),
            cmocka_unit_test(test_damage_empty_lines_are_one_finding),
            cmocka_unit_test(test_damage_of_a_quote_costs_one_record),
            cmocka_unit_test(test_damage_names_byte_line_record_and_field),
            cmocka_unit_test(test_damage_of_any_byte_leaves_the_other_stream_whole))
