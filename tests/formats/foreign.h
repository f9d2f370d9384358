/* foreign.h: a small trace with every kind of thing that foreign targets draw, and writing it as one of them. */
#ifndef QUIPU_TESTS_FORMATS_FOREIGN_H
#define QUIPU_TESTS_FORMATS_FOREIGN_H

#include "trace/fake.h"

#include "convert/convert.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct quipu_attribute text[] = {
    {0, {.key = QUIPU_KEY_TEXT, .type = QUIPU_VALUE_STRING, .size = 4, .data = "a\"b\n"}}};
static const struct quipu_event first_rows[] = {
    {.time = 10, .kind = QUIPU_KIND_enter, .location = 0, .object = 1},
    {.time = 1020,
     .kind = QUIPU_KIND_send,
     .location = 0,
     .peer = 1,
     .group = QUIPU_NONE,
     .tag = -5,
     .bytes = 100,
     .id = QUIPU_UNKNOWN},
    {.time = 1000025, .kind = QUIPU_KIND_metric, .location = 0, .object = 0, .value = 300},
    {.time = 1000040, .kind = QUIPU_KIND_leave, .location = 0, .object = 1},
};
static const struct quipu_event second_rows[] = {
    {.time = -5, .kind = QUIPU_KIND_note, .location = 1, .attributes = text, .attribute_count = 1},
    {.time = 1030,
     .kind = QUIPU_KIND_recv,
     .location = 1,
     .peer = 0,
     .group = QUIPU_NONE,
     .tag = -5,
     .bytes = 100,
     .id = QUIPU_UNKNOWN},
};
static const struct fake_stream streams[] = {{first_rows, COUNT(first_rows), 1},
                                             {second_rows, COUNT(second_rows), 1}};
static const struct fake_trace small_trace = {streams, COUNT(streams), 2, 2, 1, 0};
static const struct fake_trace empty_trace = {NULL, 0, 0, 0, 0, 0};

static inline const char *written_as(const char *format, const struct fake_trace *from, size_t *size) {
    const char *path = harness_text("%s/out", harness_folder());
    struct quipu_reader *reader = fake_reader(from);
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    if (quipu_convert(reader, path, format, NULL, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return harness_read(path, size);
}

#endif
