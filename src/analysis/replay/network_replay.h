/* network_replay.h: the run time of a program on another network, and with other processors: its bursts and calls as the actions of a schedule.
 *
 * On an ideal network a communication call ends when those have begun that it depends on: the calls that hold the sends of its
 * messages, those that post the receives of its sends, where these held them up, and of collective operations those that it waits for. As
 * measured a call takes what it took in the trace from then on: without clock errors every call has its time.
 * On a modelled network a call is what happens in it, one thing after the other: sends, receives, collective operations.
 *
 * On an ideal network the time that counts may be cut into sections. Each is replayed by itself: all locations begin it at 0. A call begins in the
 * section in which it is entered, and waits in that in which what it waits for is completed; partners that begin in other sections are there at 0.
 */
#ifndef QUIPU_ANALYSIS_REPLAY_NETWORK_REPLAY_H
#define QUIPU_ANALYSIS_REPLAY_NETWORK_REPLAY_H

#include "analysis/replay/messages.h"
#include "analysis/shared/sending.h"
#include "analysis/shared/useful_counters.h"
#include "analysis/shared/path_uses.h"
#include "analysis/waits/wait_states.h"
#include "model/time_shifts.h"
#include "state/unneeded_calls.h"

/* How long the time between communication calls takes: with processors that are faster or slower, or with a region that is. A burst is the time that
 * a location spends in one call without a break; each is rounded once. */
struct quipu__bursts {
    struct quipu__memory *memory;
    bool are_measured; /* all take what they took */
    struct quipu__decimal factor;
    QUIPU__VEC(struct quipu__decimal) of_regions; /* denominator 0: the factor of all */
    QUIPU__VEC(int64_t) from;                     /* by location: when the burst began in the trace */
    const char
        *balanced; /* region that takes these times as long at each location; NULL: none. Borrowed (replay.c) */
    const struct quipu_definitions *definitions;
    const struct quipu__decimal *of_locations;
    size_t location_count;
};

/* What --cpu-factor and --region say. Release in any case. */
enum quipu_status quipu__bursts_init(struct quipu__bursts *bursts, struct quipu__memory *memory,
                                     const struct quipu_definitions *definitions,
                                     const struct quipu__settings *settings, struct quipu_error *err);
static inline void quipu__bursts_release(struct quipu__bursts *bursts) {
    QUIPU__VEC_RELEASE(bursts->memory, &bursts->of_regions);
    QUIPU__VEC_RELEASE(bursts->memory, &bursts->from);
}

/* Where bursts are not measured: an event has been seen; calls that begin and end separate bursts. */
void quipu__bursts_add(struct quipu__bursts *bursts, uint32_t location, uint8_t kind, int64_t time);

/* How long that part of a burst takes. */
int64_t quipu__burst_time(const struct quipu__bursts *bursts, uint32_t location, uint32_t region, int64_t from,
                          int64_t to);

/* What is known of a location. */
struct quipu__replay_location {
    int64_t useful, useful_before; /* before: up to the section that it is in */
    int64_t useful_early;          /* before the time that counts, where there are counters */
    int64_t init, finalize; /* end of the first MPI_Init, beginning of the last MPI_Finalize of the process */
    int64_t entered;        /* the outermost communication call */
    bool has_init, has_finalize;
    uint32_t section;
    uint32_t mark, condition; /* of that call, as far as they are needed */
    uint32_t first_events,
        events; /* of that call: before the first completion, which keep their distance from its beginning; and others, from its end */
    bool is_inside; /* that was entered in the region of interest */
    bool has_started;
};

/* Of times that are not below 0: units of 2^32, and the rest. */
struct quipu__time_total {
    uint64_t upper, lower;
};

/* In units of 2^shift ns, shift at most 32; and INT64_MAX when that is less. */
static inline uint64_t quipu__time_total_shifted(const struct quipu__time_total *total, unsigned shift) {
    return (total->upper << (32 - shift)) + (total->lower >> shift);
}

static inline int64_t quipu__time_total_bounded(const struct quipu__time_total *total) {
    const uint64_t upper = total->upper + (total->lower >> 32);
    return upper > INT32_MAX ? INT64_MAX : (int64_t)(upper << 32 | (total->lower & UINT32_MAX));
}

/* What comes out, of all that counts or of a section of it. Times are ns. */
struct quipu__replay_totals {
    int64_t begin, end;
    struct quipu__time_total useful; /* of all locations */
    int64_t most;                    /* the largest useful time of a location */
    int64_t run_time, ideal;
    int64_t reported_time; /* run time until the last event of the locations that are reported */
    bool has_ideal;        /* no circle has stopped the replay */
    uint64_t locations;
};

struct quipu__replay_sections {
    QUIPU__VEC(int64_t) cuts;                     /* where the next one begins, ascending */
    QUIPU__VEC(struct quipu__replay_totals) list; /* one more; none: time is not cut */
};

/* Waits that are left out. */
struct quipu__left_out_wait {
    enum quipu__wait_pattern pattern;
    const char *region; /* of the calls that wait; NULL: of all. Borrowed */
};

/* A send whose receiver may have held it up. */
struct quipu__held_send {
    int64_t posted;           /* enter of the call that posted its receive */
    int64_t distance;         /* from there to its own end, at least */
    uint32_t condition, mark; /* of the call that completes it; of the one that posted the receive */
    uint32_t next;            /* of that call */
};

