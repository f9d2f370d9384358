/* program.h: what foreign targets share that write the program of each process for a simulator: how long it computes, which messages it sends
 * and receives, and which collective operations it has_form part in, one after the other, without times.
 *
 * What lies inside of calls of communication has_form the time that the simulator says: only what they do counts, as in a replay on another
 * network (analysis/replay). The program is known when all events have come, so it is kept until then.
 */
#ifndef QUIPU_FORMATS_PROGRAM_H
#define QUIPU_FORMATS_PROGRAM_H

#include "core/memory/buffer.h"
#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/descriptor.h"
#include "state/communication.h"

enum quipu__action_kind {
    QUIPU__ACTION_NOTHING, /* it has turned out to be no part of the program */
    QUIPU__ACTION_COMPUTE,
    QUIPU__ACTION_SEND,
    QUIPU__ACTION_RECEIVE,
    QUIPU__ACTION_POST, /* a receive that is never completed */
    QUIPU__ACTION_WAIT,
    QUIPU__ACTION_COLLECTIVE
};

/* What a location does next. */
struct quipu__action {
    uint64_t
        amount; /* ns; bytes that are sent or received; of a wait the number of the location's action that is complete then */
    uint64_t received; /* of collective operations: bytes; unknown amounts are QUIPU_UNKNOWN */
    uint32_t object;   /* key of a message (communication.messages.keys), operation (collectives) */
    uint32_t peer;     /* rank */
    uint8_t kind;      /* enum quipu__action_kind */
    bool is_free;      /* what follows may begin when it has started: a wait says when it is complete */
};

struct quipu__program_location {
    QUIPU__VEC(struct quipu__action) actions;
    int64_t first; /* time of its first event, ns */
    int64_t burst; /* computed since the last action */
    uint32_t rank; /* of its process, from 0 without gaps; QUIPU_NONE: it belongs to none and does nothing */
    uint32_t thread, next; /* in its process; the next location of that */
    uint32_t call_first;   /* its first action in the call that it is in; QUIPU_NONE: it is in none */
    bool has_events;
};

/* A collective operation: the n-th of a communicator. */
struct quipu__program_collective {
    uint32_t group, operation, root; /* root: rank, QUIPU_NONE: none */
    uint32_t started, ended;         /* members */
    uint64_t sent, received;         /* most bytes of those that are not the root */
    uint64_t root_sent;
    uint64_t total;              /* bytes that all send */
    bool is_judged, is_left_out; /* at the end */
};

struct quipu__program {
    struct quipu__memory *memory;
    const struct quipu__program_target *target;
    const struct quipu__settings *settings;
    struct quipu__file *file;
    struct quipu__buffer out;
    uint64_t *dropped, *approximated; /* per kind */
    const struct quipu_definitions *definitions;
    struct quipu__communication communication; /* of calls only; and the keys of messages */
    bool is_started;
    QUIPU__VEC(struct quipu__program_location) locations;
    QUIPU__VEC(uint32_t) ranks; /* location of each process, whose next are its threads */
    QUIPU__VEC(struct quipu__program_collective) collectives;
    struct quipu__map requests;  /* location, request and direction: action */
    struct quipu__map instances; /* communicator and number: collective operation */
    struct quipu__map counts;    /* communicator and rank: operations that it has started */
    struct quipu__map active;    /* location, communicator and matching number: collective operation */
    int64_t origin;              /* the first event of all */
};

/* What a target differs in. */
struct quipu__program_target {
    uint64_t least_bytes; /* of messages: shorter ones are made so long */

    /* Whether a collective operation that all members do has a form; and whether it says what the operation is, rather than what it may
     * consist of. */
    bool (*has_form)(const struct quipu__program *program, const struct quipu__program_collective *collective);
    bool has_collectives;

    /* Writes all of it into program->out. Called when all is known; flushes whenever it likes by flush. */
    enum quipu_status (*print)(struct quipu__program *program, struct quipu_error *err);
};

/* Writes what is in program->out, when that is much. */
static inline enum quipu_status quipu__program_flush(struct quipu__program *program, struct quipu_error *err) {
    enum { MUCH = 1 << 16 };
    if (program->out.failed)
        return quipu__memory_status(program->memory, err);
    if (program->out.len < MUCH)
        return QUIPU_OK;
    const enum quipu_status status = quipu__file_write(program->file, program->out.data, program->out.len, err);
    program->out.len = 0;
    return status;
}

/* The members of a communicator: locations; of none all processes. */
static inline const uint32_t *quipu__program_members(const struct quipu__program *program, uint32_t group,
                                                     uint32_t *out_count) {
    const struct quipu_groups *groups = &program->definitions->groups;
    const bool is_known = group < groups->count;
    *out_count = is_known ? groups->items[group].member_count : (uint32_t)program->ranks.count;
    return is_known ? groups->items[group].members : program->ranks.items;
}

/* How such a target is written: its descriptor has a program_target. */
extern const struct quipu__writing quipu__program_writing;

#endif
