/* record_values.c: what columns and attributes of events are in records: numbers of definitions, ranks, texts.
 *
 * Definitions are numbered in the order in which they are used first, from 0, as readers of OTF2 expect. Ranks of messages are those in their
 * communicator; events that name none are in one that holds all processes. */
#include "formats/otf2/from_model.h"
#include "formats/otf2/mapping.h"

#include "core/memory/sort.h"
#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* Regions are numbered with that of calls of which it is not known in front. */
uint32_t quipu__otf2_use_region(model *m, uint32_t number) {
    const uint32_t count = m->definitions->regions.count;
    return use(m, &m->regions, number < count ? number + 1 : 0, count + 1);
}

static bool is_utf8(const char *text, size_t len) {
    uint32_t code;
    for (size_t i = 0, size; i < len; i += size)
        if ((size = quipu__utf8_decode((const uint8_t *)text + i, len - i, &code)) == 0)
            return false;
    return true;
}

const char *quipu__otf2_utf8(model *m, const char *text, size_t *len) {
    if (is_utf8(text, *len))
        return text;
    char *made = quipu__arena_alloc(&m->arena, 4 * *len + 1), *end = made;
    uint32_t code;
    for (size_t i = 0; made && i < *len;) {
        const size_t size = quipu__utf8_decode((const uint8_t *)text + i, *len - i, &code);
        if (size > 0)
            memcpy(end, text + i, size);
        else
            snprintf(end, 5, "\\x%02x", (unsigned char)text[i]);
        end += size > 0 ? size : 4;
        i += size > 0 ? size : 1;
    }
    *len = made ? (size_t)(end - made) : 0;
    return made ? made : "";
}

uint32_t quipu__otf2_intern(model *m, const char *text, size_t len) {
    text = quipu__otf2_utf8(m, text, &len);
    const uint64_t hash = quipu__hash(text, len, m->string_of.seed);
    const uint32_t known = quipu__map_get(&m->string_of, hash);
    if (known != QUIPU_NONE && strlen(m->strings.items[known]) == len &&
        memcmp(m->strings.items[known], text, len) == 0)
        return known;
    const char **slot = QUIPU__VEC_ADD(m->memory, &m->strings);
    if (!slot || !(*slot = quipu__arena_text(&m->arena, text, len)) ||
        !quipu__map_put(&m->string_of, hash, (uint32_t)m->strings.count - 1))
        return UNDEFINED;
    return (uint32_t)m->strings.count - 1;
}

/* ---- Locations ---- */

struct ranked {
    int64_t rank;
    uint32_t location;
};

static int compare_ranked(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->rank != b->rank)
        return (uint64_t)a->rank < (uint64_t)b->rank ? -1 : 1; /* unknown ones are last */
    return a->location < b->location ? -1 : a->location > b->location;
}

static uint32_t add_to_world(model *m, uint32_t location) {
    const uint32_t count = m->definitions->locations.count;
    if (count > m->rank_of.count) {
        const size_t before = m->rank_of.count;
        if (!QUIPU__VEC_RESERVE(m->memory, &m->rank_of, count - before))
            return UNDEFINED;
        m->rank_of.count = count;
        memset(m->rank_of.items + before, 0xff, (count - before) * sizeof *m->rank_of.items);
    }
    if (location >= count)
        return UNDEFINED;
    if (m->rank_of.items[location] == QUIPU_NONE) {
        uint32_t *slot = QUIPU__VEC_ADD(m->memory, &m->world);
        if (!slot)
            return UNDEFINED;
        *slot = location;
        m->rank_of.items[location] = (uint32_t)m->world.count - 1;
    }
    return m->rank_of.items[location];
}

/* Processes by their ranks, those without behind them. */
static bool make_world(model *m) {
    QUIPU__VEC(struct ranked) ranked = QUIPU__VEC_INIT;
    bool done = true;
    for (uint32_t i = 0; i < m->definitions->locations.count && done; i++) {
        const struct quipu_location *location = location_at(m, i);
        if (is_node(m, i) || owner_of(m, i) != i || location->kind == QUIPU_LOCATION_DEVICE)
            continue;
        struct ranked *slot = QUIPU__VEC_ADD(m->memory, &ranked);
        done = slot != NULL;
        if (slot)
            *slot = (struct ranked){location->rank, i};
    }
    done = done && quipu__sort(m->memory, ranked.items, ranked.count, sizeof *ranked.items, compare_ranked);
    for (size_t i = 0; i < ranked.count && done; i++)
        done = add_to_world(m, ranked.items[i].location) != UNDEFINED;
    QUIPU__VEC_RELEASE(m->memory, &ranked);
    return done;
}

