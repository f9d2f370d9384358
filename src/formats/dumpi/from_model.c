/* from_model.c: a trace from events. Each MPI call that is entered becomes a record when it is left; what happens meanwhile gives its
 * arguments (rebuild.c). Messages and collective operations outside any call get their own calls. Other regions become function
 * records, with their names in the address section. */
#include "formats/dumpi/rebuild.h"

#include "core/bounded.h"
#include "core/error.h"

/* ==== Communicators ==== */

/* Communicators of other formats. In DUMPI the members of a communicator follow from the calls that make it, and without members a root
 * is not a known process. So each rank gets the same calls of MPI_Comm_split on the world, right after MPI_Init; one call makes as many
 * communicators as have no member in common. If calls have attributes with their handles, the calls that made them are there. */

/* Most splits by all ranks together. */
#define SPLITS_MOST (UINT32_C(1) << 20)

static bool brings_handles(const struct quipu_definitions *definitions) {
    for (uint32_t i = 0; i < definitions->attribute_keys.count; i++)
        if (strcmp(definitions->attribute_keys.items[i].name, "comm") == 0)
            return true;
    return false;
}

static bool is_world(const struct quipu__dumpi_rebuilding *all, const struct quipu_group *group) {
    if (group->remote_members || group->member_count != all->rank_count)
        return false;
    for (uint32_t i = 0; i < all->rank_count; i++)
        if (quipu__dumpi_rank_of(all, group->members[i]) != (int32_t)i)
            return false;
    return true;
}

/* Whether a split can make the communicator: some ranks, each once. seen has a number per rank: the last group that contains it, plus
 * one. */
static bool can_be_made(const struct quipu__dumpi_rebuilding *all, uint32_t number, uint32_t *seen) {
    const struct quipu_group *group = &all->definitions->groups.items[number];
    if (!group->is_communicator || group->remote_members || group->member_count < 2 ||
        number >= INT16_MAX - QUIPU__DUMPI_COMM_USER || quipu__dumpi_is_world(all, number))
        return false;
    for (uint32_t i = 0; i < group->member_count; i++) {
        const int32_t rank = quipu__dumpi_rank_of(all, group->members[i]);
        if (rank < 0 || seen[rank] == number + 1)
            return false;
        seen[rank] = number + 1;
    }
    return true;
}

/* Chooses the first split in which no member takes part yet. */
static void choose_split(struct quipu__dumpi_rebuilding *all, uint32_t number, uint32_t *next) {
    const struct quipu_group *group = &all->definitions->groups.items[number];
    uint32_t split = 0;
    for (uint32_t i = 0; i < group->member_count; i++) {
        const uint32_t rank = (uint32_t)quipu__dumpi_rank_of(all, group->members[i]);
        split = next[rank] > split ? next[rank] : split;
    }
    for (uint32_t i = 0; i < group->member_count; i++)
        next[quipu__dumpi_rank_of(all, group->members[i])] = split + 1;
    all->splits[number] = split;
    all->split_count = split >= all->split_count ? split + 1 : all->split_count;
}

static size_t membership_bytes(const struct quipu__dumpi_rebuilding *all) {
    return ((size_t)all->split_count * all->rank_count + 1) * sizeof *all->memberships;
}

/* Fills in each rank's membership in each split. False when memory is out. */
static bool fill_memberships(struct quipu__dumpi_rebuilding *all) {
    all->memberships = quipu__alloc(all->memory, membership_bytes(all));
    if (!all->memberships)
        return false;
    for (size_t i = 0; i < (size_t)all->split_count * all->rank_count; i++)
        all->memberships[i] = (struct quipu__dumpi_membership){QUIPU_NONE, 0};
    for (uint32_t i = 0; i < all->group_count; i++) {
        const struct quipu_group *group = &all->definitions->groups.items[i];
        for (uint32_t k = 0; all->splits[i] != QUIPU_NONE && k < group->member_count; k++) {
            const uint32_t rank = (uint32_t)quipu__dumpi_rank_of(all, group->members[k]);
            all->memberships[(size_t)all->splits[i] * all->rank_count + rank] =
                (struct quipu__dumpi_membership){i, k};
        }
    }
    return true;
}

static void choose_splits(struct quipu__dumpi_rebuilding *all, uint32_t *next, uint32_t *seen) {
    for (uint32_t i = 0; i < all->group_count; i++) {
        all->splits[i] = QUIPU_NONE;
        all->are_worlds[i] = is_world(all, &all->definitions->groups.items[i]);
        if (!all->has_handles && can_be_made(all, i, seen))
            choose_split(all, i, next);
    }
    if ((uint64_t)all->split_count * all->rank_count <= SPLITS_MOST)
        return;
    for (uint32_t i = 0; i < all->group_count; i++)
        all->splits[i] = QUIPU_NONE;
    all->split_count = 0;
}

static enum quipu_status plan_splits(struct quipu__dumpi_rebuilding *all, struct quipu_error *err) {
    const size_t ranks = (size_t)all->rank_count + 1, size = 2 * ranks * sizeof(uint32_t);
    uint32_t *next = quipu__alloc_zero(all->memory, size);
    all->group_count = all->definitions->groups.count;
    all->splits = quipu__alloc_zero(all->memory, ((size_t)all->group_count + 1) * sizeof *all->splits);
    all->are_worlds = quipu__alloc_zero(all->memory, ((size_t)all->group_count + 1) * sizeof *all->are_worlds);
    all->has_split = quipu__alloc_zero(all->memory, ranks * sizeof *all->has_split);
    const bool fits = next && all->splits && all->are_worlds && all->has_split;
    all->has_handles = brings_handles(all->definitions);
    if (fits)
        choose_splits(all, next, next + ranks);
    quipu__release(all->memory, next, next ? size : 0);
    return fits && fill_memberships(all) ? QUIPU_OK : quipu__no_memory(err, size);
}

static void release_splits(struct quipu__dumpi_rebuilding *all) {
    const size_t groups = (size_t)all->group_count + 1, ranks = (size_t)all->rank_count + 1;
    quipu__release(all->memory, all->splits, all->splits ? groups * sizeof *all->splits : 0);
    quipu__release(all->memory, all->are_worlds, all->are_worlds ? groups * sizeof *all->are_worlds : 0);
    quipu__release(all->memory, all->has_split, all->has_split ? ranks * sizeof *all->has_split : 0);
    quipu__release(all->memory, all->memberships, all->memberships ? membership_bytes(all) : 0);
}

