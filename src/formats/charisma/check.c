/* check.c: follows the records of a trace and reports the rules that they break.
 *
 * Each type has a function that keeps the tracking; what all records have in common (times, texts, numbers of clients and
 * applications) is looked at by the table, after that. */
#include "formats/charisma/format.h"

#include "core/real.h"
#include "formats/charisma/tracking.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== Tracking ==== */

void quipu__charisma_tracking_init(struct quipu__charisma_tracking *tracking, struct quipu__memory *memory,
                                   const struct quipu__charisma_profile *profile) {
    *tracking = (struct quipu__charisma_tracking){.memory = memory, .profile = profile, .generation = 1};
    quipu__map_init(&tracking->application_numbers, memory);
    quipu__map_init(&tracking->client_numbers, memory);
    quipu__map_init(&tracking->file_numbers, memory);
    quipu__map_init(&tracking->handle_numbers, memory);
    quipu__map_init(&tracking->in_flight_numbers, memory);
    quipu__map_init(&tracking->shared_numbers, memory);
}

void quipu__charisma_tracking_release(struct quipu__charisma_tracking *tracking) {
    struct quipu__memory *memory = tracking->memory;
    if (!memory)
        return;
    for (size_t i = 0; i < tracking->in_flight.count; i++)
        quipu__release(memory, tracking->in_flight.items[i].transfers,
                       tracking->in_flight.items[i].transfer_room *
                           sizeof *tracking->in_flight.items[i].transfers);
    QUIPU__VEC_RELEASE(memory, &tracking->applications);
    QUIPU__VEC_RELEASE(memory, &tracking->clients);
    QUIPU__VEC_RELEASE(memory, &tracking->handles);
    QUIPU__VEC_RELEASE(memory, &tracking->in_flight);
    QUIPU__VEC_RELEASE(memory, &tracking->free_in_flight);
    QUIPU__VEC_RELEASE(memory, &tracking->shared);
    QUIPU__VEC_RELEASE(memory, &tracking->instances);
    QUIPU__VEC_RELEASE(memory, &tracking->files);
    quipu__map_release(&tracking->application_numbers);
    quipu__map_release(&tracking->client_numbers);
    quipu__map_release(&tracking->file_numbers);
    quipu__map_release(&tracking->handle_numbers);
    quipu__map_release(&tracking->in_flight_numbers);
    quipu__map_release(&tracking->shared_numbers);
    tracking->memory = NULL;
}

/* ---- Applications, clients, files ---- */

static uint32_t find_application(struct quipu__charisma_tracking *tracking, int64_t id) {
    const uint32_t known = quipu__map_get(&tracking->application_numbers, (uint64_t)id);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t number = (uint32_t)tracking->applications.count;
    if (!QUIPU__VEC_PUT(
            tracking->memory, &tracking->applications,
            (struct quipu__charisma_application){.id = id, .instance = QUIPU_NONE, .first_open = QUIPU_NONE}) ||
        !quipu__map_put(&tracking->application_numbers, (uint64_t)id, number))
        return QUIPU_NONE;
    return number;
}

static uint32_t find_client(struct quipu__charisma_tracking *tracking, int64_t id) {
    const uint32_t known = quipu__map_get(&tracking->client_numbers, (uint64_t)id);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t number = (uint32_t)tracking->clients.count;
    struct quipu__charisma_client *client = QUIPU__VEC_ADD(tracking->memory, &tracking->clients);
    if (!client || !quipu__map_put(&tracking->client_numbers, (uint64_t)id, number))
        return QUIPU_NONE;
    client->id = id;
    client->instance = client->joined = QUIPU_NONE;
    return number;
}

uint32_t quipu__charisma_client_add(struct quipu__charisma_tracking *tracking, int64_t id) {
    const uint32_t number = find_client(tracking, id);
    tracking->recent_clients[(uint64_t)id % QUIPU__CHARISMA_RECENT] = number + 1; /* QUIPU_NONE becomes 0 */
    return number;
}

static uint32_t find_file(struct quipu__charisma_tracking *tracking, struct quipu_number id) {
    const uint32_t known = quipu__map_get(&tracking->file_numbers, (uint64_t)id.i);
    if (known != QUIPU_NONE)
        return known;
    const uint32_t number = (uint32_t)tracking->files.count;
    if (!QUIPU__VEC_PUT(tracking->memory, &tracking->files, id))
        return QUIPU_NONE;
    if (!quipu__map_put(&tracking->file_numbers, (uint64_t)id.i, number)) {
        tracking->files.count--; /* files are defined in the order of their numbers */
        return QUIPU_NONE;
    }
    return number;
}

static uint32_t add_instance(struct quipu__charisma_tracking *tracking, int64_t id, bool is_application,
                             uint32_t parent) {
    if (!QUIPU__VEC_PUT(tracking->memory, &tracking->instances,
                        (struct quipu__charisma_instance){id, is_application, parent}))
        return QUIPU_NONE;
    return (uint32_t)tracking->instances.count - 1;
}

uint32_t quipu__charisma_application_instance(struct quipu__charisma_tracking *tracking, uint32_t application) {
    if (application == QUIPU_NONE)
        return QUIPU_NONE;
    struct quipu__charisma_application *it = &tracking->applications.items[application];
    if (it->instance == QUIPU_NONE)
        it->instance = add_instance(tracking, it->id, true, QUIPU_NONE);
    return it->instance;
}

