/* waits.c: the relations of what waits: members of collective operations, a row each when all is known of the operation, and each wait for others
 * or for input and output as the analysis "waits" finds them. */
#include "analysis/waits/waits.h"

#include "analysis/shared/call_sites.h"
#include "core/bounded.h"
#include "core/error.h"
#include "model/event.h"
#include "relation/relation.h"

#include <string.h>

/* clang-format off */
#define WAITS_TABLES(TABLE, COLUMN, END) \
    TABLE(COLLECTIVES, "collectives", "members of collective operations, from begin to end, one operation after the other") \
    COLUMN(COLLECTIVES, begin_ns, TIME, "ns", "when the member begins") \
    COLUMN(COLLECTIVES, duration_ns, I64, "ns", "until it ends; null where the trace does not have the end") \
    QUIPU__DEFINED(COLUMN, COLLECTIVES, location, "name of the process or thread") \
    COLUMN(COLLECTIVES, operation, TEXT, "", "which operation") \
    QUIPU__DEFINED(COLUMN, COLLECTIVES, region, "region that names the operation") \
    QUIPU__DEFINED(COLUMN, COLLECTIVES, communicator, "communicator") \
    COLUMN(COLLECTIVES, instance, U64, "", "the how-manieth operation of the communicator, from 0") \
    COLUMN(COLLECTIVES, members, U64, "", "members of the communicator") \
    QUIPU__DEFINED(COLUMN, COLLECTIVES, root, "root, when it has one and that takes part") \
    COLUMN(COLLECTIVES, sent, U64, "bytes", "bytes that this member sends") \
    COLUMN(COLLECTIVES, received, U64, "bytes", "bytes that it receives") \
    COLUMN(COLLECTIVES, wait_ns, I64, "ns", "how long it waits until all have come on whom it depends; null where that is not known") \
    QUIPU__DEFINED(COLUMN, COLLECTIVES, last, "who of them came last") \
    END(COLLECTIVES) \
    TABLE(INSTANCES, "waits_instances", "each wait for another process or thread, or for input and output") \
    QUIPU__WAIT_INSTANCE_COLUMNS(COLUMN, INSTANCES) \
    END(INSTANCES)
/* clang-format on */
QUIPU__TABLES(WAITS_TABLES)
static const struct quipu_analysis_table tables[] = {QUIPU__SHAPES(WAITS_TABLES)};

/* A member of a collective operation that is to become a row. */
struct found_member {
    struct quipu__collective_side side;
    uint32_t group, number, members, root, last; /* root and last: locations */
    int64_t wait;
    bool knows_wait;
};

struct waits {
    struct quipu__scan *scan;
    struct quipu__communication communication; /* for members */
    QUIPU__VEC(struct found_member) found_members;
    struct quipu__wait_states states; /* for waits */
    QUIPU__VEC(struct quipu__wait) found_waits;
    size_t put; /* how many of them are rows already */
    struct quipu__buffer text;
    struct quipu__window window; /* ns */
};

static void release(struct quipu__scan *scan) {
    struct waits *waits = scan->state;
    if (scan->relation.shape == &tables[COLLECTIVES])
        quipu__communication_release(&waits->communication);
    else
        quipu__wait_states_release(&waits->states);
    QUIPU__VEC_RELEASE(&scan->memory, &waits->found_members);
    QUIPU__VEC_RELEASE(&scan->memory, &waits->found_waits);
    quipu__buffer_release(&waits->text);
    quipu__release(&scan->memory, waits, sizeof *waits);
}

static bool is_wanted(const struct waits *waits, int64_t ns, uint32_t location) {
    return quipu__window_has(&waits->window, ns) && quipu__scan_has_location(waits->scan, location);
}

/* ---- Members of collective operations ---- */

static void find_wait(void *context, const struct quipu__collective *collective, uint32_t waiting,
                      uint32_t last) {
    struct waits *waits = context;
    const struct quipu__collective_side *sides = collective->sides;
    struct found_member *found =
        &waits->found_members.items[waits->found_members.count - collective->side_count + waiting];
    const int64_t arrival = sides[last].begin, end = sides[waiting].end;
    const int64_t until = arrival < end ? arrival : end;
    found->last = sides[last].location;
    found->wait = until > sides[waiting].entered ? quipu__bounded_difference(until, sides[waiting].entered) : 0;
}

static void find_members(void *context, const struct quipu__collective *collective) {
    struct waits *waits = context;
    struct quipu__memory *memory = &waits->scan->memory;
    if (!QUIPU__VEC_RESERVE(memory, &waits->found_members, collective->side_count))
        return;
    for (uint32_t i = 0; i < collective->side_count; i++)
        waits->found_members.items[waits->found_members.count++] = (struct found_member){
            .side = collective->sides[i],
            .group = collective->group,
            .number = collective->number,
            .members = collective->member_count,
            .root = collective->root < collective->side_count ? collective->sides[collective->root].location
                                                              : QUIPU_NONE,
            .last = QUIPU_NONE,
            .knows_wait = collective->is_evaluated};
    if (collective->is_evaluated)
        (void)quipu__collective_each_wait(collective, find_wait, waits);
}

