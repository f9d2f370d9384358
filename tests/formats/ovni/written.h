/* written.h: events of a format in memory (trace/fake.h) as an ovni trace: two ranks, two regions and a metric. */
#ifndef QUIPU_TESTS_OVNI_WRITTEN_H
#define QUIPU_TESTS_OVNI_WRITTEN_H

#include "traces.h"
#include "trace/fake.h"

#define ENTER(when, region)                                                                                    \
    { .time = (when), .kind = QUIPU_KIND_enter, .object = (region) }
#define LEAVE(when, region)                                                                                    \
    { .time = (when), .kind = QUIPU_KIND_leave, .object = (region) }

/* The folder of the trace that a reader's becomes. translates: events are translated also when records could be copied. Closes the reader. */
static inline const char *converted(struct quipu_reader *reader, bool translates) {
    const char *path = harness_text("%s/out.ovni", harness_folder());
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_conversion_report *report;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.selected = translates;
    if (quipu_convert(reader, path, "ovni", &options, &report, &err) != QUIPU_OK)
        fail_msg("%s", err.message);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    return path;
}

static inline const char *trace_written(const struct quipu_event *rows, uint32_t count) {
    const struct fake_stream stream = {rows, count, 1};
    const struct fake_trace trace = {&stream, 1, 2, 2, 1, 0};
    return converted(fake_reader(&trace), false);
}

/* Ranks have no numbers of processes, so they count from 1. */
static inline const char *stream_of(const char *root, unsigned process) {
    return harness_text("%s/loom.node/proc.%u/thread.%u/stream.obs", root, process, process);
}

/* What one rank writes. */
static inline const char *stream_written(const struct quipu_event *rows, uint32_t count, unsigned process) {
    return text_of_stream(stream_of(trace_written(rows, count), process));
}

#endif
