/* calls.h: calls of any trace on their way into entries and exits. Events between enter and leave may have their data. */
#ifndef QUIPU_PICL_CALLS_H
#define QUIPU_PICL_CALLS_H

#include "formats/picl/from_model.h"

/* Holds an enter until the next event. */
void quipu__picl_hold_enter(struct quipu__picl_from_model *from, uint32_t target,
                            const struct quipu_event *event);

/* Writes the entry that is held, if there is one: nothing behind it belongs to it. */
void quipu__picl_put_held(struct quipu__picl_from_model *from);

/* Writes the entry that is held with the data of the event behind it. False where the entry is not one of such a mapping. */
QUIPU_CHECKED bool quipu__picl_put_held_for(struct quipu__picl_from_model *from, uint32_t target,
                                            const struct quipu_event *event, enum quipu__picl_mapping mapping);

/* Whether the call at hand is a mark of such a mapping, which has said all. */
bool quipu__picl_is_marked(const struct quipu__picl_from_model *from, uint32_t target,
                           enum quipu__picl_mapping mapping);

/* Whether a call of such a mapping is active that has no data of its exit yet. */
bool quipu__picl_is_active(struct quipu__picl_from_model *from, uint32_t target,
                           enum quipu__picl_mapping mapping);

/* Collects the data of the exit of the innermost active call of such a mapping that has none yet. False without such a call. */
bool quipu__picl_set_exit(struct quipu__picl_from_model *from, uint32_t target, const struct quipu_event *event,
                          enum quipu__picl_mapping mapping);

/* Writes the exit of a leave. */
void quipu__picl_put_leave(struct quipu__picl_from_model *from, uint32_t target,
                           const struct quipu_event *event);

#endif
