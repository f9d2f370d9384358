/* overlap.h: how far operations that do not block overlap with computing, and what their completion waits for.
 *
 * An operation is in flight from its post (of a send or receive with a request, or the begin of a collective operation that another call completes) to its
 * completion. Of that time counts what its location computes: outside of communication, I/O, the runtime system, synchronisation and idling. Its
 * completion blocks from the enter of the completing call on: by a late partner until that one comes, as patterns of waits have it (the call of the send begins,
 * the receive is posted that a send waits for, the last one comes that an operation waits for); the rest is late transfer. Operations that are in
 * flight together count each by itself.
 */
#ifndef QUIPU_ANALYSIS_WAITS_OVERLAP_H
#define QUIPU_ANALYSIS_WAITS_OVERLAP_H

#include "analysis/shared/fold.h"
#include "analysis/shared/path_uses.h"
#include "analysis/waits/wait_states.h"

/* Until when a location has computed, or not, and how long it has computed by then. */
struct quipu__computed {
    int64_t to, useful;
};

struct quipu__computing {
    QUIPU__VEC(struct quipu__computed) list;
    bool is_useful; /* the last one */
};

enum quipu__overlap_operation { QUIPU__OVERLAP_SEND, QUIPU__OVERLAP_RECEIVE, QUIPU__OVERLAP_COLLECTIVE };

/* Of a location, the operations that a region posts. */
struct quipu__overlap_row {
    uint32_t location, region;
    enum quipu__overlap_operation operation;
    uint64_t operations;
    int64_t in_flight, computing, blocked, late_partner;
};

struct quipu__overlap {
    struct quipu__memory *memory;
    const struct quipu_definitions *definitions;
    struct quipu__wait_states *states;
    const struct quipu__reported *reported;
    struct quipu__path_uses paths;
    QUIPU__VEC(struct quipu__computing) locations;
    QUIPU__VEC(int64_t) completions; /* times, by the marks of sends */
    QUIPU__VEC(struct quipu__overlap_row) rows;
    struct quipu__map row_of; /* (location and operation, region) to its row */
};

void quipu__overlap_init(struct quipu__overlap *overlap, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions, struct quipu__wait_states *states,
                         const struct quipu__reported *reported);
void quipu__overlap_release(struct quipu__overlap *overlap);

/* Time that a location has spent in a path. */
void quipu__overlap_add_step(struct quipu__overlap *overlap, uint32_t location, uint32_t path, int64_t from,
                             int64_t to);

/* A send is complete; the result is its completion mark. Then it is known to be matched, as is its receive. And a collective operation has ended. What there
 * is no memory for is lost: the gate knows. */
uint32_t quipu__overlap_complete(struct quipu__overlap *overlap, int64_t time);
void quipu__overlap_add_receive(struct quipu__overlap *overlap, const struct quipu__message_end *send,
                                const struct quipu__message_end *receive);
void quipu__overlap_add_send(struct quipu__overlap *overlap, const struct quipu__message_end *send,
                             const struct quipu__message_end *receive);
void quipu__overlap_add_collective(struct quipu__overlap *overlap, const struct quipu__collective *collective);

/* clang-format off */
#define QUIPU__OVERLAP_TABLE(TABLE, COLUMN, END) \
    TABLE(OVERLAP, "overlap", "with --overlap: how far operations that do not block overlap with computing") \
    QUIPU__NAMED(COLUMN, OVERLAP, location, "name of the process or thread") \
    COLUMN(OVERLAP, operation, TEXT, "", "send, receive or collective") \
    COLUMN(OVERLAP, region, TEXT, "", "region of the call that posts it") \
    COLUMN(OVERLAP, overlap_percent, F64, "%", "computing_ns, of in_flight_ns") \
    COLUMN(OVERLAP, in_flight_ns, I64, "ns", "from the post to the completion, all operations together") \
    COLUMN(OVERLAP, computing_ns, I64, "ns", "computing meanwhile: outside of communication, I/O, runtime, synchronisation and idling") \
    COLUMN(OVERLAP, blocked_ns, I64, "ns", "from the enter of the completing call to the completion") \
    COLUMN(OVERLAP, late_partner_ns, I64, "ns", "of that: until the partner came") \
    COLUMN(OVERLAP, late_transfer_ns, I64, "ns", "of that: the rest, when both were there") \
    COLUMN(OVERLAP, operations, U64, "", "operations that have completed, with a partner") \
    END(OVERLAP)
/* clang-format on */

/* A row per location, operation and region, the longest in flight first. */
enum quipu_status quipu__overlap_put(struct quipu__overlap *overlap, struct quipu_table *table,
                                     struct quipu_error *err);

#endif
