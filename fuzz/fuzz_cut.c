/* fuzz_cut.c: a part of a sound trace whose times are in order is a sound trace; so is one with snapshots, and two traces as one. */
#include "support.h"

/* Takes what an operation has written: nothing if it failed, sound if its input was. */
static void expect(const struct fuzz_case *fuzz, const char *what, bool worked, bool was_sound) {
    if (!worked) {
        fuzz_output_empty(0, what);
        return;
    }
    fuzz_output(0);
    const struct fuzz_verdict verdict = fuzz_check_written(fuzz, fuzz_out(0, fuzz->format->suffixes));
    if (was_sound && !fuzz_is_sound(&verdict))
        fuzz_fail("%s of a sound trace is not sound: %s", what, verdict.first);
    fuzz_output_clear(0);
}

static void choose_part(const struct fuzz_case *fuzz, struct quipu_reader *reader, uint32_t *location,
                        struct quipu_selection *out) {
    struct quipu_summary summary;
    const uint32_t locations = quipu_reader_definitions(reader)->locations.count;
    if (quipu_summarise(reader, NULL, &summary, NULL) == QUIPU_OK && summary.has_times) {
        const uint64_t length = (uint64_t)summary.last - (uint64_t)summary.first;
        out->from = (int64_t)((uint64_t)summary.first + fuzz_choose(fuzz, 61, length / 2 + 1));
        out->to = (int64_t)((uint64_t)out->from + fuzz_choose(fuzz, 62, length / 2 + 2));
    }
    if (locations > 0 && fuzz_choose(fuzz, 63, 3) == 0) {
        *location = (uint32_t)fuzz_choose(fuzz, 64, locations);
        out->locations = location;
        out->location_count = 1;
    }
    quipu_reader_rewind(reader);
}

static void cut(const struct fuzz_case *fuzz, struct quipu_reader *reader, bool was_sound) {
    struct quipu_cut_options options = QUIPU_CUT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *report = NULL;
    uint32_t location;
    options.convert.writer = fuzz_writer_options(fuzz);
    options.snapshots = fuzz_choose(fuzz, 60, 3) == 0;
    choose_part(fuzz, reader, &location, &options.convert.selection);
    const char *path = fuzz_out(0, fuzz->format->suffixes);
    const enum quipu_status status = quipu_cut(reader, path, fuzz->format->name, &options, &report, &err);
    quipu_conversion_report_free(report);
    expect(fuzz, "cut", fuzz_worked("cut", status, &err), was_sound);
}

static void snapshot(const struct fuzz_case *fuzz, struct quipu_reader *reader, bool was_sound) {
    struct quipu_snapshot_options options = QUIPU_SNAPSHOT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    options.convert.writer = fuzz_writer_options(fuzz);
    options.count = 1 + fuzz_choose(fuzz, 65, 5);
    quipu_reader_rewind(reader);
    const enum quipu_status status =
        quipu_snapshot(reader, fuzz_out(0, fuzz->format->suffixes), &options, &err);
    expect(fuzz, "snapshot", fuzz_worked("snapshot", status, &err), was_sound);
}

static void merge(const struct fuzz_case *fuzz, struct quipu_reader *reader, bool was_sound) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *reports[2] = {NULL, NULL};
    struct quipu_reader *readers[2] = {reader, fuzz_open(fuzz->path, fuzz->format)};
    options.writer = fuzz_writer_options(fuzz);
    quipu_reader_rewind(reader);
    if (!readers[1])
        fuzz_fail("a trace cannot be opened twice");
    const enum quipu_status status = quipu_merge(readers, 2, fuzz_out(0, fuzz->format->suffixes),
                                                 fuzz->format->name, &options, reports, &err);
    quipu_conversion_report_free(reports[0]);
    quipu_conversion_report_free(reports[1]);
    quipu_reader_close(readers[1]);
    expect(fuzz, "merge", fuzz_worked("merge", status, &err), was_sound);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    if (!(fuzz->format->abilities & QUIPU_CAN_WRITE))
        return;
    const struct fuzz_verdict verdict = fuzz_check(fuzz->path, fuzz->format);
    struct quipu_reader *reader = fuzz_open_to_write(fuzz);
    if (!reader)
        return;
    const bool was_sound = fuzz_is_sound(&verdict) && !verdict.is_unordered;
    cut(fuzz, reader, was_sound);
    snapshot(fuzz, reader, was_sound);
    merge(fuzz, reader, was_sound);
    quipu_reader_close(reader);
}