uint32_t quipu__charisma_client_instance(struct quipu__charisma_tracking *tracking, uint32_t client) {
    if (client == QUIPU_NONE)
        return QUIPU_NONE;
    struct quipu__charisma_client *it = &tracking->clients.items[client];
    if (it->instance == QUIPU_NONE)
        it->instance = add_instance(tracking, it->id, false,
                                    quipu__charisma_application_instance(
                                        tracking, quipu__charisma_application_of_client(tracking, client)));
    return it->instance;
}

/* An application is loaded, a client joins one (and is a new instance, unless it belongs to it already), leaves. */
static void load_application(struct quipu__charisma_tracking *tracking, uint32_t application) {
    tracking->generation++;
    if (application == QUIPU_NONE)
        return;
    struct quipu__charisma_application *it = &tracking->applications.items[application];
    it->is_known = true;
    it->instance = add_instance(tracking, it->id, true, QUIPU_NONE);
}

static void join_application(struct quipu__charisma_tracking *tracking, uint32_t client, uint32_t application) {
    tracking->generation++;
    if (client == QUIPU_NONE)
        return;
    struct quipu__charisma_client *it = &tracking->clients.items[client];
    if (quipu__charisma_application_of_client(tracking, client) != application || it->instance == QUIPU_NONE)
        it->instance =
            add_instance(tracking, it->id, false, quipu__charisma_application_instance(tracking, application));
    it->is_known = true;
    it->joined = application;
    it->exits = application == QUIPU_NONE ? 0 : tracking->applications.items[application].exits;
}

/* An application is loaded, a client joins one (and is a new instance, unless it belongs to it already), leaves. */
static void leave_application(struct quipu__charisma_tracking *tracking, uint32_t client) {
    tracking->generation++;
    if (client != QUIPU_NONE)
        tracking->clients.items[client].joined = QUIPU_NONE;
}

/* An application exits: its clients belong to none. Its open descriptors are left to the caller. */
static void exit_application(struct quipu__charisma_tracking *tracking, uint32_t application) {
    tracking->generation++;
    if (application != QUIPU_NONE)
        tracking->applications.items[application].exits++;
}

/* ---- Descriptors ---- */

/* An owner and one of its numbers as a key. */
static uint64_t key_of(const struct quipu__map *map, bool is_of_application, uint32_t owner, int64_t number) {
    const uint64_t words[2] = {(uint64_t)owner << 1 | is_of_application, (uint64_t)number};
    return quipu__hash(words, sizeof words, map->seed);
}

static struct quipu__charisma_handle *find_handle(struct quipu__charisma_tracking *tracking,
                                                  bool is_of_application, uint32_t owner, int64_t file_desc) {
    const struct quipu__map *map = &tracking->handle_numbers;
    const uint32_t number = quipu__map_get(map, key_of(map, is_of_application, owner, file_desc));
    return number == QUIPU_NONE ? NULL : &tracking->handles.items[number];
}

struct quipu__charisma_handle *quipu__charisma_handle_look_up(struct quipu__charisma_tracking *tracking,
                                                              bool is_of_application, uint32_t owner,
                                                              int64_t file_desc) {
    struct quipu__charisma_handle *handle =
        owner == QUIPU_NONE ? NULL : find_handle(tracking, is_of_application, owner, file_desc);
    if (handle)
        *quipu__charisma_recent_handle(tracking, is_of_application, owner, file_desc) =
            (uint32_t)(handle - tracking->handles.items) + 1;
    return handle;
}

struct quipu__charisma_handle *quipu__charisma_handle_of(struct quipu__charisma_tracking *tracking,
                                                         bool is_of_application, uint32_t owner,
                                                         int64_t file_desc) {
    struct quipu__map *map = &tracking->handle_numbers;
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_find(tracking, is_of_application, owner, file_desc);
    if (handle || owner == QUIPU_NONE)
        return handle;
    const uint32_t number = (uint32_t)tracking->handles.count;
    handle = QUIPU__VEC_ADD(tracking->memory, &tracking->handles);
    if (!handle || !quipu__map_put(map, key_of(map, is_of_application, owner, file_desc), number))
        return NULL;
    handle->owner = owner;
    handle->is_of_application = is_of_application;
    handle->file_desc = file_desc;
    handle->file = handle->application = handle->next = handle->previous = QUIPU_NONE;
    return handle;
}

static struct quipu__charisma_shared *shared_of(struct quipu__charisma_tracking *tracking, uint32_t application,
                                                int64_t file_desc, bool adds) {
    struct quipu__map *map = &tracking->shared_numbers;
    const uint64_t key = key_of(map, true, application, file_desc);
    const uint32_t known = quipu__map_get(map, key);
    if (known != QUIPU_NONE)
        return &tracking->shared.items[known];
    const uint32_t number = (uint32_t)tracking->shared.count;
    struct quipu__charisma_shared *shared = adds ? QUIPU__VEC_ADD(tracking->memory, &tracking->shared) : NULL;
    return shared && quipu__map_put(map, key, number) ? shared : NULL;
}

