/* open.h: what is known while a moment is looked at, for the files that fold (open.c) and show (open_table.c) it. */
#ifndef QUIPU_ANALYSIS_OPEN_H
#define QUIPU_ANALYSIS_OPEN_H

#include "analysis/fold.h"
#include "trace/open.h"

struct quipu__moment {
    struct quipu__memory memory;
    struct quipu__follower follower;
    int64_t to;            /* the moment; INT64_MAX: the end of the trace */
    const char *locations; /* whose rows are wanted, as the setting has it; NULL: all */
};

/* Whether a setting is a list of locations: "0-3,7". */
bool quipu__moment_is_list(const char *list);

/* The tables of a follower that has been settled. On failure *out, which may be there all the same, is the caller's. */
enum quipu_status quipu__moment_open(struct quipu__moment *moment, struct quipu_table **out,
                                     struct quipu_error *err);
enum quipu_status quipu__moment_messages(struct quipu__moment *moment, struct quipu_table **out,
                                         struct quipu_error *err);

#endif
