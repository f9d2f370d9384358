/* statistics.h: count, time and volume of events, in all and inside of other events, recomputed from the events of one process
 * (specification, section 9.3): an instance is an entry with its exit, or a mark; it is inside of an event when it begins while
 * that one is active; times are lengths of unions, so recursion counts once. */
#ifndef QUIPU_PICL_STATISTICS_H
#define QUIPU_PICL_STATISTICS_H

#include "core/memory/map.h"
#include "core/memory/vec.h"
#include "formats/picl/scope.h"

/* Events, or sets of them, that others can be inside of: so many are told apart. */
#define QUIPU__PICL_WATCHED_MOST QUIPU__PICL_RELATIVES_MOST

/* Figures of one event type. */
struct quipu__picl_figures {
    uint64_t count;
    int64_t volume, time;
    int64_t since;  /* when the time that runs began */
    uint32_t depth; /* instances that are active */
    bool has_time;  /* not all instances were marks */
    bool has_volume;
};

/* An instance that is active. */
struct quipu__picl_instance {
    uint64_t inside; /* bit for each watched event that was active at its entry */
    uint64_t line, byte;
};

struct quipu__picl_occurrence {
    int64_t event;
    struct quipu__picl_figures all;
    struct quipu__picl_figures *inside; /* of each watched event; NULL until there is any */
    QUIPU__VEC(struct quipu__picl_instance) active;
};

struct quipu__picl_statistics {
    struct quipu__memory *memory;
    const struct quipu__picl_scope *scope; /* of user-defined sets; may be NULL */
    int64_t watched[QUIPU__PICL_WATCHED_MOST];
    uint32_t watched_count;
    const int64_t *sets; /* of events, counted like an event of their own */
    size_t set_count;
    uint64_t active; /* bit for each watched event that is active */
    QUIPU__VEC(struct quipu__picl_occurrence) events;
    struct quipu__map numbers; /* event type -> occurrence */
};

void quipu__picl_statistics_init(struct quipu__picl_statistics *statistics, struct quipu__memory *memory);
void quipu__picl_statistics_release(struct quipu__picl_statistics *statistics);

/* From now on others are counted inside of this event too. Those beyond the limit are not. */
void quipu__picl_watch(struct quipu__picl_statistics *statistics, int64_t event);

/* What happens, in order. volume: -1 for none. An exit gives false when no entry of its type is active. All give false when
 * memory is out, which the memory gate remembers. */
bool quipu__picl_count_entry(struct quipu__picl_statistics *statistics, int64_t event, int64_t time,
                             int64_t volume, uint64_t line, uint64_t byte);
bool quipu__picl_count_exit(struct quipu__picl_statistics *statistics, int64_t event, int64_t time,
                            int64_t volume);
bool quipu__picl_count_mark(struct quipu__picl_statistics *statistics, int64_t event, int64_t volume);

/* Figures of an event up to a time, in all (relative to QUIPU__PICL_ALL) or inside a watched event. False when there are
 * none. */
bool quipu__picl_figures_of(const struct quipu__picl_statistics *statistics, int64_t event, int64_t relative_to,
                            int64_t time, struct quipu__picl_figures *out);

#endif
