/* stats_traffic.c: how many bytes a call sends and receives, by a table of calls. Receives count the room that was
 * given, not what came. */
#include "stats.h"

#include "formats/dumpi/communicators.h"

#include <stddef.h>
#include <string.h>

enum who { NO_RANK, ALL, ROOT, OTHERS, NOT_FIRST, NOT_LAST };

enum times {
    ONCE,
    PER_MEMBER, /* once for each member of the communicator */
    PER_COUNT,  /* a list of counts */
    PER_PAIR    /* lists of counts and of types */
};

#define NO_MEMBER UINT16_MAX

/* One direction of a call; members are offsets in its struct. */
struct side {
    uint8_t who, times;
    uint16_t count, datatype;
};

struct row {
    uint32_t type, reported_as;
    uint16_t comm, root, dest;
    struct side sent, received;
};

#define AT(record, member) offsetof(struct quipu__dumpi_##record, member)
#define SIDE(record, who, times, count, datatype)                                                              \
    { who, times, AT(record, count), AT(record, datatype) }
#define NO_SIDE                                                                                                \
    { NO_RANK, ONCE, 0, 0 }
#define ROW(record, reported, root, dest, ...)                                                                 \
    {QUIPU__DUMPI_TYPE_##record, QUIPU__DUMPI_TYPE_##reported, AT(record, comm), root, dest, __VA_ARGS__},
#define SEND(record)                                                                                           \
    ROW(record, record, NO_MEMBER, AT(record, dest), SIDE(record, ALL, ONCE, count, datatype), NO_SIDE)
#define RECV(record)                                                                                           \
    ROW(record, record, NO_MEMBER, NO_MEMBER, NO_SIDE, SIDE(record, ALL, ONCE, count, datatype))
#define ROOTED(record, ...) ROW(record, record, AT(record, root), NO_MEMBER, __VA_ARGS__)
#define EQUAL(record, ...) ROW(record, record, NO_MEMBER, NO_MEMBER, __VA_ARGS__)

/* clang-format off */
static const struct row rows[] = {
    SEND(send) SEND(bsend) SEND(ssend) SEND(rsend)
    SEND(isend) SEND(ibsend) SEND(issend) SEND(irsend)
    SEND(send_init) SEND(bsend_init) SEND(ssend_init) SEND(rsend_init)
    RECV(recv) RECV(irecv) RECV(recv_init)
    ROW(sendrecv, sendrecv, NO_MEMBER, AT(sendrecv, dest), SIDE(sendrecv, ALL, ONCE, sendcount, sendtype),
        SIDE(sendrecv, ALL, ONCE, recvcount, recvtype))
    ROW(sendrecv_replace, sendrecv_replace, NO_MEMBER, AT(sendrecv_replace, dest),
        SIDE(sendrecv_replace, ALL, ONCE, count, datatype), SIDE(sendrecv_replace, ALL, ONCE, count, datatype))
    ROOTED(bcast, SIDE(bcast, ROOT, ONCE, count, datatype), SIDE(bcast, OTHERS, ONCE, count, datatype))
    ROOTED(gather, SIDE(gather, ALL, ONCE, sendcount, sendtype), SIDE(gather, ROOT, PER_MEMBER, recvcount, recvtype))
    ROOTED(gatherv, SIDE(gatherv, ALL, ONCE, sendcount, sendtype),
           SIDE(gatherv, ROOT, PER_COUNT, recvcounts, recvtype))
    ROOTED(scatter, SIDE(scatter, ROOT, PER_MEMBER, sendcount, sendtype),
           SIDE(scatter, ALL, ONCE, recvcount, recvtype))
    ROOTED(scatterv, SIDE(scatterv, ROOT, PER_COUNT, sendcounts, sendtype),
           SIDE(scatterv, ALL, ONCE, recvcount, recvtype))
    EQUAL(allgather, SIDE(allgather, ALL, ONCE, sendcount, sendtype), SIDE(allgather, ALL, ONCE, recvcount, recvtype))
    EQUAL(allgatherv, SIDE(allgatherv, ALL, ONCE, sendcount, sendtype),
          SIDE(allgatherv, ALL, PER_COUNT, recvcounts, recvtype))
    EQUAL(alltoall, SIDE(alltoall, ALL, PER_MEMBER, sendcount, sendtype),
          SIDE(alltoall, ALL, PER_MEMBER, recvcount, recvtype))
    EQUAL(alltoallv, SIDE(alltoallv, ALL, PER_COUNT, sendcounts, sendtype),
          SIDE(alltoallv, ALL, PER_COUNT, recvcounts, recvtype))
    EQUAL(alltoallw, SIDE(alltoallw, ALL, PER_PAIR, sendcounts, sendtypes),
          SIDE(alltoallw, ALL, PER_PAIR, recvcounts, recvtypes))
    ROOTED(reduce, SIDE(reduce, ALL, ONCE, count, datatype), SIDE(reduce, ROOT, PER_MEMBER, count, datatype))
    EQUAL(allreduce, SIDE(allreduce, ALL, ONCE, count, datatype), SIDE(allreduce, ALL, ONCE, count, datatype))
    ROW(reduce_scatter, reduce, NO_MEMBER, NO_MEMBER, SIDE(reduce_scatter, ALL, PER_COUNT, recvcounts, datatype),
        SIDE(reduce_scatter, ALL, PER_COUNT, recvcounts, datatype))
    EQUAL(scan, SIDE(scan, NOT_LAST, ONCE, count, datatype), SIDE(scan, NOT_FIRST, ONCE, count, datatype))
    ROW(exscan, scan, NO_MEMBER, NO_MEMBER, SIDE(exscan, NOT_LAST, ONCE, count, datatype),
        SIDE(exscan, NOT_FIRST, ONCE, count, datatype))
};
/* clang-format on */

/* ---- Communicators ---- */

void quipu__undumpi_rank_transfer(struct quipu__undumpi_rank *rank, uint64_t offset) {
    const struct quipu__dumpi_file *file = rank->file;
    for (; rank->next_change < file->change_count && file->changes[rank->next_change].offset <= offset;
         rank->next_change++) {
        const struct quipu__dumpi_change *change = &file->changes[rank->next_change];
        if (!change->is_file)
            quipu__gate_knows(
                quipu__tokens_put(&rank->communicators, (uint16_t)change->handle, change->number));
    }
}

static uint32_t number_of(const struct quipu__undumpi_rank *rank, int16_t comm) {
    if (comm == QUIPU__DUMPI_COMM_WORLD)
        return rank->job->own->world;
    if (comm == QUIPU__DUMPI_COMM_SELF)
        return rank->file->self;
    return quipu__tokens_get(&rank->communicators, (uint16_t)comm);
}

/* The group of a communicator, NULL when it is not known. */
static const struct quipu_group *group_of(const struct quipu__undumpi_rank *rank, int16_t comm) {
    const struct quipu_definitions *definitions = &rank->job->define.definitions;
    const uint32_t number = number_of(rank, comm);
    return number < definitions->groups.count ? &definitions->groups.items[number] : NULL;
}

/* The own rank in a group, -1 when that is not known. */
static int64_t own_rank(const struct quipu__undumpi_rank *rank, const struct quipu_group *group) {
    for (uint32_t i = 0; group && i < group->member_count; i++)
        if (group->members[i] == rank->file->location)
            return i;
    return -1;
}

/* World rank of a receiver; those of an intercommunicator are on its other side. */
static uint32_t world_rank(const struct quipu__undumpi_rank *rank, const struct quipu_group *group,
                           int32_t dest) {
    if (!group || dest < 0)
        return QUIPU_NONE;
    const uint32_t *members = group->remote_members ? group->remote_members : group->members;
    const uint32_t count = group->remote_members ? group->remote_member_count : group->member_count;
    const uint32_t location = (uint32_t)dest < count ? members[dest] : QUIPU_NONE;
    return location < rank->job->location_count ? rank->job->rank_of[location] : QUIPU_NONE;
}

/* ---- Sizes ---- */

/* Of the predefined datatypes, for files that do not tell. */
static const int32_t default_sizes[] = {0, 0,  1, 1, 1, 1, 2, 2, 2, 4,  4,  8, 8, 4,
                                        8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};
enum { DEFAULT_SIZES = sizeof default_sizes / sizeof *default_sizes, SIZES_LEAST = 27 };

static uint64_t size_of(const struct quipu__undumpi_rank *rank, int16_t datatype) {
    const bool tells = rank->file->size_count >= SIZES_LEAST;
    const int32_t *sizes = tells ? rank->file->sizes : default_sizes;
    const uint32_t count = tells ? rank->file->size_count : DEFAULT_SIZES;
    return datatype >= 0 && (uint32_t)datatype < count && sizes[datatype] > 0 ? (uint64_t)sizes[datatype] : 0;
}

static uint64_t positive(int32_t count) {
    return count > 0 ? (uint64_t)count : 0;
}

static int32_t load_i32(const void *data, uint16_t member) {
    int32_t value;
    memcpy(&value, (const uint8_t *)data + member, sizeof value);
    return value;
}

static int16_t load_i16(const void *data, uint16_t member) {
    int16_t value;
    memcpy(&value, (const uint8_t *)data + member, sizeof value);
    return value;
}

static const void *load_list(const void *data, uint16_t member) {
    const void *list;
    memcpy(&list, (const uint8_t *)data + member, sizeof list);
    return list;
}

static uint64_t sum_of(const struct quipu__undumpi_rank *rank, const struct side *side, const void *data) {
    const int32_t *counts = load_list(data, side->count);
    const int16_t *types = side->times == PER_PAIR ? load_list(data, side->datatype) : NULL;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < quipu_sized_count(counts); i++) {
        if (side->times == PER_COUNT)
            bytes += positive(counts[i]) * size_of(rank, load_i16(data, side->datatype));
        else if (i < quipu_sized_count(types))
            bytes += positive(counts[i]) * size_of(rank, types[i]);
    }
    return bytes;
}

