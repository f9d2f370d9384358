/* compare.h: what differs between two traces: what is defined, where the time goes, waiting, communication, phases.
 *
 *     struct quipu_compare_options options = QUIPU_COMPARE_OPTIONS_INIT;
 *     struct quipu_tables *tables;
 *     bool differ;
 *     if (quipu_compare(before, after, &options, &tables, &differ, &err) == QUIPU_OK && differ)
 *         ...                                        the table "differences" says what
 *     quipu_tables_free(tables);
 */
#ifndef QUIPU_COMPARE_H
#define QUIPU_COMPARE_H

#include <quipu/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something that can be compared: the level and the measure of a condition, such as "profile" and "exclusive_ns".
 * Static. */
struct quipu_compare_measure {
    const char *level, *name, *doc;
};

/* The measures by index; NULL after the last. */
QUIPU_API const struct quipu_compare_measure *quipu_compare_measure_at(size_t index);

/* How to compare. Begin with the macro: members may be added at the end. */
struct quipu_compare_options {
    size_t size; /* of this struct */
    const char
        *levels; /* separated by commas; the tables of these levels are given as well. NULL: all but calls */
    const char *threshold; /* per cent of the larger value that a time must differ by, such as "2.5"; NULL: 5 */
    const char *const *conditions; /* texts such as "profile.exclusive > +5%"; NULL: whatever differs counts */
    size_t condition_count;
};
/* clang-format off */
#define QUIPU_COMPARE_OPTIONS_INIT {sizeof(struct quipu_compare_options), NULL, NULL, NULL, 0}
/* clang-format on */

/* Reads both traces, one after the other, and gives the table "differences" and, for each level in levels, a table with
 * everything that was compared. Regions, communicators and the like correspond by name, locations by rank. out_differ:
 * something differs or, with conditions, a difference over all locations meets one of them. A difference in time counts
 * when it exceeds the threshold, or the percentage of a condition on its measure if that is smaller. Medians of phases
 * must also differ by more than 3 median deviations of their iterations. The caller frees the tables. options may be
 * NULL. The level calls compares the communication calls of each rank in their order, and gives the first 20
 * differences of each: calls that only b has are numbered in b, others in a. It is compared when the levels or a
 * condition name it. QUIPU_MISUSE for invalid levels, percentages and conditions. */
QUIPU_API enum quipu_status quipu_compare(struct quipu_reader *a, struct quipu_reader *b,
                                          const struct quipu_compare_options *options,
                                          struct quipu_tables **out, bool *out_differ, struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
