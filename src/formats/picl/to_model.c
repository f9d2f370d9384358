/* to_model.c: turns records into events. Entries and exits become enter and leave of a region, a mark both at once. Between the two is
 * what else the event means (events.def, column "mapping"): a message, a request, an operation on a file, a collective operation. Data
 * that no column holds are attributes of the enter or leave. */
#include "formats/picl/figures.h"

#include "core/error.h"

/* Events that one record makes at most, messages to all aside. */
#define EVENTS_MOST 4

uint32_t quipu__picl_events_most(const struct quipu__picl_pass *pass) {
    const struct quipu__picl_record *record = &pass->record;
    const bool may_broadcast = record->value_count > 2 && (record->record_type == QUIPU__PICL_ENTRY ||
                                                           record->record_type == QUIPU__PICL_MARK);
    const uint32_t statistics = record->record_type <= QUIPU__PICL_TIMES ? record->value_count : 0;
    return EVENTS_MOST + statistics + (may_broadcast ? (uint32_t)pass->own->processes.count : 0);
}

/* A record that becomes events of a batch. */
struct translation {
    struct quipu__picl_pass *pass;
    const struct quipu__picl_trace *own;
    const struct quipu__picl_record *record;
    const struct quipu__picl_event *row; /* of the event type, or NULL */
    struct quipu__batch *batch;
    int64_t time;
    uint32_t process, location, region;
};

static uint32_t add(struct translation *translation, enum quipu_kind kind) {
    return quipu__batch_add(&translation->batch->batch, translation->time, kind, translation->location,
                            translation->record->byte);
}

/* An integer of the record, or else. */
static int64_t integer_or(const struct translation *translation, int index, int64_t otherwise) {
    int64_t value;
    return index >= 0 && quipu__picl_integer(translation->record, (uint32_t)index, &value) ? value : otherwise;
}

/* The index of the value that the field with a meaning in a layout has, -1 when there is no such field. A mark has the fields of the exit
 * after those of the entry. */
static int index_of(const struct translation *translation, const struct quipu__picl_layout *layout,
                    enum quipu__picl_meaning meaning) {
    const int index = quipu__picl_field_index(layout, meaning);
    const bool is_mark = translation->record->record_type == QUIPU__PICL_MARK;
    const bool is_behind = is_mark && layout != translation->row->entry;
    return index >= 0 && is_behind ? index + (int)translation->row->entry->count : index;
}

/* The value of the field with a meaning in a layout. */
static int64_t field_or(const struct translation *translation, const struct quipu__picl_layout *layout,
                        enum quipu__picl_meaning meaning, int64_t otherwise) {
    return integer_or(translation, index_of(translation, layout, meaning), otherwise);
}

/* -1 stands for what is not known. */
static uint64_t known_or_unknown(int64_t value) {
    return value < 0 ? QUIPU_UNKNOWN : (uint64_t)value;
}

/* ---- Attributes ---- */

static void add_attribute(struct translation *translation, uint32_t key, const struct quipu_value *value) {
    struct quipu_value attribute = *value;
    attribute.key = key;
    if (key != QUIPU_NONE)
        quipu__gate_knows(quipu__batch_attribute(translation->batch, &attribute));
}

static struct quipu_value value_at(const struct quipu__picl_record *record, uint32_t index) {
    return record->is_fast ? (struct quipu_value){.type = QUIPU_VALUE_I64, .i = record->integers[index]}
                           : record->values[index];
}

static void add_integer_attribute(struct translation *translation, enum quipu__picl_key key, int64_t value) {
    const struct quipu_value attribute = {.type = QUIPU_VALUE_I64, .i = value};
    if (!translation->pass->pass.filter->without_attributes)
        add_attribute(translation, translation->own->keys[key], &attribute);
}

/* Attribute key of a value. User-defined records have no row: their data belong to no event. */
static uint32_t key_of(const struct translation *translation, const struct quipu__picl_event *row,
                       uint32_t index) {
    const struct quipu__picl_record *record = translation->record;
    const struct quipu__picl_trace *own = translation->own;
    const struct quipu__picl_plan *plan = row ? quipu__picl_plan_of(own, record->event_type) : &own->user_plan;
    const unsigned side = record->record_type < 0 ? (unsigned)(record->record_type - QUIPU__PICL_EXIT) : 0;
    return plan && index < QUIPU__PICL_FAST_VALUES
               ? plan->keys[side][index]
               : quipu__picl_key_of_value(own, row, record->record_type, index);
}

