/* tracking.c: tables of applications, clients, files, descriptors and requests that have not ended. */
#include "formats/charisma/tracking.h"

#include <string.h>

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

uint32_t quipu__charisma_application_of(struct quipu__charisma_tracking *tracking, int64_t id) {
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

uint32_t quipu__charisma_file_of(struct quipu__charisma_tracking *tracking, struct quipu_number id) {
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

void quipu__charisma_load(struct quipu__charisma_tracking *tracking, uint32_t application) {
    tracking->generation++;
    if (application == QUIPU_NONE)
        return;
    struct quipu__charisma_application *it = &tracking->applications.items[application];
    it->is_known = true;
    it->instance = add_instance(tracking, it->id, true, QUIPU_NONE);
}

void quipu__charisma_join(struct quipu__charisma_tracking *tracking, uint32_t client, uint32_t application) {
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

void quipu__charisma_leave(struct quipu__charisma_tracking *tracking, uint32_t client) {
    tracking->generation++;
    if (client != QUIPU_NONE)
        tracking->clients.items[client].joined = QUIPU_NONE;
}

void quipu__charisma_exit(struct quipu__charisma_tracking *tracking, uint32_t application) {
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

/* Puts a handle that is open into the list of its application. */
static void link_open(struct quipu__charisma_tracking *tracking, struct quipu__charisma_handle *handle) {
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

void quipu__charisma_handle_close(struct quipu__charisma_tracking *tracking,
                                  struct quipu__charisma_handle *handle) {
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
    quipu__charisma_handle_close(tracking, handle);
    handle->is_open = true;
    handle->file = file;
    handle->open_flags = open_flags;
    handle->opened_at = offset;
    handle->offset = handle->memory_offset = 0;
    handle->remembered = (struct quipu__charisma_remembered){.filled = {0}};
    handle->application = handle->is_of_application
                              ? handle->owner
                              : quipu__charisma_application_of_client(tracking, handle->owner);
    link_open(tracking, handle);
}

struct quipu__charisma_handle *quipu__charisma_handle_inherited(struct quipu__charisma_tracking *tracking,
                                                                uint32_t application, int64_t file_desc) {
    const struct quipu__charisma_shared *shared =
        application == QUIPU_NONE ? NULL : shared_of(tracking, application, file_desc, false);
    return shared && shared->count == 1 ? &tracking->handles.items[shared->total] : NULL;
}

/* ---- Asynchronous requests ---- */

struct quipu__charisma_in_flight *quipu__charisma_in_flight_find(struct quipu__charisma_tracking *tracking,
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

struct quipu__charisma_in_flight *quipu__charisma_in_flight_begin(struct quipu__charisma_tracking *tracking,
                                                                  bool is_of_application, uint32_t owner,
                                                                  int64_t async_id, uint32_t transfer_count) {
    struct quipu__map *map = &tracking->in_flight_numbers;
    struct quipu__charisma_in_flight *request =
        quipu__charisma_in_flight_find(tracking, is_of_application, owner, async_id);
    if (owner == QUIPU_NONE)
        return NULL;
    if (request)
        quipu__charisma_in_flight_end(tracking, request);
    request = take_request(tracking);
    if (!request || (tracking->keeps_transfers && !make_room(tracking, request, transfer_count)))
        return NULL;
    request->key = key_of(map, is_of_application, owner, async_id);
    if (!quipu__map_put(map, request->key, (uint32_t)(request - tracking->in_flight.items)))
        return NULL;
    request->is_used = true;
    request->async_id = async_id;
    request->transfer_count = tracking->keeps_transfers ? transfer_count : 0;
    return request;
}

void quipu__charisma_in_flight_end(struct quipu__charisma_tracking *tracking,
                                   struct quipu__charisma_in_flight *request) {
    quipu__map_remove(&tracking->in_flight_numbers, request->key);
    request->is_used = false;
    tracking->free_in_flight.items[tracking->free_in_flight.count++] =
        (uint32_t)(request - tracking->in_flight.items);
}
