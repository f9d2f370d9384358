/* from_model.c: events become records, by the rows of mapping.def read backwards, and definitions at the end those of what events have used.
 *
 * Definitions are numbered in the order in which they are used first, from 0, as readers of OTF2 expect. Ranks of messages are those in their
 * communicator; events that name none are in one that holds all processes. What cannot be said is counted as dropped. */
#include "formats/otf2/from_model.h"
#include "formats/otf2/mapping.h"

#include "core/bounded.h"
#include "core/error.h"
#include "core/memory/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MANY_LOCATIONS = 256 }; /* from here on chunks are small, since readers hold one of each location */

/* Regions are numbered with that of calls of which it is not known in front. */
static uint32_t use_region(model *m, uint32_t number) {
    const uint32_t count = m->definitions->regions.count;
    return use(m, &m->regions, number < count ? number + 1 : 0, count + 1);
}

uint32_t quipu__otf2_intern(model *m, const char *text, size_t len) {
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
    *out = track;
    return quipu__otf2_begin_file(m->writer, &track->out, QUIPU__OTF2_GROUP_EVENT, id_of(m, location), err);
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

/* The rank of a location, or of the nearest one above it that has one; UNDEFINED. */
static uint32_t rank_in(model *m, uint32_t number, uint32_t location) {
    const struct quipu_group *group =
        number < m->definitions->groups.count ? &m->definitions->groups.items[number] : NULL;
    uint32_t count;
    const uint32_t *members = ranks_of(m, group, &count);
    for (unsigned level = 0; location < m->definitions->locations.count && level < LEVELS_MOST;
         location = location_at(m, location)->parent, level++) {
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

/* ---- Operations without a number of their own ---- */

static uint64_t begin_operation(model *m, struct track *track, uint64_t key, uint64_t id,
                                const struct quipu_event *event) {
    struct open_operation *operation = QUIPU__VEC_ADD(m->memory, &track->operations);
    if (id == QUIPU_UNKNOWN)
        id = ++track->next_id;
    if (operation)
        *operation = (struct open_operation){
            key, id, event->bytes, event->value, event->operation, event->peer, event->group};
    return id;
}

/* Of operations that are alike the first one ends first. False when none has active. */
static bool end_operation(struct track *track, uint64_t key, struct open_operation *out) {
    *out = (struct open_operation){.id = QUIPU_UNKNOWN};
    for (size_t i = 0; i < track->operations.count; i++) {
        struct open_operation *operation = &track->operations.items[i];
        if (operation->key != key)
            continue;
        *out = *operation;
        track->operations.count--;
        memmove(operation, operation + 1, (track->operations.count - i) * sizeof *operation);
        return true;
    }
    return false;
}

static uint64_t key_of(const model *m, const struct quipu_event *event, uint32_t object) {
    const uint64_t key[] = {object, event->peer, event->group, (uint64_t)event->tag};
    return quipu__hash(key, sizeof key, m->members.seed);
}

/* ==== Events as records ==== */

/* A record that an event becomes. */
struct made {
    enum quipu__otf2_type type;
    union quipu__otf2_any data;
    uint64_t used; /* attributes that are fields of it, as bits */
    bool is_cut;   /* a value is not known or another one */
    bool is_impossible;
};

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
        token = rank_in(m, event->group, event->peer);
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
static struct quipu_value stored_value(model *m, const struct quipu_value *value) {
    struct quipu_value made = *value;
    made.size = 0;
    if (value->key == QUIPU_KEY_SOURCE) {
        char text[300];
        const uint32_t number = (uint32_t)value->u;
        const bool is_known = number < m->definitions->sources.count;
        const struct quipu_source *source = is_known ? &m->definitions->sources.items[number] : NULL;
        snprintf(text, sizeof text, "%s:%u", is_known ? source->file : "", is_known ? source->line : 0u);
        made = (struct quipu_value){.type = QUIPU_VALUE_U32, .size = QUIPU__OTF2_STRING_REF};
        made.u = quipu__otf2_intern(m, text, strlen(text));
    } else if (value->type >= QUIPU_VALUE_BYTES) {
        made = (struct quipu_value){.type = QUIPU_VALUE_U32, .size = QUIPU__OTF2_STRING_REF};
        made.u = quipu__otf2_intern(m, value->data, value->size);
    }
    return made;
}

/* Keys are numbered with those that are built in in front: text and source. */
static uint32_t use_key(model *m, uint32_t key, bool is_text) {
    enum { BUILT_IN = 2 };
    const uint32_t count = m->definitions->attribute_keys.count + BUILT_IN;
    const uint32_t built_in = key == QUIPU_KEY_TEXT ? 0 : 1;
    const uint32_t token = use(m, &m->keys, key >= QUIPU_KEY_TEXT ? built_in : key + BUILT_IN, count);
    if (token >= m->key_is_text.count && token != UNDEFINED &&
        !QUIPU__VEC_RESERVE(m->memory, &m->key_is_text, 1))
        return UNDEFINED;
    m->key_is_text.count += token != UNDEFINED && token >= m->key_is_text.count;
    if (is_text && token != UNDEFINED)
        m->key_is_text.items[token] = true;
    return token;
}

static const struct quipu_value *stored_attributes(model *m, const struct quipu_event *event,
                                                   const struct made *made) {
    struct quipu_value *list = quipu__scratch_sized(&m->scratch, event->attribute_count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < event->attribute_count; i++) {
        if (i < 64 && (made->used >> i & 1) != 0)
            continue;
        list[count] = stored_value(m, &event->attributes[i].value);
        list[count].key =
            use_key(m, event->attributes[i].value.key, list[count].size == QUIPU__OTF2_STRING_REF);
        count++;
    }
    if (list)
        ((struct quipu_sized *)(void *)list)[-1].count = count;
    return count > 0 ? list : NULL;
}

/* The event's text, and that it is a field of the record. */
static const struct quipu_value *take_text(const struct quipu_event *event, struct made *made) {
    for (uint32_t i = 0; i < event->attribute_count && i < 64; i++)
        if (event->attributes[i].value.key == QUIPU_KEY_TEXT) {
            made->used |= UINT64_C(1) << i;
            return &event->attributes[i].value;
        }
    return NULL;
}

/* ---- One record ---- */

/* Fills a record by its row. */
static void fill(model *m, const struct quipu_event *event, enum quipu__otf2_type type, struct made *made) {
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

static enum quipu_status put(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                             struct made *made, struct quipu_error *err) {
    const struct quipu_record_type *type = &quipu__otf2_types[made->type];
    if (made->is_impossible) {
        m->writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    m->writer->output->approximated[event->kind] += made->is_cut;
    made->data.ENTER.location = id_of(m, track->location);
    made->data.ENTER.timestamp = time;
    if (event->attribute_count > 0)
        *(const struct quipu_value **)quipu__member(&type->fields[type->field_count - 1], &made->data) =
            stored_attributes(m, event, made);
    return quipu__otf2_put_record(m->writer, &track->out, made->type, &made->data, err);
}

/* ---- What rows do not say, kind by kind ---- */

typedef void make_fn(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made);

static bool has_request(const struct quipu_event *event) {
    return event->id != QUIPU_UNKNOWN;
}

static void make_message(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                         struct made *made) {
    static const enum quipu__otf2_type types[2][2] = {{QUIPU__OTF2_TYPE_MPI_SEND, QUIPU__OTF2_TYPE_MPI_ISEND},
                                                      {QUIPU__OTF2_TYPE_MPI_RECV, QUIPU__OTF2_TYPE_MPI_IRECV}};
    (void)track, (void)time;
    fill(m, event, types[event->kind == QUIPU_KIND_recv][has_request(event)], made);
}

static void make_request(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                         struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_KIND_COUNT] = {
        [QUIPU_KIND_send_complete] = QUIPU__OTF2_TYPE_MPI_ISEND_COMPLETE,
        [QUIPU_KIND_recv_post] = QUIPU__OTF2_TYPE_MPI_IRECV_REQUEST,
        [QUIPU_KIND_cancel] = QUIPU__OTF2_TYPE_MPI_REQUEST_CANCELLED};
    (void)track, (void)time;
    fill(m, event, types[event->kind], made);
    made->is_impossible |= !has_request(event);
}

/* Those of regions with such names do not block. */
static bool is_immediate(const model *m, const struct quipu_event *event) {
    const struct quipu_regions *regions = &m->definitions->regions;
    return has_request(event) && event->object < regions->count &&
           strncmp(regions->items[event->object].name, "MPI_I", 5) == 0;
}

/* The record of the end says what either end says. */
static void fill_collective(model *m, struct track *track, const struct quipu_event *end, struct made *made) {
    struct quipu_event event = *end;
    struct open_operation active;
    const bool is_nonblocking = has_request(end) && end_operation(track, ~end->id, &active);
    if (is_nonblocking || end_operation(track, end->object, &active)) {
        event.bytes = event.bytes == QUIPU_UNKNOWN ? active.bytes : event.bytes;
        event.value = event.value == QUIPU_UNKNOWN ? active.value : event.value;
        event.peer = event.peer == QUIPU_NONE ? active.peer : event.peer;
        event.group = event.group == QUIPU_NONE ? active.group : event.group;
        event.operation = event.operation >= QUIPU_COLLECTIVE_COUNT ? active.operation : event.operation;
    }
    fill(m, &event,
         is_nonblocking ? QUIPU__OTF2_TYPE_NON_BLOCKING_COLLECTIVE_COMPLETE
                        : QUIPU__OTF2_TYPE_MPI_COLLECTIVE_END,
         made);
}

static void make_collective(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                            struct made *made) {
    const bool begins = event->kind == QUIPU_KIND_collective_begin, waits = !is_immediate(m, event);
    (void)time;
    if (!begins)
        fill_collective(m, track, event, made);
    else if (waits)
        made->type = QUIPU__OTF2_TYPE_MPI_COLLECTIVE_BEGIN;
    else
        fill(m, event, QUIPU__OTF2_TYPE_NON_BLOCKING_COLLECTIVE_REQUEST, made);
    if (begins)
        begin_operation(m, track, waits ? event->object : ~event->id, 0, event);
    if (event->object >= m->definitions->regions.count || event->operation >= QUIPU_COLLECTIVE_COUNT)
        return;
    if (event->object >= m->operation_of.count) {
        const size_t more = event->object + 1 - m->operation_of.count;
        if (!QUIPU__VEC_RESERVE(m->memory, &m->operation_of, more))
            return;
        m->operation_of.count += more;
    }
    m->operation_of.items[event->object] = (uint8_t)(event->operation + 1);
}

/* The number that ties both ends together is an attribute of events that were OTF2's. */
static void make_rma(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_RMA_COUNT] = {[QUIPU_RMA_PUT] = QUIPU__OTF2_TYPE_RMA_PUT,
                                                                 [QUIPU_RMA_GET] = QUIPU__OTF2_TYPE_RMA_GET,
                                                                 [QUIPU_RMA_ACCUMULATE] =
                                                                     QUIPU__OTF2_TYPE_RMA_ATOMIC};
    const enum quipu__otf2_type type =
        event->operation < QUIPU_RMA_COUNT ? types[event->operation] : (enum quipu__otf2_type)0;
    const bool begins = event->kind == QUIPU_KIND_rma_begin;
    const uint64_t key = key_of(m, event, 0);
    (void)time;
    made->is_impossible |= begins && type == 0;
    if (made->is_impossible)
        return;
    fill(m, event, begins ? type : QUIPU__OTF2_TYPE_RMA_OP_COMPLETE_BLOCKING, made);
    const struct quipu_record_type *row = &quipu__otf2_types[made->type];
    const struct quipu_field *field = &row->fields[row->field_count - 2]; /* in front of the attributes */
    int64_t id = 0;
    quipu_field_get_i64(field, &made->data, &id);
    if (begins)
        id = (int64_t)begin_operation(m, track, key, id ? (uint64_t)id : QUIPU_UNKNOWN, event);
    struct open_operation active;
    if (!begins && end_operation(track, key, &active) && id == 0)
        id = (int64_t)active.id;
    quipu__store_i64(field, &made->data, id);
}

static void make_handle(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    enum { READ_AND_WRITE = 2, CREATE = 1 };
    struct quipu__otf2_IO_CREATE_HANDLE *record = &made->data.IO_CREATE_HANDLE;
    const uint32_t flag = m->definitions->io_create_flag;
    (void)track, (void)time;
    if (event->kind == QUIPU_KIND_io_close) {
        fill(m, event, QUIPU__OTF2_TYPE_IO_DESTROY_HANDLE, made);
        return;
    }
    fill(m, event, QUIPU__OTF2_TYPE_IO_CREATE_HANDLE, made);
    if (flag != CREATE) /* bits of another format */
        record->creation_flags = event->operation != QUIPU_NONE && (event->operation & flag) != 0 ? CREATE : 0;
    else if (event->operation == QUIPU_NONE)
        record->creation_flags = 0;
    if (made->used == 0)
        record->access_mode = READ_AND_WRITE;
}

/* What the beginning of an operation does not say stands in its end: if that is near. */
static void look_ahead(const model *m, struct quipu_event *begin) {
    enum { NEAR = 256 };
    const struct quipu_batch *batch = m->batch;
    for (uint32_t i = m->event + 1; i < batch->count && i - m->event < NEAR; i++)
        if (batch->kind[i] == QUIPU_KIND_io_end && batch->id[i] == begin->id &&
            batch->location[i] == begin->location) {
            begin->object = batch->object[i];
            begin->operation = batch->operation[i];
            begin->tag = batch->tag[i];
            begin->bytes = batch->bytes[i];
            begin->value = batch->value[i];
            return;
        }
}

static void make_io(model *m, struct track *track, const struct quipu_event *said, uint64_t time,
                    struct made *made) {
    struct quipu_event row = *said;
    const struct quipu_event *event = &row;
    const bool begins = event->kind == QUIPU_KIND_io_begin;
    if (begins && (event->operation == QUIPU_IO_OTHER || event->operation >= QUIPU_IO_COUNT))
        look_ahead(m, &row);
    const uint64_t key = has_request(event) ? event->id ^ m->members.seed : key_of(m, event, event->object);
    (void)time;
    if (event->operation == QUIPU_IO_SEEK || event->operation == QUIPU_IO_UNLINK) {
        made->type = QUIPU__OTF2_TYPE_COUNT; /* the record stands for both ends */
        m->writer->output->approximated[event->kind] += !begins;
        if (begins)
            fill(m, event,
                 event->operation == QUIPU_IO_SEEK ? QUIPU__OTF2_TYPE_IO_SEEK : QUIPU__OTF2_TYPE_IO_DELETE_FILE,
                 made);
        return;
    }
    fill(m, event, begins ? QUIPU__OTF2_TYPE_IO_OPERATION_BEGIN : QUIPU__OTF2_TYPE_IO_OPERATION_COMPLETE, made);
    made->is_impossible |= event->operation != QUIPU_IO_READ && event->operation != QUIPU_IO_WRITE &&
                           event->operation != QUIPU_IO_SYNC;
    if (made->is_impossible)
        return;
    struct open_operation active;
    if (begins)
        made->data.IO_OPERATION_BEGIN.matching_id = begin_operation(m, track, key, event->id, event);
    else
        made->data.IO_OPERATION_COMPLETE.matching_id =
            end_operation(track, key, &active) || !has_request(event) ? active.id : event->id;
}

static void make_unlink(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    (void)track, (void)time;
    fill(m, event, QUIPU__OTF2_TYPE_IO_DELETE_FILE, made);
}

static void make_metric(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                        struct made *made) {
    struct quipu__otf2_METRIC *record = &made->data.METRIC;
    struct quipu_value *value = quipu__scratch_sized(&m->scratch, 1, sizeof *value);
    (void)track, (void)time;
    made->type = QUIPU__OTF2_TYPE_METRIC;
    *record = (struct quipu__otf2_METRIC){
        .metric = use(m, &m->metrics, event->object, m->definitions->metrics.count), .values = value};
    made->is_impossible = record->metric == UNDEFINED || !value;
    if (made->is_impossible)
        return;
    switch (m->definitions->metrics.items[event->object].value) {
    case QUIPU_METRIC_I64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_I64, .u = event->value};
        break;
    case QUIPU_METRIC_F64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_F64};
        memcpy(&value->f, &event->value, sizeof value->f);
        break;
    case QUIPU_METRIC_U64:
        *value = (struct quipu_value){.type = QUIPU_VALUE_U64, .u = event->value};
        break;
    }
}

/* The value of a parameter that is called note. */
static void make_note(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    const struct quipu_value *text = take_text(event, made);
    (void)track, (void)time;
    made->type = QUIPU__OTF2_TYPE_PARAMETER_STRING;
    made->data.PARAMETER_STRING = (struct quipu__otf2_PARAMETER_STRING){
        .parameter = 0, .value = quipu__otf2_intern(m, text ? text->data : "", text ? text->size : 0)};
    m->has_note = true;
}

static void make_life(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    const bool is_thread = location_at(m, event->location)->kind == QUIPU_LOCATION_THREAD;
    (void)track, (void)time;
    if (is_thread && event->kind == QUIPU_KIND_location_begin) {
        fill(m, event, QUIPU__OTF2_TYPE_THREAD_BEGIN, made);
        made->data.THREAD_BEGIN.thread_contingent = UNDEFINED;
    } else if (is_thread) {
        fill(m, event, QUIPU__OTF2_TYPE_THREAD_END, made);
        made->data.THREAD_END.thread_contingent = UNDEFINED;
    } else if (event->kind == QUIPU_KIND_location_end) {
        fill(m, event, QUIPU__OTF2_TYPE_PROGRAM_END, made);
    } else {
        const struct quipu_value *text = take_text(event, made);
        made->type = QUIPU__OTF2_TYPE_PROGRAM_BEGIN;
        made->data.PROGRAM_BEGIN = (struct quipu__otf2_PROGRAM_BEGIN){
            .name = quipu__otf2_intern(m, text ? text->data : "", text ? text->size : 0)};
    }
}

static void make_fork(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    (void)track, (void)time;
    fill(m, event, event->kind == QUIPU_KIND_fork ? QUIPU__OTF2_TYPE_THREAD_FORK : QUIPU__OTF2_TYPE_THREAD_JOIN,
         made);
    if (event->kind == QUIPU_KIND_fork && made->used == 0)
        made->data.THREAD_FORK.requested_threads = 1;
}

/* A pause switches to the task that every thread runs anyway, whose generation is 0. */
static void make_task(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                      struct made *made) {
    static const enum quipu__otf2_type types[QUIPU_KIND_COUNT] = {
        [QUIPU_KIND_task_create] = QUIPU__OTF2_TYPE_THREAD_TASK_CREATE,
        [QUIPU_KIND_task_begin] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_pause] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_resume] = QUIPU__OTF2_TYPE_THREAD_TASK_SWITCH,
        [QUIPU_KIND_task_end] = QUIPU__OTF2_TYPE_THREAD_TASK_COMPLETE};
    const bool pauses = event->kind == QUIPU_KIND_task_pause;
    (void)m, (void)track, (void)time;
    made->type = types[event->kind];
    made->data.THREAD_TASK_CREATE =
        (struct quipu__otf2_THREAD_TASK_CREATE){.thread_team = UNDEFINED,
                                                .creating_thread = pauses ? 0 : (uint32_t)(event->id >> 32),
                                                .generation_number = pauses ? 0 : (uint32_t)event->id};
    made->is_impossible = !has_request(event) || (uint32_t)event->id == 0;
}

