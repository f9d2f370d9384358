/* names.c: see names.h. A name is one line, so characters that do not show are written as escapes. */
#include "formats/paraver/names.h"

#include "formats/prv.h"
#include "model/event.h"

#include <inttypes.h>

static const struct quipu__paraver_type_row types[QUIPU__PARAVER_TYPES] = {
#define TYPE(name, number, label, refers)                                                                      \
    [QUIPU__PARAVER_##name] = {(number), QUIPU_REFERS_##refers, QUIPU__PARAVER_SAME, (label)},
#define MPI_TYPE(name, number, label, meaning)
#define SHOWS(kind, column, type)
#define SHOWS_MPI(kind, column, type)
#define CLEARS(kind, type)
#include "formats/paraver/types.def"
};

static const struct quipu__paraver_type_row mpi_types[QUIPU__PARAVER_TYPES] = {
#define TYPE(name, number, label, refers)
#define MPI_TYPE(name, number, label, meaning)                                                                 \
    [QUIPU__PARAVER_##name] = {(number), QUIPU_REFERS_NOTHING, QUIPU__PARAVER_##meaning, (label)},
#define SHOWS(kind, column, type)
#define SHOWS_MPI(kind, column, type)
#define CLEARS(kind, type)
#include "formats/paraver/types.def"
};

struct quipu__paraver_type_row quipu__paraver_type(bool is_mpi, enum quipu__paraver_type type) {
    struct quipu__paraver_type_row row = types[type];
    if (is_mpi && mpi_types[type].number > 0) {
        row.number = mpi_types[type].number;
        row.label = mpi_types[type].label;
        row.meaning = mpi_types[type].meaning;
    }
    return row;
}

static const struct state {
    uint8_t number, colour[3];
    const char *label;
} states[] = {
#define CALL(function, value, type, state)
#define STATE(name, number, label, red, green, blue) {(number), {(red), (green), (blue)}, (label)},
#include "formats/paraver/mpi.def"
};
enum { STATES = sizeof states / sizeof *states };

/* ---- Which definitions are used ---- */

bool quipu__paraver_use(struct quipu__memory *memory, struct quipu__paraver_flags *flags, uint32_t number) {
    if (number >= flags->items.count) {
        const size_t more = number + (size_t)1 - flags->items.count;
        if (!QUIPU__VEC_RESERVE(memory, &flags->items, more))
            return false;
        flags->items.count += more;
    }
    flags->items.items[number] = 1;
    return true;
}

void quipu__paraver_used_release(struct quipu__memory *memory, struct quipu__paraver_used *used) {
    QUIPU__VEC_RELEASE(memory, &used->channels.items);
    QUIPU__VEC_RELEASE(memory, &used->metrics.items);
}

static bool is_used(const struct quipu__paraver_flags *flags, uint32_t number) {
    return number < flags->items.count && flags->items.items[number] != 0;
}

/* ---- Types and values ---- */

/* A name that takes one line; borrowed from the scratch buffer. */
static const char *line_of(struct quipu__buffer *scratch, const char *name) {
    scratch->len = 0;
    quipu__put_escaped(scratch, name, strlen(name));
    quipu__put_u8(scratch, '\0');
    if (scratch->failed)
        return "";
    return scratch->len > 1 ? (const char *)scratch->data : "(no name)";
}

/* Where the names go, and what holds one of them. */
struct names {
    struct quipu__buffer *out;
    struct quipu__buffer scratch;
    const struct quipu_definitions *definitions;
    const struct quipu__paraver_regions *regions;
    const struct quipu__paraver_used *used;
};

static void put_type(struct names *names, uint32_t type, const char *label) {
    quipu__pcf_type(names->out, type, line_of(&names->scratch, label));
}

static void put_value(struct names *names, int64_t value, const char *label) {
    quipu__pcf_value(names->out, value, line_of(&names->scratch, label));
}

/* Several names may stand for one call of mpi.def, which is named once: a bit for each of their values that has been. */
struct named {
    uint64_t bits[4];
};

static bool is_new(struct named *named, const struct quipu__paraver_region *region) {
    if (!region->is_call || region->value > UINT8_MAX)
        return true;
    const uint64_t bit = UINT64_C(1) << region->value % 64;
    const bool is_new = (named->bits[region->value / 64] & bit) == 0;
    named->bits[region->value / 64] |= bit;
    return is_new;
}

static void put_role(struct names *names, enum quipu_region_role role) {
    const struct quipu__paraver_regions *regions = names->regions;
    const struct quipu__paraver_role shown = quipu__paraver_role(regions->is_mpi, role);
    struct named named = {{0}};
    bool is_named = false;
    for (size_t i = 0; i < regions->items.count; i++) {
        const struct quipu__paraver_region *region = &regions->items.items[i];
        if (region->role != role || !region->is_used || !is_new(&named, region))
            continue;
        if (!is_named) {
            quipu__put_format(names->out, "\n\nEVENT_TYPE\n0 %-10u %s%s\nVALUES\n", shown.type, shown.prefix,
                              shown.label);
            put_value(names, 0, shown.nothing);
            is_named = true;
        }
        put_value(names, region->value, region->label);
    }
}

static void put_listed_type(struct names *names, enum quipu__paraver_type type) {
    const struct quipu__paraver_type_row row = quipu__paraver_type(names->regions->is_mpi, type);
    const bool has_names = row.refers != QUIPU_REFERS_NOTHING && row.meaning == QUIPU__PARAVER_SAME;
    const uint64_t count = has_names ? quipu__count_of(names->definitions, row.refers) : 0;
    if ((names->used->types >> type & 1) == 0)
        return;
    put_type(names, row.number, row.label);
    if (count > 0)
        put_value(names, 0, "None");
    for (uint64_t i = 0; i < count; i++) {
        const char *name = quipu__name_of(names->definitions, row.refers, i);
        if (name)
            put_value(names, (int64_t)i + 1, name);
    }
}

static void put_channel(struct names *names, uint32_t number) {
    const struct quipu_channel *channel = &names->definitions->channels.items[number];
    if (!is_used(&names->used->channels, number))
        return;
    put_type(names, QUIPU__PARAVER_CHANNELS + number, channel->name);
    for (uint32_t i = 0; i < channel->label_count; i++)
        put_value(names, channel->labels[i].value, channel->labels[i].text);
}

/* What a thread may be in, which is what Paraver shows at first. */
static void put_states(struct quipu__buffer *out) {
    quipu__put_text(out, "\n\nSTATES\n");
    for (unsigned i = 0; i < STATES; i++)
        quipu__put_format(out, "%-4u %s\n", states[i].number, states[i].label);
    quipu__put_text(out, "\n\nSTATES_COLOR\n");
    for (unsigned i = 0; i < STATES; i++)
        quipu__put_format(out, "%-4u {%3u,%3u,%3u}\n", states[i].number, states[i].colour[0],
                          states[i].colour[1], states[i].colour[2]);
}

void quipu__paraver_put_pcf(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_regions *regions,
                            const struct quipu__paraver_used *used) {
    struct names names = {.out = out, .definitions = definitions, .regions = regions, .used = used};
    quipu__buffer_init(&names.scratch, out->memory, 0);
    if (regions->is_mpi) {
        quipu__pcf_options(out);
        put_states(out);
    } else {
        quipu__pcf_begin(out);
    }
    for (unsigned role = 0; role < QUIPU_REGION_ROLE_COUNT; role++)
        put_role(&names, (enum quipu_region_role)role);
    for (unsigned type = 0; type < QUIPU__PARAVER_TYPES; type++)
        put_listed_type(&names, (enum quipu__paraver_type)type);
    for (uint32_t i = 0; i < definitions->channels.count; i++)
        put_channel(&names, i);
    for (uint32_t i = 0; i < definitions->metrics.count; i++)
        if (is_used(&used->metrics, i))
            put_type(&names, QUIPU__PARAVER_METRICS + i, definitions->metrics.items[i].name);
    out->failed |= names.scratch.failed;
    quipu__buffer_release(&names.scratch);
}

/* ---- Rows ---- */

static void put_level(struct quipu__buffer *out, const char *level, size_t count) {
    quipu__put_format(out, "%sLEVEL %s SIZE %zu\n", out->len > 0 ? "\n" : "", level, count);
}

static void put_node(struct quipu__buffer *out, struct quipu__buffer *scratch, uint32_t number,
                     const char *name) {
    if (name[0] != '\0')
        quipu__row_name(out, line_of(scratch, name));
    else
        quipu__put_format(out, "node %" PRIu32 "\n", number + 1);
}

/* CPUs, nodes and tasks. A CPU is called by its number and its node. */
static void put_levels(struct quipu__buffer *out, struct quipu__buffer *scratch,
                       const struct quipu_definitions *definitions, const struct quipu__paraver_tasks *tasks) {
    const struct quipu__paraver_node *nodes = tasks->nodes.items;
    put_level(out, "CPU", tasks->rows.count);
    for (uint32_t i = 0; i < tasks->nodes.count; i++)
        for (uint32_t k = 0; k < nodes[i].cpus; k++) {
            quipu__put_format(out, "%" PRIu32 ".", nodes[i].first + k + 1);
            put_node(out, scratch, i, nodes[i].name);
        }
    put_level(out, "NODE", tasks->nodes.count);
    for (uint32_t i = 0; i < tasks->nodes.count; i++)
        put_node(out, scratch, i, nodes[i].name);
    put_level(out, "TASK", tasks->tasks.count);
    for (uint32_t i = 0; i < tasks->tasks.count; i++)
        quipu__row_name(out,
                        line_of(scratch, definitions->locations.items[tasks->tasks.items[i].location].name));
    put_level(out, "THREAD", tasks->rows.count);
}

void quipu__paraver_put_row(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_tasks *tasks) {
    struct quipu__buffer scratch;
    quipu__buffer_init(&scratch, out->memory, 0);
    if (tasks->tasks.count > 0)
        put_levels(out, &scratch, definitions, tasks);
    else
        quipu__row_begin(out, (uint32_t)tasks->rows.count);
    for (size_t i = 0; i < tasks->rows.count; i++)
        quipu__row_name(out,
                        line_of(&scratch, definitions->locations.items[tasks->rows.items[i].location].name));
    out->failed |= scratch.failed;
    quipu__buffer_release(&scratch);
}