static uint32_t number_of(const struct quipu__charisma_tracking *tracking,
                          const struct quipu__charisma_handle *handle) {
    return (uint32_t)(handle - tracking->handles.items);
}

void quipu__charisma_handle_link(struct quipu__charisma_tracking *tracking,
                                 struct quipu__charisma_handle *handle) {
    const uint32_t number = number_of(tracking, handle);
    struct quipu__charisma_shared *shared = shared_of(tracking, handle->application, handle->file_desc, true);
    if (shared) {
        shared->count++;
        shared->total += number;
    }
    handle->next = handle->previous = QUIPU_NONE;
    if (handle->application == QUIPU_NONE)
        return;
    uint32_t *first = &tracking->applications.items[handle->application].first_open;
    handle->next = *first;
    if (*first != QUIPU_NONE)
        tracking->handles.items[*first].previous = number;
    *first = number;
}

static void unlink_open(struct quipu__charisma_tracking *tracking, struct quipu__charisma_handle *handle) {
    struct quipu__charisma_shared *shared = shared_of(tracking, handle->application, handle->file_desc, false);
    if (shared && shared->count > 0) {
        shared->count--;
        shared->total -= number_of(tracking, handle);
    }
    if (handle->next != QUIPU_NONE)
        tracking->handles.items[handle->next].previous = handle->previous;
    if (handle->previous != QUIPU_NONE)
        tracking->handles.items[handle->previous].next = handle->next;
    else if (handle->application != QUIPU_NONE)
        tracking->applications.items[handle->application].first_open = handle->next;
}

static void handle_close(struct quipu__charisma_tracking *tracking, struct quipu__charisma_handle *handle) {
    tracking->generation++;
    if (!handle->is_open)
        return;
    unlink_open(tracking, handle);
    handle->is_open = false;
}

void quipu__charisma_handle_open(struct quipu__charisma_tracking *tracking,
                                 struct quipu__charisma_handle *handle, uint32_t file, uint8_t open_flags,
                                 uint64_t offset) {
    tracking->generation++;
    handle_close(tracking, handle);
    handle->is_open = true;
    handle->file = file;
    handle->open_flags = open_flags;
    handle->opened_at = offset;
    handle->offset = handle->memory_offset = 0;
    handle->remembered = (struct quipu__charisma_remembered){.filled = {0}};
    handle->application = handle->is_of_application
                              ? handle->owner
                              : quipu__charisma_application_of_client(tracking, handle->owner);
    quipu__charisma_handle_link(tracking, handle);
}

/* The only open descriptor of that number in an application, of itself or any of its clients. */
static struct quipu__charisma_handle *handle_inherited(struct quipu__charisma_tracking *tracking,
                                                       uint32_t application, int64_t file_desc) {
    const struct quipu__charisma_shared *shared =
        application == QUIPU_NONE ? NULL : shared_of(tracking, application, file_desc, false);
    return shared && shared->count == 1 ? &tracking->handles.items[shared->total] : NULL;
}

/* ---- Asynchronous requests ---- */

/* The request with that number of a client or an application, that has not ended. */
static struct quipu__charisma_in_flight *in_flight_find(struct quipu__charisma_tracking *tracking,
                                                        bool is_of_application, uint32_t owner,
                                                        int64_t async_id) {
    const struct quipu__map *map = &tracking->in_flight_numbers;
    const uint32_t number =
        owner == QUIPU_NONE ? QUIPU_NONE : quipu__map_get(map, key_of(map, is_of_application, owner, async_id));
    return number == QUIPU_NONE ? NULL : &tracking->in_flight.items[number];
}

/* A request that is free: one that has ended, or a new one. */
static struct quipu__charisma_in_flight *take_request(struct quipu__charisma_tracking *tracking) {
    if (tracking->free_in_flight.count > 0)
        return &tracking->in_flight.items[tracking->free_in_flight.items[--tracking->free_in_flight.count]];
    if (!QUIPU__VEC_RESERVE(tracking->memory, &tracking->free_in_flight, tracking->in_flight.count + 1))
        return NULL; /* so that ending needs no memory */
    return QUIPU__VEC_ADD(tracking->memory, &tracking->in_flight);
}

static bool make_room(struct quipu__charisma_tracking *tracking, struct quipu__charisma_in_flight *request,
                      uint32_t count) {
    if (count <= request->transfer_room)
        return true;
    struct quipu__charisma_transfer *transfers =
        quipu__resize(tracking->memory, request->transfers, request->transfer_room * sizeof *transfers,
                      count * sizeof *transfers);
    if (!transfers)
        return false;
    request->transfers = transfers;
    request->transfer_room = count;
    return true;
}

/* Ends one: it stays readable until the next one begins. */
static void in_flight_end(struct quipu__charisma_tracking *tracking,
                          struct quipu__charisma_in_flight *request) {
    quipu__map_remove(&tracking->in_flight_numbers, request->key);
    request->is_used = false;
    tracking->free_in_flight.items[tracking->free_in_flight.count++] =
        (uint32_t)(request - tracking->in_flight.items);
}