/* Recording is off until the gap has passed; put_event switches it on again. What OTF2 has no reason for is a flush. */
static void make_gap(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                     struct made *made) {
    enum { FLUSH = 1, TRACING_OFF = 3, MODE_ON = 1, MODE_OFF = 2 };
    const bool is_off = event->operation == TRACING_OFF;
    const uint64_t length = event->value == QUIPU_UNKNOWN ? 0 : event->value * (uint64_t)m->scale;
    made->is_cut = event->operation != FLUSH && !is_off;
    if (!is_off) {
        made->type = QUIPU__OTF2_TYPE_BUFFER_FLUSH;
        made->data.BUFFER_FLUSH = (struct quipu__otf2_BUFFER_FLUSH){.stop_time = time + length};
        return;
    }
    made->type = QUIPU__OTF2_TYPE_MEASUREMENT_ON_OFF;
    made->data.MEASUREMENT_ON_OFF =
        (struct quipu__otf2_MEASUREMENT_ON_OFF){.mode = event->value == 0 ? MODE_ON : MODE_OFF};
    track->is_off = event->value != 0 && event->value != QUIPU_UNKNOWN;
    track->on_again = time + length;
}

static make_fn *const makers[QUIPU_KIND_COUNT] = {
    [QUIPU_KIND_send] = make_message,
    [QUIPU_KIND_recv] = make_message,
    [QUIPU_KIND_send_complete] = make_request,
    [QUIPU_KIND_recv_post] = make_request,
    [QUIPU_KIND_cancel] = make_request,
    [QUIPU_KIND_collective_begin] = make_collective,
    [QUIPU_KIND_collective_end] = make_collective,
    [QUIPU_KIND_rma_begin] = make_rma,
    [QUIPU_KIND_rma_end] = make_rma,
    [QUIPU_KIND_io_open] = make_handle,
    [QUIPU_KIND_io_close] = make_handle,
    [QUIPU_KIND_io_begin] = make_io,
    [QUIPU_KIND_io_end] = make_io,
    [QUIPU_KIND_io_unlink] = make_unlink,
    [QUIPU_KIND_metric] = make_metric,
    [QUIPU_KIND_note] = make_note,
    [QUIPU_KIND_location_begin] = make_life,
    [QUIPU_KIND_location_end] = make_life,
    [QUIPU_KIND_fork] = make_fork,
    [QUIPU_KIND_join] = make_fork,
    [QUIPU_KIND_task_create] = make_task,
    [QUIPU_KIND_task_begin] = make_task,
    [QUIPU_KIND_task_pause] = make_task,
    [QUIPU_KIND_task_resume] = make_task,
    [QUIPU_KIND_task_end] = make_task,
    [QUIPU_KIND_gap] = make_gap,
};