static uint64_t bytes_of(const struct quipu__undumpi_rank *rank, const struct side *side, const void *data,
                         const struct quipu_group *group) {
    if (side->times == PER_COUNT || side->times == PER_PAIR)
        return sum_of(rank, side, data);
    const uint64_t once = positive(load_i32(data, side->count)) * size_of(rank, load_i16(data, side->datatype));
    const uint32_t members = group ? group->member_count : 0;
    return side->times == PER_MEMBER ? once * members : once;
}

static bool participates(const struct side *side, const struct quipu_group *group, int64_t self, int64_t root) {
    switch ((enum who)side->who) {
    case ALL:
        return true;
    case ROOT:
        return self == root;
    case OTHERS:
        return self != root;
    case NOT_FIRST:
        return self != 0;
    case NOT_LAST:
        return !group || self + 1 != group->member_count;
    default:
        return false;
    }
}

void quipu__undumpi_traffic_of(const struct quipu__undumpi_rank *rank, uint32_t type,
                               const union quipu__dumpi_any *data, struct quipu__undumpi_traffic *out) {
    const struct row *row = rows;
    const struct row *const past = rows + sizeof rows / sizeof *rows;
    *out = (struct quipu__undumpi_traffic){.to = QUIPU_NONE, .reported_as = type};
    while (row < past && row->type != type)
        row++;
    if (row == past)
        return;
    const struct quipu_group *group = group_of(rank, load_i16(data, row->comm));
    const int64_t self = own_rank(rank, group);
    const int64_t root = row->root == NO_MEMBER ? -1 : load_i32(data, row->root);
    out->reported_as = row->reported_as;
    out->sends = participates(&row->sent, group, self, root);
    out->receives = participates(&row->received, group, self, root);
    out->sent = out->sends ? bytes_of(rank, &row->sent, data, group) : 0;
    out->received = out->receives ? bytes_of(rank, &row->received, data, group) : 0;
    if (row->dest != NO_MEMBER)
        out->to = world_rank(rank, group, load_i32(data, row->dest));
}
