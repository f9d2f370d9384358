/* mapping.c: what the record types become in events, for the conversion report. What the events are is in to_model.c. */
#include "formats/picl/figures.h"

#define KINDS_OF_EVENTS                                                                                        \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_send_complete) | QUIPU_KIND_BIT(QUIPU_KIND_recv_post) |                         \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_collective_begin) |                           \
     QUIPU_KIND_BIT(QUIPU_KIND_collective_end) | QUIPU_KIND_BIT(QUIPU_KIND_io_open) |                          \
     QUIPU_KIND_BIT(QUIPU_KIND_io_close) | QUIPU_KIND_BIT(QUIPU_KIND_io_begin) |                               \
     QUIPU_KIND_BIT(QUIPU_KIND_io_end) | QUIPU_KIND_BIT(QUIPU_KIND_gap))

#define EXACT(member)                                                                                          \
    { QUIPU__PICL_entry_##member, QUIPU__OUTCOME_EXACT, QUIPU_COLUMN_COUNT, "", 0 }

#define DESCRIPTOR                                                                                             \
    {                                                                                                          \
        QUIPU__PICL_entry_descriptor, QUIPU__OUTCOME_APPROXIMATED, QUIPU_COLUMN_COUNT,                         \
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
    static const struct quipu__mapping name = {QUIPU_KIND_BIT(QUIPU_KIND_summary), false, fields_of_##name,    \
                                               sizeof fields_of_##name / sizeof *fields_of_##name}

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

const struct quipu__mapping *quipu__picl_mapping_of(uint32_t type) {
    static const struct quipu__mapping user = {QUIPU_KIND_BIT(QUIPU_KIND_marker), false, FIELDS_OF_EVENTS};
    static const struct quipu__mapping events = {KINDS_OF_EVENTS, false, FIELDS_OF_EVENTS};
    static const struct quipu__mapping message = {QUIPU_KIND_BIT(QUIPU_KIND_note), false, FIELDS_OF_EVENTS};
    static const struct quipu__mapping definition = {0, true, NULL, 0};
    static const struct quipu__mapping dropped = {0, false, NULL, 0};
    static const struct quipu__mapping old = {
        KINDS_OF_EVENTS | QUIPU_KIND_BIT(QUIPU_KIND_note) | QUIPU_KIND_BIT(QUIPU_KIND_marker) |
            QUIPU_KIND_BIT(QUIPU_KIND_summary),
        false, fields_of_old, sizeof fields_of_old / sizeof *fields_of_old};
    switch (type) {
    case QUIPU__PICL_TYPE_user:
        return &user;
    case QUIPU__PICL_TYPE_mark:
    case QUIPU__PICL_TYPE_entry:
    case QUIPU__PICL_TYPE_exit:
        return &events;
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
    case QUIPU__PICL_TYPE_unassigned:
    case QUIPU__PICL_TYPE_message0:
        return &dropped;
    default:
        return type >= QUIPU__PICL_TYPE_trace_start ? &old : &definition;
    }
}
