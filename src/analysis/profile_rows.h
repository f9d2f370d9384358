/* profile_rows.h: the rows of a profile's table, for the files that make them (profile_table.c) and put them into an order of
 * their own (profile_tree.c). */
#ifndef QUIPU_ANALYSIS_PROFILE_ROWS_H
#define QUIPU_ANALYSIS_PROFILE_ROWS_H

#include "analysis/profile.h"

/* A row of the table: of a text that rows have in common, and of definitions. What does not tell rows apart is the same in all. */
struct quipu__profile_shown {
    const struct quipu__profile *profile;
    const char *text; /* host or group; NULL: not known */
    uint32_t location, region;
    uint32_t path, phase, annotation;
    struct quipu__profile_row values;
    uint64_t most;          /* exclusive time of the location with most */
    uint64_t mpi;           /* exclusive time in MPI calls */
    uint64_t last;          /* exclusive time so far of the location added last */
    uint32_t last_location; /* which is that */
};

/* All rows, and what they are compared with. */
struct quipu__profile_whole {
    const struct quipu__profile *profile;
    struct quipu__memory *memory;
    struct quipu__profile_shown *rows; /* ascending by what they are of: a path before those that continue it */
    size_t count;
    struct quipu__buffer *text; /* of a path */
    double time;                /* exclusive time of all rows, in ticks */
    double locations;           /* that have calls */
};

/* ---- profile_table.c ---- */

const struct quipu_analysis_table *quipu__profile_table_of(const struct quipu__profile *profile);

/* Adds a row; in a table with one column more, with a number. */
enum quipu_status quipu__profile_show_row(const struct quipu__profile_whole *whole,
                                          const struct quipu__profile_shown *row, uint64_t number,
                                          struct quipu_table *table, struct quipu_error *err);

/* ---- profile_tree.c ---- */

/* Adds the rows of a tree, or the first ones of an order, as the options ask for. */
enum quipu_status quipu__profile_show_first(struct quipu__profile_whole *whole, struct quipu_table *table,
                                            struct quipu_error *err);

#endif