/* Whether the numbers of the source tell all locations apart. */
static bool have_own_ids(model *m, bool *out) {
    struct quipu__map seen;
    bool done = true;
    quipu__map_init(&seen, m->memory);
    *out = true;
    for (uint32_t i = 0; i < m->definitions->locations.count && done && *out; i++) {
        const uint64_t id = location_at(m, i)->native_id;
        *out = is_node(m, i) || (id != QUIPU_UNKNOWN && quipu__map_get(&seen, id) == QUIPU_NONE);
        done = is_node(m, i) || quipu__map_put(&seen, id, i);
    }
    quipu__map_release(&seen);
    return done;
}

/* ---- Communicators ---- */

/* Both sides of an inter-communicator are one: the first of the two. */
static uint32_t first_side(const model *m, uint32_t number) {
    const struct quipu_group *group = &m->definitions->groups.items[number];
    for (uint32_t i = 0; group->remote_members && i < number; i++) {
        const struct quipu_group *other = &m->definitions->groups.items[i];
        if (other->remote_members && other->native_id == group->native_id &&
            other->member_count == group->remote_member_count &&
            other->remote_member_count == group->member_count &&
            (other->member_count == 0 ||
             memcmp(other->members, group->remote_members, other->member_count * sizeof *other->members) == 0))
            return i;
    }
    return number;
}

/* Communicators are numbered with that of all processes in front; their members have ranks among these. */
uint32_t quipu__otf2_use_comm(model *m, uint32_t group) {
    const uint32_t count = m->definitions->groups.count;
    const size_t before = m->comms.numbers.count;
    const uint32_t token = use(m, &m->comms, group < count ? first_side(m, group) + 1 : 0, count + 1);
    const struct quipu_group *used =
        m->comms.numbers.count > before && group < count ? &m->definitions->groups.items[group] : NULL;
    for (uint32_t i = 0; used && i < used->member_count; i++)
        add_to_world(m, used->members[i]);
    for (uint32_t i = 0; used && i < used->remote_member_count; i++)
        add_to_world(m, used->remote_members[i]);
    return token;
}

static uint64_t member_key(const model *m, uint32_t group, uint32_t location) {
    const uint32_t key[] = {group, location};
    return quipu__hash(key, sizeof key, m->members.seed);
}

static bool map_members(model *m, uint32_t number, const uint32_t *members, uint32_t count) {
    if (number >= m->group_is_mapped.count) {
        const size_t more = number + 1 - m->group_is_mapped.count;
        if (!QUIPU__VEC_RESERVE(m->memory, &m->group_is_mapped, more))
            return false;
        m->group_is_mapped.count += more;
    }
    for (uint32_t i = count; i-- > 0 && !m->group_is_mapped.items[number];)
        if (!quipu__map_put(&m->members, member_key(m, number, members[i]), i))
            return false;
    m->group_is_mapped.items[number] = true;
    return true;
}

/* Members of a group as messages name them by their ranks: those of the other side, where there is one. */
static const uint32_t *ranks_of(const model *m, const struct quipu_group *group, uint32_t *count) {
    if (!group) {
        *count = (uint32_t)m->world.count;
        return m->world.items;
    }
    *count = group->remote_members ? group->remote_member_count : group->member_count;
    return group->remote_members ? group->remote_members : group->members;
}

/* The rank of a location, or of the nearest one above it that has one, which is not the same; UNDEFINED. */
static uint32_t rank_in(model *m, uint32_t number, uint32_t location, struct made *made) {
    const struct quipu_group *group =
        number < m->definitions->groups.count ? &m->definitions->groups.items[number] : NULL;
    uint32_t count;
    const uint32_t *members = ranks_of(m, group, &count);
    for (unsigned level = 0; location < m->definitions->locations.count && level < LEVELS_MOST;
         location = location_at(m, location)->parent, level++) {
        made->is_cut |= level > 0;
        const uint32_t guess = location < m->rank_of.count ? m->rank_of.items[location] : QUIPU_NONE;
        if (guess < count && members[guess] == location)
            return guess;
        if (!group)
            continue;
        if (!map_members(m, number, members, count))
            return UNDEFINED;
        const uint32_t rank = quipu__map_get(&m->members, member_key(m, number, location));
        if (rank != QUIPU_NONE)
            return rank;
    }
    return UNDEFINED;
}

/* ---- Files ---- */