struct quipu__network_replay {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__communication own;
    struct quipu__communication *communication; /* its own, unless another one tells it what happens (why.c) */
    struct quipu__unneeded_calls computing;     /* only their time matters, where no other times are wanted */
    struct quipu__unneeded_calls elsewhere;     /* all calls that do not say what the region of interest is */
    struct quipu__network network;
    bool is_measured, is_modelled; /* the network */
    bool has_traced_times; /* locations have times as in the trace, not from the beginning of what counts */
    struct quipu__schedule schedule;
    struct quipu__messages messages; /* on a modelled network */
    QUIPU__VEC(struct quipu__replay_location) locations;
    struct quipu__path_uses paths;
    struct quipu__useful_counters counters; /* of none unless they are looked for */
    struct quipu__sending sending;
    QUIPU__VEC(struct quipu__left_out_wait) left_out;
    QUIPU__VEC(struct quipu__held_send) held; /* by calls that are not left */
    uint32_t unused_held;
    bool has_eager;                   /* a send was over in the instant in which its receive was posted */
    bool is_second_try;               /* such sends wait for no receiver */
    struct quipu__time_shifts shifts; /* when they are wanted */
    bool retimes;
    bool is_event;         /* an event is taken in, not the end of the trace */
    bool looks_for_region; /* the first reading */
    int64_t begin, end;    /* of the region of interest */
    struct quipu__window
        counted; /* the same, no longer than the trace: after the reading that looks for it, and with the totals */
    int64_t first; /* the first event of all */
    struct quipu__replay_sections sections;
    struct quipu__reported reported;
    struct quipu__bursts bursts;
};

/* The functions of a fold. The network is copied. */
enum quipu_status quipu__network_replay_begin(const struct quipu__fold_start *start,
                                              const struct quipu__network *network,
                                              struct quipu__network_replay **out, struct quipu_error *err);

const struct quipu__unneeded_calls *quipu__network_replay_unneeded(const void *state);

/* What --cpu-factor and --region say. */
static inline enum quipu_status quipu__network_replay_set(struct quipu__network_replay *replay,
                                                          const struct quipu__fold_start *start,
                                                          struct quipu_error *err) {
    return quipu__bursts_init(&replay->bursts, &replay->memory, replay->definitions, &start->settings, err);
}

/* What --without says, for networks that are not modelled; and how far behind what a call depends on by a pattern its end must be: QUIPU__NO_DISTANCE when such
 * waits are left out (without.c). */
enum quipu_status quipu__network_replay_leave_waits_out(struct quipu__network_replay *replay,
                                                        const struct quipu__settings *settings,
                                                        struct quipu_error *err);
int64_t quipu__network_replay_distance_left(const struct quipu__network_replay *replay,
                                            enum quipu__wait_pattern pattern, uint32_t call);
static inline int64_t quipu__network_replay_distance(const struct quipu__network_replay *replay,
                                                     enum quipu__wait_pattern pattern, uint32_t call) {
    return QUIPU__LIKELY(replay->left_out.count == 0)
               ? 0
               : quipu__network_replay_distance_left(replay, pattern, call);
}

/* Whether a first reading finds out what counts: from MPI_Init to MPI_Finalize, where there are both and nothing else is said. */
bool quipu__network_replay_reads_twice(bool has_times, const struct quipu_definitions *definitions);

/* The same in a replay that has just begun. */
void quipu__network_replay_look_for_region(struct quipu__network_replay *replay, bool looks);

enum quipu_status quipu__network_replay_consume(void *state, const struct quipu_batch *batch,
                                                struct quipu_error *err);
bool quipu__network_replay_next_pass(void *state, struct quipu_selection *selection);
void quipu__network_replay_release(void *state);

/* Lets pass what is left. After the communication is finished. */
struct quipu__replay_totals quipu__network_replay_totals(struct quipu__network_replay *replay);

/* ---- Sections ---- */

/* Cuts time, at times in ascending order, and begins again. False when memory is out. */
QUIPU_CHECKED bool quipu__network_replay_cut(struct quipu__network_replay *replay, const int64_t *cuts,
                                             size_t count);

/* What comes out of a section, whose times are told, since those at both ends have none; QUIPU_NONE: of one in which no time passes. After the
 * last reading. */
struct quipu__replay_totals quipu__replay_section_totals(const struct quipu__network_replay *replay,
                                                         uint32_t section, int64_t from, int64_t to);

static inline void quipu__replay_sections_release(struct quipu__network_replay *replay) {
    QUIPU__VEC_RELEASE(&replay->memory, &replay->sections.cuts);
    QUIPU__VEC_RELEASE(&replay->memory, &replay->sections.list);
}

/* From when to when it goes. */
static inline int64_t quipu__replay_section_from(const struct quipu__network_replay *replay, uint32_t section) {
    return section > 0 ? replay->sections.cuts.items[section - 1] : replay->begin;
}

static inline int64_t quipu__replay_section_to(const struct quipu__network_replay *replay, uint32_t section) {
    return section < replay->sections.cuts.count ? replay->sections.cuts.items[section] : replay->end;
}

#endif
