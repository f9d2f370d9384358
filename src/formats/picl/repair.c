/* repair.c: see repair.h. */
#include "formats/picl/repair.h"

#include "core/error.h"

#include <inttypes.h>

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
static struct quipu__picl_repaired_process *process_of(struct quipu__picl_output *out,
                                                       const struct quipu__picl_new *record) {
    struct quipu__picl_repair *repair = repair_of(out);
    const int64_t pair[2] = {record->processor, record->process};
    const uint64_t key = quipu__hash(pair, sizeof pair, 1);
    if (!repair)
        return NULL;
    const uint32_t number = quipu__map_get(&repair->numbers, key);
    if (number != QUIPU_NONE)
        return &repair->processes.items[number];
    struct quipu__picl_repaired_process *added = QUIPU__VEC_ADD(out->output->memory, &repair->processes);
    if (!added || !quipu__map_put(&repair->numbers, key, (uint32_t)repair->processes.count - 1))
        return NULL;
    added->processor = record->processor;
    added->process = record->process;
    quipu__picl_statistics_init(&added->calls, out->output->memory);
    return added;
}

enum quipu_status quipu__picl_repair_note(struct quipu__picl_output *out, const struct quipu__picl_new *record,
                                          struct quipu_error *err) {
    const bool is_call = record->record_type == QUIPU__PICL_ENTRY || record->record_type == QUIPU__PICL_EXIT;
    if (!is_call && record->record_type != QUIPU__PICL_MARK)
        return QUIPU_OK;
    struct quipu__picl_repaired_process *process = process_of(out, record);
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

static void add_exits(struct quipu__picl_output *out, const struct quipu__picl_repaired_process *process,
                      int64_t event, size_t count) {
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

static size_t active_of(const struct quipu__picl_repaired_process *process, int64_t event) {
    for (size_t i = 0; i < process->calls.events.count; i++)
        if (process->calls.events.items[i].event == event)
            return process->calls.events.items[i].active.count;
    return 0;
}

static void complete(struct quipu__picl_output *out, const struct quipu__picl_repaired_process *process) {
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

void quipu__picl_repair_finish(struct quipu__picl_output *out) {
    for (size_t i = 0; out->repair && i < out->repair->processes.count; i++)
        complete(out, &out->repair->processes.items[i]);
}

void quipu__picl_repair_free(struct quipu__picl_output *out) {
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
