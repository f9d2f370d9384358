/* summaries.c: figures of the model as records of statistics.
 *
 * A record has several figures of one thing, each of which is an event. A record is written with the last of them; one that
 * stays incomplete is held until statistics of another time or location come, and its missing figures are 0, since OTF
 * cannot leave them out. So those of a format that tells all calls first and all times afterwards meet in one record.
 */
#include "formats/otf/from_model.h"

#include "core/error.h"

void quipu__otf_init_summaries(struct quipu__otf_model_writer *model) {
    quipu__map_init(&model->summaries.numbers, model->writer->writing->memory);
}

void quipu__otf_release_summaries(struct quipu__otf_model_writer *model) {
    quipu__map_release(&model->summaries.numbers);
    QUIPU__VEC_RELEASE(model->writer->writing->memory, &model->summaries.held);
}

/* ---- What a figure is about ---- */

static bool has_figure(enum quipu__otf_type type, uint32_t statistic) {
    for (uint32_t i = 0; i < quipu__otf_schema.types[type].field_count; i++)
        if (quipu__otf_statistic_of(type, i) == statistic)
            return true;
    return false;
}

/* The record that has a figure; QUIPU__OTF_TYPE_COUNT for none. */
static enum quipu__otf_type type_of(uint32_t statistic) {
    static const enum quipu__otf_type types[] = {
        QUIPU__OTF_FunctionSummary, QUIPU__OTF_FunctionGroupSummary, QUIPU__OTF_MessageSummary,
        QUIPU__OTF_CollopSummary,   QUIPU__OTF_FileOperationSummary, QUIPU__OTF_FileGroupOperationSummary};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (has_figure(types[i], statistic))
            return types[i];
    return QUIPU__OTF_TYPE_COUNT;
}

/* Fills in what the figure is about. Statistics of functions and files name one; messages and collective operations may be all. */
static bool identify(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                     struct quipu__otf_made *made) {
    if (!quipu__otf_fill_fields(model, event, made))
        return false;
    if (made->type == QUIPU__OTF_FunctionSummary)
        return made->data.FunctionSummary.function != 0;
    return made->type != QUIPU__OTF_FileOperationSummary || made->data.FileOperationSummary.fileid != 0;
}

static uint64_t hash_of(const struct quipu__otf_made *made) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[made->type];
    uint64_t hash = made->type;
    for (uint32_t i = 0; i < row->field_count; i++) {
        int64_t value = 0;
        if (quipu__otf_statistic_of(made->type, i) != QUIPU_NONE)
            continue;
        quipu_field_get_i64(&row->fields[i], &made->data, &value);
        hash = quipu__hash(&value, sizeof value, hash);
    }
    return hash;
}

static bool is_same(const struct quipu__otf_made *a, const struct quipu__otf_made *b) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[a->type];
    for (uint32_t i = 0; i < row->field_count && a->type == b->type; i++) {
        int64_t x = 0, y = 0;
        quipu_field_get_i64(&row->fields[i], &a->data, &x);
        quipu_field_get_i64(&row->fields[i], &b->data, &y);
        if (x != y && quipu__otf_statistic_of(a->type, i) == QUIPU_NONE)
            return false;
    }
    return a->type == b->type;
}

/* ---- Holding ---- */

static uint32_t all_figures(enum quipu__otf_type type) {
    uint32_t fields = 0;
    for (uint32_t i = 0; i < quipu__otf_schema.types[type].field_count; i++)
        if (quipu__otf_statistic_of(type, i) != QUIPU_NONE)
            fields |= UINT32_C(1) << i;
    return fields;
}

/* The incomplete record of the same, or a new one; NULL when memory is out. */
static struct quipu__otf_held_summary *hold(struct quipu__otf_model_writer *model,
                                            const struct quipu__otf_made *made) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    const uint64_t hash = hash_of(made);
    const uint32_t number = quipu__map_get(&summaries->numbers, hash);
    struct quipu__otf_held_summary *held = number == QUIPU_NONE ? NULL : &summaries->held.items[number];
    if (held && held->missing && is_same(&held->made, made))
        return held;
    held = QUIPU__VEC_ADD(model->writer->writing->memory, &summaries->held);
    if (!held)
        return NULL;
    *held = (struct quipu__otf_held_summary){*made, all_figures(made->type), hash};
    return quipu__map_put(&summaries->numbers, hash, (uint32_t)summaries->held.count - 1) ? held : NULL;
}