struct quipu__charisma_in_flight *quipu__charisma_in_flight_begin(struct quipu__charisma_tracking *tracking,
                                                                  bool is_of_application, uint32_t owner,
                                                                  int64_t async_id, uint32_t transfer_count) {
    struct quipu__map *map = &tracking->in_flight_numbers;
    const uint64_t key = key_of(map, is_of_application, owner, async_id);
    const uint32_t known = quipu__map_get(map, key);
    if (owner == QUIPU_NONE)
        return NULL;
    if (known != QUIPU_NONE)
        in_flight_end(tracking, &tracking->in_flight.items[known]);
    struct quipu__charisma_in_flight *request = take_request(tracking);
    if (!request || (tracking->keeps_transfers && !make_room(tracking, request, transfer_count)))
        return NULL;
    request->key = key;
    if (!quipu__map_put(map, key, (uint32_t)(request - tracking->in_flight.items)))
        return NULL;
    request->is_used = true;
    request->is_of_application = is_of_application;
    request->owner = owner;
    request->async_id = async_id;
    request->transfer_count = tracking->keeps_transfers ? transfer_count : 0;
    return request;
}

/* ---- Rules ---- */

const struct quipu_rule quipu__charisma_rules[QUIPU__CHARISMA_RULE_COUNT] = {
#define RULE(name, id, severity, text, advice) {id, QUIPU_##severity, text, advice, NULL},
#include "formats/charisma/rules.def"
#undef RULE
};

void quipu__charisma_find(struct quipu__charisma_check *check, enum quipu__charisma_rule rule,
                          const char *field, const char *expected, const char *found, ...) {
    const struct quipu_rule *broken = &quipu__charisma_rules[rule];
    check->errors += broken->id[0] == 'E';
    check->warnings += broken->id[0] == 'W';
    if (!check->findings)
        return;
    char text[200];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(text, sizeof text, found, arguments);
    va_end(arguments);
    const struct quipu__where where = {.file = check->path,
                                       .byte = check->where.byte,
                                       .line = QUIPU_UNKNOWN,
                                       .record = check->where.record,
                                       .type = check->where.type < QUIPU__CHARISMA_TYPE_COUNT
                                                   ? quipu__charisma_types[check->where.type].name
                                                   : "",
                                       .field = field};
    quipu__find(check->findings, broken, &where, expected, "%s", text);
}

void quipu__charisma_check_init(struct quipu__charisma_check *check, struct quipu__memory *memory,
                                const struct quipu__charisma_profile *profile, struct quipu_findings *findings,
                                const char *path) {
    *check = (struct quipu__charisma_check){.findings = findings, .path = path};
    check->where = (struct quipu__charisma_where){0, QUIPU_UNKNOWN, QUIPU_NONE};
    quipu__charisma_tracking_init(&check->tracking, memory, profile);
}

/* ---- Numbers of clients and applications ---- */

/* The application of a number, unless that stands for none. */
static uint32_t application_of(struct quipu__charisma_check *check, int64_t id) {
    return id == check->tracking.profile->no_app ? QUIPU_NONE : find_application(&check->tracking, id);
}

static uint32_t client_of(struct quipu__charisma_check *check, int64_t id) {
    return id == check->tracking.profile->no_client ? QUIPU_NONE
                                                    : quipu__charisma_client_of(&check->tracking, id);
}

static void check_client(struct quipu__charisma_check *check, uint32_t client) {
    if (client != QUIPU_NONE && !check->tracking.clients.items[client].is_known)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_UNKNOWN_CLIENT, "client_id", "", "client %" PRId64,
                             check->tracking.clients.items[client].id);
}

static void check_application(struct quipu__charisma_check *check, uint32_t application) {
    if (application != QUIPU_NONE && !check->tracking.applications.items[application].is_known)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_UNKNOWN_APPLICATION, "appl_id", "",
                             "application %" PRId64, check->tracking.applications.items[application].id);
}

/* ---- Times ---- */

static const char *stamp_text(struct quipu_number stamp, char text[40]) {
    if (stamp.is_real)
        quipu__print(text, 40, "%.9g", stamp.f);
    else if (stamp.is_signed)
        snprintf(text, 40, "%" PRId64, stamp.i);
    else
        snprintf(text, 40, "%" PRIu64, (uint64_t)stamp.i);
    return text;
}

static void check_time(struct quipu__charisma_check *check, struct quipu_number stamp, const char *field) {
    char found[40], expected[40];
    if (check->has_latest && quipu__charisma_compare(stamp, check->latest) < 0) {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_TIME_BACK, field, "", "%s after %s",
                             stamp_text(stamp, found), stamp_text(check->latest, expected));
        return;
    }
    check->latest = stamp;
    check->has_latest = quipu__charisma_compare(stamp, stamp) == 0;
}

static void check_order(struct quipu__charisma_check *check, struct quipu_number begin, struct quipu_number end,
                        const char *field) {
    char found[40], expected[40];
    if (quipu__charisma_compare(end, begin) < 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_END_FIRST, field, "", "%s before %s",
                             stamp_text(end, found), stamp_text(begin, expected));
}

/* ---- What the table says ---- */

static void check_text(struct quipu__charisma_check *check, const struct quipu_field *field, const void *data) {
    const char *text = *(const char *const *)quipu__member_const(field, data);
    const uint16_t length = check->tracking.profile->lengths[field->domain->wire];
    if (quipu_sized_count(text) >= length)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NO_NUL, field->name, "", "%u characters", length);
}

