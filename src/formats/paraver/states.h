/* states.h: the states of the threads of an MPI program, which follow each other from the beginning of a trace to its end. */
#ifndef QUIPU_PARAVER_STATES_H
#define QUIPU_PARAVER_STATES_H

#include "formats/paraver/regions.h"
#include "formats/paraver/tasks.h"

/* A thread is in a state from now on: the one before gets its line. */
void quipu__paraver_enter_state(struct quipu__prv *prv, struct quipu__paraver_row *row, int64_t time,
                                enum quipu__paraver_state state);

/* The last lines of all threads. A thread that computes does so up to its last event, one in a call stays there to the end. */
void quipu__paraver_end_states(struct quipu__prv *prv, const struct quipu__paraver_tasks *tasks,
                               int64_t duration);

#endif
