/* from_model.c: events become records, by the rows of mapping.def read backwards, and definitions at the end, first those of what events have used. What
 * cannot be said is counted as dropped. */
#include "formats/otf2/from_model.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"
#include "core/text.h"
#include "formats/otf2/mapping.h"
#include "model/event.h"

#include <stdio.h>
#include <string.h>

/* ==== What columns and attributes of events are in records ====
 *
 * Definitions are numbered in the order in which they are used first, from 0, as readers of OTF2 expect. Ranks of messages are those in their
 * communicator; events that name none are in one that holds all processes. */

/* Regions are numbered with that of calls of which it is not known in front. */
static uint32_t use_region(model *m, uint32_t number) {
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

/* A text as UTF-8: what is none, as \xNN, which lives as long as the model. */
static const char *utf8(model *m, const char *text, size_t *len) {
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
    text = utf8(m, text, &len);
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
static uint32_t use_comm(model *m, uint32_t group) {
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
        token = use_region(m, event->object);
        break;
    case QUIPU__OTF2_IS_comm:
        token = use_comm(m, event->group);
        break;
    case QUIPU__OTF2_IS_window:
        use_comm(m, event->group);
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

/* The attributes that are no fields of the record; NULL: none. */
static const struct quipu_value *attributes_of(model *m, const struct quipu_event *event, struct made *made) {
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
        if (column->field != last) { /* a handle is in two columns, first as what it stands for */
            const struct quipu_field *field = &quipu__otf2_types[type].fields[column->field];
            quipu__store_bits(quipu__member(field, &made->data), field->storage == QUIPU_STORE_U32 ? 4 : 8,
                              value_of(m, event, column, made));
        }
        last = column->field;
    }
    fill_attributes(m, event, made);
}

/* Numbers that are there before any event; false when memory is out. */
static bool begin_numbers(model *m) {
    for (uint32_t i = 0; i < m->definitions->groups.count && m->comms.numbers.count == 0; i++)
        if (m->definitions->groups.items[i].remote_members)
            use_comm(m, QUIPU_NONE); /* what both sides have in common comes first */
    return make_world(m) && have_own_ids(m, &m->has_native_ids) && quipu__otf2_intern(m, "", 0) == 0;
}

enum { MANY_LOCATIONS = 256 }; /* from here on chunks are small, since readers hold one of each location */

static enum quipu_status find_track(model *m, uint32_t location, struct track **out, struct quipu_error *err) {
    const size_t more = m->definitions->locations.count - m->tracks.count;
    if (location >= m->tracks.count) {
        if (!QUIPU__VEC_RESERVE(m->memory, &m->tracks, more))
            return quipu__no_memory(err, more * sizeof *m->tracks.items);
        m->tracks.count += more;
    }
    *out = m->tracks.items[location];
    if (*out)
        return QUIPU_OK;
    struct track *track = m->tracks.items[location] = quipu__arena_alloc(&m->arena, sizeof *track);
    if (!track)
        return quipu__no_memory(err, sizeof *track);
    memset(track, 0, sizeof *track);
    track->location = location;
    track->last = INT64_MIN;
    *out = track;
    return quipu__otf2_begin_file(m->writer, &track->out, QUIPU__OTF2_GROUP_EVENT, id_of(m, location), err);
}

static enum quipu_status put(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                             struct made *made, struct quipu_error *err) {
    const struct quipu_record_type *type = &quipu__otf2_types[made->type];
    if (made->is_impossible) {
        m->writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    made->data.ENTER.location = id_of(m, track->location);
    made->data.ENTER.timestamp = time;
    if (event->attribute_count > 0)
        *(const struct quipu_value **)quipu__member(&type->fields[type->field_count - 1], &made->data) =
            attributes_of(m, event, made);
    m->writer->output->approximated[event->kind] += made->is_cut;
    return quipu__otf2_put_record(m->writer, &track->out, made->type, &made->data, err);
}

/* ---- Calls ---- */

/* The region that is entered or left; a leave may not say which. */
static uint32_t region_of_call(model *m, struct track *track, bool is_enter, uint32_t number) {
    const bool has_room = track->calls.count < track->calls.capacity;
    if (is_enter && (QUIPU__LIKELY(has_room) || QUIPU__VEC_RESERVE(m->memory, &track->calls, 1)))
        track->calls.items[track->calls.count++] = number;
    if (!is_enter && track->calls.count > 0) {
        const uint32_t entered = track->calls.items[--track->calls.count];
        number = number == QUIPU_NONE ? entered : number;
    }
    const bool is_used = (size_t)number + 1 < m->regions.tokens.count;
    const uint32_t token = is_used ? m->regions.tokens.items[number + 1] : 0;
    return QUIPU__LIKELY(token > 0) ? token - 1 : use_region(m, number);
}

static enum quipu_status put_call(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                                  struct quipu_error *err) {
    const bool is_enter = event->kind == QUIPU_KIND_enter;
    const uint32_t region = region_of_call(m, track, is_enter, event->object);
    struct made made = {.type = is_enter ? QUIPU__OTF2_TYPE_ENTER : QUIPU__OTF2_TYPE_LEAVE,
                        .is_impossible = region == UNDEFINED};
    made.data.ENTER.region = region; /* LEAVE is alike */
    made.data.ENTER.attributes = NULL;
    return put(m, track, event, time, &made, err);
}

/* ---- Markers ---- */

static enum quipu_status put_marker(model *m, const struct quipu_event *event, uint64_t time,
                                    struct quipu_error *err) {
    struct quipu__otf2_writer *writer = m->writer;
    struct made made = {.type = QUIPU__OTF2_TYPE_MARKER};
    const struct quipu_value *text = quipu__otf2_take_text(event, &made);
    const uint32_t before = (uint32_t)m->markers.numbers.count;
    const uint32_t marker = use(m, &m->markers, event->object, m->definitions->markers.count);
    enum quipu_status status = QUIPU_OK;
    if (marker == UNDEFINED) {
        writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    if (!writer->markers.file)
        status = quipu__otf2_begin_file(writer, &writer->markers, QUIPU__OTF2_GROUP_MARKER, QUIPU_UNKNOWN, err);
    if (status == QUIPU_OK && marker == before) {
        static const uint8_t severities[] = {0, 3, 2, 1}; /* unknown, error, warning, hint */
        const struct quipu_marker *type = &m->definitions->markers.items[event->object];
        const struct quipu__otf2_DEF_MARKER definition = {
            marker, quipu__scratch_text(&m->scratch, "", 0),
            quipu__scratch_text(&m->scratch, type->name, strlen(type->name)),
            severities[type->severity < 4 ? type->severity : 0]};
        status =
            quipu__otf2_put_record(writer, &writer->markers, QUIPU__OTF2_TYPE_DEF_MARKER, &definition, err);
    }
    if (status != QUIPU_OK)
        return status;
    size_t len = text ? text->size : 0;
    const char *shown = text ? utf8(m, text->data, &len) : "";
    made.data.MARKER = (struct quipu__otf2_MARKER){.timestamp = time,
                                                   .marker = marker,
                                                   .scope = 1, /* a location */
                                                   .scope_reference = id_of(m, event->location),
                                                   .text = quipu__scratch_text(&m->scratch, shown, len)};
    return quipu__otf2_put_record(writer, &writer->markers, QUIPU__OTF2_TYPE_MARKER, &made.data, err);
}

/* ---- One event ---- */

/* Recording goes on after a gap. */
static enum quipu_status switch_on(model *m, struct track *track, struct quipu_error *err) {
    const struct quipu__otf2_MEASUREMENT_ON_OFF record = {id_of(m, track->location), track->on_again, 1, NULL};
    track->is_off = false;
    return quipu__otf2_put_record(m->writer, &track->out, QUIPU__OTF2_TYPE_MEASUREMENT_ON_OFF, &record, err);
}

static bool is_on_again(const struct quipu_event *event) {
    return event->kind == QUIPU_KIND_gap && event->value == 0;
}

/* Times before 0 cannot be written: where the first one is before it, all are moved so far that such times have room. */
static void make_room_before(model *m, int64_t time) {
    if (!m->has_times && time < -m->origin)
        for (m->origin = 1 << 20; - (m->origin / 4) > time && m->origin < INT64_MAX / 4;)
            m->origin *= 2;
    m->has_times = true;
}

static enum quipu_status drop(const model *m, uint8_t kind) {
    m->writer->output->dropped[kind]++;
    return QUIPU_OK;
}

/* The time of an event in the file. */
static inline uint64_t set_time(model *m, int64_t time) {
    const uint64_t out = (uint64_t)(time + m->origin) * (uint64_t)m->scale;
    m->last = out > m->last ? out : m->last;
    m->first = time < m->first ? time : m->first;
    return out;
}

static bool is_sayable(const model *m, int64_t time) {
    return time >= -m->origin && time <= m->ticks_most - m->origin;
}

/* A time before the last one of its location gets that, and one that cannot be said: times of a file of events do not go back, and without one a call
 * would have no other side. Markers have their own file. */
static int64_t keep_order(const model *m, struct track *track, const struct quipu_event *event) {
    if (event->kind == QUIPU_KIND_marker)
        return event->time;
    const int64_t earliest = track->last > -m->origin ? track->last : -m->origin;
    if (event->time >= earliest && is_sayable(m, event->time))
        return track->last = event->time;
    m->writer->output->approximated[event->kind]++;
    return track->last = earliest;
}

/* Where an event is put, and its time in the file; *track NULL when that cannot be written. */
static enum quipu_status begin_event(model *m, const struct quipu_event *event, struct track **track,
                                     uint64_t *out, struct quipu_error *err) {
    *track = NULL;
    make_room_before(m, event->time);
    if (event->location >= m->definitions->locations.count ||
        (event->kind == QUIPU_KIND_marker && !is_sayable(m, event->time)))
        return QUIPU_OK;
    const enum quipu_status status = find_track(m, event->location, track, err);
    if (status != QUIPU_OK)
        return status;
    *out = set_time(m, keep_order(m, *track, event));
    return (*track)->is_off && !is_on_again(event) && (*track)->on_again <= *out ? switch_on(m, *track, err)
                                                                                 : QUIPU_OK;
}

static enum quipu_status put_event(model *m, const struct quipu_event *event, struct quipu_error *err) {
    const bool is_call = event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave;
    struct track *track = NULL;
    uint64_t time = 0;
    if (!quipu__otf2_makers[event->kind] && !is_call && event->kind != QUIPU_KIND_marker)
        return drop(m, event->kind);
    const enum quipu_status status = begin_event(m, event, &track, &time, err);
    if (status != QUIPU_OK || !track)
        return status != QUIPU_OK ? status : drop(m, event->kind);
    quipu__scratch_reset(&m->scratch);
    if (is_call)
        return put_call(m, track, event, time, err);
    if (event->kind == QUIPU_KIND_marker)
        return put_marker(m, event, time, err);
    struct made made;
    memset(&made, 0, sizeof made);
    quipu__otf2_makers[event->kind](m, track, event, time, &made);
    return made.type == QUIPU__OTF2_TYPE_COUNT ? QUIPU_OK : put(m, track, event, time, &made, err);
}

/* Puts calls without attributes from the columns of the batch, from *next on, which moves: as many as need no look at anything but these. They are
 * of one location and of regions that have been used; they have room, and times that fit the file and do not go back. */
QUIPU__LOOP enum quipu_status put_known_calls(model *m, const struct quipu_batch *batch, uint32_t *next,
                                              uint32_t end, struct quipu_error *err) {
    const uint8_t *const kinds = batch->kind;
    const uint32_t *const objects = batch->object, *const locations = batch->location,
                          *const tokens = m->regions.tokens.items;
    const int64_t *const times = batch->time, most = m->ticks_most - m->origin;
    const uint64_t origin = (uint64_t)m->origin, scale = (uint64_t)m->scale;
    const size_t token_count = m->regions.tokens.count;
    const uint32_t first = *next, location = locations[first];
    struct track *const track = location < m->tracks.count ? m->tracks.items[location] : NULL;
    if (!track || track->is_off)
        return QUIPU_OK;
    struct quipu__otf2_calls put = quipu__otf2_begin_calls(m->writer, &track->out, end - first, err);
    const size_t capacity = track->calls.capacity;
    uint32_t *const calls = track->calls.items, i = first;
    size_t depth = track->calls.count;
    uint64_t last = m->last;
    int64_t least = track->last > m->first ? track->last : m->first;
    for (const uint32_t fit = first + put.fit; i < fit; i++) {
        const bool is_enter = kinds[i] == QUIPU_KIND_enter, is_known = is_enter || objects[i] != QUIPU_NONE;
        if ((!is_enter && kinds[i] != QUIPU_KIND_leave) || locations[i] != location || times[i] < least ||
            times[i] > most || (is_enter && depth == capacity) || (!is_known && depth == 0))
            break;
        const size_t region = is_known ? objects[i] : calls[depth - 1], number = region + 1;
        const uint32_t token = number < token_count ? tokens[number] : 0;
        if (token == 0)
            break;
        if (is_enter)
            calls[depth++] = (uint32_t)region;
        else
            depth -= depth > 0;
        const uint64_t time = ((uint64_t)times[i] + origin) * scale;
        last = time > last ? time : last;
        least = times[i];
        quipu__otf2_store_call(&put, is_enter, time, token - 1);
    }
    *next = i;
    m->last = last;
    track->last = i > first ? least : track->last;
    track->calls.count = depth;
    quipu__otf2_end_calls(m->writer, &track->out, &put, i - first);
    return put.status;
}

static enum quipu_status begin_model(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    model *m = writer->model = quipu__alloc_zero(writer->memory, sizeof *m);
    if (!m)
        return quipu__no_memory(err, sizeof *m);
    m->writer = writer;
    m->memory = writer->memory;
    m->definitions = writer->output->definitions;
    m->scale = m->definitions->clock.per_seconds > 1 ? (int64_t)m->definitions->clock.per_seconds : 1;
    m->ticks_most = INT64_MAX / m->scale;
    m->origin = m->definitions->clock.origin > 0 ? m->definitions->clock.origin : 0;
    quipu__scratch_init(&m->scratch, m->memory);
    quipu__arena_init(&m->arena, m->memory);
    quipu__map_init(&m->string_of, m->memory);
    quipu__map_init(&m->handle_of, m->memory);
    quipu__map_init(&m->members, m->memory);
    if (m->definitions->locations.count > MANY_LOCATIONS)
        writer->event_chunk = QUIPU__OTF2_SMALL_CHUNK;
    return begin_numbers(m) ? QUIPU_OK : quipu__no_memory(err, sizeof *m);
}

static enum quipu_status put_batch(struct quipu__otf2_writer *writer, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    uint32_t cursor = 0;
    struct quipu_event event;
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK;) {
        const bool is_call = batch->kind[i] == QUIPU_KIND_enter || batch->kind[i] == QUIPU_KIND_leave;
        const uint32_t first = i;
        while (cursor < batch->attribute_count && batch->attributes[cursor].event < i)
            cursor++;
        const uint32_t next_with_attributes =
            cursor < batch->attribute_count ? batch->attributes[cursor].event : batch->count;
        if (is_call && i < next_with_attributes)
            status = put_known_calls(writer->model, batch, &i, next_with_attributes, err);
        if (status != QUIPU_OK || i > first)
            continue;
        writer->model->batch = batch;
        writer->model->event = i;
        quipu__batch_event(batch, i++, &cursor, &event);
        status = put_event(writer->model, &event, err);
    }
    return status;
}

/* ---- The whole ---- */

/* What no event has used comes last. */
static void use_the_rest(model *m) {
    const struct quipu_definitions *definitions = m->definitions;
    for (uint32_t i = 0; i < definitions->regions.count; i++)
        (void)use_region(m, i);
    for (uint32_t i = 0; i < definitions->groups.count; i++)
        (void)use_comm(m, i);
    for (uint32_t i = 0; i < definitions->metrics.count; i++)
        (void)use(m, &m->metrics, i, definitions->metrics.count);
}

/* What has begun and does not end is lost where the end would have said it. */
static void end_events(struct quipu__otf2_writer *writer) {
    for (size_t i = 0; writer->model && i < writer->model->tracks.count; i++) {
        const struct track *track = writer->model->tracks.items[i];
        for (size_t k = 0; track && k < track->operations.count; k++) {
            const struct open_operation *it = &track->operations.items[k];
            writer->output->approximated[QUIPU_KIND_collective_begin] +=
                it->is_said_at_end && quipu__says_collective(it->operation, it->group);
        }
    }
}

static enum quipu_status complete(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    for (size_t i = 0; status == QUIPU_OK && i < writer->model->tracks.count; i++) {
        struct track *track = writer->model->tracks.items[i];
        if (track && track->is_off)
            status = switch_on(writer->model, track, err);
    }
    if (status != QUIPU_OK)
        return status;
    use_the_rest(writer->model);
    return quipu__otf2_put_definitions(writer->model, err);
}

static void release_numbering(model *m, struct numbering *numbering) {
    QUIPU__VEC_RELEASE(m->memory, &numbering->tokens);
    QUIPU__VEC_RELEASE(m->memory, &numbering->numbers);
}

static void release(struct quipu__otf2_writer *writer) {
    model *m = writer->model;
    struct numbering *const numberings[] = {&m->regions, &m->comms, &m->windows, &m->files,   &m->metrics,
                                            &m->markers, &m->keys,  &m->sources, &m->contexts};
    for (size_t i = 0; i < m->tracks.count; i++)
        if (m->tracks.items[i]) {
            QUIPU__VEC_RELEASE(m->memory, &m->tracks.items[i]->calls);
            QUIPU__VEC_RELEASE(m->memory, &m->tracks.items[i]->operations);
        }
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++)
        release_numbering(m, numberings[i]);
    QUIPU__VEC_RELEASE(m->memory, &m->tracks);
    QUIPU__VEC_RELEASE(m->memory, &m->strings);
    QUIPU__VEC_RELEASE(m->memory, &m->handles);
    QUIPU__VEC_RELEASE(m->memory, &m->world);
    QUIPU__VEC_RELEASE(m->memory, &m->rank_of);
    QUIPU__VEC_RELEASE(m->memory, &m->group_is_mapped);
    QUIPU__VEC_RELEASE(m->memory, &m->operation_of);
    quipu__map_release(&m->string_of);
    quipu__map_release(&m->handle_of);
    quipu__map_release(&m->members);
    quipu__scratch_release(&m->scratch);
    quipu__arena_release(&m->arena);
    quipu__release(m->memory, m, sizeof *m);
    writer->model = NULL;
}

/* clang-format off */
#define C(name) QUIPU__COLUMN(name)
static const struct quipu__kind_capability kinds_written[] = {
    {QUIPU_KIND_enter, C(object)},
    {QUIPU_KIND_leave, C(object)},
    {QUIPU_KIND_send, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_recv, C(peer) | C(group) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_send_complete, C(id)},
    {QUIPU_KIND_recv_post, C(id)},
    {QUIPU_KIND_cancel, C(id)},
    {QUIPU_KIND_collective_begin, C(id)},
    {QUIPU_KIND_collective_end, C(operation) | C(peer) | C(group) | C(bytes) | C(value) | C(id)},
    {QUIPU_KIND_rma_begin, C(operation) | C(peer) | C(group) | C(bytes)},
    {QUIPU_KIND_rma_end, C(operation) | C(peer) | C(group) | C(bytes)},
    {QUIPU_KIND_io_open, C(object) | C(id) | C(operation)},
    {QUIPU_KIND_io_close, C(object) | C(id)},
    {QUIPU_KIND_io_begin, C(object) | C(operation) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_io_end, C(object) | C(operation) | C(tag) | C(bytes) | C(id)},
    {QUIPU_KIND_io_unlink, C(object)},
    {QUIPU_KIND_task_create, C(id)},
    {QUIPU_KIND_task_begin, C(id)},
    {QUIPU_KIND_task_pause, C(id)},
    {QUIPU_KIND_task_resume, C(id)},
    {QUIPU_KIND_task_end, C(id)},
    {QUIPU_KIND_location_begin, 0},
    {QUIPU_KIND_location_end, 0},
    {QUIPU_KIND_fork, 0},
    {QUIPU_KIND_join, 0},
    {QUIPU_KIND_metric, C(object) | C(value)},
    {QUIPU_KIND_marker, C(object) | C(value)},
    {QUIPU_KIND_note, C(value)},
    {QUIPU_KIND_gap, C(operation) | C(value)},
};
#undef C
/* clang-format on */

const struct quipu__otf2_modelling quipu__otf2_modelling = {
    .capabilities = {.kinds = kinds_written,
                     .kind_count = sizeof kinds_written / sizeof *kinds_written,
                     .definitions =
                         ~(QUIPU__DEFINES(channels) | QUIPU__DEFINES(task_types) |
                           QUIPU__DEFINES_FIELD(files, group) | QUIPU__DEFINES_FIELD(metrics, group)),
                     .attributes = true},
    .put_batch = put_batch,
    .end_events = end_events,
    .complete = complete,
    .release = release};
