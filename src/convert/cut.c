/* cut.c: which of the two ways to cut a trace is taken. */
#include "convert/cut.h"
#include "core/error.h"
#include "trace/reader.h"
#include "trace/select.h"

static bool copies_records(const struct quipu__conversion *conversion) {
    return conversion->source == conversion->target && conversion->source->intervals &&
           conversion->target->copying &&
           (conversion->options->writer.streams == 0 || conversion->target->copying->distributes_records);
}

static enum quipu_status refuse_snapshots(struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED, "this target holds no snapshots of what was open in this input");
    quipu__advise(err, "cut without snapshots, or within a format that has them");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu_cut(struct quipu_reader *reader, const char *path, const char *target,
                            const struct quipu_cut_options *options, struct quipu_conversion_report **loss,
                            struct quipu_error *err) {
    static const struct quipu_cut_options defaults = QUIPU_CUT_OPTIONS_INIT;
    const struct quipu_cut_options *how = options ? options : &defaults;
    struct quipu__conversion conversion = {
        .reader = reader,
        .source = quipu__reader_trace(reader)->format,
        .options = &how->convert,
        .task_options = how,
    };
    if (loss)
        *loss = NULL;
    enum quipu_status status = quipu__selection_check(&how->convert.selection, err);
    if (status == QUIPU_OK)
        status = quipu__find_target(target, &conversion.target, err);
    if (status != QUIPU_OK)
        return status;
    conversion.copies = copies_records(&conversion);
    conversion.transfer = conversion.copies ? quipu__cut_records : quipu__cut_events;
    if (how->snapshots && !conversion.copies)
        return refuse_snapshots(err);
    return quipu__conversion_run(&conversion, path, loss, err);
}