static void fill_split(const struct quipu__dumpi_rebuilding *all, uint32_t rank, uint32_t split,
                       struct quipu__dumpi_comm_split *out) {
    const struct quipu__dumpi_membership *membership =
        &all->memberships[(size_t)split * all->rank_count + rank];
    *out = (struct quipu__dumpi_comm_split){
        .oldcomm = QUIPU__DUMPI_COMM_WORLD, .color = QUIPU__DUMPI_UNDEFINED, .newcomm = QUIPU__DUMPI_COMM_NULL};
    if (membership->group == QUIPU_NONE)
        return;
    out->color = (int32_t)membership->group;
    out->key = (int32_t)membership->key;
    out->newcomm = (int16_t)(QUIPU__DUMPI_COMM_USER + membership->group);
}

int32_t quipu__dumpi_rank_in_group(const struct quipu__dumpi_rebuilding *all, uint32_t group, int32_t rank) {
    if (group >= all->group_count || rank < 0)
        return -1;
    const struct quipu_group *it = &all->definitions->groups.items[group];
    if (all->splits[group] == QUIPU_NONE)
        return it->member_count == 1 && !it->remote_members && quipu__dumpi_rank_of(all, it->members[0]) == rank
                   ? 0
                   : -1;
    const struct quipu__dumpi_membership *membership =
        &all->memberships[(size_t)all->splits[group] * all->rank_count + (uint32_t)rank];
    return membership->group == group ? (int32_t)membership->key : -1;
}

/* The communicator that a message is recorded in: its own where both sides are known to be members, else the world's, QUIPU_NONE. */
static uint32_t group_of_message(const struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch,
                                 uint32_t i) {
    const int32_t own = quipu__dumpi_rank_of(all, batch->location[i]),
                  partner = quipu__dumpi_rank_of(all, batch->peer[i]);
    if (quipu__dumpi_is_world(all, batch->group[i]) ||
        quipu__dumpi_rank_in_group(all, batch->group[i], own) < 0 ||
        (batch->peer[i] != QUIPU_NONE && quipu__dumpi_rank_in_group(all, batch->group[i], partner) < 0))
        return QUIPU_NONE;
    return batch->group[i];
}

/* ==== Records ==== */

#define NS_PER_SECOND INT64_C(1000000000)
#define SECONDS_BEFORE 3600
#define FURTHEST_NS                                                                                            \
    (INT64_MAX / 2) /* a century: later times are cut, since seconds are stored in 16 bits anyway */
#define FIRST_OWN_REQUEST (1 << 20)
#define OPERATION_KEYS (UINT64_C(1) << 61) /* ids of requests that collective operations have */
#define OWN_KEYS (UINT64_C(1) << 62)       /* keys that the source lacks: this plus the region */

/* ---- What can be written ---- */

/* clang-format off */
#define C(name) QUIPU__COLUMN(name)
static const struct quipu__kind_capability kinds_written[] = {
    {QUIPU_KIND_enter, C(object)},
    {QUIPU_KIND_leave, C(object)},
    {QUIPU_KIND_send, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_send_complete, C(id)},
    {QUIPU_KIND_recv_post, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_recv, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_probe, C(peer) | C(group) | C(tag) | C(bytes)},
    {QUIPU_KIND_cancel, C(id)},
    {QUIPU_KIND_collective_begin, C(object) | C(operation) | C(peer) | C(group) | C(bytes) | C(value)},
    {QUIPU_KIND_collective_end, C(object) | C(operation) | C(peer) | C(group) | C(bytes) | C(value)},
    {QUIPU_KIND_rma_begin, C(operation) | C(peer) | C(bytes)},
    {QUIPU_KIND_rma_end, C(operation) | C(peer) | C(bytes)},
    {QUIPU_KIND_io_open, C(object) | C(operation) | C(id)},
    {QUIPU_KIND_io_close, C(id)},
    {QUIPU_KIND_io_begin, C(operation) | C(tag) | C(value) | C(bytes)},
    {QUIPU_KIND_io_end, C(operation) | C(tag) | C(bytes)},
};
#undef C
/* clang-format on */

const struct quipu__capabilities quipu__dumpi_capabilities = {
    .kinds = kinds_written,
    .kind_count = sizeof kinds_written / sizeof *kinds_written,
    .definitions = QUIPU__DEFINES(locations) | QUIPU__DEFINES(regions) | QUIPU__DEFINES(groups) |
                   QUIPU__DEFINES(files) | QUIPU__DEFINES(attribute_keys),
    .attributes = true,
};

/* ---- Preparing ---- */

static const struct quipu_location *parent_of(const struct quipu_locations *locations,
                                              const struct quipu_location *location) {
    return location->parent < locations->count ? &locations->items[location->parent] : NULL;
}

/* Threads, and whatever else is within a rank, are parts of a process. */
static uint32_t process_of(const struct quipu_definitions *definitions, uint32_t location) {
    const struct quipu_locations *locations = &definitions->locations;
    for (uint32_t hops = 0; hops < 16 && location < locations->count; hops++) {
        const struct quipu_location *it = &locations->items[location], *parent = parent_of(locations, it);
        if (!parent || (it->kind != QUIPU_LOCATION_THREAD && (it->rank >= 0 || parent->rank < 0)))
            break;
        location = it->parent;
    }
    return location;
}

static bool has_ranks(const struct quipu_locations *locations) {
    for (uint32_t i = 0; i < locations->count; i++)
        if (locations->items[i].rank >= 0)
            return true;
    return false;
}

/* If there are ranks, applications of an operating system and their clients take no part in MPI. */
static bool is_outside(const struct quipu_locations *locations, const struct quipu_location *location) {
    const struct quipu_location *parent = parent_of(locations, location);
    return location->rank < 0 && (location->kind == QUIPU_LOCATION_APPLICATION ||
                                  (parent && parent->kind == QUIPU_LOCATION_APPLICATION));
}

static bool is_rank(const struct quipu__dumpi_rebuilding *all, uint32_t location, bool are_ranked) {
    const struct quipu_location *it = &all->definitions->locations.items[location];
    return process_of(all->definitions, location) == location &&
           !(are_ranked && is_outside(&all->definitions->locations, it)) &&
           it->kind != QUIPU_LOCATION_MACHINE && it->kind != QUIPU_LOCATION_NODE &&
           it->kind != QUIPU_LOCATION_CPU;
}

/* Each rank up to the highest gets a file. Where most of these would be of ranks that are not there, as where processors have numbers
 * of their own, ranks are counted instead. */
