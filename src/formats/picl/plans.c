/* plans.c: what the values of an event type's records become, found once from its row (events.def): columns or attributes. The fast
 * path goes by it alone, the complete one for the first values of a record. */
#include "formats/picl/format.h"

/* Whether a field of an event's records has a column of its own. */
static bool has_column(const struct quipu__picl_event *row, bool is_entry) {
    switch (row->mapping) {
    case QUIPU__PICL_MAPPING_NONE:
    case QUIPU__PICL_MAPPING_FLUSH:
    case QUIPU__PICL_MAPPING_FULL:
        return false;
    case QUIPU__PICL_MAPPING_RECEIVE:
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
    case QUIPU__PICL_MAPPING_SEND_DONE:
    case QUIPU__PICL_MAPPING_POST:
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        return !is_entry; /* the event comes with the exit; an entry can be written only when its data are known */
    case QUIPU__PICL_MAPPING_SEND:
    case QUIPU__PICL_MAPPING_SEND_BEGIN:
        return is_entry;
    default:
        return true;
    }
}

static uint32_t data_key(const struct quipu__picl_trace *own, uint32_t index) {
    return index < QUIPU__PICL_DATA_KEYS ? own->keys[QUIPU__PICL_KEY_DATA + index] : QUIPU_NONE;
}

/* The fields of a mark are those of the entry and then those of the exit, and none has a column. */
uint32_t quipu__picl_key_of_value(const struct quipu__picl_trace *own, const struct quipu__picl_event *row,
                                  int64_t record_type, uint32_t index) {
    if (!row)
        return data_key(own, index);
    const bool is_mark = record_type == QUIPU__PICL_MARK, is_entry = record_type == QUIPU__PICL_ENTRY;
    const uint32_t of_entry = record_type == QUIPU__PICL_EXIT ? 0 : (uint32_t)row->entry->count;
    const uint32_t of_exit = is_entry ? 0 : (uint32_t)row->exit->count;
    if (index >= of_entry + of_exit)
        return data_key(own, index - of_entry - of_exit);
    if (!is_mark && has_column(row, is_entry))
        return QUIPU_NONE;
    return quipu__picl_field_key(own, index < of_entry ? &row->entry->fields[index]
                                                       : &row->exit->fields[index - of_entry]);
}

/* ---- Plans ---- */

static enum quipu__picl_action action_of(enum quipu__picl_mapping mapping, bool is_entry) {
    switch (mapping) {
    case QUIPU__PICL_MAPPING_NONE:
    case QUIPU__PICL_MAPPING_FLUSH:
    case QUIPU__PICL_MAPPING_FULL:
        return QUIPU__PICL_ACTION_CALL;
    case QUIPU__PICL_MAPPING_SEND:
        return is_entry ? QUIPU__PICL_ACTION_SEND : QUIPU__PICL_ACTION_CALL;
    case QUIPU__PICL_MAPPING_RECEIVE:
        return is_entry ? QUIPU__PICL_ACTION_CALL : QUIPU__PICL_ACTION_RECEIVE;
    default:
        return QUIPU__PICL_ACTION_OTHER;
    }
}

static struct quipu__picl_message_values message_values(const struct quipu__picl_layout *layout) {
    return (struct quipu__picl_message_values){quipu__picl_field_index(layout, QUIPU__PICL_BYTES),
                                               quipu__picl_field_index(layout, QUIPU__PICL_TAG),
                                               quipu__picl_field_index(layout, QUIPU__PICL_PROCESSOR),
                                               quipu__picl_field_index(layout, QUIPU__PICL_PROCESS)};
}

static void make_plan(const struct quipu__picl_trace *own, const struct quipu__picl_event *row,
                      struct quipu__picl_plan *plan) {
    const enum quipu__picl_mapping mapping = row ? row->mapping : QUIPU__PICL_MAPPING_NONE;
    for (unsigned side = 0; side < QUIPU__PICL_SIDES; side++)
        for (uint32_t i = 0; i < QUIPU__PICL_FAST_VALUES; i++)
            plan->keys[side][i] = quipu__picl_key_of_value(own, row, (int64_t)side + QUIPU__PICL_EXIT, i);
    plan->at_entry = action_of(mapping, true);
    plan->at_exit = action_of(mapping, false);
    if (row && quipu__picl_is_within_call(own, row->number))
        plan->at_entry = plan->at_exit = QUIPU__PICL_ACTION_OTHER;
    plan->message = (struct quipu__picl_message_values){-1, -1, -1, -1};
    if (plan->at_entry == QUIPU__PICL_ACTION_SEND || plan->at_exit == QUIPU__PICL_ACTION_RECEIVE)
        plan->message = message_values(mapping == QUIPU__PICL_MAPPING_SEND ? row->entry : row->exit);
}

bool quipu__picl_make_plans(struct quipu__picl_trace *own) {
    make_plan(own, NULL, &own->user_plan);
    own->plans[0] = &own->user_plan;
    for (size_t i = 0; i < own->events.count; i++) {
        const int64_t event = own->events.items[i];
        if (event >= 0 || event <= -QUIPU__PICL_EVENT_LIMIT)
            continue;
        const struct quipu__picl_event *row = quipu__picl_row_of(own, event);
        if (!row && quipu__picl_is_within_call(own, event))
            continue;
        struct quipu__picl_plan *plan = row ? quipu__arena_alloc(&own->arena, sizeof *plan) : &own->user_plan;
        if (!plan)
            return false;
        if (row)
            make_plan(own, row, plan);
        own->plans[-event] = plan;
    }
    return true;
}