/* Data of the record that no column holds, for the event added last. */
static void add_values(struct translation *translation, const struct quipu__picl_event *row) {
    const struct quipu__picl_record *record = translation->record;
    if (translation->pass->pass.filter->without_attributes)
        return;
    for (uint32_t i = 0; i < record->value_count; i++) {
        const struct quipu_value value = value_at(record, i);
        add_attribute(translation, key_of(translation, row, i), &value);
    }
}

/* ---- Requests of sends ---- */

/* The request is named at the exit, when the message has begun: so requests get numbers of their own, which lie beyond those that receives
 * have. */
#define FIRST_REQUEST (UINT64_C(1) << 32)

static uint64_t last_request(const struct translation *translation) {
    return FIRST_REQUEST + translation->pass->progress[translation->process].requests;
}

static uint64_t next_request(struct translation *translation) {
    translation->pass->progress[translation->process].requests++;
    return last_request(translation);
}

/* ---- What an entry says that its exit needs ---- */

static quipu__picl_entries *entries_of(struct translation *translation) {
    return &translation->pass->progress[translation->process].entries;
}

static struct quipu__picl_entry_values entry_values(const struct translation *translation, uint32_t file) {
    struct quipu__picl_entry_values values = {
        .event = translation->record->event_type, .file = file, .request = last_request(translation)};
    while (values.count < 3 &&
           quipu__picl_integer(translation->record, values.count, &values.integers[values.count]))
        values.count++;
    return values;
}

static void push_entry(struct translation *translation, uint32_t file) {
    quipu__gate_knows(QUIPU__VEC_PUT(translation->own->trace->memory, entries_of(translation),
                                     entry_values(translation, file)));
}

/* Removes the last entry of the event type; all unknown when there is none. */
static struct quipu__picl_entry_values pop_entry(struct translation *translation) {
    quipu__picl_entries *entries = entries_of(translation);
    for (size_t i = entries->count; i-- > 0;) {
        if (entries->items[i].event != translation->record->event_type)
            continue;
        const struct quipu__picl_entry_values found = entries->items[i];
        memmove(&entries->items[i], &entries->items[i + 1], (entries->count - i - 1) * sizeof found);
        entries->count--;
        return found;
    }
    return (struct quipu__picl_entry_values){.event = translation->record->event_type, .file = QUIPU_NONE};
}

static int64_t entry_field(const struct translation *translation, const struct quipu__picl_entry_values *entry,
                           enum quipu__picl_meaning meaning, int64_t otherwise) {
    const int index = quipu__picl_field_index(translation->row->entry, meaning);
    return index >= 0 && (uint32_t)index < entry->count ? entry->integers[index] : otherwise;
}

/* ---- Messages ---- */

uint32_t quipu__picl_location_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process) {
    const uint32_t peer = processor < 0 ? QUIPU_NONE : quipu__picl_peer_of(own, processor, process);
    return peer == QUIPU_NONE ? QUIPU_NONE : own->processes.items[peer].location;
}

static void add_message(struct translation *translation, enum quipu_kind kind,
                        const struct quipu__picl_layout *layout, uint32_t peer, uint64_t request) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, kind);
    batch->peer[event] = peer;
    batch->group[event] = translation->own->world;
    batch->tag[event] = field_or(translation, layout, QUIPU__PICL_TAG, -1);
    batch->bytes[event] = known_or_unknown(field_or(translation, layout, QUIPU__PICL_BYTES, -1));
    batch->id[event] = request;
}

static uint32_t peer_of(const struct translation *translation, const struct quipu__picl_layout *layout) {
    return quipu__picl_location_of(translation->own, field_or(translation, layout, QUIPU__PICL_PROCESSOR, -1),
                                   field_or(translation, layout, QUIPU__PICL_PROCESS, QUIPU__PICL_ALL));
}

/* A destination of -1 is every other processor but the host. */
static void add_sends(struct translation *translation, uint64_t request) {
    const struct quipu__picl_layout *layout = translation->row->entry;
    if (translation->record->value_count < 3)
        return;
    if (field_or(translation, layout, QUIPU__PICL_PROCESSOR, 0) != QUIPU__PICL_ALL) {
        add_message(translation, QUIPU_KIND_send, layout, peer_of(translation, layout), request);
        return;
    }
    const struct quipu__picl_process *own = &translation->own->processes.items[translation->process];
    int64_t last = QUIPU__PICL_ALL;
    for (size_t i = 0; i < translation->own->processes.count; i++) {
        const struct quipu__picl_process *other = &translation->own->processes.items[i];
        if (other->processor < 0 || other->processor == QUIPU__PICL_HOST ||
            other->processor == own->processor || other->processor == last)
            continue;
        last = other->processor;
        add_message(translation, QUIPU_KIND_send, layout, other->location, QUIPU_UNKNOWN);
    }
}