static bool are_ranks_dense(const struct quipu__dumpi_rebuilding *all, bool are_ranked) {
    const struct quipu_locations *locations = &all->definitions->locations;
    int64_t past = 0;
    uint64_t ranks = 0;
    for (uint32_t i = 0; i < locations->count; i++) {
        if (!is_rank(all, i, are_ranked))
            continue;
        const int64_t rank = locations->items[i].rank;
        ranks++;
        past = rank >= past && rank < QUIPU_NONE ? rank + 1 : past;
    }
    return (uint64_t)past <= 2 * ranks + QUIPU__DUMPI_MISSING_RANKS;
}

/* Uses the ranks of the definitions, else their order; threads count from 0 within their process. */
static enum quipu_status number_substreams(struct quipu__dumpi_rebuilding *all, struct quipu_error *err) {
    const struct quipu_locations *locations = &all->definitions->locations;
    const size_t size = ((size_t)locations->count + 1) * sizeof(uint32_t);
    uint32_t *threads = quipu__alloc_zero(all->memory, size);
    const bool are_ranked = has_ranks(locations);
    uint32_t next = 0;
    if (!threads)
        return quipu__no_memory(err, size);
    all->is_renumbered = !are_ranks_dense(all, are_ranked);
    for (uint32_t i = 0; i < locations->count; i++) {
        const int64_t rank = locations->items[i].rank;
        all->substreams[i].rank = QUIPU_NONE;
        if (!is_rank(all, i, are_ranked))
            continue;
        all->substreams[i].rank = !all->is_renumbered && rank >= 0 && rank < QUIPU_NONE ? (uint32_t)rank : next;
        next = all->substreams[i].rank >= next ? all->substreams[i].rank + 1 : next;
    }
    for (uint32_t i = 0; i < locations->count; i++) {
        const uint32_t process = process_of(all->definitions, i);
        if (process == i || all->substreams[process].rank == QUIPU_NONE)
            continue;
        all->substreams[i].rank = all->substreams[process].rank;
        all->substreams[i].thread = (uint16_t)++threads[process];
    }
    all->rank_count = next;
    quipu__release(all->memory, threads, size);
    return QUIPU_OK;
}

static uint32_t call_named(const char *name) {
    const uint32_t type = quipu_schema_find(&quipu__dumpi_schema, name);
    return type != QUIPU_NONE && quipu__dumpi_types[type].id < QUIPU__DUMPI_OLD_END ? type : QUIPU_NONE;
}

/* A function's key is its number in the source if that is unique, else one of ours; calls that end have none. */
static enum quipu_status key_regions(struct quipu__dumpi_rebuilding *all, struct quipu_error *err) {
    const struct quipu_regions *regions = &all->definitions->regions;
    struct quipu__map taken;
    enum quipu_status status = QUIPU_OK;
    quipu__map_init(&taken, all->memory);
    for (uint32_t i = 0; i < regions->count && status == QUIPU_OK; i++) {
        all->types[i] = call_named(regions->items[i].name);
        const uint64_t native = regions->items[i].native_id;
        const bool is_own =
            native != 0 && native != QUIPU_UNKNOWN && quipu__map_get(&taken, native) == QUIPU_NONE;
        if (all->types[i] != QUIPU_NONE)
            continue;
        all->keys[i] = is_own ? native : OWN_KEYS + i;
        if (is_own && !quipu__map_put(&taken, native, i))
            status = quipu__no_memory(err, sizeof native);
    }
    quipu__map_release(&taken);
    return status;
}

/* Wall times count from 1970 when that is known. */
static void set_clock(struct quipu__dumpi_rebuilding *all) {
    const struct quipu_clock *clock = &all->definitions->clock;
    all->wall_ns = clock->has_unix_origin && clock->unix_origin_ns > 0
                       ? quipu__bounded(clock->unix_origin_ns, FURTHEST_NS)
                       : 0;
    const int64_t seconds = all->wall_ns / NS_PER_SECOND;
    all->wall_bias = seconds > 0 && seconds < INT32_MAX ? (int32_t)seconds : 0;
    all->writer->start_time = (uint64_t)all->wall_bias;
}

static enum quipu_status prepare(struct quipu__dumpi_writer *writer, struct quipu_error *err) {
    const struct quipu_definitions *definitions = writer->writing->definitions;
    struct quipu__dumpi_rebuilding *all = quipu__alloc_zero(writer->memory, sizeof *all);
    if (!all)
        return quipu__no_memory(err, sizeof *all);
    writer->rebuilding = all;
    all->writer = writer;
    all->memory = writer->memory;
    all->definitions = definitions;
    all->location_count = definitions->locations.count;
    all->region_count = definitions->regions.count;
    all->next_request = FIRST_OWN_REQUEST;
    const struct quipu__tracker_options regions = {.interval_classes =
                                                       QUIPU__INTERVAL_BIT(QUIPU__INTERVAL_call)};
    quipu__tracker_init(&all->active, writer->memory, &regions);
    quipu__scratch_init(&all->scratch, writer->memory);
    quipu__map_init(&all->requests, writer->memory);
    quipu__map_init(&all->posted, writer->memory);
    all->substreams =
        quipu__alloc_zero(all->memory, ((size_t)all->location_count + 1) * sizeof *all->substreams);
    all->types = quipu__alloc_zero(all->memory, ((size_t)all->region_count + 1) * sizeof *all->types);
    all->keys = quipu__alloc_zero(all->memory, ((size_t)all->region_count + 1) * sizeof *all->keys);
    if (!all->substreams || !all->types || !all->keys)
        return quipu__no_memory(err, all->location_count);
    for (uint32_t i = 0; i < all->location_count; i++)
        quipu__arena_init(&all->substreams[i].texts, all->memory);
    set_clock(all);
    enum quipu_status status = number_substreams(all, err);
    if (status == QUIPU_OK)
        status = plan_splits(all, err);
    return status == QUIPU_OK ? key_regions(all, err) : status;
}

void quipu__dumpi_rebuild_free(struct quipu__dumpi_writer *writer) {
    struct quipu__dumpi_rebuilding *all = writer->rebuilding;
    if (!all)
        return;
    for (uint32_t i = 0; all->substreams && i < all->location_count; i++) {
        QUIPU__VEC_RELEASE(all->memory, &all->substreams[i].inner_events);
        QUIPU__VEC_RELEASE(all->memory, &all->substreams[i].extras);
        quipu__arena_release(&all->substreams[i].texts);
    }
    quipu__release(all->memory, all->substreams, ((size_t)all->location_count + 1) * sizeof *all->substreams);
    quipu__release(all->memory, all->types, ((size_t)all->region_count + 1) * sizeof *all->types);
    quipu__release(all->memory, all->keys, ((size_t)all->region_count + 1) * sizeof *all->keys);
    release_splits(all);
    quipu__tracker_release(&all->active);
    quipu__map_release(&all->requests);
    quipu__map_release(&all->posted);
    quipu__scratch_release(&all->scratch);
    quipu__release(all->memory, all, sizeof *all);
    writer->rebuilding = NULL;
}

