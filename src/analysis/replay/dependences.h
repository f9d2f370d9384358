/* dependences.h: what the end of a collective operation depends on, as marks of a schedule. */
#ifndef QUIPU_ANALYSIS_REPLAY_DEPENDENCES_H
#define QUIPU_ANALYSIS_REPLAY_DEPENDENCES_H

#include "analysis/replay/schedule.h"
#include "state/collective_matching.h"

/* Lets the condition of each side, its end_mark, depend on the marks of those that it waits for; then all is known of the conditions, and
 * the marks are dropped. Incomplete operations count with those who take part; sides that are free are not held up. has_dependences false: they depend on nothing. */
void quipu__collective_depend(struct quipu__schedule *schedule, const struct quipu__collective *collective,
                              bool has_dependences);

/* How many ends of a complete operation come less than least after the beginnings that they depend on. 0 when memory is out, which the
 * gate knows. */
uint64_t quipu__collective_violations(struct quipu__memory *memory, const struct quipu__collective *collective,
                                      int64_t least);

#endif
