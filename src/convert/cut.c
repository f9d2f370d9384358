/* cut.c: chooses between the two ways to cut a trace. */
#include "convert/cut.h"
#include "core/error.h"
#include "trace/reader.h"
#include "trace/select.h"

enum quipu_status quipu__cut_begin(const struct quipu__tracker *tracker, uint32_t state,
                                   quipu__put_interval *put, void *cut, const void *where,
                                   struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    for (unsigned i = 0; i < QUIPU__INTERVAL_CLASSES; i++) {
        const enum quipu__interval_class interval_class = (enum quipu__interval_class)i;
        if ((QUIPU__BEGINS_AGAIN >> i & 1) == 0)
            continue;
        uint32_t number = quipu__active_at(tracker, state, interval_class).oldest;
        for (; number != QUIPU_NONE && status == QUIPU_OK; number = quipu__interval_at(tracker, number)->newer)
            status = put(cut, where, quipu__interval_at(tracker, number), err);
    }
    return status;
}

enum quipu_status quipu__cut_end(const struct quipu__tracker *tracker, uint32_t state,
                                 enum quipu__interval_class interval_class, quipu__put_interval *put, void *cut,
                                 const void *where, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    uint32_t number = quipu__active_at(tracker, state, interval_class).newest;
    for (; number != QUIPU_NONE && status == QUIPU_OK; number = quipu__interval_at(tracker, number)->older)
        status = put(cut, where, quipu__interval_at(tracker, number), err);
    return status;
}

static bool copies_records(const struct quipu__conversion *conversion) {
    return conversion->source == conversion->target && conversion->source->intervals &&
           conversion->target->copying &&
           (conversion->options->writer.streams == 0 || conversion->target->copying->distributes_records);
}

static enum quipu_status refuse_snapshots(struct quipu_error *err) {
    quipu__fail(err, QUIPU_UNSUPPORTED,
                "the target cannot represent snapshots of what is active in this input");
    quipu__advise(err, "cut without snapshots, or within a format that has them");
    return QUIPU_UNSUPPORTED;
}

enum quipu_status quipu_cut(struct quipu_reader *reader, const char *path, const char *target,
                            const struct quipu_cut_options *options, struct quipu_conversion_report **loss,
                            struct quipu_error *err) {
    static const struct quipu_cut_options defaults = QUIPU_CUT_OPTIONS_INIT;
    const struct quipu_cut_options *chosen = options ? options : &defaults;
    struct quipu__conversion conversion = {
        .reader = reader,
        .source = quipu__reader_trace(reader)->format,
        .options = &chosen->convert,
        .task_options = chosen,
    };
    if (loss)
        *loss = NULL;
    enum quipu_status status = quipu__selection_check(&chosen->convert.selection, err);
    if (status == QUIPU_OK)
        status = quipu__find_target(target, &conversion.target, err);
    if (status != QUIPU_OK)
        return status;
    conversion.copies = !chosen->convert.selection.where && copies_records(&conversion);
    conversion.transfer = conversion.copies ? quipu__cut_records : quipu__cut_events;
    if (chosen->snapshots && !conversion.copies)
        return refuse_snapshots(err);
    return quipu__conversion_run(&conversion, path, loss, err);
}
