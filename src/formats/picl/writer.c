/* writer.c: a trace under way: its one file, and records of the format itself. Records that were read are written as they were
 * spelled, unless the canonical spelling, or another one of the old format, is asked for. */
#include "formats/picl/writer.h"

#include "core/error.h"
#include "core/text.h"
#include "formats/picl/statistics.h"

#include <inttypes.h>

/* So much text is collected before it is handed on. */
#define FLUSH_BYTES ((size_t)64 << 10)

/* ---- Options ---- */

static enum quipu__picl_spelled spelled_of(const char *value) {
    static const char *const values[] = {[QUIPU__PICL_AS_READ] = "as-read",
                                         [QUIPU__PICL_TO_NEW] = "new",
                                         [QUIPU__PICL_TO_COMPRESSED] = "compressed",
                                         [QUIPU__PICL_TO_VERBOSE] = "verbose"};
    size_t i = 0;
    while (i + 1 < sizeof values / sizeof *values && strcmp(values[i], value) != 0)
        i++;
    return (enum quipu__picl_spelled)i;
}

static enum quipu_status take_options(struct quipu__picl_output *out, struct quipu_error *err) {
    const struct quipu__settings *settings = &out->output->settings;
    const char *decimals = quipu__settings_value(settings, QUIPU__PICL_OPTION_DECIMALS);
    uint64_t number = QUIPU__PICL_DEFAULT_DECIMALS;
    if (decimals &&
        (!quipu__parse_u64(decimals, strlen(decimals), &number) || number > QUIPU__PICL_DECIMALS_MOST)) {
        quipu__fail(err, QUIPU_MISUSE, "decimals cannot be %s", decimals);
        quipu__advise(err, "use 0 to %d", QUIPU__PICL_DECIMALS_MOST);
        return QUIPU_MISUSE;
    }
    out->decimals = (uint32_t)number;
    out->has_decimals = decimals != NULL;
    out->is_canonical = quipu__settings_say_yes(settings, QUIPU__PICL_OPTION_CANONICAL);
    out->spelled = spelled_of(quipu__settings_value(settings, QUIPU__PICL_OPTION_SPELLING));
    return QUIPU_OK;
}

/* ---- Completing the trace of a program that was killed ----
 *
 * Where the tracing of a process has not ended, exits are added for what is under way, and the exit of -901 last. What is no record any
 * more is left out by the reader. */

struct repaired_process {
    int64_t processor, process;
    struct quipu__picl_decimal time; /* of its last event */
    struct quipu__picl_statistics calls;
};

struct quipu__picl_repair {
    QUIPU__VEC(struct repaired_process) processes;
    struct quipu__map numbers; /* processor and process -> process */
};

static const struct quipu_rule exits_added = {
    .id = "picl.exits-added",
    .severity = QUIPU_NOTICE,
    .text = "tracing of a process has not ended; exits were added at the time of its last event",
    .advice = "",
};

static struct quipu__picl_repair *repair_of(struct quipu__picl_output *out) {
    struct quipu__memory *memory = out->output->memory;
    if (out->repair)
        return out->repair;
    out->repair = quipu__alloc_zero(memory, sizeof *out->repair);
    if (out->repair)
        quipu__map_init(&out->repair->numbers, memory);
    return out->repair;
}

/* The process of a record, which is added when it is new; NULL when memory is out. */
static struct repaired_process *process_of(struct quipu__picl_output *out,
                                           const struct quipu__picl_new *record) {
    struct quipu__picl_repair *repair = repair_of(out);
    const int64_t pair[2] = {record->processor, record->process};
    const uint64_t key = quipu__hash(pair, sizeof pair, repair ? repair->numbers.seed : 0);
    if (!repair)
        return NULL;
    const uint32_t number = quipu__map_get(&repair->numbers, key);
    if (number != QUIPU_NONE)
        return &repair->processes.items[number];
    struct repaired_process *added = QUIPU__VEC_ADD(out->output->memory, &repair->processes);
    if (!added || !quipu__map_put(&repair->numbers, key, (uint32_t)repair->processes.count - 1))
        return NULL;
    added->processor = record->processor;
    added->process = record->process;
    quipu__picl_statistics_init(&added->calls, out->output->memory);
    return added;
}

static enum quipu_status note_event(struct quipu__picl_output *out, const struct quipu__picl_new *record,
                                    struct quipu_error *err) {
    const bool is_call = record->record_type == QUIPU__PICL_ENTRY || record->record_type == QUIPU__PICL_EXIT;
    if (!is_call && record->record_type != QUIPU__PICL_MARK)
        return QUIPU_OK;
    struct repaired_process *process = process_of(out, record);
    if (!process)
        return quipu__no_memory(err, sizeof *process);
    const uint8_t *time = (const uint8_t *)record->timestamp;
    quipu__picl_read_decimal(time, time + quipu_sized_count(time), &process->time);
    if (record->record_type == QUIPU__PICL_EXIT)
        quipu__picl_count_exit(&process->calls, record->event_type, 0, -1);
    else if (is_call && !quipu__picl_count_entry(&process->calls, record->event_type, 0, -1, 0, 0))
        return quipu__no_memory(err, sizeof *process);
    return QUIPU_OK;
}

