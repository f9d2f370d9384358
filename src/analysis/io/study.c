/* study.c: jobs, sizes, regularity, open files and caches, as workload studies of parallel file systems do. */
#include "analysis/io/study.h"

#include "core/error.h"
#include "core/text.h"
#include "model/batch.h"

#include <inttypes.h>
#include <string.h>

/* ---- Options ---- */

static enum quipu_status number_of(const struct quipu__settings *settings, const char *name, uint64_t least,
                                   uint64_t most, uint64_t *out, struct quipu_error *err) {
    const char *value = quipu__settings_value(settings, name);
    if (value && quipu__parse_u64(value, strlen(value), out) && *out >= least && *out <= most)
        return QUIPU_OK;
    return quipu__fail(err, QUIPU_MISUSE, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not \"%s\"",
                       name, least, most, value ? value : "");
}

enum quipu_status quipu__io_block_size(const struct quipu__settings *settings, int64_t *out,
                                       struct quipu_error *err) {
    uint64_t size = 0;
    const enum quipu_status status = number_of(settings, "block", 1, INT64_C(1) << 40, &size, err);
    *out = (int64_t)size;
    return status;
}

/* Numbers with commas between them. */
static enum quipu_status numbers_of(const struct quipu__settings *settings, const char *name, uint64_t most,
                                    struct quipu__io_numbers *out, struct quipu_error *err) {
    const char *value = quipu__settings_value(settings, name);
    const char *rest = value;
    bool is_good = true;
    for (out->count = 0; is_good && out->count < QUIPU__IO_LIST; out->count++) {
        const size_t len = strcspn(rest, ",");
        uint64_t *item = &out->items[out->count];
        is_good = quipu__parse_u64(rest, len, item) && *item >= 1 && *item <= most;
        rest += len;
        if (*rest++ == '\0')
            break;
    }
    if (is_good && out->count < QUIPU__IO_LIST) {
        out->count++;
        return QUIPU_OK;
    }
    quipu__fail(err, QUIPU_MISUSE, "--%s takes numbers such as 10,100, not \"%s\"", name, value);
    quipu__advise(err, "at most %d numbers, each from 1 to %" PRIu64, QUIPU__IO_LIST - 1, most);
    return QUIPU_MISUSE;
}

static bool is_chosen(const char *choice, const char *name) {
    return strcmp(choice, "both") == 0 || strcmp(choice, name) == 0;
}

/* More I/O nodes than that no machine has had. */
static enum quipu_status set_nodes(struct quipu__io *io, const struct quipu__settings *settings,
                                   struct quipu_error *err) {
    uint64_t nodes = io->definitions->system.io_nodes;
    enum quipu_status status = QUIPU_OK;
    if (quipu__settings_value(settings, "io-nodes"))
        status = number_of(settings, "io-nodes", 1, QUIPU__IO_NODES_MOST, &nodes, err);
    nodes = nodes < QUIPU__IO_NODES_MOST ? nodes : QUIPU__IO_NODES_MOST;
    io->study->io_nodes = nodes > 0 ? (uint32_t)nodes : 1;
    return status;
}

enum { CLIENT_BUFFERS_MOST = 4096 };

static enum quipu_status set_options(struct quipu__io *io, const struct quipu__settings *settings,
                                     struct quipu_error *err) {
    struct quipu__io_study *study = io->study;
    const char *replacement = quipu__settings_value(settings, "replacement");
    study->has_replacement[QUIPU__REPLACE_LRU] = is_chosen(replacement, "lru");
    study->has_replacement[QUIPU__REPLACE_FIFO] = is_chosen(replacement, "fifo");
    study->client_replacement = strcmp(quipu__settings_value(settings, "client-replacement"), "fifo") == 0
                                    ? QUIPU__REPLACE_FIFO
                                    : QUIPU__REPLACE_LRU;
    enum quipu_status status = number_of(settings, "small", 0, INT64_MAX, &study->small, err);
    if (status == QUIPU_OK)
        status = numbers_of(settings, "io-buffers", QUIPU__IO_BUFFERS_MOST, &study->io_buffers, err);
    if (status == QUIPU_OK)
        status = numbers_of(settings, "client-buffers", CLIENT_BUFFERS_MOST, &study->client_buffers, err);
    return status == QUIPU_OK ? set_nodes(io, settings, err) : status;
}

/* ---- Making ---- */

static uint32_t find_key(const struct quipu_attribute_keys *keys, const char *name) {
    for (uint32_t i = 0; i < keys->count; i++)
        if (strcmp(keys->items[i].name, name) == 0)
            return i;
    return QUIPU_NONE;
}

static bool has_applications(const struct quipu_locations *locations) {
    for (uint32_t i = 0; i < locations->count; i++)
        if (locations->items[i].kind == QUIPU_LOCATION_APPLICATION)
            return true;
    return false;
}

