/* fuzz_convert.c: a trace is written as each format and export target. What comes from a sound trace is sound; what comes
 * from any trace of another format can be read without loss. Within a format, records are copied with their damage. */
#include "support.h"

static bool convert(const struct fuzz_case *fuzz, const char *path, const char *target) {
    struct quipu_convert_options options = QUIPU_CONVERT_OPTIONS_INIT;
    struct quipu_error err = QUIPU_ERROR_INIT;
    struct quipu_conversion_report *report = NULL;
    struct quipu_reader *reader = fuzz_open_to_write(fuzz);
    if (!reader)
        return false;
    options.writer = fuzz_writer_options(fuzz);
    options.writer.compression = 0;
    options.selected = fuzz_choose(fuzz, 50, 3) == 0;
    options.fail_on_loss = fuzz_choose(fuzz, 51, 16) == 0;
    const enum quipu_status status = quipu_convert(reader, path, target, &options, &report, &err);
    quipu_conversion_report_free(report);
    quipu_reader_close(reader);
    if (fuzz_worked(target, status, &err))
        return true;
    fuzz_output_empty(0, target);
    return false;
}

static void to_format(const struct fuzz_case *fuzz, const struct quipu_format *target,
                      const struct fuzz_verdict *verdict) {
    const bool is_copied = target == fuzz->format && verdict->is_unordered;
    const bool was_sound = fuzz_is_sound(verdict) && !verdict->overlaps && !is_copied;
    const char *path = fuzz_out(0, target->suffixes);
    if (convert(fuzz, path, target->name)) {
        fuzz_output(0);
        const struct fuzz_verdict written = fuzz_check(path, target);
        if ((!written.complete || written.lost > 0) && (was_sound || target != fuzz->format))
            fuzz_fail("written as %s it is damaged: %s", target->name, written.first);
        if (was_sound && written.errors > 0)
            fuzz_fail("written as %s it is not sound: %s", target->name, written.first);
    }
    fuzz_output_clear(0);
}

void fuzz_trace(const struct fuzz_case *fuzz) {
    const struct fuzz_verdict verdict = fuzz_check(fuzz->path, fuzz->format);
    if (!verdict.opened)
        return;
    for (size_t i = 0; i < quipu_format_count(); i++)
        if ((quipu_format_at(i)->abilities & (QUIPU_CAN_READ | QUIPU_CAN_WRITE)) ==
            (QUIPU_CAN_READ | QUIPU_CAN_WRITE))
            to_format(fuzz, quipu_format_at(i), &verdict);
    for (size_t i = 0; i < quipu_format_count(); i++) {
        const struct quipu_format *target = quipu_format_at(i);
        if (target->abilities & QUIPU_CAN_READ)
            continue;
        if (convert(fuzz, fuzz_out(0, target->suffixes), target->name))
            fuzz_output(0);
        fuzz_output_clear(0);
    }
}
