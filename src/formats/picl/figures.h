/* figures.h: the statistics of the model and those of PICL: times, counts and volumes of one event type each. */
#ifndef QUIPU_PICL_FIGURES_H
#define QUIPU_PICL_FIGURES_H

#include "formats/picl/from_model.h"

/* What pairs in records of statistics can be, as sets of enum quipu_statistic. */
#define QUIPU__PICL_STATISTICS_OF_TIMES QUIPU__STATISTIC(INCLUSIVE_TIME)
#define QUIPU__PICL_STATISTICS_OF_COUNTS                                                                       \
    (QUIPU__STATISTIC(CALLS) | QUIPU__STATISTIC(MESSAGES_SENT) | QUIPU__STATISTIC(MESSAGES_RECEIVED) |         \
     QUIPU__STATISTIC(OPENS) | QUIPU__STATISTIC(CLOSES) | QUIPU__STATISTIC(READS) | QUIPU__STATISTIC(WRITES))
#define QUIPU__PICL_STATISTICS_OF_VOLUMES                                                                      \
    (QUIPU__STATISTIC(CALL_BYTES) | QUIPU__STATISTIC(MESSAGE_BYTES_SENT) |                                     \
     QUIPU__STATISTIC(MESSAGE_BYTES_RECEIVED) | QUIPU__STATISTIC(BYTES_READ) |                                 \
     QUIPU__STATISTIC(BYTES_WRITTEN))
#define QUIPU__PICL_STATISTICS                                                                                 \
    (QUIPU__PICL_STATISTICS_OF_TIMES | QUIPU__PICL_STATISTICS_OF_COUNTS | QUIPU__PICL_STATISTICS_OF_VOLUMES |  \
     QUIPU__STATISTIC(CALL_BYTES_RECEIVED) | QUIPU__STATISTIC(CALL_SIZES))

/* What a pair in a record of statistics is in the model. row: of its event type, or NULL. */
enum quipu_statistic quipu__picl_statistic_of(int64_t record_type, const struct quipu__picl_event *row);

/* Takes a summary of a target, to be written with the others of its time. False for one that PICL has no pair for. */
QUIPU_CHECKED bool quipu__picl_take_figure(struct quipu__picl_from_model *from, uint32_t target,
                                           const struct quipu_event *event);

/* Writes what has been taken of a target. */
void quipu__picl_put_figures(struct quipu__picl_from_model *from, uint32_t target);

/* Whether a statistic can be that of all messages or files of a process, without a region. */
bool quipu__picl_is_of_all(enum quipu_statistic statistic);

#endif
