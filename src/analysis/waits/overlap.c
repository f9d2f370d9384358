/* overlap.c: see overlap.h. */
#include "analysis/waits/overlap.h"

#include "analysis/shared/cells.h"
#include "core/bisect.h"
#include "core/bounded.h"
#include "core/memory/sort.h"

void quipu__overlap_init(struct quipu__overlap *overlap, struct quipu__memory *memory,
                         const struct quipu_definitions *definitions, struct quipu__wait_states *states,
                         const struct quipu__reported *reported) {
    *overlap = (struct quipu__overlap){.memory = memory,
                                       .definitions = definitions,
                                       .states = states,
                                       .reported = reported,
                                       .paths = {memory, definitions, {0}}};
    quipu__map_init(&overlap->row_of, memory);
}

void quipu__overlap_release(struct quipu__overlap *overlap) {
    if (!overlap->memory)
        return;
    for (size_t i = 0; i < overlap->locations.count; i++)
        QUIPU__VEC_RELEASE(overlap->memory, &overlap->locations.items[i].list);
    QUIPU__VEC_RELEASE(overlap->memory, &overlap->locations);
    QUIPU__VEC_RELEASE(overlap->memory, &overlap->completions);
    QUIPU__VEC_RELEASE(overlap->memory, &overlap->rows);
    quipu__map_release(&overlap->row_of);
    quipu__path_uses_release(&overlap->paths);
}

/* ---- Computing ---- */

void quipu__overlap_add_step(struct quipu__overlap *overlap, uint32_t location, uint32_t path, int64_t from,
                             int64_t to) {
    const size_t known = overlap->locations.count;
    if (location >= known) {
        if (!QUIPU__VEC_RESERVE(overlap->memory, &overlap->locations, location + 1 - known))
            return;
        overlap->locations.count = (size_t)location + 1;
    }
    struct quipu__computing *at = &overlap->locations.items[location];
    const bool is_useful = quipu__path_is_useful(&overlap->paths, &overlap->states->communication.paths, path);
    const int64_t before = at->list.count > 0 ? at->list.items[at->list.count - 1].useful : 0;
    struct quipu__computed *last = at->list.count > 0 && at->is_useful == is_useful
                                       ? &at->list.items[at->list.count - 1]
                                       : QUIPU__VEC_ADD(overlap->memory, &at->list);
    if (!last)
        return;
    at->is_useful = is_useful;
    *last = (struct quipu__computed){
        to, is_useful ? quipu__bounded_sum(before, quipu__bounded_difference(to, from)) : before};
}

/* How long a location has computed until a time that it has come to. */
static int64_t useful_until(const struct quipu__overlap *overlap, uint32_t location, int64_t time) {
    if (location >= overlap->locations.count || overlap->locations.items[location].list.count == 0)
        return 0;
    const struct quipu__computing *at = &overlap->locations.items[location];
    size_t low = 0;
    QUIPU__BISECT(low, at->list.count - 1, i, at->list.items[i].to < time);
    const struct quipu__computed *found = &at->list.items[low];
    const int64_t before = low > 0 ? at->list.items[low - 1].useful : 0;
    const int64_t left = found->to > time ? quipu__bounded_difference(found->to, time) : 0;
    return found->useful - before > left ? found->useful - left : before;
}

/* ---- Operations ---- */

/* One that has completed. */
struct operation {
    enum quipu__overlap_operation kind;
    uint32_t location, region;
    int64_t post, completion, entered; /* entered: the completing call */
    int64_t partner;                   /* when that one comes; INT64_MIN: no location is waited for */
};

