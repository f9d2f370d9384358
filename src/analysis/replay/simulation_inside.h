/* simulation_inside.h: what the files of the simulation share: simulation.c, which lets locations act in the order of time, simulation_messages.c and
 * simulation_collectives.c. */
#ifndef QUIPU_ANALYSIS_REPLAY_SIMULATION_INSIDE_H
#define QUIPU_ANALYSIS_REPLAY_SIMULATION_INSIDE_H

#include "analysis/replay/simulation.h"
#include "core/bounded.h"

/* The number of an unused element of a list with a chain of them, or of a new one, which is zeroed; QUIPU_NONE when memory is out. */
#define QUIPU__SIMULATION_TAKE(simulation, list, unused, link, out)                                            \
    do {                                                                                                       \
        (out) = (simulation)->unused;                                                                          \
        if ((out) != QUIPU_NONE) {                                                                             \
            (simulation)->unused = (simulation)->list.items[out].link;                                         \
            memset(&(simulation)->list.items[out], 0, sizeof *(simulation)->list.items);                       \
        } else if (QUIPU__VEC_ADD((simulation)->memory, &(simulation)->list)) {                                \
            (out) = (uint32_t)((simulation)->list.count - 1);                                                  \
        }                                                                                                      \
    } while (0)
#define QUIPU__SIMULATION_GIVE(simulation, list, unused, link, number)                                         \
    do {                                                                                                       \
        (simulation)->list.items[number].link = (simulation)->unused;                                          \
        (simulation)->unused = (number);                                                                       \
    } while (0)

/* What comes next, earlier kinds first at the same time: so links are free again before others ask for them. */
enum quipu__simulated_event_kind {
    QUIPU__SIMULATED_TRANSFERRED, /* item: message */
    QUIPU__SIMULATED_ASKS,        /* its data may leave */
    QUIPU__SIMULATED_ACTS         /* a location, who */
};

void quipu__simulation_put_event(struct quipu__simulation *simulation,
                                 const struct quipu__simulated_event *event);
void quipu__simulation_put_action(struct quipu__simulation *simulation, uint32_t location,
                                  const struct quipu__simulated_action *action);

/* A location that was blocked goes on, not before that time. NONE is none. */
void quipu__simulation_wake(struct quipu__simulation *simulation, uint32_t location, int64_t time);

/* What an action does: it is done, blocks its location until it is woken, or is not known yet. */
enum quipu__simulated_outcome { QUIPU__ACTION_DONE, QUIPU__ACTION_BLOCKS, QUIPU__ACTION_UNKNOWN };

/* simulation_messages.c */
enum quipu__simulated_outcome quipu__simulate_send(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t message);
enum quipu__simulated_outcome quipu__simulate_send_wait(struct quipu__simulation *simulation, uint32_t location,
                                                        uint32_t message);
enum quipu__simulated_outcome quipu__simulate_receive(struct quipu__simulation *simulation, uint32_t location,
                                                      uint32_t receive);
void quipu__simulate_mark(struct quipu__simulation *simulation, uint32_t mark, int64_t time);
void quipu__simulate_ask(struct quipu__simulation *simulation, uint32_t message, int64_t time);
void quipu__simulate_transferred(struct quipu__simulation *simulation, uint32_t message, int64_t time);

/* simulation_collectives.c */
enum quipu__simulated_outcome quipu__simulate_meet(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t side);
enum quipu__simulated_outcome quipu__simulate_part(struct quipu__simulation *simulation, uint32_t location,
                                                   uint32_t side);

#endif
