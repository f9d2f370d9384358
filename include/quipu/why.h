/* why.h: what a program loses time to, on one page: how efficient it is, its largest losses, and how sure that is. */
#ifndef QUIPU_WHY_H
#define QUIPU_WHY_H

#include <quipu/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Joins what the analyses efficiency, waits, critical-path and clock answer, with their figures, in tables that the caller frees:
 *     why          one row: how long the trace is, and what its figures do not cover
 *     efficiency   the efficiencies and what each is a product of
 *     losses       the largest losses: whose fault, in which region, who waits most; and the command that shows more, in which
 *                  TRACE stands for the trace
 * A loss that is no larger than what the clocks leave open, or below 0.1 % of the time of all locations, is not listed; the first table
 * counts those. */
QUIPU_API enum quipu_status quipu_why(struct quipu_reader *reader, struct quipu_tables **out,
                                      struct quipu_error *err);

#ifdef __cplusplus
}
#endif
#endif
