/* to_model.c: what a record becomes in the model. Entries and exits are enter and leave of a region, a mark is both at once.
 * Between the two stands what the event is besides (events.def, column "mapping"): a message, a request, an operation on a file, a
 * collective operation. Data that no column holds are attributes of the enter or leave. */
#include "formats/picl/format.h"

#include "core/error.h"

/* Events that one record makes at most, messages to everybody aside. */
#define EVENTS_MOST 4

uint32_t quipu__picl_events_most(const struct quipu__picl_pass *pass) {
    const struct quipu__picl_record *record = &pass->record;
    const bool may_broadcast = record->value_count > 2 && record->record_type == QUIPU__PICL_ENTRY;
    const uint32_t pairs = record->record_type <= QUIPU__PICL_TIMES ? record->value_count : 0;
    return EVENTS_MOST + pairs + (may_broadcast ? (uint32_t)pass->own->processes.count : 0);
}

/* A record on its way into a batch. */
struct making {
    struct quipu__picl_pass *pass;
    const struct quipu__picl_trace *own;
    const struct quipu__picl_record *record;
    const struct quipu__picl_event *row; /* of the event type, or NULL */
    struct quipu__batch *batch;
    int64_t time;
    uint32_t process, location, region;
    bool done; /* memory has not run out */
};

static uint32_t add(struct making *making, enum quipu_kind kind) {
    return quipu__batch_add(&making->batch->batch, making->time, kind, making->location, making->record->byte);
}

/* An integer of the record, or else. */
static int64_t integer_or(const struct making *making, int place, int64_t otherwise) {
    int64_t value;
    return place >= 0 && quipu__picl_integer(making->record, (uint32_t)place, &value) ? value : otherwise;
}

/* The value of the field with a meaning in a layout. */
static int64_t field_or(const struct making *making, const struct quipu__picl_layout *layout,
                        enum quipu__picl_meaning meaning, int64_t otherwise) {
    return integer_or(making, quipu__picl_field_index(layout, meaning), otherwise);
}

/* -1 stands for what is not known. */
static uint64_t known_or_unknown(int64_t value) {
    return value < 0 ? QUIPU_UNKNOWN : (uint64_t)value;
}

/* ---- Attributes ---- */

static void add_attribute(struct making *making, uint32_t key, const struct quipu_value *value) {
    struct quipu_value attribute = *value;
    attribute.key = key;
    if (key != QUIPU_NONE)
        making->done &= quipu__batch_attribute(making->batch, &attribute);
}

static struct quipu_value value_at(const struct quipu__picl_record *record, uint32_t index) {
    return record->is_fast ? (struct quipu_value){.type = QUIPU_VALUE_I64, .i = record->integers[index]}
                           : record->values[index];
}

static void add_integer_attribute(struct making *making, enum quipu__picl_key key, int64_t value) {
    const struct quipu_value attribute = {.type = QUIPU_VALUE_I64, .i = value};
    if (!making->pass->pass.filter->without_attributes)
        add_attribute(making, making->own->keys[key], &attribute);
}

/* Values from first on as data1, data2 … */
static void add_data(struct making *making, uint32_t first) {
    for (uint32_t i = first; i < making->record->value_count && i - first < QUIPU__PICL_DATA_KEYS; i++) {
        const struct quipu_value value = value_at(making->record, i);
        add_attribute(making, making->own->keys[QUIPU__PICL_KEY_DATA + i - first], &value);
    }
}

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
        return is_entry;
    default:
        return true;
    }
}

