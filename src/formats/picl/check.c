/* check.c: the rules about the trace as a whole, in one pass over its records in the order of the file. What is wrong with single
 * records is found wherever they are read (decode.c). */
#include "formats/picl/format.h"
#include "formats/picl/statistics.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const struct quipu_rule quipu__picl_rules[QUIPU__PICL_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/picl/rules.def"
#undef RULE
};

/* How far a time may be off: this many seconds per occurrence. */
#define TIME_TOLERANCE 2.5e-6

/* Statistics that are compared at the end. */
#define LATER_MOST 4096

struct checked_process {
    struct quipu__picl_statistics statistics;
    int64_t time; /* of the last record */
    bool has_time, has_started, is_tracing;
    bool has_reported_time, has_reported_before, has_reported_outside;
};

/* One pair of a statistics record. */
struct written {
    uint32_t process;
    int64_t record_type, event, relative_to;
    double value;
    uint64_t byte;
};

struct checking {
    struct quipu__picl_trace *own;
    struct quipu__memory *memory;
    struct quipu__picl_record record;
    struct checked_process *processes;
    QUIPU__VEC(int64_t) sets;         /* that statistics are about */
    QUIPU__VEC(struct written) later; /* statistics that did not agree where they stand */
    bool has_host;
};

static void release(struct checking *checking) {
    const size_t count = checking->own->processes.count;
    for (size_t i = 0; checking->processes && i < count; i++)
        quipu__picl_statistics_release(&checking->processes[i].statistics);
    quipu__release(checking->memory, checking->processes,
                   checking->processes ? (count + 1) * sizeof *checking->processes : 0);
    QUIPU__VEC_RELEASE(checking->memory, &checking->sets);
    QUIPU__VEC_RELEASE(checking->memory, &checking->later);
}

/* ---- Findings ---- */

static void find_at(const struct checking *checking, const struct quipu_rule *rule, uint64_t line,
                    uint64_t byte, const char *found, ...) QUIPU_PRINTF(5, 6);
static void find_at(const struct checking *checking, const struct quipu_rule *rule, uint64_t line,
                    uint64_t byte, const char *found, ...) {
    const struct quipu__where where = {checking->own->trace->path, byte, line, QUIPU_UNKNOWN, "", ""};
    char text[160];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    quipu__find(checking->own->trace->findings, rule, &where, "", "%s", text);
}

#define RULE_OF(name) (&quipu__picl_rules[QUIPU__PICL_RULE_##name])
#define FIND(checking, name, ...)                                                                              \
    find_at((checking), RULE_OF(name), (checking)->record.line, (checking)->record.byte, __VA_ARGS__)

/* ---- Single records that need the definitions of the whole trace ---- */

static bool is_event_subset(const struct checking *checking, int64_t event) {
    return quipu__picl_subset_name(event) ||
           quipu__picl_find_subset(&checking->own->scope, QUIPU__PICL_EVENT_SUBSET, event, UINT64_MAX);
}

static void check_types(const struct checking *checking) {
    const struct quipu__picl_record *record = &checking->record;
    if (quipu__picl_type_of(record->record_type) == QUIPU__PICL_TYPE_unassigned)
        FIND(checking, UNKNOWN_RECORD_TYPE, "record type %" PRId64, record->record_type);
    if (record->event_type < 0 && !quipu__picl_event_of(record->event_type) &&
        !is_event_subset(checking, record->event_type))
        FIND(checking, UNKNOWN_EVENT, "event type %" PRId64, record->event_type);
}

static void check_kind(const struct checking *checking, const struct quipu__picl_event *row) {
    const struct quipu__picl_record *record = &checking->record;
    const bool is_mark = record->record_type == QUIPU__PICL_MARK;
    const bool is_expected =
        row->kinds != QUIPU__PICL_WRITES_NEVER && is_mark == (row->kinds == QUIPU__PICL_WRITES_MARK);
    if (!is_expected)
        FIND(checking, UNUSUAL_KIND, "%s of event %" PRId64 " (%s)",
             quipu__picl_schema.types[quipu__picl_type_of(record->record_type)].name, row->number, row->name);
    const int most = quipu__picl_fields_most(row, record->record_type);
    if (most >= 0 && record->value_count > (uint32_t)most)
        FIND(checking, MORE_FIELDS, "%" PRIu32 " data fields of event %" PRId64 ", which has %d",
             record->value_count, row->number, most);
}

