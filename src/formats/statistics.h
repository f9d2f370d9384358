/* statistics.h: what records add to the statistics of their location, and the records that tell them. */
#ifndef QUIPU_FORMATS_STATISTICS_H
#define QUIPU_FORMATS_STATISTICS_H

#include <quipu/model.h>
#include <quipu/schema.h>

/* What statistics are of. */
enum quipu__statistic_class {
    QUIPU__STATISTIC_CALLS,
    QUIPU__STATISTIC_CALL_GROUPS,
    QUIPU__STATISTIC_MESSAGES, /* the object is 0 */
    QUIPU__STATISTIC_COLLECTIVES,
    QUIPU__STATISTIC_FILES,
    QUIPU__STATISTIC_FILE_GROUPS,
    QUIPU__STATISTIC_CLASSES
};
enum { QUIPU__STATISTIC_VALUES = 7 };

/* What a record adds, or what has been added up. */
struct quipu__statistic {
    enum quipu__statistic_class statistic_class;
    uint64_t object;                          /* number in the format: region, operation, file, group of them */
    uint64_t values[QUIPU__STATISTIC_VALUES]; /* of the class's first statistic and those behind it */
};

/* The first of the figures of a class, which follow one another in the model's list. */
static inline enum quipu_statistic quipu__statistic_first(enum quipu__statistic_class statistic_class) {
    static const enum quipu_statistic first[QUIPU__STATISTIC_CLASSES] = {
        [QUIPU__STATISTIC_CALLS] = QUIPU_STATISTIC_CALLS,
        [QUIPU__STATISTIC_CALL_GROUPS] = QUIPU_STATISTIC_GROUP_CALLS,
        [QUIPU__STATISTIC_MESSAGES] = QUIPU_STATISTIC_MESSAGES_SENT,
        [QUIPU__STATISTIC_COLLECTIVES] = QUIPU_STATISTIC_COLLECTIVES_SENT,
        [QUIPU__STATISTIC_FILES] = QUIPU_STATISTIC_OPENS,
        [QUIPU__STATISTIC_FILE_GROUPS] = QUIPU_STATISTIC_GROUP_OPENS};
    return first[statistic_class];
}

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
