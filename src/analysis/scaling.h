/* scaling.h: how the efficiency of a program changes with its number of processes: the answers of several traces against one of them. */
#ifndef QUIPU_ANALYSIS_SCALING_H
#define QUIPU_ANALYSIS_SCALING_H

#include "analysis/fold.h"

/* The relate of the fold of efficiency. */
enum quipu_status quipu__scaling_relate(const struct quipu_tables *const *answers, const char *const *names,
                                        size_t count, const struct quipu__settings *settings,
                                        struct quipu_tables *tables, struct quipu_error *err);

#endif