/* Data of the record that no column holds, for the event added last. Those of marks are all. */
static void add_fields(struct making *making) {
    const struct quipu__picl_record *record = making->record;
    const bool is_mark = record->record_type == QUIPU__PICL_MARK;
    const bool is_entry = record->record_type == QUIPU__PICL_ENTRY;
    if (making->pass->pass.filter->without_attributes || record->value_count == 0)
        return;
    if (!making->row) {
        add_data(making, 0);
        return;
    }
    const struct quipu__picl_layout *entry = making->row->entry, *exit = making->row->exit;
    const uint32_t of_entry = record->record_type == QUIPU__PICL_EXIT ? 0 : (uint32_t)entry->count;
    const uint32_t of_exit = is_entry ? 0 : (uint32_t)exit->count;
    for (uint32_t i = 0; i < record->value_count && i < of_entry + of_exit; i++) {
        const struct quipu__picl_event_field *field =
            i < of_entry ? &entry->fields[i] : &exit->fields[i - of_entry];
        const struct quipu_value value = value_at(record, i);
        if (is_mark || !has_column(making->row, is_entry))
            add_attribute(making, quipu__picl_field_key(making->own, field), &value);
    }
    if (record->value_count > of_entry + of_exit)
        add_data(making, of_entry + of_exit);
}

/* ---- What an entry says that its exit needs ---- */

static quipu__picl_entries *entries_of(struct making *making) {
    return &making->pass->progress[making->process].entries;
}

static void push_entry(struct making *making, uint32_t file) {
    struct quipu__picl_entry_values *added = QUIPU__VEC_ADD(making->own->trace->memory, entries_of(making));
    making->done &= added != NULL;
    if (!added)
        return;
    added->event = making->record->event_type;
    added->file = file;
    for (uint32_t i = 0; i < 3 && quipu__picl_integer(making->record, i, &added->integers[i]); i++)
        added->count = i + 1;
}

/* The last entry of the event type, which is taken away; all unknown when there is none. */
static struct quipu__picl_entry_values pop_entry(struct making *making) {
    quipu__picl_entries *entries = entries_of(making);
    for (size_t i = entries->count; i-- > 0;) {
        if (entries->items[i].event != making->record->event_type)
            continue;
        const struct quipu__picl_entry_values found = entries->items[i];
        memmove(&entries->items[i], &entries->items[i + 1], (entries->count - i - 1) * sizeof found);
        entries->count--;
        return found;
    }
    return (struct quipu__picl_entry_values){.event = making->record->event_type, .file = QUIPU_NONE};
}

static int64_t entry_field(const struct making *making, const struct quipu__picl_entry_values *entry,
                           enum quipu__picl_meaning meaning, int64_t otherwise) {
    const int place = quipu__picl_field_index(making->row->entry, meaning);
    return place >= 0 && (uint32_t)place < entry->count ? entry->integers[place] : otherwise;
}

/* ---- Messages ---- */

static uint32_t location_of(const struct quipu__picl_trace *own, int64_t processor, int64_t process) {
    const uint32_t peer = processor < 0 ? QUIPU_NONE : quipu__picl_peer_of(own, processor, process);
    return peer == QUIPU_NONE ? QUIPU_NONE : own->processes.items[peer].location;
}

static void add_message(struct making *making, enum quipu_kind kind, const struct quipu__picl_layout *layout,
                        uint32_t peer, uint64_t request) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, kind);
    batch->peer[event] = peer;
    batch->group[event] = making->own->world;
    batch->tag[event] = field_or(making, layout, QUIPU__PICL_TAG, -1);
    batch->bytes[event] = known_or_unknown(field_or(making, layout, QUIPU__PICL_BYTES, -1));
    batch->id[event] = request;
}

static uint32_t peer_of(const struct making *making, const struct quipu__picl_layout *layout) {
    return location_of(making->own, field_or(making, layout, QUIPU__PICL_PROCESSOR, -1),
                       field_or(making, layout, QUIPU__PICL_PROCESS, QUIPU__PICL_ALL));
}

