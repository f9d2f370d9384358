/* from_model.c: events become records.
 *
 * Each location has its own output stream, or consecutive locations share one if the user asks for fewer; then the writer needs
 * events in time order. Runs of the most frequent kinds are written directly as text; event_records.c makes records of the others.
 * Attributes without a field in the record become key-values.
 */
#include "formats/otf/from_model.h"

#include "core/error.h"

/* ==== Tokens ==== */

/* Tokens of the model's definitions in the files, and of names that only OTF defines. */

#define TOKEN_CLASSES(X)                                                                                       \
    X(locations, locations, location)                                                                          \
    X(regions, regions, region)                                                                                \
    X(sources, sources, source)                                                                                \
    X(groups, groups, group)                                                                                   \
    X(files, files, file)                                                                                      \
    X(metrics, metrics, metric)                                                                                \
    X(markers, markers, marker)                                                                                \
    X(keys, attribute_keys, attribute_key)

#define NATIVE(tokens, plural, singular)                                                                       \
    static uint64_t native_##singular(const void *definitions, uint32_t number) {                              \
        return ((const struct quipu_definitions *)definitions)->plural.items[number].native_id;                \
    }
TOKEN_CLASSES(NATIVE)

/* Gives all current definitions their tokens and entries. */
static bool extend_tokens(struct quipu__otf_model_writer *model) {
    const struct quipu_definitions *definitions = model->definitions;
    const size_t location_streams = model->location_streams.count;
    bool done = true;
    if (location_streams < definitions->locations.count) {
        done = QUIPU__VEC_RESERVE(model->writer->writing->memory, &model->location_streams,
                                  definitions->locations.count - location_streams);
        model->location_streams.count = done ? definitions->locations.count : location_streams;
    }
#define EXTEND(tokens, plural, singular)                                                                       \
    done = done && quipu__otf_tokens_extend(&model->tokens, definitions, definitions->plural.count,            \
                                            native_##singular);
    TOKEN_CLASSES(EXTEND)
    return done;
}

uint32_t quipu__otf_name_token(struct quipu__otf_model_writer *model, struct quipu__otf_names *names,
                               const char *name) {
    const uint64_t key = quipu__hash(name, strlen(name), names->number_of.seed);
    const uint32_t known = quipu__map_get(&names->number_of, key);
    if (known != QUIPU_NONE && strcmp(names->at.items[known], name) == 0)
        return known + 1;
    const char *copy = quipu__arena_text(&model->writer->arena, name, strlen(name));
    if (!(copy && QUIPU__VEC_PUT(model->writer->writing->memory, &names->at, copy)))
        return 0;
    const uint32_t number = (uint32_t)names->at.count - 1;
    return quipu__map_put(&names->number_of, key, number) ? number + 1 : 0;
}

static struct quipu__otf_names *names_at(struct quipu__otf_model_writer *model, unsigned index) {
    struct quipu__otf_names *const names[] = {&model->function_groups, &model->counter_groups,
                                              &model->file_groups, &model->source_files};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void init_tokens(struct quipu__otf_model_writer *model) {
#define INIT(tokens, plural, singular) quipu__otf_tokens_init(&model->tokens, model->writer->writing->memory);
    TOKEN_CLASSES(INIT)
    INIT(collops, regions, region)
    for (unsigned i = 0; names_at(model, i); i++)
        quipu__map_init(&names_at(model, i)->number_of, model->writer->writing->memory);
}

static void release_tokens(struct quipu__otf_model_writer *model) {
#define RELEASE(tokens, plural, singular) quipu__otf_tokens_release(&model->tokens);
    TOKEN_CLASSES(RELEASE)
    RELEASE(collops, regions, region)
    for (unsigned i = 0; names_at(model, i); i++) {
        quipu__map_release(&names_at(model, i)->number_of);
        QUIPU__VEC_RELEASE(model->writer->writing->memory, &names_at(model, i)->at);
    }
}

/* ==== Where an event goes ==== */

static bool has_processes(enum quipu_location_kind kind) {
    return kind != QUIPU_LOCATION_MACHINE && kind != QUIPU_LOCATION_NODE && kind != QUIPU_LOCATION_FILE_SYSTEM;
}

/* The stream of a location when streams are shared: the first streams have one location more. */
static uint32_t shared_stream(uint32_t index, uint32_t least, uint32_t larger) {
    const uint32_t in_larger = larger * (least + 1);
    if (index < in_larger)
        return 1 + index / (least + 1);
    return 1 + larger + (index - in_larger) / (least ? least : 1);
}

/* With few streams, consecutive locations share one. */
static void share_streams(struct quipu__otf_model_writer *model, uint32_t streams) {
    const struct quipu_definitions *definitions = model->definitions;
    uint32_t total = 0, index = 0;
    for (uint32_t i = 0; i < definitions->locations.count; i++)
        total += has_processes(definitions->locations.items[i].kind);
    if (streams > total && total > 0)
        streams = total;
    const uint32_t least = total / streams, larger = total % streams;
    for (uint32_t i = 0; i < definitions->locations.count; i++) {
        if (!has_processes(definitions->locations.items[i].kind))
            continue;
        model->location_streams.items[i].stream = shared_stream(index++, least, larger);
    }
}

static uint32_t stream_of(struct quipu__otf_model_writer *model, uint32_t location) {
    struct quipu__otf_location_stream *assigned = &model->location_streams.items[location];
    const uint32_t streams = model->writer->writing->options->streams;
    if (!assigned->stream)
        assigned->stream = streams ? streams : location + 1;
    if (!assigned->is_mapped)
        quipu__otf_use(&model->locations, location);
    assigned->is_mapped = true;
    return assigned->stream;
}

/* Makes the file that events of a kind and location go into the current one. */
static enum quipu_status use_file_of(struct quipu__otf_model_writer *model, enum quipu_kind kind,
                                     uint32_t location, struct quipu_error *err) {
    static const uint8_t files[QUIPU_KIND_COUNT] = {
        [QUIPU_KIND_snapshot] = QUIPU__OTF_SNAPSHOTS, [QUIPU_KIND_summary] = QUIPU__OTF_STATISTICS};
    if (kind == QUIPU_KIND_marker)
        return quipu__otf_use_output(model->writer, QUIPU__OTF_MARKERS, QUIPU__OTF_GLOBAL_STREAM, err);
    const enum quipu__otf_file file = files[kind] ? (enum quipu__otf_file)files[kind] : QUIPU__OTF_EVENTS;
    return quipu__otf_use_output(model->writer, file, stream_of(model, location), err);
}

/* Whether the record says an attribute: keys without a number of their own may be fields of it. */
static bool is_in_record(const struct quipu_attribute_key *key, enum quipu__otf_type type) {
    const struct quipu_record_type *row = &quipu__otf_schema.types[type];
    for (uint32_t i = 0; key->native_id == QUIPU_UNKNOWN && i < row->field_count; i++)
        if (strcmp(row->fields[i].name, key->name) == 0)
            return true;
    return false;
}

/* Key-values of the attributes that are not part of the record. */
static const struct quipu_value *keyvalues_of(struct quipu__otf_model_writer *model,
                                              const struct quipu_event *event, enum quipu__otf_type type) {
    const struct quipu_attribute_key *keys = model->definitions->attribute_keys.items;
    struct quipu_value *list = quipu__scratch_sized(&model->scratch, event->attribute_count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < event->attribute_count; i++) {
        struct quipu_value value = event->attributes[i].value;
        if (value.key >= model->keys.at.count || is_in_record(&keys[value.key], type))
            continue;
        value.key = quipu__otf_use(&model->keys, value.key);
        value.type = value.type == QUIPU_VALUE_STRING ? QUIPU_VALUE_BYTES : value.type;
        list[count++] = value;
    }
    if (list)
        ((struct quipu_sized *)(void *)list)[-1].count = count;
    return list;
}

/* Writes a record into the current file, with the key-values of the event. */
static void put_made(struct quipu__otf_model_writer *model, const struct quipu_event *event, uint64_t time,
                     const struct quipu__otf_made *made) {
    struct quipu__buffer *text = &model->writer->text;
    struct quipu__otf_output *output = quipu__otf_current(model->writer);
    const bool long_form = model->writer->is_long;
    const uint32_t process = model->locations.at.items[event->location].token;
    if (output->file != QUIPU__OTF_MARKERS && !quipu__otf_encode_state(text, &output->clock, time, process))
        quipu__otf_encode_both_states(text, &output->clock, time, process);
    if (event->attribute_count > 0)
        quipu__otf_encode_values(text, keyvalues_of(model, event, made->type), long_form);
    quipu__otf_encode(text, made->type, &made->data, long_form);
}

/* ==== Summaries ==== */

/* Figures of the model as records of statistics.
 *
 * A record has several figures of one thing, each of which is an event. A record is written with the last of them; an incomplete
 * one is held until statistics of another time or location come, and its missing figures are 0, since OTF cannot leave them out.
 * So figures of a format that has all calls first and all times afterwards get into one record.
 */

static void init_summaries(struct quipu__otf_model_writer *model) {
    quipu__map_init(&model->summaries.numbers, model->writer->writing->memory);
}

static void release_summaries(struct quipu__otf_model_writer *model) {
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

/* Fills in what the figure is about. Statistics of functions and files name one; those of messages and collective operations may
 * be about all. */
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
        return; /* OTF has no such figure; the report says so */
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

static enum quipu_status put_summaries(struct quipu__otf_model_writer *model, struct quipu_error *err) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    const struct quipu_event of_location = {.location = summaries->location};
    if (summaries->held.count == 0)
        return QUIPU_OK;
    const enum quipu_status status = use_file_of(model, QUIPU_KIND_summary, summaries->location, err);
    for (size_t i = 0; status == QUIPU_OK && i < summaries->held.count; i++) {
        const struct quipu__otf_held_summary *held = &summaries->held.items[i];
        quipu__map_remove(&summaries->numbers, held->hash);
        if (!held->missing)
            continue;
        put_made(model, &of_location, summaries->time, &held->made);
        model->writer->writing->approximated[QUIPU_KIND_summary]++;
    }
    summaries->held.count = 0;
    return status;
}

/* Before a summary: writes what is held for another time or location. */
static enum quipu_status begin_summary(struct quipu__otf_model_writer *model, uint32_t location, uint64_t time,
                                       struct quipu_error *err) {
    struct quipu__otf_summaries *summaries = &model->summaries;
    const bool is_same_group = summaries->location == location && summaries->time == time;
    const enum quipu_status status = is_same_group ? QUIPU_OK : put_summaries(model, err);
    summaries->location = location;
    summaries->time = time;
    return status;
}

/* ==== Events ==== */

/* Bytes of the longest line of the fast kinds, including state lines. */
#define FAST_BYTES QUIPU__KEYED_LINE

/* Events that are written in one go. */
#define RUN_MOST 64u

/* ---- The fast kinds: straight into the text ---- */

static uint8_t *write_state(uint8_t *p, struct quipu__keyed_state *clock, uint64_t time, uint32_t process) {
    if (time != clock->time || time == 0) {
        p = quipu__hex_write(p, time);
        *p++ = '\n';
    } else if (process == clock->process) {
        return p;
    }
    clock->time = time;
    clock->process = process;
    *p++ = QUIPU__OTF_PROCESS_MARK;
    p = quipu__hex_write(p, process);
    *p++ = '\n';
    return p;
}

/* A pattern of the fast kinds, NULL when its line is to be written another way. */
static const struct quipu__keyed_pattern *pattern_of(const struct quipu__otf_model_writer *model,
                                                     enum quipu__otf_type type) {
    return quipu__keyed_pattern_of(model->scanner, (uint16_t)type, false);
}

static void find_patterns(struct quipu__otf_model_writer *model) {
    model->patterns[QUIPU_KIND_enter] = pattern_of(model, QUIPU__OTF_Enter);
    model->patterns[QUIPU_KIND_leave] = pattern_of(model, QUIPU__OTF_Leave);
    model->patterns[QUIPU_KIND_send] = pattern_of(model, QUIPU__OTF_SendMsg);
    model->patterns[QUIPU_KIND_recv] = pattern_of(model, QUIPU__OTF_RecvMsg);
}

static uint8_t *write_call(struct quipu__otf_model_writer *model, const struct quipu_batch *batch, uint32_t i,
                           const struct quipu__keyed_pattern *pattern, bool enters, uint8_t *p) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    const uint32_t token = quipu__otf_use(&model->regions, batch->object[i]);
    numbers[enters ? QUIPU__OTF_Enter_function : QUIPU__OTF_Leave_function] = token;
    if (token)
        return quipu__keyed_write(pattern, p, numbers);
    return enters ? NULL : quipu__keyed_write_empty(pattern, p);
}

/* Which number of a message's record is what. */
struct message_numbers {
    unsigned peer, bytes, tag, group;
};

static uint8_t *write_message(struct quipu__otf_model_writer *model, const struct quipu_batch *batch,
                              uint32_t i, const struct quipu__keyed_pattern *pattern, struct message_numbers of,
                              uint8_t *p) {
    uint64_t numbers[QUIPU__KEYED_NUMBERS];
    numbers[of.peer] = quipu__otf_use(&model->locations, batch->peer[i]);
    if (!numbers[of.peer])
        return NULL;
    numbers[of.bytes] = quipu__otf_cut(batch->bytes[i]);
    numbers[of.tag] = (uint32_t)batch->tag[i];
    numbers[of.group] = quipu__otf_use(&model->groups, batch->group[i]);
    return quipu__keyed_write(pattern, p, numbers);
}

/* Enter, leave, send and recv without attributes. NULL for what must take the slow path. */
static uint8_t *write_fast(struct quipu__otf_model_writer *model, const struct quipu_batch *batch, uint32_t i,
                           uint8_t *p) {
    static const struct message_numbers of_send = {QUIPU__OTF_SendMsg_receiver, QUIPU__OTF_SendMsg_length,
                                                   QUIPU__OTF_SendMsg_type, QUIPU__OTF_SendMsg_group},
                                        of_recv = {QUIPU__OTF_RecvMsg_sendProc, QUIPU__OTF_RecvMsg_length,
                                                   QUIPU__OTF_RecvMsg_type, QUIPU__OTF_RecvMsg_group};
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[i];
    const struct quipu__keyed_pattern *const pattern = model->patterns[kind];
    if (!pattern)
        return NULL;
    if (kind == QUIPU_KIND_enter || kind == QUIPU_KIND_leave)
        return write_call(model, batch, i, pattern, kind == QUIPU_KIND_enter, p);
    return write_message(model, batch, i, pattern, kind == QUIPU_KIND_send ? of_send : of_recv, p);
}

static bool put_fast(struct quipu__otf_model_writer *model, const struct quipu_batch *batch, uint32_t i,
                     uint64_t time) {
    struct quipu__buffer *text = &model->writer->text;
    struct quipu__keyed_state *clock = &quipu__otf_current(model->writer)->clock;
    const struct quipu__keyed_state before = *clock;
    uint8_t *const start = quipu__buffer_room(text, FAST_BYTES);
    if (!start)
        return false;
    uint8_t *p = write_state(start, clock, time, model->locations.at.items[batch->location[i]].token);
    p = write_fast(model, batch, i, p);
    if (!p) {
        *clock = before;
        return false;
    }
    text->len += (size_t)(p - start);
    return true;
}

/* ---- One event ---- */

/* Notes the range of times for the definitions. */
static void note_time(struct quipu__otf_model_writer *model, uint64_t time) {
    if (!model->has_times || time < model->first)
        model->first = time;
    if (!model->has_times || time > model->last)
        model->last = time;
    model->has_times = true;
}

/* Times before 0 cannot be written: a trace that begins so is moved by its clock's origin. False for times that cannot be
 * written: events get that of the one before, as do those whose times go back. */
static bool file_time(struct quipu__otf_model_writer *model, int64_t time, uint64_t *out) {
    if (!model->has_times && time < 0 && model->definitions->clock.origin > 0)
        model->shift = model->definitions->clock.origin;
    const int64_t ticks = quipu__otf_file_time(model, time);
    *out = (uint64_t)ticks;
    return ticks >= 0;
}

/* Times of a file of events do not go back, except to 0. */
static bool goes_back(const struct quipu__otf_output *output, uint64_t time) {
    return time < output->clock.time && time > 0;
}

/* The slow path: through a record. */
static void put_one(struct quipu__otf_model_writer *model, const struct quipu_batch *batch, uint32_t i,
                    uint32_t *cursor, uint64_t time) {
    struct quipu_event event;
    struct quipu__otf_made made = {.type = QUIPU__OTF_TYPE_COUNT};
    quipu__batch_event(batch, i, cursor, &event);
    quipu__scratch_reset(&model->scratch);
    if (!quipu__otf_make(model, &event, &made))
        model->writer->writing->dropped[event.kind]++;
    else if (made.type != QUIPU__OTF_TYPE_COUNT)
        put_made(model, &event, time, &made);
}

static enum quipu_status put_event(struct quipu__otf_model_writer *model, const struct quipu_batch *batch,
                                   uint32_t i, uint32_t *cursor, struct quipu_error *err) {
    struct quipu__otf_writer *writer = model->writer;
    const enum quipu_kind kind = (enum quipu_kind)batch->kind[i];
    uint64_t time;
    while (*cursor < batch->attribute_count && batch->attributes[*cursor].event < i)
        ++*cursor; /* those of a dropped event */
    const bool has_attributes = *cursor < batch->attribute_count && batch->attributes[*cursor].event == i;
    const bool has_time = file_time(model, batch->time[i], &time);
    const bool follows_others =
        kind != QUIPU_KIND_marker && kind != QUIPU_KIND_summary && kind != QUIPU_KIND_snapshot;
    if (!quipu__otf_can_make(kind) || batch->location[i] >= model->location_streams.count ||
        (!has_time && !follows_others)) {
        writer->writing->dropped[kind]++;
        return QUIPU_OK;
    }
    enum quipu_status status = QUIPU_OK;
    /* Summaries are in the order of their times. */
    if (kind == QUIPU_KIND_summary && time > 0 && time < model->summaries.time) {
        time = model->summaries.time;
        writer->writing->approximated[kind]++;
    }
    if (kind == QUIPU_KIND_summary)
        status = begin_summary(model, batch->location[i], time, err);
    if (status == QUIPU_OK)
        status = use_file_of(model, kind, batch->location[i], err);
    if (status != QUIPU_OK)
        return status;
    const struct quipu__otf_output *output = quipu__otf_current(writer);
    /* Without it a call would have no other side. */
    if (!has_time || (follows_others && goes_back(output, time))) {
        time = output->clock.time;
        writer->writing->approximated[kind]++;
    }
    note_time(model, time);
    if (has_attributes || writer->is_long || !put_fast(model, batch, i, time))
        put_one(model, batch, i, cursor, time);
    return quipu__otf_flush(writer, false, err);
}

/* ---- The whole ---- */

static enum quipu_status start_model(struct quipu__otf_writer *writer, struct quipu_error *err) {
    struct quipu__memory *memory = writer->writing->memory;
    struct quipu__otf_model_writer *model = quipu__alloc_zero(memory, sizeof *model);
    if (!model)
        return quipu__no_memory(err, sizeof *model);
    writer->model = model;
    model->writer = writer;
    model->definitions = writer->writing->definitions;
    model->scale =
        model->definitions->clock.per_seconds > 1 ? (int64_t)model->definitions->clock.per_seconds : 1;
    model->latest = (INT64_MAX - 1) / model->scale; /* the limit of sums is not a time */
    quipu__scratch_init(&model->scratch, memory);
    init_tokens(model);
    init_summaries(model);
    model->scanner = quipu__keyed_scanner_new(memory, &quipu__otf_grammar, QUIPU__OTF_EVENTS);
    if (!model->scanner || !extend_tokens(model))
        return quipu__no_memory(err, sizeof *model);
    find_patterns(model);
    if (writer->writing->options->streams)
        share_streams(model, writer->writing->options->streams);
    return QUIPU_OK;
}

void quipu__otf_free_model(struct quipu__otf_writer *writer) {
    struct quipu__otf_model_writer *model = writer->model;
    if (!model)
        return;
    release_tokens(model);
    release_summaries(model);
    quipu__scratch_release(&model->scratch);
    quipu__keyed_scanner_free(writer->writing->memory, model->scanner);
    QUIPU__VEC_RELEASE(writer->writing->memory, &model->location_streams);
    QUIPU__VEC_RELEASE(writer->writing->memory, &model->collop_operations);
    quipu__release(writer->writing->memory, model, sizeof *model);
    writer->model = NULL;
}

/* True for a location that is known to have its records in that stream. */
static bool is_of_stream(const struct quipu__otf_model_writer *model, uint32_t location, uint32_t stream) {
    return location < model->location_streams.count && model->location_streams.items[location].is_mapped &&
           model->location_streams.items[location].stream == stream;
}

/* Events from first on that go into the same file as the one before and are of the fast kinds, as many as fit into the
 * text at hand. Returns the first one that is not written. */
static uint32_t put_span(struct quipu__otf_model_writer *model, const struct quipu_batch *batch, uint32_t first,
                         uint32_t end) {
    struct quipu__buffer *text = &model->writer->text;
    struct quipu__otf_output *output = quipu__otf_current(model->writer);
    const uint32_t most = end - first < RUN_MOST ? end : first + RUN_MOST;
    uint8_t *const start = quipu__buffer_room(text, RUN_MOST * FAST_BYTES);
    uint8_t *p = start;
    uint32_t i = first;
    for (; start && i < most && is_of_stream(model, batch->location[i], output->id); i++) {
        const struct quipu__keyed_state before = output->clock;
        const int64_t time = quipu__otf_file_time(model, batch->time[i]);
        if (time < 0 || goes_back(output, (uint64_t)time))
            break;
        uint8_t *next =
            write_state(p, &output->clock, (uint64_t)time, model->locations.at.items[batch->location[i]].token);
        next = write_fast(model, batch, i, next);
        if (!next) {
            output->clock = before;
            break;
        }
        p = next;
        note_time(model, (uint64_t)time);
    }
    text->len += (size_t)(p - start);
    return i;
}

/* Long lines are for the encoder. */
static bool may_span(const struct quipu__otf_writer *writer) {
    return !writer->is_long && writer->current != QUIPU_NONE &&
           writer->outputs.items[writer->current].file == QUIPU__OTF_EVENTS;
}

enum quipu_status quipu__otf_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                       struct quipu_error *err) {
    struct quipu__otf_writer *writer = writing->own;
    uint32_t cursor = 0;
    enum quipu_status status = writer->model ? QUIPU_OK : start_model(writer, err);
    if (status == QUIPU_OK && !extend_tokens(writer->model))
        status = quipu__no_memory(err, sizeof *writer->model);
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK;) {
        status = put_event(writer->model, batch, i, &cursor, err);
        const uint32_t end = cursor < batch->attribute_count ? batch->attributes[cursor].event : batch->count;
        const bool has_span = status == QUIPU_OK && i + 1 < end && may_span(writer);
        i = has_span ? put_span(writer->model, batch, i + 1, end) : i + 1;
    }
    return status;
}

