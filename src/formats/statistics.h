/* statistics.h: what records add to the statistics of their location, and the records that tell them. */
#ifndef QUIPU_FORMATS_STATISTICS_H
#define QUIPU_FORMATS_STATISTICS_H

#include <quipu/schema.h>

/* What statistics are of, and in what order values has them. */
enum quipu__statistic_class {
    QUIPU__STATISTIC_CALLS,       /* number, exclusive time, inclusive time */
    QUIPU__STATISTIC_CALL_GROUPS, /* the same of a group of regions */
    QUIPU__STATISTIC_MESSAGES,    /* number sent, received, bytes sent, received; the object is 0 */
    QUIPU__STATISTIC_COLLECTIVES, /* the same of one operation */
    QUIPU__STATISTIC_FILES,       /* times opened, closed, read, written, sought, bytes read, written */
    QUIPU__STATISTIC_FILE_GROUPS, /* the same of a group of files */
    QUIPU__STATISTIC_CLASSES
};
enum { QUIPU__STATISTIC_VALUES = 7 };

/* What a record adds, or what has been added up. */
struct quipu__statistic {
    enum quipu__statistic_class statistic_class;
    uint64_t object; /* number in the format: region, operation, file, group of them */
    uint64_t values[QUIPU__STATISTIC_VALUES];
};

struct quipu__trace;

struct quipu__statistics {
    /* What a record adds, calls apart: those are intervals. False for nothing. */
    bool (*statistic_of)(const struct quipu__trace *trace, const struct quipu_record *record,
                         struct quipu__statistic *out);

    /* The group that the object of a statistic belongs to: sets class and object of the group's. False for none. */
    bool (*group_of)(const struct quipu__trace *trace, const struct quipu__statistic *member,
                     struct quipu__statistic *out);

    /* Fills out, QUIPU__BUILT_RECORD_BYTES of zeros, with the record that tells a statistic. Returns its type. */
    const struct quipu_record_type *(*summary_of)(const struct quipu__statistic *statistic, void *out);
};

#endif