static bool make_caches(struct quipu__io *io) {
    struct quipu__io_study *study = io->study;
    const struct quipu__io_numbers *buffers = &study->io_buffers;
    unsigned replacements = 0;
    for (unsigned r = 0; r < QUIPU__REPLACEMENTS; r++)
        replacements |= (unsigned)study->has_replacement[r] << r;
    return quipu__node_caches_init(&study->nodes, &io->memory, replacements, buffers->items, buffers->count,
                                   study->io_nodes) &&
           quipu__node_caches_init(&study->combined, &io->memory, 1u << QUIPU__REPLACE_LRU, buffers->items,
                                   buffers->count, study->io_nodes);
}

enum quipu_status quipu__io_study_new(struct quipu__io *io, const struct quipu__settings *settings,
                                      struct quipu_error *err) {
    struct quipu__io_study *study = io->study = quipu__alloc_zero(&io->memory, sizeof *study);
    if (!study)
        return quipu__no_memory(err, sizeof *study);
    quipu__map_init(&study->job_of, &io->memory);
    quipu__map_init(&study->job_clients, &io->memory);
    quipu__map_init(&study->files_open, &io->memory);
    quipu__map_init(&study->shared_files, &io->memory);
    quipu__map_init(&study->removed, &io->memory);
    for (unsigned d = 0; d < QUIPU__IO_DIRECTIONS; d++)
        quipu__map_init(&study->sizes[d].numbers, &io->memory);
    study->size_key = find_key(&io->definitions->attribute_keys, "file_size");
    study->has_applications = has_applications(&io->definitions->locations);
    const enum quipu_status status = set_options(io, settings, err);
    return status != QUIPU_OK || make_caches(io) ? status : quipu__no_memory(err, io->memory.used);
}

static void free_client_caches(struct quipu__io *io, struct quipu__client_cache *cache) {
    const struct quipu__io_numbers *buffers = &io->study->client_buffers;
    for (uint32_t i = 0; cache && i < buffers->count; i++)
        quipu__client_blocks_release(&cache->sizes[i], &io->memory, (uint32_t)buffers->items[i]);
    quipu__release(&io->memory, cache, sizeof *cache);
}

void quipu__io_study_free(struct quipu__io *io) {
    struct quipu__io_study *study = io->study;
    if (!study)
        return;
    for (size_t i = 0; i < io->uses.count; i++)
        if (io->uses.items[i].cache)
            free_client_caches(io, io->uses.items[i].cache);
    quipu__node_caches_release(&study->nodes);
    quipu__node_caches_release(&study->combined);
    for (unsigned d = 0; d < QUIPU__IO_DIRECTIONS; d++) {
        quipu__map_release(&study->sizes[d].numbers);
        QUIPU__VEC_RELEASE(&io->memory, &study->sizes[d].list);
    }
    QUIPU__VEC_RELEASE(&io->memory, &study->jobs);
    quipu__map_release(&study->job_of);
    quipu__map_release(&study->job_clients);
    quipu__map_release(&study->files_open);
    quipu__map_release(&study->shared_files);
    quipu__map_release(&study->removed);
    quipu__release(&io->memory, study, sizeof *study);
    io->study = NULL;
}

/* ---- Jobs ---- */

static struct quipu__io_job *job_of(struct quipu__io *io, uint32_t location) {
    struct quipu__io_study *study = io->study;
    const uint32_t known = quipu__map_get(&study->job_of, location);
    if (known != QUIPU_NONE)
        return &study->jobs.items[known];
    const uint32_t number = (uint32_t)study->jobs.count;
    struct quipu__io_job *job = QUIPU__VEC_ADD(&io->memory, &study->jobs);
    if (!job || !quipu__map_put(&study->job_of, location, number))
        return NULL;
    job->location = location;
    return job;
}

static bool add_client(struct quipu__io *io, struct quipu__io_job *job, uint32_t client) {
    struct quipu__map *seen = &io->study->job_clients;
    const uint64_t key = (uint64_t)(job - io->study->jobs.items) << 32 | client;
    if (quipu__map_get(seen, key) != QUIPU_NONE)
        return true;
    job->clients++;
    return quipu__map_put(seen, key, 0);
}

bool quipu__io_study_time(struct quipu__io *io, uint32_t location, int64_t time) {
    if (io->study->has_applications)
        return true;
    struct quipu__io_job *job = job_of(io, QUIPU_NONE);
    if (!job || !add_client(io, job, location))
        return false;
    job->begin = job->has_started ? job->begin : time;
    job->end = time;
    job->has_started = job->has_ended = true;
    return true;
}