/* Records that are about what happened at one process. */
static void check_where(struct checking *checking) {
    const struct quipu__picl_record *record = &checking->record;
    if (record->processor < 0 || record->process < QUIPU__PICL_ALL)
        FIND(checking, NO_PROCESS, "processor %" PRId64 ", process %" PRId64, record->processor,
             record->process);
    if (record->processor == QUIPU__PICL_HOST && !checking->has_host) {
        checking->has_host = true;
        FIND(checking, HOST, " ");
    }
}

static void check_event(struct checking *checking) {
    const struct quipu__picl_record *record = &checking->record;
    const struct quipu__picl_event *row = quipu__picl_row_of(checking->own, record->event_type);
    if (row)
        check_kind(checking, row);
    else if (record->event_type < QUIPU__PICL_ALL && is_event_subset(checking, record->event_type))
        FIND(checking, SUBSET_EVENT, "event type %" PRId64, record->event_type);
}

static void check_subset(const struct checking *checking) {
    const struct quipu__picl_record *record = &checking->record;
    int64_t identifier = 0;
    quipu__picl_integer(record, 0, &identifier);
    const bool is_event = record->record_type == QUIPU__PICL_EVENT_SUBSET &&
                          (quipu__picl_event_of(identifier) || quipu__picl_subset_name(identifier));
    if (identifier >= QUIPU__PICL_ALL || is_event)
        FIND(checking, SUBSET_NUMBER, "subset %" PRId64, identifier);
}

/* ---- The life of a process ---- */

static void check_order(struct checking *checking, struct checked_process *process, int64_t time) {
    if (process->has_time && time < process->time && !process->has_reported_time) {
        process->has_reported_time = true;
        FIND(checking, TIME_BACK, "process %" PRId64 "/%" PRId64, checking->record.processor,
             checking->record.process);
    }
    process->has_time = true;
    process->time = time;
}

static bool is_entry_of_tracing(const struct quipu__picl_record *record) {
    return record->event_type == QUIPU__PICL_TRACING && record->record_type == QUIPU__PICL_ENTRY;
}

/* Where an event stands in the tracing of its process. */
static void check_tracing(struct checking *checking, struct checked_process *process) {
    const struct quipu__picl_record *record = &checking->record;
    const bool is_entry = is_entry_of_tracing(record);
    const bool is_outside = !is_entry && process->has_started && !process->is_tracing;
    if (record->processor < 0)
        return;
    if (!is_entry && !process->has_started && !process->has_reported_before) {
        process->has_reported_before = true;
        FIND(checking, BEFORE_TRACING, "process %" PRId64 "/%" PRId64, record->processor, record->process);
    }
    if ((is_outside || (is_entry && process->is_tracing)) && !process->has_reported_outside) {
        process->has_reported_outside = true;
        FIND(checking, OUTSIDE_TRACING, is_entry ? "second entry" : "event behind the exit");
    }
    if (is_entry)
        process->has_started = process->is_tracing = true;
    else if (record->event_type == QUIPU__PICL_TRACING && record->record_type == QUIPU__PICL_EXIT)
        process->is_tracing = false;
}

int64_t quipu__picl_volume_of(const struct quipu__picl_record *record, const struct quipu__picl_event *row) {
    const bool is_mark = record->record_type == QUIPU__PICL_MARK,
               is_exit = record->record_type == QUIPU__PICL_EXIT;
    const bool is_of_exit = row && row->volume == QUIPU__PICL_VOLUME_EXIT;
    if (!row || (!is_of_exit && row->volume != QUIPU__PICL_VOLUME_ENTRY) || (!is_mark && is_exit != is_of_exit))
        return -1;
    const int index = quipu__picl_field_index(is_of_exit ? row->exit : row->entry, QUIPU__PICL_BYTES);
    const int before = is_mark && is_of_exit ? row->entry->count : 0;
    int64_t volume;
    return index >= 0 && quipu__picl_integer(record, (uint32_t)(index + before), &volume) ? volume : -1;
}

