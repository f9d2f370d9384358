/* test_files.c: files that are compressed, missing or empty. */
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

/* What OTF's writer makes of a trace without processes is a notice; that its reader does not open it is said. */
static void test_files_of_an_empty_trace_are_told_from_lost_streams(void **state) {
    (void)state;
    const char *folder = harness_folder(), *path = harness_text("%s/t.otf", folder);
    harness_write(path, "", 0);
    harness_write(harness_text("%s/t.0.def", folder), "DTR1\n", 5);
    struct quipu_reader *reader = open_trace(path);
    struct quipu_check_result result;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    assert_int_equal(result.verdict, QUIPU_VERDICT_WARN);
    const struct quipu_finding *finding = find_rule(reader, "otf.no-streams");
    assert_non_null(finding);
    assert_non_null(strstr(finding->rule->text, "OTF's library does not open it"));
    assert_null(find_rule(reader, "otf.lost-streams"));
    quipu_reader_close(reader);
}

/* The text as one zlib stream; finish as OTF's library does not, or in gzip's wrapping. */
static size_t deflate_text(const char *text, int finish, int window, uint8_t *out, size_t size) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = out;
    z.avail_out = (uInt)size;
    deflate(&z, finish ? Z_FINISH : Z_FULL_FLUSH);
    deflateEnd(&z);
    return size - z.avail_out;
}

static void test_files_compressed_may_end_in_any_way(void **state) {
    static const struct { int finish, window; } modes[] = {{0, 15}, {1, 15}, {1, 15 + 16}, {0, 15 + 16}};
    static const struct damage none = {"", 0, "t.1.events", NULL, 0, 0};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        uint8_t packed[500];
        unsigned counts[2];
        const char *master = make_trace(&none);
        const size_t size =
            deflate_text(files[2].contents, modes[i].finish, modes[i].window, packed, sizeof packed);
        harness_write(harness_text("%.*s.1.events.z", (int)strlen(master) - 4, master), packed, size);
        struct quipu_reader *reader = open_trace(master);
        count_events(reader, counts);
        assert_int_equal(counts[0], 2);
        assert_int_equal(quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS), 0);
        quipu_reader_close(reader);
    }
}

static void test_files_with_garbage_under_a_compressed_name(void **state) {
    static const struct damage none = {"", 0, "t.1.events", NULL, 0, 0};
    (void)state;
    const char *master = make_trace(&none);
    unsigned counts[2];
    harness_write(harness_text("%.*s.1.events.z", (int)strlen(master) - 4, master), "no zlib stream", 14);
    struct quipu_reader *reader = open_trace(master);
    count_events(reader, counts);
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 2);
    assert_non_null(find_rule(reader, "otf.broken-compression"));
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_files_of_an_empty_trace_are_told_from_lost_streams),
            cmocka_unit_test(test_files_compressed_may_end_in_any_way),
            cmocka_unit_test(test_files_with_garbage_under_a_compressed_name))