static void add_exits(struct quipu__picl_output *out, const struct repaired_process *process, int64_t event,
                      size_t count) {
    const struct quipu__picl_record record = {.record_type = QUIPU__PICL_EXIT,
                                              .event_type = event,
                                              .time = process->time,
                                              .processor = process->processor,
                                              .process = process->process,
                                              .is_fast = true};
    out->decimals = quipu__picl_decimals_of(&process->time);
    for (size_t i = 0; i < count; i++)
        quipu__picl_encode_record(out, &record);
    out->output->repairing->added += count;
}

static size_t active_of(const struct repaired_process *process, int64_t event) {
    for (size_t i = 0; i < process->calls.events.count; i++)
        if (process->calls.events.items[i].event == event)
            return process->calls.events.items[i].active.count;
    return 0;
}

static void complete(struct quipu__picl_output *out, const struct repaired_process *process) {
    const struct quipu__where where = QUIPU__WHERE_INIT;
    const size_t tracing = active_of(process, QUIPU__PICL_TRACING);
    if (tracing == 0)
        return;
    for (size_t i = 0; i < process->calls.events.count; i++) {
        const struct quipu__picl_occurrence *event = &process->calls.events.items[i];
        if (event->event != QUIPU__PICL_TRACING)
            add_exits(out, process, event->event, event->active.count);
    }
    add_exits(out, process, QUIPU__PICL_TRACING, tracing);
    quipu__find(out->output->repairing->changes, &exits_added, &where, "", "process %" PRId64 "/%" PRId64,
                process->processor, process->process);
}

static void finish_repair(struct quipu__picl_output *out) {
    for (size_t i = 0; out->repair && i < out->repair->processes.count; i++)
        complete(out, &out->repair->processes.items[i]);
}

static void free_repair(struct quipu__picl_output *out) {
    struct quipu__memory *memory = out->output->memory;
    if (!out->repair)
        return;
    for (size_t i = 0; i < out->repair->processes.count; i++)
        quipu__picl_statistics_release(&out->repair->processes.items[i].calls);
    QUIPU__VEC_RELEASE(memory, &out->repair->processes);
    quipu__map_release(&out->repair->numbers);
    quipu__release(memory, out->repair, sizeof *out->repair);
    out->repair = NULL;
}

/* ---- The file ---- */

static void abandon(struct quipu__output_trace *output) {
    struct quipu__picl_output *out = output->own;
    if (!out)
        return;
    quipu__picl_free_from_model(out);
    free_repair(out);
    quipu__buffer_release(&out->text);
    quipu__picl_decoder_release(&out->decoder);
    quipu__picl_scope_release(&out->scope);
    quipu__map_release(&out->starts);
    QUIPU__VEC_RELEASE(output->memory, &out->starts_us);
    quipu__release(output->memory, out, sizeof *out);
    output->own = NULL;
}

static enum quipu_status create(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__picl_output *out = quipu__alloc_zero(output->memory, sizeof *out);
    output->own = out;
    if (!out)
        return quipu__no_memory(err, sizeof *out);
    out->output = output;
    quipu__buffer_init(&out->text, output->memory, 0);
    quipu__picl_scope_init(&out->scope, output->memory);
    quipu__picl_decoder_init(&out->decoder, output->memory, &out->scope);
    quipu__map_init(&out->starts, output->memory);
    enum quipu_status status = take_options(out, err);
    if (status == QUIPU_OK)
        status = quipu__outputs_add(output->outputs, output->path, 0, &out->file, err);
    if (status != QUIPU_OK)
        abandon(output);
    return status;
}

enum quipu_status quipu__picl_flush(struct quipu__picl_output *out, bool at_end, struct quipu_error *err) {
    if (out->text.failed)
        return quipu__no_memory(err, out->text.len);
    if (out->text.len == 0 || (!at_end && out->text.len < FLUSH_BYTES))
        return QUIPU_OK;
    const enum quipu_status status = quipu__file_write(out->file, out->text.data, out->text.len, err);
    out->text.len = 0;
    return status;
}

static enum quipu_status finish(struct quipu__output_trace *output, struct quipu_error *err) {
    struct quipu__picl_output *out = output->own;
    finish_repair(out);
    return quipu__picl_flush(out, true, err);
}

/* ---- Records ---- */

static enum quipu_status begin_stream(struct quipu__output_trace *output, const struct quipu_stream *stream,
                                      struct quipu_error *err) {
    (void)output, (void)stream, (void)err;
    return QUIPU_OK;
}

static void put_spelling(struct quipu__picl_output *out, const struct quipu__picl_spelling *spelling) {
    quipu__put(&out->text, spelling->text, spelling->len);
    quipu__picl_end_line(&out->text);
}

