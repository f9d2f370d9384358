/* state.c: the state at the end of what is read: active calls, operations, requests and files, values, and messages that are
 * sent and not received.
 *
 * A tracker (state/tracker.h) knows it, and a checkpoint of it can be saved for each substream. The time is the end of the selection, or
 * of the trace. All locations must be read for that, since messages have two sides; a setting chooses rows.
 */
#include "analysis/state.h"
#include "core/error.h"

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__state *known = *state = quipu__alloc_zero(&memory, sizeof *known);
    if (!known)
        return quipu__no_memory(err, sizeof *known);
    known->memory = memory;
    known->locations = quipu__settings_value(&start->settings, "location");
    known->to = start->selection ? start->selection->to : INT64_MAX;
    struct quipu__tracker_options options =
        quipu__event_tracker_options(start->definitions, QUIPU__INTERVAL_ALL);
    options.has_messages = true;
    quipu__tracker_init(&known->tracker, &known->memory, &options);
    return QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__state *known = state;
    const uint32_t stream = batch->stream;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__tracker_add_event(&known->tracker, batch, i, stream))
            return quipu__no_memory(err, known->memory.used);
    return QUIPU_OK;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__state *known = state;
    const struct quipu__state *partial = other;
    return quipu__tracker_join(&known->tracker, &partial->tracker) ? quipu__memory_status(&partial->memory, err)
                                                                   : quipu__no_memory(err, known->memory.used);
}

static void release(void *state) {
    struct quipu__state *known = state;
    quipu__tracker_release(&known->tracker);
    struct quipu__memory memory = known->memory;
    quipu__release(&memory, known, sizeof *known);
}

static enum quipu_status save_checkpoint(const void *state, struct quipu__buffer *out,
                                         struct quipu_error *err) {
    const struct quipu__state *known = state;
    quipu__tracker_save_checkpoint(&known->tracker, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

static enum quipu_status resume(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                                struct quipu_error *err) {
    *state = NULL;
    enum quipu_status status = begin(start, state, err);
    if (status == QUIPU_OK)
        status = quipu__tracker_resume(&((struct quipu__state *)*state)->tracker, bytes, err);
    if (status != QUIPU_OK && *state) {
        release(*state);
        *state = NULL;
    }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_tables *tables, struct quipu_error *err) {
    struct quipu__state *known = state;
    enum quipu_status status =
        quipu__tracker_reconcile(&known->tracker) ? QUIPU_OK : quipu__no_memory(err, known->memory.used);
    if (status == QUIPU_OK)
        status = quipu__state_intervals(known, tables, err);
    if (status == QUIPU_OK)
        status = quipu__state_messages(known, tables, err);
    return status == QUIPU_OK ? quipu__memory_status(&known->memory, err) : status;
}

static const struct quipu_option options[] = {
    {.name = "at",
     .kind = QUIPU_OPTION_TIME,
     .argument = "TIME|end",
     .is_required = true,
     .doc = "show what is active at this time, or at the end of the trace: end"},
    {.name = "location",
     .kind = QUIPU_OPTION_LOCATIONS,
     .argument = "LIST",
     .letter = 'l',
     .doc = "only rows of these locations, and messages from or to them: names, 0-3, rank:0-3"},
};

/* Events of all kinds are wanted, since the last one of them is the end of the trace. */
const struct quipu__fold quipu__state_fold = {
    .info = {.name = "state",
             .doc = "show what is active at a time",
             .details =
                 "Shows in two tables what every process is doing at the time of --at, for traces of any "
                 "format. The first table has a row "
                 "for each active interval (calls, operations, requests and files that have begun before and "
                 "not ended) and for the latest "
                 "value of each metric; the second one has the messages that were sent before and not "
                 "received. --location chooses rows.\n\n"
                 "A time after the end of the trace is a usage error. --at end shows the last state of a "
                 "program that was killed or hangs; formats that write calls when they end do not know the "
                 "last one.",
             .examples = "quipu state run.trace --at 12.5s --location rank:3 # what was rank 3 doing?\n"
                         "quipu state run.trace --at end # where does every process hang?",
             .options = options,
             .option_count = sizeof options / sizeof *options,
             .tables = quipu__state_tables,
             .table_count = 2,
             .empty_answer = "nothing is active at this time",
             .needs_everything = true},
    .until = "at",
    .kinds = QUIPU_ALL_KINDS,
    .needs_attributes = false,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .finish = finish,
    .release = release,
    .section = QUIPU__TRACKER_SECTION,
    .save_checkpoint = save_checkpoint,
    .resume = resume,
};