/* ---- Look-ups ---- */

/* Small ids are used unchanged; others, and unknown ones, get our own numbers. */
int32_t quipu__dumpi_request_number(struct quipu__dumpi_rebuilding *all, uint64_t id) {
    if (id > QUIPU__DUMPI_REQUEST_NULL && id < FIRST_OWN_REQUEST)
        return (int32_t)id;
    if (id == QUIPU_UNKNOWN)
        return all->next_request++;
    const uint32_t known = quipu__map_get(&all->requests, id);
    if (known != QUIPU_NONE)
        return (int32_t)known;
    quipu__gate_knows(quipu__map_put(&all->requests, id, (uint32_t)all->next_request));
    return all->next_request++;
}

/* ---- Records ---- */

static int64_t wall_of(const struct quipu__dumpi_rebuilding *all, int64_t time) {
    return all->wall_ns + quipu__bounded(quipu_clock_ns(&all->definitions->clock, time), FURTHEST_NS);
}

/* The second from which a file's times count: that of the trace's origin or, if the first call is too far from it, an hour before the
 * call, since calls of other threads may have begun earlier. */
static int32_t bias_for(const struct quipu__dumpi_rebuilding *all, int64_t wall_start) {
    const int64_t second = wall_start / NS_PER_SECOND;
    const bool is_near = wall_start >= (int64_t)all->wall_bias * NS_PER_SECOND &&
                         second - all->wall_bias < QUIPU__DUMPI_ROLLOVER_NS / NS_PER_SECOND / 2;
    return is_near || second > INT32_MAX || second < INT32_MIN + SECONDS_BEFORE
               ? all->wall_bias
               : (int32_t)(second - SECONDS_BEFORE);
}

static enum quipu_status open_out(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                                  int64_t wall_start, struct quipu_error *err) {
    if (substream->out)
        return QUIPU_OK;
    enum quipu_status status = quipu__dumpi_out_at(all->writer, substream->rank, &substream->out, err);
    if (status == QUIPU_OK && !substream->out->has_begin)
        status = quipu__dumpi_out_begin(all->writer, substream->out, 0, bias_for(all, wall_start),
                                        all->writer->version, err);
    return status;
}

static struct quipu__dumpi_call common_of(const struct quipu__dumpi_rebuilding *all,
                                          const struct quipu__dumpi_substream *substream, int64_t start,
                                          int64_t stop) {
    struct quipu__dumpi_call common = {
        .mask = QUIPU__DUMPI_MASK_STATUS | QUIPU__DUMPI_MASK_WALL | QUIPU__DUMPI_MASK_THREAD,
        .thread = substream->thread,
        .wall_start = wall_of(all, start),
        .wall_stop = wall_of(all, stop),
    };
    for (size_t i = 0; i < substream->extras.count; i++) {
        const struct quipu__dumpi_extra *extra = &substream->extras.items[i];
        if (strcmp(extra->name, "cpu_start") == 0)
            common.cpu_start = extra->value.i;
        else if (strcmp(extra->name, "cpu_stop") == 0)
            common.cpu_stop = extra->value.i;
        else
            continue;
        common.mask |= QUIPU__DUMPI_MASK_CPU;
    }
    return common;
}

/* Writes a call; if a reader will not get its times back, the event from which it was made is counted. */
static enum quipu_status put_timed(struct quipu__dumpi_rebuilding *all,
                                   struct quipu__dumpi_substream *substream, uint32_t type,
                                   const struct quipu__dumpi_call *common, const void *data,
                                   enum quipu_kind kind, struct quipu_error *err) {
    if (!quipu__dumpi_out_times(substream->out, common))
        all->writer->writing->approximated[kind]++;
    return quipu__dumpi_out_call(all->writer, substream->out, type, common, data, err);
}

/* The calls that make communicators take no time. */
static enum quipu_status put_splits(struct quipu__dumpi_rebuilding *all,
                                    const struct quipu__dumpi_substream *substream, int64_t time,
                                    struct quipu_error *err) {
    const struct quipu__dumpi_call common = {.mask = QUIPU__DUMPI_MASK_WALL | QUIPU__DUMPI_MASK_THREAD,
                                             .thread = substream->thread,
                                             .wall_start = wall_of(all, time),
                                             .wall_stop = wall_of(all, time)};
    enum quipu_status status = QUIPU_OK;
    if (all->has_split[substream->rank])
        return QUIPU_OK;
    all->has_split[substream->rank] = true;
    for (uint32_t i = 0; i < all->split_count && status == QUIPU_OK; i++) {
        struct quipu__dumpi_comm_split split;
        fill_split(all, substream->rank, i, &split);
        quipu__dumpi_out_times(substream->out, &common);
        status = quipu__dumpi_out_call(all->writer, substream->out, QUIPU__DUMPI_TYPE_comm_split, &common,
                                       &split, err);
    }
    return status;
}

static bool initialises(uint32_t type) {
    return type == QUIPU__DUMPI_TYPE_init || type == QUIPU__DUMPI_TYPE_init_thread;
}

static enum quipu_status put_call(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                                  int64_t stop, struct quipu_error *err) {
    const bool is_event = substream->is_made_up && substream->inner_events.count > 0;
    union quipu__dumpi_any data;
    enum quipu_status status = open_out(all, substream, wall_of(all, substream->start), err);
    if (status == QUIPU_OK && !initialises(substream->type))
        status = put_splits(all, substream, substream->start, err);
    if (status != QUIPU_OK)
        return status;
    quipu__scratch_reset(&all->scratch);
    quipu__dumpi_fill(all, substream, &data);
    const struct quipu__dumpi_call common = common_of(all, substream, substream->start, stop);
    status = put_timed(all, substream, substream->type, &common, &data,
                       is_event ? substream->inner_events.items[0].kind : QUIPU_KIND_enter, err);
    return status == QUIPU_OK && initialises(substream->type) ? put_splits(all, substream, stop, err) : status;
}

static enum quipu_status put_function(struct quipu__dumpi_rebuilding *all,
                                      struct quipu__dumpi_substream *substream, uint32_t region, bool enters,
                                      int64_t time, struct quipu_error *err) {
    const uint32_t type = enters ? QUIPU__DUMPI_TYPE_function_enter : QUIPU__DUMPI_TYPE_function_exit;
    const struct quipu__dumpi_function_enter data = {region < all->region_count ? all->keys[region] : 0};
    const enum quipu_status status = open_out(all, substream, wall_of(all, time), err);
    substream->extras.count = 0;
    if (status != QUIPU_OK)
        return status;
    const struct quipu__dumpi_call common = common_of(all, substream, time, time);
    return put_timed(all, substream, type, &common, &data, enters ? QUIPU_KIND_enter : QUIPU_KIND_leave, err);
}