/* A destination of -1 is every other processor but the host. */
static void add_sends(struct making *making) {
    const struct quipu__picl_layout *layout = making->row->entry;
    if (making->record->value_count < 3)
        return;
    if (field_or(making, layout, QUIPU__PICL_PROCESSOR, 0) != QUIPU__PICL_ALL) {
        add_message(making, QUIPU_KIND_send, layout, peer_of(making, layout), QUIPU_UNKNOWN);
        return;
    }
    const struct quipu__picl_process *own = &making->own->processes.items[making->process];
    int64_t last = QUIPU__PICL_ALL;
    for (size_t i = 0; i < making->own->processes.count; i++) {
        const struct quipu__picl_process *other = &making->own->processes.items[i];
        if (other->processor < 0 || other->processor == QUIPU__PICL_HOST ||
            other->processor == own->processor || other->processor == last)
            continue;
        last = other->processor;
        add_message(making, QUIPU_KIND_send, layout, other->location, QUIPU_UNKNOWN);
    }
}

static void add_receive(struct making *making, uint64_t request) {
    if (making->record->value_count >= 3)
        add_message(making, QUIPU_KIND_recv, making->row->exit, peer_of(making, making->row->exit), request);
}

static void add_post(struct making *making, const struct quipu__picl_entry_values *entry) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, QUIPU_KIND_recv_post);
    batch->peer[event] = location_of(making->own, entry_field(making, entry, QUIPU__PICL_PROCESSOR, -1),
                                     entry_field(making, entry, QUIPU__PICL_PROCESS, QUIPU__PICL_ALL));
    batch->group[event] = making->own->world;
    batch->tag[event] = entry_field(making, entry, QUIPU__PICL_TAG, -1);
    batch->bytes[event] = QUIPU_UNKNOWN;
    batch->id[event] = known_or_unknown(field_or(making, making->row->exit, QUIPU__PICL_REQUEST, -1));
}

static void add_send_complete(struct making *making, const struct quipu__picl_entry_values *entry) {
    const uint32_t event = add(making, QUIPU_KIND_send_complete);
    making->batch->batch.id[event] = known_or_unknown(entry_field(making, entry, QUIPU__PICL_REQUEST, -1));
}

/* ---- Collective operations ---- */

/* Writers put the set of processes first where it is the only field. */
static uint32_t group_of(const struct making *making, const struct quipu__picl_layout *layout) {
    const bool names_processors =
        strcmp(layout->count > 0 ? layout->fields[0].name : "", "processor_subset") == 0;
    const int place = names_processors && making->record->value_count > 1 ? 1
                      : names_processors                                  ? 0
                                         : quipu__picl_field_index(layout, QUIPU__PICL_GROUP);
    return quipu__picl_group_of(making->own, QUIPU__PICL_PROCESS_SUBSET,
                                integer_or(making, place, QUIPU__PICL_ALL));
}

static void add_collective(struct making *making, enum quipu_kind kind,
                           const struct quipu__picl_layout *layout) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, kind);
    batch->object[event] = making->region;
    batch->operation[event] = making->row->operation;
    batch->peer[event] =
        location_of(making->own, field_or(making, layout, QUIPU__PICL_ROOT, -1), QUIPU__PICL_ALL);
    batch->group[event] = group_of(making, layout);
    batch->bytes[event] = known_or_unknown(field_or(making, layout, QUIPU__PICL_BYTES, -1));
    batch->value[event] = QUIPU_UNKNOWN;
    batch->id[event] = QUIPU_UNKNOWN;
}

/* ---- Files ---- */

static void add_open(struct making *making, const struct quipu__picl_entry_values *entry) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, QUIPU_KIND_io_open);
    batch->object[event] = entry->file;
    batch->id[event] = known_or_unknown(field_or(making, making->row->exit, QUIPU__PICL_HANDLE, -1));
    batch->operation[event] = QUIPU_NONE;
}

static void add_close(struct making *making) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, QUIPU_KIND_io_close);
    batch->object[event] = QUIPU_NONE;
    batch->id[event] = known_or_unknown(field_or(making, making->row->entry, QUIPU__PICL_HANDLE, -1));
}

static void add_transfer(struct making *making, enum quipu_kind kind, int64_t bytes, int64_t handle) {
    struct quipu_batch *batch = &making->batch->batch;
    const uint32_t event = add(making, kind);
    batch->object[event] = QUIPU_NONE;
    batch->operation[event] =
        making->row->mapping == QUIPU__PICL_MAPPING_FILE_READ ? QUIPU_IO_READ : QUIPU_IO_WRITE;
    batch->tag[event] = handle;
    batch->bytes[event] = known_or_unknown(bytes);
    batch->value[event] = QUIPU_UNKNOWN;
    batch->id[event] = QUIPU_UNKNOWN;
}

