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

#endif