static bool begin_location(struct quipu__io *io, uint32_t location, int64_t time) {
    const struct quipu__io_location *it = &io->operations.locations[location];
    struct quipu__io_job *job = it->application == QUIPU_NONE ? NULL : job_of(io, it->application);
    if (!job)
        return it->application == QUIPU_NONE;
    if (it->application != location)
        return add_client(io, job, it->client);
    job->has_started = true;
    job->begin = time;
    return true;
}

/* ---- Open files ---- */

/* One application more, or less, has the file open. */
static bool count_open_file(struct quipu__io *io, uint32_t file, int change) {
    struct quipu__io_study *study = io->study;
    const uint32_t known = quipu__map_get(&study->files_open, file);
    const uint32_t count = (known == QUIPU_NONE ? 0 : known) + (uint32_t)change;
    if (!quipu__map_put(&study->files_open, file, count))
        return false;
    if (change < 0 || count < 2 || quipu__map_get(&study->shared_files, file) != QUIPU_NONE)
        return true;
    study->files_shared_by_jobs++;
    return quipu__map_put(&study->shared_files, file, 0);
}

/* Whether the open is one for several clients: that of an application. */
static bool is_of_several(struct quipu__io *io, const struct quipu__io_use *use) {
    const uint32_t known = quipu__map_get(&io->study->job_of, use->location);
    return known != QUIPU_NONE && io->study->jobs.items[known].clients > 1;
}

/* Notes that the application has, or had, the file open. */
static bool list_open(struct quipu__io *io, uint32_t number) {
    struct quipu__io_file_use *file_use = &io->file_uses.items[number];
    struct quipu__io_job *job =
        file_use->is_listed || file_use->application == QUIPU_NONE ? NULL : job_of(io, file_use->application);
    if (!job)
        return file_use->is_listed || file_use->application == QUIPU_NONE;
    file_use->is_listed = true;
    file_use->next_listed = job->opened;
    job->opened = number + 1;
    return true;
}

bool quipu__io_study_open(struct quipu__io *io, struct quipu__io_use *use, uint32_t flags) {
    struct quipu__io_file_use *file_use = &io->file_uses.items[use->file_use];
    const uint32_t create = io->definitions->io_create_flag;
    file_use->is_created |= flags != QUIPU_NONE && (flags & create) != 0;
    if (use->open_count++ > 0)
        return true;
    if (!list_open(io, use->file_use))
        return false;
    file_use->open_clients++;
    file_use->was_open_twice |= file_use->open_clients > 1 || is_of_several(io, use);
    return file_use->open_clients > 1 || count_open_file(io, use->file, 1);
}

static uint64_t file_size_of(const struct quipu__io_study *study, const struct quipu_batch *batch,
                             uint32_t event) {
    uint32_t i = quipu__batch_attributes_of(batch, event);
    for (; i < batch->attribute_count && batch->attributes[i].event == event; i++)
        if (batch->attributes[i].value.key == study->size_key)
            return batch->attributes[i].value.u;
    return QUIPU_UNKNOWN;
}

static bool release_open(struct quipu__io *io, struct quipu__io_use *use) {
    struct quipu__io_file_use *file_use = &io->file_uses.items[use->file_use];
    if (use->open_count == 0 || --use->open_count > 0 || file_use->open_clients == 0)
        return true;
    return --file_use->open_clients > 0 || count_open_file(io, use->file, -1);
}

bool quipu__io_study_close(struct quipu__io *io, const struct quipu_batch *batch, uint32_t event,
                           uint32_t file) {
    const uint32_t client = io->operations.locations[batch->location[event]].client;
    struct quipu__io_use *use = file == QUIPU_NONE ? NULL : quipu__io_use_of(io, client, file);
    if (!use)
        return file == QUIPU_NONE;
    struct quipu__io_file_use *file_use = &io->file_uses.items[use->file_use];
    const uint64_t size = file_size_of(io->study, batch, event);
    if (size != QUIPU_UNKNOWN && (file_use->size == QUIPU_UNKNOWN || size > file_use->size))
        file_use->size = size;
    return release_open(io, use);
}

/* An application that ends has nothing open any more. */
static bool end_application(struct quipu__io *io, uint32_t location, int64_t time) {
    struct quipu__io_job *job = job_of(io, location);
    if (!job)
        return false;
    job->has_ended = true;
    job->end = time;
    bool done = true;
    while (done && job->opened > 0) {
        struct quipu__io_file_use *file_use = &io->file_uses.items[job->opened - 1];
        done = file_use->open_clients == 0 || count_open_file(io, file_use->file, -1);
        file_use->open_clients = 0;
        file_use->is_listed = false;
        job->opened = file_use->next_listed;
    }
    return done;
}

/* A file need not be used to be removed. */
static bool unlink_file(struct quipu__io *io, uint32_t location, uint32_t file, uint64_t links) {
    const uint64_t key = quipu__io_key(io->operations.locations[location].application, file);
    return links > 0 || quipu__map_put(&io->study->removed, key, 0);
}