/* ---- Calls ---- */

static void begin_call(struct quipu__dumpi_substream *substream, uint32_t type, int64_t time) {
    substream->type = type;
    substream->start = time;
    substream->inner_events.count = 0;
    substream->extras.count = 0;
    quipu__arena_clear(&substream->texts);
}

/* What is known of a request of a rank; from the last on: it is posted in the communicator of that group. */
enum { COMPLETED, POSTED, PERSISTENT, POSTED_IN };

static uint64_t posted_key(const struct quipu__dumpi_substream *substream, uint64_t request) {
    return (uint64_t)substream->rank << 32 | (uint32_t)request;
}

/* Whether attributes of the call have its requests. */
static bool knows_requests(const struct quipu__dumpi_substream *substream) {
    for (size_t i = 0; i < substream->extras.count; i++)
        if (strcmp(substream->extras.items[i].name, "request") == 0 ||
            strcmp(substream->extras.items[i].name, "requests") == 0)
            return true;
    return false;
}

/* Whether a receive that completes here needs a post. If attributes of the call have its requests, only one of them can get it: the call
 * that made it is not there when a part of a trace is written. */
static bool lacks_post(struct quipu__dumpi_rebuilding *all, const struct quipu__dumpi_substream *substream,
                       const struct quipu__dumpi_inner_event *inner) {
    const bool is_number = inner->id > QUIPU__DUMPI_REQUEST_NULL && inner->id < FIRST_OWN_REQUEST;
    if (inner->kind != QUIPU_KIND_recv || (knows_requests(substream) && !is_number))
        return false;
    const uint32_t known = inner->id == QUIPU_UNKNOWN
                               ? QUIPU_NONE
                               : quipu__map_get(&all->posted, posted_key(substream, inner->id));
    return known == QUIPU_NONE || known == COMPLETED;
}

/* A receive that completes here but was never posted: its post comes right before. */
static enum quipu_status put_missing_posts(struct quipu__dumpi_rebuilding *all,
                                           struct quipu__dumpi_substream *substream, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    const struct quipu__dumpi_substream saved = *substream;
    for (size_t i = 0; status == QUIPU_OK && i < saved.inner_events.count; i++) {
        struct quipu__dumpi_inner_event inner = saved.inner_events.items[i];
        if (!lacks_post(all, substream, &inner))
            continue;
        const int32_t number = quipu__dumpi_request_number(all, inner.id);
        saved.inner_events.items[i].id = (uint64_t)number;
        inner.id = (uint64_t)number;
        inner.kind = QUIPU_KIND_recv_post;
        struct quipu__dumpi_substream post = *substream;
        post.type = QUIPU__DUMPI_TYPE_irecv;
        post.inner_events.items = &inner;
        post.inner_events.count = 1;
        post.extras.count = 0;
        status = put_call(all, &post, substream->start, err);
        substream->out = post.out;
    }
    return status;
}

static uint32_t posted_in(const struct quipu__dumpi_inner_event *post) {
    return post->group == QUIPU_NONE ? POSTED : POSTED_IN + post->group;
}

/* Notes pending receives, so that their completion finds them. One that is started again and again is made by the call that has
 * its request as an attribute; where that is missing, starting it posts nothing. */
static void note_posts(struct quipu__dumpi_rebuilding *all, const struct quipu__dumpi_substream *substream) {
    const uint8_t call_class = quipu__dumpi_calls[substream->type].call_class;
    const bool starts =
        call_class == QUIPU__DUMPI_CALL_CLASS_START || call_class == QUIPU__DUMPI_CALL_CLASS_STARTALL;
    for (size_t i = 0; call_class == QUIPU__DUMPI_CALL_CLASS_RECV_INIT && i < substream->extras.count; i++)
        if (strcmp(substream->extras.items[i].name, "request") == 0)
            quipu__gate_knows(quipu__map_put(
                &all->posted, posted_key(substream, substream->extras.items[i].value.u), PERSISTENT));
    for (size_t i = 0; i < substream->inner_events.count; i++) {
        const struct quipu__dumpi_inner_event *inner = &substream->inner_events.items[i];
        const bool is_post = inner->kind == QUIPU_KIND_recv_post;
        const uint64_t key = posted_key(substream, inner->id);
        if (inner->id != QUIPU_UNKNOWN && (is_post || inner->kind == QUIPU_KIND_recv) &&
            !(is_post && starts && knows_requests(substream)) &&
            quipu__map_get(&all->posted, key) != PERSISTENT)
            quipu__gate_knows(quipu__map_put(&all->posted, key, is_post ? posted_in(inner) : COMPLETED));
    }
}

static bool is_completing(uint32_t type) {
    const uint8_t call_class = quipu__dumpi_calls[type].call_class;
    return call_class >= QUIPU__DUMPI_CALL_CLASS_WAIT && call_class <= QUIPU__DUMPI_CALL_CLASS_WAITSOME;
}

static enum quipu_status end_call(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                                  int64_t time, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    if (is_completing(substream->type))
        status = put_missing_posts(all, substream, err);
    quipu__dumpi_count_moved(all, substream, time);
    if (status == QUIPU_OK)
        status = put_call(all, substream, time, err);
    note_posts(all, substream);
    return status;
}

/* ---- Events ---- */

/* The type of call of a region; QUIPU_NONE for functions. */
static uint32_t type_of(const struct quipu__dumpi_rebuilding *all, uint64_t region) {
    return region < all->region_count ? all->types[region] : QUIPU_NONE;
}

static enum quipu_status enter(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                               uint32_t region, int64_t time, struct quipu_error *err) {
    const struct quipu__transition transition = quipu__begins(QUIPU__INTERVAL_call, 0, 0, region, 0);
    const struct quipu__beginning beginning = {.time = time};
    const uint32_t type = type_of(all, region);
    const uint32_t location = (uint32_t)(substream - all->substreams);
    const uint32_t state = quipu__tracker_locate(&all->active, location, 0);
    if (state == QUIPU_NONE || !quipu__tracker_add(&all->active, state, &transition, &beginning))
        return quipu__no_memory(err, sizeof(struct quipu__interval));
    if (type != QUIPU_NONE && substream->call_depth++ == 0)
        begin_call(substream, type, time);
    else if (type != QUIPU_NONE && substream->out)
        substream->out->ignored[quipu__dumpi_types[type].id]++;
    else if (type == QUIPU_NONE && substream->call_depth == 0)
        return put_function(all, substream, region, true, time, err);
    return QUIPU_OK;
}

