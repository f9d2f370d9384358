/* check.h: what a record means for those that follow, and the rules that it breaks: one look at each record, in file order. */
#ifndef QUIPU_CHARISMA_CHECK_H
#define QUIPU_CHARISMA_CHECK_H

#include "core/findings.h"
#include "formats/charisma/compressed_rw.h"

enum quipu__charisma_rule {
#define RULE(name, id, severity, text, advice) QUIPU__CHARISMA_RULE_##name,
#include "formats/charisma/rules.def"
#undef RULE
    QUIPU__CHARISMA_RULE_COUNT
};
extern const struct quipu_rule quipu__charisma_rules[QUIPU__CHARISMA_RULE_COUNT];

/* A record at hand. */
struct quipu__charisma_where {
    uint64_t byte, record;
    uint32_t type;
};

struct quipu__charisma_check {
    struct quipu__charisma_tracking tracking;
    struct quipu_findings *findings; /* NULL: rules are counted only */
    const char *path;
    uint64_t errors, warnings; /* broken rules of the codes E and W */
    struct quipu__charisma_where where;
    struct quipu_number latest; /* time stamp so far */
    bool has_latest, has_header;

    /* What the record at hand is about, for mapping it to events. QUIPU_NONE when it is about none. */
    uint32_t client, application, file;
    struct quipu__charisma_in_flight *ended; /* ASYNCH_END: the request; NULL when there is none */
    uint64_t first_transfers;                /* RW: number of its first entry among all of the trace */
    const struct quipu__charisma_route
        *route; /* RW that took the fast path: what its entry is about, else NULL */
};

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path);
void quipu__charisma_check_release(struct quipu__charisma_check *check);

/* Looks at the next record of the file. COMP_RW gets its values here. */
void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data);

/* The fast path, which most records take: a synchronous request of one client that breaks no rule, on a route that is known.
 * False, with nothing done, for all others. */
QUIPU__INLINE bool quipu__charisma_check_routed(struct quipu__charisma_check *check, uint64_t byte,
                                                const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    const struct quipu__charisma_request *request = rw->requests;
    const struct quipu__charisma_route *route =
        quipu__charisma_route_of(tracking, request->client_id, rw->file_desc);
    const unsigned direction = (rw->operation_type & QUIPU__CHARISMA_WRITE) / QUIPU__CHARISMA_WRITE;
    if (route->generation != tracking->generation || route->client_id != request->client_id ||
        route->file_desc != rw->file_desc ||
        (rw->operation_type & ~QUIPU__CHARISMA_WRITE) != QUIPU__CHARISMA_OF_CLIENT ||
        !(route->directions >> direction & 1) || (request->offset | request->IO_size) < 0 ||
        rw->appl_id != tracking->profile->no_app || quipu__charisma_is_before(rw->starttime, check->latest) ||
        quipu__charisma_is_before(rw->endtime, rw->starttime))
        return false;
    check->where.byte = byte;
    check->where.record++;
    check->where.type = QUIPU__CHARISMA_TYPE_rw;
    check->client = check->application = check->file = QUIPU_NONE;
    check->ended = NULL;
    check->latest = quipu__charisma_stamp(rw->starttime);
    check->first_transfers = tracking->transfer_count++;
    check->route = route;
    quipu__charisma_compressed_note(tracking, route, rw);
    return true;
}

/* The end of the trace: what is open, and what has not ended. cut: the trace goes on, so that is no fault. */
void quipu__charisma_check_end(struct quipu__charisma_check *check, bool cut);

/* The descriptor that an entry of a request is for; NULL when it is not open. *is_inherited when it was opened by another. */
struct quipu__charisma_handle *quipu__charisma_target(struct quipu__charisma_check *check, bool is_of_client,
                                                      uint32_t application, uint32_t client, int64_t file_desc,
                                                      bool *is_inherited);

/* Reports a broken rule about the record at hand. type and field may be "". */
void quipu__charisma_find(struct quipu__charisma_check *check, enum quipu__charisma_rule rule,
                          const char *field, const char *expected, const char *found, ...) QUIPU_PRINTF(5, 6);

#endif