bool quipu__io_study_event(struct quipu__io *io, const struct quipu_batch *batch, uint32_t event) {
    const uint32_t location = batch->location[event];
    switch ((enum quipu_kind)batch->kind[event]) {
    case QUIPU_KIND_location_begin:
        return begin_location(io, location, batch->time[event]);
    case QUIPU_KIND_location_end:
        return io->operations.locations[location].application != location ||
               end_application(io, location, batch->time[event]);
    case QUIPU_KIND_io_unlink:
        return unlink_file(io, location, batch->object[event], batch->value[event]);
    default:
        return true;
    }
}

/* ---- Requests ---- */

static bool count_size(struct quipu__io *io, struct quipu__io_sizes *sizes, uint64_t bytes) {
    if (sizes->latest < sizes->list.count && sizes->list.items[sizes->latest].bytes == bytes) {
        sizes->list.items[sizes->latest].requests++;
        return true;
    }
    uint32_t number = quipu__map_get(&sizes->numbers, bytes);
    if (number == QUIPU_NONE) {
        number = (uint32_t)sizes->list.count;
        struct quipu__io_size *size = QUIPU__VEC_ADD(&io->memory, &sizes->list);
        if (!size || !quipu__map_put(&sizes->numbers, bytes, number))
            return false;
        size->bytes = bytes;
    }
    sizes->list.items[number].requests++;
    sizes->latest = number;
    return true;
}

static void add_distinct(struct quipu__io_distinct *distinct, int64_t value) {
    for (uint32_t i = 0; i < distinct->count; i++)
        if (distinct->values[i] == value)
            return;
    if (distinct->count < QUIPU__IO_DISTINCT)
        distinct->values[distinct->count++] = value;
}

static struct quipu__blocks blocks_of(const struct quipu__io *io, const struct quipu__io_request *request) {
    const int64_t offset = (int64_t)request->offset;
    const int64_t size = (int64_t)request->bytes;
    const int64_t end = size <= 0 || offset > INT64_MAX - size ? INT64_MAX : offset + size;
    const int64_t first = quipu__floor_div(offset, io->block_size);
    const int64_t last = quipu__floor_div(end - 1, io->block_size);
    return (struct quipu__blocks){request->file, first, size <= 0 ? 0 : (uint64_t)last - (uint64_t)first + 1};
}

/* The caches of a client for a file, as long as its job does not write to it. The first one says whether the I/O nodes see
 * the request. */
static bool use_client_caches(struct quipu__io *io, struct quipu__io_use *use,
                              const struct quipu__blocks *blocks, bool *hit) {
    const struct quipu__io_study *study = io->study;
    if (!use->cache)
        use->cache = quipu__alloc_zero(&io->memory, sizeof *use->cache);
    for (uint32_t i = study->client_buffers.count; use->cache && i-- > 0;)
        if (!quipu__client_blocks_add(&use->cache->sizes[i], &io->memory, study->client_replacement,
                                      (uint32_t)study->client_buffers.items[i], blocks, hit))
            return false;
    return use->cache != NULL;
}

static bool use_caches(struct quipu__io *io, struct quipu__io_use *use,
                       const struct quipu__io_request *request) {
    const struct quipu__blocks blocks = blocks_of(io, request);
    const bool is_written = request->direction == QUIPU__IO_WRITES ||
                            io->file_uses.items[use->file_use].has_requests[QUIPU__IO_WRITES];
    bool hit = false;
    if (blocks.count == 0)
        return true;
    if (!is_written && !use_client_caches(io, use, &blocks, &hit))
        return false;
    return quipu__node_caches_add(&io->study->nodes, &blocks) &&
           (hit || quipu__node_caches_add(&io->study->combined, &blocks));
}

bool quipu__io_study_request(struct quipu__io *io, const struct quipu__io_request *request) {
    struct quipu__io_study *study = io->study;
    struct quipu__io_use *use =
        request->file == QUIPU_NONE ? NULL : quipu__io_use_of(io, request->location, request->file);
    if (!use)
        return request->file == QUIPU_NONE;
    struct quipu__io_file_use *file_use = &io->file_uses.items[use->file_use];
    if (request->bytes == QUIPU_UNKNOWN)
        return true;
    const bool is_small = (int64_t)request->bytes < (int64_t)study->small;
    study->small_requests[request->direction] += is_small;
    study->small_bytes[request->direction] += is_small ? request->bytes : 0;
    add_distinct(&file_use->sizes, (int64_t)request->bytes);
    if (!count_size(io, &study->sizes[request->direction], request->bytes))
        return false;
    if (request->offset == QUIPU_UNKNOWN)
        return true;
    if (use->has_previous)
        add_distinct(&file_use->intervals, (int64_t)(request->offset - (uint64_t)use->previous_end));
    return use_caches(io, use, request);
}
