/* state.h: the state at a time, for the files that fold (state.c) and show (state_table.c) it. */
#ifndef QUIPU_ANALYSIS_STATE_H
#define QUIPU_ANALYSIS_STATE_H

#include "analysis/fold.h"
#include "state/events.h"

struct quipu__state {
    struct quipu__memory memory;
    struct quipu__tracker tracker;
    int64_t to;            /* the time; INT64_MAX: the end of the trace */
    const char *locations; /* whose rows are wanted, as the setting has it; NULL: all */
};

/* "intervals" and "messages". */
extern const struct quipu_analysis_table quipu__state_tables[2];

/* Add the tables of a tracker that has been reconciled. */
enum quipu_status quipu__state_intervals(struct quipu__state *known, struct quipu_tables *tables,
                                         struct quipu_error *err);
enum quipu_status quipu__state_messages(struct quipu__state *known, struct quipu_tables *tables,
                                        struct quipu_error *err);

#endif
