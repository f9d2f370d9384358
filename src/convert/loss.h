/* loss.h: the conversion report: what happens to the records of each type in a target.
 *
 * Two tables decide it before anything is read: the mapping of the source says which events a record makes and where its fields go, the
 * capabilities of the target say which of that can be written. Which kinds of events occur, and from how many records the target takes no
 * event, is counted during the conversion (loss.c). The numbers are filled in afterwards; values that the target could not take move
 * records to dropped. So for every type, and in total: total = exact + respelled + approximated + dropped.
 */
#ifndef QUIPU_CONVERT_LOSS_H
#define QUIPU_CONVERT_LOSS_H

#include "core/memory/vec.h"
#include "formats/descriptor.h"

#include <quipu/convert.h>

/* From the best to the worst. */
enum quipu__record_outcome {
    QUIPU__RECORD_EXACT,
    QUIPU__RECORD_RESPELLED, /* the same values in another spelling: no loss */
    QUIPU__RECORD_APPROXIMATED,
    QUIPU__RECORD_DROPPED,
    QUIPU__RECORD_OUTCOMES
};

/* A part of a record type that is not converted exactly. Texts are static; in reasons {target} stands for the target's name and {kinds} for
 * the events that have no equivalent there. */
struct quipu__loss_field {
    const char *name; /* "*": the whole record */
    enum quipu__record_outcome outcome;
    const char *reason;
    uint64_t count; /* records that it concerns, QUIPU_UNKNOWN before they are counted */
};

/* What happens to one record type. */
struct quipu__loss_type {
    const struct quipu_record_type *type;
    enum quipu__record_outcome outcome;
    enum quipu__record_outcome
        of_fields;        /* outcome, by their fields, of records whose events the target can take */
    quipu_kinds kinds;    /* events of the type that the target can take */
    quipu_kinds missing;  /* and those that it cannot take */
    uint32_t definitions; /* classes of a definition, as bits of enum quipu__definition_class */
    uint64_t total, of[QUIPU__RECORD_OUTCOMES];
    uint32_t first_stream; /* where the first record of the type is, if it was looked for */
    uint64_t first_record;
    QUIPU__VEC(struct quipu__loss_field) fields;
};

/* Records with events that a target cannot take: those from which it takes no event, and those from which it takes some. */
struct quipu__loss_records {
    uint64_t without, with_some;
};

/* The current record of a location, whose events come together there: a call begins and ends, while other locations have events between. */
struct quipu__loss_record {
    uint64_t byte_offset;
    uint32_t region;
    uint8_t first;
    bool is_set, has_taken, has_missing;
};

/* What the events of a conversion say about their records. */
struct quipu__loss_events {
    bool are_needed;        /* there are types with events that the target cannot take */
    bool are_known;         /* all events have been seen: */
    quipu_kinds seen;       /* kinds that occur */
    quipu_kinds attributed; /* kinds of which events have attributes */
    quipu_kinds taken;      /* kinds that the target can take */
    quipu_kinds missing;    /* kinds that it cannot take, of types from which it takes others */
    struct quipu__loss_records of_kind[QUIPU_KIND_COUNT]; /* by their first event */
    QUIPU__VEC(struct quipu__loss_records) of_region; /* records by the number of the region that they enter */
    QUIPU__VEC(struct quipu__loss_record) at_hand;    /* by location */
};

struct quipu_conversion_report {
    struct quipu__memory memory;
    const struct quipu__trace *source;
    const struct quipu__format *target; /* NULL: records are copied as they are */
    struct quipu__loss_type *types;     /* one per type of the schema */
    uint32_t type_count;
    bool is_counted; /* false: totals are not known */
    struct quipu__loss_events events;
    bool is_part; /* a selection was converted: */
    bool without_attributes;
    uint64_t selected[QUIPU_KIND_COUNT]; /* its events */
    bool is_retimed;                     /* events got other times: */
    struct quipu_moved_events moved_events;
    bool is_part_of_records; /* records were cut: */
    uint64_t selected_records;
    const struct quipu_unrecorded *unrecorded; /* what the program's recorder missed */
    size_t unrecorded_count;
};

/* A report for a trace and a target; NULL means that records are copied as they are. */
enum quipu_status quipu__loss_new(const struct quipu__trace *trace, const struct quipu__format *target,
                                  struct quipu_conversion_report **out, struct quipu_error *err);

/* Notes the first record of a type. */
void quipu__loss_meet(struct quipu_conversion_report *loss, const struct quipu_record *record);

/* True when the first record of every lossy type has been met. */
bool quipu__loss_has_firsts(const struct quipu_conversion_report *loss);

/* Counts events of the source as they are converted: begins, and then takes all of them, batch by batch. */
void quipu__loss_begin_events(struct quipu_conversion_report *loss);
QUIPU_CHECKED bool quipu__loss_see(struct quipu_conversion_report *loss, const struct quipu_batch *batch);

/* After the last event: judges all types again by the kinds that occur. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_end_events(struct quipu_conversion_report *loss);

/* Fills in the numbers after a pass of the reader. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_count(struct quipu_conversion_report *loss, const struct quipu_reader *reader);

/* Counts written events of a selection. Records that made none of them are counted like all others: what a record would lose does not depend
 * on the selection. */
void quipu__loss_select(struct quipu_conversion_report *loss, const struct quipu_selection *selection,
                        const struct quipu_batch *batch);

/* Corrects the report: that many events of a kind could not be written. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_drop(struct quipu_conversion_report *loss, enum quipu_kind kind,
                                    uint64_t events);

/* Corrects the report: that many events of a kind have another time or value. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_change(struct quipu_conversion_report *loss, enum quipu_kind kind,
                                      uint64_t events);

/* Corrects the report: that many records of a type are written with another value of a field. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_approximate(struct quipu_conversion_report *loss,
                                           const struct quipu__approximation *approximation);

#endif
