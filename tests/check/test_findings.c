/* test_findings.c: findings as JSON and text. */
#include "trace/fake.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define ENTER(t, r)                                                                                            \
    { .time = (t), .kind = QUIPU_KIND_enter, .object = (r) }
#define LEAVE(t, r)                                                                                            \
    { .time = (t), .kind = QUIPU_KIND_leave, .object = (r), .byte_offset = 77 }

/* What checking one stream of events finds. */
struct found {
    enum quipu_verdict verdict;
    size_t count;
    char rules[256]; /* identifiers, each followed by a space */
    char first[256]; /* text of the first finding */
};

static enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    char **text = context;
    *text = harness_text("%s%.*s", *text ? *text : "", (int)size, (const char *)data);
    return QUIPU_OK;
}

static void test_findings_as_json_and_text(void **state) {
    (void)state;
    static const struct quipu_event rows[] = {LEAVE(1, 2)};
    static const struct fake_stream streams[] = {{rows, COUNT(rows), 1}};
    static const struct fake_trace trace = {streams, 1, 2, 3, 1, 0};
    struct quipu_reader *reader = fake_reader(&trace);
    struct quipu_check_result result;
    char *json = NULL, *text = NULL;
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    const struct quipu_sink to_json = {collect, &json}, to_text = {collect, &text};
    const struct quipu_check_print as_json = {.json = true}, all = {.all = true};
    assert_int_equal(quipu_check_write(&result, findings, &as_json, to_json, NULL), QUIPU_OK);
    assert_string_equal(json,
                        "{\"quipu\": {\"version\": \"0.1.0\", \"schema\": 1}, \"verdict\": \"warn\", "
                        "\"records\": 1, \"findings\": [\n"
                        "{\"rule\": \"model.leave-only\", \"severity\": \"notice\", \"file\": \"memory\", "
                        "\"byte\": 77, \"line\": null, \"record\": null, \"type\": \"leave\", \"field\": "
                        "\"region\", \"found\": \"region 2 at rank 0\", \"expected\": \"\", \"text\": \"leave "
                        "without enter\", \"consequence\": false}], \"totals\": [\n"
                        "{\"rule\": \"model.leave-only\", \"severity\": \"notice\", \"count\": 1, "
                        "\"text\": \"leave without enter\", \"advice\": \"the beginning of the trace may be "
                        "missing\"}]}\n");
    assert_int_equal(quipu_check_write(&result, findings, &all, to_text, NULL), QUIPU_OK);
    assert_non_null(
        strstr(text, "notice: memory: byte 77, leave.region: leave of region 2 at rank 0 without enter ["));
    assert_non_null(strstr(text, "\nwarn: 1 record, 1 finding\n"));
    quipu_reader_close(reader);
}

QUIPU_TESTS(cmocka_unit_test(test_findings_as_json_and_text))
