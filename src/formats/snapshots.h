/* snapshots.h: records that say what is active at a time. */
#ifndef QUIPU_FORMATS_SNAPSHOTS_H
#define QUIPU_FORMATS_SNAPSHOTS_H

#include "formats/intervals.h"

#include <stddef.h>

/* What a snapshot says of itself: records of one location that it consists of, and the locations of which something is
 * said at this time. */
struct quipu__completeness {
    uint64_t records, locations;
};

struct quipu__scratch;

/* Each function that returns a record type fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the struct of a record of it. */
struct quipu__snapshots {
    /* The classes that have records, in the order in which a snapshot tells them. */
    const enum quipu__interval_class *interval_classes;
    size_t interval_class_count;

    /* The record that says at a later time that an interval is active. */
    const struct quipu_record_type *(*snapshot_of)(enum quipu__interval_class interval_class,
                                                   const struct quipu__active_record *active, void *out);

    /* The other way round: fills begin, QUIPU__BUILT_RECORD_BYTES of zeros that out->data then is, with what began the interval
     * that a record says is active. False for other records. */
    bool (*active_of)(const struct quipu_record *snapshot, enum quipu__interval_class *interval_class,
                      struct quipu__active_record *out, void *begin);

    /* The record that says what a snapshot of a location consists of, with a text in scratch; NULL when memory is out. And
     * what such a record says; false for others. */
    const struct quipu_record_type *(*completeness_record)(const struct quipu__completeness *complete,
                                                           struct quipu__scratch *scratch, void *out);
    bool (*completeness_of)(const struct quipu_record *record, struct quipu__completeness *out);

    /* The definition that announces snapshots or statistics at a time, what time a definition announces snapshots at, and the
     * definition that tells the range of all times. */
    const struct quipu_record_type *(*sample_point)(uint64_t time, bool of_statistics, void *out);
    bool (*announces)(const struct quipu_record *definition, uint64_t *time);
    const struct quipu_record_type *(*time_range)(uint64_t first, uint64_t last, void *out);
};

#endif