static void count_event(struct checking *checking, struct checked_process *process, int64_t time) {
    const struct quipu__picl_record *record = &checking->record;
    const int64_t volume = quipu__picl_volume_of(record, quipu__picl_row_of(checking->own, record->event_type));
    if (record->record_type == QUIPU__PICL_ENTRY)
        quipu__picl_count_entry(&process->statistics, record->event_type, time, volume, record->line,
                                record->byte);
    else if (record->record_type == QUIPU__PICL_MARK)
        quipu__picl_count_mark(&process->statistics, record->event_type, volume);
    else if (!quipu__picl_count_exit(&process->statistics, record->event_type, time, volume))
        FIND(checking, EXIT_ONLY, "event %" PRId64, record->event_type);
}

/* ---- Statistics ---- */

static double seconds_of(const struct checking *checking, int64_t ticks) {
    return (double)ticks / (double)quipu__picl_power_of_ten(checking->own->decimals);
}

static double number_of(const struct quipu_value *value) {
    if (value->type == QUIPU_VALUE_F64)
        return value->f;
    return value->type == QUIPU_VALUE_U64 ? (double)value->u : (double)value->i;
}

/* Whether a figure of the file agrees with what the events say. */
static bool agrees(const struct checking *checking, const struct written *written,
                   const struct quipu__picl_figures *figures) {
    const double most = TIME_TOLERANCE * (figures->count > 1 ? (double)figures->count : 1);
    double difference;
    switch (written->record_type) {
    case QUIPU__PICL_TIMES:
        difference = written->value - seconds_of(checking, figures->time);
        return !figures->has_time || (difference <= most && -difference <= most);
    case QUIPU__PICL_COUNTS:
        difference = written->value - (double)figures->count;
        break;
    case QUIPU__PICL_VOLUMES:
        difference = figures->has_volume ? written->value - (double)figures->volume : 0;
        break;
    default:
        return true;
    }
    return !(difference < 0) && !(difference > 0);
}

/* Whether a statistic agrees with the events up to a time. Events that do not occur are not checked. */
static bool is_right(const struct checking *checking, const struct written *written, int64_t time,
                     struct quipu__picl_figures *figures) {
    const struct quipu__picl_statistics *statistics = &checking->processes[written->process].statistics;
    return !quipu__picl_figures_of(statistics, written->event, written->relative_to, time, figures) ||
           agrees(checking, written, figures);
}

static void report_statistic(const struct checking *checking, const struct written *written,
                             const struct quipu__picl_figures *figures) {
    const struct quipu__picl_process *process = &checking->own->processes.items[written->process];
    const char *what = quipu__picl_schema.types[quipu__picl_type_of(written->record_type)].name;
    find_at(checking, RULE_OF(STATISTIC), QUIPU_UNKNOWN, written->byte,
            "%s of event %" PRId64 " inside of %" PRId64 " at process %" PRId64 "/%" PRId64
            ": %.9g; by the events count %" PRIu64 ", time %.9g, volume %" PRId64,
            what, written->event, written->relative_to, process->processor, process->process, written->value,
            figures->count, seconds_of(checking, figures->time), figures->volume);
}

/* A statistic is a sample at its time; one that is about more than what stands before it is compared at the end. */
static void check_statistic(struct checking *checking, const struct written *written, int64_t time) {
    struct quipu__picl_figures figures;
    const bool is_trace_volume =
        written->event == QUIPU__PICL_TRACING && written->record_type == QUIPU__PICL_VOLUMES;
    if (is_trace_volume || (written->value >= -1 && written->value <= -1) ||
        is_right(checking, written, time, &figures))
        return;
    struct written *deferred =
        checking->later.count < LATER_MOST ? QUIPU__VEC_ADD(checking->memory, &checking->later) : NULL;
    if (deferred)
        *deferred = *written;
    else
        report_statistic(checking, written, &figures);
}

static void check_later(const struct checking *checking) {
    struct quipu__picl_figures figures;
    for (size_t i = 0; i < checking->later.count; i++)
        if (!is_right(checking, &checking->later.items[i], INT64_MIN, &figures))
            report_statistic(checking, &checking->later.items[i], &figures);
}

static void check_statistics(struct checking *checking, uint32_t process, int64_t time) {
    const struct quipu__picl_record *record = &checking->record;
    struct written written = {.process = process,
                              .record_type = record->record_type,
                              .relative_to = record->event_type,
                              .byte = record->byte};
    for (uint32_t i = 0; i + 1 < record->value_count; i += 2) {
        if (!quipu__picl_integer(record, i, &written.event))
            continue;
        written.value = record->is_fast ? (double)record->integers[i + 1] : number_of(&record->values[i + 1]);
        check_statistic(checking, &written, time);
    }
}