static bool has_streams(const struct quipu__otf_model_writer *model) {
    for (uint32_t i = 0; i < model->location_streams.count; i++)
        if (model->location_streams.items[i].is_mapped)
            return true;
    return false;
}

/* OTF's tools cannot read a trace without streams: one without events has a stream for each of its processes. */
static void map_processes(struct quipu__otf_model_writer *model) {
    for (uint32_t i = 0; i < model->location_streams.count; i++)
        if (has_processes(model->definitions->locations.items[i].kind))
            stream_of(model, i);
}

/* Every stream of the master has a file of events: OTF's tools do not read a trace where one is missing. */
static enum quipu_status complete_streams(struct quipu__otf_model_writer *model, struct quipu_error *err) {
    struct quipu__otf_writer *writer = model->writer;
    enum quipu_status status = QUIPU_OK;
    if (!has_streams(model))
        map_processes(model);
    for (uint32_t i = 0; i < model->location_streams.count && status == QUIPU_OK; i++) {
        const struct quipu__otf_location_stream *assigned = &model->location_streams.items[i];
        if (!assigned->is_mapped)
            continue;
        status = quipu__otf_use_output(writer, QUIPU__OTF_EVENTS, assigned->stream, err);
        struct quipu__keyed_state *clock = &quipu__otf_current(writer)->clock;
        if (status == QUIPU_OK && clock->process == QUIPU__KEYED_NO_PROCESS)
            quipu__otf_encode_both_states(&writer->text, clock, model->first,
                                          model->locations.at.items[i].token);
    }
    return status;
}

