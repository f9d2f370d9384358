/* profile.h: what a profile knows while it is made, for the files that fold (profile.c), show (profile_table.c) and save
 * (profile_checkpoint.c) it. */
#ifndef QUIPU_ANALYSIS_PROFILE_H
#define QUIPU_ANALYSIS_PROFILE_H

#include "analysis/fold.h"
#include "core/map.h"
#include "core/memory.h"
#include "core/vec.h"

enum quipu__profile_value {
#define PROFILE_VALUE(name) QUIPU__PROFILE_##name,
#include "analysis/profile.def"
#undef PROFILE_VALUE
    QUIPU__PROFILE_COUNT
};

/* What a row of the table is of, in the order of the option's words. */
#define QUIPU__PROFILE_BY "location|region|process|host|group|mpi"
enum quipu__profile_by {
    QUIPU__PROFILE_BY_location,
    QUIPU__PROFILE_BY_region,
    QUIPU__PROFILE_BY_process,
    QUIPU__PROFILE_BY_host,
    QUIPU__PROFILE_BY_group,
    QUIPU__PROFILE_BY_mpi,
    QUIPU__PROFILE_BY_COUNT
};

/* Sums of signed values are kept in two's complement: they wrap and never trap. */
struct quipu__profile_row {
    uint32_t location, region; /* region QUIPU_NONE: outside of any */
    uint32_t locations;        /* that were added up here */
    uint32_t open;             /* calls of it on the stack */
    uint64_t values[QUIPU__PROFILE_COUNT];
};

/* The row of what passes while no call is open. It is not shown. */
#define QUIPU__PROFILE_NOWHERE 0

struct quipu__profile_stack {
    uint32_t
        *calls; /* rows of the open calls: [1] is the outermost, [depth] the innermost one, [0] is nowhere */
    uint32_t depth, capacity;
    uint32_t stream; /* that the latest event is in */
    int64_t change;  /* time of the latest enter or leave */
    int64_t last;    /* the latest time */
};

/* Rows that were used lately: nearly all calls find theirs here with one comparison. */
#define QUIPU__PROFILE_RECENT 1024
struct quipu__profile_recent {
    uint64_t key; /* location and region */
    uint32_t row;
};

struct quipu__profile {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    enum quipu__profile_by by;
    struct quipu__profile_stack *stacks; /* by location */
    uint32_t stack_count;
    QUIPU__VEC(struct quipu__profile_row) rows;
    struct quipu__map row_of; /* (location, region) to row */
    struct quipu__profile_recent recent[QUIPU__PROFILE_RECENT];
};

static inline uint64_t quipu__profile_key(uint32_t location, uint32_t region) {
    return (uint64_t)location << 32 | region;
}

static inline void quipu__profile_add_values(struct quipu__profile_row *to,
                                             const struct quipu__profile_row *from) {
    for (size_t i = 0; i < QUIPU__PROFILE_COUNT; i++)
        to->values[i] += from->values[i];
}

/* ---- profile.c ---- */

enum quipu_status quipu__profile_begin(const struct quipu__fold_start *start, void **state,
                                       struct quipu_error *err);
void quipu__profile_release(void *state);

/* Number of the new row, QUIPU_NONE when memory is out. */
uint32_t quipu__profile_add_row(struct quipu__profile *profile, uint32_t location, uint32_t region);

/* Makes stacks for all locations that are defined by now, and for this one in any case. */
QUIPU_CHECKED bool quipu__profile_add_stacks(struct quipu__profile *profile, uint32_t location);

/* Makes room for more open calls. */
QUIPU_CHECKED bool quipu__profile_deepen(struct quipu__profile *profile, struct quipu__profile_stack *stack);

/* Closes all calls that are open, at the latest times of their stacks. */
void quipu__profile_close_all(struct quipu__profile *profile);

/* ---- profile_table.c ---- */

extern const struct quipu_analysis_table quipu__profile_tables[QUIPU__PROFILE_BY_COUNT];

enum quipu_status quipu__profile_finish(void *state, struct quipu_tables *tables, struct quipu_error *err);

/* ---- profile_checkpoint.c ---- */

enum quipu_status quipu__profile_save_checkpoint(const void *state, struct quipu__buffer *out,
                                                 struct quipu_error *err);
enum quipu_status quipu__profile_resume(const struct quipu__fold_start *start, struct quipu__slice bytes,
                                        void **state, struct quipu_error *err);

#endif
