/* fuzz_repair.c: what is repaired is checked without error or data loss; repairing it again changes nothing. */
#include "support.h"

static bool repair(const struct fuzz_case *fuzz, const char *from, const char *to) {
    struct quipu_repair_options options = QUIPU_REPAIR_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_repair_report *report = NULL;
    struct quipu_reader *reader = fuzz_open_written(fuzz, from);
    if (!reader)
        return false;
    options.writer = fuzz_writer_options(fuzz);
    options.writer.streams = 0;
    const enum quipu_status status = quipu_repair(reader, to, &options, &report, &err);
    quipu_repair_report_free(report);
    quipu_reader_close(reader);
    return fuzz_worked("repair", status, &err);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    if (!(fuzz->format->abilities & QUIPU_CAN_REPAIR))
        return;
    const char *once = fuzz_out(0, fuzz->format->suffixes), *twice = fuzz_out(1, fuzz->format->suffixes);
    if (!repair(fuzz, fuzz->path, once)) {
        fuzz_output_empty(0, "repair");
        return;
    }
    const struct fuzz_digest first = fuzz_output(0);
    const struct fuzz_verdict verdict = fuzz_check_written(fuzz, once);
    if (!fuzz_is_sound(&verdict))
        fuzz_fail("what is repaired is not sound: %s", verdict.first);
    if (!repair(fuzz, once, twice))
        fuzz_fail("what is repaired cannot be repaired again");
    const struct fuzz_digest second = fuzz_output(1);
    if (!fuzz_same(&first, &second))
        fuzz_fail("repairing again gives %llu other files", (unsigned long long)second.count);
}