static struct quipu__overlap_row *row_of(struct quipu__overlap *overlap, const struct operation *operation) {
    enum { REGION_BITS = 30 };
    const uint64_t side = (uint64_t)operation->location << 2 | operation->kind;
    const uint64_t key = side << REGION_BITS | ((operation->region + 1) & ((UINT32_C(1) << REGION_BITS) - 1));
    const uint32_t known = quipu__map_get(&overlap->row_of, key);
    if (known != QUIPU_NONE)
        return &overlap->rows.items[known];
    struct quipu__overlap_row *row = QUIPU__VEC_ADD(overlap->memory, &overlap->rows);
    if (!row || !quipu__map_put(&overlap->row_of, key, (uint32_t)(overlap->rows.count - 1)))
        return NULL;
    row->location = operation->location;
    row->region = operation->region;
    row->operation = operation->kind;
    return row;
}

static void add(int64_t *total, int64_t time) {
    *total = quipu__bounded_sum(*total, time);
}

static void add_operation(struct quipu__overlap *overlap, const struct operation *operation) {
    const struct quipu__reported *reported = overlap->reported;
    if (!quipu__reports(reported, operation->location) || operation->completion < reported->since ||
        (operation->completion >= reported->until && reported->until != INT64_MAX))
        return;
    struct quipu__overlap_row *row = row_of(overlap, operation);
    if (!row)
        return;
    const int64_t entered = operation->entered > operation->post ? operation->entered : operation->post;
    const int64_t came =
        operation->partner < operation->completion ? operation->partner : operation->completion;
    row->operations++;
    add(&row->in_flight, quipu__bounded_difference(operation->completion, operation->post));
    add(&row->computing, useful_until(overlap, operation->location, operation->completion) -
                             useful_until(overlap, operation->location, operation->post));
    add(&row->blocked, quipu__bounded_difference(operation->completion, entered));
    add(&row->late_partner, came > entered ? quipu__bounded_difference(came, entered) : 0);
}

static const struct quipu__communication_call *call_at(const struct quipu__overlap *overlap, uint32_t call) {
    return &overlap->states->communication.calls.list.items[call];
}

static uint32_t region_of(const struct quipu__overlap *overlap, uint32_t call) {
    return quipu__call_path_region(&overlap->states->communication.paths, call_at(overlap, call)->path);
}

/* ---- Messages ---- */

uint32_t quipu__overlap_complete(struct quipu__overlap *overlap, int64_t time) {
    int64_t *completion = QUIPU__VEC_ADD(overlap->memory, &overlap->completions);
    if (!completion)
        return QUIPU_NONE;
    *completion = time;
    return (uint32_t)(overlap->completions.count - 1);
}

void quipu__overlap_add_receive(struct quipu__overlap *overlap, const struct quipu__message_end *send,
                                const struct quipu__message_end *receive) {
    if (receive->other_call == receive->call)
        return;
    const bool is_own = send->location == receive->location;
    add_operation(overlap, &(struct operation){QUIPU__OVERLAP_RECEIVE, receive->location,
                                               region_of(overlap, receive->other_call), receive->posting.time,
                                               receive->time, call_at(overlap, receive->call)->enter,
                                               is_own ? INT64_MIN : call_at(overlap, send->call)->enter});
}

void quipu__overlap_add_send(struct quipu__overlap *overlap, const struct quipu__message_end *send,
                             const struct quipu__message_end *receive) {
    if (!send->has_request || send->completion_mark == QUIPU_NONE)
        return;
    const bool waits = send->location != receive->location &&
                       quipu__send_waits(&overlap->states->sending, &overlap->states->communication, send);
    add_operation(overlap,
                  &(struct operation){QUIPU__OVERLAP_SEND, send->location, region_of(overlap, send->call),
                                      send->time, overlap->completions.items[send->completion_mark],
                                      call_at(overlap, send->other_call)->enter,
                                      waits ? call_at(overlap, receive->other_call)->enter : INT64_MIN});
}

/* ---- Collective operations ---- */

static void add_side(struct quipu__overlap *overlap, const struct quipu__collective_side *side,
                     int64_t partner) {
    if (side->begin_call == side->end_call || !side->has_ended)
        return;
    add_operation(overlap, &(struct operation){QUIPU__OVERLAP_COLLECTIVE, side->location, side->region,
                                               side->begin, side->end, side->entered, partner});
}