/* ---- Entries, exits, marks ---- */

static void begin_mapping(struct making *making) {
    const struct quipu__picl_layout *layout = making->row->entry;
    uint32_t file = QUIPU_NONE;
    switch (making->row->mapping) {
    case QUIPU__PICL_MAPPING_SEND:
        add_sends(making);
        return;
    case QUIPU__PICL_MAPPING_FILE_CLOSE:
        add_close(making);
        return;
    case QUIPU__PICL_MAPPING_COLLECTIVE:
        add_collective(making, QUIPU_KIND_collective_begin, layout);
        return;
    case QUIPU__PICL_MAPPING_FILE_WRITE:
    case QUIPU__PICL_MAPPING_FILE_READ:
        add_transfer(making, QUIPU_KIND_io_begin, field_or(making, layout, QUIPU__PICL_BYTES, -1),
                     field_or(making, layout, QUIPU__PICL_HANDLE, -1));
        break;
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        if (making->record->value_count > 0 && value_at(making->record, 0).type == QUIPU_VALUE_STRING)
            file = quipu__picl_file_of(making->own, making->record->values[0].data,
                                       making->record->values[0].size);
        break;
    case QUIPU__PICL_MAPPING_SEND_DONE:
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
    case QUIPU__PICL_MAPPING_POST:
        break;
    default:
        return;
    }
    push_entry(making, file);
}

static void end_transfer(struct making *making) {
    const struct quipu__picl_entry_values entry = pop_entry(making);
    const struct quipu__picl_layout *layout = making->row->exit;
    add_transfer(
        making, QUIPU_KIND_io_end,
        field_or(making, layout, QUIPU__PICL_BYTES, entry_field(making, &entry, QUIPU__PICL_BYTES, -1)),
        field_or(making, layout, QUIPU__PICL_HANDLE, entry_field(making, &entry, QUIPU__PICL_HANDLE, -1)));
}

static void end_mapping(struct making *making) {
    struct quipu__picl_entry_values entry;
    switch (making->row->mapping) {
    case QUIPU__PICL_MAPPING_RECEIVE:
        add_receive(making, QUIPU_UNKNOWN);
        return;
    case QUIPU__PICL_MAPPING_COLLECTIVE:
        add_collective(making, QUIPU_KIND_collective_end, making->row->exit);
        return;
    case QUIPU__PICL_MAPPING_FILE_WRITE:
    case QUIPU__PICL_MAPPING_FILE_READ:
        end_transfer(making);
        return;
    case QUIPU__PICL_MAPPING_RECEIVE_DONE:
        entry = pop_entry(making);
        add_receive(making, known_or_unknown(entry_field(making, &entry, QUIPU__PICL_REQUEST, -1)));
        return;
    case QUIPU__PICL_MAPPING_SEND_DONE:
        entry = pop_entry(making);
        add_send_complete(making, &entry);
        return;
    case QUIPU__PICL_MAPPING_POST:
        entry = pop_entry(making);
        add_post(making, &entry);
        return;
    case QUIPU__PICL_MAPPING_FILE_OPEN:
        entry = pop_entry(making);
        add_open(making, &entry);
        return;
    default:
        return;
    }
}

static void add_region_event(struct making *making, enum quipu_kind kind) {
    making->batch->batch.object[add(making, kind)] = making->region;
}

static void make_entry(struct making *making) {
    add_region_event(making, QUIPU_KIND_enter);
    add_fields(making);
    if (making->row)
        begin_mapping(making);
}

static void make_exit(struct making *making) {
    if (making->row)
        end_mapping(making);
    add_region_event(making, QUIPU_KIND_leave);
    add_fields(making);
}

