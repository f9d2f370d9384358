/* model.h: the rules that hold for every trace. */
#ifndef QUIPU_CHECK_MODEL_H
#define QUIPU_CHECK_MODEL_H

#include "core/text/findings.h"
#include "core/memory/vec.h"
#include "state/events.h"

#include <quipu/reader.h>

enum { QUIPU__REFERS_COUNT = QUIPU_REFERS_STATISTIC + 1 };

/* What is known of one location while its events go by. */
struct quipu__check_location {
    int64_t last;    /* time of its last event in this stream */
    uint32_t stream; /* that stream + 1; 0 before the first event */
    uint64_t beyond; /* regions entered above the greatest depth */
};

struct quipu__model_check {
    const struct quipu_reader *reader;
    const struct quipu_definitions *definitions;
    struct quipu__memory *memory;
    struct quipu_findings *findings;
    const char *replaced_rules; /* see struct quipu__reading; may be NULL */
    QUIPU__VEC(struct quipu__check_location) locations;
    uint64_t limits[QUIPU__REFERS_COUNT]; /* how many numbers there are, while a batch is looked at */
    struct quipu__tracker calls;
    struct quipu__message_table messages;
    const struct quipu_batch *batch; /* the event that is looked at */
    uint32_t event;
};

void quipu__model_check_init(struct quipu__model_check *check, const struct quipu_reader *reader,
                             struct quipu__memory *memory, struct quipu_findings *findings);
void quipu__model_check_release(struct quipu__model_check *check);

/* Looks at the events of a batch in stream order. */
enum quipu_status quipu__model_check_batch(struct quipu__model_check *check, const struct quipu_batch *batch,
                                           struct quipu_error *err);

/* Looks at what is left over at the end. */
enum quipu_status quipu__model_check_end(struct quipu__model_check *check, struct quipu_error *err);

#endif