/* A handle is a definition, and so is each number that stands for another file. */
static uint32_t use_handle(model *m, uint32_t file, uint64_t number) {
    const uint64_t key[] = {file, number};
    const uint64_t hash = quipu__hash(key, sizeof key, m->handle_of.seed);
    const uint32_t known = quipu__map_get(&m->handle_of, hash);
    if (known != QUIPU_NONE)
        return known;
    struct handle *handle = QUIPU__VEC_ADD(m->memory, &m->handles);
    if (!handle || !quipu__map_put(&m->handle_of, hash, (uint32_t)m->handles.count - 1))
        return UNDEFINED;
    *handle = (struct handle){file, number};
    use(m, &m->files, file, m->definitions->files.count);
    return (uint32_t)m->handles.count - 1;
}

/* ==== Fields of records ==== */

static uint32_t collective_of(uint32_t operation, struct made *made) {
    static const uint8_t operations[QUIPU_COLLECTIVE_COUNT] = {
        [QUIPU_COLLECTIVE_OTHER] = 17,          [QUIPU_COLLECTIVE_BARRIER] = 0,
        [QUIPU_COLLECTIVE_BCAST] = 1,           [QUIPU_COLLECTIVE_GATHER] = 2,
        [QUIPU_COLLECTIVE_GATHERV] = 3,         [QUIPU_COLLECTIVE_SCATTER] = 4,
        [QUIPU_COLLECTIVE_SCATTERV] = 5,        [QUIPU_COLLECTIVE_ALLGATHER] = 6,
        [QUIPU_COLLECTIVE_ALLGATHERV] = 7,      [QUIPU_COLLECTIVE_ALLTOALL] = 8,
        [QUIPU_COLLECTIVE_ALLTOALLV] = 9,       [QUIPU_COLLECTIVE_ALLTOALLW] = 10,
        [QUIPU_COLLECTIVE_ALLREDUCE] = 11,      [QUIPU_COLLECTIVE_REDUCE] = 12,
        [QUIPU_COLLECTIVE_REDUCE_SCATTER] = 13, [QUIPU_COLLECTIVE_SCAN] = 14,
        [QUIPU_COLLECTIVE_EXSCAN] = 15,         [QUIPU_COLLECTIVE_ONE_TO_ALL] = 1,
        [QUIPU_COLLECTIVE_ALL_TO_ONE] = 2,      [QUIPU_COLLECTIVE_ALL_TO_ALL] = 8};
    made->is_cut |= operation >= QUIPU_COLLECTIVE_ONE_TO_ALL;
    return operation < QUIPU_COLLECTIVE_COUNT ? operations[operation] : 17;
}

/* What a column becomes in the file: the reverse of meaning_of in to_model.c. */
static uint64_t value_of(model *m, const struct quipu_event *event, const struct quipu__otf2_column *column,
                         struct made *made) {
    const uint64_t value = (uint64_t)quipu_event_get(event, (enum quipu_column)column->column);
    uint32_t token = UNDEFINED;
    switch ((enum quipu__otf2_meaning)column->meaning) {
    case QUIPU__OTF2_IS_number:
        return value; /* what is not known is undefined in the file */
    case QUIPU__OTF2_IS_region:
    case QUIPU__OTF2_IS_context:
        token = quipu__otf2_use_region(m, event->object);
        break;
    case QUIPU__OTF2_IS_comm:
        token = quipu__otf2_use_comm(m, event->group);
        break;
    case QUIPU__OTF2_IS_window:
        quipu__otf2_use_comm(m, event->group);
        token = use(m, &m->windows, event->group + 1, m->definitions->groups.count + 1);
        break;
    case QUIPU__OTF2_IS_peer:
        token = rank_in(m, event->group, event->peer, made);
        if (event->kind == QUIPU_KIND_collective_end && event->peer == QUIPU_NONE)
            return token; /* there is no root */
        break;
    case QUIPU__OTF2_IS_handle_file:
        token = use_handle(m, event->object,
                           event->kind == QUIPU_KIND_io_open || event->kind == QUIPU_KIND_io_close
                               ? event->id
                               : (uint64_t)event->tag);
        break;
    case QUIPU__OTF2_IS_io_file:
        token = use(m, &m->files, event->object, m->definitions->files.count);
        break;
    case QUIPU__OTF2_IS_marker:
        token = use(m, &m->markers, event->object, m->definitions->markers.count);
        break;
    case QUIPU__OTF2_IS_collective:
        return collective_of(event->operation, made);
    case QUIPU__OTF2_IS_io_operation:
        return event->operation == QUIPU_IO_READ ? 0 : 1 + (event->operation != QUIPU_IO_WRITE);
    }
    made->is_impossible |= token == UNDEFINED;
    return token;
}

/* ---- Attributes ---- */

static bool label_value(const struct quipu_domain *domain, const struct quipu_value *value, int64_t *out) {
    for (size_t i = 0; i < domain->label_count; i++)
        if (strlen(domain->labels[i].text) == value->size &&
            memcmp(domain->labels[i].text, value->data, value->size) == 0) {
            *out = domain->labels[i].value;
            return true;
        }
    return false;
}