static void make_mark(struct making *making) {
    add_region_event(making, QUIPU_KIND_enter);
    add_integer_attribute(making, QUIPU__PICL_KEY_MARK, 1);
    add_fields(making);
    if (making->row && making->row->mapping == QUIPU__PICL_MAPPING_FULL) {
        const uint32_t event = add(making, QUIPU_KIND_gap);
        making->batch->batch.operation[event] = QUIPU__PICL_GAP_FULL;
        making->batch->batch.value[event] = QUIPU_UNKNOWN;
        making->batch->batch.bytes[event] = QUIPU_UNKNOWN;
    }
    add_region_event(making, QUIPU_KIND_leave);
}

/* ---- Other records ---- */

static void make_user(struct making *making) {
    const struct quipu__picl_record *record = making->record;
    const uint32_t event = add(making, QUIPU_KIND_marker);
    making->batch->batch.object[event] = quipu__map_get(&making->own->markers, (uint64_t)record->record_type);
    making->batch->batch.value[event] = QUIPU_UNKNOWN;
    add_integer_attribute(making, QUIPU__PICL_KEY_EVENT, record->event_type);
    if (!making->pass->pass.filter->without_attributes)
        add_data(making, 0);
}

static void make_message(struct making *making) {
    const struct quipu__picl_record *record = making->record;
    const bool has_text = record->value_count > 0 && value_at(record, 0).type == QUIPU_VALUE_STRING;
    const uint32_t event = add(making, QUIPU_KIND_note);
    making->batch->batch.value[event] = QUIPU_UNKNOWN;
    if (has_text)
        making->done &= quipu__batch_attribute_text(making->batch, QUIPU_KEY_TEXT, record->values[0].data,
                                                    record->values[0].size);
    add_integer_attribute(making, QUIPU__PICL_KEY_EVENT, record->event_type);
}

/* One summary for each pair. */
static void make_statistics(struct making *making) {
    const struct quipu__picl_record *record = making->record;
    int64_t event_type;
    for (uint32_t i = 0; i + 1 < record->value_count; i += 2) {
        if (!quipu__picl_integer(record, i, &event_type))
            continue;
        const struct quipu_value value = value_at(record, i + 1);
        const uint32_t event = add(making, QUIPU_KIND_summary);
        making->batch->batch.object[event] = quipu__picl_region_of(making->own, event_type);
        making->batch->batch.operation[event] = (uint32_t)-record->record_type;
        if (!making->pass->pass.filter->without_attributes)
            add_attribute(making, making->own->keys[QUIPU__PICL_KEY_VALUE], &value);
        add_integer_attribute(making, QUIPU__PICL_KEY_RELATIVE_TO, record->event_type);
    }
}

enum quipu_status quipu__picl_to_model(struct quipu__picl_pass *pass, uint32_t process, int64_t time,
                                       struct quipu__batch *batch, struct quipu_error *err) {
    const int64_t type = pass->record.record_type;
    struct making making = {.pass = pass,
                            .own = pass->own,
                            .record = &pass->record,
                            .row = quipu__picl_row_of(pass->own, pass->record.event_type),
                            .batch = batch,
                            .time = time,
                            .process = process,
                            .location = pass->own->processes.items[process].location,
                            .region = QUIPU_NONE,
                            .done = true};
    if (type >= QUIPU__PICL_EXIT && type <= QUIPU__PICL_MARK)
        making.region = quipu__picl_region_of(pass->own, pass->record.event_type);
    if (type == QUIPU__PICL_ENTRY)
        make_entry(&making);
    else if (type == QUIPU__PICL_EXIT)
        make_exit(&making);
    else if (type == QUIPU__PICL_MARK)
        make_mark(&making);
    else if (type >= 0)
        make_user(&making);
    else if (type == QUIPU__PICL_MESSAGE)
        make_message(&making);
    else if (type <= QUIPU__PICL_TIMES && type >= QUIPU__PICL_SIZES)
        make_statistics(&making);
    return making.done ? QUIPU_OK : quipu__no_memory(err, sizeof(struct quipu_attribute));
}
