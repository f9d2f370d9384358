/* calls.c: the relation of calls: a row for each, in the order of their ends in each stream. */
#include "core/error.h"
#include "relation/relation.h"
#include "state/finished_calls.h"

#include <string.h>

/* clang-format off */
#define CALLS_TABLES(TABLE, COLUMN, END) \
    TABLE(CALLS, "calls", "calls from enter to leave, in the order of their ends in each stream") \
    COLUMN(CALLS, begin_ns, TIME, "ns", "when it was entered") \
    COLUMN(CALLS, duration_ns, I64, "ns", "from enter to leave; what was never left ends with the last call, message or collective operation of its location") \
    QUIPU__DEFINED(COLUMN, CALLS, location, "name of the process or thread") \
    QUIPU__DEFINED(COLUMN, CALLS, region, "name of the region") \
    QUIPU__DEFINED(COLUMN, CALLS, parent, "region of the call around it") \
    COLUMN(CALLS, depth, U64, "", "calls that were active around it") \
    COLUMN(CALLS, messages, U64, "", "messages sent and received in it, but not in calls that it made") \
    QUIPU__DEFINED(COLUMN, CALLS, peer, "the other side of its first message") \
    COLUMN(CALLS, tag, I64, "", "tag of its first message") \
    COLUMN(CALLS, bytes_sent, U64, "bytes", "bytes that its messages and collective operations sent") \
    COLUMN(CALLS, bytes_received, U64, "bytes", "bytes that they received") \
    COLUMN(CALLS, unfinished, U64, "", "1: it was never left") \
    COLUMN(CALLS, call, U64, "", "number of the call: its position among those of the location, by their enters, times 2^32, plus the location's number") \
    COLUMN(CALLS, parent_call, U64, "", "that of the call around it") \
    END(CALLS)
/* clang-format on */
QUIPU__TABLES(CALLS_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(CALLS_TABLES)};

struct calls {
    struct quipu_calls *active;
    uint32_t *regions; /* ascending; NULL: all */
    uint32_t region_count;
};

static void release(struct quipu__scan *scan) {
    struct calls *calls = scan->state;
    quipu_calls_free(calls->active);
    quipu__release(&scan->memory, calls->regions, calls->region_count * sizeof *calls->regions);
    quipu__release(&scan->memory, calls, sizeof *calls);
}

/* Which calls are rows; all of them are followed, since they say what is around others. */
static enum quipu_status choose(struct quipu__scan *scan, struct calls *calls,
                                const struct quipu_selection *selection, struct quipu_error *err) {
    if (!selection || !selection->regions)
        return QUIPU_OK;
    const size_t size = selection->region_count * sizeof *calls->regions;
    calls->regions = quipu__alloc(&scan->memory, size);
    if (!calls->regions)
        return quipu__no_memory(err, size);
    calls->region_count = selection->region_count;
    if (size > 0)
        memcpy(calls->regions, selection->regions, size);
    return QUIPU_OK;
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    const struct quipu_selection *selection = options->selection;
    struct quipu_selection read = QUIPU_SELECTION_INIT;
    struct calls *calls = scan->state = quipu__alloc_zero(&scan->memory, sizeof *calls);
    if (!calls)
        return quipu__no_memory(err, sizeof *calls);
    enum quipu_status status = choose(scan, calls, selection, err);
    if (status == QUIPU_OK)
        status = quipu__calls_new(&scan->memory, scan->definitions, false, &calls->active, err);
    read.locations = selection ? selection->locations : NULL;
    read.location_count = selection ? selection->location_count : 0;
    read.without_attributes = true;
    return status == QUIPU_OK ? quipu__scan_select(scan, &read, err) : status;
}

static bool is_chosen(const struct quipu__scan *scan, const struct quipu_call *call) {
    const struct calls *calls = scan->state;
    bool is_listed = !calls->regions;
    for (uint32_t i = 0; i < calls->region_count && !is_listed; i++)
        is_listed = calls->regions[i] == call->region;
    return is_listed && quipu__scan_has_time(scan, call->enter);
}

/* Another call of its location. */
static uint64_t number_of(const struct quipu_call *call, uint64_t position) {
    return position << 32 | call->location;
}

static void put_call(struct quipu__scan *scan, const struct quipu_call *call) {
    struct quipu__row_column *columns = scan->rows->columns;
    const size_t row = scan->rows->count;
    quipu__row_set(&columns[CALLS_begin_ns], row, (uint64_t)quipu__scan_ns(scan, call->enter));
    quipu__row_set(&columns[CALLS_duration_ns], row, quipu__scan_duration(scan, call->enter, call->leave));
    quipu__scan_put_named(scan, CALLS_location, QUIPU_REFERS_LOCATION, call->location);
    quipu__scan_put_named(scan, CALLS_region, QUIPU_REFERS_REGION, call->region);
    quipu__scan_put_named(scan, CALLS_parent, QUIPU_REFERS_REGION, call->parent);
    quipu__row_set(&columns[CALLS_depth], row, call->depth);
    quipu__row_set(&columns[CALLS_messages], row, call->messages);
    quipu__scan_put_named(scan, CALLS_peer, QUIPU_REFERS_LOCATION, call->peer);
    quipu__row_set_if(&columns[CALLS_tag], row, call->messages > 0 && call->tag != -1, (uint64_t)call->tag);
    quipu__row_set(&columns[CALLS_bytes_sent], row, call->bytes_sent);
    quipu__row_set(&columns[CALLS_bytes_received], row, call->bytes_received);
    quipu__row_set(&columns[CALLS_unfinished], row, call->is_unfinished);
    quipu__row_set(&columns[CALLS_call], row, number_of(call, call->position));
    quipu__row_set_if(&columns[CALLS_parent_call], row, call->parent_position != QUIPU_UNKNOWN,
                      number_of(call, call->parent_position));
    scan->rows->count++;
}

static void put(struct quipu__scan *scan) {
    const struct calls *calls = scan->state;
    struct quipu_call call;
    while (!quipu__scan_is_full(scan) && quipu_calls_next(calls->active, &call))
        if (is_chosen(scan, &call))
            put_call(scan, &call);
}

static enum quipu_status add(struct quipu__scan *scan, struct quipu_error *err) {
    const struct calls *calls = scan->state;
    return quipu_calls_add(calls->active, scan->batch, err);
}

static enum quipu_status end(struct quipu__scan *scan, struct quipu_error *err) {
    const struct calls *calls = scan->state;
    return quipu_calls_end(calls->active, err);
}

#define KINDS                                                                                                  \
    (QUIPU_KIND_BIT(QUIPU_KIND_enter) | QUIPU_KIND_BIT(QUIPU_KIND_leave) | QUIPU_KIND_BIT(QUIPU_KIND_send) |   \
     QUIPU_KIND_BIT(QUIPU_KIND_recv) | QUIPU_KIND_BIT(QUIPU_KIND_collective_begin))

const struct quipu__relation quipu__calls_relation = {
    .shape = &tables[CALLS],
    .criteria = QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS | QUIPU__BY_REGIONS,
    .parts = QUIPU__PARTS_OF_LOCATIONS,
    .kinds = KINDS,
    .is_streamed = true,
    .begin = begin,
    .fill = quipu__scan_fill,
    .add = add,
    .end = end,
    .put = put,
    .release = release,
};
