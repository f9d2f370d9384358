/* event_records.c: one event as one record: who and when, which fields of the event and which of its attributes are its data. Which
 * events make which records is not decided here. */
#include "formats/picl/event_records.h"

/* ---- Records ---- */

static struct quipu__picl_record record_at(const struct quipu__picl_from_model *from, uint32_t target,
                                           int64_t record_type, int64_t event, int64_t time) {
    return (struct quipu__picl_record){
        .record_type = record_type,
        .event_type = event,
        .processor = from->targets[target].processor,
        .process = from->targets[target].process,
        .time = quipu__picl_seconds_of(time, &from->rate, from->out->decimals),
        .is_fast = true,
    };
}

static void count(struct quipu__picl_from_model *from, uint32_t target,
                  const struct quipu__picl_record *record) {
    struct quipu__picl_statistics *statistics = &from->targets[target].statistics;
    const int64_t volume = quipu__picl_volume_of(record, quipu__picl_event_of(record->event_type));
    if (record->record_type == QUIPU__PICL_ENTRY)
        quipu__picl_count_entry(statistics, record->event_type, from->time, volume, 0, 0);
    else if (record->record_type == QUIPU__PICL_EXIT)
        quipu__picl_count_exit(statistics, record->event_type, from->time, volume);
    else if (record->record_type == QUIPU__PICL_MARK)
        quipu__picl_count_mark(statistics, record->event_type, volume);
}

static void put_event(struct quipu__picl_from_model *from, uint32_t target, struct quipu__picl_record *record) {
    count(from, target, record);
    quipu__picl_encode_record(from->out, record);
    from->targets[target].is_written = true;
}

void quipu__picl_put_integers(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                              int64_t event, const int64_t *values, uint32_t value_count) {
    struct quipu__picl_record record = record_at(from, target, record_type, event, from->time);
    for (uint32_t i = 0; i < value_count && i < QUIPU__PICL_FIELDS_MOST; i++)
        record.integers[record.value_count++] = values[i];
    record.count = record.value_count;
    put_event(from, target, &record);
}

void quipu__picl_put_values(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                            int64_t event, const struct quipu_value *values, uint32_t value_count) {
    const bool is_text = values[0].type == QUIPU_VALUE_STRING;
    struct quipu__picl_record record = record_at(from, target, record_type, event, from->time);
    record.is_fast = false;
    record.values = values;
    record.value_count = is_text ? 1 : value_count;
    record.count = is_text ? values[0].size : value_count;
    record.descriptor.type = QUIPU_VALUE_I64;
    record.descriptor.i = values[0].type == QUIPU_VALUE_F64 ? QUIPU__PICL_DOUBLES : QUIPU__PICL_INTEGERS;
    if (is_text)
        record.descriptor.i = QUIPU__PICL_CHARACTERS;
    put_event(from, target, &record);
}

void quipu__picl_put_value(struct quipu__picl_from_model *from, uint32_t target, int64_t record_type,
                           int64_t event, const struct quipu_value *value) {
    quipu__picl_put_values(from, target, record_type, event, value, 1);
}

/* ---- Fields ---- */

static int64_t id_of(const struct quipu_event *event) {
    return event->id > INT64_MAX ? -1 : (int64_t)event->id;
}

bool quipu__picl_has_peer(const struct quipu__picl_from_model *from, const struct quipu_event *event) {
    return event->peer < from->location_count && from->target_of[event->peer] != QUIPU_NONE;
}

/* What an event of the model says for a field with a meaning; -1 for what it does not. */
static int64_t field_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                        enum quipu__picl_meaning meaning) {
    const bool is_transfer = event->kind == QUIPU_KIND_io_begin || event->kind == QUIPU_KIND_io_end;
    switch (meaning) {
    case QUIPU__PICL_BYTES:
        return event->bytes > INT64_MAX ? -1 : (int64_t)event->bytes;
    case QUIPU__PICL_TAG:
        return event->tag;
    case QUIPU__PICL_PROCESSOR:
    case QUIPU__PICL_ROOT:
        return quipu__picl_has_peer(from, event) ? from->targets[from->target_of[event->peer]].processor : -1;
    case QUIPU__PICL_PROCESS:
        return quipu__picl_has_peer(from, event) ? from->targets[from->target_of[event->peer]].process : -1;
    case QUIPU__PICL_REQUEST:
        return id_of(event);
    case QUIPU__PICL_HANDLE:
        return is_transfer ? event->tag : id_of(event);
    case QUIPU__PICL_GROUP:
        return quipu__picl_subset_of(from, event->group);
    case QUIPU__PICL_NUMBER:
    case QUIPU__PICL_TEXT:
        break;
    }
    return -1;
}

uint32_t quipu__picl_fields_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                               const struct quipu__picl_layout *layout,
                               int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    const bool is_of_some = layout->reduced == 0 && layout->count == 2 &&
                            event->group < from->definitions->groups.count &&
                            quipu__picl_subset_of(from, event->group) != QUIPU__PICL_ALL;
    const bool is_posted_for_one = event->kind == QUIPU_KIND_recv_post && quipu__picl_has_peer(from, event);
    const int wanted = is_of_some || is_posted_for_one ? layout->count : layout->reduced;
    for (int i = 0; i < wanted; i++)
        values[i] = field_of(from, event, layout->fields[i].meaning);
    if (is_of_some)
        values[0] = QUIPU__PICL_ALL;
    return (uint32_t)wanted;
}

/* ---- Attributes ---- */

const char *quipu__picl_key_name(const struct quipu__picl_from_model *from, uint32_t key) {
    return key < from->key_count ? from->definitions->attribute_keys.items[key].name : "";
}

int quipu__picl_data_index(const char *name, const struct quipu__picl_layout *layout) {
    for (int i = 0; layout && i < layout->count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return i;
    if (layout || strncmp(name, "data", 4) != 0 || name[4] < '1' || name[4] > '8' || name[5])
        return -1;
    return name[4] - '1';
}

uint32_t quipu__picl_attributes_of(const struct quipu__picl_from_model *from, const struct quipu_event *event,
                                   const struct quipu__picl_layout *layout,
                                   int64_t values[QUIPU__PICL_FIELDS_MOST]) {
    uint32_t value_count = 0;
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++) {
        const struct quipu_value *value = &event->attributes[i].value;
        const int index = quipu__picl_data_index(quipu__picl_key_name(from, value->key), layout);
        if (index < 0 || index >= QUIPU__PICL_FIELDS_MOST || value->type != QUIPU_VALUE_I64)
            continue;
        for (; value_count < (uint32_t)index; value_count++)
            values[value_count] = -1;
        values[index] = value->i;
        value_count = value_count > (uint32_t)index ? value_count : (uint32_t)index + 1;
    }
    return value_count;
}

const struct quipu_value *quipu__picl_find_attribute(const struct quipu__picl_from_model *from,
                                                     const struct quipu_event *event, const char *name) {
    for (uint32_t i = 0; from->is_native && i < event->attribute_count; i++)
        if (strcmp(quipu__picl_key_name(from, event->attributes[i].value.key), name) == 0)
            return &event->attributes[i].value;
    return NULL;
}
