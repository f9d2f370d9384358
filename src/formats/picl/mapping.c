/* mapping.c: what the record types become in events, for the conversion report. What the events are is in to_model.c. */
#include "formats/picl/figures.h"

#define KIND(name) QUIPU_KIND_BIT(QUIPU_KIND_##name)
#define KINDS_OF_ENTRIES (KIND(enter) | KIND(send) | KIND(collective_begin) | KIND(io_close) | KIND(io_begin))
#define KINDS_OF_EXITS                                                                                         \
    (KIND(leave) | KIND(send_complete) | KIND(recv_post) | KIND(recv) | KIND(collective_end) | KIND(io_open) | \
     KIND(io_end))
#define KINDS_OF_MARKS (KIND(enter) | KIND(leave) | KIND(send) | KIND(recv) | KIND(gap))

#define EXACT(member)                                                                                          \
    { QUIPU__PICL_entry_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0 }

#define DESCRIPTOR                                                                                             \
    {                                                                                                          \
        QUIPU__PICL_entry_descriptor, QUIPU__OUTCOME_RESPELLED, QUIPU_COLUMN_COUNT,                            \
            "what its values are is kept, how they were spelled is not", 0                                     \
    }

/* Fields are numbered alike in all records of the new format. The count follows from the values. */
static const struct quipu__field_outcome fields_of_events[] = {
    EXACT(record_type), {QUIPU__PICL_entry_event_type, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_object, "", 0},
    EXACT(timestamp),   EXACT(processor),
    EXACT(process),     EXACT(count),
    DESCRIPTOR,         EXACT(values),
};
#define FIELDS_OF_EVENTS fields_of_events, sizeof fields_of_events / sizeof *fields_of_events

/* Values of statistics are one figure each; times are in ticks. */
#define STATISTICS(name, outcome, reason, statistics)                                                          \
    static const struct quipu__field_outcome fields_of_##name[] = {                                            \
        EXACT(record_type), {QUIPU__PICL_entry_event_type, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_id, "", 0},      \
        EXACT(timestamp),   EXACT(processor),                                                                  \
        EXACT(process),     EXACT(count),                                                                      \
        DESCRIPTOR,         {QUIPU__PICL_entry_values, outcome, QUIPU_COLUMN_value, reason, statistics}};      \
    static const struct quipu__mapping name = {KIND(summary), false, fields_of_##name,                         \
                                               sizeof fields_of_##name / sizeof *fields_of_##name, 0}

STATISTICS(times, QUIPU__OUTCOME_APPROXIMATED, "seconds are rounded to ticks of the clock",
           QUIPU__PICL_STATISTICS_OF_TIMES);
STATISTICS(counts, QUIPU__OUTCOME_EXACT, "", QUIPU__PICL_STATISTICS_OF_COUNTS);
STATISTICS(volumes, QUIPU__OUTCOME_EXACT, "", QUIPU__PICL_STATISTICS_OF_VOLUMES);
STATISTICS(received_volumes, QUIPU__OUTCOME_EXACT, "", QUIPU__STATISTIC(CALL_BYTES_RECEIVED));
STATISTICS(sizes, QUIPU__OUTCOME_EXACT, "", QUIPU__STATISTIC(CALL_SIZES));

#define EXACT_OLD(member)                                                                                      \
    { QUIPU__PICL_trace_start_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0 }
static const struct quipu__field_outcome fields_of_old[] = {EXACT_OLD(key), EXACT_OLD(time_us), EXACT_OLD(node),
                                                            EXACT_OLD(values)};

/* What definitions become part of. */
static const struct quipu__mapping definition = {.is_definition = true},
                                   label = {.is_definition = true,
                                            .definitions = QUIPU__DEFINES(regions) | QUIPU__DEFINES(locations)},
                                   group = {.is_definition = true, .definitions = QUIPU__DEFINES(groups)},
                                   role = {.is_definition = true, .definitions = QUIPU__DEFINES(regions)};

const struct quipu__mapping *quipu__picl_mapping_of(uint32_t type) {
    static const struct quipu__mapping user = {KIND(marker), false, FIELDS_OF_EVENTS, 0};
    static const struct quipu__mapping mark = {KINDS_OF_MARKS, false, FIELDS_OF_EVENTS, 0},
                                       entry = {KINDS_OF_ENTRIES, false, FIELDS_OF_EVENTS, 0},
                                       exit = {KINDS_OF_EXITS, false, FIELDS_OF_EVENTS, 0};
    static const struct quipu__mapping message = {KIND(note), false, FIELDS_OF_EVENTS, 0};
    static const struct quipu__mapping dropped = {.kinds = 0};
    static const struct quipu__mapping old = {
        KINDS_OF_ENTRIES | KINDS_OF_EXITS | KINDS_OF_MARKS | KIND(note) | KIND(marker) | KIND(summary), false,
        fields_of_old, sizeof fields_of_old / sizeof *fields_of_old, 0};
    switch (type) {
    case QUIPU__PICL_TYPE_user:
        return &user;
    case QUIPU__PICL_TYPE_mark:
        return &mark;
    case QUIPU__PICL_TYPE_entry:
        return &entry;
    case QUIPU__PICL_TYPE_exit:
        return &exit;
    case QUIPU__PICL_TYPE_message:
        return &message;
    case QUIPU__PICL_TYPE_times:
        return &times;
    case QUIPU__PICL_TYPE_counts:
        return &counts;
    case QUIPU__PICL_TYPE_volumes:
        return &volumes;
    case QUIPU__PICL_TYPE_received_volumes:
        return &received_volumes;
    case QUIPU__PICL_TYPE_sizes:
        return &sizes;
    case QUIPU__PICL_TYPE_label:
        return &label;
    case QUIPU__PICL_TYPE_processor_subset:
    case QUIPU__PICL_TYPE_process_subset:
        return &group;
    case QUIPU__PICL_TYPE_event_subset:
        return &role;
    case QUIPU__PICL_TYPE_unassigned:
    case QUIPU__PICL_TYPE_message0:
        return &dropped;
    default:
        return type >= QUIPU__PICL_TYPE_trace_start ? &old : &definition;
    }
}
