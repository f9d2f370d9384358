/* check.h: what a record means for those that follow, and the rules that it breaks: one look at each record, in file order. */
#ifndef QUIPU_CHARISMA_CHECK_H
#define QUIPU_CHARISMA_CHECK_H

#include "core/text/findings.h"
#include "formats/charisma/tracking.h"

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
    bool only_defines;         /* what is needed for definitions is looked at, not each rule */
    uint64_t errors, warnings; /* broken rules of the codes E and W */
    struct quipu__charisma_where where;
    struct quipu_number latest; /* time stamp so far */
    bool has_latest, has_header;

    /* What the record at hand is about, for mapping it to events. QUIPU_NONE when it is about none. */
    uint32_t client, application, file;
    struct quipu__charisma_in_flight *ended; /* ASYNCH_END: the request; NULL when there is none */
    uint64_t first_transfers;                /* RW: number of its first entry among all of the trace */
};

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path);
void quipu__charisma_check_release(struct quipu__charisma_check *check);

/* Looks at the next record of the file. COMP_RW gets its values here. */
void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data);

/* The route of a request of one client that is not before the latest stamp; NULL when it is not known. */
QUIPU__INLINE const struct quipu__charisma_route *quipu__charisma_known_route(
    struct quipu__charisma_check *check, struct quipu_number latest, const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    const int64_t client_id = rw->requests->client_id;
    const struct quipu__charisma_route *route = quipu__charisma_route_of(tracking, client_id, rw->file_desc);
    const uint8_t kind = rw->operation_type & (uint8_t) ~(QUIPU__CHARISMA_WRITE | QUIPU__CHARISMA_ASYNCHRONOUS);
    const bool is_known = route->generation == tracking->generation && route->client_id == client_id &&
                          route->file_desc == rw->file_desc && kind == QUIPU__CHARISMA_OF_CLIENT &&
                          rw->appl_id == tracking->profile->no_app &&
                          !quipu__charisma_is_before(rw->starttime, latest);
    return is_known ? route : NULL;
}

/* The fast path, which most records take: the route of a synchronous request that breaks no rule. NULL for all others. */
QUIPU__INLINE const struct quipu__charisma_route *quipu__charisma_check_route(
    struct quipu__charisma_check *check, struct quipu_number latest, const struct quipu__charisma_rw *rw) {
    const struct quipu__charisma_route *route = quipu__charisma_known_route(check, latest, rw);
    const struct quipu__charisma_request *request = rw->requests;
    const unsigned direction = (rw->operation_type & QUIPU__CHARISMA_WRITE) / QUIPU__CHARISMA_WRITE;
    const bool is_regular = route && !(rw->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS) &&
                            (route->directions >> direction & 1) && (request->offset | request->IO_size) >= 0 &&
                            !quipu__charisma_is_before(rw->endtime, rw->starttime);
    return is_regular ? route : NULL;
}

/* The next records of the file are so many such requests: what the last of them says. */
QUIPU__INLINE void quipu__charisma_check_routed(struct quipu__charisma_check *check, uint64_t byte,
                                                struct quipu_number latest, uint32_t count) {
    check->where.byte = byte;
    check->where.record += count;
    check->where.type = QUIPU__CHARISMA_TYPE_rw;
    check->client = check->application = check->file = QUIPU_NONE;
    check->ended = NULL;
    check->latest = quipu__charisma_stamp(latest);
    check->tracking.transfer_count += count;
    check->first_transfers = check->tracking.transfer_count - 1;
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
