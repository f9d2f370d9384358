/* targets.h: a trace of two streams, and what a conversion of it reports. */
#ifndef QUIPU_TESTS_CONVERT_TARGETS_H
#define QUIPU_TESTS_CONVERT_TARGETS_H

#include "trace/fake.h"
#include "convert/convert.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_attribute colour = {
    .value = {.key = QUIPU_KEY_SOURCE, .type = QUIPU_VALUE_U32, .u = 3}};
static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .byte_offset = 1},
    {.time = 12, .kind = FAKE_SECRET, .location = 0},
    {.time = 20,
     .kind = QUIPU_KIND_send,
     .location = 0,
     .peer = 1,
     .tag = 5,
     .bytes = 100,
     .byte_offset = 2,
     .attributes = &colour,
     .attribute_count = 1},
    {.time = 25, .kind = QUIPU_KIND_metric, .location = 0, .value = 3, .byte_offset = 3},
    {.time = 40, .kind = QUIPU_KIND_leave, .location = 0, .byte_offset = 4},
};
static const struct quipu_event second_rows[] = {
    {.time = 15, .kind = QUIPU_KIND_recv, .location = 1, .peer = QUIPU_NONE, .byte_offset = 5},
    {.time = 30, .kind = QUIPU_KIND_recv, .location = 1, .peer = 0, .tag = 5, .bytes = 100, .byte_offset = 6},
    {.time = 31, .kind = QUIPU_KIND_note, .location = 1, .byte_offset = 7},
};
static const struct quipu_event definition_rows[] = {{.kind = FAKE_DEFINE}, {.kind = FAKE_DEFINE}};
static const struct fake_stream streams[] = {
    {definition_rows, COUNT(definition_rows), 0},
    {first_rows, COUNT(first_rows), 1},
    {second_rows, COUNT(second_rows), 1},
};
static const struct fake_trace trace = {streams, COUNT(streams), 2, 1, 1, 0};

/* A target that is not the source's own format, so that events are translated. */
static inline struct quipu__format other_target(enum quipu_order order) {
    static struct quipu__writing writing;
    struct quipu__format target = fake_format;
    writing = fake_writing;
    writing.order = order;
    target.writing = &writing;
    return target;
}

static inline enum quipu_status collect(void *context, const void *data, size_t size, struct quipu_error *err) {
    (void)err;
    char **text = context;
    *text = harness_text("%s%.*s", *text ? *text : "", (int)size, (const char *)data);
    return QUIPU_OK;
}

static inline const char *report_text(const struct quipu_conversion_report *report, bool json) {
    char *text = NULL;
    const struct quipu_sink sink = {collect, &text};
    assert_int_equal(quipu_conversion_report_write(report, json, sink, NULL), QUIPU_OK);
    return text;
}

static inline const char *new_path(void) {
    return harness_text("%s/out.fake", harness_folder());
}

#endif
