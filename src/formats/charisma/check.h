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
    bool is_canonical;                       /* RW: it has one entry and breaks no rule, and these are known */
    uint32_t entry_client, entry_file;
};

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path);
void quipu__charisma_check_release(struct quipu__charisma_check *check);

/* Looks at the next record of the file. COMP_RW gets its values here. */
void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data);

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
