/* intervals.h: the classes of active intervals, and what begins and ends them: the rows of intervals.def. */
#ifndef QUIPU_STATE_INTERVALS_H
#define QUIPU_STATE_INTERVALS_H

#include <quipu/base.h>

enum quipu__interval_class {
#define INTERVAL(name, discipline, key, stand_in, doc) QUIPU__INTERVAL_##name,
#define BEGINS(interval_class, kind)
#define SHARES(interval_class, kind)
#define ENDS(interval_class, kind)
#include "state/intervals.def"
    QUIPU__INTERVAL_CLASSES
};

#define QUIPU__INTERVAL_BIT(interval_class) (UINT32_C(1) << (interval_class))
#define QUIPU__INTERVAL_ALL (QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_CLASSES) - 1)

enum quipu__discipline {
    QUIPU__DISCIPLINE_STACK,
    QUIPU__DISCIPLINE_KEYED,
    QUIPU__DISCIPLINE_QUEUE,
    QUIPU__DISCIPLINE_VALUE,
    QUIPU__DISCIPLINE_COUNT
};

struct quipu__interval_row {
    const char *name;
    enum quipu__discipline discipline;
    const char *doc;
};
extern const struct quipu__interval_row quipu__interval_rows[QUIPU__INTERVAL_CLASSES];

enum quipu__change {
    QUIPU__BEGINS,        /* sets, in classes of values; counts, in classes of counts */
    QUIPU__BEGINS_BESIDE, /* KEYED: those of the same kind and key stay */
    QUIPU__ENDS
};

enum { QUIPU__KEY_WORDS = 3 };

/* A beginning or an end. An end belongs to a beginning of the same class and location with its key. On stacks the first
 * word says which stack it is, 0 if there is only one, and the second what lies on it, QUIPU_UNKNOWN in an end that does
 * not say. Keys of different forms are never equal. */
struct quipu__transition {
    enum quipu__interval_class interval_class;
    enum quipu__change change;
    uint64_t location; /* as its source has it; for a message the sender */
    uint64_t key[QUIPU__KEY_WORDS];
    uint8_t key_form;
};

static inline struct quipu__transition quipu__transition(enum quipu__interval_class interval_class,
                                                         enum quipu__change change, uint64_t location,
                                                         uint64_t first, uint64_t second, uint64_t third) {
    return (struct quipu__transition){.interval_class = interval_class,
                                      .change = change,
                                      .location = location,
                                      .key = {first, second, third}};
}

static inline struct quipu__transition quipu__begins(enum quipu__interval_class interval_class,
                                                     uint64_t location, uint64_t first, uint64_t second,
                                                     uint64_t third) {
    return quipu__transition(interval_class, QUIPU__BEGINS, location, first, second, third);
}

static inline struct quipu__transition quipu__ends(enum quipu__interval_class interval_class, uint64_t location,
                                                   uint64_t first, uint64_t second, uint64_t third) {
    return quipu__transition(interval_class, QUIPU__ENDS, location, first, second, third);
}

#endif
