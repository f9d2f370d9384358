/* rows.h: the rows of a profile's table, for the files that put rows of the fold together and show them
 * (table.c) and put them into an order of their own (tree.c).
 *
 * There may be hundreds of thousands. So what each one is of is sorted, and the row itself is added up when it is shown.
 */
#ifndef QUIPU_ANALYSIS_PROFILE_ROWS_H
#define QUIPU_ANALYSIS_PROFILE_ROWS_H

#include "analysis/profile/profile.h"

/* What a row of the fold is of: a text that rows have in common, and definitions. What does not tell rows apart is the same in all. */
struct quipu__profile_key {
    const struct quipu__profile *profile;
    const char *text; /* host or group; NULL: not known */
    uint32_t location, region;
    uint32_t path, position; /* position: of the path among all paths */
    uint32_t source;
    uint32_t phase, annotation; /* or the calls before and after */
    uint32_t row;               /* of the fold */
};

/* A row of the table. */
struct quipu__profile_shown {
    struct quipu__profile_key key; /* of the first row of the fold that is in it */
    struct quipu__profile_row values;
    uint64_t most;     /* exclusive time of the location with most */
    uint64_t mpi;      /* exclusive time in MPI calls */
    uint64_t lifetime; /* of a location, by mpi */
    uint32_t locations;
    bool has_exclusive, has_inclusive; /* else the total is no number of 64 bits */
};

/* All rows, and what they are compared with. */
struct quipu__profile_whole {
    const struct quipu__profile *profile;
    struct quipu__memory *memory;
    struct quipu__profile_key *keys; /* ascending: a path before those that continue it, then by location */
    uint32_t *firsts;                /* of each row of the table its first key, and last the number of keys */
    size_t count;                    /* rows of the table */
    const uint8_t *columns;          /* which they are, for table.c */
    struct quipu__buffer *text, *callers; /* of a path or call site, and what called that */
    bool *has_all_totals;                 /* cleared where a row that is shown lacks one */
    double time;                          /* exclusive time of all rows, in ticks */
    double locations;                     /* that have calls */
};

static inline const struct quipu_location *quipu__profile_location_at(const struct quipu__profile *profile,
                                                                      uint32_t number) {
    const uint32_t count = profile->definitions->locations.count;
    return number < count ? &profile->definitions->locations.items[number] : NULL;
}

static inline const struct quipu_region *quipu__profile_region_at(const struct quipu__profile *profile,
                                                                  uint32_t number) {
    return number < profile->definitions->regions.count ? &profile->definitions->regions.items[number] : NULL;
}

static inline uint32_t quipu__profile_path_at(const struct quipu__profile_whole *whole, size_t row) {
    return whole->keys[whole->firsts[row]].path;
}

/* ---- table.c ---- */

const struct quipu_analysis_table *quipu__profile_table_of(const struct quipu__profile *profile);

/* Adds a row; in a table with one column more, with its number. */
enum quipu_status quipu__profile_show_row(const struct quipu__profile_whole *whole, size_t row,
                                          struct quipu_table *table, struct quipu_error *err);

/* ---- tree.c ---- */

/* Adds the rows of a tree, or the first ones of an order, as the options ask for. */
enum quipu_status quipu__profile_show_first(struct quipu__profile_whole *whole, struct quipu_table *table,
                                            struct quipu_error *err);

#endif
