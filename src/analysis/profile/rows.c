/* rows.c: which rows of the fold are one row of the table. Rows are counted per location and region; what is asked for puts
 * some of them together: the threads of a process, the processes of a host, the regions of a group, or all locations.
 */
#include "analysis/profile/rows.h"

#include "core/error.h"
#include "model/event.h"

#include <stdlib.h>
#include <string.h>

/* ---- What rows are of ---- */

/* The host of a location, or of what it belongs to; NULL when it is not known. */
static const char *host_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_location *location = quipu__profile_location_at(profile, number);
    for (uint32_t steps = 0; location && steps < profile->definitions->locations.count; steps++) {
        if (location->host[0])
            return location->host;
        if (location->kind == QUIPU_LOCATION_NODE)
            return location->name;
        location = quipu__profile_location_at(profile, location->parent);
    }
    return NULL;
}

static const char *group_of(const struct quipu__profile *profile, uint32_t number) {
    static const char *const roles[] = {
#define QUIPU_REGION_ROLE(name, text, doc) text,
#include <quipu/region_roles.def>
#undef QUIPU_REGION_ROLE
    };
    const struct quipu_region *region = quipu__profile_region_at(profile, number);
    if (!region)
        return NULL;
    return region->group[0] ? region->group : roles[region->role];
}

static bool is_mpi(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu_region *region = quipu__profile_region_at(profile, number);
    return region && region->role >= QUIPU_REGION_MPI_P2P && region->role <= QUIPU_REGION_MPI_OTHER;
}

static struct quipu__profile_key key_of(const struct quipu__profile *profile, uint32_t number) {
    const struct quipu__profile_row *row = &profile->rows.items[number];
    struct quipu__profile_key key = {.profile = profile,
                                     .location = QUIPU_NONE,
                                     .source = QUIPU_NONE,
                                     .region = quipu__profile_region_of(profile, row->region),
                                     .row = number};
    switch (profile->by) {
    case QUIPU__PROFILE_BY_process:
        key.location = quipu__process_of(profile->definitions, row->location);
        break;
    case QUIPU__PROFILE_BY_host:
        key.text = host_of(profile, row->location);
        break;
    case QUIPU__PROFILE_BY_group:
        key.text = group_of(profile, key.region);
        key.region = QUIPU_NONE;
        break;
    case QUIPU__PROFILE_BY_mpi:
        key.location = row->location;
        key.region = QUIPU_NONE;
        break;
    case QUIPU__PROFILE_BY_path:
        key.path = row->region == QUIPU_NONE ? QUIPU__NO_CALLS : row->region;
        break;
    case QUIPU__PROFILE_BY_callsite:
        key.source = quipu__profile_source_of(profile, row->region);
        break;
    case QUIPU__PROFILE_BY_phase:
        key.phase = quipu__profile_phase_of(profile, row->region, &key.annotation);
        break;
    case QUIPU__PROFILE_BY_between:
        key.phase = quipu__profile_between_of(profile, row->region, &key.annotation);
        key.region = QUIPU_NONE;
        break;
    default:
        key.location = profile->by == QUIPU__PROFILE_BY_location ? row->location : QUIPU_NONE;
        break;
    }
    return key;
}

/* ---- The order of keys ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a == NULL) - (b == NULL);
}

/* 0: one row of the table. */
static int compare_keys(const struct quipu__profile_key *x, const struct quipu__profile_key *y) {
    const int texts = x->text == y->text ? 0 : compare_texts(x->text, y->text);
    if (texts != 0)
        return texts;
    if (x->position != y->position)
        return COMPARE(x->position, y->position);
    if (x->phase != y->phase || x->annotation != y->annotation)
        return x->phase != y->phase ? COMPARE(x->phase, y->phase) : COMPARE(x->annotation, y->annotation);
    if (x->source != y->source)
        return COMPARE(x->source, y->source);
    return x->location != y->location ? COMPARE(x->location, y->location) : COMPARE(x->region, y->region);
}

static uint32_t location_of(const struct quipu__profile_key *key) {
    return key->profile->rows.items[key->row].location;
}

/* Keys of one row lie side by side, those of a location too. */
static int in_order(const void *a, const void *b) {
    const struct quipu__profile_key *x = a, *y = b;
    const int keys = compare_keys(x, y);
    return keys != 0 ? keys : COMPARE(location_of(x), location_of(y));
}

/* ---- All rows ---- */

/* Rows come in the order in which threads have found them, which must not matter: the sum is exact until the end. */
static double total_time(const struct quipu__profile *profile) {
    int64_t high = 0;
    uint64_t low = 0;
    for (size_t i = 0; i < profile->rows.count; i++) {
        const uint64_t time = profile->rows.items[i].values[QUIPU__PROFILE_exclusive_ns];
        high += (int64_t)(time >> 32) - ((time >> 63) != 0 ? INT64_C(1) << 32 : 0);
        low += time & UINT32_MAX;
    }
    return (double)high * 4294967296.0 + (double)low;
}

/* Locations that have rows; their keys are in any order. */
static enum quipu_status count_locations(struct quipu__profile_whole *whole, size_t keys,
                                         struct quipu_error *err) {
    const uint32_t defined = whole->profile->definitions->locations.count;
    const size_t bytes = defined + (size_t)1; /* one for all that are not defined */
    uint8_t *seen = quipu__alloc_zero(whole->memory, bytes);
    if (!seen)
        return quipu__no_memory(err, bytes);
    for (size_t i = 0; i < keys; i++) {
        const uint32_t location = location_of(&whole->keys[i]);
        uint8_t *mark = &seen[location < defined ? location : defined];
        whole->locations += *mark == 0;
        *mark = 1;
    }
    quipu__release(whole->memory, seen, bytes);
    return QUIPU_OK;
}

