/* waits.h: waiting added up, for those that ask for more than its tables. */
#ifndef QUIPU_ANALYSIS_WAITS_WAITS_H
#define QUIPU_ANALYSIS_WAITS_WAITS_H

#include "analysis/waits/delays.h"
#include "analysis/waits/overlap.h"
#include "analysis/shared/fold.h"
#include "state/unneeded_calls.h"

/* Columns of a table with a row for each wait. */
/* clang-format off */
#define QUIPU__WAIT_INSTANCE_COLUMNS(COLUMN, table) \
    COLUMN(table, from_ns, TIME, "ns", "when it begins to wait") \
    COLUMN(table, to_ns, TIME, "ns", "when it ends") \
    COLUMN(table, time_ns, I64, "ns", "how long") \
    COLUMN(table, pattern, TEXT, "", "why it waits") \
    QUIPU__NAMED(COLUMN, table, location, "name of the process or thread that waits") \
    COLUMN(table, region, TEXT, "", "region of the call that waits") \
    COLUMN(table, callsite, TEXT, "", "file and line of the source code that makes the call, null where the trace does not say") \
    QUIPU__NAMED(COLUMN, table, peer, "name of the process or thread that it waits for") \
    COLUMN(table, communicator, TEXT, "", "communicator")
/* clang-format on */

/* What waits are told apart by. */
enum quipu__wait_key {
    QUIPU__WAIT_BY_pattern,
    QUIPU__WAIT_BY_location,
    QUIPU__WAIT_BY_path,
    QUIPU__WAIT_BY_region,
    QUIPU__WAIT_BY_callsite,
    QUIPU__WAIT_BY_communicator,
    QUIPU__WAIT_BY_peer,
    QUIPU__WAIT_KEYS
};

struct quipu__wait_row {
    uint32_t keys[QUIPU__WAIT_KEYS]; /* QUIPU_NONE: none, or added up */
    uint64_t instances;
    int64_t time, most; /* ns */
};

/* Another analysis that wants to know of each message and each wait. */
struct quipu__waits_listener {
    void *context;
    void (*matched)(void *context, const struct quipu__message_end *send,
                    const struct quipu__message_end *receive);
    void (*wait)(void *context, const struct quipu__wait *wait);
};

struct quipu__waits {
    struct quipu__memory memory;
    const struct quipu_definitions *definitions;
    struct quipu__wait_states states;
    struct quipu__unneeded_calls computing; /* they do not matter, unless causes are wanted */
    bool has_causes;
    struct quipu__delays delays;
    bool by[QUIPU__WAIT_KEYS];
    struct quipu__reported reported;
    QUIPU__VEC(struct quipu__wait_row) rows;
    struct quipu__map row_of;
    const struct quipu__waits_listener *listener; /* of causes; NULL: none */
    bool has_overlap;
    struct quipu__overlap overlap;
    bool has_list;
    QUIPU__VEC(struct quipu__wait) list; /* each wait, in place of rows */
};

/* The number of the row that a wait is added to; QUIPU_NONE when none was, for want of memory. */
uint32_t quipu__waits_row(struct quipu__waits *waits, const struct quipu__wait *wait);

#endif