/* Fields that are attributes in the model; others of them are 0. */
static void fill_attributes(model *m, const struct quipu_event *event, struct made *made) {
    const struct quipu_record_type *type = &quipu__otf2_types[made->type];
    for (uint32_t i = 0; i < type->field_count && event->attribute_count > 0; i++) {
        const struct quipu_field *field = &type->fields[i];
        if (!quipu__otf2_is_attribute(made->type, i))
            continue;
        for (uint32_t k = 0; k < event->attribute_count && k < 64; k++) {
            const struct quipu_value *value = &event->attributes[k].value;
            int64_t number = value->i;
            if (value->key >= m->definitions->attribute_keys.count ||
                strcmp(m->definitions->attribute_keys.items[value->key].name, field->name) != 0 ||
                (value->type >= QUIPU_VALUE_BYTES && !label_value(field->domain, value, &number)))
                continue;
            quipu__store_i64(field, &made->data, number);
            made->used |= UINT64_C(1) << k;
        }
    }
}

/* A value of the record; texts are numbers of strings. */
static struct quipu_value stored_value(model *m, const struct quipu_value *value, bool *is_cut) {
    struct quipu_value made = *value;
    made.size = 0;
    if (value->key == QUIPU_KEY_SOURCE)
        return quipu__otf2_store_source(m, (uint32_t)value->u);
    if (value->type >= QUIPU_VALUE_BYTES) {
        *is_cut |= !is_utf8(value->data, value->size);
        made = (struct quipu_value){.type = QUIPU_VALUE_U32, .size = QUIPU__OTF2_STRING_REF};
        made.u = quipu__otf2_intern(m, value->data, value->size);
    }
    return made;
}

/* Keys are numbered with those that are built in in front, text and source, and each with a type: values have that of their key. */
static uint32_t use_key(model *m, uint32_t key, uint32_t type) {
    const uint32_t count = m->definitions->attribute_keys.count + BUILT_IN_KEYS;
    const uint32_t built_in = key == QUIPU_KEY_TEXT ? 0 : 1;
    const uint32_t number = key >= QUIPU_KEY_TEXT ? built_in : key + BUILT_IN_KEYS;
    return use(m, &m->keys, number < count ? number * VALUE_TYPES + type : UNDEFINED, count * VALUE_TYPES);
}

const struct quipu_value *quipu__otf2_attributes_of(model *m, const struct quipu_event *event,
                                                    struct made *made) {
    struct quipu_value *list = quipu__scratch_sized(&m->scratch, event->attribute_count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < event->attribute_count; i++) {
        if (i < 64 && (made->used >> i & 1) != 0)
            continue;
        list[count] = stored_value(m, &event->attributes[i].value, &made->is_cut);
        list[count].key = use_key(m, event->attributes[i].value.key, quipu__otf2_type_of_value(&list[count]));
        count++;
    }
    if (list)
        ((struct quipu_sized *)(void *)list)[-1].count = count;
    return count > 0 ? list : NULL;
}

/* The event's text, and that it is a field of the record. */
const struct quipu_value *quipu__otf2_take_text(const struct quipu_event *event, struct made *made) {
    for (uint32_t i = 0; i < event->attribute_count && i < 64; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT) {
            made->used |= UINT64_C(1) << i;
            return &event->attributes[i].value;
        }
    return NULL;
}

/* ---- One record ---- */

/* Fills a record by its row. */
void quipu__otf2_fill(model *m, const struct quipu_event *event, enum quipu__otf2_type type,
                      struct made *made) {
    made->type = type;
    memset(&made->data, 0, quipu__otf2_types[type].size);
    const struct quipu__otf2_column *column = quipu__otf2_rows[type].columns;
    for (uint8_t last = QUIPU__OTF2_FIELDS_MOST; column->field < QUIPU__OTF2_FIELDS_MOST; column++) {
        if (column->field != last) /* a handle is in two columns, first as what it stands for */
            quipu__store_i64(&quipu__otf2_types[type].fields[column->field], &made->data,
                             (int64_t)value_of(m, event, column, made));
        last = column->field;
    }
    fill_attributes(m, event, made);
}

bool quipu__otf2_begin_numbers(model *m) {
    for (uint32_t i = 0; i < m->definitions->groups.count && m->comms.numbers.count == 0; i++)
        if (m->definitions->groups.items[i].remote_members)
            quipu__otf2_use_comm(m, QUIPU_NONE); /* what both sides have in common comes first */
    return make_world(m) && have_own_ids(m, &m->has_native_ids) && quipu__otf2_intern(m, "", 0) == 0;
}