static void add_receive(struct translation *translation, uint64_t request) {
    const struct quipu__picl_layout *layout = translation->row->exit;
    const int sender = index_of(translation, layout, QUIPU__PICL_PROCESSOR);
    if (sender >= 0 && (uint32_t)sender < translation->record->value_count)
        add_message(translation, QUIPU_KIND_recv, layout, peer_of(translation, layout), request);
}

static void add_post(struct translation *translation, const struct quipu__picl_entry_values *entry) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, QUIPU_KIND_recv_post);
    batch->peer[event] =
        quipu__picl_location_of(translation->own, entry_field(translation, entry, QUIPU__PICL_PROCESSOR, -1),
                                entry_field(translation, entry, QUIPU__PICL_PROCESS, QUIPU__PICL_ALL));
    batch->group[event] = translation->own->world;
    batch->tag[event] = entry_field(translation, entry, QUIPU__PICL_TAG, -1);
    batch->bytes[event] = QUIPU_UNKNOWN;
    batch->id[event] = known_or_unknown(field_or(translation, translation->row->exit, QUIPU__PICL_REQUEST, -1));
}

/* The exit of a send names its request. */
static void name_request(struct translation *translation, const struct quipu__picl_entry_values *entry) {
    const struct quipu__picl_layout *layout =
        quipu__picl_send_exit(translation->row, translation->own->calls_are_users);
    const int64_t name = field_or(translation, layout, QUIPU__PICL_REQUEST, -1);
    if (name >= 0 && entry->request >= FIRST_REQUEST)
        quipu__gate_knows(
            quipu__picl_requests_put(&translation->pass->requests, translation->process, name, entry->request));
}

static void add_send_complete(struct translation *translation, const struct quipu__picl_entry_values *entry) {
    const int64_t name = entry_field(translation, entry, QUIPU__PICL_REQUEST, -1);
    const uint64_t request =
        quipu__picl_requests_take(&translation->pass->requests, translation->process, name);
    const uint32_t event = add(translation, QUIPU_KIND_send_complete);
    translation->batch->batch.id[event] = request == QUIPU_UNKNOWN ? known_or_unknown(name) : request;
}

/* ---- Collective operations ---- */

/* What the fields of an entry are. */
static const struct quipu__picl_layout *entry_of_collective(const struct translation *translation) {
    return quipu__picl_collective_entry(translation->row, translation->own->calls_are_users);
}

/* Where the set of processes is. Writers put it first where it is the only field. */
static int group_index(const struct quipu__picl_layout *layout, uint32_t value_count) {
    if (layout->count == 0 || strcmp(layout->fields[0].name, "processor_subset") != 0)
        return quipu__picl_field_index(layout, QUIPU__PICL_GROUP);
    return value_count > 1 ? 1 : 0;
}

static int64_t entry_value(const struct quipu__picl_entry_values *entry, int index) {
    return index >= 0 && (uint32_t)index < entry->count ? entry->integers[index] : QUIPU__PICL_ALL;
}

static uint32_t add_collective(struct translation *translation, enum quipu_kind kind,
                               const struct quipu__picl_entry_values *entry) {
    const struct quipu__picl_layout *layout = entry_of_collective(translation);
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, kind);
    batch->object[event] = translation->region;
    batch->operation[event] = translation->row->operation;
    batch->peer[event] = quipu__picl_location_of(
        translation->own, entry_value(entry, quipu__picl_field_index(layout, QUIPU__PICL_ROOT)),
        QUIPU__PICL_ALL);
    batch->group[event] = quipu__picl_group_of(translation->own, QUIPU__PICL_PROCESS_SUBSET,
                                               entry_value(entry, group_index(layout, entry->count)));
    batch->bytes[event] =
        known_or_unknown(entry_value(entry, quipu__picl_field_index(layout, QUIPU__PICL_BYTES)));
    batch->value[event] = QUIPU_UNKNOWN;
    batch->id[event] = QUIPU_UNKNOWN;
    return event;
}

