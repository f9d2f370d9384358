/* names.c: see names.h. A name is one line, so characters that do not show are written as escapes. */
#include "formats/paraver/names.h"

#include "formats/prv.h"
#include "model/event.h"

const struct quipu__paraver_type_row quipu__paraver_types[QUIPU__PARAVER_TYPES] = {
#define TYPE(name, number, label, refers) [QUIPU__PARAVER_##name] = {(number), QUIPU_REFERS_##refers, (label)},
#define SHOWS(kind, column, type)
#define CLEARS(kind, type)
#include "formats/paraver/types.def"
};

static const char *const role_names[QUIPU_REGION_ROLE_COUNT] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
};

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
    QUIPU__VEC_RELEASE(memory, &used->regions.items);
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
    const struct quipu__paraver_used *used;
};

static void put_type(struct names *names, uint32_t type, const char *label) {
    quipu__pcf_type(names->out, type, line_of(&names->scratch, label));
}

static void put_value(struct names *names, int64_t value, const char *label) {
    quipu__pcf_value(names->out, value, line_of(&names->scratch, label));
}

static void put_role(struct names *names, enum quipu_region_role role) {
    const struct quipu_regions *regions = &names->definitions->regions;
    bool is_named = false;
    for (uint32_t i = 0; i < regions->count; i++) {
        if (regions->items[i].role != role || !is_used(&names->used->regions, i))
            continue;
        if (!is_named) {
            quipu__put_format(names->out, "\n\nEVENT_TYPE\n0 %-10u Region: %s\nVALUES\n",
                              QUIPU__PARAVER_ROLES + (unsigned)role, role_names[role]);
            put_value(names, 0, "None");
            is_named = true;
        }
        put_value(names, (int64_t)i + 1, regions->items[i].name);
    }
}

static void put_listed_type(struct names *names, enum quipu__paraver_type type) {
    const struct quipu__paraver_type_row *row = &quipu__paraver_types[type];
    const uint64_t count =
        row->refers == QUIPU_REFERS_NOTHING ? 0 : quipu__count_of(names->definitions, row->refers);
    if ((names->used->types >> type & 1) == 0)
        return;
    put_type(names, row->number, row->label);
    if (count > 0)
        put_value(names, 0, "None");
    for (uint64_t i = 0; i < count; i++) {
        const char *name = quipu__name_of(names->definitions, row->refers, i);
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

void quipu__paraver_put_pcf(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const struct quipu__paraver_used *used) {
    struct names names = {.out = out, .definitions = definitions, .used = used};
    quipu__buffer_init(&names.scratch, out->memory, 0);
    quipu__pcf_begin(out);
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

void quipu__paraver_put_row(struct quipu__buffer *out, const struct quipu_definitions *definitions,
                            const uint32_t *locations, uint32_t count) {
    struct quipu__buffer scratch;
    quipu__buffer_init(&scratch, out->memory, 0);
    quipu__row_begin(out, count);
    for (uint32_t i = 0; i < count; i++)
        quipu__row_name(out, line_of(&scratch, definitions->locations.items[locations[i]].name));
    out->failed |= scratch.failed;
    quipu__buffer_release(&scratch);
}