/* Where rows of the table begin. */
static void find_firsts(struct quipu__profile_whole *whole, size_t keys) {
    for (size_t i = 0; i < keys; i++)
        if (i == 0 || compare_keys(&whole->keys[i - 1], &whole->keys[i]) != 0)
            whole->firsts[whole->count++] = (uint32_t)i;
    whole->firsts[whole->count] = (uint32_t)keys;
}

static size_t key_bytes(const struct quipu__profile *profile) {
    return (profile->rows.count + 1) * sizeof(struct quipu__profile_key);
}

static size_t first_bytes(const struct quipu__profile *profile) {
    return (profile->rows.count + 1) * sizeof(uint32_t);
}

/* Not what begins where the window ends or ends where it begins. With MPI there are rows of locations with calls only, which have a row in
 * every window that they live in. */
static bool is_shown(const struct quipu__profile *profile, const struct quipu__profile_row *row) {
    bool is_shown = false;
    for (size_t i = 0; i < QUIPU__PROFILE_COUNT; i++)
        is_shown |= row->values[i] != 0;
    if (profile->by != QUIPU__PROFILE_BY_mpi)
        return is_shown;
    return row->region != QUIPU_NONE && (is_shown || quipu__profile_lifetime(profile, row->location) > 0);
}

/* Says where the paths of keys are among all paths. */
static enum quipu_status find_positions(struct quipu__profile_whole *whole, size_t keys,
                                        struct quipu_error *err) {
    const struct quipu__profile *profile = whole->profile;
    if (profile->by != QUIPU__PROFILE_BY_path)
        return QUIPU_OK;
    const struct quipu__call_paths *paths = &profile->scope->paths;
    uint32_t *positions = quipu__call_path_positions(paths, NULL, NULL);
    if (!positions)
        return quipu__no_memory(err, paths->list.count * sizeof *positions);
    for (size_t i = 0; i < keys; i++)
        whole->keys[i].position = positions[whole->keys[i].path];
    quipu__call_path_positions_release(paths, positions);
    return QUIPU_OK;
}

enum quipu_status quipu__profile_whole_init(struct quipu__profile_whole *whole, struct quipu_error *err) {
    const struct quipu__profile *profile = whole->profile;
    size_t keys = 0;
    whole->keys = quipu__alloc(whole->memory, key_bytes(profile));
    whole->firsts = quipu__alloc(whole->memory, first_bytes(profile));
    if (!whole->keys || !whole->firsts)
        return quipu__no_memory(err, key_bytes(profile));
    for (uint32_t i = 0; i < profile->rows.count; i++)
        if (is_shown(profile, &profile->rows.items[i]))
            whole->keys[keys++] = key_of(profile, i);
    const enum quipu_status status = find_positions(whole, keys, err);
    if (status != QUIPU_OK)
        return status;
    if (keys > 0)
        qsort(whole->keys, keys, sizeof *whole->keys, in_order);
    find_firsts(whole, keys);
    whole->time = total_time(profile);
    return count_locations(whole, keys, err);
}

void quipu__profile_whole_release(struct quipu__profile_whole *whole) {
    quipu__release(whole->memory, whole->keys, key_bytes(whole->profile));
    quipu__release(whole->memory, whole->firsts, first_bytes(whole->profile));
}

/* ---- A row ---- */

static bool can_add(const struct quipu__profile_row *total, const struct quipu__profile_row *row,
                    enum quipu__profile_value value) {
    const int64_t before = (int64_t)total->values[value], more = (int64_t)row->values[value];
    return more <= 0 || before <= INT64_MAX - more;
}

struct quipu__profile_shown quipu__profile_shown_at(const struct quipu__profile_whole *whole, size_t row) {
    const struct quipu__profile *profile = whole->profile;
    const struct quipu__profile_key *key = &whole->keys[whole->firsts[row]],
                                    *end = &whole->keys[whole->firsts[row + 1]];
    struct quipu__profile_shown shown = {.key = *key,
                                         .values = {.shortest = INT64_MAX, .longest = INT64_MIN},
                                         .has_exclusive = true,
                                         .has_inclusive = true};
    while (key < end) {
        const uint32_t location = location_of(key);
        uint64_t exclusive = 0; /* of the location */
        for (; key < end && location_of(key) == location; key++) {
            const struct quipu__profile_row *values = &profile->rows.items[key->row];
            const uint64_t time = values->values[QUIPU__PROFILE_exclusive_ns];
            shown.has_exclusive &= can_add(&shown.values, values, QUIPU__PROFILE_exclusive_ns);
            shown.has_inclusive &= can_add(&shown.values, values, QUIPU__PROFILE_inclusive_ns);
            quipu__profile_add_values(&shown.values, values);
            exclusive += time;
            shown.mpi += is_mpi(profile, quipu__profile_region_of(profile, values->region)) ? time : 0;
        }
        shown.most = (int64_t)exclusive > (int64_t)shown.most ? exclusive : shown.most;
        shown.lifetime = quipu__profile_lifetime(profile, location);
        shown.locations++;
    }
    return shown;
}