/* The exit has less to say: who takes part is known from the entry. */
static void end_collective(struct translation *translation) {
    const struct quipu__picl_entry_values entry = pop_entry(translation);
    const struct quipu__picl_layout *layout = translation->row->exit;
    const struct quipu__picl_entry_values exit = entry_values(translation, QUIPU_NONE);
    const int bytes = quipu__picl_field_index(layout, QUIPU__PICL_BYTES),
              group = group_index(layout, exit.count);
    const uint32_t event = add_collective(translation, QUIPU_KIND_collective_end, &entry);
    if (bytes >= 0 && (uint32_t)bytes < exit.count)
        translation->batch->batch.bytes[event] = known_or_unknown(exit.integers[bytes]);
    if (group >= 0 && (uint32_t)group < exit.count)
        translation->batch->batch.group[event] =
            quipu__picl_group_of(translation->own, QUIPU__PICL_PROCESS_SUBSET, exit.integers[group]);
}

/* ---- Files ---- */

static void add_open(struct translation *translation, const struct quipu__picl_entry_values *entry) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, QUIPU_KIND_io_open);
    batch->object[event] = entry->file;
    batch->id[event] = known_or_unknown(field_or(translation, translation->row->exit, QUIPU__PICL_HANDLE, -1));
    batch->operation[event] = QUIPU_NONE;
}

static void add_close(struct translation *translation) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, QUIPU_KIND_io_close);
    batch->object[event] = QUIPU_NONE;
    batch->id[event] = known_or_unknown(field_or(translation, translation->row->entry, QUIPU__PICL_HANDLE, -1));
}

static void add_transfer(struct translation *translation, enum quipu_kind kind, int64_t bytes, int64_t handle) {
    struct quipu_batch *batch = &translation->batch->batch;
    const uint32_t event = add(translation, kind);
    batch->object[event] = QUIPU_NONE;
    batch->operation[event] =
        translation->row->mapping == QUIPU__PICL_MAPPING_FILE_READ ? QUIPU_IO_READ : QUIPU_IO_WRITE;
    batch->tag[event] = handle;
    batch->bytes[event] = known_or_unknown(bytes);
    batch->value[event] = QUIPU_UNKNOWN;
    batch->id[event] = QUIPU_UNKNOWN;
}

/* ---- Entries, exits, marks ---- */

static void begin_mapping(struct translation *translation) {
    const struct quipu__picl_layout *layout = translation->row->entry;
    struct quipu__picl_entry_values entry;
    uint32_t file = QUIPU_NONE;
    switch (translation->row->mapping) {
    case QUIPU__PICL_MAPPING_SEND:
        add_sends(translation, QUIPU_UNKNOWN);
        return;
    case QUIPU__PICL_MAPPING_SEND_BEGIN:
        add_sends(translation, next_request(translation));
        break;
    case QUIPU__PICL_MAPPING_FILE_CLOSE:
        add_close(translation);
        return;
    case QUIPU__PICL_MAPPING_COLLECTIVE:
        entry = entry_values(translation, file);
        add_collective(translation, QUIPU_KIND_collective_begin, &entry);
        break;
    case QUIPU__PICL_MAPPING_FILE_WRITE:
    case QUIPU__PICL_MAPPING_FILE_READ:
        add_transfer(translation, QUIPU_KIND_io_begin, field_or(translation, layout, QUIPU__PICL_BYTES, -1),
                     field_or(translation, layout, QUIPU__PICL_HANDLE, -1));
        break;
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        if (translation->record->value_count > 0 && value_at(translation->record, 0).type == QUIPU_VALUE_STRING)
            file = quipu__picl_file_of(translation->own, translation->record->values[0].data,
                                       translation->record->values[0].size);
        break;
    case QUIPU__PICL_MAPPING_SEND_DONE:
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
    case QUIPU__PICL_MAPPING_POST:
        break;
    default:
        return;
    }
    push_entry(translation, file);
}

static void end_transfer(struct translation *translation) {
    const struct quipu__picl_entry_values entry = pop_entry(translation);
    const struct quipu__picl_layout *layout = translation->row->exit;
    add_transfer(translation, QUIPU_KIND_io_end,
                 field_or(translation, layout, QUIPU__PICL_BYTES,
                          entry_field(translation, &entry, QUIPU__PICL_BYTES, -1)),
                 field_or(translation, layout, QUIPU__PICL_HANDLE,
                          entry_field(translation, &entry, QUIPU__PICL_HANDLE, -1)));
}

