/* state.h: what records say about the state of their location: what has begun and not yet ended. It lets the floors
 * above cut a trace and take snapshots without knowing the format. */
#ifndef QUIPU_FORMATS_STATE_H
#define QUIPU_FORMATS_STATE_H

#include <quipu/schema.h>

/* What can be open. */
enum quipu__open_class {
    QUIPU__OPEN_CALL,           /* regions that were entered: the last one ends first */
    QUIPU__OPEN_MESSAGE,        /* sent and not yet received: of equal ones the first ends first */
    QUIPU__OPEN_FILE,           /* files that are open */
    QUIPU__OPEN_COLLECTIVE,     /* collective operations */
    QUIPU__OPEN_FILE_OPERATION, /* operations on files */
    QUIPU__OPEN_VALUE,          /* values of counters: each lasts until the next one with its key */
    QUIPU__OPEN_COUNT,          /* how often something with a key has been: counts never end */
    QUIPU__OPEN_CLASSES
};

/* What a record begins or ends. */
struct quipu__turn {
    enum quipu__open_class class_of;
    bool begins;
    uint64_t location; /* number in the format: where it is open, for a message its sender */
    uint64_t key[3]; /* an end belongs to a beginning of the same class and location with this key; where a call
                          begins, the first one is what is called */
};
#define QUIPU__TURNS_MOST 2 /* of one record */

/* Bytes that the struct of a record that begins something, or says that it has begun, takes at most. Such records have
 * neither lists nor strings. */
#define QUIPU__STATE_BYTES 64

/* Something open. */
struct quipu__open {
    const struct quipu_record_type *type; /* of the record that began it */
    uint64_t time;                        /* when it began */
    uint64_t key[3];
    uint64_t count;                               /* of class COUNT: how often it has been */
    _Alignas(8) uint8_t data[QUIPU__STATE_BYTES]; /* of that record, without its key-values */
};

/* What a snapshot says of itself: records of one location that it consists of, and the locations of which something is
 * said at this time. */
struct quipu__completeness {
    uint64_t records, locations;
};

/* What statistics add up, and in what order n has it. */
enum quipu__sum_class {
    QUIPU__SUM_CALLS,       /* number, exclusive time, inclusive time */
    QUIPU__SUM_CALL_GROUPS, /* the same of a group of regions */
    QUIPU__SUM_MESSAGES,    /* number sent, received, bytes sent, received; the object is 0 */
    QUIPU__SUM_COLLECTIVES, /* the same of one operation */
    QUIPU__SUM_FILES,       /* times opened, closed, read, written, sought, bytes read, written */
    QUIPU__SUM_FILE_GROUPS, /* the same of a group of files */
    QUIPU__SUM_CLASSES
};
#define QUIPU__SUM_NUMBERS 7

/* What a record adds to the statistics of its location, or what has been added up. */
struct quipu__sum {
    enum quipu__sum_class class_of;
    uint64_t object; /* number in the format: region, operation, file, group of them */
    uint64_t n[QUIPU__SUM_NUMBERS];
};

struct quipu__scratch;
struct quipu__trace;

struct quipu__states {
    /* What the record begins and ends; returns the number of turns. */
    unsigned (*turns)(const struct quipu_record *record, struct quipu__turn out[QUIPU__TURNS_MOST]);

    /* Fills out, QUIPU__STATE_BYTES of zeros, with the record that ends a call that begin has begun. Returns its type. */
    const struct quipu_record_type *(*end_of)(const void *begin, void *out);

    /* What the end of something is counted as, a turn of class COUNT; false for nothing. */
    bool (*counted)(const struct quipu__open *ended, struct quipu__turn *out);

    /* The same with the record that says at a later time that something is open. */
    const struct quipu_record_type *(*snapshot_of)(enum quipu__open_class class_of,
                                                   const struct quipu__open *open, void *out);

    /* The other way round: fills out, which holds zeros, with what a record says is open. False for other records. */
    bool (*open_of)(const struct quipu_record *snapshot, enum quipu__open_class *class_of,
                    struct quipu__open *out);

    /* The same with the record that says what a snapshot of a location consists of, with a text in scratch; NULL when
     * memory is out. And what such a record says; false for others. */
    const struct quipu_record_type *(*completeness_record)(const struct quipu__completeness *complete,
                                                           struct quipu__scratch *scratch, void *out);
    bool (*completeness_of)(const struct quipu_record *record, struct quipu__completeness *out);

    /* What a record adds to the statistics, calls apart: those are what turns says. False for nothing. */
    bool (*sum)(const struct quipu__trace *trace, const struct quipu_record *record, struct quipu__sum *out);

    /* The group that the object of a sum belongs to: sets class and object of the group's sum. False for none. */
    bool (*group_of)(const struct quipu__trace *trace, const struct quipu__sum *sum, struct quipu__sum *out);

    /* Fills out in the same way with the record that tells a sum, with the definition that announces snapshots or
     * statistics at a time, and with the one that tells the range of all times. */
    const struct quipu_record_type *(*summary_of)(const struct quipu__sum *sum, void *out);
    const struct quipu_record_type *(*sample_point)(uint64_t time, bool of_statistics, void *out);
    bool (*announces)(const struct quipu_record *definition, uint64_t *time); /* snapshots at a time */
    const struct quipu_record_type *(*time_range)(uint64_t first, uint64_t last, void *out);
};

#endif