static void check_size(struct quipu__charisma_check *check, const char *field, int64_t value) {
    if (value < 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NEGATIVE, field, "", "%" PRId64, value);
}

static void check_field(struct quipu__charisma_check *check, const struct quipu_field *field,
                        const void *data) {
    const void *member = quipu__member_const(field, data);
    if (field->wire == QUIPU__FORM_CHARACTERS)
        check_text(check, field, data);
    else if (field->wire == QUIPU__CHARISMA_WIRE_BigInt)
        check_size(check, field->name, *(const int64_t *)member);
}

static bool is_request(uint32_t type) {
    return type == QUIPU__CHARISMA_TYPE_rw || type == QUIPU__CHARISMA_TYPE_comp_rw;
}

/* What is the same in all records but requests, which are most and have functions of their own. */
static void check_by_table(struct quipu__charisma_check *check, const void *data) {
    const struct quipu_record_type *type = &quipu__charisma_types[check->where.type];
    for (uint16_t i = 0; i < type->field_count; i++)
        check_field(check, &type->fields[i], data);
    check_client(check, check->client);
    check_application(check, check->application);
}

/* ---- The system and its applications ---- */

typedef void record_fn(struct quipu__charisma_check *check, const union quipu__charisma_any *any);

static void check_header(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_header *header = &any->header;
    const int64_t system_type = check->tracking.profile->system_type;
    const bool is_first = !check->has_header;
    check->has_header = true;
    if (!is_first)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OTHER_HEADER, "", "", " ");
    if (is_first && header->system_type != system_type)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_SYSTEM_TYPE, "system_type", "",
                             "%u in place of %" PRId64, header->system_type, system_type);
    if (is_first && !(header->timestamp_unit > 1e-12 && header->timestamp_unit <= 1000))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_TIMESTAMP_UNIT, "timestamp_unit", "", "%g",
                             header->timestamp_unit);
    check_time(check, header->timestamp, "timestamp");
}

static void follow_app_load(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_app_load *load = &any->app_load;
    check->application = application_of(check, load->appl_id);
    load_application(&check->tracking, check->application);
    for (uint32_t i = 0; i < quipu_sized_count(load->clients); i++)
        join_application(&check->tracking, client_of(check, load->clients[i]), check->application);
    check_time(check, load->timestamp, "timestamp");
}

static void report_open(struct quipu__charisma_check *check, const struct quipu__charisma_handle *handle) {
    const struct quipu__charisma_where before = check->where;
    check->where = (struct quipu__charisma_where){handle->opened_at, QUIPU_UNKNOWN, QUIPU_NONE};
    quipu__charisma_find(check, QUIPU__CHARISMA_RULE_IMPLICIT_CLOSE, "file_desc", "", "descriptor %" PRId64,
                         handle->file_desc);
    check->where = before;
}

static void follow_app_exit(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    check->application = application_of(check, any->app_exit.appl_id);
    check_time(check, any->app_exit.timestamp, "timestamp");
    if (check->application == QUIPU_NONE)
        return;
    quipu__charisma_application_instance(tracking, check->application);
    while (tracking->applications.items[check->application].first_open != QUIPU_NONE) {
        const uint32_t open = tracking->applications.items[check->application].first_open;
        report_open(check, &tracking->handles.items[open]);
        handle_close(tracking, &tracking->handles.items[open]);
    }
    exit_application(tracking, check->application);
}

/* A client joins an application, or leaves it. */
static void follow_client(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    check->application = application_of(check, any->client_join.appl_id);
    check->client = client_of(check, any->client_join.client_id);
    if (check->where.type == QUIPU__CHARISMA_TYPE_client_join) {
        join_application(&check->tracking, check->client, check->application);
    } else {
        quipu__charisma_client_instance(&check->tracking, check->client);
        leave_application(&check->tracking, check->client);
    }
    check_time(check, any->client_join.timestamp, "timestamp");
}

/* ---- Opens and closes: those of an application have its number in the place of the client's ---- */

static uint32_t owner_of(struct quipu__charisma_check *check, bool is_of_application, int64_t id) {
    if (is_of_application) {
        check->application = application_of(check, id);
        quipu__charisma_application_instance(&check->tracking, check->application);
        return check->application;
    }
    check->client = client_of(check, id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    return check->client;
}

static bool has_one_access(uint8_t open_flags) {
    const uint8_t access = open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    return access == QUIPU__CHARISMA_OPEN_READ || access == QUIPU__CHARISMA_OPEN_READ_WRITE ||
           access == QUIPU__CHARISMA_OPEN_WRITE;
}

static void follow_open(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_client_open *open = &any->client_open;
    const bool is_of_application = check->where.type == QUIPU__CHARISMA_TYPE_app_open;
    const uint32_t owner = owner_of(check, is_of_application, open->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_of(&check->tracking, is_of_application, owner, open->file_desc);
    check->file = find_file(&check->tracking, open->file_id);
    if (!has_one_access(open->open_flags) || (open->open_flags & ~QUIPU__CHARISMA_OPEN_ALL) != 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPEN_FLAGS, "open_flags", "one of 1, 2 and 4",
                             "0x%02x", open->open_flags);
    if (handle && handle->is_open)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPEN_TWICE, "file_desc", "", "descriptor %" PRId64,
                             open->file_desc);
    if (handle)
        quipu__charisma_handle_open(&check->tracking, handle, check->file, open->open_flags, check->where.byte);
    check_time(check, open->timestamp, "timestamp");
}

static void follow_close(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_client_close *close = &any->client_close;
    const bool is_of_application = check->where.type == QUIPU__CHARISMA_TYPE_app_close;
    const uint32_t owner = owner_of(check, is_of_application, close->client_id);
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_find(&check->tracking, is_of_application, owner, close->file_desc);
    if (handle && handle->is_open) {
        check->file = handle->file;
        handle_close(&check->tracking, handle);
    } else {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_CLOSE_ONLY, "file_desc", "", "descriptor %" PRId64,
                             close->file_desc);
    }
    check_time(check, close->timestamp, "timestamp");
}