static void end_mapping(struct translation *translation) {
    struct quipu__picl_entry_values entry;
    switch (translation->row->mapping) {
    case QUIPU__PICL_MAPPING_RECEIVE:
        add_receive(translation, QUIPU_UNKNOWN);
        return;
    case QUIPU__PICL_MAPPING_COLLECTIVE:
        end_collective(translation);
        return;
    case QUIPU__PICL_MAPPING_FILE_WRITE:
    case QUIPU__PICL_MAPPING_FILE_READ:
        end_transfer(translation);
        return;
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
        entry = pop_entry(translation);
        add_receive(translation, known_or_unknown(entry_field(translation, &entry, QUIPU__PICL_REQUEST, -1)));
        return;
    case QUIPU__PICL_MAPPING_SEND_BEGIN:
        entry = pop_entry(translation);
        name_request(translation, &entry);
        return;
    case QUIPU__PICL_MAPPING_SEND_DONE:
        entry = pop_entry(translation);
        add_send_complete(translation, &entry);
        return;
    case QUIPU__PICL_MAPPING_POST:
        entry = pop_entry(translation);
        add_post(translation, &entry);
        return;
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        entry = pop_entry(translation);
        add_open(translation, &entry);
        return;
    default:
        return;
    }
}

/* A record of a system event inside of a call enters and leaves nothing, and its values have columns or are left out. */
static bool is_inside(const struct translation *translation) {
    return quipu__picl_is_within_call(translation->own, translation->record->event_type);
}

static void add_region_event(struct translation *translation, enum quipu_kind kind) {
    translation->batch->batch.object[add(translation, kind)] = translation->region;
}

static void add_call_event(struct translation *translation, enum quipu_kind kind) {
    add_region_event(translation, kind);
    add_values(translation, translation->row);
}

static void make_entry(struct translation *translation) {
    if (!is_inside(translation))
        add_call_event(translation, QUIPU_KIND_enter);
    if (translation->row)
        begin_mapping(translation);
}

static void make_exit(struct translation *translation) {
    if (translation->row)
        end_mapping(translation);
    if (!is_inside(translation))
        add_call_event(translation, QUIPU_KIND_leave);
}

static void begin_mark(struct translation *translation) {
    add_region_event(translation, QUIPU_KIND_enter);
    add_integer_attribute(translation, QUIPU__PICL_KEY_MARK, 1);
    add_values(translation, translation->row);
}

/* A message that took no time. */
static void add_marked_message(struct translation *translation) {
    const enum quipu__picl_mapping mapping =
        translation->row ? translation->row->mapping : QUIPU__PICL_MAPPING_NONE;
    if (quipu__picl_sends(mapping))
        add_sends(translation, QUIPU_UNKNOWN);
    else if (mapping == QUIPU__PICL_MAPPING_RECEIVE)
        add_receive(translation, QUIPU_UNKNOWN);
}

static void make_mark(struct translation *translation) {
    const bool is_call = !is_inside(translation);
    if (is_call)
        begin_mark(translation);
    add_marked_message(translation);
    if (translation->row && translation->row->mapping == QUIPU__PICL_MAPPING_FULL) {
        const uint32_t event = add(translation, QUIPU_KIND_gap);
        translation->batch->batch.operation[event] = QUIPU__PICL_GAP_FULL;
        translation->batch->batch.value[event] = QUIPU_UNKNOWN;
        translation->batch->batch.bytes[event] = QUIPU_UNKNOWN;
    }
    if (is_call)
        add_region_event(translation, QUIPU_KIND_leave);
}

/* ---- Other records ---- */

static void make_user(struct translation *translation) {
    const struct quipu__picl_record *record = translation->record;
    const uint32_t event = add(translation, QUIPU_KIND_marker);
    translation->batch->batch.object[event] =
        quipu__map_get(&translation->own->markers, (uint64_t)record->record_type);
    translation->batch->batch.value[event] = QUIPU_UNKNOWN;
    add_integer_attribute(translation, QUIPU__PICL_KEY_EVENT, record->event_type);
    add_values(translation, NULL);
}

static void make_message(struct translation *translation) {
    const struct quipu__picl_record *record = translation->record;
    const bool has_text = record->value_count > 0 && value_at(record, 0).type == QUIPU_VALUE_STRING;
    const uint32_t event = add(translation, QUIPU_KIND_note);
    translation->batch->batch.value[event] = QUIPU_UNKNOWN;
    if (has_text)
        quipu__gate_knows(quipu__batch_attribute_text(translation->batch, QUIPU_KEY_TEXT,
                                                      record->values[0].data, record->values[0].size));
    add_integer_attribute(translation, QUIPU__PICL_KEY_EVENT, record->event_type);
}