static enum quipu_status leave(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                               int64_t time, struct quipu_error *err) {
    const uint32_t state = quipu__tracker_latest(&all->active, (uint32_t)(substream - all->substreams));
    const uint32_t innermost =
        state == QUIPU_NONE ? QUIPU_NONE : quipu__active_at(&all->active, state, QUIPU__INTERVAL_call).newest;
    if (innermost == QUIPU_NONE)
        return QUIPU_OK;
    const uint32_t region = (uint32_t)quipu__interval_at(&all->active, innermost)->key[1];
    quipu__tracker_remove(&all->active, innermost);
    if (type_of(all, region) == QUIPU_NONE)
        return substream->call_depth == 0 ? put_function(all, substream, region, false, time, err) : QUIPU_OK;
    return --substream->call_depth == 0 ? end_call(all, substream, time, err) : QUIPU_OK;
}

static uint32_t transfer_type(uint32_t operation) {
    switch (operation) {
    case QUIPU_IO_WRITE:
        return QUIPU__DUMPI_TYPE_file_write_at;
    case QUIPU_IO_SEEK:
        return QUIPU__DUMPI_TYPE_file_seek;
    case QUIPU_IO_SYNC:
        return QUIPU__DUMPI_TYPE_file_sync;
    default:
        return QUIPU__DUMPI_TYPE_file_read_at;
    }
}

/* The call for an operation outside any region. */
static uint32_t type_for(const struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch,
                         uint32_t i) {
    static const uint8_t rma_types[] = {[QUIPU_RMA_GET] = 1, [QUIPU_RMA_ACCUMULATE] = 2};
    static const uint32_t rma[] = {QUIPU__DUMPI_TYPE_put, QUIPU__DUMPI_TYPE_get, QUIPU__DUMPI_TYPE_accumulate};
    const uint32_t operation = batch->operation[i];
    switch ((enum quipu_kind)batch->kind[i]) {
    case QUIPU_KIND_send:
        return batch->id[i] == QUIPU_UNKNOWN ? QUIPU__DUMPI_TYPE_send : QUIPU__DUMPI_TYPE_isend;
    case QUIPU_KIND_recv:
        return batch->id[i] == QUIPU_UNKNOWN ? QUIPU__DUMPI_TYPE_recv : QUIPU__DUMPI_TYPE_wait;
    case QUIPU_KIND_recv_post:
        return QUIPU__DUMPI_TYPE_irecv;
    case QUIPU_KIND_send_complete:
        return QUIPU__DUMPI_TYPE_wait;
    case QUIPU_KIND_probe:
        return QUIPU__DUMPI_TYPE_probe;
    case QUIPU_KIND_cancel:
        return QUIPU__DUMPI_TYPE_cancel;
    case QUIPU_KIND_collective_begin:
    case QUIPU_KIND_collective_end:
        if (operation == QUIPU_COLLECTIVE_OTHER && type_of(all, batch->object[i]) != QUIPU_NONE)
            return type_of(all, batch->object[i]);
        for (uint32_t type = 0; type < QUIPU__DUMPI_TYPE_COUNT; type++)
            if (quipu__dumpi_calls[type].call_class == QUIPU__DUMPI_CALL_CLASS_COLLECTIVE &&
                quipu__dumpi_calls[type].operation == operation)
                return type;
        return QUIPU__DUMPI_TYPE_barrier;
    case QUIPU_KIND_rma_begin:
    case QUIPU_KIND_rma_end:
        return rma[operation < sizeof rma_types ? rma_types[operation] : 0];
    case QUIPU_KIND_io_open:
        return QUIPU__DUMPI_TYPE_file_open;
    case QUIPU_KIND_io_close:
        return QUIPU__DUMPI_TYPE_file_close;
    case QUIPU_KIND_io_begin:
    case QUIPU_KIND_io_end:
        return transfer_type(operation);
    default:
        return QUIPU_NONE;
    }
}

static bool begins_something(uint8_t kind) {
    return kind == QUIPU_KIND_collective_begin || kind == QUIPU_KIND_rma_begin || kind == QUIPU_KIND_io_begin;
}

/* The group of an event as its record has it: what completes a receive is in the communicator in which that was posted. */
static uint32_t recorded_group(struct quipu__dumpi_rebuilding *all,
                               const struct quipu__dumpi_substream *substream, const struct quipu_batch *batch,
                               uint32_t i) {
    if (!quipu__dumpi_is_message(batch->kind[i]))
        return batch->group[i];
    const uint32_t posted = batch->kind[i] == QUIPU_KIND_recv && batch->id[i] != QUIPU_UNKNOWN
                                ? quipu__map_get(&all->posted, posted_key(substream, batch->id[i]))
                                : QUIPU_NONE;
    if (posted == QUIPU_NONE || posted == COMPLETED || posted == PERSISTENT)
        return group_of_message(all, batch, i);
    return posted == POSTED ? QUIPU_NONE : posted - POSTED_IN;
}

/* Whether what is written of an event says less than it does: its rank is another one, or a message's communicator, or its other side is no
 * rank, or another thread of the same one. */
static bool loses_something(struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch, uint32_t i) {
    if (!quipu__dumpi_is_message(batch->kind[i]) || all->is_renumbered ||
        batch->location[i] >= all->location_count)
        return all->is_renumbered;
    if (!all->has_handles && !quipu__dumpi_is_world(all, batch->group[i]) &&
        recorded_group(all, &all->substreams[batch->location[i]], batch, i) != batch->group[i])
        return true;
    if (batch->kind[i] == QUIPU_KIND_recv_post || batch->kind[i] == QUIPU_KIND_probe)
        return false;
    const int32_t rank = quipu__dumpi_rank_of(all, batch->peer[i]);
    return rank == QUIPU__DUMPI_PROC_NULL ||
           (rank == quipu__dumpi_rank_of(all, batch->location[i]) && batch->peer[i] != batch->location[i]);
}

static enum quipu_status add_event(struct quipu__dumpi_rebuilding *all,
                                   struct quipu__dumpi_substream *substream, const struct quipu_batch *batch,
                                   uint32_t i, struct quipu_error *err) {
    return QUIPU__VEC_PUT(all->memory, &substream->inner_events,
                          (struct quipu__dumpi_inner_event){
                              .kind = batch->kind[i],
                              .object = batch->object[i],
                              .peer = batch->peer[i],
                              .group = recorded_group(all, substream, batch, i),
                              .operation = batch->operation[i],
                              .tag = batch->tag[i],
                              .time = batch->time[i],
                              .is_counted = loses_something(all, batch, i),
                              .bytes = batch->bytes[i],
                              .value = batch->value[i],
                              .id = batch->id[i],
                          })
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof(struct quipu__dumpi_inner_event));
}