/* ---- One record ---- */

static void check_of_process(struct checking *checking, uint32_t number) {
    struct checked_process *process = &checking->processes[number];
    const struct quipu__picl_record *record = &checking->record;
    const int64_t type = record->record_type;
    int64_t time;
    quipu__picl_to_ticks(&record->time, checking->own->decimals, &time);
    if (type <= QUIPU__PICL_TIMES && type >= QUIPU__PICL_SIZES)
        check_statistics(checking, number, time);
    if (type < QUIPU__PICL_EXIT)
        return;
    check_where(checking);
    check_order(checking, process, time);
    if (type >= 0)
        return;
    check_event(checking);
    check_tracing(checking, process);
    count_event(checking, process, time);
}

static void check_record(void *context) {
    struct checking *checking = context;
    const struct quipu__picl_record *record = &checking->record;
    check_types(checking);
    switch (record->record_type) {
    case QUIPU__PICL_LABEL:
        return;
    case QUIPU__PICL_ALIAS:
        if (record->values[0].i < QUIPU__PICL_PREDEFINED)
            FIND(checking, PREDEFINED_ALIAS, "descriptor %" PRId64, record->values[0].i);
        return;
    case QUIPU__PICL_PROCESSOR_SUBSET:
    case QUIPU__PICL_PROCESS_SUBSET:
    case QUIPU__PICL_EVENT_SUBSET:
        check_subset(checking);
        return;
    default:
        break;
    }
    const uint32_t process = quipu__picl_process_of(checking->own, record->processor, record->process);
    if (process != QUIPU_NONE)
        check_of_process(checking, process);
}

/* ---- All of them ---- */

/* Which sets of events the statistics of the trace are about. */
static enum quipu_status collect_sets(struct checking *checking) {
    const struct quipu__picl_trace *own = checking->own;
    for (size_t i = 0; i < own->events.count && checking->sets.count < QUIPU__PICL_WATCHED_MOST; i++) {
        const int64_t event = own->events.items[i];
        if (is_event_subset(checking, event))
            quipu__gate_knows(QUIPU__VEC_PUT(checking->memory, &checking->sets, event));
    }
    return quipu__memory_status(checking->memory, NULL);
}

static enum quipu_status begin(struct checking *checking, struct quipu_error *err) {
    const size_t count = checking->own->processes.count;
    checking->processes = quipu__alloc_zero(checking->memory, (count + 1) * sizeof *checking->processes);
    if (!checking->processes || collect_sets(checking) != QUIPU_OK)
        return quipu__no_memory(err, (count + 1) * sizeof *checking->processes);
    for (size_t i = 0; i < count; i++) {
        struct quipu__picl_statistics *statistics = &checking->processes[i].statistics;
        quipu__picl_statistics_init(statistics, checking->memory);
        statistics->scope = &checking->own->scope;
        statistics->sets = checking->sets.items;
        statistics->set_count = checking->sets.count;
        for (size_t w = 0; w < checking->own->relatives.count; w++)
            quipu__picl_watch(statistics, checking->own->relatives.items[w]);
    }
    return QUIPU_OK;
}

/* Entries that are left. */
static void check_entries(const struct checking *checking, const struct quipu__picl_statistics *statistics) {
    for (size_t i = 0; i < statistics->events.count; i++) {
        const struct quipu__picl_occurrence *event = &statistics->events.items[i];
        const bool is_tracing = event->event == QUIPU__PICL_TRACING;
        for (size_t k = 0; k < event->active.count; k++) {
            const struct quipu__picl_instance *instance = &event->active.items[k];
            bool is_set = false;
            for (size_t s = 0; s < checking->sets.count; s++)
                is_set |= checking->sets.items[s] == event->event;
            if (!is_set)
                find_at(checking, is_tracing ? RULE_OF(NO_TRACING_EXIT) : RULE_OF(ENTRY_ONLY), instance->line,
                        instance->byte, "event %" PRId64, event->event);
        }
    }
}

