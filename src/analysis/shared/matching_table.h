/* matching_table.h: the table of what was matched and what was not, which says how far the other tables can be trusted. */
#ifndef QUIPU_ANALYSIS_SHARED_MATCHING_TABLE_H
#define QUIPU_ANALYSIS_SHARED_MATCHING_TABLE_H

#include "analysis/shared/fold.h"
#include "analysis/shared/unfinished_calls.h"
#include "state/communication.h"

/* clang-format off */
#define QUIPU__MATCHING_TABLE(TABLE, COLUMN, END) \
    TABLE(MATCHING, "matching", "how many messages and collective operations were matched") \
    COLUMN(MATCHING, sends, U64, "", "sends of messages") \
    COLUMN(MATCHING, receives, U64, "", "receives of messages") \
    COLUMN(MATCHING, matched, U64, "", "messages of which both were found") \
    COLUMN(MATCHING, unmatched_sends, U64, "", "sends without a receive") \
    COLUMN(MATCHING, unmatched_receives, U64, "", "receives without a send") \
    COLUMN(MATCHING, assumed, U64, "", "receives that do not name their sender or tag, and took the earliest send left; or whose place later ones had taken") \
    COLUMN(MATCHING, self, U64, "", "messages of an end to itself: a location, or a process whose threads are no ranks") \
    COLUMN(MATCHING, collectives, U64, "", "collective operations") \
    COLUMN(MATCHING, complete, U64, "", "those in which all members take part to the end") \
    COLUMN(MATCHING, incomplete, U64, "", "those in which not all do, or others too") \
    COLUMN(MATCHING, mixed, U64, "", "those in which members take different operations for the same") \
    END(MATCHING)
/* clang-format on */

/* Adds the table with its row. */
enum quipu_status quipu__matching_table_add(const struct quipu__communication *communication,
                                            const struct quipu_analysis_table *shape,
                                            struct quipu_tables *tables, struct quipu_error *err);

/* Notes what could not be matched, or was assumed, when there is any. */
void quipu__matching_note(const struct quipu__communication *communication, struct quipu_tables *tables);

/* Notes that posts of receives are not in the trace, though calls post some. */
void quipu__posts_note(const struct quipu__communication *communication, struct quipu_tables *tables);

/* What could not be matched, and calls without end. */
static inline void quipu__communication_note(const struct quipu__communication *communication,
                                             struct quipu_tables *tables) {
    quipu__matching_note(communication, tables);
    quipu__unfinished_calls_note(&communication->unfinished, tables);
}

/* The same, and adds empty tables of these shapes when memory has sufficed so far. */
enum quipu_status quipu__matched_tables_new(const struct quipu__communication *communication,
                                            const struct quipu_analysis_table *shapes, size_t count,
                                            struct quipu_tables *tables, struct quipu_table **out,
                                            struct quipu_error *err);

#endif
