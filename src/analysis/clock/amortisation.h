/* amortisation.h: what the amortisation of a logical clock is made of: by how much receives jump, and how late sends may become.
 *
 * A send, or the beginning of a collective operation that others wait for, must not pass any of its receives less what a message takes at
 * least. Receives count with the time that the logical clock gives them: amortisation only makes it later, and so no location has to wait for
 * what another one's receives become. The end of a collective operation is a receive like others.
 */
#ifndef QUIPU_ANALYSIS_CLOCK_AMORTISATION_H
#define QUIPU_ANALYSIS_CLOCK_AMORTISATION_H

#include "analysis/replay/schedule.h"
#include "model/time_shifts.h"
#include "state/collective_matching.h"

/* A send, by its mark. */
struct quipu__marked_send {
    uint32_t location;
    uint64_t event; /* number among those of its location */
};

/* What becomes known with the time of a receive, by its condition. */
enum quipu__awaited_kind { QUIPU__AWAITED_NOTHING, QUIPU__AWAITED_MESSAGE, QUIPU__AWAITED_COLLECTIVE };
struct quipu__awaited_end {
    enum quipu__awaited_kind kind;
    uint32_t number; /* the send's mark; the operation */
    uint32_t side;   /* of the operation */
};

struct quipu__awaited_side {
    uint32_t mark; /* of its beginning */
    int64_t end;
    bool contributes, depends; /* as in quipu__collective_side */
};

/* A collective operation whose ends have no times yet. */
struct quipu__awaited_collective {
    struct quipu__awaited_side *sides;
    uint32_t count, room, missing;
    bool is_scan;
    uint32_t next; /* unused one */
};

struct quipu__clock_amortisation {
    struct quipu__memory *memory;
    struct quipu__schedule *schedule;
    struct quipu__amortisation found;
    struct quipu__schedule_listener listener;
    QUIPU__VEC(struct quipu__marked_send) sends; /* by mark */
    QUIPU__VEC(struct quipu__awaited_end) ends;  /* by condition */
    QUIPU__VEC(struct quipu__awaited_collective) collectives;
    uint32_t unused_collective;
};

/* Listens to the schedule of a logical clock, which has time shifts, and makes them amortised ones. window: ns, above 0. */
void quipu__clock_amortisation_init(struct quipu__clock_amortisation *amortisation,
                                    struct quipu__memory *memory, struct quipu__schedule *schedule,
                                    int64_t window);
void quipu__clock_amortisation_release(struct quipu__clock_amortisation *amortisation);

/* The location of the condition waits for the mark; the ends of the sides of an operation for its beginnings. Before the schedule hears that
 * all is known of these conditions. */
void quipu__clock_amortisation_message(struct quipu__clock_amortisation *amortisation, uint32_t mark,
                                       uint32_t condition);
void quipu__clock_amortisation_collective(struct quipu__clock_amortisation *amortisation,
                                          const struct quipu__collective *collective);

#endif