/* Several processes on one processor, and numbers that are not 0 to P-1; the host is neither. */
static void check_processors(const struct checking *checking) {
    const struct quipu__picl_trace *own = checking->own;
    int64_t last = -1, expected = 0;
    bool has_several = false, has_gaps = false;
    for (size_t i = 0; i < own->processes.count; i++) {
        const struct quipu__picl_process *process = &own->processes.items[i];
        if (!process->is_traced || process->processor < 0 || process->processor == QUIPU__PICL_HOST)
            continue;
        has_several |= process->processor == last;
        if (process->processor != last)
            has_gaps |= process->processor != expected++;
        last = process->processor;
    }
    if (has_several)
        find_at(checking, RULE_OF(SEVERAL_PROCESSES), 1, 0, " ");
    if (has_gaps)
        find_at(checking, RULE_OF(PROCESSOR_NUMBERS), 1, 0, " ");
}

/* ---- The old format: rules about more than one record ---- */

struct node {
    int64_t time;
    bool has_time, has_reported_time, is_blocked;
};

static void find_old(const struct quipu__picl_trace *own, enum quipu__picl_rule rule,
                     const struct quipu__picl_old_record *record) {
    const struct quipu__where where = {own->trace->path, record->byte, record->line, QUIPU_UNKNOWN, "", ""};
    quipu__find(own->trace->findings, &quipu__picl_rules[rule], &where, "", "node %" PRId64, record->node);
}

/* Statistics and messages may stand out of order. */
static bool has_order(int64_t key) {
    return key != QUIPU__PICL_OLD_COMPSTATS && key != QUIPU__PICL_OLD_COMMSTATS &&
           key != QUIPU__PICL_OLD_MESSAGE;
}

static void check_old_record(const struct quipu__picl_trace *own, struct node *node,
                             const struct quipu__picl_old_record *record) {
    if (has_order(record->key)) {
        if (node->has_time && record->time_us < node->time && !node->has_reported_time) {
            find_old(own, QUIPU__PICL_RULE_OLD_TIME_BACK, record);
            node->has_reported_time = true;
        }
        node->has_time = true;
        node->time = record->time_us;
    }
    if (record->key == QUIPU__PICL_OLD_BLOCKING || record->key == QUIPU__PICL_OLD_WAKING) {
        const bool is_blocking = record->key == QUIPU__PICL_OLD_BLOCKING;
        if (node->is_blocked == is_blocking)
            find_old(own, QUIPU__PICL_RULE_OLD_WAKING, record);
        node->is_blocked = is_blocking;
    }
}

static enum quipu_status check_old(struct quipu__picl_trace *own, struct quipu_error *err) {
    const size_t bytes = (own->processes.count + 1) * sizeof(struct node);
    struct node *nodes = quipu__alloc_zero(own->trace->memory, bytes);
    struct quipu__picl_walk walk = {0};
    struct quipu__picl_old_record record;
    if (!nodes)
        return quipu__no_memory(err, bytes);
    enum quipu_status status = quipu__picl_walk_open(&walk, own, QUIPU__PICL_SCAN_WINDOW, err);
    while (status == QUIPU_OK) {
        bool is_record;
        status = quipu__picl_walk_old_step(&walk, &record, &is_record, err);
        if (status != QUIPU_OK || !is_record)
            continue;
        const int64_t processor = record.node == QUIPU__PICL_OLD_HOST ? QUIPU__PICL_HOST : record.node;
        const uint32_t process = quipu__picl_process_of(own, processor, QUIPU__PICL_ALL);
        if (process != QUIPU_NONE)
            check_old_record(own, &nodes[process], &record);
    }
    quipu__picl_walk_close(&walk);
    quipu__release(own->trace->memory, nodes, bytes);
    return status == QUIPU_END ? QUIPU_OK : status;
}

enum quipu_status quipu__picl_check(struct quipu__trace *trace, struct quipu_error *err) {
    struct quipu__picl_trace *own = trace->own;
    struct checking checking = {.own = own, .memory = trace->memory};
    if (own->variant != QUIPU__PICL_NEW_FORMAT)
        return check_old(own, err);
    enum quipu_status status = begin(&checking, err);
    if (status == QUIPU_OK)
        status = quipu__picl_walk_all(own, &checking.record, check_record, &checking, err);
    if (status == QUIPU_OK)
        status = quipu__memory_status(trace->memory, err);
    for (size_t i = 0; status == QUIPU_OK && i < own->processes.count; i++)
        check_entries(&checking, &checking.processes[i].statistics);
    if (status == QUIPU_OK) {
        check_later(&checking);
        check_processors(&checking);
    }
    release(&checking);
    return status;
}
