/* where.h: expressions that select events (quipu/where.h has the grammar), from text to truth value.
 *
 *     text → nodes and tests (where_parse.c) → sets and ranges for one trace (where_bind.c) → truth of events (where.c)
 *                                                                            ↳ names that nothing has (where_names.c)
 *
 * Tests of definitions are decided once, when the expression is bound: a test of names then is one bit per definition. Truth
 * has three values, so the same evaluation says what an expression can be for all events of a kind, at a location, or in a
 * call whose end is not known yet.
 */
#ifndef QUIPU_MODEL_WHERE_H
#define QUIPU_MODEL_WHERE_H

#include "core/memory/memory.h"
#include "core/memory/vec.h"

#include <quipu/model.h>
#include <quipu/where.h>

enum quipu__where_subject {
    QUIPU__WHERE_KIND,
    QUIPU__WHERE_TIME,
    QUIPU__WHERE_DURATION,
    QUIPU__WHERE_LOCATION,
    QUIPU__WHERE_REGION,
    QUIPU__WHERE_COLUMN /* a field of kinds */
};

enum quipu__where_property {
    QUIPU__WHERE_NAME,
    QUIPU__WHERE_FAMILY,
    QUIPU__WHERE_RANK,
    QUIPU__WHERE_PROCESS,
    QUIPU__WHERE_HOST,
    QUIPU__WHERE_PID,
    QUIPU__WHERE_TID,
    QUIPU__WHERE_ROLE,
    QUIPU__WHERE_GROUP
};

/* What a field can be compared with. */
enum quipu__where_type {
    QUIPU__WHERE_NUMBERS, /* whole numbers */
    QUIPU__WHERE_TIMES,
    QUIPU__WHERE_NAMES,  /* texts, and numbers of definitions */
    QUIPU__WHERE_TEXTS,  /* texts */
    QUIPU__WHERE_VALUES, /* any number, and labels */
    QUIPU__WHERE_TYPES
};

enum quipu__where_operator {
    QUIPU__WHERE_KNOWN,
    QUIPU__WHERE_IN, /* also equality */
    QUIPU__WHERE_LESS,
    QUIPU__WHERE_AT_MOST,
    QUIPU__WHERE_MORE,
    QUIPU__WHERE_AT_LEAST,
    QUIPU__WHERE_MATCHES
};

enum quipu__where_unit { QUIPU__WHERE_PLAIN, QUIPU__WHERE_BYTES, QUIPU__WHERE_NANOSECONDS };

/* A number of the expression, scaled by its unit. */
struct quipu__where_number {
    enum quipu__where_unit unit;
    bool is_whole, is_negative;
    uint64_t size;    /* of a whole number, without its sign */
    long double real; /* of any number, with its sign */
};

/* Something that a field is compared with: a text, or numbers from first to last. */
struct quipu__where_item {
    const char *text;           /* NULL: numbers */
    struct quipu__regex *regex; /* of MATCHES */
    struct quipu__where_number first, last;
};

/* A range of keys, which map numbers in their order to unsigned ones: first <= key < past. */
struct quipu__where_range {
    uint64_t first, past;
};

/* A bit per definition, or operation, that the test is true for. */
struct quipu__where_set {
    uint64_t *bits;
    uint32_t count;
};

enum { QUIPU__WHERE_REFERS = QUIPU_REFERS_STATISTIC + 1 };

struct quipu__where_test {
    enum quipu__where_subject subject;
    enum quipu__where_property property;
    enum quipu__where_type type;
    enum quipu__where_operator comparison;
    bool is_negated;
    uint32_t offset;                                         /* in the expression */
    uint32_t first, count;                                   /* items */
    const struct quipu_kind_field *fields[QUIPU_KIND_COUNT]; /* of COLUMN: NULL in kinds without it */

    /* bound to a trace */
    quipu_kinds kinds; /* of KIND: those for which it is true */
    struct quipu__where_set sets[QUIPU__WHERE_REFERS];
    struct quipu__where_range *ranges[2]; /* per item: for unsigned and for signed numbers */
};

enum quipu__where_junction { QUIPU__WHERE_OR, QUIPU__WHERE_AND, QUIPU__WHERE_NOT, QUIPU__WHERE_TEST };

