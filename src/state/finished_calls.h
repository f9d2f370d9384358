/* finished_calls.h: quipu_calls for those inside the library. */
#ifndef QUIPU_STATE_FINISHED_CALLS_H
#define QUIPU_STATE_FINISHED_CALLS_H

#include "core/memory/memory.h"

#include <quipu/calls.h>

/* With a gate like model. is_merged: see quipu_tracker_options. */
enum quipu_status quipu__calls_new(const struct quipu__memory *model,
                                   const struct quipu_definitions *definitions, bool is_merged,
                                   struct quipu_calls **out, struct quipu_error *err);

/* Messages and collective operations count only at from <= time < to; INT64_MAX: no end. */
void quipu__calls_narrow(struct quipu_calls *calls, int64_t from, int64_t to);

#endif