enum quipu_status quipu__otf_finish_model(struct quipu__otf_writer *writer, struct quipu_error *err) {
    enum quipu_status status = put_summaries(writer->model, err);
    if (status == QUIPU_OK)
        status = complete_streams(writer->model, err);
    return status == QUIPU_OK ? quipu__otf_put_definitions(writer->model, err) : status;
}

/* clang-format off */
#define C(name) QUIPU__COLUMN(name)
static const struct quipu__kind_capability kinds_written[] = {
    {QUIPU_KIND_enter, C(object)},
    {QUIPU_KIND_leave, C(object)},
    {QUIPU_KIND_send, C(peer) | C(group) | C(tag) | C(bytes)},
    {QUIPU_KIND_recv, C(peer) | C(group) | C(tag) | C(bytes)},
    {QUIPU_KIND_collective_begin, C(object) | C(operation) | C(peer) | C(group) | C(bytes) | C(value) | C(id)},
    {QUIPU_KIND_collective_end, C(object) | C(operation) | C(peer) | C(group) | C(bytes) | C(value) | C(id)},
    {QUIPU_KIND_rma_begin, C(operation) | C(peer) | C(group) | C(tag) | C(bytes) | C(value)},
    {QUIPU_KIND_rma_end, C(peer) | C(group) | C(tag)},
    {QUIPU_KIND_io_open, C(object) | C(id) | C(operation)},
    {QUIPU_KIND_io_close, C(object) | C(id)},
    {QUIPU_KIND_io_begin, C(id)},
    {QUIPU_KIND_io_end, C(object) | C(operation) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_metric, C(object) | C(value)},
    {QUIPU_KIND_note, C(value)},
    {QUIPU_KIND_location_begin, 0},
    {QUIPU_KIND_location_end, 0},
    {QUIPU_KIND_marker, C(object) | C(value)},
    {QUIPU_KIND_snapshot, C(object) | C(operation) | C(value)},
    {QUIPU_KIND_summary, C(object) | C(operation) | C(peer) | C(group) | C(tag) | C(bytes) | C(value)},
};
#undef C
/* clang-format on */

const struct quipu__capabilities quipu__otf_capabilities = {
    .kinds = kinds_written,
    .kind_count = sizeof kinds_written / sizeof *kinds_written,
    .statistics =
        ~(QUIPU__STATISTIC(CALL_BYTES) | QUIPU__STATISTIC(CALL_BYTES_RECEIVED) | QUIPU__STATISTIC(CALL_SIZES)),
    .definitions = ~(QUIPU__DEFINES(channels) | QUIPU__DEFINES(task_types)),
    .attributes = true,
};