struct quipu__where_node {
    enum quipu__where_junction junction;
    uint32_t left, right; /* nodes; of a test its number */
};

struct quipu__where_clause {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__arena arena;
    QUIPU__VEC(struct quipu__where_node) nodes;
    QUIPU__VEC(struct quipu__where_test) tests;
    QUIPU__VEC(struct quipu__where_item) items;
    uint32_t root;

    /* what the events must come with */
    bool needs_calls;      /* the innermost call of the location */
    bool needs_attributes; /* texts */
    bool needs_operations; /* what other events say about an operation on a file */
    int64_t
        lookahead; /* ticks after which the duration of a call is long enough to decide; 0: durations do not matter */
};

/* ---- where_parse.c ---- */

/* A number with a unit of an expression, such as "1.5ms" or "4Ki", in ns or bytes; false when it is none. */
bool quipu__where_quantity(const char *text, struct quipu__where_number *out);

/* Parses an expression into a struct that is zero except for its memory and arena, and must be released in any case. */
enum quipu_status quipu__where_parse(struct quipu__where_clause *where, const char *text,
                                     struct quipu_error *err);
void quipu__where_release(struct quipu__where_clause *where);

/* QUIPU_MISUSE, with the expression and a caret at the offset of what cannot be evaluated. */
enum quipu_status quipu__where_refuse(const char *text, size_t offset, const char *what,
                                      struct quipu_error *err);

/* ---- where_bind.c ---- */

/* An expression prepared for the events of a trace. The definitions are borrowed, and may grow. */
enum quipu_status quipu__where_new(struct quipu__memory *memory, const char *text,
                                   const struct quipu_definitions *definitions,
                                   struct quipu__where_clause **out, struct quipu_error *err);
void quipu__where_free(struct quipu__where_clause *where);

/* Whether a test is true for a definition or operation. */
bool quipu__where_accepts(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                          enum quipu_refers refers, uint32_t number);

/* What a test compares with texts of a definition or operation; NULL when that has none. */
const char *quipu__where_text(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                              enum quipu_refers refers, uint32_t number);

/* Whether a text, which may be NULL, matches an item; never for numbers. The gate remembers failures. */
bool quipu__where_item_is(const struct quipu__where_item *item, const char *text);

/* Whether a test is true for a text, or for a number that need not be whole; one of them suffices. */
bool quipu__where_accepts_value(const struct quipu__where_clause *where, const struct quipu__where_test *test,
                                const char *text, const long double *number);

/* A signed number as a key of ranges. */
static inline uint64_t quipu__where_signed_key(int64_t value) {
    const uint64_t key = (uint64_t)value ^ (uint64_t)1 << 63;
    return key < UINT64_MAX ? key : UINT64_MAX - 1;
}

/* ---- where.c ---- */

enum quipu__truth { QUIPU__FALSE, QUIPU__MAYBE, QUIPU__TRUE };

/* What is known of an operation on a file besides what the event itself says. */
struct quipu__where_operation {
    uint32_t file, operation;       /* QUIPU_NONE: not known */
    uint64_t handle, offset, bytes; /* QUIPU_UNKNOWN: not known */
    bool is_active;                 /* its end may say more */
};

/* What is known of an event, or of several. */
struct quipu__where_event {
    const struct quipu_batch *batch; /* NULL: only what follows is known */
    uint32_t event;
    uint32_t kind;     /* QUIPU_KIND_COUNT: any */
    uint32_t location; /* QUIPU_NONE: any */

    /* the call that it begins or ends, or the innermost one that is active; of expressions that need calls */
    bool is_in_call;
    uint32_t region;
    int64_t duration;
    bool lasts; /* the duration is the one so far */

    const struct quipu__where_operation
        *operation; /* of expressions that need operations; NULL: there is none */
};

enum quipu__truth quipu__where_truth(const struct quipu__where_clause *where,
                                     const struct quipu__where_event *event);

/* Kinds of which events may be selected, and whether any may be at a location. */
quipu_kinds quipu__where_kinds(const struct quipu__where_clause *where);
bool quipu__where_location(const struct quipu__where_clause *where, uint32_t location);

/* When selected events may happen: from <= time < to; INT64_MAX: no end. */
void quipu__where_window(const struct quipu__where_clause *where, int64_t *from, int64_t *to);

#endif