static void put_member(struct quipu__scan *scan, const struct found_member *found) {
    struct quipu__row_column *columns = scan->rows->columns;
    const struct quipu__collective_side *side = &found->side;
    const size_t row = scan->rows->count;
    quipu__row_set(&columns[COLLECTIVES_begin_ns], row, (uint64_t)side->begin);
    quipu__row_set_if(&columns[COLLECTIVES_duration_ns], row, side->has_ended,
                      (uint64_t)side->end - (uint64_t)side->begin);
    quipu__scan_put_named(scan, COLLECTIVES_location, QUIPU_REFERS_LOCATION, side->location);
    if (side->operation < QUIPU_COLLECTIVE_COUNT)
        quipu__scan_put_text(scan, COLLECTIVES_operation,
                             quipu_operation_name(QUIPU_REFERS_COLLECTIVE, side->operation));
    quipu__scan_put_named(scan, COLLECTIVES_region, QUIPU_REFERS_REGION, side->region);
    quipu__scan_put_named(scan, COLLECTIVES_communicator, QUIPU_REFERS_GROUP, found->group);
    quipu__row_set(&columns[COLLECTIVES_instance], row, found->number);
    quipu__row_set_if(&columns[COLLECTIVES_members], row, found->members > 0, found->members);
    quipu__scan_put_named(scan, COLLECTIVES_root, QUIPU_REFERS_LOCATION, found->root);
    quipu__row_set_if(&columns[COLLECTIVES_sent], row, side->sent != QUIPU_UNKNOWN, side->sent);
    quipu__row_set_if(&columns[COLLECTIVES_received], row, side->received != QUIPU_UNKNOWN, side->received);
    quipu__row_set_if(&columns[COLLECTIVES_wait_ns], row, found->knows_wait, (uint64_t)found->wait);
    quipu__scan_put_named(scan, COLLECTIVES_last, QUIPU_REFERS_LOCATION, found->last);
    scan->rows->count++;
}

static enum quipu_status add_members(struct quipu__scan *scan, struct quipu_error *err) {
    struct waits *waits = scan->state;
    return quipu__communication_add_batch(&waits->communication, scan->batch)
               ? quipu__memory_status(&scan->memory, err)
               : quipu__no_memory(err, scan->memory.used);
}

static enum quipu_status end_members(struct quipu__scan *scan, struct quipu_error *err) {
    struct waits *waits = scan->state;
    quipu__communication_finish(&waits->communication);
    return quipu__memory_status(&scan->memory, err);
}

static void put_members(struct quipu__scan *scan) {
    struct waits *waits = scan->state;
    for (; waits->put < waits->found_members.count && !quipu__scan_is_full(scan); waits->put++) {
        const struct found_member *found = &waits->found_members.items[waits->put];
        if (is_wanted(waits, found->side.begin, found->side.location))
            put_member(scan, found);
    }
    if (waits->put == waits->found_members.count)
        waits->put = waits->found_members.count = 0;
}

/* ---- Waits ---- */

static void find_instance(void *context, const struct quipu__wait *wait) {
    struct waits *waits = context;
    if (wait->to > wait->from && is_wanted(waits, wait->from, wait->location))
        quipu__gate_knows(QUIPU__VEC_PUT(&waits->scan->memory, &waits->found_waits, *wait));
}

/* A name, and the format's own number in the next column. */
static void put_name_and_id(struct quipu__scan *scan, size_t column, uint32_t location) {
    struct quipu__row_column *columns = scan->rows->columns;
    const size_t row = scan->rows->count;
    if (scan->uses[column].is_wanted)
        quipu__row_set_number(&columns[column], row,
                              quipu__scan_name(scan, column, QUIPU_REFERS_LOCATION, location));
    const uint64_t id = quipu__native_id_of(scan->definitions, QUIPU_REFERS_LOCATION, location);
    quipu__row_set_if(&columns[column + 1], row, id != QUIPU_UNKNOWN, id);
}

