/* kinds.c: the descriptions of event kinds and operations, all from kinds.def and operations.def. */
#include <quipu/model.h>

#include "core/bisect.h"
#include <string.h>

/* The fields of all kinds in one array; FIRST_x and PAST_x say which of them belong to kind x. */
enum field_index {
    FIELDS_START = -1,
#define QUIPU_KIND(name, family, doc) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc) FIELD_##kind##_##name,
#define QUIPU_KIND_END(name) PAST_##name, LAST_##name = PAST_##name - 1,
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

static const struct quipu_kind_field fields[] = {
#define QUIPU_KIND(name, family, doc)
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc)                                                      \
    {#name, QUIPU_COLUMN_##column, QUIPU_REFERS_##refers, doc},
#define QUIPU_KIND_END(name)
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

static const struct quipu_kind_info kinds[] = {
#define QUIPU_KIND(name, family, doc) {#name, #family, doc, fields + FIRST_##name, PAST_##name - FIRST_##name},
#define QUIPU_KIND_FIELD(kind, name, column, refers, doc)
#define QUIPU_KIND_END(name)
#include <quipu/kinds.def>
#undef QUIPU_KIND
#undef QUIPU_KIND_FIELD
#undef QUIPU_KIND_END
};

_Static_assert(sizeof kinds / sizeof *kinds == QUIPU_KIND_COUNT, "one row per kind");
_Static_assert((int)QUIPU_KIND_COUNT <= 64, "a set of kinds is 64 bits");
_Static_assert((int)QUIPU_STATISTIC_COUNT <= 32, "a set of statistics is 32 bits");

const struct quipu_kind_info *quipu_kind_at(enum quipu_kind kind) {
    return (unsigned)kind < QUIPU_KIND_COUNT ? &kinds[kind] : NULL;
}

enum quipu_kind quipu_kind_find(const char *name) {
    for (int kind = 0; kind < QUIPU_KIND_COUNT; kind++)
        if (strcmp(kinds[kind].name, name) == 0)
            return (enum quipu_kind)kind;
    return QUIPU_KIND_COUNT;
}

static const char *const io_names[] = {
#define QUIPU_IO(name, text) text,
#include <quipu/operations.def>
#undef QUIPU_IO
};
static const char *const collective_names[] = {
#define QUIPU_COLLECTIVE(name, text, shape) text,
#include <quipu/operations.def>
#undef QUIPU_COLLECTIVE
};
static const char *const rma_names[] = {
#define QUIPU_RMA(name, text) text,
#include <quipu/operations.def>
#undef QUIPU_RMA
};
static const char *const statistic_names[] = {
#define QUIPU_STATISTIC(name, text, is_time) text,
#include <quipu/operations.def>
#undef QUIPU_STATISTIC
};
static const bool are_times[] = {
#define QUIPU_STATISTIC(name, text, is_time) is_time,
#include <quipu/operations.def>
#undef QUIPU_STATISTIC
};
static const uint8_t collective_shapes[] = {
#define QUIPU_COLLECTIVE(name, text, shape) QUIPU_SHAPE_##shape,
#include <quipu/operations.def>
#undef QUIPU_COLLECTIVE
};

const char *quipu_operation_name(enum quipu_refers refers, uint32_t operation) {
    if (refers == QUIPU_REFERS_IO_OPERATION && operation < QUIPU_IO_COUNT)
        return io_names[operation];
    if (refers == QUIPU_REFERS_COLLECTIVE && operation < QUIPU_COLLECTIVE_COUNT)
        return collective_names[operation];
    if (refers == QUIPU_REFERS_RMA_OPERATION && operation < QUIPU_RMA_COUNT)
        return rma_names[operation];
    if (refers == QUIPU_REFERS_STATISTIC && operation < QUIPU_STATISTIC_COUNT)
        return statistic_names[operation];
    return "unknown";
}

enum quipu_collective_shape quipu_collective_shape(uint32_t collective) {
    return collective < QUIPU_COLLECTIVE_COUNT ? (enum quipu_collective_shape)collective_shapes[collective]
                                               : QUIPU_SHAPE_UNKNOWN;
}

bool quipu_statistic_is_time(uint32_t statistic) {
    return statistic < QUIPU_STATISTIC_COUNT && are_times[statistic];
}

/* ---- Channels ---- */

const char *quipu_channel_label(const struct quipu_channel *channel, int64_t value) {
    size_t first = 0;
    QUIPU__BISECT(first, channel->label_count, i, channel->labels[i].value < value);
    const bool is_there = first < channel->label_count && channel->labels[first].value == value;
    return is_there ? channel->labels[first].text : NULL;
}