/* ---- Calls ---- */

static enum quipu_status put_call(model *m, struct track *track, const struct quipu_event *event, uint64_t time,
                                  struct quipu_error *err) {
    const bool is_enter = event->kind == QUIPU_KIND_enter;
    uint32_t *slot = is_enter ? QUIPU__VEC_ADD(m->memory, &track->calls) : NULL;
    uint32_t number = event->object;
    if (slot)
        *slot = number;
    if (!is_enter && track->calls.count > 0) {
        const uint32_t entered = track->calls.items[--track->calls.count];
        number = number == QUIPU_NONE ? entered : number;
    }
    const uint32_t region = use_region(m, number);
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
    const struct quipu_value *text = take_text(event, &made);
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
    made.data.MARKER = (struct quipu__otf2_MARKER){
        .timestamp = time,
        .marker = marker,
        .scope = 1, /* a location */
        .scope_reference = id_of(m, event->location),
        .text = quipu__scratch_text(&m->scratch, text ? text->data : "", text ? text->size : 0)};
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
static int64_t ticks_of(model *m, int64_t time) {
    if (!m->has_times && time < -m->origin)
        for (m->origin = 1 << 20; - (m->origin / 4) > time && m->origin < INT64_MAX / 4;)
            m->origin *= 2;
    m->has_times = true;
    return quipu__bounded_sum(time, m->origin);
}

static enum quipu_status put_event(model *m, const struct quipu_event *event, struct quipu_error *err) {
    const int64_t ticks = ticks_of(m, event->time);
    const bool is_written = makers[event->kind] || event->kind == QUIPU_KIND_enter ||
                            event->kind == QUIPU_KIND_leave || event->kind == QUIPU_KIND_marker;
    if (!is_written || ticks < 0 || ticks > INT64_MAX / m->scale ||
        event->location >= m->definitions->locations.count) {
        m->writer->output->dropped[event->kind]++;
        return QUIPU_OK;
    }
    const uint64_t time = (uint64_t)ticks * (uint64_t)m->scale;
    struct track *track = NULL;
    enum quipu_status status = find_track(m, event->location, &track, err);
    if (status == QUIPU_OK && track->is_off && !is_on_again(event) && track->on_again <= time)
        status = switch_on(m, track, err);
    if (status != QUIPU_OK)
        return status;
    m->last = time > m->last ? time : m->last;
    m->first = event->time < m->first ? event->time : m->first;
    if (event->kind == QUIPU_KIND_enter || event->kind == QUIPU_KIND_leave)
        return put_call(m, track, event, time, err);
    quipu__scratch_reset(&m->scratch);
    if (event->kind == QUIPU_KIND_marker)
        return put_marker(m, event, time, err);
    struct made made;
    memset(&made, 0, sizeof made);
    makers[event->kind](m, track, event, time, &made);
    return made.type == QUIPU__OTF2_TYPE_COUNT ? QUIPU_OK : put(m, track, event, time, &made, err);
}

static enum quipu_status begin_model(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    model *m = writer->model = quipu__alloc_zero(writer->memory, sizeof *m);
    if (!m)
        return quipu__no_memory(err, sizeof *m);
    m->writer = writer;
    m->memory = writer->memory;
    m->definitions = writer->output->definitions;
    m->scale = m->definitions->clock.per_seconds > 1 ? (int64_t)m->definitions->clock.per_seconds : 1;
    m->origin = m->definitions->clock.origin > 0 ? m->definitions->clock.origin : 0;
    quipu__scratch_init(&m->scratch, m->memory);
    quipu__arena_init(&m->arena, m->memory);
    quipu__map_init(&m->string_of, m->memory);
    quipu__map_init(&m->handle_of, m->memory);
    quipu__map_init(&m->members, m->memory);
    if (m->definitions->locations.count > MANY_LOCATIONS)
        writer->event_chunk = QUIPU__OTF2_SMALL_CHUNK;
    for (uint32_t i = 0; i < m->definitions->groups.count && m->comms.numbers.count == 0; i++)
        if (m->definitions->groups.items[i].remote_members)
            use_comm(m, QUIPU_NONE); /* what both sides have in common comes first */
    return make_world(m) && have_own_ids(m, &m->has_native_ids) && quipu__otf2_intern(m, "", 0) == 0
               ? QUIPU_OK
               : quipu__no_memory(err, sizeof *m);
}

static enum quipu_status put_batch(struct quipu__otf2_writer *writer, const struct quipu_batch *batch,
                                   struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    uint32_t cursor = 0;
    struct quipu_event event;
    for (uint32_t i = 0; i < batch->count && status == QUIPU_OK; i++) {
        writer->model->batch = batch;
        writer->model->event = i;
        quipu__batch_event(batch, i, &cursor, &event);
        status = put_event(writer->model, &event, err);
    }
    return status;
}

/* ---- The whole ---- */

static enum quipu_status complete(struct quipu__otf2_writer *writer, struct quipu_error *err) {
    enum quipu_status status = writer->model ? QUIPU_OK : begin_model(writer, err);
    for (size_t i = 0; status == QUIPU_OK && i < writer->model->tracks.count; i++) {
        struct track *track = writer->model->tracks.items[i];
        if (track && track->is_off)
            status = switch_on(writer->model, track, err);
    }
    return status == QUIPU_OK ? quipu__otf2_put_definitions(writer->model, err) : status;
}

static void release_numbering(model *m, struct numbering *numbering) {
    QUIPU__VEC_RELEASE(m->memory, &numbering->tokens);
    QUIPU__VEC_RELEASE(m->memory, &numbering->numbers);
}

static void release(struct quipu__otf2_writer *writer) {
    model *m = writer->model;
    struct numbering *const numberings[] = {&m->regions, &m->comms,   &m->windows, &m->files,
                                            &m->metrics, &m->markers, &m->keys};
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
    QUIPU__VEC_RELEASE(m->memory, &m->key_is_text);
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
                     .definitions = ~(QUIPU__DEFINES(channels) | QUIPU__DEFINES(task_types)),
                     .attributes = true},
    .put_batch = put_batch,
    .complete = complete,
    .release = release};