/* The call without a record that a collective operation is of; QUIPU__DUMPI_LATER_CALLS: none. */
static enum quipu__dumpi_later later_call_of(const struct quipu__dumpi_rebuilding *all,
                                             const struct quipu_batch *batch, uint32_t i) {
    const uint8_t kind = batch->kind[i];
    uint32_t row = 0;
    if ((kind != QUIPU_KIND_collective_begin && kind != QUIPU_KIND_collective_end) ||
        batch->object[i] >= all->region_count || all->types[batch->object[i]] != QUIPU_NONE)
        return QUIPU__DUMPI_LATER_CALLS;
    const char *name = all->definitions->regions.items[batch->object[i]].name;
    while (row < QUIPU__DUMPI_LATER_CALLS && strcmp(quipu__dumpi_later_calls[row].name, name) != 0)
        row++;
    return (enum quipu__dumpi_later)row;
}

/* Such an operation begins in the function of its call, and ends in a call that waits for it. */
static enum quipu_status put_later(struct quipu__dumpi_rebuilding *all,
                                   struct quipu__dumpi_substream *substream,
                                   const struct quipu__dumpi_inner_event *begin, enum quipu__dumpi_later later,
                                   int64_t stop, struct quipu_error *err) {
    const int64_t time = substream->start;
    struct quipu__dumpi_send_init sent;
    struct quipu__dumpi_recv_init received;
    quipu__dumpi_fill_later(all, substream, begin, later, &sent, &received);
    const struct quipu__dumpi_call common = common_of(all, substream, time, stop);
    enum quipu_status status = open_out(all, substream, wall_of(all, time), err);
    if (status == QUIPU_OK)
        status = put_splits(all, substream, time, err);
    if (status == QUIPU_OK && received.count != sent.count)
        status = put_timed(all, substream, QUIPU__DUMPI_TYPE_recv_init, &common, &received,
                           QUIPU_KIND_collective_begin, err);
    return status == QUIPU_OK ? put_timed(all, substream, QUIPU__DUMPI_TYPE_send_init, &common, &sent,
                                          QUIPU_KIND_collective_begin, err)
                              : status;
}

/* What begins elsewhere, as persistent operations do, is not kept; nor is what ends elsewhere, but that its call has blocked. */
static enum quipu_status happen_later(struct quipu__dumpi_rebuilding *all,
                                      struct quipu__dumpi_substream *substream, const struct quipu_batch *batch,
                                      uint32_t i, enum quipu__dumpi_later later, struct quipu_error *err) {
    const bool begins = batch->kind[i] == QUIPU_KIND_collective_begin;
    const uint8_t mode = quipu__dumpi_later_calls[later].mode;
    enum quipu_status status = QUIPU_OK;
    if (begins ? substream->call_depth > 0 || mode == QUIPU__DUMPI_PERSISTENT
               : mode != QUIPU__DUMPI_BLOCKING &&
                     (substream->call_depth == 0 || !is_completing(substream->type))) {
        all->writer->writing->dropped[batch->kind[i]]++;
        return QUIPU_OK;
    }
    if (!begins && mode == QUIPU__DUMPI_BLOCKING)
        return substream->inner_events.count == 1
                   ? put_later(all, substream, substream->inner_events.items, later, batch->time[i], err)
                   : QUIPU_OK;
    if (begins)
        begin_call(substream, QUIPU__DUMPI_TYPE_send_init, batch->time[i]);
    status = add_event(all, substream, batch, i, err);
    if (status != QUIPU_OK)
        return status;
    struct quipu__dumpi_inner_event *added = &substream->inner_events.items[substream->inner_events.count - 1];
    added->id = OPERATION_KEYS | (uint64_t)substream->rank << 32 | (uint32_t)batch->id[i];
    return begins && mode != QUIPU__DUMPI_BLOCKING
               ? put_later(all, substream, added, later, batch->time[i], err)
               : QUIPU_OK;
}

/* Something happens: in the call, or as a call of its own. */
static enum quipu_status happen(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_substream *substream,
                                const struct quipu_batch *batch, uint32_t i, uint32_t cursor,
                                struct quipu_error *err) {
    const bool begins_unknown = batch->kind[i] == QUIPU_KIND_collective_begin &&
                                batch->operation[i] == QUIPU_COLLECTIVE_OTHER &&
                                type_of(all, batch->object[i]) == QUIPU_NONE;
    const uint32_t constructor =
        begins_unknown ? quipu__dumpi_constructor_of(all, batch, i, cursor) : QUIPU_NONE;
    const uint32_t type = constructor == QUIPU_NONE ? type_for(all, batch, i) : constructor;
    const enum quipu__dumpi_later later = later_call_of(all, batch, i);
    if (later != QUIPU__DUMPI_LATER_CALLS)
        return happen_later(all, substream, batch, i, later, err);
    if (type == QUIPU_NONE) {
        all->writer->writing->dropped[batch->kind[i]]++;
        return QUIPU_OK;
    }
    if (substream->call_depth > 0)
        return add_event(all, substream, batch, i, err);
    if (!substream->is_made_up)
        begin_call(substream, type, batch->time[i]);
    else if (batch->kind[i] == QUIPU_KIND_io_end && batch->operation[i] != QUIPU_IO_OTHER)
        substream->type = type; /* the end may be the first to say what it was */
    enum quipu_status status = add_event(all, substream, batch, i, err);
    substream->is_made_up = begins_something(batch->kind[i]);
    if (status == QUIPU_OK && !substream->is_made_up)
        status = end_call(all, substream, batch->time[i], err);
    return status;
}

/* Attributes of the enter event of a call are kept until it is left. */
static enum quipu_status keep_extra(struct quipu__dumpi_rebuilding *all,
                                    struct quipu__dumpi_substream *substream, const struct quipu_value *value,
                                    struct quipu_error *err) {
    struct quipu__dumpi_extra *extra = QUIPU__VEC_ADD(all->memory, &substream->extras);
    if (!extra)
        return quipu__no_memory(err, sizeof *extra);
    extra->name = quipu_key_name(all->definitions, value->key);
    extra->value = *value;
    if (value->type < QUIPU_VALUE_BYTES)
        return QUIPU_OK;
    extra->value.data = quipu__arena_text(&substream->texts, value->data, value->size);
    return extra->value.data ? QUIPU_OK : quipu__no_memory(err, value->size);
}

