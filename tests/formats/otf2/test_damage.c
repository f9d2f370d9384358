/* test_damage.c: each file of a small trace cut at every byte, and each byte changed: reading ends, damage is found, and libotf2 says nothing. */
#include "harness.h"

#include <sys/stat.h>

/* What libotf2 does not give back when it cannot open a damaged file is its own, where leaks are looked for. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libopen-trace-format2";
}

static const char *const files[] = {"traces.otf2",  "traces.def",   "traces.marker", "traces/0.evt",
                                    "traces/0.def", "traces/2.evt", "traces/2.def"};
enum { FILE_COUNT = sizeof files / sizeof *files };

struct outcome {
    enum quipu_status opened;
    uint64_t records, events, findings;
};

static struct outcome read_trace(const char *path) {
    struct outcome out = {QUIPU_OK, 0, 0, 0};
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_reader *reader;
    struct quipu_record record;
    struct quipu_event event;
    enum quipu_status status;
    out.opened = quipu_reader_open(path, NULL, &reader, &err);
    if (out.opened != QUIPU_OK)
        return out;
    while ((status = quipu_reader_next_record(reader, &record, &err)) == QUIPU_OK)
        out.records++;
    assert_int_equal(QUIPU_END, status);
    quipu_reader_rewind(reader);
    while ((status = quipu_reader_next(reader, &event, &err)) == QUIPU_OK)
        out.events++;
    assert_int_equal(QUIPU_END, status);
    out.findings = quipu_findings_total(quipu_reader_findings(reader), QUIPU_DATA_LOSS) +
                   quipu_findings_total(quipu_reader_findings(reader), QUIPU_ERROR_FINDING);
    quipu_reader_close(reader);
    return out;
}

/* A copy of the trace; skips the test where OTF2 is not read. */
static const char *copy_trace(void) {
    const char *folder = harness_folder();
    static const char *const all[] = {"traces.otf2",  "traces.def",   "traces.marker", "traces/0.evt",
                                      "traces/0.def", "traces/1.evt", "traces/1.def",  "traces/2.evt",
                                      "traces/2.def", "traces/3.evt", "traces/3.def"};
    char *made = harness_text("%s/traces/", folder);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t size;
        const char *data = harness_read(harness_data(harness_text("otf2/every/%s", all[i])), &size);
        if (i == 3)
            assert_int_equal(0, mkdir(made, 0700));
        harness_write(harness_text("%s/%s", folder, all[i]), data, size);
    }
    if (read_trace(folder).opened != QUIPU_OK)
        skip();
    return folder;
}

static void test_damage_files_cut_anywhere_are_found(void **state) {
    const char *trace = copy_trace();
    (void)state;
    for (size_t i = 1; i < FILE_COUNT; i++) { /* without an anchor there is no trace */
        const char *path = harness_text("%s/%s", trace, files[i]);
        size_t size;
        const char *data = harness_read(path, &size);
        for (size_t cut = 0; cut < size; cut += HARNESS_EVERY) {
            harness_write(path, data, cut);
            const struct outcome out = read_trace(trace);
            assert_int_equal(QUIPU_OK, out.opened);
            assert_true(out.findings > 0);
        }
        harness_write(path, data, size);
    }
}

static void test_damage_bytes_of_any_value_end_in_an_answer(void **state) {
    const char *trace = copy_trace();
    const struct outcome whole = read_trace(trace);
    (void)state;
    assert_int_equal(0, whole.findings);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        const char *path = harness_text("%s/%s", trace, files[i]);
        size_t size;
        char *data = harness_read(path, &size);
        for (size_t byte = 0; byte < size; byte += HARNESS_EVERY) {
            static const uint8_t changes[] = {0xff, 7};
            const uint8_t change = changes[byte % 2];
            data[byte] = (char)(data[byte] ^ change);
            harness_write(path, data, size);
            assert_true(read_trace(trace).records <= whole.records + size);
            data[byte] = (char)(data[byte] ^ change);
        }
        harness_write(path, data, size);
    }
}

QUIPU_TESTS(cmocka_unit_test(test_damage_files_cut_anywhere_are_found),
            cmocka_unit_test(test_damage_bytes_of_any_value_end_in_an_answer))
