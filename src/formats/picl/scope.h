/* scope.h: the definitions that reading and checking need: numbers of control strings (records of type -6) and subsets (-201 to
 * -203). Each is in force from its place in the file on; of several that fit, the last one counts. */
#ifndef QUIPU_PICL_SCOPE_H
#define QUIPU_PICL_SCOPE_H

#include "core/vec.h"
#include "formats/picl/layout.h"

struct quipu__picl_alias {
    uint64_t byte; /* where it is defined */
    int64_t number, event, processor, process;
    const char *control;
    size_t len;
};

struct quipu__picl_subset {
    uint64_t byte;
    int64_t record_type; /* QUIPU__PICL_PROCESSOR_SUBSET, … */
    int64_t identifier;
    const int64_t *members;
    size_t member_count;
};

struct quipu__picl_scope {
    struct quipu__memory *memory;
    struct quipu__arena arena;
    QUIPU__VEC(struct quipu__picl_alias) aliases;
    QUIPU__VEC(struct quipu__picl_subset) subsets;
    bool redefines_integers; /* descriptor 2 is not always "%d" */
    bool is_full;            /* definitions beyond the limit were left out */
};

void quipu__picl_scope_init(struct quipu__picl_scope *scope, struct quipu__memory *memory);
void quipu__picl_scope_release(struct quipu__picl_scope *scope);

/* Both copy. False when memory is out. */
QUIPU_CHECKED bool quipu__picl_add_alias(struct quipu__picl_scope *scope,
                                         const struct quipu__picl_alias *alias);
QUIPU_CHECKED bool quipu__picl_add_subset(struct quipu__picl_scope *scope,
                                          const struct quipu__picl_subset *subset);

/* The control string of a descriptor's number that is in force at a byte, for a record with that event, processor and process: the
 * last definition's, else the predefined one. NULL when there is none. */
const char *quipu__picl_find_control(const struct quipu__picl_scope *scope, int64_t number, int64_t event,
                                     int64_t processor, int64_t process, uint64_t byte, size_t *len);

/* The subset that is in force at a byte, or NULL. Predefined subsets of events are not among them. */
const struct quipu__picl_subset *quipu__picl_find_subset(const struct quipu__picl_scope *scope,
                                                         int64_t record_type, int64_t identifier,
                                                         uint64_t byte);

/* Whether a value fits a pattern: -1 fits all, a subset its members. record_type says which kind of subset. */
bool quipu__picl_fits(const struct quipu__picl_scope *scope, int64_t record_type, int64_t value,
                      int64_t pattern, uint64_t byte);

/* Control string of a predefined descriptor, NULL for others. */
const char *quipu__picl_predefined(int64_t number);

#endif