static enum quipu_status put_event(struct quipu__dumpi_rebuilding *all, const struct quipu_batch *batch,
                                   uint32_t i, uint32_t *cursor, struct quipu_error *err) {
    enum quipu_status status = QUIPU_OK;
    bool has_lost = loses_something(all, batch, i);
    struct quipu__dumpi_substream *substream =
        batch->location[i] < all->location_count ? &all->substreams[batch->location[i]] : NULL;
    if (!substream || substream->rank == QUIPU_NONE) {
        all->writer->writing->dropped[batch->kind[i]]++;
        return QUIPU_OK;
    }
    if (batch->kind[i] == QUIPU_KIND_enter)
        status = enter(all, substream, batch->object[i], batch->time[i], err);
    else if (batch->kind[i] == QUIPU_KIND_leave)
        status = leave(all, substream, batch->time[i], err);
    else
        status = happen(all, substream, batch, i, *cursor, err);
    const bool keeps_extras = batch->kind[i] == QUIPU_KIND_enter
                                  ? substream->call_depth == 1
                                  : batch->kind[i] == QUIPU_KIND_collective_begin && substream->is_made_up;
    for (; *cursor < batch->attribute_count && batch->attributes[*cursor].event <= i; ++*cursor) {
        const struct quipu_value *value = &batch->attributes[*cursor].value;
        if (batch->attributes[*cursor].event != i)
            continue;
        /* What has no key of its own, such as the call site, is no argument. */
        const bool is_extra = keeps_extras && value->key < all->definitions->attribute_keys.count;
        if (is_extra && status == QUIPU_OK)
            status = keep_extra(all, substream, value, err);
        has_lost |= !is_extra;
    }
    all->writer->writing->approximated[batch->kind[i]] += has_lost;
    return status;
}

enum quipu_status quipu__dumpi_put_batch(struct quipu__output_trace *writing, const struct quipu_batch *batch,
                                         struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = writing->own;
    uint32_t cursor = 0;
    enum quipu_status status = writer->rebuilding ? QUIPU_OK : prepare(writer, err);
    for (uint32_t i = 0; status == QUIPU_OK && i < batch->count; i++)
        status = put_event(writer->rebuilding, batch, i, &cursor, err);
    return status;
}

/* ---- The end ---- */

/* The outermost active call of a location; QUIPU_NONE: none. */
static uint32_t unfinished_call(const struct quipu__dumpi_rebuilding *all, uint32_t location) {
    const uint32_t state = quipu__tracker_latest(&all->active, location);
    uint32_t number =
        state == QUIPU_NONE ? QUIPU_NONE : quipu__active_at(&all->active, state, QUIPU__INTERVAL_call).oldest;
    while (number != QUIPU_NONE && type_of(all, quipu__interval_at(&all->active, number)->key[1]) == QUIPU_NONE)
        number = quipu__interval_at(&all->active, number)->newer;
    return number;
}

/* A call is recorded when it ends, so one that never ends becomes a function of its name that is entered and not left: what a killed
 * program was doing is kept, the arguments are not. */
static enum quipu_status put_unfinished(struct quipu__dumpi_rebuilding *all, uint32_t location,
                                        struct quipu_error *err) {
    struct quipu__dumpi_substream *substream = &all->substreams[location];
    const uint32_t number = substream->call_depth > 0 ? unfinished_call(all, location) : QUIPU_NONE;
    const bool is_active = number != QUIPU_NONE || substream->is_made_up;
    for (size_t i = 0; is_active && i < substream->inner_events.count; i++)
        all->writer->writing->dropped[substream->inner_events.items[i].kind]++;
    if (number == QUIPU_NONE)
        return QUIPU_OK;
    const struct quipu__interval *call = quipu__interval_at(&all->active, number);
    const uint32_t region = (uint32_t)call->key[1];
    all->keys[region] = OWN_KEYS + region;
    all->writer->writing->approximated[QUIPU_KIND_enter]++;
    const enum quipu_status status = put_function(all, substream, region, true, call->time, err);
    if (status == QUIPU_OK)
        substream->out->ignored[quipu__dumpi_types[all->types[region]].id]++;
    return status;
}

/* All functions, whether this rank used them or not: names are few. */
static enum quipu_status put_addresses(struct quipu__dumpi_rebuilding *all, struct quipu__dumpi_out *out,
                                       struct quipu_error *err) {
    const struct quipu_regions *regions = &all->definitions->regions;
    uint32_t count = 0;
    quipu__scratch_reset(&all->scratch);
    for (uint32_t i = 0; i < all->region_count; i++)
        count += all->keys[i] != 0;
    struct quipu__dumpi_label *labels = quipu__scratch_sized(&all->scratch, count, sizeof *labels);
    if (!labels)
        return quipu__no_memory(err, (size_t)count * sizeof *labels);
    count = 0;
    for (uint32_t i = 0; i < all->region_count; i++)
        if (all->keys[i] != 0)
            labels[count++] = (struct quipu__dumpi_label){
                all->keys[i],
                quipu__scratch_text(&all->scratch, regions->items[i].name, strlen(regions->items[i].name))};
    const struct quipu__dumpi_addresses section = {labels};
    return quipu__dumpi_out_section(all->writer, out, QUIPU__DUMPI_TYPE_addresses, &section, err);
}

enum quipu_status quipu__dumpi_end_events(struct quipu__output_trace *writing, struct quipu_error *err) {
    struct quipu__dumpi_writer *writer = writing->own;
    enum quipu_status status = QUIPU_OK;
    if (!writer->rebuilding && !writer->current && writer->writing->definitions)
        status = prepare(writer, err);
    struct quipu__dumpi_rebuilding *all = writer->rebuilding;
    if (!all)
        return status;
    for (uint32_t i = 0; status == QUIPU_OK && i < all->location_count; i++)
        if (all->substreams[i].rank != QUIPU_NONE) {
            status = open_out(all, &all->substreams[i], all->wall_ns, err);
            if (status == QUIPU_OK)
                status = put_splits(all, &all->substreams[i], 0, err);
        }
    for (uint32_t i = 0; status == QUIPU_OK && i < all->location_count; i++)
        status = put_unfinished(all, i, err);
    for (size_t i = 0; status == QUIPU_OK && i < writer->outs.count; i++) {
        status = quipu__dumpi_out_end(writer, writer->outs.items[i], err);
        if (status == QUIPU_OK)
            status = put_addresses(all, writer->outs.items[i], err);
    }
    return status;
}