/* What is repaired begins with a line of all that stands in front of the values, since the first lines show which of the formats it is. */
static bool is_to_be_one_line(const struct quipu__picl_output *out,
                              const struct quipu__picl_spelling *spelling) {
    return out->output->repairing && out->byte == 1 && memchr(spelling->text, '\n', spelling->len);
}

/* Whether a repaired trace would begin like one of the old format: with a line of integers, none below 0. Times of the new format have a fraction. */
static bool looks_old(const struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    const uint32_t len = quipu_sized_count(record->timestamp);
    return out->output->repairing && out->byte == 1 && record->record_type >= 0 &&
           !memchr(record->timestamp, '.', len);
}

/* Definitions of descriptors change what numbers mean from here on. */
static bool note_alias(struct quipu__picl_output *out, const struct quipu__picl_new *record) {
    const struct quipu_value *values = record->values;
    if (record->record_type != QUIPU__PICL_ALIAS || quipu_sized_count(values) != 2 ||
        values[1].type != QUIPU_VALUE_STRING)
        return true;
    const struct quipu__picl_alias alias = {
        .byte = out->byte,
        .number = values[0].i,
        .event = record->event_type,
        .processor = record->processor,
        .process = record->process,
        .control = values[1].data,
        .len = values[1].size,
    };
    return quipu__picl_add_alias(&out->scope, &alias);
}

static enum quipu_status put_new(struct quipu__picl_output *out, const struct quipu__picl_new *record,
                                 struct quipu_error *err) {
    if (out->spelled > QUIPU__PICL_TO_NEW)
        return quipu__fail(err, QUIPU_UNSUPPORTED,
                           "records of the new format cannot be written in the old one");
    out->byte++;
    const uint32_t decimals = out->decimals;
    const bool needs_fraction = looks_old(out, record);
    if (needs_fraction && decimals == 0)
        out->decimals = 1;
    if (record->spelling.text && !out->is_canonical && !is_to_be_one_line(out, &record->spelling) &&
        !needs_fraction)
        put_spelling(out, &record->spelling);
    else
        quipu__picl_encode(out, record);
    out->decimals = decimals;
    if (!note_alias(out, record))
        return quipu__no_memory(err, sizeof *record);
    return out->output->repairing ? note_event(out, record, err) : QUIPU_OK;
}

/* When tracing begins at a node. */
static bool note_start(struct quipu__picl_output *out, const struct quipu__picl_old *record) {
    if (record->key != QUIPU__PICL_OLD_START)
        return true;
    return QUIPU__VEC_PUT(out->output->memory, &out->starts_us, record->time_us) &&
           quipu__map_put(&out->starts, (uint64_t)record->node, (uint32_t)out->starts_us.count - 1);
}

/* The records of the new format that an old one stands for. */
static void put_converted(struct quipu__picl_output *out, const struct quipu__picl_old *record) {
    struct quipu__picl_old_decoder old = {.converted_count = 0};
    const struct quipu__picl_old_record from = {.key = record->key,
                                                .time_us = record->time_us,
                                                .node = record->node,
                                                .values = record->values,
                                                .value_count = quipu_sized_count(record->values)};
    quipu__picl_old_to_new(&old, &from);
    for (unsigned i = 0; i < old.converted_count; i++)
        quipu__picl_encode_record(out, &old.converted[i]);
}

static enum quipu_status put_old(struct quipu__picl_output *out, const struct quipu__picl_old *record,
                                 struct quipu_error *err) {
    const bool is_as_read = out->spelled == QUIPU__PICL_AS_READ;
    if (!note_start(out, record))
        return quipu__no_memory(err, sizeof *record);
    if (out->spelled == QUIPU__PICL_TO_NEW)
        put_converted(out, record);
    else if (is_as_read && record->spelling.text && !out->is_canonical)
        put_spelling(out, &record->spelling);
    else
        quipu__picl_encode_old(out, record,
                               is_as_read ? record->is_verbose : out->spelled == QUIPU__PICL_TO_VERBOSE);
    return QUIPU_OK;
}

static enum quipu_status put_record(struct quipu__output_trace *output, const struct quipu_record *record,
                                    struct quipu_error *err) {
    struct quipu__picl_output *out = output->own;
    const enum quipu_status status = record->type->group == QUIPU__PICL_GROUP_NEW
                                         ? put_new(out, record->data, err)
                                         : put_old(out, record->data, err);
    return status == QUIPU_OK ? quipu__picl_flush(out, false, err) : status;
}

const struct quipu__copying quipu__picl_copying = {
    .begin_stream = begin_stream,
    .put_record = put_record,
};

const struct quipu__writing quipu__picl_writing = {
    .order = QUIPU_ORDER_TIME,
    .capabilities = &quipu__picl_capabilities,
    .create = create,
    .put_batch = quipu__picl_put_batch,
    .end_events = quipu__picl_end_events,
    .finish = finish,
    .abandon = abandon,
};