static void put_instance(struct quipu__scan *scan, struct waits *waits, const struct quipu__wait *wait) {
    struct quipu__row_column *columns = scan->rows->columns;
    const struct quipu__call_path *path = &waits->states.communication.paths.list.items[wait->path];
    const size_t row = scan->rows->count;
    waits->text.len = 0;
    quipu__put_call_site(&waits->text, scan->definitions, path->source);
    quipu__put_u8(&waits->text, 0);
    quipu__row_set(&columns[INSTANCES_from_ns], row, (uint64_t)wait->from);
    quipu__row_set(&columns[INSTANCES_to_ns], row, (uint64_t)wait->to);
    quipu__row_set(&columns[INSTANCES_time_ns], row, (uint64_t)wait->to - (uint64_t)wait->from);
    quipu__scan_put_text(scan, INSTANCES_pattern, quipu__wait_patterns[wait->pattern].text);
    put_name_and_id(scan, INSTANCES_location, wait->location);
    if (scan->uses[INSTANCES_region].is_wanted)
        quipu__row_set_number(&columns[INSTANCES_region], row,
                              quipu__scan_name(scan, INSTANCES_region, QUIPU_REFERS_REGION, path->region));
    if (waits->text.len > 1)
        quipu__scan_put_text(scan, INSTANCES_callsite, (const char *)waits->text.data);
    put_name_and_id(scan, INSTANCES_peer, wait->peer);
    if (scan->uses[INSTANCES_communicator].is_wanted)
        quipu__row_set_number(&columns[INSTANCES_communicator], row,
                              quipu__scan_name(scan, INSTANCES_communicator, QUIPU_REFERS_GROUP, wait->group));
    scan->rows->count++;
}

static enum quipu_status add_waits(struct quipu__scan *scan, struct quipu_error *err) {
    struct waits *waits = scan->state;
    return quipu__wait_states_add(&waits->states, scan->batch) ? quipu__memory_status(&scan->memory, err)
                                                               : quipu__no_memory(err, scan->memory.used);
}

static enum quipu_status end_waits(struct quipu__scan *scan, struct quipu_error *err) {
    struct waits *waits = scan->state;
    quipu__wait_states_finish(&waits->states);
    return quipu__memory_status(&scan->memory, err);
}

static void put_waits(struct quipu__scan *scan) {
    struct waits *waits = scan->state;
    while (waits->put < waits->found_waits.count && !quipu__scan_is_full(scan))
        put_instance(scan, waits, &waits->found_waits.items[waits->put++]);
    if (waits->put == waits->found_waits.count)
        waits->put = waits->found_waits.count = 0;
}

/* ---- The relations ---- */

static bool init(struct quipu__scan *scan, struct waits *waits) {
    const struct quipu__communication_listener listener = {.context = waits, .collective = find_members};
    return scan->relation.shape == &tables[COLLECTIVES]
               ? quipu__communication_init(&waits->communication, &scan->memory, scan->definitions, &listener)
               : quipu__wait_states_init(&waits->states, &scan->memory, scan->definitions, 0, find_instance,
                                         waits);
}

static enum quipu_status begin(struct quipu__scan *scan, const struct quipu_relation_options *options,
                               struct quipu_error *err) {
    struct quipu_selection read = QUIPU_SELECTION_INIT;
    struct waits *waits = scan->state = quipu__alloc_zero(&scan->memory, sizeof *waits);
    if (!waits)
        return quipu__no_memory(err, sizeof *waits);
    waits->scan = scan;
    waits->window.from = scan->from == INT64_MIN ? INT64_MIN : quipu__scan_ns(scan, scan->from);
    waits->window.to = scan->to == INT64_MAX ? INT64_MAX : quipu__scan_ns(scan, scan->to);
    quipu__buffer_init(&waits->text, &scan->memory, 0);
    if (!init(scan, waits))
        return quipu__no_memory(err, sizeof *waits);
    read.order = quipu__messages_order(scan->reader);
    read.without_attributes = !scan->definitions->has_call_sites;
    const enum quipu_status status = quipu__scan_mark_locations(scan, options->selection, err);
    return status == QUIPU_OK ? quipu__scan_select(scan, &read, err) : status;
}

#define BIT(kind) QUIPU_KIND_BIT(QUIPU_KIND_##kind)

const struct quipu__relation quipu__collectives_relation = {
    .shape = &tables[COLLECTIVES],
    .criteria = QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS,
    .kinds = BIT(enter) | BIT(leave) | BIT(collective_begin) | BIT(collective_end),
    .is_streamed = true,
    .begin = begin,
    .fill = quipu__scan_fill,
    .release = release,
    .add = add_members,
    .end = end_members,
    .put = put_members,
};

const struct quipu__relation quipu__waits_instances_relation = {
    .shape = &tables[INSTANCES],
    .criteria = QUIPU__BY_TIMES | QUIPU__BY_LOCATIONS,
    .kinds = QUIPU__COMMUNICATION_KINDS | BIT(io_begin) | BIT(io_end),
    .is_streamed = true,
    .begin = begin,
    .fill = quipu__scan_fill,
    .release = release,
    .add = add_waits,
    .end = end_waits,
    .put = put_waits,
};