/* ---- Statistics ---- */

static void add_figure(struct translation *translation, enum quipu_statistic statistic, uint32_t region,
                       uint64_t value) {
    struct quipu_batch *batch = &translation->batch->batch;
    const int64_t within = translation->record->event_type;
    const bool is_whole = within == QUIPU__PICL_ALL || within == QUIPU__PICL_TRACING;
    const uint32_t inside = is_whole ? QUIPU_NONE : quipu__picl_region_of(translation->own, within);
    const uint32_t event = add(translation, QUIPU_KIND_summary);
    batch->operation[event] = statistic;
    batch->value[event] = value;
    batch->object[event] = region;
    batch->id[event] = inside == QUIPU_NONE ? QUIPU_UNKNOWN : inside;
    batch->peer[event] = batch->group[event] = QUIPU_NONE;
    batch->tag[event] = -1;
    batch->bytes[event] = QUIPU_UNKNOWN;
}

/* The value of a pair: a number, or ticks for seconds. False for one that was not measured or cannot be. */
static bool figure_of(const struct translation *translation, const struct quipu_value *value, bool is_time,
                      uint64_t *out) {
    const double number = value->type == QUIPU_VALUE_F64 ? value->f : (double)value->i;
    const double scaled =
        is_time ? number * (double)quipu__picl_power_of_ten(translation->own->decimals) : number;
    if (value->type != QUIPU_VALUE_F64 && value->type != QUIPU_VALUE_I64)
        return false;
    if (!(scaled >= 0 && scaled < 0x1p63))
        return false;
    *out = value->type == QUIPU_VALUE_I64 && !is_time ? (uint64_t)value->i : (uint64_t)(scaled + 0.5);
    return true;
}

/* One summary for each pair. Events that are more than calls have their numbers counted as what they are, too. */
static void make_statistics(struct translation *translation) {
    const struct quipu__picl_record *record = translation->record;
    const bool is_count = record->record_type == QUIPU__PICL_COUNTS;
    int64_t event_type;
    uint64_t figure;
    for (uint32_t i = 0; i + 1 < record->value_count; i += 2) {
        const struct quipu_value value = value_at(record, i + 1);
        if (!quipu__picl_integer(record, i, &event_type) ||
            !figure_of(translation, &value, record->record_type == QUIPU__PICL_TIMES, &figure))
            continue;
        const bool is_call = !quipu__picl_is_within_call(translation->own, event_type);
        const uint32_t region = is_call ? quipu__picl_region_of(translation->own, event_type) : QUIPU_NONE;
        const enum quipu_statistic statistic =
            quipu__picl_statistic_of(record->record_type, quipu__picl_row_of(translation->own, event_type));
        if (is_count && is_call)
            add_figure(translation, QUIPU_STATISTIC_CALLS, region, figure);
        if (is_call ? !is_count || statistic != QUIPU_STATISTIC_CALLS : quipu__picl_is_of_all(statistic))
            add_figure(translation, statistic, region, figure);
    }
}

enum quipu_status quipu__picl_to_model(struct quipu__picl_pass *pass, uint32_t process, int64_t time,
                                       struct quipu__batch *batch, struct quipu_error *err) {
    const int64_t type = pass->record.record_type;
    struct translation translation = {.pass = pass,
                                      .own = pass->own,
                                      .record = &pass->record,
                                      .row = quipu__picl_row_of(pass->own, pass->record.event_type),
                                      .batch = batch,
                                      .time = time,
                                      .process = process,
                                      .location = pass->own->processes.items[process].location,
                                      .region = QUIPU_NONE};
    if (type >= QUIPU__PICL_EXIT && type <= QUIPU__PICL_MARK)
        translation.region = quipu__picl_region_of(pass->own, pass->record.event_type);
    if (type == QUIPU__PICL_ENTRY)
        make_entry(&translation);
    else if (type == QUIPU__PICL_EXIT)
        make_exit(&translation);
    else if (type == QUIPU__PICL_MARK)
        make_mark(&translation);
    else if (type >= 0)
        make_user(&translation);
    else if (type == QUIPU__PICL_MESSAGE)
        make_message(&translation);
    else if (type <= QUIPU__PICL_TIMES && type >= QUIPU__PICL_SIZES)
        make_statistics(&translation);
    return quipu__memory_status(batch->memory, err);
}
