/* cut_events.c: cutting events of the model, for any format that can be written from them.
 *
 * Events before the range only change the call stacks. A location's open regions are entered again before its first
 * event of the range; in time order those of all locations are, so that the order stays. Regions that are open at the
 * end of the range are left when all events have been seen.
 */
#include "convert/cut.h"
#include "core/error.h"
#include "core/vec.h"
#include "model/batch.h"
#include "trace/reader.h"

/* Events of a written batch. */
enum { BATCH = 4096 };

struct stack {
    QUIPU__VEC(uint32_t) regions; /* that are open, the outermost first */
    bool has_begun;               /* they have been entered in the range */
};

struct cut {
    struct quipu__conversion *conversion;
    struct quipu__memory *memory;
    const struct quipu_selection *selection;
    QUIPU__VEC(struct stack) stacks; /* of the locations */
    struct quipu__batch *batch;
    bool in_time_order, has_begun;
};

/* ---- Writing ---- */

static enum quipu_status flush(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (cut->batch->batch.count > 0)
        status = quipu_writer_put_batch(cut->conversion->writer, &cut->batch->batch, err);
    quipu__batch_clear(cut->batch);
    return status;
}

static enum quipu_status make_room(struct cut *cut, struct quipu_error *err) {
    return quipu__batch_left(cut->batch) == 0 ? flush(cut, err) : QUIPU_OK;
}

static enum quipu_status put_call(struct cut *cut, enum quipu_kind kind, uint32_t location, uint32_t region,
                                  int64_t time, struct quipu_error *err) {
    const enum quipu_status status = make_room(cut, err);
    if (status != QUIPU_OK)
        return status;
    const uint32_t event = quipu__batch_add(&cut->batch->batch, time, kind, location, QUIPU_UNKNOWN);
    cut->batch->batch.object[event] = region;
    return QUIPU_OK;
}

static enum quipu_status begin_location(struct cut *cut, uint32_t location, struct quipu_error *err) {
    struct stack *stack = &cut->stacks.at[location];
    enum quipu_status status = QUIPU_OK;
    if (stack->has_begun)
        return QUIPU_OK;
    stack->has_begun = true;
    for (size_t i = 0; i < stack->regions.count && status == QUIPU_OK; i++)
        status = put_call(cut, QUIPU_KIND_enter, location, stack->regions.at[i], cut->selection->from, err);
    return status;
}

/* Every location that is known begins with the range, those without events of their own there too. */
static enum quipu_status begin_range(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (cut->has_begun)
        return QUIPU_OK;
    cut->has_begun = true;
    for (uint32_t i = 0; i < cut->stacks.count && status == QUIPU_OK; i++)
        status = begin_location(cut, i, err);
    return status;
}

static enum quipu_status end_range(struct cut *cut, struct quipu_error *err) {
    enum quipu_status status = begin_range(cut, err);
    for (uint32_t i = 0; cut->selection->to != INT64_MAX && i < cut->stacks.count; i++)
        for (size_t k = cut->stacks.at[i].regions.count; k-- > 0 && status == QUIPU_OK;)
            status =
                put_call(cut, QUIPU_KIND_leave, i, cut->stacks.at[i].regions.at[k], cut->selection->to, err);
    return status == QUIPU_OK ? flush(cut, err) : status;
}

/* ---- Events ---- */

/* Locations that a damaged trace uses without defining them are added while it is read. */
static bool has_stack(struct cut *cut, uint32_t location) {
    const size_t known = cut->stacks.count;
    if (location < known)
        return true;
    if (!QUIPU__VEC_RESERVE(cut->memory, &cut->stacks, (size_t)location + 1 - known))
        return false;
    cut->stacks.count = (size_t)location + 1;
    return true;
}

static bool follow(struct cut *cut, const struct quipu_batch *batch, uint32_t i) {
    struct stack *stack = &cut->stacks.at[batch->location[i]];
    if (batch->kind[i] == QUIPU_KIND_leave)
        stack->regions.count -= stack->regions.count > 0;
    if (batch->kind[i] != QUIPU_KIND_enter)
        return true;
    uint32_t *region = QUIPU__VEC_ADD(cut->memory, &stack->regions);
    if (region)
        *region = batch->object[i];
    return region != NULL;
}

static enum quipu_status cut_event(struct cut *cut, const struct quipu_batch *batch, uint32_t i,
                                   uint32_t *attribute, struct quipu_error *err) {
    const uint32_t location = batch->location[i];
    enum quipu_status status = QUIPU_OK;
    if (!has_stack(cut, location))
        return quipu__no_memory(err, sizeof(struct stack));
    if (batch->time[i] >= cut->selection->from) {
        status = cut->in_time_order ? begin_range(cut, err) : begin_location(cut, location, err);
        cut->stacks.at[location].has_begun = true;
        if (status == QUIPU_OK)
            status = make_room(cut, err);
        if (status == QUIPU_OK && !quipu__batch_copy(cut->batch, batch, i, attribute))
            status = quipu__no_memory(err, sizeof(struct quipu_attribute));
    }
    if (status == QUIPU_OK && !follow(cut, batch, i))
        status = quipu__no_memory(err, sizeof(uint32_t));
    return status;
}

static enum quipu_status go_over(struct cut *cut, struct quipu_error *err) {
    struct quipu_reader *reader = cut->conversion->reader;
    const struct quipu_batch *batch;
    enum quipu_status status = QUIPU_OK;
    while (status == QUIPU_OK) {
        uint32_t attribute = 0;
        status = quipu_reader_next_batch(reader, &batch, err);
        if (status == QUIPU_END)
            return end_range(cut, err);
        for (uint32_t i = 0; status == QUIPU_OK && i < batch->count; i++)
            status = cut_event(cut, batch, i, &attribute, err);
        if (status == QUIPU_OK)
            status = quipu__conversion_report(cut->conversion);
    }
    return status;
}

enum quipu_status quipu__cut_events(struct quipu__conversion *conversion, struct quipu_error *err) {
    const struct quipu_cut_options *options = conversion->how;
    struct quipu_selection selection = options->convert.selection;
    struct cut cut = {.conversion = conversion,
                      .memory = quipu__reader_trace(conversion->reader)->memory,
                      .selection = &options->convert.selection};
    selection.from = INT64_MIN; /* what comes before the range says what is open when it begins */
    selection.order = quipu_writer_order(conversion->writer);
    cut.in_time_order = selection.order == QUIPU_ORDER_TIME;
    enum quipu_status status = quipu__batch_new(cut.memory, BATCH, &cut.batch, err);
    if (status == QUIPU_OK)
        status = quipu_reader_select(conversion->reader, &selection, err);
    if (status == QUIPU_OK)
        status = go_over(&cut, err);
    for (size_t i = 0; i < cut.stacks.count; i++)
        QUIPU__VEC_RELEASE(cut.memory, &cut.stacks.at[i].regions);
    QUIPU__VEC_RELEASE(cut.memory, &cut.stacks);
    quipu__batch_free(cut.batch);
    return status;
}
