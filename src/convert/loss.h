/* loss.h: the conversion report: what becomes of the records of each type in a target.
 *
 * Two tables decide it before anything is read: the mapping of the source says what events a record makes and where
 * its fields go, the capabilities of the target say which of that can be written. What is counted afterwards only fills in
 * the numbers; values that the target could not take move records from exact or approximated to dropped. So for
 * every type, and in total: total = exact + approximated + dropped.
 */
#ifndef QUIPU_CONVERT_LOSS_H
#define QUIPU_CONVERT_LOSS_H

#include "core/vec.h"
#include "formats/descriptor.h"

#include <quipu/convert.h>

enum quipu__record_outcome { QUIPU__RECORD_EXACT, QUIPU__RECORD_APPROXIMATED, QUIPU__RECORD_DROPPED };

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
    quipu_kinds kinds;   /* events of the type that the target can take */
    quipu_kinds missing; /* and those that it cannot take */
    uint64_t total, exact, approximated, dropped;
    uint32_t first_stream; /* where the first record of the type is, as far as it was looked for */
    uint64_t first_record;
    QUIPU__VEC(struct quipu__loss_field) fields;
};

struct quipu_conversion_report {
    struct quipu__memory memory;
    const struct quipu__format *target; /* NULL: records are copied as they are */
    struct quipu__loss_type *types;     /* one per type of the schema */
    uint32_t type_count;
    bool is_counted; /* false: totals are not known */
    bool is_part;    /* a selection was converted: */
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

/* Fills in the numbers after a pass of the reader. */
void quipu__loss_count(struct quipu_conversion_report *loss, const struct quipu_reader *reader);

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