static uint64_t figure_of(const struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    const uint64_t scale = quipu_statistic_is_time(event->operation) ? (uint64_t)model->scale : 1;
    return event->value > UINT64_MAX / scale ? UINT64_MAX : event->value * scale;
}

static void add_figure(const struct quipu__otf_model_writer *model, const struct quipu_event *event,
                       struct quipu__otf_held_summary *held) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[held->made.type];
    for (uint32_t i = 0; i < row->field_count; i++) {
        int64_t before = 0;
        if (quipu__otf_statistic_of(held->made.type, i) != event->operation)
            continue;
        quipu_field_get_i64(&row->fields[i], &held->made.data, &before);
        quipu__store_i64(&row->fields[i], &held->made.data,
                         (int64_t)((uint64_t)before + figure_of(model, event)));
        held->missing &= ~(UINT32_C(1) << i);
    }
}

/* Counts a record of the source that is lost, or a part of it, once for all its figures. */
static void drop(struct quipu__otf_model_writer *model, const struct quipu_event *event) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    struct quipu__output_trace *writing = model->writer->writing;
    if (summaries->has_dropped && summaries->dropped_offset == event->byte_offset)
        return;
    ++*(event->id != QUIPU_UNKNOWN ? &writing->dropped[QUIPU_KIND_summary]
                                   : &writing->approximated[QUIPU_KIND_summary]);
    summaries->has_dropped = true;
    summaries->dropped_offset = event->byte_offset;
}

void quipu__otf_hold_summary(struct quipu__otf_model_writer *model, const struct quipu_event *event,
                             struct quipu__otf_made *made) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    made->type = type_of(event->operation);
    if (made->type == QUIPU__OTF_TYPE_COUNT)
        return; /* OTF has no such figure, which the report says */
    const bool has_record = event->id == QUIPU_UNKNOWN && identify(model, event, made);
    struct quipu__otf_held_summary *held = has_record ? hold(model, made) : NULL;
    made->type = QUIPU__OTF_TYPE_COUNT;
    if (!has_record)
        drop(model, event);
    if (!held)
        return;
    add_figure(model, event, held);
    if (held->missing)
        return;
    *made = held->made;
    if (held == &summaries->held.items[summaries->held.count - 1]) {
        quipu__map_remove(&summaries->numbers, held->hash);
        summaries->held.count--;
    }
}

/* ---- Writing what is incomplete ---- */

enum quipu_status quipu__otf_put_summaries(struct quipu__otf_model_writer *model, struct quipu_error *err) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    const struct quipu_event of_location = {.location = summaries->location};
    if (summaries->held.count == 0)
        return QUIPU_OK;
    const enum quipu_status status =
        quipu__otf_use_file_of(model, QUIPU_KIND_summary, summaries->location, err);
    for (size_t i = 0; status == QUIPU_OK && i < summaries->held.count; i++) {
        const struct quipu__otf_held_summary *held = &summaries->held.items[i];
        quipu__map_remove(&summaries->numbers, held->hash);
        if (!held->missing)
            continue;
        quipu__otf_put_made(model, &of_location, summaries->time, &held->made);
        model->writer->writing->approximated[QUIPU_KIND_summary]++;
    }
    summaries->held.count = 0;
    return status;
}

enum quipu_status quipu__otf_begin_summary(struct quipu__otf_model_writer *model, uint32_t location,
                                           uint64_t time, struct quipu_error *err) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    const bool is_same_group = summaries->location == location && summaries->time == time;
    const enum quipu_status status = is_same_group ? QUIPU_OK : quipu__otf_put_summaries(model, err);
    summaries->location = location;
    summaries->time = time;
    return status;
}
