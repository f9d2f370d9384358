/* loss.h: the conversion report: what becomes of the records of each type in a target.
 *
 * Two tables decide it before anything is read: the mapping of the source says what events a record makes and where
 * its fields go, the capabilities of the target say which of that can be written. Which kinds of events there are, and of how many records
 * the target takes no event, is seen on the way (loss_events.c). What is counted afterwards fills in the numbers; values that the target could
 * not take move records to dropped. So for every type, and in total: total = exact + respelled + approximated + dropped.
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

/* Something of a record type that is not converted exactly. Texts are static; in reasons {target} stands for the target's name and
 * {kinds} for the events that it has no equivalent of. */
struct quipu__loss_field {
    const char *name; /* "*": the whole record */
    enum quipu__record_outcome outcome;
    const char *reason;
    uint64_t count; /* records that it concerns, QUIPU_UNKNOWN before they are counted */
};

/* What becomes of one record type. */
struct quipu__loss_type {
    const struct quipu_record_type *type;
    enum quipu__record_outcome outcome;
    enum quipu__record_outcome of_fields; /* of records whose events the target can take, by their fields */
    quipu_kinds kinds;                    /* events of the type that the target can take */
    quipu_kinds missing;                  /* and those that it cannot take */
    uint32_t definitions;                 /* what a definition is, as bits of enum quipu__definition_class */
    uint64_t total, of[QUIPU__RECORD_OUTCOMES];
    uint32_t first_stream; /* where the first record of the type is, as far as it was looked for */
    uint64_t first_record;
    QUIPU__VEC(struct quipu__loss_field) fields;
};

/* Records with events that a target cannot take: those of which it takes no other, and those of which it takes some. */
struct quipu__loss_records {
    uint64_t without, with_some;
};

/* The record at hand of a location, whose events stand together there: a call begins and ends, and other locations do something meanwhile. */
struct quipu__loss_record {
    uint64_t byte_offset;
    uint32_t region;
    uint8_t first;
    bool is_set, has_taken, has_missing;
};

/* What the events of a conversion say of the records that they come from. */
struct quipu__loss_events {
    bool are_needed;     /* there are types with events that the target cannot take */
    bool are_known;      /* all events have been seen: */
    quipu_kinds seen;    /* those that there are */
    quipu_kinds taken;   /* those that the target can take */
    quipu_kinds missing; /* those that it cannot, of types of which it takes others */
    struct quipu__loss_records of_kind[QUIPU_KIND_COUNT]; /* by their first event */
    QUIPU__VEC(struct quipu__loss_records) of_region;     /* those that enter a region with it, by number */
    QUIPU__VEC(struct quipu__loss_record) at_hand;        /* by location */
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
    bool is_retimed;                     /* events have other times: */
    struct quipu_moved_events moved_events;
    bool is_part_of_records; /* records were cut: */
    uint64_t selected_records;
    const struct quipu_unrecorded *unrecorded; /* of the program, by its recorder */
    size_t unrecorded_count;
};

/* A report for a trace and a target; NULL means that records are copied as they are. */
enum quipu_status quipu__loss_new(const struct quipu__trace *trace, const struct quipu__format *target,
                                  struct quipu_conversion_report **out, struct quipu_error *err);

/* Notes where the first record of a type is. */
void quipu__loss_meet(struct quipu_conversion_report *loss, const struct quipu_record *record);

/* True when a first record has been met of all types that lose something. */
bool quipu__loss_has_firsts(const struct quipu_conversion_report *loss);

/* Looks at events of the source as they are converted: at none yet, and then at all of them, batch by batch. */
void quipu__loss_begin_events(struct quipu_conversion_report *loss);
QUIPU_CHECKED bool quipu__loss_see(struct quipu_conversion_report *loss, const struct quipu_batch *batch);

/* Behind the last event: judges all types again by the events that there are. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_end_events(struct quipu_conversion_report *loss);

/* Moves the records that have been counted by the events that they have: those without any that the target takes, and those with some. False
 * when memory is out. */
QUIPU_CHECKED bool quipu__loss_share_events(struct quipu_conversion_report *loss);

/* Notes an outcome of a type's records, or of one of its fields. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_add_field(struct quipu_conversion_report *loss, struct quipu__loss_type *row,
                                         const char *name, enum quipu__record_outcome outcome,
                                         const char *reason, uint64_t count);

/* Judges all types by the tables, and by the events that there are once these are known. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_judge(struct quipu_conversion_report *loss);

/* Moves up to so many records of a type to a worse outcome, the best ones first. Returns how many are moved. */
uint64_t quipu__loss_move(struct quipu__loss_type *row, enum quipu__record_outcome to, uint64_t count);

/* Fills in the numbers after a pass of the reader. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_count(struct quipu_conversion_report *loss, const struct quipu_reader *reader);

/* Counts events of a selection that are written. Records that made none of them are counted as all others: what a record
 * would lose does not depend on the selection. */
void quipu__loss_select(struct quipu_conversion_report *loss, const struct quipu_selection *selection,
                        const struct quipu_batch *batch);

/* Takes back that events of a kind came over: so many could not be written. False when memory is out. */
QUIPU_CHECKED bool quipu__loss_drop(struct quipu_conversion_report *loss, enum quipu_kind kind,
                                    uint64_t events);

/* Takes back that events of a kind came over exactly: so many have another time or value. False when memory is
 * out. */
QUIPU_CHECKED bool quipu__loss_change(struct quipu_conversion_report *loss, enum quipu_kind kind,
                                      uint64_t events);

/* Takes back that records of a type came over exactly: so many are written with another value of a field. False when memory is
 * out. */
QUIPU_CHECKED bool quipu__loss_approximate(struct quipu_conversion_report *loss,
                                           const struct quipu__approximation *approximation);

#endif
