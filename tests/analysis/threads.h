/* threads.h: made streams, and all that reading them with a number of threads gives, as text. */
#ifndef QUIPU_TESTS_ANALYSIS_THREADS_H
#define QUIPU_TESTS_ANALYSIS_THREADS_H

#include "trace/fake.h"
#include <pthread.h>
#include <stdatomic.h>

static const uint32_t counts[] = {1, 2, 3, 8};
enum { COUNTS = sizeof counts / sizeof *counts };

struct text {
    char *at;
    size_t len, room;
};

static inline enum quipu_status append(void *context, const void *data, size_t size, struct quipu_error *err) {
    struct text *text = context;
    (void)err;
    if (text->len + size >= text->room) {
        text->room = 2 * (text->len + size) + 64;
        text->at = realloc(text->at, text->room);
    }
    memcpy(text->at + text->len, data, size);
    text->len += size;
    text->at[text->len] = '\0';
    return QUIPU_OK;
}

static inline void append_line(struct text *text, const char *line) {
    assert_int_equal(append(text, line, strlen(line), NULL), QUIPU_OK);
    assert_int_equal(append(text, "\n", 1, NULL), QUIPU_OK);
}

static inline void append_findings(struct text *text, const struct quipu_findings *findings) {
    char line[1024];
    for (size_t i = 0; i < quipu_findings_count(findings); i++)
        append_line(text, quipu_finding_text(quipu_findings_at(findings, i), line, sizeof line));
    for (int severity = QUIPU_INFO; severity <= QUIPU_ERROR_FINDING; severity++)
        append_line(text, harness_text("%llu", (unsigned long long)quipu_findings_total(
                                                   findings, (enum quipu_severity)severity)));
}

static inline void append_profile(struct text *text, struct quipu_reader *reader, const char *by,
                                  const struct quipu_selection *selection) {
    const struct quipu_render_options render = {
        .style = QUIPU_STYLE_CSV, .row_limit = SIZE_MAX, .bar_column = SIZE_MAX};
    const struct quipu_setting settings[] = {{"by", by}};
    struct quipu_analysis_options options = QUIPU_ANALYSIS_OPTIONS_INIT;
    struct quipu_tables *tables;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.selection = selection;
    options.settings = settings;
    options.setting_count = 1;
    const enum quipu_status status = quipu_analysis_run(reader, "profile", &options, &tables, &err);
    append_line(text, quipu_status_name(status));
    append_line(text, err.message);
    if (status == QUIPU_OK)
        assert_int_equal(
            quipu_table_write(quipu_tables_list(tables), 1, &render, (struct quipu_sink){append, text}, NULL),
            QUIPU_OK);
    quipu_tables_free(tables);
    append_findings(text, quipu_reader_findings(reader));
    append_line(text, harness_text("%llu records", (unsigned long long)quipu_reader_records(reader)));
    for (uint32_t type = 0; type < quipu_reader_format(reader)->schema->type_count; type++)
        append_line(text, harness_text("%llu", (unsigned long long)quipu_reader_records_of(reader, type)));
}

static inline void append_summary(struct text *text, struct quipu_reader *reader) {
    struct quipu_summary summary;
    append_line(text, quipu_status_name(quipu_summarise(reader, NULL, &summary, NULL)));
    assert_int_equal(quipu_summary_write(&summary, reader, true, (struct quipu_sink){append, text}, NULL),
                     QUIPU_OK);
}

/* Everything that a reader tells in a few passes; closes it. */
static inline char *tell(struct quipu_reader *reader) {
    static const uint32_t regions[] = {1, 3};
    struct quipu_selection some = QUIPU_SELECTION_INIT;
    struct text text = {0};
    some.from = 10;
    some.regions = regions;
    some.region_count = 2;
    append_profile(&text, reader, "location", NULL);
    append_profile(&text, reader, "region", NULL);
    append_profile(&text, reader, "location", &some);
    append_summary(&text, reader);
    quipu_reader_close(reader);
    char *told = harness_text("%s", text.at);
    free(text.at);
    return told;
}

static inline char *tell_fake(const struct fake_trace *trace, uint32_t threads) {
    struct quipu_reader_options options = QUIPU_READER_OPTIONS_INIT;
    options.threads = threads;
    return tell(fake_reader_with(trace, &options));
}

enum { STREAMS = 9, ROWS = 20000 };
static struct quipu_event rows[STREAMS][ROWS];
static struct fake_stream streams[STREAMS + 1];
static const struct quipu_event definition = {.kind = FAKE_DEFINE};
static const struct fake_trace trace = {streams, STREAMS + 1, STREAMS, 5, 1, 3};

/* Nested calls and messages at one location per stream, but that the last two streams share one. */
static inline int make_trace(void **state) {
    static const uint8_t kinds[] = {QUIPU_KIND_enter, QUIPU_KIND_enter, QUIPU_KIND_send, QUIPU_KIND_leave,
                                    QUIPU_KIND_leave};
    (void)state;
    for (uint32_t s = 0; s < STREAMS; s++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            const uint32_t step = i % 5;
            rows[s][i] = (struct quipu_event){.time = (int64_t)i * (s + 3),
                                              .kind = kinds[step],
                                              .location = s < STREAMS - 1 ? s : s - 1,
                                              .object = step == 0 || step == 4 ? s % 5 : (i + 1) % 5,
                                              .bytes = i};
        }
        streams[s] = (struct fake_stream){rows[s], ROWS - s, 1};
    }
    streams[STREAMS] = (struct fake_stream){&definition, 1, 0};
    return 0;
}

static inline void compare_fake(void) {
    const char *one = tell_fake(&trace, 1);
    for (uint32_t i = 1; i < COUNTS; i++)
        assert_string_equal(tell_fake(&trace, counts[i]), one);
}

#endif
