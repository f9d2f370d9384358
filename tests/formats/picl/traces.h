/* traces.h: traces of PICL that tests make of texts. */
#ifndef QUIPU_TESTS_PICL_TRACES_H
#define QUIPU_TESTS_PICL_TRACES_H

#include "harness.h"

#define BEGIN "-3 -901 0.0 0 0 0\n"
#define END "-4 -901 9.0 0 0 0\n"

static inline struct quipu_reader *open_text(const char *text) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    struct quipu_reader *reader;
    const char *path = harness_text("%s/trace.picl", harness_folder());
    harness_write(path, text, strlen(text));
    options.format = "picl";
    assert_int_equal(quipu_reader_open(path, &options, &reader, NULL), QUIPU_OK);
    return reader;
}

/* Codes of all findings but infos with their lines, as "W01:2 E05:3", each once. */
static inline const char *codes_of(const char *text) {
    struct quipu_reader *reader = open_text(text);
    struct quipu_check_result result;
    const char *codes = "";
    assert_int_equal(quipu_check(reader, NULL, &result, NULL), QUIPU_OK);
    const struct quipu_findings *findings = quipu_reader_findings(reader);
    for (size_t i = 0; i < quipu_findings_count(findings); i++) {
        const struct quipu_finding *finding = quipu_findings_at(findings, i);
        const unsigned long long line = finding->line == QUIPU_UNKNOWN ? 0 : (unsigned long long)finding->line;
        const char *code = harness_text("%s:%llu", finding->rule->id, line);
        if (finding->rule->severity != QUIPU_INFO && !strstr(codes, code))
            codes = harness_text("%s%s%s", codes, codes[0] ? " " : "", code);
    }
    quipu_reader_close(reader);
    return codes;
}

static inline enum quipu_status append_json(void *context, const void *data, size_t size,
                                            struct quipu_error *err) {
    char *text = context;
    const size_t len = strlen(text);
    (void)err;
    memcpy(text + len, data, size);
    text[len + size] = '\0';
    return QUIPU_OK;
}

/* The "values" of the record of number index as JSON. */
static inline const char *values_of(const char *text, unsigned index) {
    static char json[8192];
    struct quipu_reader *reader = open_text(text);
    struct quipu_record record;
    for (unsigned i = 0; i <= index; i++)
        assert_int_equal(quipu_reader_next_record(reader, &record, NULL), QUIPU_OK);
    json[0] = '\0';
    const struct quipu_sink sink = {append_json, json};
    assert_int_equal(quipu_record_write_json(quipu_reader_format(reader)->schema, &record, sink, NULL),
                     QUIPU_OK);
    quipu_reader_close(reader);
    char *values = strstr(json, "\"values\": ");
    assert_non_null(values);
    values += strlen("\"values\": ");
    values[strlen(values) - 3] = '\0';
    return values;
}

/* The text of a trace as one of PICL. */
static inline const char *copy_of(const char *path, const char *name, const char *settings) {
    const char *out = harness_text("%s/%s", harness_folder(), name);
    const struct harness_run run =
        harness_run("%s convert --quiet --to picl %s -o %s %s", harness_built("quipu"), settings, out, path);
    if (run.code != 0)
        fail_msg("%s: %s", path, run.err);
    return harness_read(out, NULL);
}

/* A file with this text. */
static inline const char *file_of_text(const char *text) {
    const char *path = harness_text("%s/text.picl", harness_folder());
    harness_write(path, text, strlen(text));
    return path;
}

#endif
