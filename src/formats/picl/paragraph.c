/* paragraph.c: what ParaGraph asks of a trace, beyond the rules of the format: one process on each processor, processors 0 to
 * P-1, records sorted by time, -901 entry and exit at every processor, and the other side of every message. Records of the
 * host, definitions, messages and statistics are ignored, as ParaGraph ignores them. */
#include "formats/picl/format.h"

#include "core/error.h"

#include <inttypes.h>

enum rule { RULE_PROCESSES, RULE_PROCESSORS, RULE_SORTED, RULE_TRACING, RULE_PEER };

static const struct quipu_rule rules[] = {
    [RULE_PROCESSES] = {"I18", QUIPU_ERROR_FINDING,
                        "several processes on one processor, which ParaGraph does not know", "", NULL},
    [RULE_PROCESSORS] = {"I19", QUIPU_ERROR_FINDING, "processor ids are not 0 to P-1, as ParaGraph needs them",
                         "", NULL},
    [RULE_SORTED] = {"paragraph.sorted", QUIPU_ERROR_FINDING, "records are not sorted by time", "", NULL},
    [RULE_TRACING] = {"paragraph.tracing", QUIPU_ERROR_FINDING, "processor without -901 entry or exit", "",
                      NULL},
    [RULE_PEER] = {"paragraph.peer", QUIPU_ERROR_FINDING, "send or receive that does not say the other side",
                   "", NULL},
};

struct tracing {
    bool has_entry, has_exit;
};

struct paragraph {
    struct quipu__picl_trace *own;
    struct quipu__picl_record record;
    struct tracing *tracing; /* per process */
    int64_t time;
    bool has_time, is_unsorted;
};

static void find(const struct paragraph *paragraph, enum rule rule, uint64_t line, int64_t processor) {
    const struct quipu__where where = {paragraph->own->trace->path, QUIPU_UNKNOWN, line, QUIPU_UNKNOWN, "", ""};
    quipu__find(paragraph->own->trace->findings, &rules[rule], &where, "", "processor %" PRId64, processor);
}

/* Whether a record is of an event of a processor, which ParaGraph looks at. */
static bool is_looked_at(const struct quipu__picl_record *record) {
    return record->record_type >= QUIPU__PICL_EXIT && record->processor >= 0 &&
           record->processor != QUIPU__PICL_HOST;
}

static void check_order(struct paragraph *paragraph) {
    int64_t time;
    quipu__picl_to_ticks(&paragraph->record.time, paragraph->own->decimals, &time);
    if (paragraph->has_time && time < paragraph->time && !paragraph->is_unsorted) {
        paragraph->is_unsorted = true;
        find(paragraph, RULE_SORTED, paragraph->record.line, paragraph->record.processor);
    }
    paragraph->has_time = true;
    paragraph->time = time;
}

static void check_peer(const struct paragraph *paragraph) {
    const struct quipu__picl_record *record = &paragraph->record;
    const struct quipu__picl_event *row = quipu__picl_row_of(paragraph->own, record->event_type);
    const struct quipu__picl_layout *layout = row ? quipu__picl_layout_of_peer(row, record->record_type) : NULL;
    const int index = layout ? quipu__picl_field_index(layout, QUIPU__PICL_PROCESSOR) : -1;
    int64_t peer;
    if (index >= 0 && !quipu__picl_integer(record, (uint32_t)index, &peer))
        find(paragraph, RULE_PEER, record->line, record->processor);
}

static void check_record(void *context) {
    struct paragraph *paragraph = context;
    const struct quipu__picl_record *record = &paragraph->record;
    const uint32_t process = quipu__picl_process_of(paragraph->own, record->processor, record->process);
    if (!is_looked_at(record) || process == QUIPU_NONE)
        return;
    check_order(paragraph);
    check_peer(paragraph);
    if (record->event_type != QUIPU__PICL_TRACING)
        return;
    paragraph->tracing[process].has_entry |= record->record_type == QUIPU__PICL_ENTRY;
    paragraph->tracing[process].has_exit |= record->record_type == QUIPU__PICL_EXIT;
}

static void check_processors(const struct paragraph *paragraph) {
    int64_t last = -1, expected = 0;
    for (size_t i = 0; i < paragraph->own->processes.count; i++) {
        const struct quipu__picl_process *process = &paragraph->own->processes.items[i];
        if (!process->is_traced || process->processor < 0 || process->processor == QUIPU__PICL_HOST)
            continue;
        if (process->processor == last)
            find(paragraph, RULE_PROCESSES, QUIPU_UNKNOWN, last);
        else if (process->processor != expected++)
            find(paragraph, RULE_PROCESSORS, QUIPU_UNKNOWN, process->processor);
        if (!paragraph->tracing[i].has_entry || !paragraph->tracing[i].has_exit)
            find(paragraph, RULE_TRACING, QUIPU_UNKNOWN, process->processor);
        last = process->processor;
    }
}

enum quipu_status quipu__picl_check_paragraph(struct quipu__trace *trace, struct quipu_error *err) {
    struct paragraph paragraph = {.own = trace->own};
    const size_t bytes = (paragraph.own->processes.count + 1) * sizeof *paragraph.tracing;
    paragraph.tracing = quipu__alloc_zero(trace->memory, bytes);
    if (!paragraph.tracing)
        return quipu__no_memory(err, bytes);
    const enum quipu_status status =
        quipu__picl_walk_all(paragraph.own, &paragraph.record, check_record, &paragraph, err);
    if (status == QUIPU_OK)
        check_processors(&paragraph);
    quipu__release(trace->memory, paragraph.tracing, bytes);
    return status;
}