/* ---- Files ---- */

/* EXTEND, TRUNCATE, LINK and UNLINK begin alike. */
static void follow_file(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    check->client = client_of(check, any->extend.client_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    check->file = find_file(&check->tracking, any->extend.file_id);
    check_time(check, any->extend.timestamp, "timestamp");
}

static struct quipu__charisma_handle *open_one(struct quipu__charisma_check *check, bool is_of_application,
                                               uint32_t owner, int64_t file_desc) {
    struct quipu__charisma_handle *handle =
        quipu__charisma_handle_find(&check->tracking, is_of_application, owner, file_desc);
    return handle && handle->is_open ? handle : NULL;
}

struct quipu__charisma_handle *quipu__charisma_target(struct quipu__charisma_check *check, bool is_of_client,
                                                      uint32_t application, uint32_t client, int64_t file_desc,
                                                      bool *is_inherited) {
    if (application == QUIPU_NONE)
        application = quipu__charisma_application_of_client(&check->tracking, client);
    struct quipu__charisma_handle *handle =
        open_one(check, !is_of_client, is_of_client ? client : application, file_desc);
    if (!handle)
        handle = open_one(check, is_of_client, is_of_client ? application : client, file_desc);
    *is_inherited = !handle;
    return handle ? handle : handle_inherited(&check->tracking, application, file_desc);
}

static void follow_fcntl(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    bool is_inherited;
    check->client = client_of(check, any->fcntl.client_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    const struct quipu__charisma_handle *handle =
        quipu__charisma_target(check, true, QUIPU_NONE, check->client, any->fcntl.file_desc.i, &is_inherited);
    check->file = handle ? handle->file : QUIPU_NONE;
    if (is_inherited)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NOT_OPEN, "file_desc", "", "descriptor %" PRId64,
                             any->fcntl.file_desc.i);
    check_time(check, any->fcntl.timestamp, "timestamp");
}

/* ---- Requests ---- */

static void check_access(struct quipu__charisma_check *check, const struct quipu__charisma_handle *handle,
                         uint8_t operation_type) {
    const bool writes = operation_type & QUIPU__CHARISMA_WRITE;
    const uint8_t access = handle->open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    if (access == (writes ? QUIPU__CHARISMA_OPEN_READ : QUIPU__CHARISMA_OPEN_WRITE))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ACCESS, "operation_type", "",
                             "a %s, opened for %s only", writes ? "write" : "read",
                             writes ? "reading" : "writing");
}

/* One entry of a request. */
static struct quipu__charisma_handle *check_entry(struct quipu__charisma_check *check, bool is_of_client,
                                                  uint32_t application, uint32_t client, int64_t file_desc,
                                                  uint8_t operation_type) {
    bool is_inherited;
    struct quipu__charisma_handle *handle =
        quipu__charisma_target(check, is_of_client, application, client, file_desc, &is_inherited);
    check_client(check, client);
    quipu__charisma_client_instance(&check->tracking, client);
    if (is_inherited)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NOT_OPEN, "file_desc", "", "descriptor %" PRId64,
                             file_desc);
    if (handle)
        check_access(check, handle, operation_type);
    return handle;
}

/* Begins an asynchronous request; its transfers are filled in as the entries are looked at. */
static struct quipu__charisma_in_flight *begin_request(struct quipu__charisma_check *check,
                                                       const struct quipu__charisma_rw *rw, bool is_of_client,
                                                       uint32_t owner) {
    if (in_flight_find(&check->tracking, !is_of_client, owner, rw->async_id))
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ASYNC_AGAIN, "async_id", "", "request %" PRId64,
                             rw->async_id);
    struct quipu__charisma_in_flight *request = quipu__charisma_in_flight_begin(
        &check->tracking, !is_of_client, owner, rw->async_id, quipu_sized_count(rw->requests));
    if (!request)
        return NULL;
    request->offset = check->where.byte;
    request->record = check->where.record;
    request->number = check->first_transfers;
    request->operation_type = rw->operation_type;
    request->starttime = rw->starttime;
    request->endtime = rw->endtime;
    return request;
}

/* The clients of a request, which may be new. */
static void define_clients(struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    for (uint32_t i = 0; i < quipu_sized_count(rw->requests); i++)
        quipu__charisma_client_instance(&check->tracking, client_of(check, rw->requests[i].client_id));
    quipu__charisma_compressed_pass(&check->tracking, rw);
}

