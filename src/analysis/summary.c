/* summary.c: what a trace is: how many records and events of which kind, and the time that they span. */
#include "analysis/fold.h"

#include <string.h>

static enum quipu_status add_batch(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu_summary *summary = state;
    (void)err;
    int64_t first = batch->time[0], last = batch->time[0];
    for (uint32_t i = 0; i < batch->count; i++) {
        const int64_t time = batch->time[i];
        first = time < first ? time : first;
        last = time > last ? time : last;
        summary->events_of[batch->kind[i]]++;
    }
    if (!summary->has_times || first < summary->first)
        summary->first = first;
    if (!summary->has_times || last > summary->last)
        summary->last = last;
    summary->has_times = true;
    summary->events += batch->count;
    return QUIPU_OK;
}

enum quipu_status quipu_summarise(struct quipu_reader *reader, const struct quipu_progress *progress,
                                  struct quipu_summary *out, struct quipu_error *err) {
    memset(out, 0, sizeof *out);
    struct quipu_selection selection = QUIPU_SELECTION_INIT;
    selection.without_attributes = true;
    enum quipu_status status = quipu_reader_select(reader, &selection, err);
    if (status == QUIPU_OK)
        status = quipu__fold_batches(reader, progress, add_batch, out, err);
    out->records = quipu_reader_records(reader);
    return status;
}
