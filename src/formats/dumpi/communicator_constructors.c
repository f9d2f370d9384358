/* communicator_constructors.c: the calls that make communicators and groups, as rows: the meaning of each call's
 * members. */
#include "core/error.h"
#include "formats/dumpi/communicators.h"

#define ABSENT UINT16_MAX

/* Offsets of the members of a call; handles are 16 bits, numbers 32. */
struct constructor_row {
    uint16_t type;
    bool makes_communicator;
    uint16_t parent, second, result; /* handles */
    uint16_t color, key;             /* numbers */
    uint16_t numbers;                /* a list of numbers or of ranges */
};

#define AT(record, member) (uint16_t) offsetof(struct quipu__dumpi_##record, member)
#define ROW(record, communicator, parent, second, result, color, key, numbers)                                 \
    { QUIPU__DUMPI_TYPE_##record, communicator, parent, second, result, color, key, numbers }
#define COMM1(record, parent)                                                                                  \
    ROW(record, true, AT(record, parent), ABSENT, AT(record, newcomm), ABSENT, ABSENT, ABSENT)
#define COMM2(record, color, key, numbers)                                                                     \
    ROW(record, true, AT(record, oldcomm), ABSENT, AT(record, newcomm), color, key, numbers)
#define GROUP2(record)                                                                                         \
    ROW(record, false, AT(record, group1), AT(record, group2), AT(record, newgroup), ABSENT, ABSENT, ABSENT)
#define GROUP1(record, numbers)                                                                                \
    ROW(record, false, AT(record, group), ABSENT, AT(record, newgroup), ABSENT, ABSENT, AT(record, numbers))

static const struct constructor_row rows[] = {
    COMM1(comm_dup, oldcomm),
    ROW(comm_create, true, AT(comm_create, oldcomm), AT(comm_create, group), AT(comm_create, newcomm), ABSENT,
        ABSENT, ABSENT),
    COMM2(comm_split, AT(comm_split, color), AT(comm_split, key), ABSENT),
    COMM2(cart_create, ABSENT, ABSENT, AT(cart_create, dims)),
    COMM2(cart_sub, ABSENT, ABSENT, AT(cart_sub, remain_dims)),
    COMM2(graph_create, ABSENT, ABSENT, AT(graph_create, index)),
    ROW(intercomm_create, true, AT(intercomm_create, localcomm), AT(intercomm_create, remotecomm),
        AT(intercomm_create, newcomm), AT(intercomm_create, localleader), AT(intercomm_create, remoteleader),
        ABSENT),
    ROW(intercomm_merge, true, AT(intercomm_merge, comm), ABSENT, AT(intercomm_merge, newcomm), ABSENT,
        AT(intercomm_merge, high), ABSENT),
    COMM1(comm_spawn, oldcomm),
    COMM1(comm_spawn_multiple, oldcomm),
    COMM1(comm_accept, oldcomm),
    COMM1(comm_connect, oldcomm),
    ROW(comm_get_parent, true, ABSENT, ABSENT, AT(comm_get_parent, parent), ABSENT, ABSENT, ABSENT),
    ROW(comm_join, true, ABSENT, ABSENT, AT(comm_join, comm), ABSENT, ABSENT, ABSENT),
    ROW(comm_group, false, AT(comm_group, comm), ABSENT, AT(comm_group, group), ABSENT, ABSENT, ABSENT),
    ROW(comm_remote_group, false, AT(comm_remote_group, comm), ABSENT, AT(comm_remote_group, group), ABSENT,
        ABSENT, ABSENT),
    ROW(win_get_group, false, ABSENT, ABSENT, AT(win_get_group, group), ABSENT, ABSENT, ABSENT),
    ROW(file_get_group, false, ABSENT, ABSENT, AT(file_get_group, group), ABSENT, ABSENT, ABSENT),
    GROUP2(group_union),
    GROUP2(group_intersection),
    GROUP2(group_difference),
    GROUP1(group_incl, ranks),
    GROUP1(group_excl, ranks),
    GROUP1(group_range_incl, ranges),
    GROUP1(group_range_excl, ranges),
};

static const struct constructor_row *row_of(uint32_t type) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

bool quipu__dumpi_is_constructor(uint32_t type) {
    return row_of(type) != NULL;
}

bool quipu__dumpi_makes_communicator(uint32_t type) {
    const struct constructor_row *row = row_of(type);
    return row && row->makes_communicator;
}

static int32_t handle_at(const uint8_t *data, uint16_t offset) {
    return offset == ABSENT ? 0 : *(const int16_t *)(const void *)(data + offset);
}

static int32_t number_at(const uint8_t *data, uint16_t offset) {
    return offset == ABSENT ? 0 : *(const int32_t *)(const void *)(data + offset);
}

/* Ranges are three numbers each. */
static enum quipu_status copy_numbers(struct quipu__dumpi_constructor *constructor,
                                      struct quipu__dumpi_trace *own, const uint8_t *data,
                                      const struct constructor_row *row, struct quipu_error *err) {
    const void *list;
    if (row->numbers == ABSENT)
        return QUIPU_OK;
    memcpy(&list, data + row->numbers, sizeof list);
    const bool are_ranges =
        row->type == QUIPU__DUMPI_TYPE_group_range_incl || row->type == QUIPU__DUMPI_TYPE_group_range_excl;
    const uint32_t count = quipu_sized_count(list) * (are_ranges ? 3 : 1);
    int32_t *copy = quipu__arena_alloc(&own->arena, (size_t)count * sizeof *copy + 1);
    if (!copy)
        return quipu__no_memory(err, (size_t)count * sizeof *copy);
    if (count)
        memcpy(copy, list, (size_t)count * sizeof *copy);
    constructor->numbers = copy;
    constructor->count = count;
    return QUIPU_OK;
}

enum quipu_status quipu__dumpi_add_constructor(struct quipu__dumpi_constructors *constructors,
                                               struct quipu__dumpi_trace *own,
                                               const struct quipu__dumpi_decoder *decoder, uint64_t offset,
                                               struct quipu_error *err) {
    const struct constructor_row *row = row_of(decoder->type);
    const uint8_t *data = (const uint8_t *)&decoder->data;
    struct quipu__dumpi_constructor *constructor = QUIPU__VEC_ADD(own->memory, &constructors->list);
    if (!constructor)
        return quipu__no_memory(err, sizeof *constructor);
    *constructor = (struct quipu__dumpi_constructor){
        .offset = offset,
        .type = decoder->type,
        .parent = handle_at(data, row->parent),
        .second = handle_at(data, row->second),
        .result = handle_at(data, row->result),
        .color = number_at(data, row->color),
        .key = number_at(data, row->key),
    };
    return copy_numbers(constructor, own, data, row, err);
}