static void follow_rw(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_rw *rw = &any->rw;
    const bool is_of_client = rw->operation_type & QUIPU__CHARISMA_OF_CLIENT;
    const uint32_t count = quipu_sized_count(rw->requests);
    struct quipu__charisma_in_flight *request = NULL;
    check->first_transfers = check->tracking.transfer_count;
    check->tracking.transfer_count += count;
    check->application = application_of(check, rw->appl_id);
    quipu__charisma_application_instance(&check->tracking, check->application);
    check_time(check, rw->starttime, "starttime");
    if (check->only_defines) {
        define_clients(check, rw);
        return;
    }
    check_order(check, rw->starttime, rw->endtime, "endtime");
    check_application(check, check->application);
    if (rw->operation_type & ~QUIPU__CHARISMA_OPERATIONS)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_OPERATION_BITS, "operation_type", "", "0x%02x",
                             rw->operation_type);
    if (is_of_client ? count != 1 : count == 0)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_CLIENT_COUNT, "num_clients", is_of_client ? "1" : "",
                             "%u", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct quipu__charisma_request *entry = &rw->requests[i];
        const uint32_t client = client_of(check, entry->client_id);
        check_size(check, "offset", entry->offset);
        check_size(check, "IO_size", entry->IO_size);
        const struct quipu__charisma_handle *handle =
            check_entry(check, is_of_client, check->application, client, rw->file_desc, rw->operation_type);
        if (i == 0 && rw->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS) {
            uint32_t owner = is_of_client ? client : check->application;
            if (owner == QUIPU_NONE)
                owner = quipu__charisma_application_of_client(&check->tracking, client);
            request = begin_request(check, rw, is_of_client, owner);
        }
        if (request && i < request->transfer_count)
            request->transfers[i] = (struct quipu__charisma_transfer){
                quipu__charisma_client_instance(&check->tracking, client), handle ? handle->file : QUIPU_NONE,
                rw->file_desc, entry->offset, entry->IO_size};
    }
    quipu__charisma_compressed_pass(&check->tracking, rw);
}

/* ---- The fast path ---- */

/* The open descriptor of a client, or else of its application. */
static struct quipu__charisma_handle *find_open(struct quipu__charisma_check *check,
                                                struct quipu__charisma_handle *own, uint32_t client) {
    if (own->is_open)
        return own;
    const uint32_t application = quipu__charisma_application_of_client(&check->tracking, client);
    return open_one(check, true, application, own->file_desc);
}

/* Which directions a descriptor was opened for. */
static uint8_t directions_of(const struct quipu__charisma_handle *handle) {
    const uint8_t access = handle->open_flags & QUIPU__CHARISMA_OPEN_ACCESS;
    return (uint8_t)((access != QUIPU__CHARISMA_OPEN_WRITE) | (access != QUIPU__CHARISMA_OPEN_READ) << 1);
}

/* Finds the route of a request of one client; false when it has none or may break a rule. */
static bool find_route(struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    const int64_t id = rw->requests->client_id;
    const uint32_t client =
        id == tracking->profile->no_client ? QUIPU_NONE : quipu__charisma_client_of(tracking, id);
    if (client == QUIPU_NONE || !tracking->clients.items[client].is_known ||
        tracking->clients.items[client].instance == QUIPU_NONE)
        return false;
    struct quipu__charisma_handle *own = quipu__charisma_handle_find(tracking, false, client, rw->file_desc);
    const struct quipu__charisma_handle *handle = own ? find_open(check, own, client) : NULL;
    if (!handle)
        return false;
    *quipu__charisma_route_of(tracking, id, rw->file_desc) =
        (struct quipu__charisma_route){.generation = tracking->generation,
                                       .client_id = id,
                                       .file_desc = rw->file_desc,
                                       .client = client,
                                       .instance = tracking->clients.items[client].instance,
                                       .handle = (uint32_t)(own - tracking->handles.items),
                                       .file = handle->file,
                                       .directions = directions_of(handle)};
    return true;
}

static void follow_comp_rw(struct quipu__charisma_check *check, union quipu__charisma_any *any) {
    struct quipu__charisma_comp_rw *record = &any->comp_rw;
    check->first_transfers = check->tracking.transfer_count++;
    check->client = client_of(check, record->client_id);
    if (check->client == QUIPU_NONE) /* a machine on which a small number stands for none */
        check->client = quipu__charisma_client_of(&check->tracking, record->client_id);
    for (unsigned missing = quipu__charisma_compressed_expand(&check->tracking, record); missing > 0; missing--)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_EMPTY_SLOT, "", "", " ");
    if (record->operation_type & QUIPU__CHARISMA_ASYNCHRONOUS)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_ASYNCHRONOUS_COMPRESSED, "operation_type", "", " ");
    check_time(check, record->starttime, "starttime");
    check_size(check, "offset", record->offset);
    const struct quipu__charisma_handle *handle =
        check_entry(check, true, QUIPU_NONE, check->client, record->file_desc, record->operation_type);
    check->file = handle ? handle->file : QUIPU_NONE;
}

