/* fuzz_copy.c: a copy of a sound trace in its own format has the same records and is sound, whichever options the writer
 * has, but for what the report says is approximated; the copy of a damaged trace is no more damaged. */
#include "support.h"

#include <stdio.h>
#include <string.h>

/* lost: records that are not exact in the copy, says its report. */
static bool copy(const struct fuzz_case *fuzz, struct quipu_reader *reader, const char *path, uint64_t *lost) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *report = NULL;
    options.writer = fuzz_writer_options(fuzz);
    options.writer.streams = 0; /* another number of streams may need events in place of records */
    const enum quipu_status status = quipu_convert(reader, path, fuzz->format->name, &options, &report, &err);
    *lost = status == QUIPU_OK ? quipu_conversion_report_lost(report) : 0;
    if (status == QUIPU_OK && quipu_conversion_report_dropped(report) > 0)
        fuzz_fail("a copy within %s has lost %llu records", fuzz->format->name,
                  (unsigned long long)quipu_conversion_report_dropped(report));
    quipu_conversion_report_free(report);
    return fuzz_worked("copy", status, &err);
}

static void expect_same(const struct fuzz_case *fuzz, const struct fuzz_digest *records, const char *path,
                        uint64_t lost) {
    const struct fuzz_verdict verdict = fuzz_check_written(fuzz, path);
    if (!fuzz_is_sound(&verdict))
        fuzz_fail("the copy of a sound trace is not sound: %s", verdict.first);
    struct quipu_reader *reader = fuzz_open_written(fuzz, path);
    if (!reader)
        fuzz_fail("the copy of a sound trace cannot be opened");
    const struct fuzz_digest copied = fuzz_records(reader, fuzz->size);
    if (copied.count > records->count || records->count - copied.count > lost ||
        (lost == 0 && copied.unordered != records->unordered))
        fuzz_fail("the copy has other records: %llu of %llu", (unsigned long long)copied.count,
                  (unsigned long long)records->count);
    quipu_reader_close(reader);
}

/* A file that is a trace by itself stays one: beside it, a metafile would need files of the ranks before its own. */
static const char *suffix_of(const struct fuzz_case *fuzz) {
    const char *suffix = strrchr(fuzz->path, '.');
    return suffix && strstr(fuzz->format->suffixes, suffix) ? suffix : fuzz->format->suffixes;
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    if (!(fuzz->format->abilities & QUIPU_CAN_WRITE_RECORDS))
        return;
    const struct fuzz_verdict verdict = fuzz_check(fuzz->path, fuzz->format);
    struct quipu_reader *reader = fuzz_open(fuzz->path, fuzz->format);
    if (!reader)
        return;
    const char *path = fuzz_out(0, suffix_of(fuzz));
    const struct fuzz_digest records = fuzz_records(reader, fuzz->size);
    quipu_reader_rewind(reader);
    uint64_t lost;
    const bool copied = copy(fuzz, reader, path, &lost);
    quipu_reader_close(reader);
    if (!copied)
        fuzz_output_empty(0, "copy");
    else
        fuzz_output(0);
    if (copied && fuzz_is_sound(&verdict))
        expect_same(fuzz, &records, path, lost);
}
