/* matching_table.c: see matching_table.h. */
#include "analysis/shared/matching_table.h"

#include <inttypes.h>

QUIPU__NUMBERS(QUIPU__MATCHING_TABLE)

enum quipu_status quipu__matching_table_add(const struct quipu__communication *communication,
                                            const struct quipu_analysis_table *shape,
                                            struct quipu_tables *tables, struct quipu_error *err) {
    const struct quipu__message_counts *messages = &communication->messages.counts;
    const struct quipu__collective_counts *collectives = &communication->collectives.counts;
    struct quipu_table *table;
    const enum quipu_status status = quipu__tables_add(tables, shape, &table, err);
    if (status != QUIPU_OK)
        return status;
    quipu__table_put_u64(table, MATCHING_sends, messages->sends);
    quipu__table_put_u64(table, MATCHING_receives, messages->receives);
    quipu__table_put_u64(table, MATCHING_matched, messages->matched);
    quipu__table_put_u64(table, MATCHING_unmatched_sends, messages->sends - messages->matched);
    quipu__table_put_u64(table, MATCHING_unmatched_receives, messages->receives - messages->matched);
    quipu__table_put_u64(table, MATCHING_assumed, messages->assumed);
    quipu__table_put_u64(table, MATCHING_self, messages->self);
    quipu__table_put_u64(table, MATCHING_collectives, collectives->collectives);
    quipu__table_put_u64(table, MATCHING_complete, collectives->complete);
    quipu__table_put_u64(table, MATCHING_incomplete, collectives->incomplete);
    quipu__table_put_u64(table, MATCHING_mixed, collectives->mixed);
    return quipu__table_end_row(table, err);
}

void quipu__matching_note(const struct quipu__communication *communication, struct quipu_tables *tables) {
    const struct quipu__message_counts *messages = &communication->messages.counts;
    const uint64_t sends = messages->sends - messages->matched,
                   receives = messages->receives - messages->matched;
    const uint64_t incomplete = communication->collectives.counts.incomplete;
    if (sends + receives + incomplete + messages->assumed == 0)
        return;
    quipu__tables_note_add(tables,
                           "left out: %" PRIu64 " sends and %" PRIu64 " receives without partner, %" PRIu64
                           " incomplete collective operations; %" PRIu64 " senders assumed",
                           sends, receives, incomplete, messages->assumed);
}

/* Some formats have no record of it. */
void quipu__posts_note(const struct quipu__communication *communication, struct quipu_tables *tables) {
    static const char *const posting[] = {"MPI_Irecv", "MPI_Imrecv", "MPI_Recv_init"};
    const struct quipu_regions *regions = &communication->definitions->regions;
    bool posts = false;
    for (uint32_t i = 0; i < regions->count && communication->messages.counts.posts == 0; i++)
        for (size_t k = 0; k < sizeof posting / sizeof *posting; k++)
            posts |= quipu__communication_has_entered(communication, i) &&
                     strcmp(regions->items[i].name, posting[k]) == 0;
    if (posts)
        quipu__tables_note_add(
            tables, "the trace does not say when non-blocking receives are posted: late receivers of "
                    "them cannot be told");
}

enum quipu_status quipu__matched_tables_new(const struct quipu__communication *communication,
                                            const struct quipu_analysis_table *shapes, size_t count,
                                            struct quipu_tables *tables, struct quipu_table **out,
                                            struct quipu_error *err) {
    enum quipu_status status = quipu__memory_status(communication->memory, err);
    quipu__communication_note(communication, tables);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = quipu__tables_add(tables, &shapes[i], &out[i], err);
    return status;
}