/* Whether there is a route to look for. */
static bool may_be_routed(const struct quipu__charisma_check *check, const struct quipu__charisma_rw *rw) {
    const unsigned either = QUIPU__CHARISMA_WRITE | (check->only_defines ? QUIPU__CHARISMA_ASYNCHRONOUS : 0U);
    return (rw->operation_type & ~either) == QUIPU__CHARISMA_OF_CLIENT &&
           quipu_sized_count(rw->requests) == 1 && check->has_latest;
}

/* Finds the route of a request, for those that follow too; false, with nothing done, when there is none. */
static bool check_on_route(struct quipu__charisma_check *check, uint64_t byte,
                           const struct quipu__charisma_rw *rw) {
    if (!may_be_routed(check, rw) || !find_route(check, rw))
        return false;
    const struct quipu__charisma_route *route = check->only_defines
                                                    ? quipu__charisma_known_route(check, check->latest, rw)
                                                    : quipu__charisma_check_route(check, check->latest, rw);
    if (!route)
        return false;
    quipu__charisma_compressed_note(&check->tracking, route, rw);
    quipu__charisma_check_routed(check, byte, rw->starttime, 1);
    return true;
}

static void follow_asynch_end(struct quipu__charisma_check *check, const union quipu__charisma_any *any) {
    const struct quipu__charisma_asynch_end *end = &any->asynch_end;
    check->client = client_of(check, end->client_id);
    check->application = application_of(check, end->appl_id);
    quipu__charisma_client_instance(&check->tracking, check->client);
    quipu__charisma_application_instance(&check->tracking, check->application);
    check_time(check, end->call_time, "call_time");
    if (check->only_defines)
        return;
    struct quipu__charisma_in_flight *request =
        in_flight_find(&check->tracking, false, check->client, end->async_id);
    if (!request)
        request = in_flight_find(&check->tracking, true, check->application, end->async_id);
    check_order(check, end->call_time, end->end_time, "end_time");
    if (!request) {
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_END_ONLY, "async_id", "", "request %" PRId64,
                             end->async_id);
        return;
    }
    if (quipu__charisma_compare(end->end_time, end->call_time) >= 0)
        check_order(check, request->endtime, end->call_time, "call_time");
    in_flight_end(&check->tracking, request);
    check->ended = request;
}

/* ---- All records ---- */

static record_fn *const functions[QUIPU__CHARISMA_TYPE_comp_rw] = {
    [QUIPU__CHARISMA_TYPE_header] = check_header,
    [QUIPU__CHARISMA_TYPE_app_load] = follow_app_load,
    [QUIPU__CHARISMA_TYPE_app_exit] = follow_app_exit,
    [QUIPU__CHARISMA_TYPE_client_join] = follow_client,
    [QUIPU__CHARISMA_TYPE_client_leave] = follow_client,
    [QUIPU__CHARISMA_TYPE_app_open] = follow_open,
    [QUIPU__CHARISMA_TYPE_client_open] = follow_open,
    [QUIPU__CHARISMA_TYPE_app_close] = follow_close,
    [QUIPU__CHARISMA_TYPE_client_close] = follow_close,
    [QUIPU__CHARISMA_TYPE_rw] = follow_rw,
    [QUIPU__CHARISMA_TYPE_extend] = follow_file,
    [QUIPU__CHARISMA_TYPE_truncate] = follow_file,
    [QUIPU__CHARISMA_TYPE_link] = follow_file,
    [QUIPU__CHARISMA_TYPE_unlink] = follow_file,
    [QUIPU__CHARISMA_TYPE_asynch_end] = follow_asynch_end,
    [QUIPU__CHARISMA_TYPE_fcntl] = follow_fcntl,
};

void quipu__charisma_check_record(struct quipu__charisma_check *check, uint64_t byte, uint32_t type,
                                  union quipu__charisma_any *data) {
    if (type == QUIPU__CHARISMA_TYPE_rw && check_on_route(check, byte, &data->rw))
        return;
    check->where = (struct quipu__charisma_where){byte, check->where.record + 1, type};
    check->client = check->application = check->file = QUIPU_NONE;
    check->ended = NULL;
    if (check->where.record == 0 && type != QUIPU__CHARISMA_TYPE_header)
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NO_HEADER, "", "HEADER", "%s",
                             quipu__charisma_types[type].name);
    if (type == QUIPU__CHARISMA_TYPE_comp_rw)
        follow_comp_rw(check, data);
    else
        functions[type](check, data);
    if (!is_request(type))
        check_by_table(check, data);
}

void quipu__charisma_check_end(struct quipu__charisma_check *check, bool cut) {
    struct quipu__charisma_tracking *tracking = &check->tracking;
    for (size_t i = 0; i < tracking->handles.count && !cut; i++)
        if (tracking->handles.items[i].is_open)
            report_open(check, &tracking->handles.items[i]);
    for (size_t i = 0; i < tracking->in_flight.count && !cut; i++) {
        const struct quipu__charisma_in_flight *request = &tracking->in_flight.items[i];
        if (!request->is_used)
            continue;
        check->where =
            (struct quipu__charisma_where){request->offset, request->record, QUIPU__CHARISMA_TYPE_rw};
        quipu__charisma_find(check, QUIPU__CHARISMA_RULE_NEVER_ENDS, "async_id", "", "request %" PRId64,
                             request->async_id);
    }
}
