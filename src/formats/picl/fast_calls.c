/* fast_calls.c: runs of entries and exits that are nothing but regions, straight from lines into a batch: nearly all events of a trace.
 * Anything else ends the run and goes through to_model.c, which makes the same of these records (test_fast_line.c compares them). */
#include "formats/picl/fast_line.h"
#include "formats/picl/format.h"

/* Whether the next line belongs to the span that is read. */
static bool is_in_span(const struct quipu__picl_pass *pass) {
    return pass->spans.count == 0 || (pass->span < pass->spans.count &&
                                      quipu__picl_walk_offset(&pass->walk) < pass->spans.items[pass->span].end);
}

/* Entries and exits without a meaning besides their region, whose data have no names. */
static bool is_bare(const struct quipu__picl_pass *pass) {
    const struct quipu__picl_record *record = &pass->record;
    const struct quipu__picl_event *row = quipu__picl_row_of(pass->own, record->event_type);
    if (record->record_type != QUIPU__PICL_ENTRY && record->record_type != QUIPU__PICL_EXIT)
        return false;
    return !row || (row->mapping == QUIPU__PICL_MAPPING_NONE && record->value_count == 0);
}

/* The data as data1, data2 … of an event. */
static bool add_data(const struct quipu__picl_pass *pass, struct quipu__batch *batch, uint32_t event) {
    const uint32_t count = pass->record.value_count;
    if (batch->attributes.capacity - batch->attributes.count < count &&
        !QUIPU__VEC_RESERVE(batch->memory, &batch->attributes, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct quipu_attribute *added = &batch->attributes.items[batch->attributes.count];
        const uint32_t key = pass->own->keys[QUIPU__PICL_KEY_DATA + i];
        *added = (struct quipu_attribute){event,
                                          {.key = key, .type = QUIPU_VALUE_I64, .i = pass->record.integers[i]}};
        batch->attributes.count += key != QUIPU_NONE;
    }
    batch->batch.attributes = batch->attributes.items;
    batch->batch.attribute_count = (uint32_t)batch->attributes.count;
    return true;
}

static bool add_call(struct quipu__picl_pass *pass, uint32_t process, struct quipu__batch *batch) {
    const struct quipu__picl_record *record = &pass->record;
    const bool is_entry = record->record_type == QUIPU__PICL_ENTRY;
    const int64_t time = quipu__picl_time_of(pass);
    const uint32_t event = quipu__batch_add(&batch->batch, time, is_entry ? QUIPU_KIND_enter : QUIPU_KIND_leave,
                                            pass->own->processes.items[process].location, record->byte);
    batch->batch.object[event] = quipu__picl_region_of(pass->own, record->event_type);
    pass->progress[pass->own->is_sorted ? 0 : process].time = time;
    return record->value_count == 0 || pass->pass.filter->without_attributes || add_data(pass, batch, event);
}

bool quipu__picl_take_calls(struct quipu__picl_pass *pass, struct quipu__batch *batch) {
    if (pass->own->variant != QUIPU__PICL_NEW_FORMAT || pass->next_due < INT64_MAX)
        return true;
    while (quipu__batch_left(batch) > 0 && is_in_span(pass) &&
           quipu__picl_take_fast_line(&pass->walk.decoder, &pass->record)) {
        const uint32_t process = quipu__picl_record_process(pass);
        if (pass->process != QUIPU_NONE && pass->process != process)
            continue;
        pass->pass.records++;
        pass->record_process = process;
        pass->has_record = !is_bare(pass);
        if (pass->has_record) {
            pass->records_of[quipu__picl_type_of(pass->record.record_type)]++;
            return true;
        }
        pass->records_of[pass->record.record_type == QUIPU__PICL_ENTRY ? QUIPU__PICL_TYPE_entry
                                                                       : QUIPU__PICL_TYPE_exit]++;
        if (!add_call(pass, process, batch))
            return false;
    }
    return true;
}