/* When the last one comes that a side waits for. */
static void note_partner(void *context, const struct quipu__collective *collective, uint32_t side,
                         uint32_t last) {
    int64_t *partners = context;
    partners[side] = collective->sides[last].begin;
}

void quipu__overlap_add_collective(struct quipu__overlap *overlap, const struct quipu__collective *collective) {
    const size_t bytes = (collective->side_count + (size_t)1) * sizeof(int64_t);
    int64_t *partners = collective->is_evaluated ? quipu__alloc(overlap->memory, bytes) : NULL;
    if (!partners)
        return;
    for (uint32_t i = 0; i < collective->side_count; i++)
        partners[i] = INT64_MIN;
    quipu__collective_each_wait(collective, note_partner, partners);
    for (uint32_t i = 0; i < collective->side_count; i++)
        add_side(overlap, &collective->sides[i], partners[i]);
    quipu__release(overlap->memory, partners, bytes);
}

/* ---- The table ---- */

QUIPU__NUMBERS(QUIPU__OVERLAP_TABLE)

/* For sorting, which has no context. */
struct sorted {
    const struct quipu_definitions *definitions;
    const struct quipu__overlap_row *row;
};

static int compare_rows(const void *a, const void *b) {
    const struct sorted *x = a, *y = b;
    if (x->row->in_flight != y->row->in_flight)
        return x->row->in_flight > y->row->in_flight ? -1 : 1;
    int order = quipu__names_compare(x->definitions, QUIPU_REFERS_LOCATION, x->row->location, y->row->location);
    if (order == 0)
        order = quipu__names_compare(x->definitions, QUIPU_REFERS_REGION, x->row->region, y->row->region);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static enum quipu_status put_row(const struct quipu__overlap *overlap, const struct quipu__overlap_row *row,
                                 struct quipu_table *table, struct quipu_error *err) {
    static const char *const operations[] = {[QUIPU__OVERLAP_SEND] = "send",
                                             [QUIPU__OVERLAP_RECEIVE] = "receive",
                                             [QUIPU__OVERLAP_COLLECTIVE] = "collective"};
    quipu__table_put_location(table, OVERLAP_location, overlap->definitions, row->location);
    quipu__table_put_text(table, OVERLAP_operation, operations[row->operation]);
    quipu__table_put_region(table, OVERLAP_region, overlap->definitions, row->region);
    quipu__table_put_percent(table, OVERLAP_overlap_percent, (uint64_t)row->computing, 1,
                             (uint64_t)row->in_flight);
    quipu__table_put_i64(table, OVERLAP_in_flight_ns, row->in_flight);
    quipu__table_put_i64(table, OVERLAP_computing_ns, row->computing);
    quipu__table_put_i64(table, OVERLAP_blocked_ns, row->blocked);
    quipu__table_put_i64(table, OVERLAP_late_partner_ns, row->late_partner);
    quipu__table_put_i64(table, OVERLAP_late_transfer_ns, row->blocked - row->late_partner);
    quipu__table_put_u64(table, OVERLAP_operations, row->operations);
    return quipu__table_end_row(table, err);
}

enum quipu_status quipu__overlap_put(struct quipu__overlap *overlap, struct quipu_table *table,
                                     struct quipu_error *err) {
    const size_t count = overlap->rows.count, bytes = count * sizeof(struct sorted);
    struct sorted *sorted = count > 0 ? quipu__alloc(overlap->memory, bytes) : NULL;
    if (!sorted)
        return quipu__memory_status(overlap->memory, err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted){overlap->definitions, &overlap->rows.items[i]};
    enum quipu_status status = quipu__sort(overlap->memory, sorted, count, sizeof *sorted, compare_rows)
                                   ? QUIPU_OK
                                   : quipu__memory_status(overlap->memory, err);
    for (size_t i = 0; i < count && status == QUIPU_OK; i++)
        status = put_row(overlap, sorted[i].row, table, err);
    quipu__release(overlap->memory, sorted, bytes);
    return status;
}
