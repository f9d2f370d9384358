/* open.c: what is open at the end of what is read: calls, operations, requests, files, values, and messages on their way.
 *
 * A follower (trace/open.h) knows it, and what it knows of a lane can be kept. The moment is the end of the selection, or of
 * the trace. All locations must be read for that, since messages have two sides; a setting chooses rows.
 */
#include "analysis/open.h"
#include "core/error.h"

static enum quipu_status begin(const struct quipu__fold_start *start, void **state, struct quipu_error *err) {
    const char *locations = quipu__fold_setting(start, "locations");
    if (locations && !quipu__moment_is_list(locations))
        return quipu__fail(err, QUIPU_MISUSE, "locations are numbers such as 0-3,7, not \"%s\"", locations);
    struct quipu__memory memory;
    quipu__memory_like(&memory, start->memory);
    struct quipu__moment *moment = *state = quipu__alloc_zero(&memory, sizeof *moment);
    if (!moment)
        return quipu__no_memory(err, sizeof *moment);
    moment->memory = memory;
    moment->locations = locations;
    moment->to = start->selection ? start->selection->to : INT64_MAX;
    quipu__follower_init(&moment->follower, &moment->memory, start->definitions, QUIPU__BEGUN_ALL, true);
    return QUIPU_OK;
}

static enum quipu_status consume(void *state, const struct quipu_batch *batch, struct quipu_error *err) {
    struct quipu__moment *moment = state;
    const uint32_t stream = batch->stream;
    for (uint32_t i = 0; i < batch->count; i++)
        if (!quipu__follow(&moment->follower, batch, i, stream))
            return quipu__no_memory(err, moment->memory.used);
    return QUIPU_OK;
}

static enum quipu_status combine(void *state, void *other, struct quipu_error *err) {
    struct quipu__moment *moment = state;
    const struct quipu__moment *part = other;
    return quipu__follower_join(&moment->follower, &part->follower)
               ? quipu__memory_status(&part->memory, err)
               : quipu__no_memory(err, moment->memory.used);
}

static void release(void *state) {
    struct quipu__moment *moment = state;
    quipu__follower_release(&moment->follower);
    struct quipu__memory memory = moment->memory;
    quipu__release(&memory, moment, sizeof *moment);
}

static enum quipu_status save(const void *state, struct quipu__buffer *out, struct quipu_error *err) {
    const struct quipu__moment *moment = state;
    quipu__follower_save(&moment->follower, out);
    return out->failed ? quipu__no_memory(err, out->len) : QUIPU_OK;
}

static enum quipu_status load(const struct quipu__fold_start *start, struct quipu__slice bytes, void **state,
                              struct quipu_error *err) {
    *state = NULL;
    enum quipu_status status = begin(start, state, err);
    if (status == QUIPU_OK)
        status = quipu__follower_load(&((struct quipu__moment *)*state)->follower, bytes, err);
    if (status != QUIPU_OK && *state) {
        release(*state);
        *state = NULL;
    }
    return status;
}

static enum quipu_status finish(void *state, struct quipu_table **tables, size_t table_limit,
                                size_t *out_table_count, struct quipu_error *err) {
    struct quipu__moment *moment = state;
    *out_table_count = 0;
    if (table_limit < 2)
        return quipu__fail(err, QUIPU_MISUSE, "what is open is two tables, but room is for %zu", table_limit);
    tables[0] = tables[1] = NULL;
    enum quipu_status status =
        quipu__follower_settle(&moment->follower) ? QUIPU_OK : quipu__no_memory(err, moment->memory.used);
    if (status == QUIPU_OK)
        status = quipu__moment_open(moment, &tables[0], err);
    if (status == QUIPU_OK)
        status = quipu__moment_messages(moment, &tables[1], err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(&moment->memory, err);
    if (status == QUIPU_OK) {
        *out_table_count = 2;
        return QUIPU_OK;
    }
    quipu_table_free(tables[0]);
    quipu_table_free(tables[1]);
    tables[0] = tables[1] = NULL;
    return status;
}

static const struct quipu_analysis_option options[] = {
    {"locations", "only rows of these locations, and messages from or to them: numbers such as 0-3,7"},
};

/* Events of all kinds are wanted, since the last one of them is the end of the trace. */
const struct quipu__fold quipu__open_fold = {
    .info = {"open", "what has begun and not ended at the end of the selection, and messages on their way",
             options, sizeof options / sizeof options[0]},
    .kinds = QUIPU_ALL_KINDS,
    .needs_attributes = false,
    .begin = begin,
    .consume = consume,
    .combine = combine,
    .finish = finish,
    .release = release,
    .section = QUIPU__OPEN_SECTION,
    .save = save,
    .load = load,
};
